"""`--insiders N` wherever tables are suppressed or audited, and what is said where nobody asked for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.tables import TABLE, run

from sekisho.cli import status_of

# people by region and job, from Minami, "Optimisation of cell suppression": derived in
# tests/tables/suppress/test_insiders.py
PEOPLE = ((20, 15, 30, 20, 10), (72, 20, 1, 30, 10), (38, 38, 15, 40, 2))
HOW = ("--dims", "region,job", "--count", "n", "--min-count", "3")
OUTSIDERS = "outsiders; insiders were not considered"
SINGLE = "outsiders, and each single contributor of a cell, who know what they gave"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    rows = [f"M{i},P{j},{n}" for i, row in enumerate(PEOPLE, start=1) for j, n in enumerate(row, start=1)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["region,job,n", *rows]) + "\n")
    return path


def test_a_table_is_protected_from_its_own_people(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = source.with_name("p.csv"), source.with_name("p.html")
    asked = ("table", "suppress", source, *HOW, "--insiders", "1", "--out", out, "--report", page)
    status, answer = run(capsys, *asked)
    assert (status, answer["secondary"], answer["status"], answer["certified"]) == (0, 4, "optimal", 4)
    assert (answer["insiders"], answer["against"]) == (1, SINGLE)
    assert "each single contributor of a cell" in page.read_text()
    assert "1 人までの内部者" in page.read_text()
    status, found = run(capsys, "table", "audit", source, "--pattern", out, *HOW, "--insiders", "1")
    assert (status, found["insider"], found["against"]) == (0, [], SINGLE)
    status, checked = run(capsys, "table", "verify", f"{out}.certificate.json")
    assert (status, checked["valid"], checked["insiders"], checked["against"]) == (0, True, 1, SINGLE)


def test_a_certificate_that_claims_insiders_and_was_made_for_outsiders_is_refused(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = source.with_name("p.csv")
    status, answer = run(capsys, "table", "suppress", source, *HOW, "--out", out)
    assert (status, answer["secondary"], answer["insiders"], answer["against"]) == (0, 2, 0, OUTSIDERS)
    certificate = Path(f"{out}.certificate.json")
    held = json.loads(certificate.read_text())
    certificate.write_text(json.dumps(held | {"insiders": 1}))
    status, checked = run(capsys, "table", "verify", certificate)
    assert status == 1
    assert any("contributors of M2, P3 are 1 or fewer insiders" in error for error in checked["errors"])


def test_pages_say_whom_they_are_about(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = source.with_name("p.csv"), source.with_name("p.html")
    assert run(capsys, "table", "suppress", source, *HOW, "--out", out, "--report", page)[0] == 0
    assert "insiders, who know what they gave themselves, were not considered" in page.read_text()
    assert "自分の値を知っている内部者は考慮していません。" in page.read_text()
    audit = ("table", "audit", source, "--pattern", out, *HOW, "--report", page)
    assert run(capsys, *audit)[0] == 0
    status, found = run(capsys, *audit, "--insiders", "1")
    assert (status, found["insider"]) == (
        1,
        [{"insider": "region=M2, job=P3", "exposed": ["region=M3, job=P5"]}],
    )
    assert "Not safe: 1 unsafe cell can be estimated too closely by contributors of another cell." in page.read_text()


def test_what_nothing_protects_is_infeasible_with_cell_and_coalition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # a = 1, b = 1, c = 8: the person of a leaves b between 0 and 9 if the total is shown; if it is not, he is free.
    # Here it was shown before.
    source, before = tmp_path / "t.csv", tmp_path / "before.csv"
    source.write_text("v,n\na,1\nb,1\nc,8\n")
    before.write_text("v,n,status\nTotal,10,safe\n")
    asked = ("table", "suppress", source, "--dims", "v", "--count", "n", "--min-count", "2", "--frozen", before)
    # a minimum of 2 would show a cell of two: a person decides
    assert run(capsys, *asked, "--out", tmp_path / "p.csv")[0] == 3
    status, answer = run(capsys, *asked, "--insiders", "1", "--out", tmp_path / "q.csv")
    assert (status, answer["status"]) == (1, "infeasible")
    assert "v=b" in answer["reason"]
    assert "contributor" in answer["reason"]
    assert "of v=a" in answer["reason"]
    assert not (tmp_path / "q.csv").exists()


def test_linked_tables_and_differences_take_insiders_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text(TABLE)
    two.write_text("a,c,n\nx,u,40\nx,v,20\ny,u,30\ny,v,20\nz,u,35\nz,v,5\n")
    link = ("--dims", "a,b,c", "--count", "n", "--insiders", "1")
    status, answer = run(capsys, "table", "link", one, two, *link, "--out", tmp_path / "linked")
    assert (status, answer["against"]) == (0, SINGLE)
    patterns = [part for name in ("one.csv", "two.csv") for part in ("--pattern", tmp_path / "linked" / name)]
    status, found = run(capsys, "table", "audit-linked", one, two, *patterns, *link)
    assert (status, found["insider"], found["against"]) == (
        3,
        [],
        SINGLE,
    )  # status 3: who knows that cells are whole is not considered
    adults = tmp_path / "adults.csv"
    adults.write_text("a,b,n\nx,p,2\nx,q,18\nx,r,30\ny,p,20\ny,q,16\ny,r,14\nz,p,15\nz,q,13\nz,r,9\n")
    pair = ("--dims", "a,b", "--count", "n", "--insiders", "1")
    status, answer = run(capsys, "table", "difference", one, adults, *pair, "--out", tmp_path / "pair")
    assert answer["status"] in {"optimal", "infeasible"}
    if status == 0:
        both = [part for name in ("one.csv", "adults.csv") for part in ("--pattern", tmp_path / "pair" / name)]
        status, found = run(capsys, "table", "audit-difference", one, adults, *both, *pair)
        assert (status, found["insider"]) == (0, [])


def test_sums_that_do_not_tell_what_was_given_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "sums.csv"
    source.write_text("v,s,f,x\na,30,1,30\nb,50,3,30\nc,60,5,20\n")
    asked = (
        "table",
        "suppress",
        source,
        "--dims",
        "v",
        "--value",
        "s",
        "--rule",
        "min:2",
        "--width",
        "5",
        "--out",
        tmp_path / "p.csv",
    )
    refused = status_of([*map(str, (*asked, "--contributors", "f,x", "--insiders", "2"))])
    assert (refused, (tmp_path / "p.csv").exists()) == (2, False)
    assert "insiders must not exceed the number of largest contributions" in capsys.readouterr().err
    assert run(capsys, *asked, "--contributors", "f,x", "--insiders", "1")[1]["insiders"] == 1


SUMS = "a,b,v,f\nx,p,20,3\nx,q,28,9\ny,p,30,8\ny,q,16,7\nz,p,15,6\nz,q,13,5\n"


@pytest.mark.parametrize("columns", ["f", "f,x1"])
def test_an_audit_refuses_insiders_of_whom_it_is_not_known_what_they_gave(
    columns: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # what nobody told counted as 0, so that contributors knew nothing of their own cells and no leak was found
    lines = SUMS.split()
    source = tmp_path / "t.csv"
    source.write_text("\n".join([f"{lines[0]},x1", *(f"{line},0" for line in lines[1:])]) + "\n")
    words = ("--dims", "a,b", "--value", "v", "--contributors", columns, "--insiders", "1")
    out = tmp_path / "p.csv"
    # it is known how many contribute and not what they gave: nobody considered them, and a person decides
    assert run(capsys, "table", "suppress", source, *words[:-2], "--rule", "min:4", "--out", out)[0] == 3
    for asked in (("audit", source, "--pattern", out), ("suppress", source, "--rule", "min:4", "--out", out)):
        status, answer = run(capsys, "table", *asked, *words)
        assert (status, "largest contributions that are known of each cell" in answer["error"]) == (2, True)


def test_rules_refuse_contributions_and_requests_that_nobody_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "t.csv", tmp_path / "p.csv"
    source.write_text(SUMS)
    asked = ("table", "suppress", source, "--dims", "a,b", "--value", "v", "--out", out)
    cases = (
        ("--rule", "p%:15", "--contributors", "f"),  # no contribution is named
        ("--rule", "request:70,3", "--contributors", "f"),  # who asked is not told
        ("--rule", "min:3"),  # how many there are is not told
    )
    for words in cases:
        assert run(capsys, *asked, *words)[0] == 2
    lines = SUMS.split()
    # a place that is 0 though the cell has more than the first: not known, not nothing
    source.write_text("\n".join([f"{lines[0]},x1,x2", *(f"{line},9,0" for line in lines[1:])]) + "\n")
    status, answer = run(capsys, *asked, "--rule", "p%:15", "--contributors", "f,x1,x2")
    assert (status, "name the 2 largest contributions of each cell" in answer["error"]) == (2, True)
    # nobody stands behind a sum that is not 0
    source.write_text(SUMS.replace("y,p,30,8", "y,p,30,0"))
    status, answer = run(capsys, *asked, "--rule", "min:3", "--contributors", "f")
    assert (status, "be at least one in each cell that is not 0 (not in a=y, b=p)" in answer["error"]) == (2, True)


def test_records_without_a_column_of_requests_have_no_rule_of_requests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "firms.csv", tmp_path / "p.csv"
    source.write_text("a,v,ask\n" + "".join(f"{a},{v},{int(v > 90)}\n" for a in "xy" for v in (100, 50, 30, 20)))
    asked = ("table", "suppress", source, "--microdata", "--dims", "a", "--value", "v", "--rule", "request:40")
    assert run(capsys, *asked, "--out", out)[0] == 2
    assert run(capsys, *asked, "--request", "ask", "--out", out)[1]["primary"] == 2
