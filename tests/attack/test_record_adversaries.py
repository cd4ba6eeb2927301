"""An adversary must find what the model leaves to find, and answer in the contest's form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.attack.records.density import (
    CalibratedLinkage,
    DensityMembership,
    SwapBack,
    choose_members,
    compute_density_chance,
    put_assigned_first,
)
from sekisho.attack.records.index_alignment import IndexAlignment, align_rows
from sekisho.attack.records.partner_guess import BandPartner, FarthestRows, LargestLoss, Mixture, RandomPartner
from sekisho.attack.records.referee import draw_test_set, judge
from sekisho.attack.records.row_scores import NearestRows, pick_best_rows
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.partners import losses, squares
from sekisho.data.shape import Shape
from sekisho.data.synthetic.health import HEALTH_SPACE, health_records
from sekisho.errors import ParameterError
from sekisho.gate.fit import fit
from sekisho.protect import Method
from sekisho.protect.records.delete import DeleteFew, DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.swap import Choice, Swap

DATA = health_records(1000, rng=np.random.default_rng(11))


SAID = read_record_rules("pwscup2021").parameters()
LINKERS = [name for name in ADVERSARIES.find_names(Shape.RECORDS) if name != "posterior"]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def delete_and_change(change: Method, share: float = 0.4) -> Release:
    return InTurn(delete=DeleteRandom(share=share), change=change).apply(DATA, rng=rng(1))


def measure_risk(release: Release, adversary: Adversary, seeds: int = 8) -> float:
    table, risks = release.table.take(~release.deleted), list[float]()
    for seed in range(seeds):
        test = draw_test_set(release.deleted, rng=rng(seed))
        people = Dataset(DATA.frame[test.rows], DATA.schema)
        guess = fit(adversary, SAID).guess(table, people, rng=rng(seed))
        risks.append(judge(test.answers, guess, delta=0.01, count=3).risk)
    return float(np.mean(risks))


NOISE = fit(Noise(epsilon={"age": 1.0, "bmi": 2.0}), SAID)


@cache
def make_noisy() -> Release:
    return delete_and_change(NOISE)


@cache
def make_swapped(choice: Choice = Choice.RANDOM) -> Release:
    return delete_and_change(Swap(limit=4, few=-1, choice=choice))


@pytest.mark.parametrize("name", LINKERS)
def test_every_adversary_answers_in_form_and_repeatably(name: str) -> None:
    adversary = fit(ADVERSARIES.make(name), SAID)
    table = make_swapped().table.take(~make_swapped().deleted)
    people = Dataset(DATA.frame[:60], DATA.schema)
    guess = adversary.guess(table, people, rng=rng())
    rows, named = guess.rows(60, 3), Counter(guess.person)
    assert rows.max() < len(table)
    for person, line in enumerate(rows.tolist()):
        assert line == [-1] * 3 if rows[person, 0] < 0 else len(set(line)) == min(3, named[str(person)])
    again = fit(ADVERSARIES.make(name), SAID).guess(table, people, rng=rng())
    assert (again.rows(60, 3) == rows).all()


def test_nearest_rows_are_the_nearest_and_half_are_called_members() -> None:
    table = make_noisy().table.take(~make_noisy().deleted)
    people = Dataset(DATA.frame[:100], DATA.schema)
    rows = fit(NearestRows(), SAID).guess(table, people, rng=rng()).rows(100, 3)
    member = rows[:, 0] >= 0
    distance = squares(*HEALTH_SPACE.points(people, table.to_dataset()))
    for i in np.flatnonzero(member):
        assert sorted(distance[i, rows[i]].tolist()) == sorted(distance[i].tolist())[:3]
    assert 50 <= member.sum() <= 55  # ties at the median stay members


def test_partner_guesses_stay_within_reach_and_follow_their_score() -> None:
    table = make_swapped().table.take(~make_swapped().deleted)
    people = Dataset(DATA.frame[:80], DATA.schema)
    points, rows = HEALTH_SPACE.points(people, table.to_dataset())
    loss, square = losses(points, rows), squares(points, rows)

    def name_rows(adversary: Adversary) -> NDArray[np.int64]:
        return fit(adversary, SAID).guess(table, people, rng=rng()).rows(80, 3)

    near = loss <= 4 * points.unit
    enough = near.sum(axis=1) >= 3
    for adversary in (FarthestRows(), LargestLoss(), RandomPartner(), BandPartner(), Mixture(), SwapBack()):
        answers = name_rows(adversary)
        assert (answers >= 0).all()
        if not isinstance(adversary, SwapBack):
            assert np.take_along_axis(near, answers, axis=1)[enough].all()
    far, largest, mixed = name_rows(FarthestRows()), name_rows(LargestLoss()), name_rows(Mixture())
    for i in np.flatnonzero(enough):
        assert square[i, far[i, 0]] == square[i][near[i]].max()
        assert loss[i, largest[i, 0]] == loss[i][near[i]].max()
        assert square[i, mixed[i, 0]] == square[i][near[i]].max()


def test_a_far_swap_falls_to_the_farthest_and_noise_to_calibrated_linkage() -> None:
    assert measure_risk(make_swapped(Choice.FAR), FarthestRows()) > 2 * measure_risk(
        make_swapped(Choice.FAR), RandomPartner()
    )
    assert measure_risk(make_noisy(), CalibratedLinkage()) > 1.3 * measure_risk(make_noisy(), NearestRows())


def test_the_swap_model_beats_random_partners() -> None:
    assert measure_risk(make_swapped(), SwapBack(), 20) > 1.15 * measure_risk(make_swapped(), RandomPartner(), 20)


def test_the_index_attack_breaks_an_ordered_release() -> None:
    assert measure_risk(make_swapped(), IndexAlignment()) > 2 * measure_risk(make_swapped(), SwapBack())


def test_density_tells_members_when_sparse_records_were_deleted() -> None:
    # Noise moves nobody far, so the rows are as dense as the kept records; a swap with deleted records would hide it.
    release = InTurn(delete=fit(DeleteFew(few=25), SAID), change=NOISE).apply(DATA, rng=rng(2))
    table = release.table.take(~release.deleted)
    right = total = 0
    for seed in range(5):
        test = draw_test_set(release.deleted, rng=rng(seed))
        density = fit(ADVERSARIES.make("density"), SAID)
        guess = density.guess(table, Dataset(DATA.frame[test.rows], DATA.schema), rng=rng())
        member = guess.rows(len(test.rows), 3)[:, 0] >= 0
        right += int((member & (test.answers >= 0)).sum())
        total += int(member.sum())
    assert right / total > 0.75


def test_density_chance_is_even_where_known_records_look_like_the_rows() -> None:
    counts = np.arange(1, 1001)
    assert compute_density_chance(counts, counts) == pytest.approx(0.5, abs=0.01)


def test_the_alignment_is_the_best_of_all_ascending_ones() -> None:
    gain, price = rng(4).normal(size=(3, 5)), -0.2

    def total_gain(rows: tuple[int, ...]) -> float:
        return sum(price if row < 0 else gain[i, row] for i, row in enumerate(rows))

    every = [
        rows
        for rows in {tuple(p) for p in permutations([*range(5), -1, -1, -1], 3)}
        if (used := [row for row in rows if row >= 0]) == sorted(used)
    ]
    alignment = tuple(int(row) for row in align_rows(gain, price))
    assert total_gain(alignment) == pytest.approx(max(map(total_gain, every)))


def test_the_assignment_gives_each_record_a_row_of_its_own() -> None:
    weight = np.array([[0.9, 0.8, 0.1, 0.1], [0.9, 0.1, 0.1, 0.1]])
    # Greedily both would take row 0; together 0.8 * 0.9 is best.
    assert put_assigned_first(weight, rng=rng(), answers=3)[:, 0].tolist() == [1, 0]


def test_calling_members_follows_the_expected_risk() -> None:
    # All alike: calling everyone wins, (1)(p)(h) grows with everyone called.
    assert choose_members(np.full(10, 0.5), np.full(10, 0.1), 0.01).all()
    # Five sure members among five strangers: call the five.
    sure = np.array([1.0] * 5 + [0.0] * 5)
    assert choose_members(sure, sure / 2, 0.01).tolist() == [True] * 5 + [False] * 5


def test_best_rows_are_ordered_and_ties_fall_by_chance() -> None:
    score = np.array([[1, 9, 5, 9]])
    firsts = {int(pick_best_rows(score, rng=rng(seed), answers=2)[0, 0]) for seed in range(20)}
    assert firsts == {1, 3}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NearestRows(answers=0), "answers must be at least 1, not 0"),
        (lambda: SwapBack(limit=-1), "limit must be given, at least 0"),
        (lambda: BandPartner(low=-1), "low must be at least 0, not -1"),
        (lambda: BandPartner(limit=2, low=3), "low must lie between 0 and the limit 2, not 3"),
    ],
)
def test_impossible_parameters_are_refused_where_they_are_said(make: Callable[[], Adversary], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_who_needs_a_limit_that_nobody_says_asks_for_it() -> None:
    table = make_swapped().table.take(~make_swapped().deleted)
    with pytest.raises(ParameterError, match="limit must be given, at least 0, where no rules say it, not None"):
        RandomPartner(answers=3).guess(table, Dataset(DATA.frame[:9], DATA.schema), rng=rng())


@pytest.mark.parametrize("name", LINKERS)
@pytest.mark.parametrize("rows", [3, 5])
def test_more_known_records_than_rows_are_answered(name: str, rows: int) -> None:
    table = make_swapped().table.take(np.flatnonzero(~make_swapped().deleted)[:rows])
    guess = fit(ADVERSARIES.make(name), SAID).guess(table, Dataset(DATA.frame[:9], DATA.schema), rng=rng())
    lines, named = guess.rows(9, 3), Counter(guess.person)
    for person, line in enumerate(lines.tolist()):
        assert set(line) == {-1} or len(set(line)) == min(3, named[str(person)])
    assert lines.max() < rows


def test_records_left_over_by_the_assignment_name_their_heaviest_rows() -> None:
    # Three records, three rows, and a fourth record that likes row 0 less than record 0 does, so it is left over: its
    # best are 0, 2, 1.
    weight = np.array([[9.0, 1, 1], [1, 9, 1], [1, 1, 9], [3, 1, 2]])
    assert put_assigned_first(weight, rng=rng(), answers=3)[[0, 3]].tolist()[1] == [0, 2, 1]
    assert put_assigned_first(weight, rng=rng(), answers=3)[:3, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("delta", [-0.1, 1.1, float("nan")])
def test_a_delta_that_no_risk_has_is_refused(delta: float) -> None:
    for adversary in (CalibratedLinkage, DensityMembership):
        with pytest.raises(ParameterError, match=r"delta must (lie between 0 and 1|be a finite number)"):
            adversary(delta=delta)
