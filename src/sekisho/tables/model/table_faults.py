"""What a table must not be: the faults of its keys, cells and equations, each named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sekisho.errors import Fault, ParameterError
from sekisho.tables.model.limits import ABSOLUTE_SLACK, LARGEST, LEAST, RELATIVE_SLACK
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.tables.model.table import Floats, Mask, Table


def name_fault(table: Table, cell: int | np.intp, rule: str, message: str) -> Fault:
    """Return what is wrong with a cell, named by its codes."""
    return Fault(
        row=int(cell) + 1,
        column="",
        rule=rule,
        value=f"{table.value[cell]:g}",
        message=Said("cell {cell} {message}", cell=table.named(cell), message=message),
    )


def find_key_faults(table: Table) -> list[Fault]:
    """Return the cells with too few codes, or, if there are none, those that are there twice."""
    faults = [
        name_fault(
            table, place, "key", Said("has {key} codes for {dims} dimensions", key=len(key), dims=len(table.dims))
        )
        for place, key in enumerate(table.keys)
        if len(key) != len(table.dims)
    ]
    if not faults and len(table.position) != len(table.keys):
        twice = [place for place, key in enumerate(table.keys) if table.position[key] != place]
        faults = [name_fault(table, place, "duplicate", Said("is there twice")) for place in twice]
    return faults


def find_cell_faults(table: Table) -> list[Fault]:
    """Return what is wrong with single cells: their values, bounds, costs, frequencies and levels."""
    checks: tuple[tuple[str, str, Mask], ...] = (
        ("finite", "has no finite value", ~np.isfinite(table.value)),
        ("size", f"has a value of {LARGEST:,} or more, which is not exact", np.abs(table.value) >= LARGEST),
        ("bounds", "has a value outside its bounds", ~((table.lower <= table.value) & (table.value <= table.upper))),
        (
            "weight",
            "has a cost that is negative, too large or no number",
            ~((table.weight >= 0) & (table.weight < LARGEST)),
        ),
        ("frequency", "has a negative frequency", table.frequency < 0),
        (
            "levels",
            "has a protection level that is negative, too large or no number",
            ~np.all(
                [
                    (level >= 0) & (level < LARGEST)
                    for level in (table.lower_level, table.upper_level, table.sliding_level)
                ],
                axis=0,
            ),
        ),
    )
    return [name_fault(table, i, rule, message) for rule, message, bad in checks for i in np.flatnonzero(bad)]


def refuse_unprotected(table: Table) -> None:
    """Refuse primaries without a protection level, all of them at once."""
    level = np.maximum(np.maximum(table.lower_level, table.upper_level), table.sliding_level)
    bare = np.flatnonzero(table.primary & (level < LEAST))
    if bare.size:
        names = "; ".join(map(table.named, bare[:5].tolist())) + ("; …" if bare.size > 5 else "")
        raise ParameterError(
            Said("protection level"),
            Said(
                "be at least {least:g} below, above or in width for each unsafe cell ({size} have none: {names})",
                least=LEAST,
                size=bare.size,
                names=names,
            ),
            float(level[bare[0]]),
            hint=Said(
                "without one a cell is hidden, but its value can be worked out: give its rule a width or a margin"
            ),
        )


def find_equation_faults(table: Table) -> list[Fault]:
    """Return the equations that do not add up."""
    residual: Floats = table.matrix @ table.value
    slack: Floats = abs(table.matrix) @ np.abs(table.value) * RELATIVE_SLACK + ABSOLUTE_SLACK
    return [
        Fault(
            row=0,
            column="",
            rule="additive",
            value=f"{residual[row]:g}",
            message=Said(
                "equation {equations} does not add up: parts less total is {residual:g}",
                equations=table.equations[row],
                residual=residual[row],
            ),
        )
        for row in np.flatnonzero(np.abs(residual) > slack)
    ]
