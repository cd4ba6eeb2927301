"""Whoever verifies counts what may be learnt of a history as the gate does, by a program that shares nothing with it."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from tests.safety.test_secret_values import Row, histories, make_release

from sekisho.gate.certificate.secret_recount import count_least_possible
from sekisho.safety.secret_values import count_possible_values


def write_cell(values: tuple[str, ...]) -> str:
    if not values:
        return "*"
    return values[0] if len(values) == 1 else "{" + ";".join(values) + "}"


def count_again(rows: list[Row]) -> int | None:
    frame = pl.DataFrame(
        {
            "who": [str(who) for who, _, _ in rows],
            "ward": [ward for _, ward, _ in rows],
            "diagnosis": [write_cell(cell) for _, _, cell in rows],
        }
    )
    return count_least_possible(frame, "who", "diagnosis", ["ward"])


@given(rows=histories)
def test_both_counts_agree(rows: list[Row]) -> None:
    assert count_again(rows) == count_possible_values(make_release(rows), "diagnosis").least


def test_two_people_of_one_ward_keep_two_values() -> None:
    # hiv and flu in one ward: nobody knows whose each is; alone in a ward the value is known
    assert count_again([(1, "a", ("hiv",)), (2, "a", ("flu",))]) == 2
    assert count_again([(1, "a", ("hiv",)), (2, "b", ("flu",))]) == 1


def test_ranges_are_not_counted_again() -> None:
    frame = pl.DataFrame({"who": ["1"], "ward": ["a"], "income": ["[1;2]"]})
    assert count_least_possible(frame, "who", "income", ["ward"]) is None
