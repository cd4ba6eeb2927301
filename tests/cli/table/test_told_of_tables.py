"""What the table commands say beside a pattern: insiders that were left out, a search cut short, another population."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.tables import run

from sekisho.cli import status_of
from sekisho.cli.table import run as runs
from sekisho.gate.tables.search import TableSearch
from sekisho.tables.files.source import choose_cells
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import TableRules, rule
from sekisho.tables.suppress.optimiser import Suppression

FIRMS = (
    "region,job,v,frequency,x1,x2\n"
    "N,x,100,3,90,6\nN,y,200,9,40,30\nN,z,300,9,60,50\nS,x,210,9,50,30\nS,y,320,9,70,60\nS,z,180,8,40,30\n"
)
HOW = ("--dims", "region,job", "--value", "v", "--contributors", "frequency,x1,x2", "--rule", "p%:15")
RECIPE = (
    'title = "firms"\nshape = "table"\noriginal = "t.csv"\ndims = ["region", "job"]\nvalue = "v"\n'
    'contributors = ["frequency", "x1", "x2"]\nrules = ["p%:15"]\n'
)


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(FIRMS)
    return tmp_path / "t.csv"


def test_what_may_leave_without_a_look_at_insiders_says_so(cells: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, out = cells.parent / "page.html", cells.parent / "p.csv"
    asked = ("table", "suppress", cells, *HOW, "--out", out, "--report", page)
    status, answer = run(capsys, *asked, "--insiders", "0")
    assert status == 3
    assert "--insiders 1 considers each" in answer["ending"]["why"]
    text = page.read_text()
    assert 'class="verdict warn"' in text
    assert 'class="verdict good"' not in text
    assert "Safe from outsiders" in text
    for more in ((), ("--insiders", "1")):  # one at a time is considered without asking
        status, answer = run(capsys, *asked, *more)
        assert (status, answer["insiders"], answer["ending"].get("cautions")) == (0, 1, None)
    assert 'class="verdict good"' in page.read_text()


@pytest.mark.parametrize("more", ["", "insiders = 1\n", "insiders = 0\n"])
def test_the_gate_says_the_key_of_its_recipe(more: str, cells: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = cells.parent / "r.toml"
    recipe.write_text(RECIPE + more)
    left_out = more == "insiders = 0\n"
    status = status_of(["gate", str(recipe), "--out", str(cells.parent / "out"), "--json"])
    ending = json.loads(capsys.readouterr().out)["ending"]
    assert (status, ending["decision"]) == ((3, "a person must decide") if left_out else (0, "may leave"))
    assert ("insiders = 1" in ending["why"]) is left_out


def test_a_table_of_counts_is_as_green_as_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "n.csv").write_text("a,b,n\nx,p,2\nx,q,28\nx,r,30\ny,p,20\ny,q,16\ny,r,14\nz,p,15\nz,q,13\nz,r,12\n")
    asked = ("table", "suppress", tmp_path / "n.csv", "--dims", "a,b", "--count", "n", "--out", tmp_path / "p.csv")
    status, answer = run(capsys, *asked)
    assert status == 0
    assert "cautions" not in answer["ending"]
    assert "cut_short" not in answer


def test_a_search_that_was_cut_short_says_so(
    cells: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    full = runs.run_optimiser

    def cut(table: Table, search: TableSearch) -> Suppression:
        answer = full(table, search)
        return replace(answer, optimal=False, last=replace(answer.last, proven=False, bound=2.0, rushed=True))

    monkeypatch.setattr(runs, "run_optimiser", cut)
    status, answer = run(capsys, "table", "suppress", cells, *HOW, "--out", cells.parent / "p.csv")
    assert (status, answer["status"]) == (0, "feasible")
    assert answer["ending"]["remarks"] == answer["cut_short"]
    assert [words.partition(":")[0] for words in answer["cut_short"]] == [
        "The search was cut short",
        "The time was too short to find out which totals of totals can stay shown",
    ]


def test_a_time_too_short_for_the_totals_is_told(cells: Path) -> None:
    search = TableSearch(seconds=1e-6)
    assert next(iter(search.optimiser.steps(_flag(cells)))).rushed
    assert not next(iter(TableSearch(seconds=None).optimiser.steps(_flag(cells)))).rushed


def _flag(cells: Path) -> Table:
    how = choose_cells(cells, TableForm(), dims=["region", "job"], value="v", contributors=["frequency", "x1", "x2"])
    return TableRules(rules=(rule("p%:15"),)).flag(how.read_table(cells).table, counts=False)


def test_an_earlier_pattern_of_other_values_points_to_the_difference(
    cells: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern, later = cells.parent / "p.csv", cells.parent / "later.csv"
    assert status_of(["table", "suppress", str(cells), *HOW, "--out", str(pattern)]) == 0
    again = ("--frozen", str(pattern), "--out", str(cells.parent / "q.csv"))
    capsys.readouterr()
    assert status_of(["table", "suppress", str(cells), *HOW, *again]) == 0
    assert "table difference" not in capsys.readouterr().err
    later.write_text(FIRMS.replace("300", "310"))
    assert status_of(["table", "suppress", str(later), *HOW, *again]) == 0
    assert "sekisho table difference does" in capsys.readouterr().err
