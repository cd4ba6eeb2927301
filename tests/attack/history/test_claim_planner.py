"""The planner says beforehand how likely an attack is effective, and finds the claims that make it most so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.laws import try_examples

from sekisho.attack.history import claim_planner as planner
from sekisho.attack.history.claim_planner import Claim, ClaimPlan, TwinBlock, evaluate_claims, find_best_plan
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.seeds import Seed

UNION = RejectionRule()
EXACT = RejectionRule(bound=Bound.EXACT)
PAIR, SINGLE = TwinBlock(size=2), TwinBlock(size=1)


def test_twelve_pairs() -> None:
    # r(24) = 18: at least 9 of 12 pairs, sum of C(12, 9..12) / 2^12 = (220 + 66 + 12 + 1) / 4096. No other number of
    # pairs does better.
    plan = find_best_plan([PAIR] * 500, UNION)
    assert plan.chance == Fraction(299, 4096)
    assert (plan.claimed, plan.threshold, plan.expected) == (24, 18, 12)
    assert plan == evaluate_claims([Claim(block=pair, claimed=2) for pair in range(12)], [PAIR] * 500, UNION)


def test_two_raw_customers_among_pairs() -> None:
    # Two sure hits and three pairs: eight of eight, as r(8) = 8 asks, with chance 1/8. The exact bound falls to
    # claiming everybody.
    blocks = [SINGLE] * 2 + [PAIR] * 499
    assert find_best_plan(blocks, UNION).chance == Fraction(1, 8)
    plan = find_best_plan(blocks, EXACT)
    assert (plan.claimed, plan.chance) == (1000, 1)


def test_groups_of_three() -> None:
    # Two groups whole and one of a third: seven of seven, 1/6 x 1/6 x 1/3, under either bound.
    for rule in (UNION, EXACT):
        plan = find_best_plan([TwinBlock(size=3)] * 333, rule)
        assert plan.chance == Fraction(1, 108)
        assert Counter(claim.claimed for claim in plan.claims) == {3: 2, 1: 1}


def test_a_hundred_unique_customers_are_the_end() -> None:
    for rule in (UNION, EXACT):
        assert find_best_plan([SINGLE] * 100 + [PAIR] * 450, rule).chance > Fraction(999_999, 1_000_000)


def test_nothing_to_claim() -> None:
    assert find_best_plan([], UNION) == ClaimPlan(
        claims=(), claimed=0, threshold=1, chance=Fraction(0), expected=Fraction(0)
    )


def test_a_hopeless_case_names_as_many_as_it_can() -> None:
    plan = find_best_plan([PAIR], UNION)
    assert (plan.claimed, plan.chance) == (2, 0)


def test_the_surest_are_claimed() -> None:
    blocks = [TwinBlock(size=1, sure=Fraction(percent, 100)) for percent in (10, 99, 20, 98, 97, 96, 95, 94, 93)]
    plan = find_best_plan(blocks, UNION)
    assert [claim.block for claim in plan.claims] == [1, 3, 4, 5, 6, 7, 8]
    assert plan.chance == Fraction(99 * 98 * 97 * 96 * 95 * 94 * 93, 100**7)


def find_best_by_listing(blocks: list[TwinBlock], rule: RejectionRule) -> Fraction:
    """Try every number of claims on every block."""
    return max(
        evaluate_claims(
            [Claim(block=place, claimed=part) for place, part in enumerate(parts) if part], blocks, rule
        ).chance
        for parts in product(*(range(block.size + 1) for block in blocks))
    )


@given(st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=5), st.sampled_from(Bound))
def test_never_better_than_trying_everything_and_steady_apart_rarely_worse(sizes: list[int], bound: Bound) -> None:
    rule = RejectionRule(p=Fraction(1, 4), alpha=Fraction(1, 50), bound=bound)
    blocks = [TwinBlock(size=size) for size in sizes]
    plan = find_best_plan(blocks, rule)
    everything = find_best_by_listing(blocks, rule)
    if not any(claim.steady for claim in plan.claims):
        assert plan.chance <= everything
    assert float(plan.chance) >= 0.8 * float(everything)


def list_partitions(total: int, largest: int) -> Iterator[list[int]]:
    """Yield every way to write a number as a sum of parts, none above the largest."""
    if total == 0:
        yield []
    for part in range(1, min(total, largest) + 1):
        yield from ([part, *rest] for rest in list_partitions(total - part, part))


@pytest.mark.parametrize(("size", "most"), [(2, 30), (3, 15), (4, 13), (5, 12)])
def test_no_other_shape_of_a_small_plan_does_better(size: int, most: int) -> None:
    # Every way to spread up to so many claims over groups, whole or in part.
    blocks = [TwinBlock(size=size)] * 30
    best = find_best_plan(blocks[: most // size + 1], UNION).chance
    for claimed in range(7, most + 1):
        for parts in list_partitions(claimed, size):
            plan = evaluate_claims(
                [Claim(block=place, claimed=part) for place, part in enumerate(parts)], blocks, UNION
            )
            assert plan.chance <= best


@given(st.integers(0, 80), st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=40), st.sampled_from(Bound))
def test_one_claim_more_raises_the_threshold_by_one_at_most(claimed: int, p: Fraction, bound: Bound) -> None:
    # Why a sure hit is always worth claiming; proven in docs/methods/claim-planner.md.
    rule = RejectionRule(p=p, bound=bound)
    assert rule.threshold(claimed + 1) <= rule.threshold(claimed) + 1


@pytest.mark.parametrize("rule", [UNION, EXACT], ids=["union", "exact"])
def test_climbing_finds_what_trying_all_counts_finds(rule: RejectionRule, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [SINGLE] * 2 + [TwinBlock(size=1, sure=Fraction(1, 2))] * 3 + [PAIR] * 12 + [TwinBlock(size=3)] * 5
    full = find_best_plan(blocks, rule)
    monkeypatch.setattr(planner, "COMBINATIONS", 0)
    assert find_best_plan(blocks, rule).chance == full.chance


def test_simulation_confirms_the_chance() -> None:
    # 20,000 attacks on 12 pairs and on two groups of three with one of a third; five standard errors.
    rng = Seed(1).rng()
    for sizes, named in (([2] * 12, [2] * 12), ([3] * 3, [3, 3, 1])):
        plan = evaluate_claims(
            [Claim(block=place, claimed=part) for place, part in enumerate(named)],
            [TwinBlock(size=size) for size in sizes],
            UNION,
        )
        hits = np.zeros(20_000, np.int64)
        for size, part in zip(sizes, named, strict=True):
            dealt = rng.permuted(np.tile(np.arange(size), (len(hits), 1)), axis=1)
            hits += (dealt[:, :part] == np.arange(part)).sum(axis=1)
        chance = float(plan.chance)
        assert (hits >= plan.threshold).mean() == pytest.approx(chance, abs=5 * (chance / len(hits)) ** 0.5)


def test_a_few_larger_groups_do_not_lead_astray(monkeypatch: pytest.MonkeyPatch) -> None:
    # As if there were too many counts to try all. A four and a three whole are seven of seven with 1/24 x 1/6; two threes and one of
    # a third remain better: 1/108.
    monkeypatch.setattr(planner, "COMBINATIONS", 0)
    blocks = [TwinBlock(size=3)] * 200 + [TwinBlock(size=4)]
    for rule in (UNION, EXACT):
        assert find_best_plan(blocks, rule).chance == Fraction(1, 108)


@try_examples(15)
@given(
    st.lists(st.tuples(st.sampled_from([1, 2, 3, 4]), st.integers(0, 1000)), min_size=1, max_size=60),
    st.sampled_from(Bound),
    st.sampled_from([0, 5_000]),
)
def test_neither_trimmed_laws_nor_floating_point_change_a_plan(
    kinds: list[tuple[int, int]], bound: Bound, combinations: int
) -> None:
    blocks = [TwinBlock(size=size, sure=Fraction(sure, 1000)) for size, sure in kinds]
    rule = RejectionRule(bound=bound)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "COMBINATIONS", combinations)
        quick = find_best_plan(blocks, rule)
        patch.setattr(planner, "TRIM", 0.0)
        assert find_best_plan(blocks, rule) == quick
        patch.setattr(planner, "MOST_EXACT", 0)
        rough = evaluate_claims(quick.claims, blocks, rule)
    assert float(rough.chance) == pytest.approx(float(quick.chance), rel=1e-9, abs=1e-12)
    assert (rough.claimed, rough.threshold, rough.expected) == (quick.claimed, quick.threshold, quick.expected)


def test_the_chance_of_very_many_claims() -> None:
    # 2,001 singles, each right with 1/2: hits are binomial; r(2001) = 1222 lies ten deviations of 22.4 above their mean.
    blocks = [TwinBlock(size=1, sure=Fraction(1, 2))] * 2001
    plan = evaluate_claims([Claim(block=block, claimed=1) for block in range(2001)], blocks, UNION)
    assert plan.expected == Fraction(2001, 2)
    assert plan.threshold == UNION.threshold(2001)
    assert float(plan.chance) == pytest.approx(float(binom.sf(plan.threshold - 1, 2001, 0.5)), rel=1e-6)
