"""What must not leave is not written to the place of a release, and the library says so for every command alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.tables import HOW, TABLE, run, shown

from sekisho.cli.table import difference, link
from sekisho.cli.table import run as runs
from sekisho.gate.tables.search import TableSearch
from sekisho.tables.model.table import Table
from sekisho.tables.suppress.optimiser import Suppression

SAFE = TABLE.replace("x,p,2", "x,p,20")
JOBS = "region,job,n\nx,p,2\nx,q,28\nx,r,30\ny,p,20\ny,q,16\ny,r,14\nz,p,15\nz,q,13\nz,r,12\n"
AGES = "region,age,n\nx,o,25\nx,u,35\ny,o,20\ny,u,30\nz,o,22\nz,u,18\n"


def hide_only_unsafe(table: Table, search: TableSearch) -> Suppression:
    """A search that forgets its secondary cells: what it hides can be worked out from the margins."""
    return replace(runs.run_optimiser(table, search), table=table)


def test_a_pattern_whose_cell_can_be_derived_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, earlier, page = tmp_path / "t.csv", tmp_path / "earlier.csv", tmp_path / "page.html"
    source.write_text(SAFE)
    earlier.write_text(shown(source, {("x", "q")}, ("x", "q")).replace("primary", "secondary"))
    out, public = tmp_path / "p.csv", tmp_path / "public.csv"
    public.write_text("what was published before\n")
    asked = ("table", "suppress", source, *HOW, "--frozen", earlier, "--out", out, "--public", public)
    status, answer = run(capsys, *asked, "--report", page)
    assert status == 1
    assert [reason["rule"] for reason in answer["review"]] == ["disclosed cell"]
    assert (answer["out"], answer["public"], answer["certificate"]) == (None, None, None)
    assert not out.exists()
    assert not (tmp_path / "p.csv.certificate.json").exists()
    assert public.read_text() == "what was published before\n"
    assert page.exists()  # it says why, and stays with whoever asked


@pytest.mark.parametrize("verb", ["link", "difference"])
def test_tables_together_are_refused_as_one_is(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    adults = "region,job,n\nx,p,1\nx,q,20\nx,r,20\ny,p,12\ny,q,8\ny,r,7\nz,p,9\nz,q,7\nz,r,6\n"
    (tmp_path / "one.csv").write_text(JOBS)
    (tmp_path / "two.csv").write_text(AGES if verb == "link" else adults)
    dims = "region,job,age" if verb == "link" else "region,job"
    out, public = tmp_path / "patterns", tmp_path / "public"
    asked = ("table", verb, tmp_path / "one.csv", tmp_path / "two.csv", "--dims", dims, "--count", "n")
    places = ("--out", out, "--public", public)
    monkeypatch.setattr(link if verb == "link" else difference, "run_optimiser", hide_only_unsafe)
    status, answer = run(capsys, *asked, *places)
    assert status == 1
    assert {"narrow interval", "disclosed cell"} & {reason["rule"] for reason in answer["review"]}
    assert [(table["out"], table["public"]) for table in answer["tables"]] == [(None, None)] * 2
    assert answer["certificate"] is None
    assert (out.exists(), public.exists()) == (False, False)
    monkeypatch.undo()
    assert run(capsys, *asked, *places)[0] == 0
    assert (out / "one.csv").exists()
    assert (public / "two.csv").exists()


def test_codes_that_name_people_need_a_look_in_linked_tables_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.csv").write_text(JOBS.replace("job", "email"))
    (tmp_path / "two.csv").write_text(AGES)
    asked = ("table", "link", tmp_path / "one.csv", tmp_path / "two.csv", "--dims", "region,email,age", "--count", "n")
    status, answer = run(capsys, *asked, "--out", tmp_path / "patterns")
    assert (status, [reason["rule"] for reason in answer["review"]]) == (3, ["identifying column"])
    assert (tmp_path / "patterns" / "one.csv").exists()
