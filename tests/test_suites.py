"""Every suite is run to its end, whichever fails, and is one that the Makefile has."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from verify import suites

MAKEFILE = (Path(__file__).parents[1] / "Makefile").read_text("utf-8")


def test_every_suite_is_a_target() -> None:
    assert [suite for suite in suites.SUITES if f"\n{suite}:" not in MAKEFILE] == []


@pytest.mark.parametrize(("failing", "status"), [("", 0), ("test-api", 1), ("docs", 1)])
def test_one_that_fails_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failing: str, status: int
) -> None:
    make = tmp_path / "make"
    make.write_text(f'#!/bin/sh\necho "what $1 said"\n[ "$1" != "{failing}" ]\n')
    make.chmod(0o755)
    monkeypatch.setenv("MAKE", str(make))
    monkeypatch.setattr(suites, "OUT", tmp_path / "out")
    monkeypatch.setattr(sys, "argv", ["suites.py", "test-api", "docs"])
    assert suites.main() == status
    told = capsys.readouterr().out
    assert told.count("green") == (4 if not failing else 2)  # as it ends, and once more below all
    assert ("what test-api said" in told) is (failing == "test-api")
    assert (tmp_path / "out" / "docs.log").read_text() == "what docs said\n"
