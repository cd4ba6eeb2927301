"""What a contest's commands tell in the terminal is told in the language that is asked for, to the last line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.contest.folder.cup import write_cup

from sekisho.cli import status_of
from sekisho.cli.contest.evaluate import describe_standings
from sekisho.cli.kit.language import settle_language
from sekisho.contest.standing import TeamStanding

NAMES = frozenset(
    {"raw", "pairs", "triples", "more", "bad", "final", "preliminary", "mail", "result", "cup", "JST", "register"}
    | {"anonymise", "publish", "attack", "evaluate", "reveal", "practice", "released", "guess", "pwscup"}
    | {"quantity", "oops"}
)


def list_english(text: str) -> set[str]:
    """Return the English words of a text: names of teams, rounds and phases, digests and paths aside."""
    return set(re.findall(r"[A-Za-z]{3,}", re.sub(r"[0-9a-f]{16,}|\S*/\S*", "", text))) - NAMES


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup") / "mail"
    write_cup(folder)
    return folder


def test_a_contest_is_told_in_japanese(
    mail: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    release, guess = ("--released", f"{mail}/releases/raw.csv"), ("--guess", f"{mail}/guesses/pairs-on-raw.csv")
    lines = [
        ("new", "cup", "--rules", "pwscup2018", "--original", f"{mail}/original.csv"),
        ("open", "cup", "register"),
        ("register", "cup", "raw", "pairs"),
        ("close", "cup", "register"),
        ("open", "cup", "anonymise"),
        ("submit", "cup", "--team", "raw", *release),
        ("open", "cup", "publish"),
        ("open", "cup", "attack"),
        ("attack", "cup", "--team", "pairs", "--target", "raw", *guess),
        ("show", "cup"),
        ("standings", "cup"),
        ("rejudge", "cup", "--name", "again"),
        ("replay", "cup"),
        ("evaluate", str(mail), "--rules", "pwscup2018"),
    ]
    for words in lines:
        assert status_of(["contest", *words, "--language", "ja"]) == 0, words
        told = capsys.readouterr()
        assert list_english(told.out + told.err) == set(), words
    assert status_of(["contest", "standings", "cup", "--language", "ja"]) == 0
    assert "pairs が破りました" in capsys.readouterr().out


def test_standings_are_told_as_they_are_in_both_languages() -> None:
    standings = (
        TeamStanding(team="ann", rank=1, utility=0.25, survives=True, broken_by=(), risk=0.5, attack=0.125),
        TeamStanding(team="bob", rank=None, utility=None, survives=False, broken_by=("ann", "cho")),
        TeamStanding(team="cho", rank=None, utility=0.5, survives=False, broken_by=()),
    )
    settle_language(["--language", "en"])
    assert describe_standings(standings).splitlines() == [
        "  1  ann              error 0.250000  risk 0.500000  as attacker 0.125000  survives",
        "  –  bob              no release  broken by ann, cho",
        "  –  cho              error 0.500000  out",
    ]
    settle_language(["--language", "ja"])
    assert describe_standings(standings).splitlines() == [
        "  1  ann              誤差 0.250000  リスク 0.500000  攻撃者として 0.125000  生存",
        "  –  bob              加工データなし  ann, cho が破りました",
        "  –  cho              誤差 0.500000  失格",
    ]
