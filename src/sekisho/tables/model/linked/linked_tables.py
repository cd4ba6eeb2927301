"""Linked tables, protected one by one or together.

Tables of one population are linked by the cells they share. Protected one by one, a cell that one table hides may stand
in another, and what one table hides the equations of both can give away. The adversary reads them all: he solves one
system of all their equations, and where they form a cycle of those of the joint table behind them as well. So that
system is what must be protected, and what must be audited whatever was done.

Source: de Wolf and Giessing, "Adjusting the τ-ARGUS modular approach to deal with linked tables", Data & Knowledge
Engineering 68 (2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.model.linked.join import join_tables, widen_keys
from sekisho.tables.model.linked.joint import MOST
from sekisho.tables.model.table import Mask, Status, Table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TablesView:
    """What an adversary sees of several tables.

    Attributes:
        table: all tables as one system; a cell is hidden only where every table that has it hides it.
        shown: the cells that some table forbids to publish and another shows.
    """

    table: Table
    shown: Mask


def view_tables(tables: Sequence[Table], *, joint: bool | None = None, most: int = MOST) -> TablesView:
    """Return what an adversary sees of tables that were protected one by one.

    ``joint`` and ``most`` are those of ``join_tables``.
    """
    system = join_tables([_unfreeze(table) for table in tables], joint=joint, most=most)
    hidden = np.ones(len(system), dtype=np.bool_)
    primary = np.zeros(len(system), dtype=np.bool_)
    levels = {name: np.zeros(len(system)) for name in ("lower_level", "upper_level", "sliding_level")}
    for table in tables:
        at = places(table, system)
        hidden[at] &= table.suppressed
        primary[at] |= table.primary
        for name, level in levels.items():
            np.maximum.at(level, at, getattr(table, name))
    status = np.where(hidden, np.where(primary, Status.PRIMARY, Status.SECONDARY), Status.SAFE)
    status = np.where(system.unpublished, Status.UNPUBLISHED, status).astype(np.int8)
    return TablesView(table=replace(system, status=status, **levels), shown=primary & ~hidden)


def part_tables(joint: Table, tables: Sequence[Table]) -> list[Table]:
    """Return each of several tables, suppressed as their joint system is."""
    return [view_from(table, joint) for table in tables]


def view_from(table: Table, joint: Table) -> Table:
    """Return a table with the statuses and levels that its cells have in a joint system."""
    at = places(table, joint)
    return table.mark_cells(
        joint.status[at], lower=joint.lower_level[at], upper=joint.upper_level[at], sliding=joint.sliding_level[at]
    )


def places(table: Table, joint: Table) -> NDArray[np.int64]:
    """Return where each of a table's cells stands in a joint system.

    A dimension that the table lacks counts as its margin.
    """
    wide = widen_keys(table, joint.dims, joint.margins)
    return np.array([joint.position[key] for key in wide], dtype=np.int64)


def _unfreeze(table: Table) -> Table:
    """Return a table with every cell safe: the statuses of several are put together afterwards."""
    return replace(table, status=np.zeros(len(table), dtype=np.int8))
