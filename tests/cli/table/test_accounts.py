"""What was green and must not be: rows of firms counted as firms, rules of nothing, marks passed over, few who left."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.tables import run

FIRMS = "firm,region,ind,turnover\n" + "".join(
    f"F{region}{ind},{region},{ind},{90 + row}\n" for region in "NS" for ind in "abc" for row in range(8)
)
PATIENTS = "patient_id,region,sex\n" + "".join(
    f"P{region}{sex},{region},{sex}\n" for region in "NS" for sex in "fm" for _ in range(8)
)
JOBS = "region,job,n\nA,x,3\nA,y,20\nA,z,12\nB,x,8\nB,y,2\nB,z,30\nC,x,15\nC,y,9\nC,z,1\n"
SUMS = ("--microdata", "--dims", "region,ind", "--value", "turnover", "--rule", "p%:15", "--rule", "min:3")
COUNTS = ("--dims", "region,job", "--count", "n")


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def covers(answer: dict[str, object]) -> dict[str, str]:
    """By attacker what covers it."""
    rows = answer["account"]
    assert isinstance(rows, list)
    return {row["attacker"]: row["cover"] for row in rows}


def test_firms_are_counted_not_their_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # six firms with eight rows each: every inner cell is one firm's turnover
    source = write(tmp_path / "f.csv", FIRMS)
    status, answer = run(capsys, "table", "suppress", source, *SUMS, "--out", tmp_path / "p.csv")
    assert (status, answer["primary"]) == (0, 9)
    assert answer["unit"] == {"who": "firm", "by": "known", "people": 6, "rows": 48}
    assert covers(answer)["single contributor"] == "proven"
    shown = (tmp_path / "p.csv").read_text().splitlines()
    assert [line for line in shown if line.endswith("safe")] == [
        "Total,Total,4488,safe",
        "N,Total,2244,safe",
        "S,Total,2244,safe",
    ]


def test_rows_are_counted_for_a_reason_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write(tmp_path / "f.csv", FIRMS)
    out = ("--out", tmp_path / "p.csv")
    assert run(capsys, "table", "suppress", source, *SUMS, "--contributor", "row=x", *out)[0] == 2
    reason = "row=each row is another establishment of the firm"
    status, answer = run(capsys, "table", "suppress", source, *SUMS, "--contributor", reason, *out)
    assert (status, answer["primary"], answer["unit"]["by"]) == (0, 0, "said")
    assert reason.removeprefix("row=") in answer["ending"]["why"]


def test_a_dimension_of_firms_is_a_persons_decision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write(tmp_path / "f.csv", FIRMS)
    dims = ("--microdata", "--dims", "firm,ind", "--value", "turnover", "--rule", "p%:15", "--rule", "min:3")
    status, answer = run(capsys, "table", "suppress", source, *dims, "--out", tmp_path / "p.csv")
    assert status == 3
    assert "firm tells contributors apart, and is a dimension" in answer["ending"]["why"]
    status, answer = run(capsys, "table", "tabulate", source, *dims[1:5], "--out", tmp_path / "c.csv")
    assert (status, len(answer["review"])) == (3, 1)


def test_patients_are_counted_not_their_visits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # each inner cell is one patient with eight visits, each margin two of them
    source = write(tmp_path / "p.csv", PATIENTS)
    how = ("--microdata", "--dims", "region,sex")
    status, answer = run(capsys, "table", "suppress", source, *how, "--out", tmp_path / "o.csv")
    assert (status, answer["primary"], answer["unit"]["people"]) == (3, 9, 4)  # hardly anything is left


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("suppress", "--min-count", "1"), "no rule says which cells are unsafe"),
        (("suppress", "--min-count", "2"), "a cell of two contributors"),
        (("suppress", "--min-count", "0", "--rule", "min:1"), "a cell of a single contributor"),
        (("round", "--base", "2"), "a reader knows each cell to within 1"),
    ],
)
def test_a_weak_demand_is_a_persons_decision(
    words: tuple[str, ...], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path / "t.csv", JOBS)
    status, answer = run(capsys, "table", words[0], source, *COUNTS, *words[1:], "--out", tmp_path / "o.csv")
    assert status == 3
    assert why in answer["ending"]["why"]
    assert run(capsys, "table", "round", source, *COUNTS, "--base", "3", "--out", tmp_path / "r.csv")[0] == 0


def test_a_zero_that_tells_something_is_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f"{region},{ind},{40 + 7 * at},5,{9 + at},{9 + at},{8 + at}" for at, region in enumerate("NSW") for ind in "ab"
    ]
    rows[1] = "N,b,0,4,0,0,0"  # four gave nothing
    source = write(tmp_path / "z.csv", "\n".join(["region,ind,v,frequency,x1,x2,x3", *rows]) + "\n")
    how = ("--dims", "region,ind", "--value", "v", "--rule", "min:3")
    status, answer = run(capsys, "table", "suppress", source, *how, "--out", tmp_path / "o.csv")
    assert (status, covers(answer)["cells of 0"]) == (3, "open")
    assert "region=N, ind=b" in answer["ending"]["why"]
    more = ("--rule", "zeros", "--out", tmp_path / "o.csv")
    assert "cells of 0" not in covers(run(capsys, "table", "suppress", source, *how, *more)[1])


def test_marks_of_the_input_are_read_by_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = JOBS.splitlines()
    marked = [f"{lines[0]},status", *(f"{line},{'primary' if line == 'B,z,30' else 'safe'}" for line in lines[1:])]
    source = write(tmp_path / "t.csv", "\n".join(marked) + "\n")
    status, answer = run(capsys, "table", "suppress", source, *COUNTS, "--min-count", "3", "--out", tmp_path / "o.csv")
    assert (status, answer["primary"]) == (0, 3)  # 2 and 1 by the rule, 30 by the file
    assert "B,z,,primary" in (tmp_path / "o.csv").read_text()
    # an audit of a pattern that shows what the file calls unsafe names it
    plain = write(tmp_path / "plain.csv", JOBS)
    run(capsys, "table", "suppress", plain, *COUNTS, "--min-count", "3", "--out", tmp_path / "q.csv")
    audit = ("table", "audit", source, "--pattern", tmp_path / "q.csv", *COUNTS, "--min-count", "3")
    shown = "B,z,30,safe" in (tmp_path / "q.csv").read_text()
    assert run(capsys, *audit)[1]["shown"] == (["region=B, job=z"] if shown else [])


def test_what_only_looks_like_a_mark_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = JOBS.splitlines()
    source = write(
        tmp_path / "t.csv", "\n".join([f"{lines[0]},sdcStatus", *(f"{line},s" for line in lines[1:])]) + "\n"
    )
    status, answer = run(capsys, "table", "suppress", source, *COUNTS, "--min-count", "3", "--out", tmp_path / "o.csv")
    assert (status, covers(answer)["sdcStatus"]) == (3, "open")


def test_insiders_are_considered_where_contributors_are_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = write(tmp_path / "f.csv", FIRMS), ("--out", tmp_path / "o.csv")
    assert run(capsys, "table", "suppress", source, *SUMS, *out)[1]["insiders"] == 1
    status, answer = run(capsys, "table", "suppress", source, *SUMS, "--insiders", "0", *out)
    assert (status, covers(answer)["single contributor"]) == (3, "not considered")
    # of counts that came as cells nobody knows who contributes
    cells = write(tmp_path / "t.csv", JOBS)
    assert run(capsys, "table", "suppress", cells, *COUNTS, "--min-count", "3", *out)[1]["insiders"] == 0


def test_so_few_who_left_are_told_by_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = "a,b,n\nx,p,20\nx,q,30\ny,p,40\ny,q,50\n"
    source, later = write(tmp_path / "all.csv", whole), write(tmp_path / "less1.csv", whole.replace("50", "49"))
    pair = (source, later, "--dims", "a,b", "--count", "n")
    out = ("--out", tmp_path / "o", "--overlap", "less1=all,1,0")
    status, answer = run(capsys, "table", "difference", *pair, *out)
    assert status == 1
    assert "1 person, fewer than a count may have" in answer["reason"]
    assert not (tmp_path / "o" / "all.csv").exists()
    # ten left: that is no secret, and where they stood is judged by no rule
    write(later, whole.replace("50", "40"))
    status, answer = run(capsys, "table", "difference", *pair, *out[:2], "--overlap", "less1=all,10,0")
    assert (status, covers(answer)["who subtracts the tables"]) == (3, "not considered")
