"""Members of a group must be the same to every eye, at the least loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from tests.laws import try_examples

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.distance import cell_errors
from sekisho.data.frame.release import Release
from sekisho.data.frame.spread import standard_deviation
from sekisho.data.history.arrays import History
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.history import groups
from sekisho.protect.history.grouping.align import align
from sekisho.protect.history.grouping.assignment import bound_pairs, build_pair_matrix, compute_pairs
from sekisho.protect.history.grouping.program import PairCosts, find_best_pairing
from sekisho.protect.history.grouping.rows import lay_out_rows, stretch_rows
from sekisho.protect.history.grouping.search import GroupGuess, guess_cost, split_anew
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)
SHORT = 0.5
"""Effort that keeps a test short."""


def draw_history(seed: int, people: int, most: int) -> Dataset:
    rng = Seed(seed).rng()
    owner = np.repeat(np.arange(people), rng.integers(1, most + 1, people))
    rows = len(owner)
    frame = pl.DataFrame(
        {
            "customer": [f"c{one:03d}" for one in owner],
            "date": [date(2011, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 90, rows)],
            "item": [f"i{code}" for code in rng.zipf(1.6, rows) % 40],
            "price": rng.integers(1, 2000, rows),
            "quantity": rng.zipf(1.8, rows) % 200 + 1,
        },
        schema_overrides={"price": pl.Int64, "quantity": pl.Int64},
    )
    return Dataset(frame.sample(fraction=1.0, shuffle=True, seed=seed), SCHEMA)


def measure_utility(data: Dataset, release: Release) -> float:
    return float(np.mean(list(cell_errors(data, release.table).values())))


def list_histories(release: Release) -> dict[int, tuple[tuple[object, ...], ...]]:
    """Return each pseudonym's rows, sorted, cell by cell: the independent view of the release."""
    table, shown = release.table, np.flatnonzero(~release.deleted).tolist()
    assert table.pseudonym is not None
    histories: dict[int, list[tuple[object, ...]]] = {}
    items = table.sets("item")
    for row in shown:
        cells: list[object] = [tuple(items.codes[items.offsets[row] : items.offsets[row + 1]].tolist())]
        for name in ("date", "price", "quantity"):
            column = table.numbers(name)
            cells.append((bool(column.suppressed[row]), int(column.lower[row]), int(column.upper[row])))
        histories.setdefault(int(table.pseudonym[row]), []).append(tuple(cells))
    return {name: tuple(sorted(rows, key=str)) for name, rows in histories.items()}


@try_examples(12)
@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 4))
def test_every_published_history_is_shared_by_k(seed: int, people: int, k: int) -> None:
    data = draw_history(seed, max(people, k), 6)
    release = Groups(k=k, effort=SHORT).apply(data, rng=Seed(seed).rng())
    histories = list_histories(release)
    assert data.frame["customer"].n_unique() - len(histories) < max(k, 1)
    assert min(Counter(histories.values()).values()) >= k
    for column in data.schema.attributes:
        if column.kind.numeric:
            assert release.table.numbers(column.name).admits(data.grid(column.name)).all()
        else:
            assert release.table.sets(column.name).admits(data.codes(column.name)).all()


@pytest.mark.parametrize(("k", "people", "most"), [(3, 23, 12), (2, 24, 12), (2, 23, 12), (3, 9, 5)])
def test_every_step_is_a_valid_release_that_costs_what_it_says(k: int, people: int, most: int) -> None:
    data = draw_history(3, people, most)
    steps = list(Groups(k=k, effort=2.0).improve(data, rng=Seed(1).rng()))
    assert len(steps) > 1
    for step in steps:
        release = step.release()
        assert min(Counter(list_histories(release).values()).values()) >= k
        assert release.detail["lower_bound"] == step.bound
        assert step.bound <= measure_utility(data, release) <= step.utility + 1e-9
    assert measure_utility(data, steps[-1].release()) == pytest.approx(steps[-1].utility, abs=1e-9)
    assert steps[-1].utility <= steps[0].utility


def test_two_customers_worked_by_hand() -> None:
    # a: (day 0, x), (day 60, y); b: (day 61, y), all at one price. Only a's second row can stay: dates [60;61] cost 1 /
    # (2 sd) each, the quantities 2 and 2 nothing; a's first row is deleted: 4 cells. sd of 0, 60, 61 is 28.523.
    frame = pl.DataFrame(
        {
            "customer": ["a", "a", "b"],
            "date": [date(2011, 1, 1) + timedelta(days=day) for day in (0, 60, 61)],
            "item": ["x", "y", "y"],
            "price": [100, 100, 100],
            "quantity": [1, 2, 2],
        }
    )
    data = Dataset(frame, SCHEMA)
    release = Groups(k=2).apply(data, rng=Seed(1).rng())
    assert release.deleted.tolist() == [True, False, False]
    assert measure_utility(data, release) == pytest.approx((4 + 1 / float(np.std([0, 60, 61]))) / 12, abs=1e-12)


def test_pair_costs_are_scipys_on_costs_written_out() -> None:
    data = draw_history(5, 12, 15)
    history = History.of(data)
    rows = lay_out_rows(history)
    first, second = (np.array(side) for side in zip(*combinations(range(12), 2), strict=True))
    ours = compute_pairs(rows, first, second, np.full(len(first), np.inf))
    for one, two, cost in zip(first, second, ours, strict=True):
        mine = history.order[history.starts[one] : history.starts[one + 1]]
        theirs = history.order[history.starts[two] : history.starts[two + 1]]
        plain = np.zeros((len(mine), len(theirs)))
        for column, deviation in enumerate(map(standard_deviation, history.numbers.T)):
            values = history.numbers[:, column]
            plain += np.minimum(2, np.abs(values[mine][:, None] - values[theirs][None, :]) / deviation)
        plain += history.codes[mine] != history.codes[theirs].T
        assert cost == pytest.approx(
            plain[linear_sum_assignment(plain)].sum() + 4 * abs(len(mine) - len(theirs)), abs=1e-9
        )
        assert build_pair_matrix(rows, int(one), int(two)) == pytest.approx(plain, abs=1e-9)


@given(st.integers(0, 10**6))
def test_the_pairing_is_the_cheapest_of_all(seed: int) -> None:
    rows = lay_out_rows(History.of(draw_history(seed, 8, 6)))
    first, second = (np.array(side) for side in zip(*combinations(range(8), 2), strict=True))
    cost = np.zeros((8, 8))
    cost[first, second] = cost[second, first] = compute_pairs(rows, first, second, np.full(len(first), np.inf))
    cheapest = min(
        sum(cost[order[place], order[place + 1]] for place in range(0, 8, 2)) for order in permutations(range(8))
    )
    assert find_best_pairing(PairCosts.of(rows)).cost == pytest.approx(cheapest, abs=1e-5)


@try_examples(10)
@given(st.integers(0, 10**6))
def test_bounds_never_exceed_what_they_bound(seed: int) -> None:
    data = draw_history(seed, 9, 8)
    rows = lay_out_rows(History.of(data))
    first, second = (np.array(side) for side in zip(*combinations(range(9), 2), strict=True))
    assert (
        bound_pairs(rows)[first, second] <= compute_pairs(rows, first, second, np.full(len(first), np.inf)) + 1e-6
    ).all()
    for group in ((0, 1), (2, 3, 4), (5, 6, 7, 8), (0, 2, 4, 6, 8), tuple(range(7))):
        first, second = (np.array(side) for side in zip(*combinations(group, 2), strict=True))
        pairs = compute_pairs(stretch_rows(rows, len(group)), first, second, np.full(len(first), np.inf))
        assert pairs.sum() / (len(group) - 1) <= align(rows, np.array(group), 3)[0] + 1e-6


def test_realigning_never_loses_and_the_cost_is_that_of_the_cells() -> None:
    data = draw_history(8, 5, 25)
    rows = lay_out_rows(History.of(data))
    people = np.arange(5)
    costs = [align(rows, people, rounds)[0] for rounds in (0, 1, 2, 6)]
    assert costs == sorted(costs, reverse=True)
    one_group = Groups(k=5, effort=0).apply(data, rng=Seed(1).rng())
    assert measure_utility(data, one_group) * 4 * len(data) == pytest.approx(align(rows, people, 8)[0], abs=1e-9)


@try_examples(20)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(0, 2))
def test_two_groups_split_anew_are_groups_that_no_exchange_makes_cheaper(seed: int, k: int, more: int) -> None:
    rng = Seed(seed).rng()
    pairs = rng.random((12, 12)).astype(np.float32)
    guess = GroupGuess(
        lengths=rng.integers(1, 9, 12),
        per_row=pairs + pairs.T,
        near=np.zeros((12, 1), np.int64),
        width=4.0,
        k=k,
        share=1.0,
    )
    pool = rng.permutation(12)[: 2 * k + more]
    here, there = split_anew(guess, pool, 2 * k, rng)
    assert sorted([*here, *there]) == sorted(pool)
    assert k <= min(len(here), len(there))
    assert max(len(here), len(there)) <= 2 * k
    least = guess_cost(guess, here) + guess_cost(guess, there)
    for one in range(len(here)):
        for two in range(len(there)):
            left, right = here.copy(), there.copy()
            left[one], right[two] = there[two], here[one]
            assert guess_cost(guess, left) + guess_cost(guess, right) >= least - 1e-6


@pytest.mark.parametrize(("few", "worse"), [(12, 1.0), (0, 1.005)])
def test_trying_all_groups_and_the_search_find_the_cheapest_of_all_splits(
    few: int, worse: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Six customers in two groups of three: ten splits, so the best is known.
    monkeypatch.setattr("sekisho.protect.history.grouping.few.FEW", few)
    for seed in range(4):
        data = draw_history(seed, 6, 8)
        rows = lay_out_rows(History.of(data))
        everyone = np.arange(6)
        cheapest = min(
            align(rows, np.array(chosen), 8)[0] + align(rows, np.setdiff1d(everyone, chosen), 8)[0]
            for chosen in combinations(range(6), 3)
        )
        ours = measure_utility(data, Groups(k=3, effort=SHORT).apply(data, rng=Seed(1).rng()))
        assert ours * 4 * len(data) <= worse * cheapest + 1e-9


def test_the_same_seed_gives_the_same_release() -> None:
    data = draw_history(4, 20, 8)
    first, second = (Groups(k=3, effort=SHORT).apply(data, rng=Seed(7).rng()) for _ in range(2))
    assert list_histories(first) == list_histories(second)


def test_sets_above_the_limit_become_stars() -> None:
    data = draw_history(9, 6, 10)
    release = Groups(k=6, effort=0, max_set=2).apply(data, rng=Seed(1).rng())
    assert int(release.table.sets("item").sizes().max()) <= 2


def test_it_beats_the_simple_baseline_clearly() -> None:
    data = draw_history(11, 60, 30)
    simple = measure_utility(data, SimilarLength(k=3).apply(data, rng=Seed(1).rng()))
    ours = measure_utility(data, Groups(k=3, effort=5).apply(data, rng=Seed(1).rng()))
    assert ours < 0.8 * simple


def test_too_few_customers_and_bad_parameters_are_named() -> None:
    with pytest.raises(InfeasibleError, match="5 customers cannot form a group of 6"):
        Groups(k=6).apply(draw_history(1, 5, 4), rng=Seed(1).rng())
    for make, name in (
        (lambda: Groups(k=0), "k"),
        (lambda: Groups(effort=-1), "effort"),
        (lambda: Groups(seconds=0), "seconds"),
        (lambda: Groups(max_set=0), "max_set"),
    ):
        with pytest.raises(ParameterError, match=f"^{name} must"):
            make()


def test_the_first_customers_of_round_two(shared: Callable[[str], Path]) -> None:
    lines = [line.split(",") for line in shared("pwscup2018/T_round2.csv").read_text().split()]
    chosen = sorted({line[0] for line in lines})[:40]
    rows = [line for line in lines if line[0] in set(chosen)]
    frame = pl.DataFrame(
        {
            "customer": [row[0] for row in rows],
            "date": [date(*map(int, row[1].split("/"))) for row in rows],
            "item": [row[2] for row in rows],
            "price": [round(100 * float(row[3])) for row in rows],
            "quantity": [int(row[4]) for row in rows],
        }
    )
    data = Dataset(frame, SCHEMA)
    for k in (2, 3):
        release = Groups(k=k, effort=20).apply(data, rng=Seed(1).rng())
        assert min(Counter(list_histories(release).values()).values()) >= k


@try_examples(8)
@given(st.integers(0, 10**6), st.integers(12, 40), st.integers(2, 4))
def test_in_blocks_every_published_history_is_shared_by_k(seed: int, people: int, k: int) -> None:
    data = draw_history(seed, people, 6)
    steps = list(Groups(k=k, effort=SHORT, block=3 * k).improve(data, rng=Seed(seed).rng()))
    for step in steps:
        release = step.release()
        assert min(Counter(list_histories(release).values()).values()) >= k
        assert step.bound <= measure_utility(data, release) == pytest.approx(step.utility, abs=1e-9)
    release = steps[-1].release()
    assert int(str(release.detail["blocks"])) > 1
    for column in data.schema.attributes:
        if column.kind.numeric:
            assert release.table.numbers(column.name).admits(data.grid(column.name)).all()
        else:
            assert release.table.sets(column.name).admits(data.codes(column.name)).all()


@pytest.mark.parametrize(("k", "block"), [(2, 24), (3, 22), (3, 0), (1, 5)])
def test_data_that_fit_one_block_are_searched_as_without_blocks(k: int, block: int) -> None:
    data = draw_history(4, 24, 8)  # at k = 3 a block of 22 is rounded up to 24
    whole = Groups(k=k, effort=SHORT, block=0).apply(data, rng=Seed(1).rng())
    cut = Groups(k=k, effort=SHORT, block=block).apply(data, rng=Seed(1).rng())
    assert list_histories(cut) == list_histories(whole)
    assert cut.detail == whole.detail


def test_many_customers_are_cut_into_blocks_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "UNCUT", 40)
    monkeypatch.setattr(groups, "BLOCK", 10)
    data = draw_history(4, 24, 4)
    assert Groups(k=2, effort=0).apply(data, rng=Seed(1).rng()).detail["blocks"] == 4  # 12 pairs: 4, 2, 2, 4
    assert "blocks" not in Groups(k=2, effort=0, block=0).apply(data, rng=Seed(1).rng()).detail


@pytest.mark.parametrize(
    ("k", "customers", "size"),
    [(2, 1800, None), (2, 1801, 300), (3, 1000, None), (3, 1201, 300), (7, 514, None), (7, 515, 301), (1, 9999, None)],
)
def test_the_larger_the_groups_the_fewer_customers_are_searched_at_once(
    k: int, customers: int, size: int | None
) -> None:
    assert Groups(k=k).choose_size(customers) == size
    assert Groups(k=k, block=0).choose_size(customers) is None


def test_a_block_or_threads_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParameterError, match="block"):
        Groups(block=-1)
    with pytest.raises(ParameterError, match="jobs"):
        Groups(jobs=0)


def test_seconds_hold_within_a_pass_and_the_release_is_shared_by_k_all_the_same() -> None:
    data = draw_history(7, 60, 9)
    whole = Groups(k=3, block=9, effort=20.0)
    step, *more = replace(whole, seconds=1e-9).improve(data, rng=Seed(3).rng())
    assert not more
    release = step.release()
    assert min(Counter(list_histories(release).values()).values()) >= 3
    assert measure_utility(data, release) == pytest.approx(step.utility)
    *_, best = whole.improve(data, rng=Seed(3).rng())
    assert best.utility < step.utility  # which was grouped by length alone
