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

from sekisho.tables.check.claims import ClaimedSuppression
from sekisho.words import Said

Scope = frozenset[int]


def joint_errors(claimed: ClaimedSuppression) -> Iterator[str]:
    """Tell what is wrong with what a certificate claims of the joint table."""
    apart = {i for i, word in enumerate(claimed.cells.status) if word == "unpublished"}
    if (claimed.joint == "covered") != bool(apart):
        yield Said(
            "the joint table is said to be {joint!r}, but {apart} cells are unpublished",
            joint=claimed.joint,
            apart=len(apart),
        )
    elif claimed.joint == "covered":
        yield from _covered(claimed, apart)
    elif claimed.joint == "none-needed":
        yield from _none_needed(claimed)
    elif claimed.joint != "not covered":
        yield Said("what is said of the joint table, {joint!r}, is unknown", joint=claimed.joint)
    if (claimed.joint == "not covered") != bool(claimed.limit):
        if claimed.limit:
            yield Said("the joint table is {joint!r}, and the limit is  named", joint=claimed.joint)
        else:
            yield Said("the joint table is {joint!r}, and the limit is not named", joint=claimed.joint)


def _covered(claimed: ClaimedSuppression, apart: set[int]) -> Iterator[str]:
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
    for number, equation in enumerate(claimed.equations):
        parts = {i for i, sign in equation if i in apart and sign == 1}
        rest = [(i, sign) for i, sign in equation if i not in parts]
        if parts and (len(rest) != 1 or rest[0][1] != -1 or rest[0][0] in apart):
            yield Said("equation {number} is not that of a cell and its joint cells", number=number)
        elif parts:
            tied[rest[0][0]] = parts
    for i in _leaves(claimed, apart):
        known = [by_code[axis][code] for axis, code in enumerate(cells.keys[i]) if code in lists[axis]]
        coarse = any(cells.keys[i][axis] not in lists[axis] for axis in _scope(claimed, i))
        due = apart.intersection(*known)
        parts = tied.get(i, set())
        if not parts or not parts <= due or (parts != due and not coarse):
            yield Said("cell {keys} is not the sum of its joint cells", keys=", ".join(cells.keys[i]))


def _none_needed(claimed: ClaimedSuppression) -> Iterator[str]:
    cells = claimed.cells
    if any(low is None or low < 0 for low in cells.lower):
        return  # a joint table of any sign fits
    codes: dict[Scope, dict[int, set[str]]] = {}
    for i in _leaves(claimed, set()):
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


def _scope(claimed: ClaimedSuppression, i: int) -> Scope:
    """Return the dimensions in which a cell is no margin."""
    pairs = zip(claimed.cells.keys[i], claimed.margins, strict=True)
    return frozenset(axis for axis, (code, margin) in enumerate(pairs) if code != margin)


def _leaves(claimed: ClaimedSuppression, apart: set[int]) -> list[int]:
    """Return the cells that are the total of no others; those of the joint table do not count."""
    totals = {
        i
        for equation in claimed.equations
        if not any(j in apart for j, _ in equation)
        for i, sign in equation
        if sign < 0
    }
    return [i for i in range(len(claimed.cells.keys)) if i not in totals and i not in apart]


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
