"""From records to classes: a good beginning, then better and better ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import BugError
from sekisho.protect.records.recoding.class_rule import ClassRule, keeps_rule
from sekisho.protect.records.recoding.classes import Classes, build_classes
from sekisho.protect.records.recoding.key_space import TREE, KeySpace, Records
from sekisho.protect.records.recoding.ladders import build_ladders, list_vectors
from sekisho.protect.records.recoding.moves import improve_classes, scatter_class
from sekisho.protect.records.recoding.peel import peel_records
from sekisho.protect.records.recoding.split import Pieces, split_records

PART = 500
"""So many classes are looked at before the budget is."""
FEW = 50_000
"""So few distinct records are cut all together: that takes longer, and loses less where classes are few."""
NARROW = 0.25
"""What is alike under a vector of levels that costs a record at most this leaves before the rest is cut."""
ENOUGH = 0.99
"""A round of small moves that leaves more of the loss than this is the last of its kind."""
FINE = 1e-9
"""A round that lowers the NCP by less was the last."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Records, what their cells cost, and what a class must keep.

    Attributes:
        room: how many records may be left out.
        strict: whether classes are made by cuts between different values alone.
    """

    space: KeySpace
    records: Records
    rule: ClassRule
    room: int = 0
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecodedClasses:
    """Classes of records.

    Attributes:
        pieces: copies of records and the class of each; what is in no class is left out.
        classes: how many classes there are, numbered from 0.
        loss: the NCP of all records.
        looks: how many looks at a class it took.
    """

    pieces: Pieces
    classes: int
    loss: float
    looks: int


def search_classes(problem: Problem, *, looks: int, rng: np.random.Generator) -> Iterator[RecodedClasses]:
    """Give better and better classes until the looks are used up or nothing can be bettered."""
    state = _start(problem)
    best = _take(problem, state, 0)
    yield best
    if problem.strict:
        return
    spent, before, deep = 0, np.inf, 0
    while spent < looks and best.loss > 0.0:
        whole = not bool(state.changed[:-1].any())
        spent += _improve(problem, state, looks - spent, deep, rng)
        best = _take(problem, state, spent)
        yield best
        if whole and deep and best.loss > before - FINE:
            return
        if not deep and best.loss >= before * ENOUGH:
            state.changed[:] = True
            deep = 1
        before = best.loss


def _improve(problem: Problem, state: Classes, looks: int, deep: int, rng: np.random.Generator) -> int:
    """Try to better all classes that may be bettered; return how many looks it took."""
    spent = 0
    for part in _list_parts(state, rng):
        if spent >= looks:
            break
        spent += improve_classes(problem.space, problem.records, problem.rule, state, part, deep, looks - spent)[1]
    return spent


def _list_parts(state: Classes, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return the classes to be looked at, some at a time: those that have changed, else all that cost something."""
    costly = (state.size[:-1] > 0) & (state.cost[:-1] > 0)
    changed = np.flatnonzero(costly & state.changed[:-1])
    state.changed[:] = False
    order = rng.permutation(changed if len(changed) else np.flatnonzero(costly)).astype(np.int64)
    return [order[start : start + PART] for start in range(0, len(order), PART)]


def _start(problem: Problem) -> Classes:
    space, records, rule = problem.space, problem.records, problem.rule
    starts: list[Classes] = []
    if not problem.strict and bool((space.kinds == TREE).any()):
        ladders = build_ladders(space)
        peeled = _build(problem, peel_records(space, records, rule, ladders, list_vectors(space, records, ladders)))
        starts += [peeled] if scatter_class(space, records, rule, peeled, len(peeled.size) - 2) else []
    if not starts or not bool((space.kinds == TREE).all()):
        starts.append(_build(problem, _cut(problem)))
    return min(starts, key=_measure)


def _cut(problem: Problem) -> Pieces:
    """Return the classes of cuts; of many records those leave first that are alike but for narrow steps of numbers."""
    space, records, rule, many = problem.space, problem.records, problem.rule, _count_many(problem.space)
    if problem.strict or len(records.copies) <= FEW:
        return split_records(space, records, rule, not problem.strict, many)
    ladders = build_ladders(space)
    peeled = peel_records(space, records, rule, ladders, list_vectors(space, records, ladders, most=NARROW))
    last = int(peeled.owner.max(initial=0))
    left = np.flatnonzero(peeled.owner == last)
    rest = Records(records.codes[left], records.copies[left], records.sensitive[left])
    counts = np.bincount(rest.sensitive, weights=rest.copies, minlength=len(rule.shares)).astype(np.int64)
    if not keeps_rule(rule, counts, int(counts.sum())):
        return split_records(space, records, rule, True, many)
    cut, gone = split_records(space, rest, rule, True, many), peeled.owner < last
    return Pieces(
        np.concatenate([peeled.record[gone], left[cut.record]]),
        np.concatenate([peeled.copies[gone], cut.copies]),
        np.concatenate([peeled.owner[gone], cut.owner + last]),
    )


def _count_many(space: KeySpace) -> int:
    """Return from how many pieces on it is quicker to sum up equal values: a walk over values looks at every set."""
    widest = int(np.diff(space.starts).max())
    return max(256, widest * (int(space.marked[0]) // (4 * len(space.kinds)) + 1))


def _build(problem: Problem, pieces: Pieces) -> Classes:
    classes = int(pieces.owner.max(initial=-1)) + 1
    return build_classes(problem.space, problem.records, problem.rule, pieces, classes, problem.room)


def _measure(state: Classes) -> float:
    return float((state.size * state.cost).sum())  # a product of vectors would wake threads that then wait


def _take(problem: Problem, state: Classes, looks: int) -> RecodedClasses:
    """Return the classes as they are now, numbered anew without the empty ones."""
    used = state.size[:-1] > 0
    number = np.where(np.append(used, False), np.cumsum(np.append(used, False)) - 1, -1)
    cells = max(1, int(problem.records.copies.sum())) * len(problem.space.kinds)
    if int(state.size.sum()) != int(problem.records.copies.sum()):
        raise BugError("classes hold another number of records than there are")
    pieces = Pieces(state.record.copy(), state.copies.copy(), number[state.owner])
    return RecodedClasses(pieces=pieces, classes=int(used.sum()), loss=_measure(state) / cells, looks=looks)
