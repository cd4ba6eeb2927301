"""Populations and their differences must be suppressed as cheaply as can be, and judged by the records where there
are any."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.tables.oracle import cheapest, safe

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.tables.differences import judge_populations, subtract_populations
from sekisho.gate.tables.finding import audit_case
from sekisho.gate.tables.search import TableSearch
from sekisho.gate.tables.system import DifferenceBasis
from sekisho.provenance import Provenance
from sekisho.tables.check.checker import check
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.difference_contributors import subtract_records
from sekisho.tables.model.linked.populations import Populations, declare_populations
from sekisho.tables.model.table import Table
from sekisho.tables.model.tabulate import Tabulation
from sekisho.tables.rules.table_rules import TableRules, rule
from sekisho.tables.suppress.optimiser import Optimiser

ROW = Dimension.flat("a", ["u", "v"])
SMALL = st.integers(0, 9)


def counted(counts: np.ndarray) -> Table:
    return from_inner((ROW,), [("u",), ("v",)], counts.astype(np.float64))


@given(atoms=st.lists(st.tuples(SMALL, SMALL), min_size=3, max_size=3), split=st.booleans())
def test_the_cheapest_pattern_of_three_populations_is_found(atoms: list[tuple[int, int]], *, split: bool) -> None:
    one, two, rest = (np.array(each) for each in atoms)
    whole = one + two + rest
    parts = (one, two) if split else (one + two, one)
    tables = dict(zip("ABC", map(counted, (whole, *parts)), strict=True))
    populations = declare_populations(tables, splits={"A": ("B", "C")} if split else None)
    system = subtract_populations(populations, TableRules(min_count=3, width=4.0))
    assume(int(system.table.primary.sum()) <= 6)
    expected = cheapest(system.table)
    try:
        answer = Optimiser().suppress(system.table)
    except InfeasibleError:
        assert expected is None
        return
    assert answer.last.cost == expected
    assert safe(answer.table, answer.table.suppressed)
    held = TableSearch().seal_certificate(answer, origin=Provenance(name="test"))
    assert held.data is not None
    assert check(held.data.decode()).valid, json.loads(held.data)["bound"]
    hidden = populations.with_tables(system.mark_parts(answer.table))
    assert audit_case(judge_populations(hidden, TableRules(min_count=3, width=4.0))).safe


FIRMS = st.lists(
    st.tuples(
        st.sampled_from("uv"), st.integers(0, 4), st.integers(0, 400).map(lambda cents: cents / 10), st.booleans()
    ),
    min_size=3,
    max_size=14,
)
RULES = TableRules(rules=(rule("p%:15"), rule("nk:2,85")), min_count=2)


@try_examples(40)
@given(rows=FIRMS)
def test_records_judge_differences_as_if_they_were_a_population_of_their_own(
    rows: list[tuple[str, int, float, bool]],
) -> None:
    frame = pl.DataFrame(rows, schema=["a", "firm", "x", "part"], orient="row")
    inside, beside = frame.filter("part"), frame.filter(~pl.col("part"))
    assume(inside.height and beside.height)
    tabulation = Tabulation(dimensions=(ROW,), value="x", contributor="firm")
    populations = declare_populations({"all": tabulation.table(frame), "part": tabulation.table(inside)})
    left = subtract_records(frame, inside, texts=["a", "firm"], numbers=["x"])
    surveyed = {"difference": tabulation.table(left)}
    system = subtract_populations(populations, RULES, counts=False, surveyed=surveyed)
    expected = RULES.flag(tabulation.table(beside), counts=False)
    assert system.basis is DifferenceBasis.RECORDS
    assert system.table.primary[system.derived].tolist() == expected.primary.tolist()
    for name in ("lower_level", "upper_level"):
        assert getattr(system.table, name)[system.derived] == pytest.approx(getattr(expected, name))


@try_examples(60)
@given(rows=st.lists(st.tuples(st.sampled_from("uv"), st.integers(1, 400), st.booleans()), min_size=2, max_size=14))
def test_bounds_flag_whatever_the_records_flag_and_ask_no_less(rows: list[tuple[str, int, bool]]) -> None:
    # every row is a contributor of his own, so nobody stands in the part and beside it
    frame = pl.DataFrame(rows, schema=["a", "x", "part"], orient="row")
    inside, beside = frame.filter("part"), frame.filter(~pl.col("part"))
    assume(inside.height and beside.height)
    tabulation = Tabulation(dimensions=(ROW,), value="x", places=3)
    populations = declare_populations({"all": tabulation.table(frame), "part": tabulation.table(inside)})
    exact = subtract_populations(populations, RULES, counts=False, surveyed={"difference": tabulation.table(beside)})
    bounds = subtract_populations(populations, RULES, counts=False)
    assert bounds.basis is DifferenceBasis.BOUNDS
    assert not np.any(exact.table.primary & ~bounds.table.primary)
    for name in ("lower_level", "upper_level"):
        short = getattr(bounds.table, name) < getattr(exact.table, name) - 1e-6
        assert not np.any(short & exact.table.primary)


def test_differences_of_sums_need_a_rule_and_records_for_each() -> None:
    def pair() -> Populations:
        return declare_populations({"all": counted(np.array([9, 9])), "part": counted(np.array([3, 3]))})

    for judge in (subtract_populations, judge_populations):
        with pytest.raises(ParameterError, match="rule must be given for differences of sums"):
            judge(pair(), TableRules(), counts=False)
    with pytest.raises(ParameterError, match="records must be given for every difference"):
        subtract_populations(pair(), TableRules(), surveyed={})
    with pytest.raises(ParameterError, match="records must make up the differences of the tables"):
        subtract_populations(pair(), TableRules(), surveyed={"difference": counted(np.array([1, 1]))})
