"""Cell suppression and audit beside Minami's plain loop and cold full programs; shared tables and harder made ones."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np

from plain_benders import plain_benders
from sekisho.seeds import Seed
from sekisho.tables.audit.attacker import DOWN, UP, attacker_of, room
from sekisho.tables.audit.intervals import audit
from sekisho.tables.audit.witness import find_evidence
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.solvers.highs import Program
from sekisho.tables.suppress.boxes import Boxer
from sekisho.tables.suppress.opening import OpeningSearch
from sekisho.tables.suppress.optimiser import Optimiser
from sekisho.tables.suppress.repair import Repairer
from sekisho.tables.suppress.whole_tables import protect_whole
from spec import Case

SHARED = Path(__file__).parents[2] / "shared" / "data" / "tables"


def grid(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Table:
    """Return the table of an inner grid."""
    dimensions = [Dimension.flat(f"v{at}", [f"{i:03d}" for i in range(size)]) for at, size in enumerate(values.shape)]
    keys = [tuple(f"{i:03d}" for i in place) for place in np.ndindex(*values.shape)]
    return from_inner(dimensions, keys, values.ravel())


def unsafe(table: Table) -> Table:
    """Return a count table with its small cells primary, width 10."""
    return table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0)


def shared(name: str) -> Table:
    """Return one of the shared tables."""
    with (SHARED / f"{name}.csv").open() as stream:
        rows = list(csv.reader(stream))[1:]
    dimensions = [Dimension.flat(f"v{at + 1}", sorted({row[at] for row in rows})) for at in range(len(rows[0]) - 1)]
    return unsafe(from_inner(dimensions, [tuple(row[:-1]) for row in rows], np.array([float(row[-1]) for row in rows])))


def clustered(size: int, run: int) -> Table:
    """Return a table whose small cells stand side by side, so many in a row and one in each column."""
    rng = Seed(1).rng()
    values = rng.integers(20, 90, (size, size)).astype(np.float64)
    columns = np.arange(size)
    values[columns // run, columns] = rng.integers(1, 5, size)
    return unsafe(grid(values))


def sparse(size: int) -> Table:
    """Return a table nine tenths of whose cells are 0."""
    rng = Seed(2).rng()
    return unsafe(grid(rng.poisson(0.1, (size, size)).astype(np.float64) * rng.integers(1, 9, (size, size))))


def magnitude(size: int) -> Table:
    """Return a table of sums with levels as the p% rule gives them, cost as the value."""
    rng = Seed(3).rng()
    table = grid(np.ceil(rng.lognormal(4, 1.5, (size, size))))
    mask = np.array(["Total" not in key for key in table.keys]) & (rng.random(len(table)) < 0.1)
    level = np.ceil(table.value * 0.15)
    return replace(table, weight=table.value).flag_cells(mask, lower=level, upper=level)


def cube(size: int) -> Table:
    """Return a three-way table a tenth of whose inner cells is small."""
    rng = Seed(0).rng()
    small = rng.random(size**3) < 0.1
    values = np.where(small, rng.integers(1, 5, size**3), rng.integers(10, 100, size**3))
    return unsafe(grid(values.reshape(size, size, size).astype(np.float64)))


def hierarchical() -> Table:
    """Return the shared table of two trees."""
    with (SHARED / "h.csv").open() as stream:
        rows = list(csv.reader(stream))[1:]
    dimensions: list[Dimension] = []
    for name in ("v1", "v2"):
        with (SHARED / f"h_{name}.csv").open() as stream:
            dimensions.append(Dimension(name=name, parent={row[0]: row[1] for row in list(csv.reader(stream))[1:]}))
    return unsafe(from_inner(dimensions, [(row[0], row[1]) for row in rows], np.array([float(row[2]) for row in rows])))


ONE_IN = 100


def cold(table: Table) -> None:
    """Ask the full program anew for the upper end of two suppressed cells in a hundred: one end in a hundred."""
    down, up = room(table)
    still = np.zeros(table.matrix.shape[0])
    lower, upper = np.where(table.suppressed, -down, 0.0), np.where(table.suppressed, up, 0.0)
    for cell in np.flatnonzero(table.suppressed)[:: ONE_IN // 2].tolist():
        cost = np.zeros(len(table))
        cost[cell] = -1.0
        Program(cost=cost, lower=lower, upper=upper, rows=table.matrix, row_lower=still, row_upper=still).solve()


def every(table: Table, one_in: int = 1) -> None:
    """Ask every program, or one in so many, from the last basis: nothing reduced, nothing shared."""
    attacker = attacker_of(table)
    for cell in np.flatnonzero(table.suppressed)[::one_in].tolist():
        attacker.reach(cell, UP)
        attacker.reach(cell, DOWN)


def boxed(table: Table) -> Table:
    """Return a table with a pattern of boxes."""
    axes = Axes.of(table)
    assert axes is not None
    boxer = Boxer(table, axes)
    boxer.begin(until=inf)
    return table.suppress_cells(boxer.secondary)


def one_by_one(table: Table) -> Mask | None:
    """Return what is left of a pattern of boxes if it is built up anew with a program for each primary."""
    boxes = boxed(table).status == Status.SECONDARY
    return Repairer(table, boxes).repair(np.zeros(len(table), dtype=np.bool_), np.zeros(len(table)))


def cases() -> Iterator[Case]:
    """Yield the cases: to the proven optimum, all of them."""
    tables = {
        "clustered": clustered(40, 8),
        "sparse, 90 % zeros": sparse(40),
        "magnitude, p% levels": magnitude(50),
    }
    for name, table in tables.items():
        yield _suppression(name, f"{len(table):,} cells", table)
    yield from _solvers()
    wide = cube(14)
    yield Case(
        work="lean three-way pattern, thinned",
        size=f"{len(wide):,} cells, {int(wide.primary.sum())} unsafe",
        repeat=1,
        ours=lambda: list(OpeningSearch().patterns(wide)),
        reference="a program for each primary, once",
        other=lambda: one_by_one(wide),
    )
    yield _whole("three-way, 6 x 6 x 6", boxed(cube(6)))
    if not SHARED.exists():
        return
    for name in ("t10x10", "t50x50"):
        yield _suppression("shared table", name, shared(name))
    large = shared("t100x100")
    yield Case(work="suppress, shared table", size="t100x100", repeat=1, ours=lambda: Optimiser().suppress(large))
    done = Optimiser().suppress(large).table
    yield Case(
        work="audit, both ends of every cell",
        size=f"t100x100, {int(done.suppressed.sum()):,} hidden",
        repeat=1,
        ours=lambda: audit(done),
        reference="cold full programs, 1 % of them",
        other=lambda: cold(done),
        part=ONE_IN,
    )
    corners = boxed(shared("t20x20x20"))
    yield _whole("t20x20x20, boxes", corners)
    for name, table, part in (("t100x100", done, 1), ("t20x20x20, boxes", corners, 20)):
        yield Case(
            work="audit, both ends of every cell",
            size=f"{name}, {int(table.suppressed.sum()):,} hidden",
            repeat=1,
            ours=lambda table=table: audit(table),
            reference=f"every program, warm; one in {part}",
            other=lambda table=table, part=part: every(table, part),
            part=part,
        )


def _whole(name: str, table: Table) -> Case:
    """Return the look at whole tables of a pattern that is safe from real numbers."""
    secondary = table.status == Status.SECONDARY
    plain = replace(table, status=np.where(secondary, np.int8(Status.SAFE), table.status))
    return Case(
        work="whole tables for every unsafe cell, and cells where they lack",
        size=f"{name}, {int(table.suppressed.sum()):,} hidden",
        repeat=1,
        ours=lambda: protect_whole(plain, secondary, (), until=inf),
        reference="tables of real numbers",
        other=lambda: find_evidence(table),
    )


def _solvers() -> Iterator[Case]:
    """Yield the tables on which SCIP's tree stands beside HiGHS's loop."""
    tables = {"three-way, 4 x 4 x 4": cube(4), "three-way, 5 x 5 x 5": cube(5)}
    if SHARED.exists():
        tables |= {"t50x50": shared("t50x50"), "h, two trees": hierarchical()}
    for name, table in tables.items():
        yield Case(
            work="suppress, SCIP's tree",
            repeat=1,
            size=f"{name}, {len(table):,} cells, {int(table.primary.sum())} unsafe",
            ours=lambda table=table: Optimiser(solver="scip").suppress(table),
            reference="HiGHS's loop",
            other=lambda table=table: Optimiser().suppress(table),
        )


def _suppression(name: str, size: str, table: Table) -> Case:
    return Case(
        work=f"suppress, {name}",
        size=f"{size}, {int(table.primary.sum())} unsafe",
        repeat=1,
        ours=lambda: Optimiser().suppress(table),
        reference="Minami's plain loop",
        other=lambda: plain_benders(table),
    )
