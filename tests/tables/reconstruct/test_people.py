"""What tables leave possible of the people behind them: counted, measured and proven, as enumeration says."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.gate.tables.reconstruction import classify
from sekisho.tables.check.people import count_lacking, people_errors
from sekisho.tables.reconstruct.people import MOST, BlockAnswer, PeopleSystem, Reconstructor
from sekisho.tables.reconstruct.programs import FewestProgram, PeopleBlock

Wholes = NDArray[np.int64]
SHAPE = (2, 6, 5, 2)
SEX, AGE, RACE, HISP = np.indices(SHAPE).reshape(4, -1)
TABLES = {
    "sex_age": SEX * 6 + AGE,
    "race_hisp": RACE * 2 + HISP,
    "sex_age_white": (SEX * 6 + AGE) * 2 + (RACE == 0),
    "race_hisp_adult": (RACE * 2 + HISP) * 2 + (AGE >= 2),
    "sex_age_race": (SEX * 6 + AGE) * 5 + RACE,
    "sex_age_hisp": (SEX * 6 + AGE) * 2 + HISP,
    "sex_race": SEX * 5 + RACE,
    "age_race": AGE * 5 + RACE,
}


def rows_of(*names: str) -> Wholes:
    keys = [TABLES[name] for name in names]
    return np.vstack([(key[None, :] == np.arange(key.max() + 1)[:, None]).astype(np.int64) for key in keys])


def ask(
    rows: Wholes, truth: Wholes, *, known: bool = True, slack: int = 0, how: Reconstructor | None = None
) -> BlockAnswer:
    counts = rows @ truth
    system = PeopleSystem.of(csr_array(rows))
    low, high = np.maximum(0, counts - slack)[None], (counts + slack)[None]
    (answer,) = (how or Reconstructor()).answer_blocks(system, low, high, truth[None] if known else None)
    accept(rows, low[0], high[0], answer, truth if known else None)
    return answer


def accept(rows: Wholes, low: Wholes, high: Wholes, answer: BlockAnswer, truth: Wholes | None) -> None:
    """Have the checker look at every witness."""
    lists = [np.flatnonzero(row).tolist() for row in rows]
    for each in answer.witnesses:
        assert not list(people_errors(lists, low.tolist(), high.tolist(), each.tolist()))
    one, two = answer.witnesses[-2:]
    assert count_lacking(one.tolist(), two.tolist()) == answer.two_may_differ
    if truth is not None:
        assert count_lacking(truth.tolist(), answer.witnesses[1].tolist()) == answer.may_differ


@pytest.mark.parametrize("cap", [20_000, 2])
def test_blocks_of_the_data(shared: Callable[[str], Path], cap: int) -> None:
    # with a cap of 2 nothing is listed: searches and programs must say the same as the list of all solutions
    for case in json.loads(shared("tables/beyond/reconstruction.json").read_text("utf-8"))["cases"]:
        truth = np.zeros(SHAPE, dtype=np.int64)
        for each in case["people"]:
            truth[each["sex"], each["age"], each["race"], each["hisp"]] += each["n"]
        answer = ask(rows_of(*case["tables"]), truth.ravel(), how=Reconstructor(solutions=cap))
        assert answer.may_differ == case["may_differ_from_truth"]
        assert answer.two_may_differ == answer.two_at_most == case["two_solutions_may_differ"]
        assert (answer.certain, answer.settled) == (case["records_in_every_solution"], True)
        assert answer.unique == (case["solutions"] == 1)
        assert answer.solutions == min(cap, case["solutions"])
        assert answer.people == (int(truth.sum()), int(truth.sum()))


def list_all(rows: Wholes, low: Wholes, high: Wholes, most: int) -> Wholes:
    every = np.array(list(product(range(most + 1), repeat=rows.shape[1])), dtype=np.int64)
    sums = every @ rows.T
    return every[np.all((sums >= low) & (sums <= high), axis=1)]


@given(st.integers(0, 10**6), st.integers(0, 2), st.sampled_from([2, 5000]), st.sampled_from([3, 20_000]))
def test_small_blocks_are_those_of_enumeration(seed: int, slack: int, cap: int, nodes: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.vstack([np.eye(2, dtype=np.int64).repeat(3, axis=1), np.tile(np.eye(3, dtype=np.int64), 2)])
    rows = rows[rng.permutation(5)[: rng.integers(4, 6)]]
    truth = rng.integers(0, 3, 6)
    covered = rows.sum(axis=0) > 0
    rows, truth = rows[:, covered], truth[covered]
    counts = rows @ truth
    low, high = np.maximum(0, counts - slack), counts + slack
    every = list_all(rows, low, high, min(6, int(high.max())))
    answer = ask(rows, truth, slack=slack, how=Reconstructor(solutions=cap, nodes=nodes, seconds=20.0))
    assert answer.solutions == min(cap, len(every)) or nodes == 3
    assert answer.settled
    assert answer.certain == int(every.min(axis=0).sum())
    assert answer.may_differ == int(np.maximum(0, truth - every).sum(axis=1).max())
    apart = np.maximum(0, every[:, None, :] - every[None, :, :]).sum(axis=2)
    assert answer.two_may_differ <= apart.max() <= answer.two_at_most
    assert answer.two_may_differ == apart.max()


def test_tables_that_contradict_each_other() -> None:
    rows = rows_of("sex_age", "race_hisp")
    counts = np.zeros((1, len(rows)), dtype=np.int64)
    counts[0, 0] = 1  # one by sex and age, nobody by race
    (answer,) = Reconstructor().answer_blocks(PeopleSystem.of(csr_array(rows)), counts, counts)
    assert not answer.possible
    assert not answer.unique
    assert classify([answer])["impossible"] == 1


def test_noise_hides_what_exact_tables_give_away() -> None:
    rng = np.random.default_rng(5)
    truth = rng.multinomial(20, rng.dirichlet([0.5] * 120))
    rows = rows_of("sex_age_race", "race_hisp_adult", "sex_age_hisp")
    exact, noisy = ask(rows, truth), ask(rows, truth, slack=1, known=True)
    assert exact.certain > noisy.certain
    assert (exact.may_differ or 0) < (noisy.may_differ or 0)


def test_groups_are_partitions() -> None:
    rows = rows_of("sex_age", "race_hisp")[:-1]  # one cell of the second table is not published
    system = PeopleSystem.of(csr_array(rows))
    dense = system.matrix.toarray()
    for group in range(system.groups):
        assert np.array_equal(dense[system.group == group].sum(axis=0), np.ones(120))


def test_a_kept_linear_program_may_be_asked_twice_of_a_cell() -> None:
    # two cells that add up to 3, the first at most 2: at least 0 and 1 of them
    rows, one = csr_array(np.ones((1, 2), dtype=np.int64)), np.array([3])
    program = FewestProgram(PeopleBlock(rows, one, one, np.zeros(2, dtype=np.int64), np.array([2, 3])))
    for cell, least in ((0, 0), (1, 1), (1, 1), (0, 0)):
        found, point = program.find_fewest(cell)
        assert (found, point is not None and point[cell]) == (least, least)


def test_a_kind_that_nothing_bounds_is_never_unique() -> None:
    # of two cells only one is told: the other may hold anybody; and one that must hold somebody may hold more
    rows = csr_array(np.array([[1, 0], [0, 1]], dtype=np.int64))
    for low, certain in ((0, 2), (4, 6)):
        lows, highs = np.array([[2, low]]), np.array([[2, MOST]])
        for truth in (None, np.array([[2, low + 3]])):
            (answer,) = Reconstructor().answer_blocks(PeopleSystem.of(rows), lows, highs, truth)
            assert (answer.unique, answer.complete, answer.two_at_most, answer.people[1]) == (False, False, None, None)
            assert (answer.certain, answer.settled) == (certain, True)
            assert answer.may_differ == (None if truth is None else 3)
