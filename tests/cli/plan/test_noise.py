"""``sekisho plan noise`` must tell what it could not reach, and write nothing where there is no table."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.tables import run

PLAN = ("plan", "noise")


def test_a_table_that_reaches_its_variance(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "P.csv"
    status, keys = run(capsys, *PLAN, "--max", 5, "--variance", 3, "--threshold", 2, "--stay", "0.5", "--out", out)
    assert (status, keys["status"], keys["last"]) == (0, "reached", 8)
    assert [row["i"] for row in keys["rows"]] == list(range(1, 9))
    # τ-ARGUS's sample: row 1 begins with 0.73446954, row 8 stays with 0.5
    assert keys["rows"][0]["p"]["0"] == pytest.approx(0.73446954, abs=1e-8)
    assert keys["rows"][7]["stay"] == 0.5
    assert out.read_text().startswith("i,j,p\n0,0,1.00000000\n1,0,0.73446954\n")


def test_a_variance_that_is_not_reached_must_be_looked_at(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "P.csv"
    asked = (*PLAN, "--max", 2, "--variance", 1, "--out", out)
    status, keys = run(capsys, *asked)
    assert (status, keys["status"]) == (3, "variance not reached")
    assert [row["variance_reached"] for row in keys["rows"]] == [False, True]
    assert keys["rows"][0]["variance"] == pytest.approx(0.931884, abs=1e-6)  # as in ptable's vignette
    assert run(capsys, *asked, "--variance", "at-most")[0] == 0
    status, keys = run(capsys, *asked, "--variance", "equal")
    assert (status, keys["rows"][0]["p"]["3"]) == (0, 0.125)


def test_no_table_is_an_answer_and_nothing_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "P.csv"
    status, keys = run(capsys, *PLAN, "--max", 5, "--variance", 1, "--threshold", 2, "--out", out)
    assert (status, keys["status"], keys["reason"]) == (1, "infeasible", "row 1: no noise has a variance below 2")
    assert not out.exists()


@pytest.mark.parametrize("words", [("1", "2"), ("at-most",), ("1", "equal", "at-most"), ("x",)])
def test_a_variance_that_is_none(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]) -> None:
    asked = [word for each in words for word in ("--variance", each)]
    assert run(capsys, *PLAN, "--max", 2, *asked, "--out", tmp_path / "P.csv")[0] == 2
