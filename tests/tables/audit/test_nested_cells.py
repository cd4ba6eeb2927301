"""Whoever is alone in a margin knows the inner cells beside their own, and must not find another's cell by all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sekisho.tables.audit.coalitions import leaks
from sekisho.tables.audit.nested_cells import find_nested_leaks, list_nested_groups
from sekisho.tables.model.geometry import Dimension, from_cells
from sekisho.tables.model.table import Status, Table

# by region and job: (r1, a) = 14 of one firm, and nobody else is in r1; columns are shown, and the firm of r1 knows
# that (r1, b) is 0, so that (r0, b) = 20 is all of its column
VALUES = {("r0", "a"): 30.0, ("r0", "b"): 20.0, ("r1", "a"): 14.0, ("r1", "b"): 0.0}
FIRMS = {("r0", "a"): 5, ("r0", "b"): 2, ("r1", "a"): 1, ("r1", "b"): 0}
SHOWN = {("Total", "a"), ("Total", "b"), ("Total", "Total")}


def make_pattern(alone: int = 1) -> Table:
    """Return a pattern that hides all but the columns; ``alone`` is how many firms r1 has."""
    dims = [Dimension.flat("region", ("r0", "r1")), Dimension.flat("job", ("a", "b"))]
    table = from_cells(dims, [*VALUES], np.array([*VALUES.values()]))
    firms = {**FIRMS, ("r1", "a"): alone}
    within = [
        sum(count for leaf, count in firms.items() if all(a in (b, "Total") for a, b in zip(key, leaf, strict=True)))
        for key in table.keys
    ]
    largest = np.array([[min(value, 14.0 / alone)] for value in table.value])
    status = np.array([Status.SAFE if key in SHOWN else Status.SECONDARY for key in table.keys], dtype=np.int8)
    table = replace(table, frequency=np.array(within), largest=largest, status=status)
    return table.flag_cells(np.array([key == ("r0", "b") for key in table.keys]), sliding=10.0)


def test_what_is_known_of_each_cell_alone_tells_less() -> None:
    table = make_pattern()
    assert not leaks(table, coalition=1)
    found = find_nested_leaks(table, 1)
    assert found is not None
    assert [table.keys[cell] for cell in found.tolist()] == [("r0", "b")]
    (group,) = list_nested_groups(table, 1, hidden=table.suppressed)
    assert {table.keys[cell] for cell in np.flatnonzero(group).tolist()} == {("r1", "Total"), ("r1", "a"), ("r1", "b")}


def test_those_who_are_not_alone_know_nothing_of_the_cells_beside_theirs() -> None:
    for table, size in ((make_pattern(alone=2), 1), (make_pattern(), 0)):
        found = find_nested_leaks(table, size)
        assert found is not None
        assert not found.size
    two = find_nested_leaks(make_pattern(alone=2), 2)  # together they are alone
    assert two is not None
    assert two.size == 1
