"""A file that is coded beyond memory is the one that is coded in memory, and so is what is told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, leaves_nothing
from tests.gate.records.engine.made_up_people import judge
from tests.laws import try_examples

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, Missing, SchemaFile
from sekisho.data.frame.dataset import Role
from sekisho.data.frame.release import order_rows
from sekisho.data.review import review_release
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, ParameterError
from sekisho.gate.records.candidate import write_and_count
from sekisho.protect.beyond_memory import EngineTask
from sekisho.protect.records.coding import block_coding
from sekisho.protect.records.coding.code import Code
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_rules

OWN = SchemaFile(
    shape=Shape.RECORDS,
    file=FileRules(separator=";", decimal=","),
    columns=(
        ColumnRules(name="who", role=Role.IDENTIFIER),
        ColumnRules(name="age"),
        ColumnRules(name="pay", missing=Missing.DROP),
        ColumnRules(name="job", missing=Missing.CATEGORY),
        ColumnRules(name="born"),
    ),
)
CARRIED = replace(OWN, columns=tuple(replace(each, missing=Missing.CARRY) for each in OWN.columns))
CODES = (
    Code(top={"age": "10%", "pay": "120"}, bottom={"age": "2"}, round={"pay": "0.5"}),
    Code(intervals={"age": ("5", "10"), "born": ("1980-01-01",)}, rare={"job": "6"}),
    Code(rare={"job": "4:Other"}, round={"pay": "10"}),
)


def write_people(path: Path, rows: list[tuple[int, int, str]]) -> None:
    lines = [
        f"p{place};{age};{f'{pay // 10},{pay % 10}' if pay else ''};{job};19{60 + age}-01-0{1 + age % 9}"
        for place, (age, pay, job) in enumerate(rows)
    ]
    path.write_text("\n".join(["who;age;pay;job;born", *lines, ""]), encoding="utf-8")


def make_rules(schema: SchemaFile) -> RecordTerms:
    rules = own_rules(schema, "people")
    assert isinstance(rules, RecordTerms)
    return rules


def code_small(method: Code, source: Path, out: Path, schema: SchemaFile = OWN) -> tuple[bytes, dict[str, object]]:
    own = read_own(source, schema)
    release = method.apply(own.data, rng=Seed(1).rng())
    left, review = release.take(order_rows(release, Seed(7))), review_release(release)
    return write_and_count(left, make_rules(own.schema), out, review=review).content, dict(release.detail)


def code_large(
    method: Code, source: Path, out: Path, choice: EngineChoice, schema: SchemaFile = OWN
) -> tuple[bytes, dict[str, object]]:
    task = EngineTask(source=source, terms=make_rules(schema), out=out, choice=choice)
    with judge(method, task, Seed(7)) as outcome:
        outcome.release.put()
        found = out.read_bytes(), dict(outcome.release.detail)
    assert leaves_nothing(source.parent)
    return found


def attempt(code: Callable[[], tuple[bytes, dict[str, object]]], ending: str) -> object:
    """Return what came out, or all that is wrong."""
    try:
        content, detail = code()
    except FaultsError as error:
        return error.faults
    return (content if ending == ".csv" else pl.read_parquet(content).to_dict(as_series=False)), detail


@try_examples(5, share_fixtures=True)
@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(0, 1300), st.sampled_from(["cook", "Other", "", "a{b", "clerk"])),
        min_size=1,
        max_size=40,
    ).filter(lambda rows: len({pay for _, pay, _ in rows if pay % 10}) > 1),
    st.sampled_from(CODES),
    st.sampled_from([".csv", ".parquet"]),
    st.sampled_from([OWN, CARRIED]),
)
def test_the_bytes_and_figures_of_memory(
    tmp_path: Path, rows: list[tuple[int, int, str]], method: Code, ending: str, schema: SchemaFile
) -> None:
    source, out = tmp_path / "people.csv", tmp_path / f"out{ending}"
    write_people(source, rows)
    small = attempt(lambda: code_small(method, source, out, schema), ending)
    for choice in CHOICES:
        assert attempt(partial(code_large, method, source, out, choice, schema), ending) == small


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.engine.value)
def test_what_cannot_be_coded_is_refused(tmp_path: Path, choice: EngineChoice, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = tmp_path / "people.csv", tmp_path / "out.csv"
    write_people(source, [(age, 13, "cook") for age in range(9)])
    with pytest.raises(FaultsError, match="city is no column; there are who, age, pay, job, born"):
        code_large(Code(top={"city": "1", "who": "2"}), source, out, choice)
    with pytest.raises(FaultsError, match="needs a bottom below its top"):
        code_large(Code(top={"age": "1"}, bottom={"age": "1"}), source, out, choice)
    monkeypatch.setattr(block_coding, "MOST_VALUES", 8)
    with pytest.raises(ParameterError, match="column age must have at most 8 distinct values"):
        code_large(Code(top={"age": "1"}), source, out, choice)
    assert leaves_nothing(tmp_path)
