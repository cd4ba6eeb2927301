"""Linked tables as one system.

A cell that two tables share is one column. Protecting linked tables one after the other is unsafe: an attacker solves
all their equations at once. So does the system.

Linked tables, protected one by one or together.

Tables of one population are linked by the cells they share. Protected one by one, a cell that one table hides may stand
in another, and what one table hides the equations of both can give away. The adversary reads them all: he solves one
system of all their equations, and where they form a cycle of those of the joint table behind them as well. So that
system is what must be protected, and what must be audited whatever was done.

Source: de Wolf and Giessing, "Adjusting the τ-ARGUS modular approach to deal with linked tables", Data & Knowledge
Engineering 68 (2009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables.model.limits import ABSOLUTE_SLACK, RELATIVE_SLACK
from sekisho.tables.model.linked.joint import MOST, with_joint
from sekisho.tables.model.table import LEVELS, Cover, Floats, Key, LinkedTable, Mask, Status, Table
from sekisho.words import Said


def join_tables(tables: Sequence[Table], *, joint: bool | None = None, most: int = MOST) -> Table:
    """Return one table that holds all the cells and equations of several about the same population.

    A dimension that a table lacks counts as its margin there, so cells are the same if they name the same codes apart
    from the margins'. Of a shared cell the stricter status, the tighter bounds and the higher levels count, and the
    higher cost.

    Where the tables form a cycle, the cells of the joint table behind them are added as unpublished ones, if they are
    at most ``most`` or ``joint`` asks for them; the answer's ``joint`` says what is covered
    (:mod:`sekisho.tables.model.linked.joint`).

    Raises:
        ParameterError: there are no tables, or more joint cells are asked for than can be dealt with.
        FaultsError: one table's margin is a category of another; or tables disagree on the value of a shared cell, or
            one must publish what another forbids, all at once; or no joint table without negative cells has these
            margins.
    """
    if not tables:
        raise ParameterError("tables", Said("be at least one"), 0)
    return with_joint(merge_tables(tables), tables, joint=joint, most=most)


def merge_tables(tables: Sequence[Table]) -> Table:
    """Return the cells and equations of several tables, shared cells as one."""
    dims = tuple(dict.fromkeys(dim for table in tables for dim in table.dims))
    margins = _margins(tables, dims)
    keys = [key for table in tables for key in widen_keys(table, dims, margins)]
    place = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    column = np.array([place[key] for key in keys])
    value = _stack(tables, "value")
    _refuse_clashes(keys, column, value, _stack(tables, "status"))
    first = np.unique(column, return_index=True)[1]
    cells = len(place)
    matrix = csr_array(_block_diagonal(tables) @ _merge_columns(column, cells))
    names = tuple(name for table in tables for name in table.equations)
    plain = Table.of(dims=dims, keys=tuple(place), value=value[first], matrix=matrix, equations=names, margins=margins)
    width = max(table.largest.shape[1] for table in tables)
    largest = np.concatenate([np.pad(table.largest, ((0, 0), (0, width - table.largest.shape[1]))) for table in tables])
    own = np.split(column, np.cumsum([len(table) for table in tables])[:-1])
    return replace(
        plain,
        linked=tuple(
            LinkedTable(dims=table.dims, margins=table.margins, cells=tuple(cells_of.tolist()))
            for table, cells_of in zip(tables, own, strict=True)
        ),
        weight=_highest(_stack(tables, "weight"), column, cells),
        frequency=_stack(tables, "frequency").astype(np.int64)[first],
        status=_strictest(_stack(tables, "status"), column, cells),
        lower=_highest(_stack(tables, "lower"), column, cells),
        upper=-_highest(-_stack(tables, "upper"), column, cells),
        lower_level=_highest(_stack(tables, "lower_level"), column, cells),
        upper_level=_highest(_stack(tables, "upper_level"), column, cells),
        sliding_level=_highest(_stack(tables, "sliding_level"), column, cells),
        largest=largest[first],
    )


MEASURE = "measure"
"""The dimension that tells apart what tables of different measures tell; its margin is no code of any cell."""


def stack_measures(systems: Mapping[str, Table]) -> Table:
    """Return tables that tell different things of one population, by measure, as one system.

    No cell of one measure is a cell of another, and no equation joins them. But who sees that a sum is 0, or is not,
    may know whether anybody is behind the cell: :func:`know_empty` lets the attacker know that of all cells.
    """
    tables = list(systems.values())
    own = tuple(dict.fromkeys(dim for table in tables for dim in table.dims))
    margins, axis = _margins(tables, own), MEASURE
    while axis in own:
        axis += "_"
    starts = np.cumsum([0, *(len(table) for table in tables)])
    width = max(table.largest.shape[1] for table in tables)
    linked = [
        replace(one, measure=measure, cells=tuple(cell + int(start) for cell in one.cells))
        for (measure, table), start in zip(systems.items(), starts[:-1], strict=True)
        for one in table.linked
    ]
    wide = [(measure, *key) for measure, table in systems.items() for key in widen_keys(table, own, margins)]
    plain = Table.of(
        dims=(axis, *own),
        keys=wide,
        value=_stack(tables, "value"),
        matrix=_block_diagonal(tables),
        equations=[f"{measure}: {name}" for measure, table in systems.items() for name in table.equations],
        margins=("", *margins),
    )
    arrays = {name: _stack(tables, name) for name in (*LEVELS, "weight", "lower", "upper")}
    covers = sorted((table.joint for table in tables), key=lambda joint: list(Cover).index(joint.cover))
    return replace(
        plain,
        **arrays,
        frequency=_stack(tables, "frequency").astype(np.int64),
        status=_stack(tables, "status").astype(np.int8),
        largest=np.concatenate([_list_largest(table, width) for table in tables]),
        joint=covers[-1],
        linked=tuple(linked),
    )


def know_empty(table: Table, *, counts: bool) -> Table:
    """Return a table whose attacker knows which cells nobody is behind, as another measure of them may tell him.

    A cell without contributors is 0 to him; where the table ``counts``, one that is not 0 is at least 1.
    """
    empty = (table.frequency == 0) & ~table.unpublished & ~table.primary & (table.value == 0)
    counted = (table.value >= 1) & counts & ~table.unpublished
    return replace(
        table,
        lower=np.where(counted, np.maximum(table.lower, 1.0), np.where(empty, 0.0, table.lower)),
        upper=np.where(empty, 0.0, table.upper),
    )


def _list_largest(table: Table, width: int) -> Floats:
    """Return the largest contributions in so many columns; to a count of contributors everybody gives 1."""
    own = ~table.unpublished
    if table.largest.shape[1] or not np.array_equal(table.value[own], table.frequency[own]):
        return np.pad(table.largest, ((0, 0), (0, width - table.largest.shape[1])))
    counted = np.arange(width) < np.where(table.unpublished, 0, table.frequency)[:, np.newaxis]
    return counted.astype(np.float64)


def widen_keys(table: Table, dims: Sequence[str], margins: Sequence[str]) -> list[Key]:
    """Return each of a table's cells as a joint system names it.

    A dimension that the table lacks counts as its margin.
    """
    at = {dim: place for place, dim in enumerate(table.dims)}
    joint = dict(zip(dims, margins, strict=True))
    axes = [at.get(dim) for dim in dims]
    own = table.keys_under([joint[dim] for dim in table.dims])
    return [
        tuple(margin if axis is None else key[axis] for axis, margin in zip(axes, margins, strict=True)) for key in own
    ]


def _margins(tables: Sequence[Table], dims: Sequence[str]) -> tuple[str, ...]:
    """Return the margins' codes of a joint system, those of the first table that has the dimension."""
    found: dict[str, str] = {}
    for table in tables:
        found = dict(zip(table.dims, table.margins, strict=True)) | found
    faults = [
        Fault(
            row=0,
            column=dim,
            rule="margin",
            value=found[dim],
            message=Said(
                "{found!r} is the margin of {dim} in one table and a category in another", found=found[dim], dim=dim
            ),
        )
        for table in tables
        for axis, dim in enumerate(table.dims)
        if table.margins[axis] != found[dim] and any(key[axis] == found[dim] for key in table.keys)
    ]
    if faults:
        raise FaultsError(Said("tables"), faults)
    return tuple(found[dim] for dim in dims)


def _stack(tables: Sequence[Table], name: str) -> Floats:
    return np.concatenate([np.asarray(getattr(table, name), dtype=np.float64) for table in tables])


def _block_diagonal(tables: Sequence[Table]) -> csr_array:
    cells = sum(len(table) for table in tables)
    blocks: list[csr_array] = []
    before = 0
    for table in tables:
        grid = table.matrix.tocoo()
        blocks.append(csr_array((grid.data, (grid.row, grid.col + before)), shape=(table.matrix.shape[0], cells)))
        before += len(table)
    return csr_array(vstack(blocks))


def _merge_columns(column: NDArray[np.int64], cells: int) -> csr_array:
    return csr_array((np.ones(len(column)), (np.arange(len(column)), column)), shape=(len(column), cells))


def _highest(values: Floats, column: NDArray[np.int64], cells: int) -> Floats:
    out = np.full(cells, -np.inf)
    np.maximum.at(out, column, values)
    return out


def _strictest(status: Floats, column: NDArray[np.int64], cells: int) -> NDArray[np.int8]:
    """Return the strictest status of each merged cell: unpublished, then primary, secondary, publish, safe."""
    back = np.array([Status.SAFE, Status.PUBLISH, Status.SECONDARY, Status.PRIMARY, Status.UNPUBLISHED], dtype=np.int8)
    order = np.argsort(back)
    return back[_highest(order[status.astype(np.int64)].astype(np.float64), column, cells).astype(np.int64)]


def _refuse_clashes(keys: list[Key], column: NDArray[np.int64], value: Floats, status: Floats) -> None:
    cells = int(column.max()) + 1
    top, low = _highest(value, column, cells), -_highest(-value, column, cells)
    faults = [
        _clash(keys, column, i, "value", Said("is {low:g} in one table and {top:g} in another", low=low[i], top=top[i]))
        for i in np.flatnonzero(top - low > np.maximum(np.abs(top), np.abs(low)) * RELATIVE_SLACK + ABSOLUTE_SLACK)
    ]
    hidden = _highest(((status == Status.PRIMARY) | (status == Status.SECONDARY)).astype(np.float64), column, cells)
    shown = _highest((status == Status.PUBLISH).astype(np.float64), column, cells)
    both = np.flatnonzero((hidden > 0) & (shown > 0))
    faults += [
        _clash(keys, column, i, "status", Said("must be published in one table and suppressed in another"))
        for i in both
    ]
    if faults:
        raise FaultsError(Said("tables"), faults)


def _clash(keys: list[Key], column: NDArray[np.int64], cell: np.intp, rule: str, message: str) -> Fault:
    key = ", ".join(keys[int(np.flatnonzero(column == cell)[0])])
    return Fault(
        row=0,
        column="",
        rule=rule,
        value=key,
        message=Said("the shared cell {key} {message}", key=key, message=message),
    )


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
