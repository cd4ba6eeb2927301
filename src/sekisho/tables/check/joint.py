"""The checker's look at linked tables: does the certificate's system hold what is known of the joint table behind them?

It reads keys and equations only. A leaf cell is one that is no total; its scope is the set of dimensions in which it
has a code other than the margin's. ``covered``: every leaf cell is the sum of those joint cells, none below 0, that
have its codes. ``none-needed``: the scopes form no cycle, so that the joint cells would say nothing more
(docs/proofs/linked-tables.md). ``not covered``: the limit is named.

Whether scopes form a cycle is asked otherwise than by whoever made the certificate: sets are acyclic if and only if the
heaviest tree that joins them, each edge weighing as much as its two sets have in common, weighs the sum of their sizes
less the size of their union.

Source: Bernstein and Goodman, "Power of natural semijoins", SIAM Journal on Computing 10 (1981), section 4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from math import prod

from sekisho.tables.check.claims import ClaimedSystem, ClaimedTable
from sekisho.words import Said

Scope = frozenset[int]
NAMED = 3
"""So many cells are named of a table that is not as it is said to be."""


def own_cells(claimed: ClaimedSystem, table: ClaimedTable) -> dict[tuple[str, ...], int]:
    """Return the cells of one of the linked tables by its own codes, as its file has them."""
    axes = [claimed.dims.index(dim) for dim in table.dims]
    renamed = [(claimed.margins[axis], margin) for axis, margin in zip(axes, table.margins, strict=True)]
    codes = ([claimed.cells.keys[cell][axis] for axis in axes] for cell in table.cells)
    return {
        tuple(here if code == there else code for code, (there, here) in zip(key, renamed, strict=True)): cell
        for key, cell in zip(codes, table.cells, strict=True)
    }


def linked_errors(claimed: ClaimedSystem) -> Iterator[str]:
    """Tell which of the tables that a system is said to be joined of are not.

    A table's cells are different ones of the system, at the margin of every dimension that it lacks; so tables that
    share a cell mean one and the same. Together they are all that is published.
    """
    if not claimed.tables:
        return
    if len({table.name for table in claimed.tables}) != len(claimed.tables) and any(one.name for one in claimed.tables):
        yield Said("two of the tables have one name")
    published = {i for i, word in enumerate(claimed.cells.status) if word != "unpublished"}
    for table in claimed.tables:
        if len(set(table.dims)) != len(table.dims) or not set(table.dims) <= set(claimed.dims):
            yield Said("the table {name!r} has dimensions that the system has not", name=table.name)
            continue
        if len(own_cells(claimed, table)) != len(table.cells) or not set(table.cells) <= published:
            yield Said("the table {name!r} names a cell twice, or one that nobody publishes", name=table.name)
        lacked = [axis for axis, dim in enumerate(claimed.dims) if dim not in table.dims]
        due = [table.measure, *claimed.margins[1:]] if table.measure else claimed.margins
        strange = [
            ", ".join(claimed.cells.keys[cell])
            for cell in table.cells
            if any(claimed.cells.keys[cell][axis] != due[axis] for axis in lacked)
        ]
        if strange:
            yield Said(
                "the table {name!r} holds cells of dimensions that it has not: {cells}",
                name=table.name,
                cells="; ".join(strange[:NAMED]),
            )
    yield from _measure_errors(claimed)
    left = published.difference(*(table.cells for table in claimed.tables))
    if left:
        names = "; ".join(", ".join(claimed.cells.keys[cell]) for cell in sorted(left)[:NAMED])
        yield Said("{count} cells are published in none of the tables: {cells}", count=len(left), cells=names)


def _measure_errors(claimed: ClaimedSystem) -> Iterator[str]:
    """Tell what is wrong with tables that are said to tell different things: nothing may join what they tell."""
    measures = {table.measure for table in claimed.tables}
    if measures == {""}:
        return
    codes = {key[0] for key in claimed.cells.keys}
    split = all(table.dims.count(claimed.dims[0]) == 0 for table in claimed.tables)
    if not split or not codes <= measures or measures & {"", claimed.margins[0]}:
        yield Said("the first dimension does not tell apart what the tables tell")
    for number, equation in enumerate(claimed.equations):
        if len({claimed.cells.keys[i][0] for i, _ in equation}) > 1:
            yield Said("equation {number} joins cells of different measures", number=number)


def _list_measures(claimed: ClaimedSystem) -> list[set[int]]:
    """Return the cells of each measure; all of them where there is one."""
    cells = range(len(claimed.cells.keys))
    if not any(table.measure for table in claimed.tables):
        return [set(cells)]
    groups: dict[str, set[int]] = defaultdict(set)
    for i in cells:
        groups[claimed.cells.keys[i][0]].add(i)
    return list(groups.values())


def joint_errors(claimed: ClaimedSystem) -> Iterator[str]:
    """Tell what is wrong with what a certificate claims of its tables, and of the joint table behind them."""
    yield from linked_errors(claimed)
    apart = {i for i, word in enumerate(claimed.cells.status) if word == "unpublished"}
    if (claimed.joint == "covered") != bool(apart):
        yield Said(
            "the joint table is said to be {joint!r}, but {apart} cells are unpublished",
            joint=claimed.joint,
            apart=len(apart),
        )
    elif claimed.joint in {"covered", "none-needed"}:
        for among in _list_measures(claimed):
            yield from _covered(claimed, apart & among, among) if apart & among else _none_needed(claimed, among)
    elif claimed.joint != "not covered":
        yield Said("what is said of the joint table, {joint!r}, is unknown", joint=claimed.joint)
    if (claimed.joint == "not covered") != bool(claimed.limit):
        if claimed.limit:
            yield Said("the joint table is {joint!r}, and the limit is  named", joint=claimed.joint)
        else:
            yield Said("the joint table is {joint!r}, and the limit is not named", joint=claimed.joint)


def _covered(claimed: ClaimedSystem, apart: set[int], among: set[int]) -> Iterator[str]:
    cells, count = claimed.cells, len(claimed.cells.keys[0])
    lists = [{cells.keys[i][axis] for i in apart} for axis in range(count)]
    if prod(map(len, lists)) != len(apart) or any(map(set.__contains__, lists, claimed.margins)):
        yield Said("the unpublished cells are not all combinations of some codes")
    if any(cells.lower[i] != 0 or cells.upper[i] is not None for i in apart):
        yield Said("an unpublished cell has other bounds than 0 and none")
    by_code: list[dict[str, set[int]]] = [defaultdict(set) for _ in range(count)]
    for i in apart:
        for axis, code in enumerate(cells.keys[i]):
            by_code[axis][code].add(i)
    tied: dict[int, set[int]] = {}
    own = [(at, row) for at, row in enumerate(claimed.equations) if among.issuperset(i for i, _ in row)]
    for number, equation in own:
        parts = {i for i, sign in equation if i in apart and sign == 1}
        rest = [(i, sign) for i, sign in equation if i not in parts]
        if parts and (len(rest) != 1 or rest[0][1] != -1 or rest[0][0] in apart):
            yield Said("equation {number} is not that of a cell and its joint cells", number=number)
        elif parts:
            tied[rest[0][0]] = parts
    for i in _leaves(claimed, apart, among):
        known = [by_code[axis][code] for axis, code in enumerate(cells.keys[i]) if code in lists[axis]]
        coarse = any(cells.keys[i][axis] not in lists[axis] for axis in _scope(claimed, i))
        due = apart.intersection(*known)
        parts = tied.get(i, set())
        if not parts or not parts <= due or (parts != due and not coarse):
            yield Said("cell {keys} is not the sum of its joint cells", keys=", ".join(cells.keys[i]))


def _none_needed(claimed: ClaimedSystem, among: set[int]) -> Iterator[str]:
    cells = claimed.cells
    if any(low is None or low < 0 for low in (cells.lower[i] for i in among)):
        return  # a joint table of any sign fits
    codes: dict[Scope, dict[int, set[str]]] = {}
    for i in _leaves(claimed, set(), among):
        scope = _scope(claimed, i)
        own = codes.setdefault(scope, {axis: set() for axis in scope})
        for axis in scope:
            own[axis].add(cells.keys[i][axis])
    if not _acyclic(list(codes)):
        yield Said("the tables form a cycle, and yet no joint table is said to be needed")
    for one, two in combinations(codes, 2):
        if any(codes[one][axis] != codes[two][axis] for axis in one & two):
            yield Said("two tables have different codes of one dimension, and yet no joint table is said to be needed")
            return


def _scope(claimed: ClaimedSystem, i: int) -> Scope:
    """Return the dimensions in which a cell is no margin."""
    pairs = zip(claimed.cells.keys[i], claimed.margins, strict=True)
    return frozenset(axis for axis, (code, margin) in enumerate(pairs) if code != margin)


def _leaves(claimed: ClaimedSystem, apart: set[int], among: set[int]) -> list[int]:
    """Return the cells of some that are the total of no others; those of the joint table do not count."""
    totals = {
        i
        for equation in claimed.equations
        if not any(j in apart for j, _ in equation)
        for i, sign in equation
        if sign < 0
    }
    return [i for i in sorted(among) if i not in totals and i not in apart]


def _acyclic(scopes: list[Scope]) -> bool:
    """Grow the heaviest tree that joins all the sets, and compare its weight."""
    if not scopes:
        return True
    weight, nearest = 0, {scope: len(scope & scopes[0]) for scope in scopes[1:]}
    while nearest:
        best = max(nearest, key=lambda scope: nearest[scope])
        weight += nearest.pop(best)
        nearest = {scope: max(near, len(scope & best)) for scope, near in nearest.items()}
    return weight == sum(map(len, scopes)) - len(frozenset[int]().union(*scopes))
