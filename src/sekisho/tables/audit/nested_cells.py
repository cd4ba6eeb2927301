"""Contributors who are alone in several cells that lie in each other, and what they know of all of these together.

Whoever is the only contributor of a margin knows all that lies in it: their own inner cell, and that everything beside
it is 0. A search and its certificate ask what is known of one cell at a time (:mod:`sekisho.tables.audit.coalitions`);
here a pattern is asked once more, with all cells shown that the same contributors know.

Two cells are known to the same contributors if one lies in the other and as many contribute to both. Many groups are
asked at once, with all that each of them knows: what is wide enough then is wide enough for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.tables.audit.coalitions import known_cells, split_in_sets
from sekisho.tables.audit.intervals import audit
from sekisho.tables.audit.statement_audit import expand_sums, find_inner
from sekisho.tables.model.table import Mask, Status, Table

MOST_ALONE = 100
"""So many groups at most are asked alone, each by an audit of its own."""


def find_nested_leaks(table: Table, size: int) -> NDArray[np.intp] | None:
    """Return the unsafe cells that contributors estimate too closely by all cells that they know together.

    None if it was not found out: there are too many to ask.

    Args:
        table: a pattern that withstands outsiders, and contributors of each cell by itself.
        size: how many contributors of one cell work together.
    """
    hidden = table.suppressed & ~table.unpublished
    groups = list(list_nested_groups(table, size, hidden=hidden))
    if not groups:
        return np.zeros(0, dtype=np.intp)
    primaries = np.flatnonzero(table.primary)
    pending = np.array([~group[primaries] for group in groups], dtype=np.bool_)
    for numbers in split_in_sets(len(groups)):
        known = np.any([groups[number] for number in numbers.tolist()], axis=0)
        pending[numbers] &= known[primaries] | np.isin(primaries, _find_narrow(table, known))
    left = np.flatnonzero(pending.any(axis=1))
    if left.size > MOST_ALONE:
        return None
    leaking = [_find_narrow(table, groups[number]) for number in left.tolist()]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.intp), *leaking]))


def list_nested_groups(table: Table, size: int, *, hidden: Mask) -> Iterator[Mask]:
    """Give the hidden cells that the same contributors know, each set once, where a margin is among them.

    Nothing where cells are not sums of inner ones.
    """
    known = known_cells(table, size) if size else np.zeros(len(table), dtype=np.bool_)
    if not np.any(known & hidden & ~find_inner(table)):
        return
    sums = expand_sums(table)
    if sums is None:
        return
    cells = np.flatnonzero(known)
    shared = csr_array(sums[cells] @ sums.T).tocoo()
    above, within = shared.coords
    inside = shared.data == np.asarray(sums.sum(axis=1)).ravel()[within]
    above, within = above[inside], within[inside]
    seen = set[bytes]()
    for cell in cells[hidden[cells]].tolist():
        margins = above[(within == cell) & (table.frequency[cells[above]] == table.frequency[cell])]
        group = np.zeros(len(table), dtype=np.bool_)
        group[within[np.isin(above, margins)]] = True
        group &= hidden
        if group.sum() > 1 and group.tobytes() not in seen:
            seen.add(group.tobytes())
            yield group


def _find_narrow(table: Table, known: Mask) -> NDArray[np.intp]:
    """Return the unsafe cells that are too narrow, or not certain, for whoever knows these cells."""
    finding = audit(replace(table, status=np.where(known, np.int8(Status.SAFE), table.status)))
    return np.union1d(finding.narrow, np.intersect1d(finding.unsettled, np.flatnonzero(table.primary)))
