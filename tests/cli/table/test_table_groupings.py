"""Sums that do not nest, and a population beside a part of it: what two views of the same people give away together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.cli.tables import HOW, TABLE, run, shown


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def test_groupings_are_protected_with_the_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, groups = folder / "t.csv", folder / "groups.csv"
    groups.write_text("group,member\nnear,x\nnear,y\n")
    asked = (*HOW, "--grouping", f"a={groups}")
    out = folder / "p.csv"
    status, answer = run(capsys, "table", "suppress", source, *asked, "--out", out, "--report", folder / "p.html")
    # Five codes by four. Only y can stand in for x without moving near.
    assert (status, answer["cells"], answer["secondary"], answer["status"]) == (0, 20, 3, "optimal")
    frame = pl.read_csv(out)
    assert frame.filter(a="near", b="p")["n"].to_list() == [22]
    assert set(frame.filter(pl.col("n").is_null())["a"]) == {"x", "y"}
    assert (
        run(capsys, "table", "audit", source, *asked, "--pattern", out)[0] == 3
    )  # status 3: who knows that cells are whole is not considered
    assert run(capsys, "table", "verify", folder / "p.csv.certificate.json")[0] == 0
    assert "near" in (folder / "p.html").read_text()
    # With z instead of y the plain table is safe; near, p = 22 less y, p = 20 gives x, p away.
    plain = shown(source, {(a, b) for a in "xz" for b in "pq"}, ("x", "p"))
    out.write_text(plain)
    assert run(capsys, "table", "audit", source, *HOW, "--pattern", out)[0] == 0
    out.write_text(plain + "near,p,22,safe\nnear,q,44,safe\nnear,r,44,safe\nnear,Total,110,safe\n")
    status, answer = run(capsys, "table", "audit", source, *asked, "--pattern", out)
    assert (status, answer["narrow"], answer["disclosed"]) == (1, 1, 4)


def test_sums_that_do_not_nest_disclose_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # c0 = (G1 + G2 - G3) / 2 = (23 + 73 - 90) / 2 = 3; so c1 = 23 - 3, and the total is 15 + 20 + 73: three cells are
    # disclosed
    source, groups, out = tmp_path / "t.csv", tmp_path / "groups.csv", tmp_path / "p.csv"
    source.write_text("c,n\nc0,3\nc1,20\nc2,15\nc3,30\nc4,40\n")
    groups.write_text("group,member\nG1,c0\nG1,c1\nG2,c0\nG2,c3\nG2,c4\nG3,c1\nG3,c3\nG3,c4\n")
    hidden = "Total,,secondary\nc0,,primary\nc1,,secondary\nc3,,secondary\nc4,,secondary\n"
    out.write_text(f"c,n,status\n{hidden}c2,15,safe\nG1,23,safe\nG2,73,safe\nG3,90,safe\n")
    asked = ("--dims", "c", "--count", "n", "--grouping", f"c={groups}", "--pattern", out)
    status, answer = run(capsys, "table", "audit", source, *asked)
    assert (status, answer["disclosed"], answer["narrow"]) == (1, 3, 1)
    found = {cell["c"]: (cell["low"], cell["high"]) for cell in answer["cells"]}
    assert found == {"Total": (108, 108), "c0": (3, 3), "c1": (20, 20), "c3": (0, 70), "c4": (0, 70)}


def test_a_three_way_table_whose_equations_determine_cells_together(
    shared: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    # The hidden columns have rank 36 of 38: by exact elimination 14 hidden cells are the same in every solution.
    source, pattern = shared("tables/audit/three-way.csv"), shared("tables/audit/three-way-pattern.csv")
    how = ("--dims", "a,b,c", "--count", "n", "--pattern", pattern)
    status, answer = run(capsys, "table", "audit", source, *how)
    assert (status, answer["suppressed"], answer["disclosed"]) == (1, 38, 14)


def test_groupings_of_microdata(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rows.csv").write_text("a,b\n" + "x,p\n" * 2 + "y,p\n" * 9 + "z,q\n" * 8)
    (folder / "groups.csv").write_text("near,x\nnear,y\n")
    how = ("--dims", "a,b", "--grouping", f"a={folder / 'groups.csv'}", "--out", folder / "cells.csv")
    assert run(capsys, "table", "tabulate", folder / "rows.csv", *how)[1]["cells"] == 15
    assert pl.read_csv(folder / "cells.csv").filter(a="near", b="Total")["n"].to_list() == [11]


@pytest.mark.parametrize(
    ("groups", "rule"),
    [
        ("near,x\nnear,w\n", "unknown code"),
        ("near,x\nnear,x\n", "members"),
        ("x,y\nx,z\n", "duplicate"),
        ("near,top\nnear,y\n", "disjoint"),
    ],
)
def test_bad_groupings_are_named(groups: str, rule: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tree.hrc").write_text("top\n@x\n@y\nz\n")
    (folder / "groups.csv").write_text(groups)
    how = ("--tree", f"a={folder / 'tree.hrc'}", "--grouping", f"a={folder / 'groups.csv'}", "--out", folder / "p.csv")
    status, answer = run(capsys, "table", "suppress", folder / "t.csv", *HOW, *how)
    assert status == 2
    assert rule in {error["rule"] for error in answer["errors"]}
    for word in ("groups.csv", f"planet={folder / 'groups.csv'}"):
        bad = ("--grouping", word, "--out", folder / "p.csv")
        assert run(capsys, "table", "suppress", folder / "t.csv", *HOW, *bad)[0] == 2
    assert not (folder / "p.csv").exists()


# Nobody stands alone in either table, but all less the adults are the children: 1, 15; 15, 20.
EVERYBODY = "a,b,n\nx,p,21\nx,q,45\ny,p,40\ny,q,60\n"
ADULTS = "a,b,n\nx,p,20\nx,q,30\ny,p,25\ny,q,40\n"


def test_two_populations_that_are_safe_alone_leak_by_subtraction(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    larger, smaller, out = folder / "all.csv", folder / "adults.csv", folder / "safe"
    larger.write_text(EVERYBODY)
    smaller.write_text(ADULTS)
    apart = list[object]()
    for source in (larger, smaller):
        pattern = folder / f"p_{source.name}"
        assert run(capsys, "table", "suppress", source, *HOW, "--out", pattern)[1]["primary"] == 0
        apart += ["--pattern", pattern]
    status, answer = run(capsys, "table", "audit-difference", larger, smaller, *apart, *HOW)
    assert (status, answer["suppressed"], answer["differences"], answer["narrow"]) == (1, 0, 1, 1)
    child = {"population": "difference", "a": "x", "b": "p", "status": "primary"}
    assert answer["cells"] == [{**child, "low": 1, "high": 1}]

    page = folder / "d.html"
    told = ("--report", page, "--explain")
    assert run(capsys, "table", "audit-difference", larger, smaller, *apart, *HOW, *told)[0] == 1
    assert "Not safe: whoever subtracts" in page.read_text()
    status, answer = run(capsys, "table", "difference", larger, smaller, *HOW, "--out", out, *told)
    assert "Safe: whoever subtracts" in page.read_text()
    assert all("population=difference" not in reason["cell"] for reason in answer["reasons"])
    assert all(reason["protects"][0]["cell"] == "population=difference, a=x, b=p" for reason in answer["reasons"])
    assert sorted(one["secondary"] for one in answer["tables"]) == [0, 4]
    status, answer = run(capsys, "table", "difference", larger, smaller, *HOW, "--out", out)
    # A rectangle in one of the tables hides the child: no closed walk through the difference is shorter.
    assert (status, answer["status"], answer["differences"]) == (0, "optimal", 1)
    assert (answer["cells"], answer["primary"], answer["secondary"], answer["bound"]) == (18, 0, 4, 4)
    assert run(capsys, "table", "verify", out / "difference.certificate.json")[0] == 0
    together = ("--pattern", out / "all.csv", "--pattern", out / "adults.csv")
    status, answer = run(capsys, "table", "audit-difference", larger, smaller, *together, *HOW)
    assert (status, answer["suppressed"], answer["narrow"]) == (
        3,
        4,
        0,
    )  # status 3: who knows that cells are whole is not considered
    child_now = next(cell for cell in answer["cells"] if cell["population"] == "difference")
    assert child_now["low"] <= 1
    assert child_now["high"] is None or child_now["high"] - child_now["low"] >= 10  # None: there is no end


def test_populations_that_are_no_pair_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    larger, smaller, out = folder / "all.csv", folder / "adults.csv", folder / "safe"
    larger.write_text(EVERYBODY)
    smaller.write_text(ADULTS)
    status, answer = run(capsys, "table", "difference", smaller, larger, *HOW, "--out", out)
    assert status == 2
    assert {error["rule"] for error in answer["errors"]} == {"part"}
    assert run(capsys, "table", "difference", larger, folder / "t.csv", *HOW, "--out", out)[0] == 2
    assert run(capsys, "table", "difference", larger, larger, *HOW, "--out", out)[0] == 2
    one = ("--pattern", larger)
    assert run(capsys, "table", "audit-difference", larger, smaller, *one, *HOW)[0] == 2
    assert not out.exists()
