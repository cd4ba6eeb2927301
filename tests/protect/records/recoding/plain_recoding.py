"""Recoding as one would explain it: plain Python, record by record, for a few records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.leaf_order import order_leaves
from sekisho.protect.records.recoding.classed_method import count_distinct
from sekisho.protect.records.recoding.key_space import CellKind, KeyCodes, KeyNodes, join_columns
from sekisho.protect.records.recoding.search import Problem
from sekisho.protect.records.recoding.value_sums import ClassRule

Record = tuple[int, ...]


def ask_k(k: int) -> ClassRule:
    """Return the rule that a class has k records."""
    return ClassRule(k, 0, 0.0, 0.0, 0, 1.0, False, np.ones(1), -1)


def tree_codes(name: str, codes: Sequence[int], tree: Tree) -> KeyCodes:
    """Return a key column with a tree."""
    order = order_leaves(tree)
    nodes = KeyNodes(parent=order.parent, first=order.first, last=order.last, cost=order.share(), leaf=order.leaf)
    values = np.array(codes, dtype=np.int32)
    return KeyCodes(name=name, kind=CellKind.TREE, codes=values, values=len(order.leaf), nodes=nodes)


def number_codes(name: str, codes: Sequence[int], values: int) -> KeyCodes:
    """Return a key column of the numbers 0 to values - 1."""
    place = np.arange(values) / max(1, values - 1)
    array = np.array(codes, dtype=np.int32)
    return KeyCodes(name=name, kind=CellKind.RANGE, codes=array, values=values, place=place)


def set_codes(name: str, codes: Sequence[int], values: int) -> KeyCodes:
    """Return a key column of categories."""
    return KeyCodes(name=name, kind=CellKind.SET, codes=np.array(codes, dtype=np.int32), values=values)


def problem_of(columns: Sequence[KeyCodes], rule: ClassRule, *, room: int = 0, strict: bool = False) -> Problem:
    """Return the problem of some key columns."""
    records, _ = count_distinct(columns, None)
    return Problem(space=join_columns(columns), records=records, rule=rule, room=room, strict=strict)


def rows_of(columns: Sequence[KeyCodes]) -> list[Record]:
    """Return all records."""
    return list(zip(*(column.codes.tolist() for column in columns), strict=True))


def cost_cell(column: KeyCodes, codes: Sequence[int]) -> float:
    """Return the loss of one cell that covers some codes."""
    if column.kind is CellKind.SET:
        return (len(set(codes)) - 1) / max(1, column.values - 1)
    if column.kind is CellKind.RANGE:
        return float(column.place[max(codes)] - column.place[min(codes)])
    nodes = column.nodes
    above = [
        cost
        for first, last, cost in zip(nodes.first, nodes.last, nodes.cost, strict=True)
        if all(first <= code <= last for code in codes)
    ]
    return float(min(above))


def cost_class(columns: Sequence[KeyCodes], members: Sequence[Record]) -> float:
    """Return the loss of all records of a class, summed over the keys."""
    cells = zip(columns, zip(*members, strict=True), strict=True)
    return len(members) * sum(cost_cell(column, codes) for column, codes in cells)


def cost_all(columns: Sequence[KeyCodes], classes: Sequence[Sequence[Record]]) -> float:
    """Return the NCP of some classes."""
    return sum(cost_class(columns, one) for one in classes) / sum(map(len, classes)) / len(columns)


def split_plainly(columns: Sequence[KeyCodes], members: list[Record], k: int) -> list[list[Record]]:
    """Return the classes that cuts between different values make, each time the cut of the least loss."""
    best: tuple[float, list[Record], list[Record]] | None = None
    for left, right in _list_cuts(columns, members):
        if min(len(left), len(right)) < k:
            continue
        loss = cost_class(columns, left) + cost_class(columns, right)
        if best is None or loss < best[0] - 1e-12:
            best = loss, left, right
    if best is None:
        return [members]
    return [*split_plainly(columns, best[1], k), *split_plainly(columns, best[2], k)]


def _list_cuts(columns: Sequence[KeyCodes], members: list[Record]) -> Iterator[tuple[list[Record], list[Record]]]:
    for place, column in enumerate(columns):
        often = Counter(record[place] for record in members)
        orders = [sorted(often)]
        if column.kind is CellKind.SET:
            orders.append(sorted(often, key=lambda value: (-often[value], value)))
        for order in orders:
            for cut in range(1, len(order)):
                first = set(order[:cut])
                yield (
                    [record for record in members if record[place] in first],
                    [record for record in members if record[place] not in first],
                )


def list_partitions(count: int, k: int) -> Iterator[list[list[int]]]:
    """Yield all partitions of 0 to count - 1 into classes of k or more."""

    def place(one: int, classes: list[list[int]]) -> Iterator[list[list[int]]]:
        if one == count:
            if all(len(members) >= k for members in classes):
                yield [list(members) for members in classes]
            return
        for members in classes:
            members.append(one)
            yield from place(one + 1, classes)
            members.pop()
        yield from place(one + 1, [*classes, [one]])

    yield from place(0, [])


def least_loss(columns: Sequence[KeyCodes], k: int) -> float:
    """Return the NCP that no partition into classes of k or more is below."""
    rows = rows_of(columns)
    return min(
        cost_all(columns, [[rows[one] for one in members] for members in classes])
        for classes in list_partitions(len(rows), k)
    )


def group_rows(owner: Sequence[int], rows: Sequence[Record]) -> list[list[Record]]:
    """Return the members of each class."""
    pairs = sorted(zip(owner, rows, strict=True))
    return [[row for _, row in members] for _, members in groupby(pairs, key=lambda pair: pair[0])]
