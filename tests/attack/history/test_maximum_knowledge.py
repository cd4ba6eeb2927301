"""The strongest adversary names nearly everyone in raw data, and no more than his share where people are alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from scipy.stats import binomtest
from tests.attack.histories import make_history, make_release, make_shop, read_contest
from verify.mixed import leave_raw

from sekisho.attack.history.maximum_knowledge import MaximumKnowledge, gain_insight
from sekisho.attack.history.referee import HistoryJudgement, judge
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed

RULES = read_history_rules("pwscup2018")


@pytest.fixture(scope="module")
def original(shared: Callable[[str], Path]) -> Dataset:
    return read_contest(shared("pwscup2018/T_round2.csv"))


def judge_attack(
    original: Dataset, release: Release, adversary: MaximumKnowledge, seed: int = 1
) -> tuple[HistoryJudgement, float]:
    guess = adversary.guess(release.table.take(~release.deleted), original, rng=Seed(seed).rng())
    assert guess.predicted is not None
    return judge(original, release, guess, RULES, adversary.bound or Bound.UNION), guess.predicted


def test_raw_histories_are_named_nearly_all(original: Dataset) -> None:
    release = SimilarLength(k=1).apply(original, rng=Seed(1).rng())
    verdict, chance = judge_attack(original, release, MaximumKnowledge())
    assert (verdict.claimed, verdict.effective, chance) == (1000, True, 1)
    assert verdict.hits >= 998


@pytest.mark.parametrize("k", [2, 3])
def test_groups_are_not_beaten(original: Dataset, k: int) -> None:
    # Whole groups of k: a claim is right with chance 1/k. A group's hits have mean and variance 1, so the hits of all
    # have a standard deviation of the root of the number of groups; five of them.
    release = SimilarLength(k=k).apply(original, rng=Seed(1).rng())
    verdict, _ = judge_attack(original, release, MaximumKnowledge(everyone=True))
    assert verdict.claimed == 1000
    assert abs(verdict.hits - 1000 // k) <= 5 * (1000 / k) ** 0.5


@pytest.mark.parametrize("bound", Bound)
def test_a_hundred_unique_customers_fall_under_both_bounds(original: Dataset, bound: Bound) -> None:
    release = leave_raw(original, SimilarLength(k=2).apply(original, rng=Seed(1).rng()), 100)
    verdict, chance = judge_attack(original, release, MaximumKnowledge(bound=bound))
    assert verdict.effective
    assert chance > 0.999999


def test_two_raw_customers_fall_under_the_exact_bound_and_one_time_in_eight_under_the_contests(
    original: Dataset,
) -> None:
    release = leave_raw(original, SimilarLength(k=2).apply(original, rng=Seed(1).rng()), 2)
    verdict, chance = judge_attack(original, release, MaximumKnowledge(bound=Bound.EXACT))
    assert (verdict.effective, chance) == (True, 1)
    verdict, chance = judge_attack(original, release, MaximumKnowledge())
    assert (verdict.claimed, verdict.threshold, chance) == (8, 8, 1 / 8)


def test_the_predicted_chance_comes_true() -> None:
    # Two raw customers among pairs, 150 attackers: as many effective ones as a chance of 1/8 allows.
    original = make_shop(40, rng=Seed(1).rng(), longest=20)
    release = leave_raw(original, SimilarLength(k=2).apply(original, rng=Seed(2).rng()), 2)
    outcomes = [judge_attack(original, release, MaximumKnowledge(), seed) for seed in range(150)]
    assert {chance for _, chance in outcomes} == {1 / 8}
    assert binomtest(sum(verdict.effective for verdict, _ in outcomes), 150, 1 / 8).pvalue > 1e-4


def test_twins_are_one_block() -> None:
    original = make_history([("a", 1, "x", 100, 1), ("b", 2, "x", 100, 1), ("c", 9, "z", 100, 1)])
    row = ((1, 2), ("x",), (100, 100), (1, 1))
    table = make_release(original, [(11, *row), (12, *row), (13, (9, 9), ("z",), None, None)])
    insight = gain_insight(table, original)
    assert sorted(block.size for block in insight.blocks) == [1, 2]
    assert {block.sure for block in insight.blocks} == {Fraction(1)}
    guess = MaximumKnowledge(everyone=True).guess(table, original, rng=Seed(1).rng())
    assert sorted(guess.person[:2]) == ["a", "b"]
    assert guess.person[2] == "c"
    assert guess.chance.tolist() == pytest.approx([0.5, 0.5, 1])


def test_the_chances_are_honest_where_doubt_remains() -> None:
    # Nine cells of ten suppressed at random in short histories, so that many pseudonyms keep several candidates.
    hits, expected, spread = 0, 0.0, 0.0
    for seed in range(30):
        original = make_shop(25, rng=Seed(seed).rng(), longest=5)
        release = SimilarLength(k=1).apply(original, rng=Seed(seed).child("names").rng())
        hidden = Seed(seed).child("cells").rng().random((4, len(original))) < 0.9
        columns = {
            name: cells.suppress(mask)
            for (name, cells), mask in zip(release.table.columns.items(), hidden, strict=True)
        }
        blurred = replace(release, table=replace(release.table, columns=columns))
        guess = MaximumKnowledge(everyone=True).guess(blurred.table, original, rng=Seed(seed).rng())
        hits += judge(original, blurred, guess, RULES, Bound.UNION).hits
        expected += guess.expected_hits
        spread += float((guess.chance * (1 - guess.chance)).sum())
    assert abs(hits - expected) <= 5 * spread**0.5


def test_parameters_outside_their_interval_are_refused() -> None:
    with pytest.raises(ParameterError, match="alpha must lie strictly between 0 and 1"):
        MaximumKnowledge(alpha=Fraction(1))
