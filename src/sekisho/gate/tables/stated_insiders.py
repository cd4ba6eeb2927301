"""Single contributors against a table of which every cell says something: do they learn another unsafe cell?

A contributor knows what they gave, so of their own cells more than a reader. Which cells a table leaves possible is
asked for many contributors at once, as of suppressed cells (:mod:`sekisho.tables.audit.coalitions`): of any contributor
and any other's cell some set has the one and not the other. A set puts together what its members know, which is more
than any of them knows, so what is wide enough for the set is wide enough for each. What is not may be the set's own
doing: then nothing is said.
"""

from __future__ import annotations

from dataclasses import replace

from sekisho.errors import ParameterError
from sekisho.gate.tables.stated import audit_said, state_release
from sekisho.gate.tables.system import TableSystem
from sekisho.tables.audit.coalitions import Coalition, find_coalitions, split_in_sets
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.model.table import Table

MOST_KNOWN = 4_000
"""Of so many cells at most it is asked what their contributors know: each set takes an audit."""


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
    said = state_release(release)
    for numbers in split_in_sets(len(coalitions)):
        members = [coalitions[number] for number in numbers.tolist()]
        finding = audit_said(replace(system, table=_tell_members(table, members)), said, seconds=seconds)
        theirs = {member.cell for member in members}
        exposed = {*finding.audit.narrow.tolist(), *finding.disclosed.tolist(), *finding.audit.unsettled.tolist()}
        if any(table.primary[cell] for cell in exposed - theirs):
            return False
    return True


def _tell_members(table: Table, members: list[Coalition]) -> Table:
    """Return a table whose reader knows of some cells what their contributors know."""
    lower, upper = table.lower.copy(), table.upper.copy()
    for member in members:
        value = table.value[member.cell]
        lower[member.cell] = max(lower[member.cell], value - member.down)
        upper[member.cell] = min(upper[member.cell], value + member.up)
    return replace(table, lower=lower, upper=upper)
