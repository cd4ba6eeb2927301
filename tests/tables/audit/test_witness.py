"""A witness keeps every equation to the unit, moves hidden cells only, stays inside the bounds and goes as far as
is asked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.tables.instances import FEASIBLE, grid, instance

from sekisho.tables.audit.deviation import Hidden, corner
from sekisho.tables.audit.witness import Evidence, find_evidence
from sekisho.tables.model.table import Status, Table
from sekisho.tables.solvers.highs import Basis, Program
from sekisho.tables.suppress.optimiser import Optimiser


def assert_sound(table: Table, found: Evidence) -> None:
    """Check all points and levels, number by number."""
    assert not found.lacking
    rows = table.matrix.toarray().astype(np.int64).tolist()
    moves = [dict(zip(point.cells, point.moves, strict=True)) for point in found.points]
    for point, by in zip(found.points, moves, strict=True):
        assert all(table.suppressed[cell] for cell in by)
        assert all(sum(sign * by.get(cell, 0) for cell, sign in enumerate(row)) == 0 for row in rows)
        for cell, move in by.items():
            moved = table.value[cell] + move / point.denominator
            assert table.lower[cell] - 1e-9 <= moved <= table.upper[cell] + 1e-9
    for each in found.witnesses:
        up, down = (
            0.0 if at is None else moves[at].get(each.cell, 0) / found.points[at].denominator
            for at in (each.up, each.down)
        )
        assert up >= table.upper_level[each.cell] - 1e-9
        assert -down >= table.lower_level[each.cell] - 1e-9
        assert up - down >= table.sliding_level[each.cell] - 1e-9


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind, seeds in FEASIBLE.items() for seed in seeds])
def test_every_pattern_has_its_witnesses(kind: str, seed: int) -> None:
    done = Optimiser().suppress(instance(kind, seed)).table
    assert_sound(done, find_evidence(done))


@pytest.mark.parametrize(("kind", "seed"), [("two-way", 5), ("three-way", 6), ("tree", 10), ("frozen", 0)])
def test_sums_of_billions_have_theirs(kind: str, seed: int) -> None:
    # the solver's tolerance is 1e-7 whatever the numbers: programs with bounds of billions ended without a corner
    table, times = instance(kind, seed), 10**9 + 7
    names = ("value", "lower", "upper", "lower_level", "upper_level", "sliding_level")
    larger = replace(table, **{name: getattr(table, name) * times for name in names})
    assert not find_evidence(Optimiser().suppress(larger).table).lacking


def lean(seed: int) -> Table:
    """A pattern of three dimensions with no cell to spare: its corners are no simple fractions."""
    table = grid((6, 6, 6), np.random.default_rng(seed), high=30)
    return Optimiser(seconds=4).suppress(table.flag_cells((table.value > 0) & (table.value < 3), sliding=10.0)).table


def test_few_points_speak_for_all_primaries_of_a_lean_pattern() -> None:
    done = lean(1)
    found = find_evidence(done)
    assert_sound(done, found)
    assert len(found.points) < 0.8 * done.primary.sum()
    spoken = {at for each in found.witnesses for at in (each.down, each.up)} - {None}
    assert spoken == set(range(len(found.points)))


def test_a_primary_is_not_held_back_by_the_lesser_need_of_another() -> None:
    # x + y = a total that is shown: they move against each other. y needs 1, x needs 3, and y has to go that far for
    # it.
    table = Table.of(
        dims=("cell",),
        keys=[("x",), ("y",), ("t",)],
        value=np.array([5.0, 5.0, 10.0]),
        matrix=csr_array(np.array([[1.0, 1.0, -1.0]])),
        equations=["sum"],
    )
    status = np.array([Status.PRIMARY, Status.PRIMARY, Status.SAFE], dtype=np.int8)
    asked = replace(table, status=status, upper_level=np.array([3.0, 1.0, 0.0]), lower_level=np.array([3.0, 1.0, 0.0]))
    assert_sound(asked, find_evidence(asked))


def test_decimals_and_levels_that_are_no_units() -> None:
    # In tenths x = 3 is known to be 1 at least, so it can fall by 2, though 0.3 - 0.1 is less than 0.2 in floats; y = 1
    # can fall by 1. The level 1/30 is met within a unit.
    table = Table.of(
        dims=("cell",),
        keys=[("x",), ("y",), ("t",)],
        value=np.array([0.3, 0.1, 0.4]),
        matrix=csr_array(np.array([[1.0, 1.0, -1.0]])),
        equations=["sum"],
    )
    status = np.array([Status.PRIMARY, Status.SECONDARY, Status.SAFE], dtype=np.int8)
    table = replace(table, lower=np.array([0.1, 0.0, 0.0])).mark_cells(status)
    hidden = Hidden.of(table)
    assert (hidden.unit, hidden.down.tolist(), hidden.up.tolist()) == (10, [2, 1], [np.inf, np.inf])
    asked = replace(table, upper_level=np.array([1 / 30, 0, 0]), lower_level=np.array([0.2, 0, 0]))
    assert_sound(asked, find_evidence(asked))
    assert find_evidence(replace(table, upper_level=np.array([0.11, 0, 0]))).lacking == (0,)


def test_no_time_leaves_the_primaries_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Optimiser().suppress(instance("two-way", 1)).table
    assert find_evidence(done, seconds=60.0) == find_evidence(done)
    monkeypatch.setattr(Program, "solve", None)  # nothing is asked any more
    none = find_evidence(done, seconds=0.0)
    assert none.lacking == tuple(np.flatnonzero(done.primary).tolist())
    assert not none.points


def test_a_corner_outside_its_bounds_or_its_equations_is_none() -> None:
    # x + y = 0 twice; x stands at its bound 2, so y = -2. The second row depends on the first.
    rows, basis = (
        csr_array(np.array([[1.0, 1.0], [1.0, 1.0]])),
        Basis(columns=np.array([False, True]), rows=np.array([False, True])),
    )
    near, low = np.array([2.0, -2.0]), np.array([-2.0, -2.0])
    found = corner(rows, basis, near, low, np.array([2.0, np.inf]))
    assert found is not None
    assert (found.numbers, found.denominator) == ((2, -2), 1)
    assert corner(rows, basis, near, np.array([-2.0, -1.0]), np.array([2.0, np.inf])) is None
    # a row that the basis calls dependent, and that is not
    other = csr_array(np.array([[1.0, 1.0], [1.0, 2.0]]))
    assert corner(other, basis, near, low, np.array([2.0, np.inf])) is None
    assert (
        corner(rows, Basis(columns=basis.columns, rows=np.array([True, True])), near, low, np.array([2.0, np.inf]))
        is None
    )


def test_a_fraction_is_kept_as_one() -> None:
    # 7 x = y and y may move by 1: x by 1/7, which a level of 1/7 just asks for.
    table = Table.of(
        dims=("cell",),
        keys=[("x",), ("y",)],
        value=np.array([1.0, 7.0]),
        matrix=csr_array(np.array([[7.0, -1.0]])),
        equations=["seven"],
    )
    status = np.array([Status.PRIMARY, Status.SECONDARY], dtype=np.int8)
    table = replace(table, upper=np.array([np.inf, 8.0])).mark_cells(status)
    found = find_evidence(replace(table, upper_level=np.array([1 / 7, 0.0])))
    point = found.points[0]
    assert Fraction(dict(zip(point.cells, point.moves, strict=True))[0], point.denominator) == Fraction(1, 7)
    assert not found.lacking
    assert find_evidence(replace(table, upper_level=np.array([0.2, 0.0]))).lacking == (0,)
