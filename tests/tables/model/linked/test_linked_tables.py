"""What one table hides another must not give away: tables protected one by one can leak, protected together they
cannot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sekisho.errors import FaultsError
from sekisho.tables.audit.survey import Needs, find_exposed
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.join import join_tables, part_tables, stack_measures, view_tables
from sekisho.tables.model.table import Status, Table
from sekisho.tables.rules.primary import MinimumFrequency, primaries
from sekisho.tables.suppress.optimiser import Optimiser
from sekisho.tables.suppress.repair import attacker_on

REGION = Dimension.flat("region", ["east", "north", "west"])
RULE = MinimumFrequency(count=5, width=10)


def by(name: str, codes: str, counts: list[list[int]]) -> Table:
    other = Dimension.flat(name, codes)
    keys = [(region, code) for region in REGION.leaves for code in other.leaves]
    return primaries(from_inner((REGION, other), keys, np.array(counts, dtype=np.float64).ravel()), [RULE])


# Both tables count the same people: 60 in the east, 50 in the north, 40 in the west.
JOBS = by("job", "ABC", [[2, 28, 30], [20, 16, 14], [15, 13, 12]])
AGES = by("age", "xyz", [[20, 25, 15], [3, 20, 27], [10, 16, 14]])


def bare(table: Table) -> list[str]:
    needs = Needs.of(table)
    return [table.named(cell) for cell in needs.cells[find_exposed(attacker_on(table, table.suppressed), needs)]]


def protected(table: Table) -> Table:
    return Optimiser(seconds=30).suppress(table).table


def test_protected_one_by_one_they_leak() -> None:
    jobs = protected(JOBS)
    # As cheap as any safe pattern of the ages, it rests on the total of the north, which the table of jobs shows.
    marked = np.zeros(len(AGES), dtype=np.bool_)
    for key in (("north", "Total"), ("Total", "x"), ("Total", "Total")):
        marked[AGES.position[key]] = True
    ages = AGES.suppress_cells(marked)
    assert bare(jobs) == []
    assert bare(ages) == []
    assert int(marked.sum()) == 3 == int((protected(AGES).status == Status.SECONDARY).sum())
    view = view_tables([jobs, ages])
    assert bare(view.table) != []


def test_protected_together_they_do_not() -> None:
    joint = protected(join_tables([JOBS, AGES]))
    assert bare(joint) == []
    jobs, ages = part_tables(joint, [JOBS, AGES])
    view = view_tables([jobs, ages])
    assert bare(view.table) == []
    assert not view.shown.any()
    assert view.table.suppressed.tolist() == joint.suppressed.tolist()


def test_a_primary_that_another_table_shows_is_named() -> None:
    # The margin of the east is unsafe in one table by another rule, and shown in the other.
    status = JOBS.status.copy()
    mask = np.zeros(len(JOBS), dtype=np.bool_)
    mask[JOBS.position["east", "Total"]] = True
    view = view_tables([JOBS.flag_cells(mask, upper=3.0), AGES])
    assert [view.table.named(cell) for cell in np.flatnonzero(view.shown)] == ["region=east, job=Total, age=Total"]
    assert status.tolist() == JOBS.status.tolist()


def test_a_cell_is_hidden_only_where_all_hide_it() -> None:
    mask = np.zeros(len(JOBS), dtype=np.bool_)
    mask[JOBS.position["west", "Total"]] = True
    one = view_tables([JOBS.suppress_cells(mask), AGES]).table
    both_mask = np.zeros(len(AGES), dtype=np.bool_)
    both_mask[AGES.position["west", "Total"]] = True
    both = view_tables([JOBS.suppress_cells(mask), AGES.suppress_cells(both_mask)]).table
    cell = one.position["west", "Total", "Total"]
    assert Status(one.status[cell]) is Status.SAFE
    assert Status(both.status[cell]) is Status.SECONDARY


@pytest.mark.parametrize("seed", range(6))
def test_random_links_are_safe_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = rng.multinomial(90, rng.dirichlet(np.ones(27))).reshape(3, 3, 3)
    jobs = by("job", "ABC", people.sum(axis=2).tolist())
    ages = by("age", "xyz", people.sum(axis=1).tolist())
    joint = protected(join_tables([jobs, ages]))
    assert bare(view_tables(part_tables(joint, [jobs, ages])).table) == []


def test_shared_sums_may_differ_by_the_dust_of_binary_fractions() -> None:
    # 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 are not the same float
    ways = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]
    assert sum(ways[0]) != sum(ways[1])
    one, two = (
        from_inner([Dimension.flat(name, "xyz")], [("x",), ("y",), ("z",)], np.array(amounts))
        for name, amounts in zip("ab", ways, strict=True)
    )
    far = from_inner([Dimension.flat("b", "xyz")], [("x",), ("y",), ("z",)], np.array([0.3, 0.2, 0.1001]))
    assert len(join_tables([one, two])) == 7
    with pytest.raises(FaultsError, match=r"the shared cell Total, Total is 0\.6 in one table and 0\.6001 in another"):
        join_tables([one, far])


def widen(table: Table, width: int) -> Table:
    """Return a table whose cells have so many largest contributions: 1, 2, … more than the cell's number."""
    return replace(table, largest=np.arange(len(table), dtype=np.float64)[:, np.newaxis] + np.arange(width) + 1)


def test_the_largest_contributions_of_several_measures_stand_beside_each_other() -> None:
    amounts = widen(replace(JOBS, value=2.0 * JOBS.value), 1)
    costs = widen(replace(JOBS, value=3.0 * JOBS.value), 3)
    others = replace(JOBS, value=4.0 * JOBS.value)  # nobody says who gave how much
    people = replace(JOBS, status=np.where(np.arange(len(JOBS)) == 1, Status.UNPUBLISHED, 0).astype(np.int8))
    tables = {"amount": amounts, "cost": costs, "other": others, "people": people}
    parts = np.split(stack_measures(tables).largest, len(tables))
    assert parts[0].tolist() == [[number + 1, 0, 0] for number in range(len(JOBS))]
    assert parts[1].tolist() == costs.largest.tolist()
    assert not parts[2].any()
    # everybody who is counted gives 1; in what is not published there is nobody
    counts = [0 if cell == 1 else int(count) for cell, count in enumerate(people.frequency)]
    assert 2 in counts
    assert parts[3].tolist() == [[float(count > place) for place in range(3)] for count in counts]


def test_the_largest_contributions_of_linked_tables_are_as_many_as_the_most_of_one() -> None:
    system = join_tables([widen(JOBS, 1), widen(AGES, 3)])
    assert system.largest[system.position["east", "A", "Total"]].tolist() == [
        *widen(JOBS, 1).largest[JOBS.position["east", "A"]].tolist(),
        0,
        0,
    ]
    assert (
        system.largest[system.position["east", "Total", "x"]].tolist()
        == widen(AGES, 3).largest[AGES.position["east", "x"]].tolist()
    )
