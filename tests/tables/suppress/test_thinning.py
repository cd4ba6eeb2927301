"""Thinning: what is left is safe, no dearer, and the same every time."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from tests.tables.instances import grid, instance
from tests.tables.oracle import safe
from tests.tables.suppress.test_boxes import small_cells, trees

from sekisho.tables.audit.survey import AuditSurvey, Needs
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.table import Mask, Table
from sekisho.tables.suppress import search
from sekisho.tables.suppress.boxes import Boxer
from sekisho.tables.suppress.opening import Deadline, Mover, OpeningSearch, Thinner, regions
from sekisho.tables.suppress.search import Search


def boxed(table: Table) -> tuple[Axes, Boxer]:
    axes = Axes.of(table)
    assert axes is not None
    boxer = Boxer(table, axes)
    boxer.begin(until=inf)
    assert boxer.complete
    return axes, boxer


def cube(seed: int) -> Table:
    return small_cells(grid((5, 5, 5), np.random.default_rng(seed), high=40))


def everywhere(table: Table) -> Mask:
    return np.ones(len(table), dtype=np.bool_)


@pytest.mark.parametrize("seed", range(4))
def test_every_turn_leaves_a_safe_pattern_that_is_no_dearer(seed: int) -> None:
    table = cube(seed)
    _, boxer = boxed(table)
    thinner = Thinner(table, boxer.secondary, boxer.survey(), rng=np.random.default_rng(seed))
    last = thinner.cost
    for share in (1.0, 0.3, 0.3, 0.1):
        gained = thinner.turn(everywhere(table), share=share)
        assert gained == (thinner.cost < last)
        assert thinner.cost <= last
        assert safe(table, thinner.secondary | table.suppressed)
        last = thinner.cost


def test_boxes_are_thinned_by_a_good_part() -> None:
    table = small_cells(grid((8, 8, 8), np.random.default_rng(3), high=40))
    first, *_, last = [mask.sum() for mask in OpeningSearch().patterns(table)]
    assert last < 0.9 * first


def test_the_survey_after_a_turn_is_true_of_the_pattern() -> None:
    """Every point that a primary relies on moves hidden cells only."""
    table = cube(1)
    _, boxer = boxed(table)
    thinner = Thinner(table, boxer.secondary, boxer.survey(), rng=np.random.default_rng(1))
    thinner.turn(everywhere(table), share=1.0)
    assert not thinner.survey.open().size
    moved = thinner.survey.moved(len(table))
    assert not (moved & ~(thinner.secondary | table.suppressed)).any()
    assert not (thinner.secondary & ~moved).any()


def test_a_turn_in_a_region_leaves_the_others_alone_and_the_whole_safe() -> None:
    table = cube(3)
    axes, boxer = boxed(table)
    thinner = Thinner(table, boxer.secondary, boxer.survey(), rng=np.random.default_rng(0))
    before = thinner.secondary
    parts = regions(axes, before | table.suppressed, 20)
    assert len(parts) > 1
    for part in parts:
        thinner.turn(part, share=1.0)
        assert safe(table, thinner.secondary | table.suppressed)
        assert not (thinner.secondary & ~part & ~before).any()
        before = thinner.secondary


def test_regions_hold_every_hidden_cell_and_are_small() -> None:
    table = trees(1)
    axes, boxer = boxed(table)
    hidden = boxer.secondary | table.suppressed
    assert np.all(np.any(regions(axes, hidden, int(hidden.sum()) // 2), axis=0))
    assert len(regions(axes, hidden, int(hidden.sum()) // 2)) > 1
    (whole,) = regions(axes, hidden, int(hidden.sum()))
    assert whole.all()


def test_the_same_table_has_the_same_patterns() -> None:
    one, two = (list(OpeningSearch().patterns(cube(2))) for _ in range(2))
    assert [mask.tobytes() for mask in one] == [mask.tobytes() for mask in two]


def test_linked_tables_have_no_axes_and_no_opening() -> None:
    assert not list(OpeningSearch().patterns(instance("linked", 1)))


def test_a_push_moves_to_the_target_and_priced_cells_only_once_opened() -> None:
    """In a 2 x 2 table the four inner cells move in turn; with one of them priced and closed nothing moves."""
    table = grid((2, 2), np.random.default_rng(0), high=40)
    inner = np.array([at for at, key in enumerate(table.keys) if "Total" not in key])
    flagged = table.flag_cells(np.isin(np.arange(len(table)), inner[:1]), sliding=3.0)
    mover = Mover(flagged, Needs.of(flagged), hidden=inner[:3], priced=inner[3:], price=np.ones(1))
    place, target = np.array([0]), np.array([3.0])
    closed = mover.push(place, target)
    assert closed is not None
    assert not closed.any()
    mover.open_priced()
    opened = mover.push(place, target)
    assert opened is not None
    assert opened.tolist() == pytest.approx([3.0, -3.0, -3.0, 3.0])


def test_targets_ask_for_what_is_lacking() -> None:
    table = grid((2, 2), np.random.default_rng(0), high=40)
    flagged = table.flag_cells(np.arange(len(table)) == 0, upper=2.0, sliding=10.0)
    survey = AuditSurvey(Needs.of(flagged))
    room = np.full(len(table), 4.0), np.full(len(table), np.inf)
    place = np.array([0])
    assert survey.targets(place, turned=False, down=room[0], up=room[1]).tolist() == [10.0]
    assert survey.targets(place, turned=True, down=room[0], up=room[1]).tolist() == [-4.0]
    survey.down[0] = 4.0
    assert survey.targets(place, turned=True, down=room[0], up=room[1]).tolist() == [6.0]


def test_finding_and_proving_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a table that is thinned cuts begin before thinning has ended, and both go on; twice the same."""
    monkeypatch.setattr(search, "SMALL", 100)
    monkeypatch.setattr(search, "LARGE", 100)
    table = small_cells(grid((6, 6, 6), np.random.default_rng(5), high=60))
    stages: list[list[tuple[str, float, float]]] = [[], []]
    for run in stages:
        for step in Search(table).steps():
            run.append((str(step.stage), step.cost, step.bound))
            if len(run) == 14:
                break
    first, second = stages
    assert first == second
    names = [name for name, _, _ in first]
    begun = names.index("cuts")
    assert "thinned boxes" in names[begun:]
    assert "cuts" in names[names.index("thinned boxes", begun) :]
    assert all(later <= before for (_, before, _), (_, later, _) in pairwise(first))


def test_a_deadline_that_is_put_off_lets_thinning_go_on() -> None:
    end = Deadline(at=-inf)
    patterns = OpeningSearch(end=end).patterns(cube(2))
    next(patterns)
    end.at = inf
    assert len(list(patterns)) > 1
    assert len(list(OpeningSearch(end=Deadline(at=-inf)).patterns(cube(2)))) == 1
