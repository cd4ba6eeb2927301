"""A table passes the gate as its recipe says: the verdict is the exit status, and what may leave is kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.tables import TABLE, run

from sekisho.cli import status_of
from sekisho.gate.tables.candidate import TableRelease
from sekisho.gate.tables.search import SealedCertificate, TableSearch
from sekisho.gate.tables.stage import TableStage
from sekisho.tables.files.jj import jj_text
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Status

RECIPE = 'shape = "table"\noriginal = "cells.csv"\ndims = ["a", "b"]\ncount = "n"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cells.csv").write_text(TABLE)
    (tmp_path / "recipe.toml").write_text(RECIPE)
    return tmp_path


def test_a_proven_pattern_is_released_and_its_files_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "gate"
    status, answer = run(capsys, "gate", folder / "recipe.toml", "--out", out)
    assert (status, answer["verdict"], answer["reasons"], answer["utility"]) == (0, "release", [], 3.0)
    assert answer["public"] == [
        str(out / "public" / name) for name in ("release.csv", "report.html", "certificate.json")
    ]
    names = ("pattern.csv", "table-certificate.json", "report.html", "report.txt", "to-sign.html", "opening.json")
    assert answer["confidential"] == [str(out / "confidential" / name) for name in names]
    assert all(Path(path).is_file() for path in (*answer["public"], *answer["confidential"]))
    public = pl.read_csv(out / "public" / "release.csv")
    assert public.columns == ["a", "b", "n"]
    assert public["n"].to_list().count("x") == 4
    assert run(capsys, "table", "verify", out / "confidential" / "table-certificate.json")[0] == 0


def test_a_pattern_without_a_certificate_is_for_review(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(search: TableSearch, answer: object, *, origin: object, write: object) -> SealedCertificate:
        del search, answer, origin, write
        return SealedCertificate()

    monkeypatch.setattr(TableSearch, "seal_certificate", give_up)
    status, answer = run(capsys, "gate", folder / "recipe.toml", "--out", folder / "gate")
    assert (status, answer["verdict"]) == (3, "review")
    assert [reason["rule"] for reason in answer["reasons"]] == ["certificate"]
    assert (answer["public"], list((folder / "gate" / "public").iterdir())) == ([], [])
    proposed = folder / "gate" / "confidential" / "proposed"
    assert answer["proposed"] == [str(proposed / name) for name in ("release.csv", "report.html", "certificate.json")]
    assert run(capsys, "verify", answer["certificate"])[1]["errors"] == []


def test_a_pattern_that_insiders_see_through_is_refused_and_nothing_is_made_public(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    search = TableStage.protections

    def forget_insiders(stage: TableStage) -> Mapping[str, partial[TableRelease]]:
        return search(replace(stage, insiders=0))

    monkeypatch.setattr(TableStage, "protections", forget_insiders)
    (folder / "cells.csv").write_text(TABLE.replace("x,p,2\nx,q,28", "x,p,1\nx,q,1"))
    (folder / "recipe.toml").write_text(RECIPE + "min_count = 2\nwidth = 2\ninsiders = 1\n")
    status, answer = run(capsys, "gate", folder / "recipe.toml", "--out", folder / "gate")
    assert (status, answer["verdict"]) == (1, "refuse")
    assert (answer["public"], list((folder / "gate" / "public").iterdir())) == ([], [])


def test_a_table_that_no_pattern_protects_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # x = 2 is unsafe, and its total, which says as much, must be shown
    table = from_inner((Dimension.flat("a", ["x"]),), [("x",)], np.array([2.0]))
    total = np.array([key == ("Total",) for key in table.keys])
    shown = replace(table, status=np.where(total, Status.PUBLISH, Status.SAFE).astype(np.int8))
    (folder / "t.jj").write_text(jj_text(shown.flag_cells(~total, lower=1.0, upper=1.0)))
    (folder / "recipe.toml").write_text('shape = "table"\noriginal = "t.jj"\n')
    status, answer = run(capsys, "gate", folder / "recipe.toml", "--out", folder / "gate")
    assert (status, answer["verdict"], answer["method"]) == (1, "refuse", None)
    assert answer["reasons"][0]["rule"] == "infeasible"
    assert (answer["public"], list((folder / "gate" / "public").iterdir())) == ([], [])
    assert answer["reasons"][0]["detail"] in Path(answer["report"]).read_text()
    assert run(capsys, "verify", answer["certificate"])[0] == 3


def test_a_seed_does_not_suit_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["gate", str(folder / "recipe.toml"), "--out", str(folder / "gate"), "--seed", "1"]) == 2
    assert "--seed does not suit tables" in capsys.readouterr().err


def test_the_gate_does_not_write_over_what_it_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "public").mkdir()
    (folder / "public" / "release.csv").write_text(TABLE)
    (folder / "recipe.toml").write_text(RECIPE.replace("cells.csv", "public/release.csv"))
    assert status_of(["gate", str(folder / "recipe.toml"), "--out", str(folder)]) == 2
    assert "release.csv is an input" in capsys.readouterr().err
    assert (folder / "public" / "release.csv").read_text() == TABLE


FIRMS = "".join(
    f"{firm},{region},{trade},{pay}\n"
    for firm, region, trade, pay in (
        ("F", "s", "u", 90),
        ("F", "s", "v", 5),
        ("G", "s", "u", 5),
        ("P", "t", "u", 30),
        ("Q", "t", "u", 31),
        ("R", "t", "v", 32),
        ("S", "t", "v", 30),
        ("T", "w", "u", 35),
        ("U", "w", "v", 33),
        ("V", "w", "u", 34),
        ("W", "w", "v", 31),
    )
)
TREE = "node,parent\nN,\np,N\nq,N\n"
SAME = {
    "counts": ("cells.csv", 'dims = ["a", "b"]\ncount = "n"\n', "--dims a,b --count n"),
    "width and cost": (
        "cells.csv",
        'dims = ["a", "b"]\ncount = "n"\nmin_count = 4\nwidth = 6\ncost = "value"\n',
        "--dims a,b --count n --min-count 4 --width 6 --cost value",
    ),
    "another separator, a margin's name": (
        "semicolons.csv",
        'dims = ["a", "b"]\ncount = "n"\nseparator = ";"\ntotals.a = "alle"\n',
        "--dims a,b --count n --separator ; --total a=alle",
    ),
    "records": (
        "firms.csv",
        'microdata = true\ndims = ["region", "trade"]\nvalue = "pay"\ncontributor = "firm"\nrules = ["p%:15"]\ninsiders = 0\n',
        "--microdata --dims region,trade --value pay --contributor firm --rule p%:15 --insiders 0",
    ),
    "counted records": (
        "firms.csv",
        'microdata = true\ndims = ["region", "trade"]\nmin_count = 2\nwidth = 1\ninsiders = 0\n',
        "--microdata --dims region,trade --min-count 2 --width 1 --insiders 0",
    ),
    "a tree": (
        "trades.csv",
        'dims = ["a", "b"]\ncount = "n"\ntrees.a = "tree.csv"\n',
        "--dims a,b --count n --tree a=tree.csv",
    ),
    "another program's file": ("t.tab", 'rules = ["min:5"]\n', "--rule min:5"),
}


@pytest.mark.parametrize("case", SAME)
def test_both_doors_read_alike_and_write_the_same_pattern(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(a, b, 3 if (a, b) == ("p", "u") else 20 + len(a + b)) for a in ("p", "q") for b in ("u", "v", "w")]
    Path("cells.csv").write_text(TABLE)
    Path("firms.csv").write_text(f"firm,region,trade,pay\n{FIRMS}")
    Path("tree.csv").write_text(TREE)
    Path("trades.csv").write_text("a,b,n\n" + "".join(f"{a},{b},{n}\n" for a, b, n in rows))
    margin = [("alle", b, sum(n for _, other, n in rows if other == b)) for b in ("u", "v", "w")]
    Path("semicolons.csv").write_text("a;b;n\n" + "".join(f"{a};{b};{n}\n" for a, b, n in (*rows, *margin)))
    source, recipe, options = SAME[case]
    if source == "t.tab":
        assert run(capsys, "table", "convert", "trades.csv", "t.tab", "--dims", "a,b", "--count", "n")[0] == 0
    Path("recipe.toml").write_text(f'shape = "table"\noriginal = "{source}"\n{recipe}')
    by_options, _ = run(capsys, "table", "suppress", source, *options.split(), "--out", "pattern.csv")
    by_recipe, _ = run(capsys, "gate", "recipe.toml", "--out", "gate")
    status = 3 if "records" in case else 0  # contributors are known and were not considered: a person decides
    assert (by_options, by_recipe) == (status, status)
    pattern = Path("pattern.csv").read_bytes()
    assert b"primary" in pattern
    assert pattern == Path("gate/confidential/pattern.csv").read_bytes()
