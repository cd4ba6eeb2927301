"""Every command takes ``--language``; without it the locale decides; pages and texts open in that language."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.cli.kit.language import chosen_language, find_language, settle_language
from sekisho.cli.kit.manual import read_manual
from sekisho.words import Language

CLI = Path(__file__).parents[3] / "src/sekisho/cli"


@pytest.mark.parametrize("words", [words for words, page in read_manual().items() if not page["commands"]])
def test_every_command_takes_a_language(words: str) -> None:
    assert "--language=" in read_manual()[words]["options"]


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "ja"}, "ja"),
        ({"LANG": "Japanese_Japan.932"}, "ja"),  # Windows
        ({"LANG": "jam_JM"}, "en"),  # Jamaican, not Japanese
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP.eucJP"}, "ja"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": ""}, "ja"),  # empty is not set
        ({"LANG": "ja_JP.UTF-8", "LC_MESSAGES": "de_DE.UTF-8"}, "en"),
    ],
)
def test_the_locale_tells_the_language(environment: dict[str, str], language: str) -> None:
    assert find_language(["threshold", "5"], environment) == language


@pytest.mark.parametrize(
    ("words", "language"),
    [
        (["threshold", "--language", "ja", "5"], "ja"),
        (["threshold", "5", "--language=ja"], "ja"),
        (["threshold", "--language=ja", "--language", "en"], "en"),  # the last counts, as for every option
        (["threshold", "--", "--language=ja"], "en"),  # an argument
        (["threshold", "--language", "fr"], "en"),  # refused later, in the locale's language
        (["threshold", "--language"], "en"),
        (["threshold", "ja"], "en"),
    ],
)
def test_the_option_tells_the_language(words: list[str], language: str) -> None:
    assert find_language(words, {}) == language


def test_the_option_stands_above_the_locale() -> None:
    assert find_language(["threshold", "--language", "en"], {"LC_ALL": "ja_JP.UTF-8"}) == "en"


def test_a_command_forgets_the_language_of_the_one_before() -> None:
    settle_language(["--language", "ja"])
    assert chosen_language() is Language.JA
    settle_language([])
    assert chosen_language() is Language.EN


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda path: str(path.relative_to(CLI)))
def test_whatever_a_command_renders_is_in_the_chosen_language(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    renders = [call for call in calls if _name(call).startswith("render_")]
    assert [_name(call) for call in renders if "language" not in {keyword.arg for keyword in call.keywords}] == []


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def test_a_page_and_its_words_open_in_the_chosen_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "people.csv").write_text("sex,age\n" + "f,20\nm,30\n" * 3)
    for language in Language:
        page = tmp_path / f"{language}.html"
        call = ["risk", str(tmp_path / "people.csv"), "--keys", "sex,age", "--report", str(page)]
        assert status_of([*call, "--language", language]) == 0
        assert f'<html lang="{language}">' in page.read_text(encoding="utf-8")
        assert ("レコード" in capsys.readouterr().out) is (language is Language.JA)


def test_a_language_that_is_not_spoken_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["threshold", "5", "--language", "fr"]) == 2
    assert "'fr' is not one of 'en', 'ja'" in capsys.readouterr().err
