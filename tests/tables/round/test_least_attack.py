"""Who knows that a rounding is least: programs with cuts must say what the list of all true tables says."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.laws import try_examples
from tests.tables.round_cases import lay_out, needs_cases, read_cases

from sekisho.errors import ParameterError
from sekisho.tables.audit.statements import ReaderKnowledge, Statements
from sekisho.tables.model.table import Table
from sekisho.tables.reconstruct.knowledge import keep_chosen, list_tables
from sekisho.tables.round.least_attack import find_least_intervals

Floats = NDArray[np.float64]


def list_least(table: Table, base: int) -> tuple[Floats, Floats]:
    """Return the ends by the list of all tables, where ``table`` is the one shown."""
    said = Statements.rounded(table.value, base=base)
    listed = list_tables(table, said)
    assert listed is not None
    kept = keep_chosen(table, said, listed, base=base, knowledge=ReaderKnowledge.LEAST)
    return kept.low, kept.high


@needs_cases
@pytest.mark.parametrize("case", read_cases("rounding-attack"), ids=lambda case: case["id"])
def test_the_cases_of_the_data(case: dict[str, Any]) -> None:
    table = lay_out(case["published_inner"], tuple(case["shape"]))
    found = find_least_intervals(table, table.value, base=case["base"], seconds=600.0)
    # the golden cells stand inner first, then rows, columns, total; ours by key
    order = sorted(range(len(table)), key=lambda at: (*(code == "Total" for code in table.keys[at]), table.keys[at]))
    assert found.certain.all()
    assert found.low[order].tolist() == case["least"]["low"]
    assert found.high[order].tolist() == case["least"]["high"]


def test_mean_widths_of_all_tables_that_can_be_shown() -> None:
    # two by two, base 5, shown 0 or 5 each: by enumeration on the design page 6.00 by the rule, 5.13 by least; shown
    # 0: 4.00 and 3.12, shown 5: 8.00 and 7.12
    widths: dict[int, list[float]] = {0: [], 5: []}
    for shown in product((0, 5), repeat=4):
        table = lay_out(list(shown), (2, 2))
        found = find_least_intervals(table, table.value, base=5, seconds=600.0)
        assert found.certain.all()
        for at, key in enumerate(table.keys):
            if "Total" not in key:
                widths[int(table.value[at])].append(float(found.high[at] - found.low[at]))
    assert round(float(np.mean(widths[0] + widths[5])), 2) == 5.12  # 5.125, which the page rounds up
    assert round(float(np.mean(widths[0])), 2) == 3.12
    assert round(float(np.mean(widths[5])), 2) == 7.12


SMALL = [((2, 2), 2), ((2, 2), 3), ((2, 2), 4), ((2, 3), 2), ((2, 3), 3), ((5,), 3), ((2, 2, 1), 3)]


@try_examples(15)
@given(st.sampled_from(SMALL), st.integers(0, 10**6))
def test_programs_say_what_the_list_says(small: tuple[tuple[int, ...], int], seed: int) -> None:
    shape, base = small
    shown = np.random.default_rng(seed).integers(0, 3, int(np.prod(shape))) * base
    table = lay_out(shown.tolist(), shape)
    found = find_least_intervals(table, table.value, base=base, seconds=600.0)
    low, high = list_least(table, base)
    assert found.certain.all()
    assert np.array_equal(found.low, low)
    assert np.array_equal(found.high, high)


def test_without_time_nothing_is_called_certain_that_was_not_seen() -> None:
    table = lay_out([3, 0, 0, 0], (2, 2))
    found = find_least_intervals(table, table.value, base=3, truth=table.value, seconds=0.0)
    assert not found.certain.any()
    assert np.array_equal(found.low, table.value)  # the table shown is its own least rounding: all that was seen
    assert np.array_equal(found.high, table.value)


def test_the_truth_is_no_witness_if_something_else_is_its_least_rounding() -> None:
    # 2, 0, 0, 0 with base 3 is shown as 3, 0, 0, 0 by the least; shown as zeros it was not made so
    table, truth = lay_out([0, 0, 0, 0], (2, 2)), lay_out([2, 0, 0, 0], (2, 2))
    found = find_least_intervals(table, table.value, base=3, truth=truth.value, seconds=0.0)
    assert found.high.max() == 0


def test_numbers_that_do_not_add_up_are_refused() -> None:
    table = lay_out([3, 0, 0, 3], (2, 2))
    shown = table.value.copy()
    shown[table.position[("Total", "Total")]] = 3
    with pytest.raises(ParameterError, match="do not add up"):
        find_least_intervals(table, shown, base=3)
