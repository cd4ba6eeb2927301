"""Laws of the account, for every method of records, every guarantee and every door there is.

1. One more column of distinct values, of which nobody says anything: the release does not leave.
2. A method whose parameters change nothing is never better than the file itself.
3. Other names of columns, another order of rows, one more column that is harmless: the same verdict.
4. A guarantee or a role that is taken out never makes a verdict good that was none.
5. What ``verify`` calls valid closes its account when it is counted again, here by plain Python.

The sixth law, no green answer that brute force refutes, is the campaign ``verify/account.py``.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pytest
from tests.conformance.account_doors import (
    DOORS,
    HARMLESS,
    METHOD_NAMES,
    PARAMETERS,
    Question,
    ask_gate,
    ask_python,
    draw_distinct,
    list_parameters,
    make_question,
    make_rows,
    write_rows,
)

from sekisho.cli import status_of
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_file import Missing
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.journey.frames import make_method
from sekisho.protect import Method
from sekisho.protect.records.record_release import ReleaseMaker, release_unchanged
from sekisho.safety import GUARANTEES
from sekisho.safety.cover import Coverage, read_cover
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_records

KINDS_OF_VALUES = ("numbers", "dates", "texts")
UNASKED: Mapping[str, tuple[str, ...]] = {"recordswap": ("python", "command")}
"""Doors at which k is the method's own parameter and promises nothing: the account stays open there."""
NOTHING_CHANGED: Mapping[str, tuple[object, ...]] = {
    "epsilon": ({"age": 100_000},),
    "few": (0,),
    "k": (1,),
    "keep": (1,),
    "limit": (0,),
    "p": (0,),
    "rate": (0,),
    "replaced": (0,),
    "retention": ("1",),
    "round": ({"age": "1"},),
    "share": (0,),
    "size": ("100%",),
    "top": ({"age": 200},),
}
"""By parameter the values with which a method leaves a file as it is; a method has one of them at least."""
ASKED: Mapping[str, Mapping[str, object]] = {
    "beta-likeness": {"beta": 4.0},
    "delta-disclosure": {"delta": 2.0},
    "k-anonymity": {"k": 2},
    "l-diversity": {"l": 2},
    "population-uniqueness": {"share": 0.01, "people": 1200},
    "prosecutor-risk": {"highest": 0.5},
    "t-closeness": {"t": 0.3},
}
"""What is asked of each guarantee that the file itself keeps; those of a population file are none of it."""


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_column_of_which_nobody_says_anything_never_leaves(
    method: str, door: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    question, ask = make_question(method), DOORS[door]
    assert ask(question, tmp_path) == (3 if door in UNASKED.get(method, ()) else 0), capfd.readouterr().err[-500:]
    kinds = KINDS_OF_VALUES if method == "partition" else KINDS_OF_VALUES[len(method) % 3 :][:1]
    for kind in kinds:
        folder = tmp_path / kind
        folder.mkdir()
        status = ask(question.with_column("note", draw_distinct(len(question.rows), kind)), folder)
        assert status in {1, 2, 3}, (method, door, kind)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_parameters_that_change_nothing_protect_nothing(method: str, tmp_path: Path) -> None:
    parameters = list_parameters(method)
    tried = {name: values for name, values in NOTHING_CHANGED.items() if name in parameters and values}
    assert tried or method in {"delete-extremes", "lattice"}, f"which parameter of {method} changes nothing?"
    rows = make_rows()
    ages = draw_distinct(len(rows), "numbers")
    single = [{**row, "age": age} for row, age in zip(rows, ages, strict=True)]
    for name, values in tried.items():
        for value in values:
            question = make_question(method)
            asked = {**question.parameters, name: value}
            for guarantees in ({}, question.guarantees):
                idle = replace(question, rows=single, parameters=asked, guarantees=guarantees)
                if method in {"lattice", "partition", "microaggregate", "suppress", "delete-small"} and guarantees:
                    continue  # the guarantee is the method's own k
                assert ask_python(idle, tmp_path) in {1, 2, 3}, (method, name, value, guarantees)


@pytest.mark.parametrize("account", ["closed", "open"])
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_names_order_and_what_is_harmless_change_no_verdict(method: str, account: str, tmp_path: Path) -> None:
    question = make_question(method)
    if account == "open":
        question = question.with_column("note", draw_distinct(len(question.rows), "texts"))
    usual = ask_python(question, tmp_path)
    order = Seed(3).rng().permutation(len(question.rows)).tolist()
    assert ask_python(replace(question, rows=[question.rows[row] for row in order]), tmp_path) == usual
    constant = question.with_column("ward", ["A"] * len(question.rows))
    reasons = {**question.harmless, "ward": HARMLESS}
    assert ask_python(replace(constant, harmless=reasons), tmp_path) == usual
    assert ask_python(_rename(question), tmp_path) == usual


def _rename(question: Question) -> Question:
    """Return a question whose columns are called otherwise."""
    names = {name: f"{name}_2" for name in question.columns}

    def rename(value: object) -> object:
        if isinstance(value, Mapping):
            return {names.get(key, key): part for key, part in cast("Mapping[str, object]", value).items()}
        if isinstance(value, tuple):
            return tuple(names.get(str(part), part) for part in cast("tuple[object, ...]", value))
        return names.get(value, value) if isinstance(value, str) else value

    return replace(
        question,
        rows=[{names[name]: value for name, value in row.items()} for row in question.rows],
        parameters={name: rename(value) for name, value in question.parameters.items()},
        keys=cast("tuple[str, ...]", rename(question.keys)),
        sensitive=cast("tuple[str, ...]", rename(question.sensitive)),
        harmless=cast("Mapping[str, str]", rename(question.harmless)),
    )


@pytest.mark.parametrize("name", GUARANTEES.builtin)
def test_every_guarantee_says_what_it_covers(name: str) -> None:
    assert "covers" in vars(GUARANTEES[name]), f"{name} must declare covers: who somebody is, what is learnt, or OPEN"
    assert read_cover(GUARANTEES.make(name)) in {Coverage.KEYED, Coverage.SECRET, Coverage.OPEN}


def test_guarantees_of_the_file_are_listed() -> None:
    covering = {name for name in GUARANTEES.builtin if Shape.RECORDS in GUARANTEES.shapes(name)}
    assert covering - set(ASKED) == {"delta-presence", "k-map"}  # they ask for a file of the population


UNTOUCHED = Question(rows=(), method="delete-random", parameters={"share": 0})
KEYED = tuple(name for name in ASKED if read_cover(GUARANTEES.make(name, **ASKED[name])) is Coverage.KEYED)
SECRET = tuple(name for name in ASKED if read_cover(GUARANTEES.make(name, **ASKED[name])) is Coverage.SECRET)


@pytest.mark.parametrize("name", ASKED)
def test_a_guarantee_that_is_taken_out_opens_what_it_covered(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each guarantee closes the account with one of the other kind, and without it the account is open."""
    assert name in {*KEYED, *SECRET}
    other = "l-diversity" if name in KEYED else "k-anonymity"
    both = replace(UNTOUCHED, rows=make_rows(), guarantees={one: ASKED[one] for one in (name, other)})
    assert ask_gate(both, tmp_path) == 0, capsys.readouterr().out
    capsys.readouterr()
    assert ask_gate(replace(both, guarantees={other: ASKED[other]}), tmp_path) == 3
    lost = both.keys if name in KEYED else both.sensitive
    answer = json.loads(capsys.readouterr().out)
    assert {row["column"] for row in answer["account"] if row["cover"] == "open"} == set(lost)


def test_a_role_that_is_taken_away_opens_the_column(tmp_path: Path) -> None:
    question = replace(make_question("delete-random"), parameters={"share": 0})
    for column in question.keys:
        fewer = tuple(name for name in question.keys if name != column)
        assert ask_python(replace(question, keys=fewer), tmp_path) == 3, column
    bare = {name: value for name, value in question.guarantees.items() if name != "l"}
    assert ask_python(replace(question, sensitive=(), guarantees=bare), tmp_path) == 3


def test_a_lower_guarantee_makes_no_verdict_good_that_says_less(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Classes have ten people: 11 is refused, and where less is asked for the answer says how many there are."""
    question = replace(UNTOUCHED, rows=make_rows())
    assert ask_gate(replace(question, guarantees={"k": 11, "l": 2}), tmp_path) == 1
    assert ask_gate(replace(question, guarantees={"k": 10, "l": 4}), tmp_path) == 1
    capsys.readouterr()
    assert ask_gate(replace(question, guarantees={"k": 2, "l": 2}), tmp_path) == 0
    answer = json.loads(capsys.readouterr().out)
    assert "3 keyed (k-anonymity 10, counted)" in answer["account_words"]
    one_value = [{**row, "ill": "flu" if row["sex"] == "f" else "hiv"} for row in question.rows]
    for weak in ({"l": 1}, {"t": 1.0}):  # whoever stands in a class has its one illness
        assert ask_gate(replace(question, rows=one_value, guarantees={"k": 10, **weak}), tmp_path) != 0, weak


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """A method of another package that says nothing of what it covers."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the data as they are."""
        del rng
        return release_unchanged(data, np.zeros(len(data), dtype=np.bool_), ReleaseMaker("stranger", self))


def test_a_method_that_covers_nothing_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    write_rows(make_rows(), path)
    stage = _open_stage(path, "stranger", Stranger())
    release = stage.protections()["stranger"](Seed(1))
    candidate = stage.review("stranger", release, seed=Seed(1))
    assert candidate.verdict is Verdict.REVIEW
    assert {entry.subject for entry in candidate.account.open_entries} == {"sex", "town", "age", "ill"}


def _open_stage(path: Path, name: str, method: Method) -> RecordsStage:
    original, terms = open_original(path, own_records(schema_from_options(Shape.RECORDS, missing=Missing.CARRY), "p"))
    recipe = RecordsRecipe.of_method(name, method, terms)
    return RecordsStage(recipe=recipe, original=original.data)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_what_is_valid_closes_its_account_when_it_is_counted_by_plain_python(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = make_question(method)
    assert ask_gate(question, tmp_path) == 0
    answer = json.loads(capsys.readouterr().out)
    certificate = Path(answer["certificate"])
    assert status_of(["verify", str(certificate), "--json"]) == 3  # nobody signed it
    verified = json.loads(capsys.readouterr().out)
    assert verified["valid"]
    assert not verified["errors"]
    account = json.loads(certificate.read_text("utf-8"))["account"]
    (released,) = [path for path in (tmp_path / "out/public").iterdir() if path.name.startswith("release")]
    assert not list(count_again(released, account))


def count_again(path: Path, account: Mapping[str, Any]) -> list[str]:
    """Return in what a file disagrees with its account, counted by the rows of its CSV alone."""
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = list(csv.reader(file))
    covers = {row["subject"]: row["cover"] for row in account["rows"]}
    faults = [] if sorted(covers) == sorted(names) else [f"columns {names}, accounted for {sorted(covers)}"]
    keyed = [names.index(name) for name, cover in covers.items() if cover == "keyed"]
    classes = Counter(tuple(row[place] for place in keyed) for row in rows)
    if keyed and min(classes.values()) < 2:
        faults.append("somebody stands alone in the keys")
    for name, cover in covers.items():
        place = names.index(name)
        if cover in {"open", "not considered"}:
            faults.append(f"{name} is open")
        if cover == "gone" and {row[place] for row in rows} - {"", "*"}:
            faults.append(f"{name} is there")
        if cover == "secret" and not next(row for row in account["rows"] if row["subject"] == name)["reason"]:
            values: dict[tuple[str, ...], set[str]] = {group: set() for group in classes}
            for row in rows:
                values[tuple(row[key] for key in keyed)] |= {row[place]} - {"", "*"}
            faults += [f"{name} is one value in {group}" for group, known in values.items() if len(known) < 2]
    harmless = [names.index(name) for name, cover in covers.items() if cover == "harmless"]
    alone = Counter(tuple(row[place] for place in harmless) for row in rows)
    if harmless and sum(count == 1 for count in alone.values()) != account["alone"]:
        faults.append("another number stands alone by what is harmless")
    return faults


def test_the_plain_count_sees_what_is_wrong(tmp_path: Path) -> None:
    rows = [*make_rows(), {"sex": "f", "town": "Au", "age": 99, "ill": "flu"}]
    write_rows(rows, tmp_path / "release.csv")
    covers = {"sex": "keyed", "town": "keyed", "age": "harmless", "ill": "secret"}
    account = {"rows": [{"subject": name, "cover": cover, "reason": ""} for name, cover in covers.items()], "alone": 0}
    assert count_again(tmp_path / "release.csv", account) == [
        "somebody stands alone in the keys",
        "ill is one value in ('f', 'Au')",
        "another number stands alone by what is harmless",
    ]


def test_every_method_of_records_is_tried() -> None:
    assert sorted(PARAMETERS) == sorted(METHOD_NAMES)
    assert all(make_method(name, dict(PARAMETERS[name])) for name in METHOD_NAMES)
