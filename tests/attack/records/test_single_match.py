"""He claims whoever is single in his list and single in the sample, nobody else, and errs only by unknown doubles."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack import ADVERSARIES
from sekisho.attack.records.cell_adversary import SingleMatch
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import exact_table
from sekisho.errors import ParameterError
from sekisho.seeds import Seed


def make_data(values: list[str]) -> Dataset:
    frame = pl.DataFrame({"x": values}, schema={"x": pl.String})
    return Dataset(frame, Schema((Column(name="x", kind=Kind.CATEGORY),)))


@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9), st.lists(st.sampled_from("abcdef"), max_size=9))
def test_he_claims_the_singles_of_both(mine: list[str], sample: list[str]) -> None:
    guess = SingleMatch().guess(exact_table(make_data(sample)), make_data(mine), rng=Seed(1).rng())
    times, drawn = Counter(mine), Counter(sample)
    wanted = {(str(mine.index(value)), sample.index(value)) for value in times if times[value] == drawn[value] == 1}
    assert set(zip(guess.person, guess.published.tolist(), strict=True)) == wanted
    assert guess.detail["known"] == len(mine)


def test_he_errs_where_somebody_unknown_has_the_values() -> None:
    # Rows 0 and 1 have a; of the two he knows row 0 only. The sample holds row 1: he names row 0, wrongly.
    whole, sample = make_data(["a", "a", "b"]), make_data(["a"])
    part = Dataset(whole.frame[[0, 2]], whole.schema)
    guess = SingleMatch().guess(exact_table(sample), part, rng=Seed(1).rng())
    assert (guess.person, guess.published.tolist()) == (("0",), [0])
    assert len(SingleMatch().guess(exact_table(sample), whole, rng=Seed(1).rng())) == 0


def test_a_part_of_the_file_is_drawn_and_named_by_the_file() -> None:
    # 40 of 50 unique records, all published: 40 claims, all of them by the file's own rows.
    whole = make_data([f"v{row}" for row in range(50)])
    guess = SingleMatch(known=40).guess(exact_table(whole), whole, rng=Seed(2).rng())
    assert len(guess) == 40
    assert [int(person) for person in guess.person] == guess.published.tolist()
    other = SingleMatch(known=40).guess(exact_table(whole), whole, rng=Seed(3).rng())
    assert set(other.person) != set(guess.person)


def test_what_he_believes_is_the_papers_risk() -> None:
    # n0 4, m 3, n 12: 4/(12 - 3 + 1)
    guess = ADVERSARIES.make("partial-knowledge", records=12).guess(
        exact_table(make_data(["a", "b", "z"])), make_data(["a", "b", "c", "d"]), rng=Seed(1).rng()
    )
    assert guess.chance.tolist() == [0.4, 0.4]


def test_what_cannot_be_known_is_refused() -> None:
    with pytest.raises(ParameterError, match="known must be at least 1, not 0"):
        SingleMatch(known=0)
    with pytest.raises(ParameterError, match=r"known must be at most the number of records \(2\), not 3"):
        SingleMatch(known=3).guess(exact_table(make_data(["a"])), make_data(["a", "b"]), rng=Seed(1).rng())
