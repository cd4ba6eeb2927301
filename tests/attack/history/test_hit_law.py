"""The hits of a guess on twins, against every permutation."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack.history.claim_planner import TwinBlock, compute_hit_law, convolve_laws
from sekisho.errors import ParameterError


def test_a_pair_guessed_whole_gives_two_hits_or_none() -> None:
    assert compute_hit_law(2, 2) == (Fraction(1, 2), 0, Fraction(1, 2))


def test_three_guessed_whole() -> None:
    # Of six permutations two fix nothing, three fix one, one fixes all.
    assert compute_hit_law(3, 3) == (Fraction(1, 3), Fraction(1, 2), 0, Fraction(1, 6))


def test_one_customer_for_all_twins_is_one_hit() -> None:
    assert compute_hit_law(4, 4, steady=True) == (0, 1)
    assert compute_hit_law(4, 1, steady=True) == compute_hit_law(4, 1) == (Fraction(3, 4), Fraction(1, 4))


@pytest.mark.parametrize("size", range(1, 7))
def test_against_every_permutation(size: int) -> None:
    for claimed in range(size + 1):
        counts = Counter(sum(order[i] == i for i in range(claimed)) for order in permutations(range(size)))
        assert compute_hit_law(size, claimed) == tuple(
            Fraction(counts[hits], counts.total()) for hits in range(claimed + 1)
        )


def test_a_doubtful_block() -> None:
    assert TwinBlock(size=1, sure=Fraction(3, 5)).law(1) == (Fraction(2, 5), Fraction(3, 5))
    assert TwinBlock(size=2, sure=Fraction(1, 2)).law(2) == (Fraction(3, 4), 0, Fraction(1, 4))


laws = st.lists(st.fractions(0, 1, max_denominator=9), min_size=1, max_size=4).map(
    lambda weights: tuple((weight + 1) / (sum(weights) + len(weights)) for weight in weights)
)


@given(st.lists(laws, max_size=4))
def test_the_law_of_a_sum(parts: list[tuple[Fraction, ...]]) -> None:
    expected = {0: Fraction(1)}
    for law in parts:
        longer: dict[int, Fraction] = {}
        for value, chance in expected.items():
            for more, weight in enumerate(law):
                longer[value + more] = longer.get(value + more, Fraction(0)) + chance * weight
        expected = longer
    assert dict(enumerate(convolve_laws(parts))) == expected


def test_impossible_blocks_are_refused() -> None:
    with pytest.raises(ParameterError, match="size must be at least 1"):
        TwinBlock(size=0)
    with pytest.raises(ParameterError, match="sure must lie between 0 and 1"):
        TwinBlock(size=1, sure=Fraction(3, 2))
    with pytest.raises(ParameterError, match="claimed must lie between 0 and size"):
        compute_hit_law(2, 3)
