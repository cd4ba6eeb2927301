"""A sample has the size it says, falls on everybody alike, and with a seed does not depend on the order of the rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.records.microdata import compute_record_keys, count_categories
from sekisho.errors import ParameterError
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.sample import Sample, allot_strata, draw_order
from sekisho.safety.sampling import GuaranteeGap
from sekisho.seeds import Seed, choose_words, secret_rng


def make_people(ids: list[str], towns: list[str]) -> Dataset:
    schema = Schema(
        (
            Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
            Column(name="town", kind=Kind.CATEGORY),
            Column(name="same", kind=Kind.CATEGORY),
        )
    )
    return Dataset(pl.DataFrame({"id": ids, "town": towns, "same": ids}), schema)


def draw_ids(data: Dataset, method: Sample, seed: int) -> list[str]:
    return method.apply(data, rng=Seed(seed).rng()).published()["same"].to_list()


@given(
    st.permutations(range(30)),
    st.integers(1, 30),
    st.integers(0, 99),
    st.sampled_from(["", "town"]),
    st.sampled_from(["", "person "]),
)
def test_the_same_seed_draws_the_same_people_from_reordered_rows(
    order: list[int], size: int, seed: int, strata: str, called: str
) -> None:
    ids = [f"{called}{row * 7}" for row in range(30)]
    towns = [["a", "b", "c"][row % 7 % 3] for row in range(30)]
    method = Sample(size=size, strata=strata)
    first = draw_ids(make_people(ids, towns), method, seed)
    again = draw_ids(make_people([ids[row] for row in order], [towns[row] for row in order]), method, seed)
    assert first == again
    assert len(set(first)) == size


def test_rows_that_are_not_drawn_are_marked_and_emptied() -> None:
    data = make_people([str(row) for row in range(10)], ["a"] * 10)
    release = Sample(size=4).apply(data, rng=Seed(3).rng())
    assert int((~release.deleted).sum()) == 4
    assert set(np.flatnonzero(~release.deleted)) == set(release.drawn)
    cells = release.table.sets("same")
    assert (cells.suppressed == release.deleted).all()
    kept = [cells.domain[code] for code in cells.codes]
    assert kept == [data.frame["same"][int(row)] for row in np.flatnonzero(~release.deleted)]


def test_everybody_is_drawn_and_placed_equally_often() -> None:
    # 3 of 6, 4,000 seeds: each person 2,000 times, sd 31.6; each place 667 times, sd 23.6. Five deviations are allowed.
    data = make_people([str(row) for row in range(6)], ["a"] * 6)
    parts = allot_strata(count_categories(data), "", 3)
    for secret in (False, True):
        times = np.zeros((6, 3), dtype=np.int64)
        for seed in range(4000):
            rng = secret_rng() if secret else Seed(seed).rng()
            order = draw_order(parts, compute_record_keys(data), choose_words(rng))
            times[order, range(3)] += 1
        assert (abs(times.sum(axis=1) - 2000) < 5 * 31.7).all()
        assert (abs(times - 666.7) < 5 * 23.6).all()


def test_strata_get_their_part() -> None:
    towns = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    data = make_people([str(row) for row in range(100)], towns)
    even = Sample(size=20, strata="town").apply(data, rng=Seed(1).rng())
    assert dict(even.published()["town"].value_counts().iter_rows()) == {"a": 12, "b": 6, "c": 2}
    given_sizes = Sample(size=20, strata="town", allocation={"a": 5, "b": 5, "c": 10})
    release = given_sizes.apply(data, rng=Seed(1).rng())
    assert dict(release.published()["town"].value_counts().iter_rows()) == {"a": 5, "b": 5, "c": 10}
    assert [part.sample for part in release.mechanism.strata] == [5, 5, 10]
    with pytest.raises(ParameterError, match="allocation must give every stratum its part of 20"):
        Sample(size=20, strata="town", allocation={"a": 20}).apply(data, rng=Seed(1).rng())


def test_the_risk_goes_with_the_release() -> None:
    # 100/501 as in the plan; with all in one stratum of 10, a known person there is found.
    data = make_people([str(row) for row in range(1000)], ["a"] * 990 + ["b"] * 10)
    detail = Sample(size=500, known=100).apply(data, rng=Seed(1).rng()).detail
    assert detail["risk"] == pytest.approx(100 / 501)
    assert detail["randomness"] == "seeded"
    # sampling alone is never guaranteed; everybody here has an id of his own among the values
    assert (detail["guaranteed"], detail["uniques"]) == (False, 1000)
    assert str(detail["promise"]).startswith("promised only if")
    assert str(Sample(size=5).apply(data, rng=Seed(1).rng()).detail["promise"]).startswith("nothing is promised")
    assert Sample(size=5).apply(data, rng=secret_rng()).detail["randomness"] == "secret"
    assert Sample(size=5).apply(data, rng=Seed(1).rng()).detail["risk"] == 1.0
    split = Sample(size=500, known=100, strata="town").apply(data, rng=Seed(1).rng()).detail
    assert (split["risk"], split["gap"]) == (1.0, str(GuaranteeGap.EXHAUSTED))


@pytest.mark.parametrize("secret", [False, True])
def test_the_place_of_a_record_does_not_tell_its_stratum(*, secret: bool) -> None:
    # All 200 of a, 20 of 2,000 of b. The 20 places of b among 220 have mean 110.5, of their mean the sd is
    # sqrt((220^2 - 1) / 12 * (200 / 219) / 20) = 13.6; five are allowed. Ordered by the words that chose them, all of b
    # would come first.
    data = make_people([str(row) for row in range(2200)], ["a"] * 200 + ["b"] * 2000)
    method = Sample(size=220, strata="town", allocation={"a": 200, "b": 20})
    release = method.apply(data, rng=secret_rng() if secret else Seed(5).rng())
    places = np.flatnonzero(release.drawn >= 200) + 1
    assert len(places) == 20
    assert abs(places.mean() - 110.5) < 5 * 13.6


def test_numbers_must_be_coded_first() -> None:
    schema = Schema((Column(name="age", kind=Kind.INTEGER),))
    with pytest.raises(ParameterError, match="columns must be categories"):
        Sample(size=1).apply(Dataset(pl.DataFrame({"age": [1, 2]}), schema), rng=Seed(1).rng())


def test_a_share_of_the_records_is_drawn_and_told_as_a_number() -> None:
    data = make_people([str(row) for row in range(99)], ["a"] * 99)
    release = Sample(size="10%", known=5).apply(data, rng=Seed(3).rng())
    assert int((~release.deleted).sum()) == release.detail["sample"] == 9  # floor(9.9)
    assert release.detail["risk"] == 5 / 91
    assert 0 < float(str(release.detail["chance"])) < 5 / 91
    assert Sample(size="10%") == Sample(size="10%") != Sample(size=9)
    assert draw_ids(data, Sample(size="10%"), 3) == draw_ids(data, Sample(size=9), 3)


def test_weights_of_strata_draw_at_rates_in_their_proportion() -> None:
    towns = ["a"] * 60 + ["b"] * 40
    data = make_people([str(row) for row in range(100)], towns)
    method = Sample(size=36, strata="town", weights={"a": Fraction(1), "b": Fraction(3)})
    drawn = method.apply(data, rng=Seed(3).rng()).published()["town"].to_list()
    assert (drawn.count("a"), drawn.count("b")) == (12, 24)  # a fifth of a, three fifths of b


def test_sizes_and_weights_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ParameterError, match="size must be a whole number of records, or a percentage"):
        Sample(size="ten")
    with pytest.raises(ParameterError, match="weights must be given together with strata"):
        Sample(size=3, weights={"a": Fraction(1)})
    with pytest.raises(ParameterError, match="weights must not be given together with an allocation"):
        Sample(size=3, strata="town", weights={"a": Fraction(1)}, allocation={"a": 3})
    with pytest.raises(ParameterError, match="sample must be a whole number"):
        Pram(k=Fraction(2), sample="x")
