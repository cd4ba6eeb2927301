"""The referee draws fairly and counts as the contest's own program did."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack.guess import Guess
from sekisho.attack.records.referee import draw_test_set, judge
from sekisho.errors import InfeasibleError, ParameterError


def lmark(answers: list[int], guess: list[list[int]]) -> tuple[float, float, float]:
    """The definitions, in the words of the rules."""
    members = {i for i, answer in enumerate(answers) if answer > -1}
    said = {i for i, line in enumerate(guess) if line[0] > -1}
    hit = sum(answers[i] in guess[i] for i in members)
    return len(said & members) / len(members), len(said & members) / len(said), hit / len(members)


@given(st.integers(0, 2**32))
def test_rates_equal_the_definitions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    answers = np.where(rng.random(100) < 0.5, rng.integers(0, 9, 100), -1)
    answers[0] = 3
    rows = np.where(rng.random((100, 1)) < 0.6, rng.integers(0, 9, (100, 3)), -1)
    rows[0] = [1, 2, 3]
    found = judge(answers, Guess.of_rows(rows), delta=0.01, count=3)
    recall, precision, topk = lmark(answers.tolist(), rows.tolist())
    assert (found.recall, found.precision, found.topk) == pytest.approx((recall, precision, topk), abs=1e-12)
    assert found.risk == pytest.approx((recall + 0.01) * (precision + 0.01) * (topk + 0.01), abs=1e-12)
    assert found.risk_with(0) == pytest.approx(recall * precision * topk, abs=1e-12)


def test_all_members_and_a_third_found_gives_the_slides_order_of_risk() -> None:
    # 50 members of 100 all called, 15 of the 50 found: (1.01)(0.51)(0.31) = 0.159681
    answers = np.array([7] * 50 + [-1] * 50)
    rows = np.array([[7, 0, 1]] * 15 + [[0, 1, 2]] * 85)
    found = judge(answers, Guess.of_rows(rows), delta=0.01, count=3)
    assert (found.members, found.claimed, found.rightly, found.hits) == (50, 100, 50, 15)
    assert found.risk == pytest.approx(0.159681, abs=1e-12)


def test_calling_nobody_has_no_precision() -> None:
    found = judge(np.array([4, -1]), Guess.of_rows(np.full((2, 3), -1)), delta=0.01, count=3)
    assert (found.recall, found.precision, found.topk) == (0, 0, 0)
    assert found.risk == pytest.approx(1e-6)


def test_blind_naming_expects_its_share_and_further_rows_do_not_count() -> None:
    # Two members and one stranger called, each with rows 0, 1, 2 of 12: blindly 2 * 3 / 12 of the members are found;
    # with one answer 2 / 12.
    answers, guess = np.array([2, 5, -1]), Guess.of_rows(np.array([[0, 1, 2]] * 3))
    found = judge(answers, guess, delta=0.01, count=3, rows=12)
    assert (found.hits, found.baseline) == (1, pytest.approx(0.5))
    alone = judge(answers, guess, delta=0.01, count=1, rows=12)
    assert (alone.hits, alone.baseline) == (0, pytest.approx(2 / 12))


def test_the_test_set_is_half_kept_half_deleted_in_the_originals_order() -> None:
    deleted = np.zeros(400, dtype=np.bool_)
    deleted[::3] = True
    test = draw_test_set(deleted, rng=np.random.default_rng(1))
    assert len(test.rows) == 100
    assert (np.diff(test.rows) > 0).all()
    assert (deleted[test.rows] == (test.answers == -1)).all()
    assert (test.answers == -1).sum() == 50
    kept = np.flatnonzero(~deleted)
    members = test.answers >= 0
    assert (kept[test.answers[members]] == test.rows[members]).all()


def test_a_shuffled_release_has_shuffled_answers() -> None:
    deleted = np.arange(300) % 2 == 0
    order = np.random.default_rng(2).permutation(150)
    plain = draw_test_set(deleted, rng=np.random.default_rng(1))
    shuffled = draw_test_set(deleted, rng=np.random.default_rng(1), order=order)
    members = plain.answers >= 0
    assert (shuffled.answers[members] == order[plain.answers[members]]).all()
    assert (shuffled.answers[~members] == -1).all()


def test_too_few_records_and_odd_lengths_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="50 kept and 50 deleted"):
        draw_test_set(np.arange(120) < 30, rng=np.random.default_rng(0))
    with pytest.raises(ParameterError, match="name known records by their rows, 0 to 99, not '100'"):
        judge(np.zeros(100, dtype=np.int64), Guess.of_rows(np.zeros((101, 3), dtype=np.int64)), delta=0.01, count=3)
    with pytest.raises(ParameterError, match="member"):
        judge(np.full(3, -1), Guess.of_rows(np.zeros((3, 3), dtype=np.int64)), delta=0.01, count=3)
