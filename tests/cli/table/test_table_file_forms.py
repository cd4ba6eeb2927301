"""The table commands must take microdata, linked tables and other programs' files, and write a page.

Each refusal is one sentence.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sekisho.cli import status_of

JOBS = "region,job,n\neast,A,2\neast,B,28\neast,C,30\nnorth,A,20\nnorth,B,16\nnorth,C,14\nwest,A,15\nwest,B,13\nwest,C,12\n"
AGES = "region,age,n\neast,x,20\neast,y,25\neast,z,15\nnorth,x,3\nnorth,y,20\nnorth,z,27\nwest,x,10\nwest,y,16\nwest,z,14\n"
# As cheap as any safe pattern of the ages, and it rests on the total of the north, which the table of jobs shows.
LEAKING = """region,age,n,status
Total,Total,,secondary
Total,x,,secondary
Total,y,61,safe
Total,z,56,safe
east,Total,60,safe
east,x,20,safe
east,y,25,safe
east,z,15,safe
north,Total,,secondary
north,x,,primary
north,y,20,safe
north,z,27,safe
west,Total,40,safe
west,x,10,safe
west,y,16,safe
west,z,14,safe
"""
# The τ-ARGUS manual's holdings (section 4.4.4): industry, size, turnover, enterprise group.
FIRMS = """industry,size,turnover,group
800,20,599,1
800,20,344,1
800,20,244,1
800,30,355,1
800,20,644,2
800,30,433,2
800,30,323,3
800,30,343,3
900,20,23,4
900,20,43,5
900,20,34,5
900,20,53,5
900,30,700,6
900,30,200,6
900,30,60,7
900,30,40,8
900,30,10,9
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("jobs.csv", JOBS), ("ages.csv", AGES), ("firms.csv", FIRMS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    status = status_of([*map(str, arguments), "--json"])
    out = capsys.readouterr().out
    return status, json.loads(out) if out.strip() else {}


LINK = ("--dims", "region,job,age", "--count", "n")


def test_tables_protected_one_by_one_leak_and_together_do_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, ages = folder / "jobs.csv", folder / "ages.csv"
    out = folder / "p_jobs.csv"
    assert run(capsys, "table", "suppress", jobs, "--dims", "region,job", "--count", "n", "--out", out)[0] == 0
    (folder / "p_ages.csv").write_text(LEAKING)
    for source, dims in ((jobs, "region,job"), (ages, "region,age")):
        out = folder / f"p_{source.name}"
        assert run(capsys, "table", "audit", source, "--pattern", out, "--dims", dims, "--count", "n")[0] == 0
    apart = ("--pattern", folder / "p_jobs.csv", "--pattern", folder / "p_ages.csv")
    status, answer = run(capsys, "table", "audit-linked", jobs, ages, *apart, *LINK)
    assert status == 1
    assert answer["narrow"] == 1
    status, answer = run(
        capsys, "table", "link", jobs, ages, *LINK, "--out", folder / "safe", "--report", folder / "l.html"
    )
    assert status == 0
    assert (answer["status"], answer["primary"], answer["secondary"]) == ("optimal", 2, 6)
    assert "jobs.csv" in (folder / "l.html").read_text()
    together = ("--pattern", folder / "safe" / "jobs.csv", "--pattern", folder / "safe" / "ages.csv")
    status, answer = run(capsys, "table", "audit-linked", jobs, ages, *together, *LINK, "--report", folder / "a.html")
    assert status == 3  # status 3: who knows that cells are whole is not considered
    assert (answer["disclosed"], answer["narrow"], answer["shown"]) == (0, 0, [])
    assert run(capsys, "table", "verify", folder / "safe" / "linked.certificate.json")[1]["valid"] is True


def test_groupings_of_linked_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, ages, groups = folder / "jobs.csv", folder / "ages.csv", folder / "groups.csv"
    groups.write_text("group,member\ncoast,east\ncoast,west\n")
    how = (*LINK, "--grouping", f"region={groups}")
    out = folder / "safe"
    status, answer = run(capsys, "table", "link", jobs, ages, *how, "--out", out, "--explain")
    # 4 + 1 codes of region by 4 of job and 4 of age, the 5 of region shared
    assert (status, answer["cells"], answer["status"]) == (0, 35, "optimal")
    assert pl.read_csv(out / "ages.csv").filter(region="coast", age="Total")["n"].to_list() == [100]
    assert {"group", "leaf", "total"} == {word for one in answer["levels"] for word in one["level"]}
    assert len(answer["reasons"]) == answer["secondary"]
    safe = ("--pattern", out / "jobs.csv", "--pattern", out / "ages.csv")
    assert run(capsys, "table", "audit-linked", jobs, ages, *safe, *how, "--min-count", "5", "--integer")[0] == 0
    # a rule that finds more unsafe than the pattern hides
    status, answer = run(capsys, "table", "audit-linked", jobs, ages, *safe, *how, "--min-count", "13")
    assert (status, "region=west, job=C, age=Total" in answer["shown"]) == (1, True)
    assert run(capsys, "table", "link", jobs, ages, *LINK, "--grouping", f"planet={groups}", "--out", out)[0] == 2
    assert run(capsys, "table", "link", jobs, ages, *LINK, "--tree", f"planet={groups}", "--out", out)[0] == 2


def test_linked_files_that_do_not_fit_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, ages = folder / "jobs.csv", folder / "ages.csv"
    assert run(capsys, "table", "link", jobs, *LINK, "--out", folder)[0] == 2
    assert run(capsys, "table", "link", jobs, ages, "--dims", "planet", "--count", "n", "--out", folder)[0] == 2
    assert run(capsys, "table", "audit-linked", jobs, ages, "--pattern", jobs, *LINK)[0] == 2


def test_microdata_with_holdings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = folder / "p.csv", folder / "p.html"
    status, answer = run(
        capsys,
        *("table", "suppress", folder / "firms.csv", "--microdata", "--dims", "industry,size", "--value", "turnover"),
        *("--holding", "group", "--rule", "p%:10@holdings", "--rule", "min:3@holdings"),
        *("--out", out, "--report", page),
    )
    assert status == 0
    assert (answer["cells"], answer["primary"], answer["secondary"]) == (9, 3, 3)
    text = page.read_text()
    assert "セル秘匿" in text
    assert ">P<small>[" in text
    assert "1,010" not in text  # the suppressed 900, 30


def test_tabulated_cells_go_on_to_suppression(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = folder / "cells.csv"
    tabulated = ("--dims", "industry,size", "--value", "turnover")
    status, answer = run(
        capsys, "table", "tabulate", folder / "firms.csv", *tabulated, "--contributor", "group", "--out", cells
    )
    assert (status, answer["cells"], answer["total"]) == (0, 9, 4448)
    frame = pl.read_csv(cells)
    assert frame.columns == ["industry", "size", "turnover", "frequency", "x1", "x2", "x3"]
    known = ("--contributors", "frequency,x1,x2,x3")
    status, answer = run(
        capsys, "table", "suppress", cells, *tabulated, *known, "--rule", "p%:10", "--out", folder / "p.csv"
    )
    assert (status, answer["primary"]) == (0, 3)


def test_a_table_travels_to_other_programs_and_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, pattern = folder / "jobs.csv", folder / "p.csv"
    how = ("--dims", "region,job", "--count", "n")
    assert run(capsys, "table", "suppress", jobs, *how, "--out", pattern)[0] == 0
    assert run(capsys, "table", "convert", jobs, folder / "t.tab", *how, "--pattern", pattern)[0] == 0
    assert run(capsys, "table", "convert", folder / "t.tab", folder / "t.jj")[1]["cells"] == 16
    assert run(capsys, "table", "convert", folder / "t.tab", folder / "t.csv")[0] == 0
    back = pl.read_csv(folder / "t.csv")
    assert back["status"].to_list() == pl.read_csv(pattern)["status"].to_list()
    assert run(capsys, "table", "convert", folder / "t.tab", folder / "t.hst")[0] == 0
    assert "east;A;U" in (folder / "t.hst").read_text()
    # A file that flags its own cells needs no rule; secondaries in it stay.
    status, answer = run(capsys, "table", "suppress", folder / "t.jj", "--out", folder / "j.csv")
    assert (status, answer["primary"], answer["secondary"]) == (0, 1, 3)
    assert run(capsys, "table", "convert", jobs, folder / "t.doc", *how)[0] == 2


JAPAN = "地域 名;業種;売上\n東 京;A;1,5\n東 京;B|2;40\n大阪;A;20,25\n大阪;B|2;30\n神奈川;A;12\n神奈川;B|2;7\n"


def test_japanese_names_trees_and_decimal_commas_travel(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells, tree = folder / "売上.csv", folder / "木.csv"
    cells.write_bytes(JAPAN.encode("cp932"))
    tree.write_bytes("node,parent\n関東,全国\n東 京,関東\n神奈川,関東\n大阪,全国\n".encode("cp932"))
    how = ("--dims", "地域 名,業種", "--value", "売上", "--tree", f"地域 名={tree}")
    status, answer = run(capsys, "table", "convert", cells, folder / "s.tab", *how, "--decimal", ".")
    assert status == 2
    assert "decimal comma" in answer["errors"][0]["message"]
    for name, told in (("s.tab", ()), ("t.tab", ("--decimal", ","))):
        assert run(capsys, "table", "convert", cells, folder / name, *how, *told)[0] == 0
    assert (folder / "s.tab").read_bytes() == (folder / "t.tab").read_bytes()
    assert (folder / "t_地域 名.hrc").read_text() == "関東\n@東 京\n@神奈川\n大阪\n"
    # .tab to .tab and to CSV: the tree and the names come along
    assert run(capsys, "table", "convert", folder / "t.tab", folder / "u.tab")[0] == 0
    assert (folder / "u.tab").read_bytes() == (folder / "t.tab").read_bytes()
    assert (folder / "u_地域 名.hrc").read_bytes() == (folder / "t_地域 名.hrc").read_bytes()
    assert run(capsys, "table", "convert", folder / "u.tab", folder / "v.csv")[0] == 0
    back = pl.read_csv(folder / "v.csv")
    assert back.columns == ["地域 名", "業種", "売上", "status"]  # how many firms there are, nobody knows
    again = ("--dims", "地域 名,業種", "--value", "売上", "--tree", f"地域 名={folder / 'v_地域 名.csv'}")
    for step, name in ((folder / "v.csv", "w.parquet"), (folder / "w.parquet", "x.tab")):
        assert run(capsys, "table", "convert", step, folder / name, *again)[0] == 0
    assert (folder / "x.tab").read_bytes() == (folder / "t.tab").read_bytes()


def test_another_program_s_pattern_is_audited(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, pattern = folder / "jobs.csv", folder / "p.csv"
    how = ("--dims", "region,job", "--count", "n")
    run(capsys, "table", "suppress", jobs, *how, "--out", pattern)
    expected = run(capsys, "table", "audit", jobs, *how, "--pattern", pattern)[1]
    # a file of jj says nothing of counts, so that nobody considers who knows that its cells are whole
    for name, wanted in (("t.tab", 0), ("t.jj", 3)):
        assert run(capsys, "table", "convert", jobs, folder / name, *how, "--pattern", pattern)[0] == 0
        assert run(capsys, "table", "audit", jobs, *how, "--pattern", folder / name)[1] == expected
        # the file alone tells its statuses too
        status, answer = run(capsys, "table", "audit", folder / name)
        assert (status, answer["suppressed"]) == (wanted, expected["suppressed"])
    assert run(capsys, "table", "convert", jobs, folder / "t.csv", *how, "--pattern", folder / "t.jj")[0] == 0
    assert run(capsys, "table", "audit", folder / "t.csv", *how) == (0, expected)
    # a secondary that another program left out: the cell is disclosed
    lines = (folder / "t.jj").read_text().splitlines()
    first = next(at for at, line in enumerate(lines) if " x " in line)
    lines[first] = lines[first].replace(" x ", " s ")
    (folder / "t.jj").write_text("\n".join(lines) + "\n")
    assert run(capsys, "table", "audit", folder / "t.jj")[1]["disclosed"] == 3
    # a file of another table is none of this one
    other = ("--dims", "region,age", "--count", "n")
    for name in ("t.tab", "t.jj"):
        assert run(capsys, "table", "audit", folder / "ages.csv", *other, "--pattern", folder / name)[0] == 2
    for source in (jobs, folder / "plain.jj"):
        run(capsys, "table", "convert", jobs, folder / "plain.jj", *how)
        assert run(capsys, "table", "audit", source, *(how if source is jobs else ()))[0] == 2


def test_groupings_travel_where_they_can(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "groups.csv").write_text("group,member\ncoast,east\ncoast,west\n")
    how = ("--dims", "region,job", "--count", "n", "--grouping", f"region={folder / 'groups.csv'}")
    assert run(capsys, "table", "convert", folder / "jobs.csv", folder / "t.jj", *how)[1]["cells"] == 20
    assert run(capsys, "table", "convert", folder / "t.jj", folder / "t.csv")[1]["cells"] == 20
    assert run(capsys, "table", "convert", folder / "jobs.csv", folder / "t.tab", *how)[0] == 2
    assert not (folder / "t.tab").exists()


def test_an_a_priori_file_waives_and_protects(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.hst").write_text("east;A;S\nnorth;B;U\neast;Total;P\n")
    how = ("--dims", "region,job", "--count", "n", "--apriori", folder / "a.hst", "--out", folder / "p.csv")
    status, answer = run(capsys, "table", "suppress", folder / "jobs.csv", *how)
    assert (status, answer["primary"]) == (0, 1)
    frame = pl.read_csv(folder / "p.csv")
    assert frame.filter(pl.col("status") == "primary").select("region", "job").row(0) == ("north", "B")


def test_an_audit_writes_its_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, pattern, page = folder / "jobs.csv", folder / "p.csv", folder / "a.html"
    how = ("--dims", "region,job", "--count", "n")
    run(capsys, "table", "suppress", jobs, *how, "--out", pattern)
    frame = pl.read_csv(pattern)
    true = pl.read_csv(jobs)
    shown = frame.join(true, on=["region", "job"], how="left", suffix="_true").with_columns(
        n=pl.coalesce("n", pl.when(pl.col("status") == "secondary").then("n_true")),
        status=pl.when(pl.col("status") == "secondary", pl.col("n_true").is_not_null())
        .then(pl.lit("safe"))
        .otherwise("status"),
    )
    shown.drop("n_true").write_csv(pattern)
    status, answer = run(capsys, "table", "audit", jobs, *how, "--pattern", pattern, "--report", page)
    assert status == 1
    assert answer["narrow"] == 1
    assert "Not safe" in page.read_text()


def test_a_column_may_be_named_twice_beside_a_decimal_comma(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("a;v\nx;1,5\ny;2,5\n")
    line = ("--dims", "a", "--value", "v", "--contributors", "v,v", "--decimal", ",", "--rule", "min:2")
    # a minimum of 2 would show a cell of two: a person decides
    assert run(capsys, "table", "suppress", tmp_path / "t.csv", *line, "--out", tmp_path / "o.csv")[0] == 3
