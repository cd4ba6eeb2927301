"""An answer must reach stdout whatever it holds, and JSON must stay JSON."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable

import pytest

from sekisho.cli import status_of
from sekisho.cli.kit.answer import print_json, print_words

ODD = "関所 \udcff \U0001f600"


@pytest.fixture(params=["utf-8", "ascii", "cp932"])
def stdout(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], io.BytesIO]:
    def replace() -> io.BytesIO:
        held = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, encoding=request.param, write_through=True))
        return held

    return replace


def test_json_stays_json(stdout: Callable[[], io.BytesIO]) -> None:
    held = stdout()
    print_json({"a": ODD})
    assert json.loads(held.getvalue().decode(sys.stdout.encoding)) == {"a": ODD}


def test_words_are_shown_as_far_as_stdout_knows_them(stdout: Callable[[], io.BytesIO]) -> None:
    held = stdout()
    print_words(ODD)
    assert b"\\udcff" in held.getvalue()


def test_a_file_whose_name_is_no_text_is_refused_in_json(stdout: Callable[[], io.BytesIO]) -> None:
    held = stdout()
    assert status_of(["utility", "pwscup2018", "--original", "\udcff.csv", "--released", "A.csv", "--json"]) == 2
    assert "no such file" in json.loads(held.getvalue())["error"]
