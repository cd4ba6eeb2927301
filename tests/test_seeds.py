"""Randomness can be replayed when it was recorded, and only then."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import ParameterError
from sekisho.seeds import SecretGenerator, Seed, random_order, secret_rng

seeds = st.integers(0, 2**63 - 1).map(Seed)


@given(seeds)
def test_the_same_seed_gives_the_same_numbers(seed: Seed) -> None:
    assert seed.rng().integers(0, 2**60) == seed.rng().integers(0, 2**60)


@given(seeds, st.text(max_size=5), st.text(max_size=5))
def test_children_differ_by_name_and_from_their_parent(seed: Seed, one: str, other: str) -> None:
    assert (seed.child(one) == seed.child(other)) == (one == other)
    assert seed.child(one) != seed


@pytest.mark.parametrize("value", [-1, 2**63])
def test_a_seed_outside_its_range_is_refused(value: int) -> None:
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        Seed(value)


def test_secret_randomness_is_of_its_own_type_and_never_repeats() -> None:
    assert isinstance(secret_rng(), SecretGenerator)
    assert secret_rng().integers(0, 2**62) != secret_rng().integers(0, 2**62)
    assert Seed.draw() != Seed.draw()


@given(seeds, st.lists(st.integers(0, 2**63), unique=True, min_size=1, max_size=30))
def test_a_keyed_order_does_not_depend_on_the_rows_order(seed: Seed, keys: list[int]) -> None:
    first = np.array(keys, dtype=np.uint64)
    other = first[::-1].copy()
    assert np.array_equal(first[random_order(first, rng=seed.rng())], other[random_order(other, rng=seed.rng())])


def test_a_keyed_order_is_uniform_over_the_places() -> None:
    # 4,000 orders of five keys: each key stands first 800 times in the mean, and the
    # standard deviation is sqrt(4000 * 0.2 * 0.8) = 25.3; five of them are 127.
    keys, rng = np.arange(5, dtype=np.uint64), Seed(1).rng()
    first = np.bincount([random_order(keys, rng=rng)[0] for _ in range(4000)], minlength=5)
    assert np.all(np.abs(first - 800) < 127)
