"""Single contributors against a table of which every cell says something: do they learn another unsafe cell?

A contributor knows what they gave, so of their own cells more than a reader. Which cells a table leaves possible is
asked for many contributors at once, as of suppressed cells (:mod:`sekisho.tables.audit.coalitions`): of any contributor
and any other's cell some set has the one and not the other. A set puts together what its members know, which is more
than any of them knows, so what is wide enough for the set is wide enough for each. What is not may be the set's own
doing: then each of its members is asked alone, if they are not too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from sekisho.errors import ParameterError
from sekisho.gate.tables.stated import audit_said, state_release
from sekisho.gate.tables.system import TableSystem
from sekisho.tables.audit.coalitions import Coalition, find_coalitions, split_in_sets
from sekisho.tables.audit.nested_cells import list_nested_groups
from sekisho.tables.audit.statements import Statements
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.model.table import Table

MOST_KNOWN = 4_000
"""Of so many cells at most it is asked what their contributors know: each set takes an audit."""
MOST_ALONE = 100
"""So many contributors at most are asked alone, each by an audit of its own."""


def withstands_insiders(release: ShownRelease, system: TableSystem, *, seconds: float | None = None) -> bool:
    """Tell whether no single contributor of a cell is shown to learn another unsafe cell too closely.

    Args:
        release: what is shown, and what it says of each cell.
        system: the tables that are shown as one.
        seconds: how long each audit may take; None for no limit.
    """
    if release.statements is None:
        return False
    table = release.table
    try:
        coalitions = find_coalitions(table, 1)
    except ParameterError:
        return False
    if len(coalitions) > MOST_KNOWN:
        return False
    readers = _Readers(said=state_release(release), system=replace(system, table=table), seconds=seconds)
    unsettled = set[int]()
    for members in map(set[int], (numbers.tolist() for numbers in split_in_sets(len(coalitions)))):
        if not members <= unsettled and not readers.withstand([coalitions[number] for number in sorted(members)]):
            unsettled |= members
            if len(unsettled) > MOST_ALONE:
                return False
    groups = [*islice(list_nested_groups(table, 1, hidden=~table.unpublished), MOST_ALONE + 1)]
    if len(groups) > MOST_ALONE:
        return False
    alone = [[coalitions[number]] for number in sorted(unsettled)]
    alone += [[Coalition(cell=cell, down=0.0, up=0.0) for cell in np.flatnonzero(group).tolist()] for group in groups]
    return all(map(readers.withstand, alone))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Readers:
    """Those who read a release and know something of cells besides.

    Attributes:
        said: what the release says of each cell.
        system: the tables that are shown as one, with what is asked of unsafe cells.
        seconds: how long an audit may take; None for no limit.
    """

    said: Statements
    system: TableSystem
    seconds: float | None

    def withstand(self, members: Sequence[Coalition]) -> bool:
        """Tell whether every unsafe cell but their own is wide enough for whoever knows what all members know."""
        table = self.system.table
        finding = audit_said(self.system, _tell_members(self.said, table, members), seconds=self.seconds)
        exposed = {*finding.audit.narrow.tolist(), *finding.disclosed.tolist(), *finding.audit.unsettled.tolist()}
        return not any(table.primary[cell] for cell in exposed - {member.cell for member in members})


def _tell_members(said: Statements, table: Table, members: Sequence[Coalition]) -> Statements:
    """Return what a release says together with what contributors know of their cells."""
    lower, upper = table.lower.copy(), table.upper.copy()
    for member in members:
        value = table.value[member.cell]
        lower[member.cell] = max(lower[member.cell], value - member.down)
        upper[member.cell] = min(upper[member.cell], value + member.up)
    return said.intersect(Statements.interval(lower, upper))
