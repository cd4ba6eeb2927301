"""Strata may be drawn from at different rates, each by a fixed size: then every promise per stratum holds as it stands."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import FaultsError, ParameterError
from sekisho.safety.planner import allot_sample
from sekisho.safety.sampling import Stratum
from sekisho.safety.strata_file import read_strata

SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=5)


def make(sizes: list[int]) -> list[Stratum]:
    return [Stratum(name=f"s{place}", records=size, sample=0) for place, size in enumerate(sizes)]


def test_twice_the_weight_is_twice_the_rate() -> None:
    # 600 w 1 and 400 w 3: 100 drawn at 600 : 1200, a third and two thirds; 33 1/3 and 66 2/3 round to 33 and 67
    strata = [Stratum(name="n", records=600, sample=0), Stratum(name="s", records=400, sample=0)]
    drawn = allot_sample(strata, 100, {"n": Fraction(1), "s": Fraction(3)})
    assert [part.sample for part in drawn] == [33, 67]
    # a stratum cannot give more than it has: 4 of 4, and the rest from the other
    few = [Stratum(name="n", records=600, sample=0), Stratum(name="s", records=4, sample=0)]
    assert [part.sample for part in allot_sample(few, 100, {"n": Fraction(1), "s": Fraction(100)})] == [96, 4]


@given(SIZES, st.data())
def test_sizes_add_up_and_stay_within_one_of_their_share(sizes: list[int], data: st.DataObject) -> None:
    strata = make(sizes)
    sample = data.draw(st.integers(1, sum(sizes)))
    weights = {part.name: data.draw(st.fractions(Fraction(1, 9), 9, max_denominator=9)) for part in strata}
    drawn = allot_sample(strata, sample, weights)
    assert sum(part.sample for part in drawn) == sample
    assert all(0 <= part.sample <= part.records for part in drawn)
    # those not drawn whole are drawn at rates in the proportion of their weights, but for rounding
    open_parts = [part for part in drawn if part.sample < part.records]
    for one in open_parts:
        for other in open_parts:
            rate = Fraction(one.sample + 1, one.records) / weights[one.name]
            assert rate >= Fraction(other.sample - 1, other.records) / weights[other.name]


@given(SIZES, st.data())
def test_equal_weights_are_none(sizes: list[int], data: st.DataObject) -> None:
    strata = make(sizes)
    sample = data.draw(st.integers(1, sum(sizes)))
    same = {part.name: Fraction(5, 7) for part in strata}
    assert allot_sample(strata, sample, same) == allot_sample(strata, sample)


@pytest.mark.parametrize("weights", [{"s0": 1}, {"s0": 1, "s1": 0}, {"s0": 1, "s1": 1, "s2": 1}, {}])
def test_weights_are_those_of_the_strata(weights: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match="weights must give every stratum a weight above 0"):
        allot_sample(make([5, 5]), 3, {name: Fraction(weight) for name, weight in weights.items()})


def test_a_file_tells_shares_or_weights(tmp_path: Path) -> None:
    path = tmp_path / "strata.csv"
    path.write_text("stratum,records,known,sample\nn,600,50,10%\ns,400,20,7\n")
    assert [part.sample for part in read_strata(path).strata] == [60, 7]
    path.write_text("stratum,records,weight\nn,600,1/2\ns,400,3\n")
    assert read_strata(path).weights == {"n": Fraction(1, 2), "s": Fraction(3)}
    for text in (
        "stratum,records,weight\nn,6,0\n",
        "stratum,records,sample\nn,6,1x\n",
        "stratum,records,sample\nn,6,1%\n",
    ):
        path.write_text(text)
        with pytest.raises(FaultsError):
            read_strata(path)
    path.write_text("stratum,records,sample,weight\nn,6,1,1\n")
    with pytest.raises(FaultsError, match="samples need no weights"):
        read_strata(path)
