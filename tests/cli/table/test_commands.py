"""Suppress, audit and verify must answer as promised.

What is wrong with a file is told whole, and nothing is written then.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.tables import HOW, TABLE, run, shown

from sekisho.cli import status_of
from sekisho.tables.audit.attacker import Attacker
from sekisho.tables.audit.coalitions import Coalition
from sekisho.tables.audit.witness import Evidence
from sekisho.tables.certificate import seal as certificate
from sekisho.tables.model.table import Table

# The worked example of Minami, Optimisation of cell suppression: 11 + 13 = 48, 21 + 23 = 78, 11 + 21 = 58, 13 + 23 =
# 68; the rest of the 3x3 table is shown. 23 = 68 - 13 is at most 68; 11 = 48 - 13 = 23 - 20 is at least 0, so 23 is at
# least 20.
EXAMPLE = "a,b,n\n1,1,10\n1,2,50\n1,3,38\n2,1,48\n2,2,60\n2,3,30\n3,1,70\n3,2,80\n3,3,90\n"
HIDDEN = {("1", "1"), ("1", "3"), ("2", "1"), ("2", "3")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def test_a_table_is_suppressed_audited_and_its_certificate_verified(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "p.csv"
    status, answer = run(capsys, "table", "suppress", folder / "t.csv", *HOW, "--width", "10", "--out", out)
    # (x, p) = 2 needs a rectangle, the smallest closed walk through it: three more cells.
    assert status == 0
    assert {"cells", "primary", "secondary", "status", "bound", "gap", "seconds"} <= answer.keys()
    assert (answer["cells"], answer["primary"], answer["secondary"]) == (16, 1, 3)
    assert (answer["status"], answer["bound"], answer["gap"]) == ("optimal", 3, 0)

    frame = pl.read_csv(out)
    assert frame.columns == ["a", "b", "n", "status"]
    assert frame.height == 16
    assert frame.filter(a="Total", b="Total")["n"].to_list() == [150]
    assert frame.filter(pl.col("n").is_null())["status"].value_counts().sort("status").rows() == [
        ("primary", 1),
        ("secondary", 3),
    ]
    assert frame.filter(a="x", b="p").row(0) == ("x", "p", None, "primary")

    status, answer = run(capsys, "table", "audit", folder / "t.csv", "--pattern", out, "--dims", "a,b", "--width", "10")
    assert (status, answer["disclosed"], answer["narrow"], answer["suppressed"]) == (0, 0, 0, 4)
    assert all(cell.keys() == {"a", "b", "status", "low", "high"} for cell in answer["cells"])

    status, answer = run(capsys, "table", "verify", folder / "p.csv.certificate.json")
    assert (status, answer["valid"], answer["errors"], answer["primary"]) == (0, True, [], 1)


def test_a_certificate_with_one_number_changed_is_invalid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "p.csv"
    run(capsys, "table", "suppress", folder / "t.csv", *HOW, "--out", out)
    held = json.loads((folder / "p.csv.certificate.json").read_text())
    changed = folder / "changed.json"
    for name in ("cost", "bound", "solver_bound"):
        changed.write_text(json.dumps({**held, name: held[name] - 1}))
        status, answer = run(capsys, "table", "verify", changed)
        assert (status, answer["valid"]) == (1, False)
        assert answer["errors"]
    status, answer = run(capsys, "table", "verify", folder / "p.csv.certificate.json")
    assert (status, answer["status"], answer["bound"]) == (0, "optimal", answer["cost"])
    held["cells"]["value"][5] += 1
    changed.write_text(json.dumps(held))
    assert run(capsys, "table", "verify", changed)[0] == 1
    changed.write_text("no certificate")
    assert run(capsys, "table", "verify", changed)[0] == 1
    assert run(capsys, "table", "verify", folder / "nowhere.json")[0] == 2


def test_the_example_of_the_seed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, pattern = folder / "seed.csv", folder / "seed_p.csv"
    source.write_text(EXAMPLE)
    pattern.write_text(shown(source, HIDDEN, ("2", "3")))
    status, answer = run(capsys, "table", "audit", source, "--pattern", pattern, *HOW)
    ends = {(cell["a"], cell["b"]): (cell["low"], cell["high"]) for cell in answer["cells"]}
    assert status == 0
    assert ends == {("2", "3"): (20, 68), ("1", "3"): (0, 48), ("1", "1"): (0, 48), ("2", "1"): (10, 58)}
    assert run(capsys, "table", "audit", source, "--pattern", pattern, *HOW, "--integer")[1] == answer
    # 68 - 20 = 48 is as wide as asked, 49 is not.
    assert run(capsys, "table", "audit", source, "--pattern", pattern, *HOW, "--width", "48")[0] == 0
    status, answer = run(capsys, "table", "audit", source, "--pattern", pattern, *HOW, "--width", "49")
    assert (status, answer["narrow"], answer["disclosed"]) == (1, 1, 0)


def test_a_pattern_that_gives_a_cell_away_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pattern = folder / "p.csv"
    pattern.write_text(shown(folder / "t.csv", {("x", "p")}, ("x", "p")))
    status, answer = run(capsys, "table", "audit", folder / "t.csv", "--pattern", pattern, *HOW)
    assert (status, answer["disclosed"], answer["narrow"]) == (1, 1, 1)
    assert answer["cells"] == [{"a": "x", "b": "p", "status": "primary", "low": 2, "high": 2}]
    assert status_of(["table", "audit", str(folder / "t.csv"), "--pattern", str(pattern), *HOW]) == 1
    assert "disclosed: a=x, b=p lies in [2, 2]" in capsys.readouterr().out


BAD = {
    "non-additive": ("a,n\nx,20\ny,30\nTotal,51\n", "additive", "a=Total"),
    "incomplete": ("a,b,n\nx,p,20\ny,q,30\nTotal,Total,50\n", "complete", "Total, p"),
    "twice": ("a,n\nx,20\ny,30\nx,7\n", "duplicate", "row 1"),
    "negative": ("a,n\nx,20\ny,-3\n", "count", "-3"),
    "no number": ("a,n\nx,20\ny,many\n", "number", "many"),
    "too large": ("a,n\nx,20\ny,9007199254740993\n", "size", "9007199254740993"),
    "much too large": ("a,n\nx,20\ny,1e400\n", "number", "1e400"),
    "not a number": ("a,n\nx,20\ny,NaN\n", "number", "NaN"),
    "no whole number": ("a,n\nx,20\ny,3.5\n", "count", "3.5"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_cells_are_named_and_nothing_is_written(
    case: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, rule, named = BAD[case]
    (folder / "bad.csv").write_text(text)
    before = sorted(folder.iterdir())
    dims = text.partition(",n")[0]
    status = status_of(
        ["table", "suppress", str(folder / "bad.csv"), "--dims", dims, "--count", "n", "--out", str(folder / "p.csv")]
    )
    said = capsys.readouterr()
    assert (status, said.out) == (2, "")
    assert "bad.csv" in said.err
    assert named in said.err
    assert "Traceback" not in said.err
    assert sorted(folder.iterdir()) == before
    status, answer = run(
        capsys, *("table", "suppress", folder / "bad.csv", "--dims", dims, "--count", "n", "--out", folder / "p.csv")
    )
    assert status == 2
    assert rule in {error["rule"] for error in answer["errors"]}


def test_a_japanese_office_s_files_are_read_as_they_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "表.csv").write_bytes("地域,人数\n東 京,3\n大阪,40\n福岡,20\n札幌,30\n".encode("cp932"))
    (folder / "木.csv").write_bytes(
        "node,parent\n東,全国\n西,全国\n東 京,東\n札幌,東\n大阪,西\n福岡,西\n".encode("cp932")
    )
    out = folder / "p.csv"
    how = ("--dims", "地域", "--count", "人数", "--tree", f"地域={folder / '木.csv'}")
    status = status_of(["table", "suppress", str(folder / "表.csv"), *how, "--out", str(out)])
    said = capsys.readouterr()
    assert status == 0
    assert "encoding cp932" in said.err
    assert "東 京,,primary" in out.read_text()
    assert run(capsys, "table", "audit", folder / "表.csv", "--pattern", out, *how)[0] == 0


def test_all_bad_rows_are_told_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.csv").write_text("a,n\nx,20\ny,-3\nx,4\nw,9\nz,many\n")
    (folder / "tree.csv").write_text("node,parent\nx,Total\ny,Total\nz,Total\n")
    how = ("--dims", "a", "--count", "n", "--tree", f"a={folder / 'tree.csv'}", "--out", folder / "p.csv")
    status, answer = run(capsys, "table", "suppress", folder / "bad.csv", *how)
    assert status == 2
    assert [(error["row"], error["rule"]) for error in answer["errors"]] == [
        (2, "count"),
        (3, "duplicate"),
        (4, "code"),
        (5, "number"),
    ]
    assert not (folder / "p.csv").exists()


def test_a_cycle_in_a_tree_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tree.csv").write_text("node,parent\nx,Total\ny,u\nu,v\nv,u\nz,Total\n")
    how = (*HOW, "--tree", f"a={folder / 'tree.csv'}", "--out", folder / "p.csv")
    status, answer = run(capsys, "table", "suppress", folder / "t.csv", *how)
    assert status == 2
    assert [(error["row"], error["rule"]) for error in answer["errors"]] == [(3, "cycle"), (4, "cycle")]
    assert not (folder / "p.csv").exists()


def test_a_certificate_that_is_not_valid_is_never_written_in_silence(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(
        table: Table, *, seconds: float | None = None, coalitions: tuple[Coalition, ...] = (), whole: bool = False
    ) -> Evidence:
        del whole
        # all that the search has left over but a tenth, which is the proof's
        assert (40 < (seconds or 0) <= 54, coalitions) == (True, ())
        return Evidence(points=(), witnesses=(), lacking=tuple(np.flatnonzero(table.primary).tolist()))

    monkeypatch.setattr(certificate, "find_evidence", nothing)
    how = ("table", "suppress", folder / "t.csv", *HOW, "--time", "60", "--out", folder / "p.csv")
    assert status_of([*map(str, how), "--json"]) == 3
    told = capsys.readouterr()
    answer = json.loads(told.out)
    assert "NOT VALID" in told.err
    assert "x, p" in told.err
    assert answer["certified"] is False
    assert answer["unproven"] == ["cell x, p is primary but has no witness"]
    assert not run(capsys, "table", "verify", folder / "p.csv.certificate.json")[1]["valid"]
    assert status_of([*map(str, how)]) == 3
    assert "unproven        1" in capsys.readouterr().out


def test_infeasible_is_an_answer_with_its_reason(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # An earlier publication showed all but (x, p): it can only be subtracted from its row.
    (folder / "earlier.csv").write_text(shown(folder / "t.csv", {("x", "p")}, ("x", "p")))
    how = (*HOW, "--frozen", folder / "earlier.csv", "--out", folder / "p.csv", "--report", folder / "p.html")
    status, answer = run(capsys, "table", "suppress", folder / "t.csv", *how)
    assert (status, answer["status"], answer["primary"]) == (1, "infeasible", 1)
    assert "a=x, b=p" in answer["reason"]
    assert "(15 cells must be shown" in answer["reason"]
    assert not any((folder / name).exists() for name in ("p.csv", "p.csv.certificate.json", "p.html"))


def test_wrong_usage_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(folder / "p.csv"))
    wrong = (
        ("--dims", "a,b", *out),  # neither counts nor sums
        ("--dims", "a,b", "--count", "n", "--value", "n", *out),
        ("--dims", "a,planet", "--count", "n", *out),
        ("--dims", "a,b", "--value", "n", *out),  # sums without a rule
        ("--dims", "a,b", "--count", "n", "--rule", "magic:3", *out),
        ("--dims", "a,b", "--count", "n", "--tree", "tree.csv", *out),
        ("--dims", "a,b", "--count", "n", "--tree", "c=tree.csv", *out),
        (*HOW,),  # nowhere to write
        ("--dims", "a,a", "--count", "n", *out),
        ("--dims", "a,n", "--count", "n", *out),
        (*HOW, "--time", "nan", *out),
        (*HOW, "--time", "-1", *out),
        (*HOW, "--width", "nan", *out),
        (*HOW, "--width", "inf", *out),
        (*HOW, "--rule", "zeros:1e400", *out),
        (*HOW, "--rule", "p%:1e999999999", *out),
        ("--dims", "a,b", "--value", "n", "--rule", "min:3", *out),  # a sum does not tell how many contribute
        ("--dims", "a,b", "--value", "n", "--min-count", "3", *out),
    )
    for arguments in wrong:
        assert status_of(["table", "suppress", str(folder / "t.csv"), *arguments]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "Traceback" not in said.err
    assert status_of(["table", "suppress", str(folder / "nowhere.csv"), *HOW, *out]) == 2
    assert not (folder / "p.csv").exists()


def test_trees_and_costs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tree.hrc").write_text("top\n@x\n@y\nz\n")
    how = (*HOW, "--tree", f"a={folder / 'tree.hrc'}", "--out", folder / "p.csv", "--cost", "value")
    status, answer = run(capsys, "table", "suppress", folder / "t.csv", *how)
    # The cheapest rectangle through (x, p) inside "top": y with q (28 + 20 + 16 = 64) or with r (30 + 20 + 14 = 64).
    assert (status, answer["cells"], answer["secondary"], answer["cost"]) == (0, 20, 3, 64)
    frame = pl.read_csv(folder / "p.csv")
    assert frame.filter(a="top", b="Total")["n"].to_list() == [110]
    again = folder / "again.csv"
    run(capsys, "table", "suppress", folder / "t.csv", *how[:-4], "--out", again, "--cost", "value")
    assert again.read_bytes() == (folder / "p.csv").read_bytes()


def test_what_costs_nothing_is_not_suppressed_for_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Of value 0 and price 0 the cells of w could all be hidden; none of them could move, and the audit would call them
    # disclosed.
    (folder / "z.csv").write_text("a,b,n\nx,p,2\nx,q,28\ny,p,20\ny,q,16\nw,p,0\nw,q,0\n")
    how = (*HOW, "--cost", "value", "--out", folder / "p.csv")
    assert run(capsys, "table", "suppress", folder / "z.csv", *how)[0] == 0
    status, answer = run(capsys, "table", "audit", folder / "z.csv", *HOW, "--pattern", folder / "p.csv")
    assert (status, answer["disclosed"]) == (0, 0)
    held = json.loads((folder / "p.csv.certificate.json").read_text())["cells"]
    assert {weight for value, weight in zip(held["value"], held["weight"], strict=True) if value == 0} == {1}


def test_insiders_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # (x, p) and (y, p) hold one person each: whoever stands in one knows it, and so the other from the column.
    source, pattern = folder / "i.csv", folder / "i_p.csv"
    source.write_text("a,b,n\nx,p,1\nx,q,40\ny,p,1\ny,q,50\n")
    pattern.write_text(shown(source, {(a, b) for a in "xy" for b in "pq"}, ("x", "p")))
    how = ("table", "audit", source, "--pattern", pattern, *HOW, "--width", "1")
    assert run(capsys, *how)[0] == 0
    status, answer = run(capsys, *how, "--insiders", "1")
    assert status == 1
    assert {"insider": "a=y, b=p", "exposed": ["a=x, b=p"]} in answer["insider"]


def test_the_other_solver_gives_the_same_answer_and_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("table", "suppress", folder / "t.csv", *HOW, "--out", folder / "p.csv", "--solver")
    answers = [run(capsys, *asked, solver)[1] for solver in ("highs", "scip")]
    assert [answer["cost"] for answer in answers] == [3, 3]
    assert all(answer["solver"].startswith("HiGHS ") for answer in answers)


def test_a_solver_that_is_not_installed_is_told_by_its_extra(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    asked = ("table", "suppress", folder / "t.csv", *HOW, "--out", folder / "p.csv", "--solver", "scip")
    assert status_of([*map(str, asked)]) == 2
    assert "pip install '.[scip]'" in capsys.readouterr().err
    assert not (folder / "p.csv").exists()


def cube(folder: Path) -> Path:
    """A table of 4 x 4 x 4 cells, one in three of them small: their pattern is tangled enough to need programs."""
    rows = [
        f"{a},{b},{c},{3 if (a + 2 * b + 3 * c) % 3 == 0 else 20 + a * b + c}"
        for a in range(4)
        for b in range(4)
        for c in range(4)
    ]
    source = folder / "cube.csv"
    source.write_text("a,b,c,n\n" + "\n".join(rows) + "\n")
    return source


def test_an_audit_cut_short_never_calls_a_pattern_safe(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out, page = cube(folder), folder / "p.csv", folder / "p.html"
    asked = ("--dims", "a,b,c", "--count", "n")
    run(capsys, "table", "suppress", source, *asked, "--out", out)
    how = ("table", "audit", source, "--pattern", out, *asked, "--report", page)
    status, answer = run(capsys, *how, "--time", "1e-9")
    assert (status, answer["disclosed"], answer["narrow"]) == (1, 0, 0)
    assert answer["unsettled"] == sum("settled" in cell for cell in answer["cells"]) > 0
    assert not page.exists()
    assert status_of([*map(str, how), "--time", "1e-9"]) == 1
    assert "nothing is called safe" in capsys.readouterr().out
    assert run(capsys, *how, "--time", "0")[0] == 2

    # an interruption in the midst of the work ends the same way
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Attacker, "along", interrupted)
        status, answer = run(capsys, *how)
    assert status == 130
    assert answer["unsettled"]
    assert not page.exists()
    assert run(capsys, *how)[0] == 0
    assert page.exists()


def test_a_hidden_grand_total_is_never_silent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # x lies within 0 and 53 if y is hidden with it: only the total gives the width 100
    (folder / "t.csv").write_text("a,n\nx,3\ny,50\n")
    how = ["table", "suppress", folder / "t.csv", "--dims", "a", "--count", "n", "--width", "100"]
    how += ["--out", folder / "p.csv", "--report", folder / "page.html", "--time", "0"]
    assert status_of([*map(str, how), "--json"]) == 0
    told = capsys.readouterr()
    answer = json.loads(told.out)
    assert "the grand total is hidden" in told.err
    assert (answer["grand_total"], answer["hidden_totals"], answer["kept_totals"]) == ("hidden", 1, 0)
    assert answer["hidden_by_level"] == [{"level": 1, "cells": 1, "hidden": 1}]
    page = (folder / "page.html").read_text()
    assert "The grand total is hidden." in page
    assert "総計が秘匿されています。" in page


def test_margins_stay_unless_the_cost_alone_is_to_decide(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = [2, 3, 3, 2, 3, 3, 3, 0]
    rows = [f"{i >> 2},{i >> 1 & 1},{i & 1},{value}" for i, value in enumerate(values)]
    (folder / "t.csv").write_text("a,b,c,n\n" + "\n".join(rows) + "\n")
    how = ("table", "suppress", folder / "t.csv", "--dims", "a,b,c", "--count", "n", "--out", folder / "p.csv")
    (_, kept), (_, free) = run(capsys, *how), run(capsys, *how, "--margins", "free")
    assert (kept["grand_total"], free["grand_total"]) == ("shown", "hidden")
    assert kept["kept_totals"] > 0 == free["kept_totals"]
    assert kept["cost"] >= free["cost"]
