"""Linked tables that form a cycle: the commands use the joint table where they can, and say so where they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.tables import run

from sekisho.cli import status_of

HOW = ("--dims", "r,j,a", "--count", "n")
PAIRS = ((0, 1), (0, 2), (1, 2))
LIMIT = "not used is that no cell of the joint table over r, j, a"


def write_margins(folder: Path, cube: np.ndarray[Any, np.dtype[np.int64]]) -> list[Path]:
    """Write the three tables of a population by two of its dimensions each."""
    paths: list[Path] = []
    for one, two in PAIRS:
        names = "rja"[one], "rja"[two]
        counts = cube.sum(axis=3 - one - two)
        lines = [f"{names[0]}{i},{names[1]}{k},{n}" for (i, k), n in np.ndenumerate(counts)]
        path = folder / f"{names[0]}{names[1]}.csv"
        path.write_text("\n".join([f"{names[0]},{names[1]},n", *lines]) + "\n")
        paths.append(path)
    return paths


@pytest.fixture
def triple(tmp_path: Path) -> list[Path]:
    # seed 23 of tests/tables/test_joint.py: certified at 10, an attacker with the joint table is left with 5
    return write_margins(tmp_path, np.random.default_rng(23).integers(0, 6, (2, 2, 2)))


def patterns(folder: Path, sources: list[Path]) -> list[object]:
    return [word for source in sources for word in ("--pattern", folder / source.name)]


def test_a_cycle_is_protected_against_the_joint_table(triple: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = triple[0].parent
    out, page = folder / "safe", folder / "safe.html"
    status, answer = run(capsys, "table", "link", *triple, *HOW, "--out", out, "--report", page, "--explain")
    assert (status, answer["joint"], answer["joint_cells"]) == (0, "covered", 8)
    assert (answer["cells"], answer["status"]) == (19, "optimal")
    assert "limit" not in answer
    assert sum(one["cells"] for one in answer["levels"]) == 19
    assert len((out / "rj.csv").read_text().split()) == 10
    words = page.read_text()
    assert "none of the 8 cells of the joint table r × j × a is below 0" in words
    assert "同時集計表 r × j × a" in words
    status, answer = run(capsys, "table", "verify", out / "linked.certificate.json")
    assert (status, answer["joint"]) == (0, "covered")
    status, answer = run(capsys, "table", "audit-linked", *triple, *patterns(out, triple), *HOW)
    assert (status, answer["joint"], answer["narrow"]) == (
        3,
        "covered",
        0,
    )  # status 3: who knows that cells are whole is not considered
    assert len(answer["cells"]) == answer["suppressed"] <= 19
    assert run(capsys, "table", "audit-linked", *triple, *patterns(out, triple), *HOW, "--integer")[0] == 0


def test_without_the_joint_table_the_limit_is_said(triple: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = triple[0].parent
    out, page = folder / "bare", folder / "bare.html"
    bare = ("--margins", "free", "--no-joint", "--out", out, "--report", page)
    status, answer = run(capsys, "table", "link", *triple, *HOW, *bare)
    assert (status, answer["joint"], answer["joint_cells"]) == (0, "not covered", 8)
    assert LIMIT in answer["limit"]
    words = page.read_text()
    assert "Safe:" not in words
    assert "Not refuted: no unsafe cell" in words
    assert "Limit: not used is that no cell of the joint table r × j × a is below 0" in words
    assert "限界：同時集計表 r × j × a" in words
    checked = status_of(["table", "verify", str(out / "linked.certificate.json")])
    assert checked == 0
    assert f"limit: {LIMIT}" in capsys.readouterr().out
    asked = ("table", "audit-linked", *triple, *patterns(out, triple), *HOW)
    status, answer = run(capsys, *asked, "--no-joint")
    assert (status, answer["joint"], answer["narrow"]) == (
        3,
        "not covered",
        0,
    )  # status 3: who knows that cells are whole is not considered
    assert LIMIT in answer["limit"]
    # the audit that uses the joint table finds what was leaked
    status, answer = run(capsys, *asked)
    assert (status, answer["joint"]) == (1, "covered")
    assert answer["narrow"] > 0
    assert status_of([str(word) for word in (*asked, "--no-joint")]) == 3
    assert f"limit: {LIMIT}" in capsys.readouterr().out


def test_a_joint_table_that_is_too_large_needs_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # 28 x 28 x 28 = 21,952 cells; everybody is one of 28 groups of 40, and one group has 3 more
    cube = np.zeros((28, 28, 28), dtype=np.int64)
    at = np.arange(28)
    cube[at, at, at] = 40
    cube[0, 1, 2] = 3
    sources = write_margins(tmp_path, cube)
    out, page = tmp_path / "safe", tmp_path / "safe.html"
    status, answer = run(capsys, "table", "link", *sources, *HOW, "--out", out, "--report", page)
    assert (status, answer["joint"], answer["joint_cells"]) == (3, "not covered", 21_952)
    assert f"{LIMIT} (21,952 cells) is below 0 (it has too many cells)" in answer["limit"]
    assert "セルが多すぎるため" in page.read_text()
    status, answer = run(capsys, "table", "audit-linked", *sources, *patterns(out, sources), *HOW)
    assert (status, answer["joint"], answer["narrow"]) == (3, "not covered", 0)


def test_tables_without_a_cycle_need_no_joint_table(triple: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    out = triple[0].parent / "safe"
    status, answer = run(capsys, "table", "link", *triple[:2], *HOW, "--out", out, "--joint")
    assert (status, answer["joint"]) == (0, "none-needed")
    assert "joint_cells" not in answer
    assert run(capsys, "table", "verify", out / "linked.certificate.json")[1]["joint"] == "none-needed"


def test_tables_that_contradict_each_other_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # 9 of the 10 of r0 are j0, 9 of the 10 of j0 are a0: at least 8 of r0 are a0, yet 1 is
    same, other = ((9, 1), (1, 9)), ((1, 9), (9, 1))
    sources: list[Path] = []
    for (one, two), counts in (("rj", same), ("ra", other), ("ja", same)):
        path = tmp_path / f"{one}{two}.csv"
        lines = [f"{one}{i},{two}{k},{counts[i][k]}" for i in range(2) for k in range(2)]
        path.write_text("\n".join([f"{one},{two},n", *lines]) + "\n")
        sources.append(path)
    status, answer = run(capsys, "table", "link", *sources, *HOW, "--out", tmp_path / "out")
    assert status == 2
    assert "contradict each other: no table r x j x a without negative cells" in answer["error"]
