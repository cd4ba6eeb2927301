"""The list of candidates counts every partner once, and knows who has few."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.records import partners
from sekisho.data.records.partners import PartnerCounts, count_all_partners, list_partners
from sekisho.data.records.space import RecordSpace
from sekisho.errors import ParameterError

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="ill", kind=Kind.CATEGORY),
    )
)


def make_data(rows: list[tuple[int, str, str]]) -> Dataset:
    frame = pl.DataFrame(rows, schema={"age": pl.Int64, "town": pl.String, "ill": pl.String}, orient="row")
    return Dataset(frame, SCHEMA)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ab"), st.sampled_from("xy")), min_size=1, max_size=12),
    st.integers(0, 3),
    st.integers(0, 4),
)
def test_every_partner_is_counted_and_the_first_are_listed(
    rows: list[tuple[int, str, str]], limit: int, first: int
) -> None:
    (points,) = RecordSpace().points(make_data(rows))
    near = [
        [
            other
            for other, there in enumerate(rows)
            if other != row and max(abs(here[0] - there[0]), (here[1] != there[1]) + (here[2] != there[2])) <= limit
        ]
        for row, here in enumerate(rows)
    ]
    counts = count_all_partners(points, limit)
    assert counts.counts.tolist() == [len(each) for each in near]
    frame = list_partners(points, limit, counts, first)
    assert frame["record"].to_list() == list(range(len(rows)))
    assert frame["partners"].to_list() == [len(each) for each in near]
    assert ("first" in frame.columns) == (first > 0)
    if first:
        assert frame["first"].to_list() == [" ".join(map(str, each[:first])) for each in near]


def test_the_figures_of_eight_records() -> None:
    # sorted 0 0 1 2 3 4 25 26: at places 1.75, 3.5 and 5.25 lie 0.75, 2.5 and 4 + 0.25 * 21 = 9.25
    counts = PartnerCounts(counts=np.array([3, 0, 26, 1, 0, 25, 4, 2]))
    told = counts.as_dict(25)
    assert (told["min"], told["max"], told["none"], told["at_most_few"]) == (0, 26, 2, 7)
    assert told["quartiles"] == [0.75, 2.5, 9.25]
    assert told["share_at_most_few"] == 7 / 8
    assert counts.find_few(0).tolist() == [1, 4]


def test_lists_that_would_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    (points,) = RecordSpace().points(make_data([(1, "a", "x"), (1, "a", "x")]))
    monkeypatch.setattr(partners, "MOST_PAIRS", 1)
    counts = count_all_partners(points, 0)
    assert list_partners(points, 0, counts).height == 2
    with pytest.raises(ParameterError, match=r"first must be 0 where there are more than 1 pairs \(2\), not 3"):
        list_partners(points, 0, counts, 3)


def test_no_records_have_no_figures() -> None:
    with pytest.raises(ParameterError, match="records must be at least one"):
        PartnerCounts(counts=np.zeros(0, dtype=np.int64))
