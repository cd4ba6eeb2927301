"""An adjustment must move every unsafe cell by its level, add up, change least, and not be undone by its own rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.seeds import secret_rng
from sekisho.tables.adjust.adjustment import AdjustCost, adjust_table, find_levels
from sekisho.tables.adjust.search import AdjustProblem
from sekisho.tables.certificate.seal_release import seal_release
from sekisho.tables.check.release_checker import check_release
from sekisho.tables.methods.adjusting import AdjustMethod
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Table


def build(shape: tuple[int, ...], inner: list[float]) -> Table:
    dimensions = [
        Dimension.flat("abc"[axis], [f"{'abc'[axis]}{at + 1}" for at in range(n)]) for axis, n in enumerate(shape)
    ]
    return from_inner(dimensions, list(product(*(each.leaves for each in dimensions))), np.array(inner, dtype=float))


def flag(table: Table, cells: list[tuple[str, ...]], lower: list[float], upper: list[float]) -> Table:
    at = [table.position[cell] for cell in cells]
    low, high, mask = np.zeros(len(table)), np.zeros(len(table)), np.zeros(len(table), dtype=np.bool_)
    low[at], high[at], mask[at] = lower, upper, True
    return table.flag_cells(mask, lower=low, upper=high)


def test_published_cases(shared: Callable[[str], Path]) -> None:
    cases = json.loads(shared("tables/beyond/controlled-adjustment.json").read_text())["cases"]
    for case in cases:
        cells = [tuple(each) for each in case["sensitive"]]
        table = flag(build(tuple(case["shape"]), case["inner"]), cells, case["lower"], case["upper"])
        made = adjust_table(table, rng=np.random.default_rng(0), secret=False, cost=AdjustCost.ONE)
        assert made.cost == pytest.approx(case["least"], rel=1e-6), case["id"]
        assert made.step.optimal
        numbers, _, certified = made.certified
        assert len(numbers) == table.matrix.shape[0]
        assert certified == pytest.approx(case["lp"], rel=1e-6), case["id"]
    assert len(cases) == 8


def enumerate_senses(table: Table) -> float:
    """Return the least cost over all choices of up and down, a linear program each; infinity if there is none."""
    unsafe = np.flatnonzero(table.primary)
    down, up = (each[unsafe] for each in find_levels(table))
    problem = AdjustProblem(
        table=table,
        unsafe=unsafe,
        down=down,
        up=up,
        weight=AdjustCost.RELATIVE.weigh(table),
        limit=np.full(len(unsafe), 1e4),
    )
    everything, still, best = np.ones(len(table), dtype=np.bool_), np.zeros(len(table)), np.inf
    for senses in product((False, True), repeat=len(unsafe)):
        possible = np.where(senses, problem.highest[unsafe] >= up, problem.lowest[unsafe] >= down)
        program, cells = problem.program(everything, still, np.array(senses))
        solution = program.solve()
        if solution.x.size and possible.all():
            best = min(best, problem.cost(problem.read(solution, cells, still)))
    return best


@try_examples(15)
@given(seed=st.integers(0, 200))
def test_the_least_change_by_trying_all_senses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = ((3, 3), (2, 4), (2, 2, 2))[seed % 3]
    table = build(shape, rng.integers(1, 60, int(np.prod(shape))).tolist())
    cells = [table.keys[at] for at in rng.choice(len(table), 3, replace=False).tolist()]
    levels = rng.integers(1, 12, (2, 3)).astype(float)
    flagged = flag(table, cells, levels[0].tolist(), levels[1].tolist())
    wanted = enumerate_senses(flagged)
    if not np.isfinite(wanted):
        with pytest.raises(InfeasibleError):
            adjust_table(flagged, rng=rng, secret=False)
        return
    made = adjust_table(flagged, rng=rng, secret=False)
    assert made.cost == pytest.approx(wanted, rel=1e-5)
    assert made.step.bound <= wanted * (1 + 1e-6)
    assert made.certified[2] <= wanted
    assert np.abs(table.matrix @ made.shown).max() < 1e-6
    assert made.shown.min() >= -1e-9


def test_levels_are_drawn_and_candidates_are_ranges() -> None:
    table = build((3, 3), [200, 150, 97, 80, 143, 169, 190, 179, 170])
    flagged = flag(table, [("a1", "b1"), ("a3", "b2")], [30, 27], [30, 27])
    made = adjust_table(flagged, rng=secret_rng())
    far = np.abs(made.moves[made.problem.unsafe])
    asked = np.array([30.0, 27.0])
    assert np.all((far >= asked - 1e-6) & (made.problem.down >= asked) & (made.problem.down <= 2 * asked))
    for cell, ranges in zip(made.problem.unsafe.tolist(), made.list_candidates(), strict=True):
        value = table.value[cell]
        assert len(ranges) == 2
        # it moved by its level, drawn up to a unit, so that the truth is at most that far from one of the ranges
        assert any(low - 2 <= value <= high + 2 for low, high in ranges)
        assert all(high > low for low, high in ranges)
    plain = adjust_table(flagged, rng=np.random.default_rng(0), secret=False)
    for cell, ranges in zip(plain.problem.unsafe.tolist(), plain.list_candidates(), strict=True):
        # known levels of 15 % leave two values, one of them the truth
        assert all(low == pytest.approx(high) for low, high in ranges)
        assert any(low == pytest.approx(table.value[cell], rel=1e-6) for low, _ in ranges)
    assert plain.at_level == 2


def test_refused() -> None:
    table = build((2, 2), [5, 4, 3, 2])
    with pytest.raises(ParameterError, match="unsafe cell"):
        adjust_table(table, rng=secret_rng())
    fixed = flag(table, [("a1", "b1")], [50], [50])
    fixed = replace(fixed, upper=np.full(len(table), 20.0))
    with pytest.raises(InfeasibleError, match="no adjustment"):
        adjust_table(fixed, rng=secret_rng())


def test_certificates_and_what_was_changed_in_them() -> None:
    table = build((3, 3), [200, 150, 97, 80, 143, 169, 190, 179, 170])
    flagged = flag(table, [("a1", "b1"), ("a3", "b2")], [30, 27], [30, 27])
    made = AdjustMethod().make(flagged, rng=secret_rng())
    release = made.release
    assert _check(seal_release(release, proof=made.proof)) == ()
    assert made.figures["against"] == ["rule"]
    for wrong in (
        replace(release, shown=table.value, cost=0.0, bound=0.0),
        replace(release, bound=release.cost * 1.01, cost=release.cost),
        replace(release, cost=release.cost * 0.9),
        replace(release, shown=release.shown + (np.arange(len(table)) == 0)),
    ):
        assert _check(seal_release(wrong, proof=made.proof))


def _check(held: object) -> tuple[str, ...]:
    return check_release(json.dumps(held)).errors
