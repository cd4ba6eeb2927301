"""Boxes protect what they are chosen for, on any product of trees and groupings; other tables are told apart."""

from __future__ import annotations

from math import inf
from time import monotonic

import numpy as np
import pytest
from tests.tables.instances import filled, grid, instance
from tests.tables.oracle import safe

from sekisho.tables.audit.intervals import audit
from sekisho.tables.audit.survey import Needs
from sekisho.tables.audit.witness import SeenMoves, complete_evidence, find_evidence
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.table import TOTAL, Table
from sekisho.tables.suppress.boxes import Boxer, list_box_points
from sekisho.tables.suppress.optimiser import Optimiser


def small_cells(table: Table) -> Table:
    return table.flag_cells((table.value > 0) & (table.value < 5), sliding=6.0)


def trees(seed: int) -> Table:
    tree = Dimension(
        name="r",
        parent={"n": TOTAL, "s": TOTAL, "n1": "n", "n2": "n", "s1": "s", "s2": "s"},
        groupings={"ones": ("n1", "s1")},
    )
    return small_cells(filled([tree, Dimension.flat("c", ["x", "y", "z"])], np.random.default_rng(seed), high=40))


def boxer_of(table: Table) -> Boxer:
    axes = Axes.of(table)
    assert axes is not None
    return Boxer(table, axes)


def test_axes_are_read_off_the_equations() -> None:
    axes = Axes.of(trees(0))
    assert axes is not None
    # codes in alphabetical order: Total, n, n1, n2, ones, s, s1, s2; leaves n1, n2, s1, s2
    assert axes.shape == (8, 4)
    assert axes.spread[0].tolist() == [
        [1, 1, 1, 1],
        [1, 1, 0, 0],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [1, 0, 1, 0],
        [0, 0, 1, 1],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]


def test_linked_tables_are_no_product() -> None:
    assert Axes.of(instance("linked", 0)) is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["flat", "trees"])
def test_every_box_keeps_the_equations_and_moves_its_primary_far_enough(kind: str, seed: int) -> None:
    table = trees(seed) if kind == "trees" else small_cells(grid((4, 4, 4), np.random.default_rng(seed), high=40))
    boxer = boxer_of(table)
    boxer.begin(until=inf)
    begun = float(table.weight[boxer.secondary].sum())
    boxer.improve(rounds=2, until=inf)
    assert table.weight[boxer.secondary].sum() <= begun
    hidden = boxer.secondary | table.suppressed
    for place, cell in enumerate(boxer.needs.cells.tolist()):
        corners = boxer.held.corners[place]
        kept = corners >= 0
        if not kept.any():
            continue
        deviation = np.zeros(len(table))
        deviation[corners[kept]] = boxer.held.signs[place][kept]
        assert not np.any(table.matrix @ deviation)
        assert deviation[cell] == 1
        assert hidden[corners[kept]].all()
        far_down = table.value[deviation > 0].min()
        far_up = table.value[deviation < 0].min(initial=inf)
        assert max(far_down, far_up) >= 6
    if boxer.complete:
        assert safe(table, hidden)


def test_use_counts_the_boxes() -> None:
    boxer = boxer_of(trees(1))
    boxer.begin(until=inf)
    boxer.improve(rounds=3, until=inf)
    corners = boxer.held.corners
    counted = np.bincount(corners[corners >= 0], minlength=len(boxer.table))
    assert counted.tolist() == boxer.held.use.tolist()


def test_the_survey_tells_what_the_boxes_show() -> None:
    """Each primary's levels are met by its own box: moving the box by the reach keeps every bound and no less
    would do."""
    table = trees(2)
    boxer = boxer_of(table)
    boxer.begin(until=inf)
    survey = boxer.survey()
    assert not survey.open().size
    assert np.array_equal(survey.moved(len(table)) & ~table.suppressed, boxer.secondary)
    for place in range(len(boxer.needs.cells)):
        corners = boxer.held.corners[place][boxer.held.corners[place] >= 0]
        signs = boxer.held.signs[place, : len(corners)]
        for far, way in ((survey.up[place], 1), (survey.down[place], -1)):
            moved = table.value[corners] + way * far * signs
            assert (moved >= table.lower[corners]).all()
            assert (moved == table.lower[corners]).any()


def test_a_large_three_way_table_has_an_audited_pattern_whatever_the_time() -> None:
    table = grid((13, 13, 13), np.random.default_rng(5), high=60)
    table = table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0)
    boxer_of(table).begin(until=monotonic())  # compiled before the clock runs
    answer = Optimiser(seconds=2.0).suppress(table)
    assert answer.last.secondary is not None
    assert answer.last.seconds < 20
    assert not audit(answer.table).narrow.size


@pytest.mark.parametrize("seed", range(3))
def test_every_primary_with_a_box_has_whole_tables_that_nobody_can_exclude(seed: int) -> None:
    """Checked in whole numbers: equations, bounds and published cells hold, and each level is reached."""
    table = small_cells(grid((4, 4, 4), np.random.default_rng(seed), high=40))
    boxer = boxer_of(table)
    boxer.begin(until=inf)
    assert boxer.complete
    hidden = table.suppress_cells(boxer.secondary)
    matrix, seen = hidden.matrix.toarray(), SeenMoves(Needs.of(hidden))
    points = list_box_points(hidden)
    for point in points:
        moved = np.zeros(len(hidden))
        moved[list(point.cells)] = point.moves
        assert point.denominator == 1
        assert not (matrix @ moved).any()
        assert not moved[~hidden.suppressed].any()
        assert np.all((hidden.lower <= hidden.value + moved) & (hidden.value + moved <= hidden.upper))
        seen.see(point)
    assert points
    assert not seen.open
    nothing = find_evidence(hidden, seconds=0.0)
    assert len(nothing.lacking) == int(hidden.primary.sum())
    assert not complete_evidence(hidden, nothing, points).lacking


def test_no_box_is_found_outside_a_pattern() -> None:
    """With the primaries alone hidden none of these has three hidden neighbours to move with."""
    table = grid((3, 3), np.random.default_rng(0), high=40).flag_cells(np.arange(16) == 0, sliding=3.0)
    assert list_box_points(table) == []
