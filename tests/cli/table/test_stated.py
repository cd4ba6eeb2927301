"""``table intervals`` and ``table adjust`` answer as promised: what is published, its proof, and what is not proven."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.cli.tables import HOW, TABLE, run

SUMS = "a,b,v,f,x1,x2\n" + "\n".join(
    f"{a},{b},{v},9,{x},{y}"
    for a, b, v, x, y in (
        ("x", "p", 120, 100, 15),
        ("x", "q", 80, 10, 9),
        ("x", "r", 300, 40, 30),
        ("y", "p", 90, 20, 10),
        ("y", "q", 200, 30, 20),
        ("y", "r", 60, 10, 9),
        ("z", "p", 75, 9, 9),
        ("z", "q", 110, 12, 11),
        ("z", "r", 95, 10, 9),
    )
)


def test_intervals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, out, public = tmp_path / "t.csv", tmp_path / "i.csv", tmp_path / "p.csv"
    source.write_text(TABLE)
    status, keys = run(
        capsys, "table", "intervals", source, *HOW, "--width", 10, "--out", out, "--public", public, "--time", 20
    )
    assert (status, keys["status"], keys["against"], keys["primary"]) == (0, "optimal", ["rule"], 1)
    assert keys["shown"] + keys["intervals"] == keys["cells"] == 16
    assert keys["certified"] <= keys["bound"] <= keys["width"] + 1e-6
    assert keys["narrowest"] >= 10
    frame = pl.read_csv(public)
    assert frame.columns == ["a", "b", "low", "high"]
    true = pl.read_csv(source)
    for a, b, n in true.rows():
        low, high = frame.filter((pl.col("a") == a) & (pl.col("b") == b)).select("low", "high").row(0)
        assert low <= n <= high
    assert run(capsys, "table", "verify", out.with_name("i.csv.certificate.json"))[1]["valid"]


def test_an_adjusted_table_is_for_a_person_to_look_at(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "a.csv"
    source.write_text(SUMS)
    how = ("--dims", "a,b", "--value", "v", "--contributors", "f,x1,x2", "--rule", "p%:15")
    status, keys = run(capsys, "table", "adjust", source, *how, "--out", out, "--time", 20)
    assert (status, keys["status"], keys["sensitive"], keys["at_level"]) == (3, "optimal", 1, 1)
    # beside the missing proof nobody considered what contributors know, who are told by the columns of contributors
    assert [each["rule"] for each in keys["review"]] == ["open account", "certificate"]
    assert 0 < keys["certified"] <= keys["bound"] <= keys["cost"] + 1e-6
    assert keys["deviation"] >= keys["largest_change"] >= 10  # in units of the table, not of what is made least
    assert len(keys["candidates"][0]["ranges"]) == 2
    frame = pl.read_csv(out)
    assert "status" not in frame.columns
    shown = {(a, b): v for a, b, v in frame.select("a", "b", "v").rows()}
    assert shown["x", "Total"] == shown["x", "p"] + shown["x", "q"] + shown["x", "r"]
    assert abs(shown["x", "p"] - 120) >= 10  # 15 % of the largest, 100, less the 5 of those behind the second
    assert run(capsys, "table", "verify", out.with_name("a.csv.certificate.json"))[1]["valid"]
