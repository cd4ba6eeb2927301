"""No release may be called impossible that exists: every bound stays below the cheapest k-anonymous release of all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.protect.every_release import EveryRelease, draw_history
from tests.shopping import Line, shop

from sekisho.data.frame.dataset import Dataset
from sekisho.data.history.arrays import History
from sekisho.protect.history.grouping.align import align
from sekisho.protect.history.grouping.assignment import compute_pairs
from sekisho.protect.history.grouping.bound import bound_groups, bound_pairs_and_threes, bound_release
from sekisho.protect.history.grouping.few import align_exactly
from sekisho.protect.history.grouping.partial import PartialCosts
from sekisho.protect.history.grouping.program import PairCosts, find_best_pairing
from sekisho.protect.history.grouping.rows import lay_out_rows, stretch_rows
from sekisho.protect.history.groups import Groups
from sekisho.seeds import Seed
from sekisho.utility.cell_error import CellError


@st.composite
def draw_tiny_history(draw: st.DrawFn) -> Dataset:
    """Return a history of up to six customers, of small numbers or few kinds of rows, so that equals are common."""
    people, most = draw(st.sampled_from([(4, 3), (5, 2), (6, 2)]))
    wide, items = draw(st.sampled_from([(9, 4), (2, 2), (1, 3), (40, 1)]))
    return draw_history(draw(st.integers(0, 10**6)), people, most, wide=wide, items=items)


def measure_loss(data: Dataset, method: Groups) -> tuple[float, dict[str, object]]:
    release = method.apply(data, rng=Seed(1).rng())
    return CellError().compare(data, release).value, dict(release.detail)


@try_examples(40)
@given(draw_tiny_history(), st.sampled_from([100, 2, 1]))
def test_no_bound_is_above_the_cheapest_of_all_releases(data: Dataset, max_set: int) -> None:
    every, rows = EveryRelease(data, max_set=max_set, beyond=True), lay_out_rows(History.of(data), max_set=max_set)
    cells = rows.deletion.sum()
    costs = PairCosts.of(rows)
    pairing = find_best_pairing(costs)
    cheapest = every.find_cheapest(2)
    assert bound_pairs_and_threes(costs, pairing.sets)[0] / cells <= cheapest + 1e-9
    assert bound_pairs_and_threes(costs, [])[0] / cells <= cheapest + 1e-9
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sekisho.protect.history.grouping.bound.MANY", -1)
        assert bound_pairs_and_threes(costs, pairing.sets)[0] / cells <= cheapest + 1e-9
    assert pairing.cost / cells >= cheapest - 1e-9
    for k in (2, 3, 4):
        stretched_costs = PairCosts.of(stretch_rows(rows, k))
        assert bound_groups(PartialCosts(stretched_costs, rows), k, np.inf) / cells <= every.find_cheapest(k) + 1e-9
    for k in (3, 4, 5):
        assert bound_release(rows, k, np.inf)[0] / cells <= every.find_cheapest(k) + 1e-9


@try_examples(40)
@given(draw_tiny_history(), st.sampled_from([2, 3, 4]), st.sampled_from([100, 2, 1]))
def test_few_customers_get_the_cheapest_of_all_releases(data: Dataset, k: int, max_set: int) -> None:
    utility, detail = measure_loss(data, Groups(k=k, max_set=max_set))
    cheapest = EveryRelease(data, max_set=max_set, beyond=True).find_cheapest(k)
    assert utility == pytest.approx(EveryRelease(data, max_set=max_set).find_cheapest(k), abs=1e-9)
    assert detail["lower_bound"] == pytest.approx(cheapest, abs=1e-6)
    assert detail["optimal"] == (utility - cheapest < 1e-6)


@pytest.mark.parametrize("start", range(0, 120, 20))
def test_six_customers_in_threes_never_miss_the_optimum(start: int) -> None:
    for seed in range(start, start + 20):
        data = draw_history(seed, 6, 2 + seed % 2, wide=30 if seed % 2 else 9)
        utility, _ = measure_loss(data, Groups(k=3, effort=1))
        assert utility == pytest.approx(EveryRelease(data).find_cheapest(3), abs=1e-9)


@given(draw_tiny_history(), st.sampled_from([2, 3]))
def test_many_customers_go_other_ways_and_keep_between_the_bound_and_the_truth(data: Dataset, k: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sekisho.protect.history.grouping.few.FEW", 0)
        utility, detail = measure_loss(data, Groups(k=k, effort=0.1))
    cheapest = EveryRelease(data, beyond=True).find_cheapest(k)
    assert float(str(detail["lower_bound"])) <= cheapest + 1e-9
    assert utility >= cheapest - 1e-9
    if detail["optimal"]:
        assert utility == pytest.approx(cheapest, abs=1e-6)


@given(st.integers(0, 10**6), st.integers(2, 4))
@example(1, 3)
def test_the_exact_alignment_is_the_best_of_all_and_stretched_pairs_stay_below(seed: int, people: int) -> None:
    data = draw_history(seed, people, 3)
    rows, group = lay_out_rows(History.of(data)), np.arange(people)
    cost, aligned = align_exactly(rows, group) or (np.nan, np.zeros((0, 0)))
    assert cost == pytest.approx(EveryRelease(data).group(tuple(range(people))), abs=1e-9)
    assert cost <= align(rows, group, 8)[0] + 1e-9
    assert [len(set(line)) for line in aligned.tolist()] == [int(np.diff(rows.starts).min())] * people
    first, second = np.triu_indices(people, 1)
    assert (
        compute_pairs(stretch_rows(rows, people), first, second, np.full(len(first), np.inf)).sum() / (people - 1)
        <= cost + 1e-9
    )


def test_three_alike_and_one_stranger() -> None:
    # Three customers with the same two rows, and one with one row far from all. Every pairing pairs the stranger; a
    # group of three costs nothing and deleting the stranger 4 of the 28 cells. U = 4 / 28, and the pairing is above it.
    lines: list[Line] = [(f"c{one}", 1 + day, "i1", 5, 2) for one in range(3) for day in (0, 1)]
    data = shop([*lines, ("c3", 90, "i2", 900, 80)])
    utility, detail = measure_loss(data, Groups(k=2))
    assert utility == pytest.approx(4 / 28, abs=1e-12)
    assert detail["optimal"]
    assert utility == pytest.approx(EveryRelease(data, beyond=True).find_cheapest(2), abs=1e-12)
    rows = lay_out_rows(History.of(data))
    assert find_best_pairing(PairCosts.of(rows)).cost / 28 > utility + 0.05


@pytest.mark.parametrize("kinds", [5, 8])
def test_many_customers_of_whom_three_are_alike_lose_nothing_at_k_2(kinds: int) -> None:
    # 15 and 24 customers: too many to try all groups, an odd and an even number, and no pairing without a loss.
    lines: list[Line] = [(f"c{one:02d}", 9 * (one % kinds), f"i{one % kinds}", 100, 1) for one in range(3 * kinds)]
    utility, detail = measure_loss(shop(lines), Groups(k=2, effort=1))
    assert utility == 0
    assert detail["optimal"]
    assert float(str(detail["pairing_bound"])) > 0
