"""How many records are unique, and how many of them because of one key alone, agrees with plain grouping."""

from __future__ import annotations

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.safety.records.uniques.key_uniques import count_key_uniques

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("abc"), st.integers(0, 3)), max_size=12)


def count_plainly(rows: list[tuple[object, ...]]) -> int:
    return sum(rows.count(row) == 1 for row in rows)


@given(rows=ROWS)
@example(rows=[])
@example(rows=[("a", "b", 1), ("b", "a", 1)])  # the same values in other columns are another person
def test_uniques_with_and_without_each_key(rows: list[tuple[str, str, int]]) -> None:
    frame = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String, "z": pl.Int64}, orient="row")
    found = count_key_uniques({name: frame[name] for name in frame.columns})
    assert (found.records, found.unique) == (len(rows), count_plainly(list(rows)))
    for place, name in enumerate("xyz"):
        assert found.without[name] == count_plainly([row[:place] + row[place + 1 :] for row in rows])


def test_keys_are_blamed_by_how_many_they_make_unique() -> None:
    # x y: (1 a) (1 b) (2 a) are all unique; without x, b alone is; without y, 2 alone is
    found = count_key_uniques({"x": pl.Series([1, 1, 2]), "y": pl.Series(["a", "b", "a"])})
    assert (found.unique, found.blamed) == (3, (("x", 2), ("y", 2)))


def test_without_keys_there_is_nobody() -> None:
    assert count_key_uniques({}).unique == 0
