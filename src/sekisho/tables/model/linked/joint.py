"""The joint table behind linked tables: cells that no table shows, and that are not below 0 all the same.

Tables by region and job, region and age, job and age are margins of one table by region, job and age. The adversary
knows that its cells are counts, although nobody publishes them: margins that agree with each other and have no cell
below 0 need not be those of any table without negative cells, once the tables form a cycle. So its cells enter the
system as unpublished ones, tied to the leaf cells of every table. Where the tables' dimensions form no cycle they say
nothing more (docs/proofs/linked-tables.md) and are left out.

The holder need not know the joint table. The system needs one that fits, any of them: deviations are counted from it,
and the tables that an attacker cannot exclude are the same whichever it is.

Source: Graham's and Yu and Özsoyoğlu's reduction (1979), in Beeri, Fagin, Maier and Yannakakis, "On the desirability of
acyclic database schemes", Journal of the ACM 30 (1983), section 3; Lauritzen, "Graphical Models" (1996), section 4.4
for decomposable margins.

A table without negative cells that has given margins.

It is one of them, in whole numbers of the last decimal if that can be. Whole numbers are exact and let whole-number
audits count from them. Where the corner that a linear program finds is fractional, a small whole-number program is
asked; where that fails too, the fractional corner is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce
from itertools import product
from math import prod

import numpy as np
from scipy.sparse import csr_array, hstack, kron, vstack

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables.model.axes import Axes
from sekisho.tables.model.limits import ABSOLUTE_SLACK, RELATIVE_SLACK
from sekisho.tables.model.table import Cover, CoverGap, Floats, Joint, Key, Status, Table
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said

PLACES = 6
SMALL = 5_000
"""Up to how many cells whole numbers are looked for where the corner is fractional."""
NODES = 1_000
COARSE = 1e-2
"""From which error on a number of units cannot be told from the next."""


class Filling(Enum):
    """How the search for a table with given margins ended."""

    EXACT = "exact"
    CLOSE = "close"
    ROUNDED = "rounded"
    NONE = "none"


def fill_margins(rows: csr_array, margins: Floats) -> tuple[Filling, Floats | None]:
    """Return a table ``x >= 0`` with ``rows @ x == margins``: exact, within the slack of float sums, or none.

    ``NONE`` means that there is none; ``ROUNDED`` that the solver's was not exact enough, so that there may be one.
    """
    unit = _unit(margins)
    whole = None if unit is None else np.rint(margins * unit)
    right = margins if whole is None else whole
    corner = _solve(rows, right, whole=False)
    if corner is None:
        # sums of binary fractions may contradict each other within the tolerance alone
        return (Filling.ROUNDED if whole is None else Filling.NONE), None
    if whole is not None and unit is not None:
        exact = _round(rows, whole, corner)
        if exact is None and rows.shape[1] <= SMALL:
            exact = _round(rows, whole, _solve(rows, whole, whole=True))
        if exact is not None:
            return Filling.EXACT, exact / unit
        corner = corner / unit
    point = np.maximum(corner, 0.0)
    slack = (rows @ point + np.abs(margins)) * RELATIVE_SLACK + ABSOLUTE_SLACK
    if np.any(np.abs(rows @ point - margins) > slack):
        return Filling.ROUNDED, None
    return Filling.CLOSE, point


def _solve(rows: csr_array, right: Floats, *, whole: bool) -> Floats | None:
    cells = rows.shape[1]
    program = Program(
        cost=np.zeros(cells),
        lower=np.zeros(cells),
        upper=np.full(cells, np.inf),
        rows=rows,
        row_lower=right,
        row_upper=right,
        whole=np.ones(cells, dtype=np.bool_) if whole else None,
    )
    if whole:
        program.limit(nodes=NODES)
    solution = program.solve()
    if solution.status is SolveStatus.OPTIMAL or (whole and solution.x.size):
        return solution.x
    return None


def _round(rows: csr_array, whole: Floats, x: Floats | None) -> Floats | None:
    """Return a point in whole numbers if its margins are still the same."""
    if x is None:
        return None
    near = np.maximum(np.rint(x), 0.0)
    return near if np.array_equal(rows @ near, whole) else None


def _unit(numbers: Floats) -> int | None:
    """Return how many units of the last decimal make 1; None if there are too many decimals, or digits, to tell."""
    for places in range(PLACES + 1):
        scaled = numbers * 10**places
        error = np.abs(scaled) * RELATIVE_SLACK + ABSOLUTE_SLACK
        if np.all((np.abs(scaled - np.rint(scaled)) <= error) & (error < COARSE)):
            return 10**places
    return None


MOST = 20_000
"""Up to how many joint cells are used unasked."""
CEILING = 1_000_000
"""Above this not even when asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeList:
    """The codes of a dimension over all tables.

    Attributes:
        leaves: the codes that are a sum in no table.
        holds: which leaves each code holds.
        alike: whether all tables have the same leaves, and mean the same by every code they share.
    """

    leaves: tuple[str, ...]
    holds: Mapping[str, frozenset[str]]
    alike: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ties:
    """The equations between cells of a system and the joint cells: each of these cells is the sum of its row's."""

    cells: tuple[int, ...]
    rows: csr_array


def with_joint(system: Table, tables: Sequence[Table], *, joint: bool | None = None, most: int = MOST) -> Table:
    """Return the system of several tables with their joint table's cells, or with a word on why it has none.

    Args:
        system: the tables as one system.
        tables: those it was made of.
        joint: True to add the cells however many they are, False never to, None to add them if they are at most
            ``most``.
        most: the most cells to be added unasked.

    Raises:
        ParameterError: more cells are asked for than can be dealt with.
        FaultsError: the tables contradict each other: no joint table without negative cells has these margins.
    """
    if len(tables) == 1:
        return system
    margins = dict(zip(system.dims, system.margins, strict=True))
    tables = [rename_codes(table, [margins[dim] for dim in table.dims]) for table in tables]
    lists = read_lists(tables, margins)
    alike = lists is not None and all(each.alike for each in lists.values())
    signed = bool(np.any(system.lower < 0))
    if alike and (signed or is_acyclic([table.dims for table in tables])):
        return system
    cells = 0 if lists is None else prod(len(each.leaves) for each in lists.values())
    if joint and cells > CEILING:
        raise ParameterError("joint", Said("be of a joint table of at most {ceiling:,} cells", ceiling=CEILING), cells)
    # a table by all dimensions that needs a joint table has another list of codes than the others
    strange = signed or any(len(table.dims) == len(system.dims) for table in tables)
    if joint is False or lists is None or strange or (joint is None and cells > most):
        gap = CoverGap.ASKED if joint is False else CoverGap.CODES if lists is None or strange else CoverGap.MANY
        return _not_covered(system, cells, gap)
    ties = tie_cells(system, tables, lists)
    filling, base = fill_margins(ties.rows, system.value[list(ties.cells)])
    if filling is Filling.NONE and alike:
        _refuse_contradiction(system, tables)
    if base is None:
        return _not_covered(system, cells, CoverGap.ROUNDED if filling is Filling.ROUNDED else CoverGap.CODES)
    return add_cells(system, lists, ties, base)


def is_acyclic(scopes: Iterable[Collection[str]]) -> bool:
    """Tell whether sets of dimensions form no cycle.

    Dropping what only one set has, and sets inside others, leaves nothing then.
    """
    left = [set(scope) for scope in scopes]
    while left:
        before = sum(map(len, left)), len(left)
        left = [
            scope & set[str]().union(*(other for j, other in enumerate(left) if j != at))
            for at, scope in enumerate(left)
        ]
        left = [
            scope
            for at, scope in enumerate(left)
            if scope and not any(scope < other or (scope == other and at > i) for i, other in enumerate(left))
        ]
        if (sum(map(len, left)), len(left)) == before:
            return False
    return True


def rename_codes(table: Table, margins: Sequence[str]) -> Table:
    """Return a table whose margins are called as the system calls them."""
    return replace(table, keys=tuple(table.keys_under(margins)), margins=tuple(margins))


def read_lists(tables: Sequence[Table], margins: Mapping[str, str]) -> dict[str, CodeList] | None:
    """Return the codes of each dimension, read off the tables' equations.

    None if some are no sums of leaves of one list.

    ``margins`` tell each dimension's margin, the same in all tables.
    """
    held: dict[str, list[tuple[frozenset[str], dict[str, frozenset[str]]]]] = {dim: [] for dim in margins}
    for table in tables:
        axes = Axes.of(table)
        if axes is None:
            return None
        for axis, dim in enumerate(table.dims):
            names, leaves = axes.names[axis], axes.leaves[axis]
            holds = {
                name: frozenset(names[leaf] for leaf in leaves[row > 0])
                for name, row in zip(names, axes.spread[axis], strict=True)
            }
            own = frozenset(names[leaf] for leaf in leaves)
            if holds.get(margins[dim]) != own:
                return None
            held[dim].append((own, holds))
    lists = {dim: _merge_lists(each) for dim, each in held.items()}
    found = {dim: each for dim, each in lists.items() if each is not None}
    return found if len(found) == len(lists) else None


def _merge_lists(held: Sequence[tuple[frozenset[str], dict[str, frozenset[str]]]]) -> CodeList | None:
    """Return one list of codes for what several tables say of a dimension; None if codes are sums of each other."""
    merged: dict[str, frozenset[str]] = {}
    for _, holds in held:
        for code, leaves in holds.items():
            merged[code] = merged.get(code, frozenset()) | leaves
    alike = all(own == held[0][0] for own, _ in held) and all(
        merged[code] == leaves for _, holds in held for code, leaves in holds.items()
    )
    sums = {code for own, holds in held for code in holds if code not in own}
    merged = {code: leaves - {code} if code in sums else leaves for code, leaves in merged.items()}
    for _ in sums:
        if not any(leaves & sums for leaves in merged.values()):
            break
        merged = {
            # what is a leaf in one table and a sum in another is replaced by its parts
            code: frozenset[str]().union(*(merged[leaf] if leaf in sums else {leaf} for leaf in leaves))
            for code, leaves in merged.items()
        }
    if any(leaves & sums for leaves in merged.values()):
        return None
    return CodeList(leaves=tuple(sorted(set(merged) - sums)), holds=merged, alike=alike)


def tie_cells(system: Table, tables: Sequence[Table], lists: Mapping[str, CodeList], *, every: bool = False) -> Ties:
    """Return the equations: those of every table's leaf cells, from which the rest follows.

    Of all cells where the lists differ, or ``every`` one is asked for.
    """
    tied: dict[int, None] = {}
    blocks: list[csr_array] = []
    whole = every or not all(each.alike for each in lists.values())
    for table in tables:
        codes = [
            _codes_of(lists[dim], table, dim, whole=whole) if dim in table.dims else (margin,)
            for dim, margin in zip(system.dims, system.margins, strict=True)
        ]
        places = [system.position.get(key, -1) for key in product(*codes)]
        fresh = [row for row, cell in enumerate(places) if cell >= 0 and cell not in tied]
        block = reduce(
            lambda one, two: csr_array(kron(one, two, format="csr")),
            [_holding(lists[dim], code) for dim, code in zip(system.dims, codes, strict=True)],
        )
        blocks.append(csr_array(block[fresh]))
        tied |= dict.fromkeys(places[row] for row in fresh)
    return Ties(cells=tuple(tied), rows=csr_array(vstack(blocks)))


def _codes_of(codes: CodeList, table: Table, dim: str, *, whole: bool) -> Sequence[str]:
    axis = table.dims.index(dim)
    return tuple(dict.fromkeys(key[axis] for key in table.keys)) if whole else codes.leaves


def _holding(codes: CodeList, some: Sequence[str]) -> csr_array:
    """Return the matrix, some codes by leaves, that says which leaves each code holds."""
    return csr_array([[float(leaf in codes.holds[code]) for leaf in codes.leaves] for code in some])


def add_cells(system: Table, lists: Mapping[str, CodeList], ties: Ties, base: Floats) -> Table:
    """Return the system with the joint cells, unpublished, at a base point that fits."""
    keys: list[Key] = list(product(*(lists[dim].leaves for dim in system.dims)))
    old, new, rows = len(system), len(keys), len(ties.cells)
    none = np.zeros(new)
    minus = csr_array((np.full(rows, -1.0), (np.arange(rows), np.array(ties.cells))), shape=(rows, old))
    own = csr_array(hstack([system.matrix, csr_array((system.matrix.shape[0], new))]))
    return replace(
        system,
        keys=(*system.keys, *keys),
        value=np.concatenate([system.value, base]),
        matrix=csr_array(vstack([own, csr_array(hstack([minus, ties.rows]))])),
        equations=(*system.equations, *(f"joint at {system.named(cell)}" for cell in ties.cells)),
        weight=np.concatenate([system.weight, none]),
        frequency=np.concatenate([system.frequency, none.astype(np.int64)]),
        status=np.concatenate([system.status, np.full(new, np.int8(Status.UNPUBLISHED))]),
        lower=np.concatenate([system.lower, none]),
        upper=np.concatenate([system.upper, np.full(new, np.inf)]),
        lower_level=np.concatenate([system.lower_level, none]),
        upper_level=np.concatenate([system.upper_level, none]),
        sliding_level=np.concatenate([system.sliding_level, none]),
        largest=np.concatenate([system.largest, np.zeros((new, system.largest.shape[1]))]),
        joint=Joint(cover=Cover.COVERED, dims=system.dims, cells=new),
    )


def _not_covered(system: Table, cells: int, gap: CoverGap) -> Table:
    return replace(system, joint=Joint(cover=Cover.NOT_COVERED, dims=system.dims, cells=cells, gap=gap))


def _refuse_contradiction(system: Table, tables: Sequence[Table]) -> None:
    names = ", ".join(" x ".join(table.dims) for table in tables)
    over = " x ".join(system.dims)
    raise FaultsError(
        Said("tables"),
        [
            Fault(
                row=0,
                column="",
                rule="joint",
                value=over,
                message=(
                    Said(
                        "the tables {names} contradict each other: no table {over} without negative cells has "
                        "these margins",
                        names=names,
                        over=over,
                    )
                ),
            )
        ],
    )
