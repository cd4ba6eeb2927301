"""Several tables of one recipe are protected as one: what each alone would give away, together they do not."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from hashlib import sha256
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.errors import FaultsError, SettingsError
from sekisho.gate.advice.proposals import list_changes
from sekisho.gate.certificate.checking import Verification, verify_certificate
from sekisho.gate.explanation import explain_recipe
from sekisho.gate.outcome import Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.tables.finding import audit_case
from sekisho.gate.tables.stage import TableStage
from sekisho.gate.tables.system import judge_linked
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.run import pass_gate
from sekisho.seeds import Seed
from sekisho.tables.check.checker import check
from sekisho.tables.model.table import Status, Table

# The 3 old people of the north are hidden with the total of the north in the table of ages; that of jobs, alone, would
# show this total.
REGIONS, JOBS, AGES = ("east", "north", "west"), ("A", "B", "C"), ("old", "young", "middle")
BY_JOB = ((2, 28, 30), (5, 5, 5), (15, 13, 12))
BY_AGE = ((20, 25, 15), (3, 6, 6), (10, 16, 14))
COMMON = 'shape = "table"\noriginal = "jobs.csv"\nmin_count = 5\nwidth = 10\n'
TABLES = """
[[tables]]
name = "jobs"
dims = ["region", "job"]
count = "n"

[[tables]]
name = "ages"
original = "ages.csv"
dims = ["region", "age"]
count = "n"
"""


def write_cells(path: Path, dim: str, codes: Sequence[str], counts: Sequence[Sequence[int]]) -> None:
    """Write inner cells, margins and the grand total."""
    rows = [
        *(
            (region, code, n)
            for region, line in zip(REGIONS, counts, strict=True)
            for code, n in zip(codes, line, strict=True)
        ),
        *((region, "Total", sum(line)) for region, line in zip(REGIONS, counts, strict=True)),
        *(("Total", code, sum(line[at] for line in counts)) for at, code in enumerate(codes)),
        ("Total", "Total", sum(map(sum, counts))),
    ]
    path.write_text("\n".join(["region," + dim + ",n", *(f"{a},{b},{n}" for a, b, n in rows)]) + "\n")


def write_case(folder: Path, tables: str = TABLES, common: str = COMMON) -> Path:
    write_cells(folder / "jobs.csv", "job", JOBS, BY_JOB)
    write_cells(folder / "ages.csv", "age", AGES, BY_AGE)
    recipe = folder / "recipe.toml"
    recipe.write_text(common + tables)
    return recipe


def open_stage(recipe: Path) -> TableStage:
    stage = ReadRecipe.read(recipe).open().stage
    assert isinstance(stage, TableStage)
    return stage


def read_public(data: bytes) -> dict[tuple[str, str], str]:
    return {(row[0], row[1]): row[2] for row in list(csv.reader(StringIO(data.decode())))[1:]}


def test_what_each_table_alone_gives_away_both_together_do_not(tmp_path: Path) -> None:
    result = pass_gate(write_case(tmp_path), out=tmp_path / "out")
    assert result.verdict is Verdict.RELEASE
    jobs, ages = (read_public(result.public[f"release-{name}.csv"]) for name in ("jobs", "ages"))
    assert "release.csv" not in result.public
    assert (jobs["east", "A"], ages["north", "old"]) == ("x", "x")
    shared = [(region, "Total") for region in (*REGIONS, "Total")]
    assert [jobs[cell] for cell in shared] == [ages[cell] for cell in shared]
    alone: dict[str, Table] = {}
    for name, dim, original in (("jobs", "job", "jobs.csv"), ("ages", "age", "ages.csv")):
        own = tmp_path / f"{name}.toml"
        keys = f'dims = ["region", "{dim}"]\ncount = "n"\n'
        own.write_text(COMMON.replace("jobs.csv", original) + keys)
        alone[name] = open_stage(own).protections()["auto"](Seed(0)).table
    linked = audit_case(judge_linked(list(alone.values()), open_stage(tmp_path / "recipe.toml").rules, counts=True))
    assert not linked.safe


def test_the_answer_lists_the_tables_and_an_explanation_the_files(tmp_path: Path) -> None:
    recipe = write_case(tmp_path)
    told = cast("list[dict[str, Any]]", pass_gate(recipe).as_dict()["tables"])
    assert told == [
        {"name": "jobs", "file": "release-jobs.csv", "dims": ["region", "job"], "value": "n", "cells": 16}
        | {"primary": told[0]["primary"], "secondary": told[0]["secondary"]},
        {"name": "ages", "file": "release-ages.csv", "dims": ["region", "age"], "value": "n", "cells": 16}
        | {"primary": told[1]["primary"], "secondary": told[1]["secondary"]},
    ]
    assert [one["primary"] for one in told] == [1, 1]
    names = ReadRecipe.read(recipe).names
    assert {"public/release-jobs.csv", "public/release-ages.csv", "confidential/pattern-ages.csv"} <= set(names)
    explained = explain_recipe(recipe, writes=names)
    assert explained.missing == ()
    assert {path.name for path, _ in explained.reads} == {"recipe.toml", "jobs.csv", "ages.csv"}
    assert "min:5" in str(explained.asked["rules"])


def test_advice_may_leave_a_table_out(tmp_path: Path) -> None:
    recipe = write_case(tmp_path)
    settings_now = ReadRecipe.read(recipe).settings
    changes = {str(one.words): one for one in list_changes(open_stage(recipe), settings_now, tmp_path)}
    left = changes["leave out the table ages"].apply(settings_now)
    assert [one["name"] for one in cast("list[dict[str, Any]]", left["tables"])] == ["jobs"]
    assert pass_gate(ReadRecipe.read(recipe, left).open()).verdict is Verdict.RELEASE


def test_the_report_has_a_part_for_each_table_in_both_editions(tmp_path: Path) -> None:
    result = pass_gate(write_case(tmp_path))
    for page in (result.public["report.html"].decode(), result.confidential["report.html"].decode()):
        assert all(f">{name}</h2>" in page for name in ("jobs", "ages"))
    assert "All tables together" not in result.public["report.html"].decode()


def refuted(found: Verification) -> set[str]:
    return {str(each.subject) for each in found.refuted}


def test_verify_compares_every_table_with_the_one_proof(tmp_path: Path) -> None:
    pass_gate(write_case(tmp_path), out=tmp_path / "out")
    certificate = tmp_path / "out/public/certificate.json"
    found = verify_certificate(certificate)
    assert found.valid
    assert [str(each.subject) for each in found.checks].count("proof of the table") == 2
    ages = certificate.parent / "release-ages.csv"
    text = ages.read_text()
    line = next(one for one in text.splitlines() if one.startswith("west,old"))
    ages.write_text(text.replace(line, "west,old,11"))
    assert refuted(verify_certificate(certificate)) >= {"release-ages.csv", "proof of the table"}
    ages.unlink()
    assert "release-ages.csv" in refuted(verify_certificate(certificate))


def test_a_certificate_that_leaves_one_of_the_tables_out_is_refuted(tmp_path: Path) -> None:
    pass_gate(write_case(tmp_path), out=tmp_path / "out")
    certificate = tmp_path / "out/public/certificate.json"
    held = json.loads(certificate.read_text())
    fewer = {**held, "claims": {**held["claims"], "patterns": held["claims"]["patterns"][:1]}}
    certificate.write_text(json.dumps(fewer))
    assert refuted(verify_certificate(certificate)) == {"completeness", "tables of the proof"}
    (certificate.parent / "release-ages.csv").unlink()
    certificate.write_text(
        json.dumps({**fewer, "files": {name: one for name, one in held["files"].items() if name != "release-ages.csv"}})
    )
    assert refuted(verify_certificate(certificate)) == {"completeness", "tables of the proof"}


@pytest.mark.parametrize(
    ("second", "word"),
    [
        ({}, "in none of the tables"),
        ({"name": "jobs"}, "one name"),
        ({"dims": ["region", "size"]}, "dimensions that the system has not"),
        ({"cells": [0] * 16}, "a cell twice"),
        ({"cells": list(range(16))}, "dimensions that it has not"),
    ],
)
def test_a_proof_whose_tables_are_not_those_of_the_system_is_refused(
    tmp_path: Path, second: dict[str, object], word: str
) -> None:
    held = json.loads(pass_gate(write_case(tmp_path)).confidential["table-certificate.json"])
    assert not check(json.dumps(held)).errors
    jobs, ages = held["tables"]
    held["tables"] = [jobs, {**ages, **second}] if second else [jobs]
    errors = check(json.dumps(held)).errors
    assert any(word in error for error in errors), errors


def test_a_proof_of_the_format_before_is_still_read(tmp_path: Path) -> None:
    held = json.loads(pass_gate(write_case(tmp_path)).confidential["table-certificate.json"])
    held["format"] = "sekisho cell suppression 5"
    del held["tables"], held["digest"]
    held["digest"] = sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    assert check(json.dumps(held)).errors == ()


def columns_refused(folder: Path, tables: str, common: str = COMMON) -> set[str]:
    with pytest.raises(SettingsError) as caught:
        read_recipe(write_case(folder, tables, common))
    return {fault.column for fault in caught.value.faults}


def test_everything_wrong_with_tables_is_told_at_once(tmp_path: Path) -> None:
    tables = TABLES.replace('"ages"', '"Jobs"').replace('dims = ["region", "age"]', 'dims = ["region", "region"]')
    common = COMMON + 'dims = ["region"]\nrelease = "own.csv"\n[trees]\nsize = "sizes.csv"\n'
    assert columns_refused(tmp_path, tables, common) == {
        "dims",
        "release",
        "trees.size",
        "tables.1.name",
        "tables.2.name",
        "tables.2.dims",
    }
    assert columns_refused(tmp_path, TABLES.replace('"ages"', '"../x"')) == {"tables.2.name"}
    assert columns_refused(tmp_path, TABLES + 'rules = ["zz:1"]\n') == {"tables.2.rules.1"}
    assert columns_refused(tmp_path, TABLES.replace('count = "n"', 'weight = "n"')) == {
        "tables.1.weight",
        "tables.2.weight",
    }


def test_tables_that_disagree_on_a_shared_cell_are_refused(tmp_path: Path) -> None:
    recipe = write_case(tmp_path)
    write_cells(tmp_path / "ages.csv", "age", AGES, ((20, 25, 16), *BY_AGE[1:]))
    with pytest.raises(FaultsError, match="is 60 in one table and 61 in another"):
        ReadRecipe.read(recipe).open()


def test_a_wish_for_a_cell_of_one_table_holds_in_all_that_share_it(tmp_path: Path) -> None:
    recipe = write_case(tmp_path, TABLES + 'apriori = "ages.hst"\n')
    (tmp_path / "ages.hst").write_text("west;Total;M\n")
    stage = open_stage(recipe)
    release = stage.protections()["auto"](Seed(0))
    jobs, ages = stage.split_pattern(release.table)
    assert [part.status[part.position["west", "Total"]] for part in (jobs, ages)] == [Status.SECONDARY] * 2


FIRMS = ((7, 2, 6), (8, 9, 5), (0, 7, 6))


def write_firms(folder: Path) -> Path:
    """Write firms by region and job: two are in the east with B, none in the west with A."""
    pays = [
        (region, job, 10 + at)
        for region, line in zip(REGIONS, FIRMS, strict=True)
        for job, n in zip(JOBS, line, strict=True)
        for at in range(n)
    ]
    lines = [f"f{number},{region},{job},{pay}" for number, (region, job, pay) in enumerate(pays)]
    (folder / "firms.csv").write_text("\n".join(["firm,region,job,pay", *lines]) + "\n")
    recipe = folder / "recipe.toml"
    recipe.write_text(
        'shape = "table"\noriginal = "firms.csv"\nmicrodata = true\ncontributor = "firm"\nrules = ["p%:10"]\n'
        "min_count = 3\nwidth = 2\ninsiders = 1\n"
        '[[tables]]\nname = "pay"\ndims = ["region", "job"]\nvalue = "pay"\n'
        '[[tables]]\nname = "firms"\ndims = ["region", "job"]\nrules = []\n'
    )
    return recipe


def test_tables_of_different_measures_are_proven_together_and_their_attacker_knows_what_is_empty(
    tmp_path: Path,
) -> None:
    stage = open_stage(write_firms(tmp_path))
    table = stage.table
    assert table.dims == ("measure", "region", "job")
    assert [one.measure for one in table.linked] == ["pay", "n (count)"]
    cell = table.position["n (count)", "east", "B"]
    assert (table.value[cell], table.lower[cell], table.largest[cell, 0]) == (2, 1, 1)
    assert [table.upper[table.position[measure, "west", "A"]] for measure in ("pay", "n (count)")] == [0, 0]
    result = pass_gate(tmp_path / "recipe.toml", out=tmp_path / "out")
    assert result.verdict is Verdict.RELEASE
    pay, firms = (read_public(result.public[f"release-{name}.csv"]) for name in ("pay", "firms"))
    assert (pay["east", "B"], firms["east", "B"]) == ("x", "x")
    assert (pay["west", "A"], firms["west", "A"]) == ("0", "0")
    assert verify_certificate(tmp_path / "out/public/certificate.json").valid


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"measure": ""}, "does not tell apart"),
        ({"measure": "n (count)"}, "dimensions that it has not"),
        ({"dims": ["measure", "region", "job"], "margins": ["", "Total", "Total"]}, "does not tell apart"),
    ],
)
def test_a_proof_that_mixes_measures_is_refused(tmp_path: Path, change: dict[str, object], word: str) -> None:
    held = json.loads(pass_gate(write_firms(tmp_path)).confidential["table-certificate.json"])
    assert not check(json.dumps(held)).errors
    held["tables"][0] |= change
    held["equations"].append([[0, 1], [len(held["cells"]["keys"]) - 1, -1]])
    errors = check(json.dumps(held)).errors
    assert any(word in error for error in errors)
    assert any("different measures" in error for error in errors)


counts = st.lists(st.integers(0, 12), min_size=27, max_size=27)


@try_examples(12)
@given(counts=counts, fewest=st.integers(2, 4))
def test_an_attacker_who_reads_all_tables_finds_nothing_narrower_than_was_asked(counts: list[int], fewest: int) -> None:
    """Region x job, region x age and job x age of one population: the exact attacker solves all of them at once."""
    people = np.array(counts).reshape(3, 3, 3)
    with TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            f"{REGIONS[r]},{JOBS[j]},{AGES[a]}"
            for (r, j, a), n in np.ndenumerate(people)
            for _ in range(int(n) + (r == j == a))  # every code occurs
        ]
        (folder / "people.csv").write_text("\n".join(["region,job,age", *rows]) + "\n")
        recipe = folder / "recipe.toml"
        parts = (("x", "region", "job"), ("y", "region", "age"), ("z", "job", "age"))
        recipe.write_text(
            f'shape = "table"\noriginal = "people.csv"\nmicrodata = true\nmin_count = {fewest}\nwidth = 4\n'
            + "".join(f'[[tables]]\nname = "{name}"\ndims = ["{one}", "{two}"]\n' for name, one, two in parts)
        )
        result = pass_gate(recipe)
        if result.outcome is None:
            return  # no pattern protects it
        stage = open_stage(recipe)
        best = result.outcome.best
        patterns = stage.split_pattern(best.release.table)
        finding = audit_case(judge_linked(patterns, stage.rules, counts=True))
        assert finding.safe
        assert not finding.audit.narrow.size
        assert not finding.case.shown
        for part in patterns:
            unsafe = (part.value > 0) & (part.value < fewest)
            assert bool(np.all(part.suppressed[unsafe]))
