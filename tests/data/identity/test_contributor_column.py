"""A row is rarely a person: columns that tell people, firms or households apart are found, and no others."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.identity.contributor_column import find_contributor_columns, gather_columns


def owners(**columns: Sequence[object]) -> dict[str, tuple[int, int, bool]]:
    """What is found of a frame: by column the owners, their rows, and whether that is sure."""
    found = find_contributor_columns(gather_columns(pl.DataFrame(columns)))
    return {one.column: (one.owners, one.rows, one.sure) for one in found}


@pytest.mark.parametrize(
    "header",
    ["firm", "patient_id", "person", "household_id", "企業", "事業所コード", "世帯番号", "患者番号", "Betrieb"],
)
def test_a_header_that_says_who_tells_owners_apart(header: str) -> None:
    rows = [f"F{place // 8}" for place in range(48)]
    assert owners(**{header: rows, "region": [*"NS" * 24]}) == {header: (6, 48, True)}


@pytest.mark.parametrize("header", ["region", "nace", "size", "employees", "doctor", "illness", "patient_age", "town"])
def test_what_speaks_of_something_else_does_not(header: str) -> None:
    assert owners(**{header: [f"K{place // 8:02d}" for place in range(48)]}) == {}


def test_codes_that_a_few_rows_share_may_tell_owners_apart_and_are_not_sure() -> None:
    assert owners(k=[f"A{place // 4:03d}" for place in range(48)]) == {"k": (12, 48, False)}
    assert owners(k=[*"abcd" * 12]) == {}  # letters alone are classes
    assert owners(family=[f"F{place // 5:03d}" for place in range(60)]) == {"family": (12, 60, False)}


def test_a_kind_of_household_with_very_many_rows_is_not_sure() -> None:
    # two kinds in 400 rows: more than a hundred rows each may be a class of households
    assert owners(household=["single", "several"] * 200) == {"household": (2, 400, False)}


def test_amounts_and_dates_are_nobody() -> None:
    frame = pl.DataFrame({"firm": [1.5, 2.5, 2.5], "person": ["2020-01-01"] * 3}).with_columns(
        pl.col("person").str.to_date()
    )
    assert find_contributor_columns(gather_columns(frame)) == ()


@given(st.lists(st.sampled_from(["A1", "B2", "", "C3"]), min_size=2, max_size=30))
def test_missing_cells_are_no_owners(texts: list[str]) -> None:
    filled = [text for text in texts if text]
    found = owners(firm=list[object](texts))
    assert found == ({"firm": (len(set(filled)), len(filled), True)} if len(set(filled)) > 1 else {})
