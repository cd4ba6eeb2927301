"""Our audit beside the independent one: whatever the two say differently of a pattern, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isclose

import numpy as np
from scipy.sparse import csr_array
from tests.tables import independent
from tests.tables.independent import Interval

from sekisho.errors import InfeasibleError
from sekisho.tables.audit.attacker import attacker_of, room
from sekisho.tables.audit.coalitions import leaks
from sekisho.tables.audit.intervals import Audit, audit
from sekisho.tables.audit.reduction import reduce_cells
from sekisho.tables.audit.survey import Needs, find_exposed
from sekisho.tables.files.jj import jj_table, jj_text
from sekisho.tables.model.table import Status, Table
from sekisho.tables.suppress.optimiser import Optimiser


def parts_differ(table: Table) -> Iterator[str]:
    """Compare the parts of the hidden cells with what union-find makes of their equations."""
    cells = np.flatnonzero(table.suppressed)
    down, up = (each[cells] for each in room(table))
    less = reduce_cells(csr_array(table.matrix.tocsc()[:, cells].tocsr()), down, up)
    count, place = len(less.down), {cell: at for at, cell in enumerate(cells.tolist())}
    rows = independent.equations(table)
    joins: list[list[int]] = []
    for row in rows:
        sums = dict.fromkeys(range(-1, count), 0)
        for cell, by in row.items():
            sums[int(less.group[place[cell]])] += by * int(less.sign[place[cell]])
        joins.append([group for group, by in sums.items() if by and group >= 0])
    theirs = independent.components(joins, count)
    ours = [-1] * count
    for part in less.parts():
        for group in part.groups.tolist():
            ours[group] = int(part.groups[0])
    if ours != theirs:
        yield f"parts: ours {ours}, theirs {theirs}"
    hang = independent.components(rows, len(table))
    for part in less.parts():
        whole = {hang[cell] for cell in cells[np.isin(less.group, part.groups)].tolist()}
        if len(whole) > 1:
            yield f"the part of groups {part.groups.tolist()} holds cells that nothing joins"


def intervals_differ(found: Audit, theirs: dict[int, Interval]) -> Iterator[str]:
    """Compare interval by interval, both ends, and what is disclosed with what exact fractions say is determined."""
    table = found.table
    ours = {cell: (low, high) for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True)}
    for cell, ends in theirs.items():
        if not all(
            isclose(mine, other, rel_tol=1e-6, abs_tol=1e-6) for mine, other in zip(ours[cell], ends, strict=True)
        ):
            yield f"{table.named(cell)}: ours {ours[cell]}, theirs {ends}"
    fixed = {cell for cell in independent.determined(table) if not table.unpublished[cell]}
    disclosed = set(found.disclosed.tolist())
    if not fixed <= disclosed:
        yield f"determined, and not said to be disclosed: {sorted(fixed - disclosed)}"
    hidden = table.suppressed
    if np.all((table.lower < table.value) & (table.value < table.upper) | ~hidden) and disclosed != fixed:
        yield f"disclosed, though every cell can move and the equations leave room: {sorted(disclosed - fixed)}"
    if found.unsettled.size:
        yield f"unsettled without any limit of time: {found.unsettled.tolist()}"


def verdicts_differ(found: Audit, theirs: dict[int, Interval]) -> Iterator[str]:
    """Compare which primaries miss their levels, by the audit and by the quick verdict."""
    table = found.table
    needs = Needs.of(table)
    narrow = [cell for cell in needs.cells.tolist() if independent.missed(table, cell, theirs[cell])]
    if found.narrow.tolist() != narrow:
        yield f"narrow: ours {found.narrow.tolist()}, theirs {narrow}"
    quick = needs.cells[find_exposed(attacker_of(table), needs)].tolist()
    if quick != narrow:
        yield f"exposed: ours {quick}, theirs {narrow}"


def outsiders_differ(table: Table) -> list[str]:
    """Return all that the two say differently of what an outsider learns."""
    found, theirs = audit(table), independent.intervals(table)
    return [*parts_differ(table), *intervals_differ(found, theirs), *verdicts_differ(found, theirs)]


def whole_tables_differ(table: Table) -> list[str]:
    """Return all that the two say differently of what an outsider learns who knows that the table is whole."""
    if not table.whole:  # no whole table was found behind linked ones
        return []
    found, model = audit(table, whole=True), independent.Model(table)
    theirs = {cell: model.interval(cell, whole=True) for cell in found.cells.tolist()}
    ours = {cell: (low, high) for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True)}
    return [
        f"{table.named(cell)}: ours {ours[cell]}, theirs {ends}"
        for cell, ends in theirs.items()
        if not np.allclose(ours[cell], ends, rtol=0, atol=1e-6)
    ]


def name_contributions(table: Table, coalition: int) -> Table:
    """Return a table whose insiders know what they gave: 1 each where it does not count them, for else it is refused."""
    own = ~table.unpublished
    if np.array_equal(table.value[own], table.frequency[own]):
        return table
    return replace(table, largest=np.ones((len(table), coalition)))


def insiders_differ(table: Table, coalition: int) -> list[str]:
    """Return what the two say differently of insiders."""
    table = name_contributions(table, coalition)
    ours = {leak.insider: set(leak.exposed) for leak in leaks(table, coalition=coalition)}
    theirs = independent.leaks(table, coalition)
    return [] if ours == theirs else [f"{coalition} insiders: ours {ours}, theirs {theirs}"]


def suppressions_differ(table: Table) -> list[str]:
    """Return what is wrong with the pattern that the optimiser finds among the hidden cells, or with its refusal to find one.

    The table goes through a JJ file unless it has unpublished cells; what is not hidden must be published.
    """
    status = np.where(table.primary, Status.PRIMARY, np.where(table.suppressed, Status.SAFE, Status.PUBLISH))
    status[table.unpublished] = Status.UNPUBLISHED
    plain = replace(table, status=status.astype(np.int8))
    if not table.unpublished.any():
        plain = jj_table(jj_text(plain))
    every = plain.suppress_cells(plain.status == Status.SAFE)
    try:
        done = Optimiser().suppress(plain).table
    except InfeasibleError:
        return [] if independent.exposed(every) else ["called infeasible, though every cell suppressed is safe"]
    return [f"the optimiser's pattern leaves {done.named(cell)} exposed" for cell in sorted(independent.exposed(done))]
