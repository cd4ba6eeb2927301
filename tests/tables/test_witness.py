"""A witness keeps every equation to the unit, moves hidden cells only, stays inside the bounds and goes as far as is asked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.tables.instances import KINDS, grid, instance

from sekisho.tables import witness
from sekisho.tables.suppress import Optimiser
from sekisho.tables.table import Status, Table
from sekisho.tables.witness import Evidence, evidence


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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_every_pattern_has_its_witnesses(kind: str, seed: int) -> None:
    try:
        done = Optimiser().suppress(instance(kind, seed)).table
    except ValueError:
        pytest.skip("infeasible")
    assert_sound(done, evidence(done))


def test_three_dimensions_near_and_far(monkeypatch: pytest.MonkeyPatch) -> None:
    table = grid((5, 5, 5), np.random.default_rng(1), high=30)
    done = Optimiser(seconds=5).suppress(table.flagged((table.value > 0) & (table.value < 3), sliding=10.0)).table
    whole = evidence(done)
    assert_sound(done, whole)
    monkeypatch.setattr(witness, "NEAR", (8, 20))
    near = evidence(done)
    assert_sound(done, near)
    # what few cells can do, the smallest deviation of all cells does with no more
    assert max(len(point.cells) for point in near.points) <= 20 + max(len(point.cells) for point in whole.points)


def test_a_fraction_is_kept_as_one() -> None:
    # 7 x = y and y may move by 1: x by 1/7, which a level of 1/7 just asks for.
    table = Table.of(
        dims=("cell",),
        keys=[("x",), ("y",)],
        value=np.array([1.0, 7.0]),
        matrix=csr_array(np.array([[7.0, -1.0]])),
        equations=["seven"],
    )
    table = replace(
        table, upper=np.array([np.inf, 8.0]), status=np.array([Status.PRIMARY, Status.SECONDARY], dtype=np.int8)
    )
    found = evidence(replace(table, upper_level=np.array([1 / 7, 0.0])))
    point = found.points[0]
    assert Fraction(dict(zip(point.cells, point.moves, strict=True))[0], point.denominator) == Fraction(1, 7)
    assert not found.lacking
    assert evidence(replace(table, upper_level=np.array([0.2, 0.0]))).lacking == (0,)
