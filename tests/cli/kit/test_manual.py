"""Help and completion answer at once, from a manual that is what the commands say."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from unicodedata import east_asian_width

import pytest
from docs.make_reference import BUILT, JAPANESE, PAGES, WIDTH, list_help

import sekisho
from sekisho.cli import status_of
from sekisho.cli.kit.completion import SCRIPTS, list_completions
from sekisho.cli.kit.manual import find_page, read_manual
from sekisho.words import Language

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("place", BUILT)
def test_what_is_built_from_the_program_is_fresh(place: str) -> None:
    assert (ROOT / place).read_text(encoding="utf-8") == BUILT[place](), "run: make manual figures"


def test_every_paragraph_of_help_has_its_japanese_and_no_other_has() -> None:
    assert sorted(json.loads(JAPANESE.read_text(encoding="utf-8"))) == sorted(list_help())


@pytest.mark.parametrize("words", read_manual())
def test_a_page_in_japanese_tells_every_option_and_command_in_lines_that_fit(words: str) -> None:
    page = find_page([*words.split(), "--help"], Language.JA)
    assert page is not None
    told = set(page.replace(",", " ").split())
    assert {option.removesuffix("=") for option in read_manual()[words]["options"]} - told <= {"--help", "-h"}
    assert set(read_manual()[words]["commands"]) <= told
    wide = [line for line in page.splitlines() if sum(1 + (east_asian_width(one) in "WF") for one in line) > WIDTH]
    assert [line for line in wide if "使い方" not in line and "例:" not in line] == []


def test_the_language_of_a_page_is_the_one_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["risk", "--help", "--language", "ja"]) == 0
    assert "使い方" in capsys.readouterr().out
    assert status_of(["risk", "--help", "--language", "en"]) == 0
    assert "Usage" in capsys.readouterr().out


def test_the_site_shows_every_command_and_public_name() -> None:
    commands, names = (build() for build in PAGES.values())
    assert [
        words for words, page in read_manual().items() if not page["commands"] and page["text"] not in commands
    ] == []
    assert [name for name in sekisho.__all__ if f"\n### {name}\n" not in names] == []


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("--help", ""),
        ("-h", ""),
        ("protect --help", "protect"),
        ("protect groups -h", "protect groups"),
        ("table suppress t.csv --dims a,b --help", "table suppress"),
    ],
)
def test_a_page_is_found_by_the_words_of_its_command(words: str, page: str) -> None:
    assert find_page(words.split()) == read_manual()[page]["text"]


@pytest.mark.parametrize("words", ["protect strangers-own --help", "threshold 5", "protect groups -- --help"])
def test_what_the_manual_does_not_have_is_left_to_the_command(words: str) -> None:
    assert find_page(words.split()) is None


@pytest.mark.parametrize("words", read_manual())
def test_the_lines_of_a_paragraph_are_filled(words: str) -> None:
    """The breaks of a docstring are not those of the page: a line ends where the next word does not fit."""
    head = read_manual()[words]["text"].partition("╭")[0]
    lines = [line.strip() for line in head.splitlines()]
    ragged = [(a, b) for a, b in pairwise(lines) if a and b and len(a) + 1 + len(b.split()[0]) <= WIDTH - 2]
    assert not ragged


@pytest.mark.parametrize("option", ["--report=", "--separator=", "--encoding=", "--decimal=", "--header"])
def test_an_option_that_many_commands_take_has_the_same_words_everywhere(option: str) -> None:
    helps = [page["options"][option] for page in read_manual().values() if option in page["options"]]
    assert len(helps) > 1
    assert len(set(helps)) == 1


def test_help_and_version_load_nothing_heavy() -> None:
    code = (
        "import sys; from sekisho.cli import status_of; status_of(['protect', 'groups', '--help']); "
        "status_of(['--version']); "
        "sys.exit([name for name in ('numpy', 'polars', 'numba', 'typer', 'rich') if name in sys.modules] != [])"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["--version"]) == 0
    assert capsys.readouterr().out == f"sekisho {version('sekisho')}\n"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["thr"], ["threshold", "thresholds"]),
        (["table", "audit-"], ["audit-linked", "audit-difference"]),
        (["protect", "groups", "--max"], ["--max-set"]),
        (["protect", "groups", "--out", ""], []),  # a file
        (["protect", "groups", "T.c"], []),
    ],
)
def test_commands_and_options_are_completed_and_values_left_to_the_shell(words: list[str], found: list[str]) -> None:
    assert [line.partition("\t")[0] for line in list_completions(words).splitlines()] == found


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_shell_understands_its_script(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not on this machine")
    script = tmp_path / "script"
    script.write_text(SCRIPTS[shell])
    assert subprocess.run([program, "-n", str(script)], check=False).returncode == 0


def test_bash_completes_a_command(tmp_path: Path) -> None:
    program = shutil.which("bash")
    if program is None:
        pytest.skip("bash is not on this machine")
    (tmp_path / "sekisho").write_text(f'#!/bin/sh\nexec {sys.executable} -m sekisho "$@"\n')
    (tmp_path / "sekisho").chmod(0o755)
    (tmp_path / "script").write_text(SCRIPTS["bash"])
    asked = f'PATH={tmp_path}:$PATH; . {tmp_path}/script; COMP_WORDS=(sekisho thr); COMP_CWORD=1; _sekisho; echo "${{COMPREPLY[*]}}"'
    told = subprocess.run([program, "-c", asked], check=True, capture_output=True, text=True)
    assert told.stdout.split() == ["threshold", "thresholds"]


def test_a_script_is_installed_where_its_shell_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert status_of(["completion", "fish", "--install"]) == 0
    assert (tmp_path / ".config/fish/completions/sekisho.fish").read_text() == SCRIPTS["fish"]
    assert "written to" in capsys.readouterr().out
