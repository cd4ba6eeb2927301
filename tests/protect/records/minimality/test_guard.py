"""A guarded release must leave every original of the rule possible; where that is not proven, there is no guard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.gate.records.downcode.test_lattice_downcoding import Levels, make_data, make_method, make_tree
from tests.red_team_cases import read_cases

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.records.suppressed_matches import count_matches
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.records.lattice_recoding import Lattice, LatticeMeasure
from sekisho.protect.records.minimality.guard import Guard, weigh_vectors
from sekisho.protect.records.suppress import Matching, hide_alike_beside_coins, hide_beside_coins
from sekisho.seeds import Seed

Codes, Marks = NDArray[np.int32], NDArray[np.bool_]
TREES = [[[[0], [1]], [[0, 1]]], [[[0], [1], [2], [3]], [[0, 1], [2, 3]], [[0, 1, 2, 3]]]]
FILE = [(0, 0), (0, 1), (0, 1), (1, 2), (1, 3)]


def guarded(more: Mapping[str, Any] | None = None) -> Lattice:
    trees = {"k0": make_tree(TREES[0]), "k1": make_tree(TREES[1])}
    return Lattice(keys=("k0", "k1"), k=2, tree=trees, guard=Guard.MINIMALITY, **(more or {}))


def test_the_chances_of_a_small_file() -> None:
    # exp(-(loss + 10 small) / (2 * 11 * 2)): (0,1) loses 5/6, nobody is alone; (0,0) leaves three alone, loss 3.
    problem = make_method(TREES, 2, "ncp").pose(make_data(FILE, 2)).problem
    chances = weigh_vectors(problem, k=2, epsilon=1.0)
    weights = np.exp(-np.array([33, 5 / 6, 5 / 2, 34, 10 / 3, 5]) / 44)
    assert chances.chance == pytest.approx(weights / weights.sum())
    assert chances.left_out.tolist() == [3, 0, 0, 3, 0, 0]
    assert chances.chance[1] == pytest.approx(0.20967776844424948)


def test_golden_chances_and_changes(shared: Callable[[str], Path]) -> None:
    choices = {case["id"]: case for case in read_cases(shared, "guard-minimality", "choice")}
    one, choice = choices.pop("choice-one-file"), choices.pop("choice-2x4-0.5")
    assert not choices
    problem = make_method(one["trees"], one["k"], "ncp").pose(make_data(one["file"], 2)).problem
    chances = weigh_vectors(problem, k=one["k"], epsilon=one["epsilon"], penalty=one["penalty"])
    assert chances.chance == pytest.approx([vector["chance"] for vector in one["vectors"]], abs=1e-9)
    assert chances.loss * 5 == pytest.approx([float(Fraction(vector["loss"])) for vector in one["vectors"]])
    for case in read_cases(shared, "guard-minimality", "change"):
        small, loss, _ = find_largest_changes(case["trees"], case["records"], case["k"], epsilon=0.5)
        assert (small, loss) == (case["largest_change_small"], pytest.approx(float(case["largest_change_loss"])))
    *_, ratio = find_largest_changes(TREES, 5, 2, epsilon=0.5)
    assert ratio == pytest.approx(choice["largest_ratio"], abs=1e-9)
    assert ratio <= choice["bound"]


def find_largest_changes(trees: Sequence[Levels], records: int, k: int, *, epsilon: float) -> tuple[int, float, float]:
    """Return how far one replaced record moves the small classes, the loss, and the chance of a vector."""
    leaves = list(product(*(range(len(levels[0])) for levels in trees)))
    method = make_method(trees, k, "ncp")
    weighed = {
        rows: weigh_vectors(method.pose(make_data(rows, len(trees))).problem, k=k, epsilon=epsilon)
        for rows in combinations_with_replacement(leaves, records)
    }
    small, loss, ratio = 0, 0.0, 1.0
    for rows, one in weighed.items():
        for place, new in product(range(records), leaves):
            other = weighed[tuple(sorted((*rows[:place], *rows[place + 1 :], new)))]
            small = max(small, int(np.abs(one.left_out - other.left_out).max()))
            loss = max(loss, float(np.abs(one.loss - other.loss).max()) * records)
            ratio = max(ratio, float((one.chance / other.chance).max()))
    return small, loss, ratio


def test_a_drawn_release_says_what_it_costs_and_keeps_k() -> None:
    release = guarded().apply(make_data(FILE * 3, 2), rng=Seed(1).rng())
    told = cast("dict[str, Any]", release.detail)
    assert told["guard"]["epsilon"] == 1.0
    assert told["against"] == {"knows": "tie", "people": "others"}
    assert told["k"] >= 2
    assert told["optimal"] is False


def test_public_levels_are_taken_as_they_are() -> None:
    data = make_data(FILE, 2)
    release = guarded({"levels": {"k0": 0, "k1": 1}}).apply(data, rng=Seed(1).rng())
    assert release.detail["levels"] == {"k0": 0, "k1": 1}
    with pytest.raises(InfeasibleError, match="leave out 3"):
        guarded({"levels": {"k0": 0, "k1": 0}}).apply(data, rng=Seed(1).rng())
    for wrong in ({"k0": 0}, {"k0": 0, "k1": 9}):
        with pytest.raises(ParameterError):
            guarded({"levels": wrong}).apply(data, rng=Seed(1).rng())


@pytest.mark.parametrize("matching", list(Matching))
@given(st.data())
def test_coins_on_just_the_hidden_cells_add_nothing_under_any_original(matching: Matching, data: st.DataObject) -> None:
    """That is the whole proof: every original of the rule gives this release with a chance above 0."""
    rows, k = data.draw(st.integers(3, 8)), 2
    codes = np.array([[data.draw(st.integers(0, 2)) for _ in range(3)] for _ in range(rows)], dtype=np.int32)
    coins = np.array([[data.draw(st.integers(0, 5)) == 0 for _ in range(3)] for _ in range(rows)])
    hidden = hide_with(matching, codes, coins, k)
    other = np.where(hidden, data.draw(st.integers(0, 2)), codes).astype(np.int32)
    assert (hide_with(matching, other, hidden, k) == hidden).all()
    assert (hidden | ~coins).all()
    if matching is Matching.ANY:
        assert count_matches(codes, hidden).min() >= k


def hide_with(matching: Matching, codes: Codes, coins: Marks, k: int) -> Marks:
    hide = hide_beside_coins if matching is Matching.ANY else hide_alike_beside_coins
    return hide(codes, [1.0, 2.0, 3.0], k, coins)


def test_there_is_no_guard_without_a_proof() -> None:
    for wrong in ({"epsilon": 0.0}, {"l": 2, "sensitive": "s"}, {"measure": LatticeMeasure.ENTROPY}):
        with pytest.raises(ParameterError):
            guarded(wrong)
    with pytest.raises(ParameterError):
        Lattice(keys=("k0",), epsilon=1.0)
    numbers = Schema((Column(name="k0", kind=Kind.INTEGER, role=Role.QUASI),))
    data = Dataset(make_data([(each,) for each in range(9)], 1).frame.cast(pl.Int64), numbers)
    with pytest.raises(ParameterError, match="span"):
        Lattice(keys=("k0",), k=2, guard=Guard.MINIMALITY).apply(data, rng=Seed(1).rng())
