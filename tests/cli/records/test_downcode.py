"""Whoever asks what can be worked out of a release must get the same count as the library, and a status that says it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of

STARS = "x,y\na,1\na,1\na,*\nb,2\nb,2\n"
WHOLE = "x,y\na,1\na,1\na,2\nb,2\nb,2\n"


def ask(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    status = status_of(["attack", "downcode", *map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


def write(folder: Path) -> tuple[Path, Path]:
    published, original = folder / "R.csv", folder / "T.csv"
    published.write_text(STARS)
    original.write_text(WHOLE)
    return published, original


def test_a_known_cell_is_told_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published, original = write(tmp_path)
    asked = ("--published", published, "--method", "suppress", "--keys", "x,y", "--k", 2)
    status, answer = ask(capsys, *asked)
    assert (status, answer["known"], answer["hits"], answer["certain"]) == (1, 1, None, False)
    status, answer = ask(capsys, *asked, "--original", original, "--in-order")
    assert (status, answer["claimed"], answer["hits"], answer["certain"]) == (1, 1, 1, True)
    status, answer = ask(capsys, *asked, "--knows", "rule")
    assert (status, answer["cells"], answer["narrowed"]) == (0, 1, 0)


def test_what_does_not_suit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published, original = write(tmp_path)
    asked = ("--published", published, "--method", "suppress", "--keys", "x,y", "--k", 2)
    assert ask(capsys, *asked, "--in-order")[0] == 2
    assert ask(capsys, *asked, "--people", "all")[0] == 2
    assert ask(capsys, *asked[:4], "--keys", "x,z", "--k", 2)[0] == 2
    original.write_text(WHOLE + "c,3\n")
    assert ask(capsys, *asked, "--original", original, "--in-order")[0] == 2
