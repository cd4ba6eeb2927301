"""A converted table must keep statuses, costs, levels and bounds where the format can, and name what it cannot keep."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.cli.tables import run

from sekisho.cli import status_of

HOW = ("--dims", "a,b", "--count", "n")
# Cells with everything: an unsafe 2 with all three levels, a frozen cell, a cell that must be shown, costs, bounds.
CELLS = """a,b,n,status,cost,lower_level,upper_level,sliding_level,lower_bound,upper_bound
Total,Total,106,safe,1,0,0,0,0,
Total,p,22,safe,1,0,0,0,0,
Total,q,84,safe,1,0,0,0,0,
x,Total,30,publish,1,0,0,0,0,
x,p,2,primary,1.5,1,3,10,1,50
x,q,28,secondary,0,0,0,0,0,
y,Total,76,safe,1,0,0,0,0,
y,p,20,safe,7,0,0,0,0,
y,q,56,safe,1,0,0,0,0,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(CELLS)
    return tmp_path


def lost(answer: dict[str, object]) -> dict[str, int]:
    entries = answer["lost"]
    assert isinstance(entries, list)
    return {each["what"]: each["cells"] for each in entries}


def test_a_csv_comes_back_through_parquet_and_jj_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = folder / "t.csv"
    status, answer = run(capsys, "table", "convert", cells, folder / "u.parquet", *HOW)
    assert (status, lost(answer), answer["unlevelled"]) == (0, {}, 0)
    assert run(capsys, "table", "convert", folder / "u.parquet", folder / "v.csv", *HOW, "--contributors", "")[0] == 0
    kept = pl.read_csv(folder / "v.csv").select(pl.read_csv(cells).columns)
    assert kept.equals(pl.read_csv(cells).cast(kept.schema))
    # a .jj file has no codes; its cells come back by their order
    status, answer = run(capsys, "table", "convert", cells, folder / "t.jj", *HOW)
    assert (status, lost(answer)) == (0, {"codes": 9, "frequency": 9})
    (folder / "bare.csv").write_text("\n".join(",".join(line.split(",")[:3]) for line in CELLS.splitlines()) + "\n")
    back = ("table", "convert", folder / "bare.csv", folder / "w.csv", *HOW, "--pattern", folder / "t.jj")
    assert run(capsys, *back)[0] == 0
    assert (folder / "w.csv").read_bytes() == (folder / "v.csv").read_bytes()


def test_what_tau_argus_has_no_place_for_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["table", "convert", str(folder / "t.csv"), str(folder / "t.tab"), *HOW]
    assert status_of(asked) == 0
    said = capsys.readouterr().err
    assert "not in t.tab: sliding_level of 1 cells" in said
    assert "not in t.tab: bounds of 1 cells" in said
    status, answer = run(capsys, "table", "convert", folder / "t.tab", folder / "back.csv")
    assert (status, lost(answer)) == (0, {})
    before, after = pl.read_csv(folder / "t.csv"), pl.read_csv(folder / "back.csv")
    assert after.columns == ["a", "b", "n", "frequency", "status", "cost", "lower_level", "upper_level"]
    for name in ("a", "b", "n", "status", "cost", "lower_level", "upper_level"):
        assert after[name].to_list() == before[name].to_list(), name
    # and beside a bare table an a-priori file tells the same
    assert lost(run(capsys, "table", "convert", folder / "t.tab", folder / "t.hst")[1]) == {"values": 9, "frequency": 9}
    plain = ("table", "convert", folder / "back.csv", folder / "again.csv", *HOW, "--no-marks")
    status, answer = run(capsys, *plain, "--apriori", folder / "t.hst")
    assert lost(answer) == dict.fromkeys([f"column {name}" for name in after.columns[3:]], 0)
    assert pl.read_csv(folder / "again.csv").equals(after)


def test_columns_that_nobody_reads_and_cells_without_a_level_are_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "o.csv").write_text("a,n,remark,status\np,2,odd,primary\nq,30,,safe\nr,41,,secondary\n")
    status, answer = run(capsys, "table", "convert", folder / "o.csv", folder / "o.jj", "--dims", "a", "--count", "n")
    assert (status, lost(answer), answer["unlevelled"]) == (0, {"column remark": 0, "codes": 4, "frequency": 4}, 1)
    assert " u 0 1" in (folder / "o.jj").read_text()
    # numbered cells have no margins, so that only a .jj file holds their equations
    status, answer = run(capsys, "table", "convert", folder / "o.jj", folder / "p.csv")
    assert (status, lost(answer)) == (0, {"equations": 4})
    (folder / "o.csv").write_text("a,n,status\np,2,odd\nq,30,safe\n")
    asked = ("table", "convert", folder / "o.csv", folder / "q.jj", "--dims", "a", "--count", "n")
    status, answer = run(capsys, *asked)
    assert (status, [(error["row"], error["rule"]) for error in answer["errors"]]) == (2, [(1, "status")])
    assert run(capsys, *asked, "--no-marks")[0] == 0
