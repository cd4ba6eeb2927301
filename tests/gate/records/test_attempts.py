"""Whoever hides among k is not held to be found; whoever is named surely is, however few they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack.records.cell_adversary import Prosecutor, SingleMatch
from sekisho.attack.records.row_scores import NearestRows
from sekisho.gate.records.cell_attacks import CellAttack, CellAttempt, list_usual_adversaries, measure_share, reads_keys
from sekisho.safety.hit_rate import HitRate


def attack(people: int, claimed: int, hits: int, expected: float | None = None) -> CellAttack:
    return CellAttack(
        adversary="he",
        keys=("age",),
        people=people,
        claimed=claimed,
        hoped=None,
        by_chance=0.0,
        rate=HitRate(hits=hits, trials=claimed),
        expected=expected,
    )


@given(st.integers(2, 20), st.integers(0, 500), st.data())
def test_whoever_hides_among_k_is_found_with_one_in_k_at_most(k: int, claimed: int, data: st.DataObject) -> None:
    people = data.draw(st.integers(claimed, 2 * claimed + 1))
    hits = data.draw(st.integers(0, claimed))  # one draw of the attacker may be lucky
    assert measure_share(attack(people, claimed, hits, expected=claimed / k)) <= 1 / k + 1e-12


def test_classes_of_just_k_are_at_the_limit_and_do_not_refute() -> None:
    found = attack(100, 100, 31, expected=20.0)
    attempt = CellAttempt(
        adversary="he",
        claimed=100,
        hits=31,
        baseline=1.0,
        strength=measure_share(found) / 0.2,
        attack=found,
        allowed=0.2,
    )
    assert attempt.strength == pytest.approx(1.0)
    assert not attempt.refutes


def test_a_few_that_are_named_surely_refute_though_they_are_a_small_share() -> None:
    # 20 of 20: the true chance is above 0.025^(1/20) = 0.8316 beyond doubt; a share of 20 / 1000 would pass
    assert measure_share(attack(1000, 20, 20)) == pytest.approx(0.025 ** (1 / 20))
    assert measure_share(attack(1000, 1, 1)) == pytest.approx(0.025)  # one right claim is no evidence
    assert measure_share(attack(1000, 0, 0)) == 0.0


def test_without_the_truth_his_own_hope_counts() -> None:
    hoping = CellAttack(
        adversary="he", keys=("age",), people=10, claimed=10, hoped=5.0, by_chance=1.0, rate=None, expected=None
    )
    assert measure_share(hoping) == pytest.approx(0.5)


def test_who_attacks_where_nobody_is_named() -> None:
    usual = list_usual_adversaries((("age",),))
    assert list(usual) == ["prosecutor", "prosecutor keys=age", "nearest-cell", "partial-knowledge"]
    assert all(reads_keys(each) for each in usual.values())
    assert reads_keys(SingleMatch(known=3))
    assert reads_keys(Prosecutor())
    assert not reads_keys(NearestRows())
