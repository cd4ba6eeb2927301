"""What a rule forbids is hidden and protected, or the command answers no: status 0 never stands beside an
unprotected cell."""

from __future__ import annotations

import csv
import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.laws import try_examples

from sekisho.cli import status_of

Cell = tuple[str, str]
COUNTED = ("--dims", "a,b", "--count", "n")
SUMMED = ("--dims", "a", "--value", "v", "--contributors", "firms")
# (x, p) is a 0 and (y, p) a 1
COUNTS = "a,b,n\nx,p,0\nx,q,20\nx,r,30\ny,p,1\ny,q,16\ny,r,14\nz,p,15\nz,q,13\nz,r,12\n"
# x is 0 by its one firm: 20 % of it is 0 as well
ZERO = "a,v,firms\nx,0,1\ny,20,9\nz,30,8\n"


def run(*arguments: object) -> tuple[int, dict[str, Any], str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = status_of([*map(str, arguments), "--json"])
    return status, json.loads(out.getvalue()) if out.getvalue().strip() else {}, err.getvalue()


def statuses(pattern: Path) -> dict[Cell, str]:
    with pattern.open() as file:
        return {(row["a"], row["b"]): row["status"] for row in csv.DictReader(file)}


def test_a_sum_of_zero_is_protected(tmp_path: Path) -> None:
    source, out = tmp_path / "s.csv", tmp_path / "p.csv"
    source.write_text(ZERO)
    status, answer, _ = run("table", "suppress", source, *SUMMED, "--rule", "min:3", "--out", out)
    # it is known how many contribute and not what they gave: insiders were not considered, and a person decides
    assert (status, answer["primary"], answer["secondary"]) == (3, 1, 1)
    status, answer, _ = run("table", "audit", source, *SUMMED, "--pattern", out)
    assert (status, answer["disclosed"]) == (3, 0)
    x = next(cell for cell in answer["cells"] if cell["a"] == "x")
    assert x["high"] is None or x["high"] - x["low"] >= 4  # 20 % of 20, the smallest other value


def test_what_cannot_be_protected_is_infeasible(tmp_path: Path) -> None:
    source, out, before = tmp_path / "s.csv", tmp_path / "p.csv", tmp_path / "known.hst"
    source.write_text(ZERO)
    before.write_text("y;P\nz;P\nTotal;P\n")
    status, answer, _ = run("table", "suppress", source, *SUMMED, "--rule", "min:3", "--apriori", before, "--out", out)
    assert (status, answer["status"]) == (1, "infeasible")
    assert "a=x" in answer["reason"]
    assert not out.exists()


@pytest.mark.parametrize("width", ["0", "0.0001"])
def test_a_width_that_protects_nothing_is_refused(width: str, tmp_path: Path) -> None:
    source, out = tmp_path / "s.csv", tmp_path / "p.csv"
    source.write_text(ZERO)
    asked = ("--rule", "min:3", "--width", width)
    status, _, said = run("table", "suppress", source, *SUMMED, *asked, "--out", out)
    assert (status, "width must be" in said, out.exists()) == (2, True, False)


@pytest.mark.parametrize(
    ("asked", "primary"),
    [
        ((), {("y", "p")}),
        (("--rule", "zeros"), {("x", "p"), ("y", "p")}),
        (("--rule", "min:2"), {("y", "p")}),
        (("--rule", "min:2", "--min-count", "13"), {("y", "p"), ("z", "r")}),
        (("--rule", "zeros", "--min-count", "0"), {("x", "p")}),
        (("--min-count", "1"), set()),
    ],
)
def test_rules_of_counts_add_to_the_minimum_frequency(
    asked: tuple[str, ...], primary: set[tuple[str, str]], tmp_path: Path
) -> None:
    source, out = tmp_path / "c.csv", tmp_path / "p.csv"
    source.write_text(COUNTS)
    status, answer, said = run("table", "suppress", source, *COUNTED, *asked, "--out", out)
    weak = asked[-1:] in {("0",), ("1",)}  # then no rule, or that of zeros alone, says what is unsafe
    assert (status, answer["primary"]) == (3 if weak else 0, len(primary))
    assert {key for key, word in statuses(out).items() if word == "primary"} == primary
    assert ("switched off" in said) == (asked[-1:] in {("0",), ("1",)})
    held = json.loads((tmp_path / "p.csv.certificate.json").read_text())["cells"]
    asked_for = [
        max(levels)
        for *levels, word in zip(
            held["lower_level"], held["upper_level"], held["sliding_level"], held["status"], strict=True
        )
        if word == "primary"
    ]
    assert asked_for == [10] * len(primary)


def test_an_audit_by_a_rule_of_counts_keeps_the_minimum_frequency_too(tmp_path: Path) -> None:
    source, out = tmp_path / "c.csv", tmp_path / "p.csv"
    source.write_text(COUNTS)
    run("table", "suppress", source, *COUNTED, "--min-count", "0", "--out", out)
    status, answer, _ = run("table", "audit", source, *COUNTED, "--pattern", out, "--rule", "zeros")
    assert (status, answer["shown"]) == (1, ["a=x, b=p", "a=y, b=p"])
    asked = ("--rule", "zeros", "--min-count", "0")
    status, answer, said = run("table", "audit", source, *COUNTED, "--pattern", out, *asked)
    assert (status, answer["shown"], "switched off" in said) == (1, ["a=x, b=p"], True)


def test_two_populations_that_show_a_single_person(tmp_path: Path) -> None:
    # No difference is small: 20, 15; 15, 20. But the adults' table shows a 1.
    larger, smaller = tmp_path / "all.csv", tmp_path / "adults.csv"
    larger.write_text("a,b,n\nx,p,21\nx,q,45\ny,p,40\ny,q,60\n")
    smaller.write_text("a,b,n\nx,p,1\nx,q,30\ny,p,25\ny,q,40\n")
    patterns = list[object]()
    for source in (larger, smaller):
        out = tmp_path / f"p_{source.name}"
        run("table", "suppress", source, *COUNTED, "--min-count", "0", "--out", out)
        patterns += ["--pattern", out]
    audit = ("table", "audit-difference", larger, smaller, *patterns, *COUNTED)
    shown = ["population=adults.csv, a=x, b=p"]
    for asked in ((), ("--min-count", "5"), ("--min-count", "2")):
        status, answer, _ = run(*audit, *asked)
        assert (status, answer["shown"], answer["narrow"], answer["disclosed"]) == (1, shown, 0, 0)
    assert status_of([*map(str, audit)]) == 1
    for off in ("0", "1"):
        assert run(*audit, "--min-count", off)[0] == 2
    # hidden by the joint suppression, it is not shown
    out = tmp_path / "safe"
    assert run("table", "difference", larger, smaller, *COUNTED, "--out", out, "--report", tmp_path / "d.html")[0] == 0
    together = ("--pattern", out / "all.csv", "--pattern", out / "adults.csv")
    status, answer, _ = run("table", "audit-difference", larger, smaller, *together, *COUNTED, "--min-count", "5")
    assert (status, answer["shown"]) == (3, [])  # status 3: who knows that cells are whole is not considered


def test_linked_tables_that_show_a_single_person(tmp_path: Path) -> None:
    rows, cells = tmp_path / "rows.csv", tmp_path / "cells.csv"
    rows.write_text("a,n\nx,66\ny,100\n")
    cells.write_text("a,b,n\nx,p,1\nx,q,65\ny,p,40\ny,q,60\n")
    patterns = list[object]()
    for source, dims in ((rows, "a"), (cells, "a,b")):
        out = tmp_path / f"p_{source.name}"
        run("table", "suppress", source, "--dims", dims, "--count", "n", "--min-count", "0", "--out", out)
        patterns += ["--pattern", out]
    status, answer, _ = run("table", "audit-linked", rows, cells, *patterns, *COUNTED, "--min-count", "5")
    assert (status, answer["shown"]) == (1, ["a=x, b=p"])


def margins(inner: dict[Cell, float]) -> dict[Cell, float]:
    """Every cell of a two-way table, by hand."""
    every = dict[Cell, float]()
    for (row, column), value in inner.items():
        for key in ((row, column), (row, "Total"), ("Total", column), ("Total", "Total")):
            every[key] = every.get(key, 0.0) + value
    return every


def width(every: dict[Cell, float], hidden: set[Cell], cell: Cell) -> float:
    """How wide an attacker's interval is, by a stranger's solver and equations written down anew."""
    keys = list(every)
    rows, columns = ({key[axis] for key in keys} - {"Total"} for axis in (0, 1))
    sums = [[((row, "Total"), -1)] + [((row, column), 1) for column in columns] for row in {*rows, "Total"}]
    sums += [[(("Total", column), -1)] + [((row, column), 1) for row in rows] for column in {*columns, "Total"}]
    matrix = np.zeros((len(sums), len(keys)))
    for number, equation in enumerate(sums):
        for key, sign in equation:
            matrix[number, keys.index(key)] += sign
    bounds = [(0, None) if key in hidden else (every[key], every[key]) for key in keys]
    cost = np.array([float(key == cell) for key in keys])
    ends = [linprog(way * cost, A_eq=matrix, b_eq=np.zeros(len(sums)), bounds=bounds) for way in (1, -1)]
    low, high = (float(end.x[keys.index(cell)]) if end.x is not None else np.inf for end in ends)
    return high - low


@try_examples(40)
@given(
    st.lists(st.tuples(st.sampled_from([0, 0, 1, 2, 4, 9, 16, 25]), st.integers(0, 6)), min_size=6, max_size=6),
    st.sampled_from(["counts", "sums"]),
    st.sampled_from([(), ("zeros",), ("min:3",), ("zeros", "min:2,50"), ("zeros:2",)]),
    st.sampled_from([None, 0, 3]),
)
@example([(0, 1), (16, 6), (25, 6), (9, 6), (9, 6), (16, 6)], "sums", ("min:3",), None)
@example([(0, 0), (16, 0), (25, 0), (9, 0), (1, 0), (16, 0)], "counts", ("zeros",), None)
@example([(2, 0), (2, 0), (4, 0), (9, 0), (16, 0), (25, 0)], "counts", (), None)
@example([(0, 0)] * 6, "counts", ("zeros",), None)
def test_what_is_written_protects_every_unsafe_cell(
    drawn: list[tuple[int, int]], shape: str, words: tuple[str, ...], min_count: int | None
) -> None:
    counts = shape == "counts"
    keys = [(row, column) for row in "xy" for column in "pqr"]
    value = margins({key: float(n) for key, (n, _) in zip(keys, drawn, strict=True)})
    firms = margins({key: float(n if counts else max(f, n > 0)) for key, (n, f) in zip(keys, drawn, strict=True)})
    fewest = max([int(word[4]) for word in words if word.startswith("min")], default=0)
    fewest = max(fewest, (5 if counts else 0) if min_count is None else min_count)
    unsafe = {key for key, n in firms.items() if 0 < n < fewest}
    if any(word.startswith("zeros") for word in words):
        unsafe |= {key for key, n in value.items() if n == 0 and (counts or firms[key] > 0)}
    with TemporaryDirectory() as folder:
        source, out = Path(folder) / "t.csv", Path(folder) / "p.csv"
        lines = [f"{row},{column},{value[row, column]:g},{firms[row, column]:g}" for row, column in keys]
        source.write_text("\n".join(["a,b,n,f", *lines]) + "\n")
        how = ("--count", "n") if counts else ("--value", "n", "--contributors", "f")
        asked = [part for word in words for part in ("--rule", word)]
        asked += [] if min_count is None else ["--min-count", str(min_count)]
        # drawn cells may add up as a margin's do: every code is a category
        asked += [part for code in ("a=x", "a=y", "b=p", "b=q", "b=r") for part in ("--category", code)]
        status, answer, said = run("table", "suppress", source, "--dims", "a,b", *how, *asked, "--out", out)
        if not (counts or words or fewest > 1):
            assert (status, "be given for a table of sums" in said) == (2, True)
            return
        if status == 1:
            assert answer["status"] == "infeasible"
            return
        # a person decides where a cell of two would be shown, and where it is known how many contribute, not what
        # or where every cell is unsafe, so that nothing is left
        green = fewest >= 3 and (counts or not any(firms.values())) and len(unsafe) < len(value)
        assert status == (0 if green else 3), said
        told = statuses(out)
    assert {key for key, word in told.items() if word == "primary"} == unsafe
    hidden = {key for key, word in told.items() if word != "safe"}
    least = 10.0 if counts and "zeros:2" not in words and "min:2,50" not in words else 1.0
    assert all(width(value, hidden, key) >= least - 1e-6 for key in unsafe)


def test_codes_that_name_people_are_said_and_need_a_look(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "p.csv"
    source.write_text("email,job,n\n" + "".join(f"r{a},j{b},{9 + 4 * a * b}\n" for a in range(3) for b in range(3)))
    asked = ["table", "suppress", str(source), "--dims", "email,job", "--count", "n", "--out", str(out)]
    assert status_of(asked) == 3
    captured = capsys.readouterr()
    assert f"{source}: email names people, as its header says (email)" in captured.err
    assert "review" not in captured.out
    assert out.is_file()
