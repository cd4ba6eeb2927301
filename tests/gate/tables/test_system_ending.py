"""Tables that leave together end in three lines, and no line says more than the certificate proves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.tables.finding import INSIDERS_LEFT_OUT, ReviewedSystem
from sekisho.gate.tables.search import SealedCertificate
from sekisho.gate.tables.system import DifferenceBasis
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.source import CellSource
from sekisho.words import Said

CELLS = {
    "jobs.csv": "region,job,n\nN,x,30\nN,y,3\nS,x,20\nS,y,40\n",
    "ages.csv": "region,age,n\nN,a,13\nN,b,20\nS,a,25\nS,b,35\n",
    "all.csv": "region,job,n\nN,x,30\nN,y,23\nS,x,20\nS,y,40\n",
    "adults.csv": "region,job,n\nN,x,28\nN,y,12\nS,x,10\nS,y,20\n",
}
FILES = (Path("public/a.csv"), Path("public/b.csv"))
REVIEWED = ReviewedSystem(parts=(), sealed=SealedCertificate(), reasons=())


def test_what_may_leave_is_named_file_by_file_and_on_a_page_by_names() -> None:
    ending = REVIEWED.end(FILES)
    headline, why, file = ending.list_lines()
    assert (headline, file) == ("THIS MAY LEAVE", "The file that may leave: public/a.csv, public/b.csv")
    assert "Nothing was found that forbids it: the certificate of all tables together proves what is hidden" in why
    assert ending.on_page().last_line == "The file that may leave: a.csv, b.csv"
    unwritten = Said("none was written: --public FOLDER writes them")
    assert REVIEWED.end(unwritten).on_page().file == unwritten


def test_a_promise_is_told_with_its_condition() -> None:
    """Of bounds, not of records: the promise holds if nobody contributes to a part and beside it."""
    condition = DifferenceBasis.BOUNDS.condition
    assert condition
    ending = replace(REVIEWED, condition=condition).end(FILES)
    assert ending.why.endswith(f"promised if {condition}.")


@pytest.mark.parametrize("verdict", [Verdict.REVIEW, Verdict.REFUSE])
def test_what_speaks_against_them_stands_in_the_second_line(verdict: Verdict) -> None:
    reasons = (Reason(rule="certificate", verdict=verdict, detail=Said("there is none")),)
    ending = replace(REVIEWED, reasons=reasons).end(FILES)
    assert (ending.verdict, ending.file) == (verdict, "")
    assert "there is none" in ending.why
    assert (ending.awaits == "public/a.csv, public/b.csv") is (verdict is Verdict.REVIEW)
    assert "sekisho advise" in ending.last_line


def test_insiders_that_were_not_considered_are_told(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("region,v,frequency,x1\na,9,3,4\nb,8,3,4\nc,7,3,3\n")
    cells = CellFile(dims=("region",), value="v", counts=False, frequency="frequency", largest=("x1",))
    table = CellSource(cells=cells).read_table(path).table
    known = replace(REVIEWED, parts=(table,))
    assert known.end(FILES).cautions == (INSIDERS_LEFT_OUT,)
    assert not known.end(FILES).is_clear
    assert replace(known, insiders=1).end(FILES).is_clear


@pytest.mark.parametrize(
    "words",
    [
        ["link", "jobs.csv", "ages.csv", "--dims", "region,job,age"],
        ["difference", "all.csv", "adults.csv", "--dims", "region,job"],
    ],
)
def test_the_commands_end_in_three_lines(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in CELLS.items():
        (tmp_path / name).write_text(text)
    options = ["--count", "n", "--out", "patterns", "--public", "public", "--language", "en"]
    assert status_of(["table", *words, *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "THIS MAY LEAVE"
    assert lines[2:4] == [f"The file that may leave: public/{words[1]}, public/{words[2]}", ""]
    assert len(lines) <= 4 + 25
