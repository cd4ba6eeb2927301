"""From records to classes: a good beginning, then better and better ones.

Let classes go from the finest labels up: what keeps the rule at some levels is a class, the rest is tried coarser.

A vector names a level for every key; it writes each record with the labels of these levels. The vectors are taken from
the cheapest on, by the loss they would mean for all records. Records that are alike under a vector and keep the rule
together leave as one class (which is then written no coarser than its own records need); the others stay for the next.

Against trees this begins better than cutting from above: a cut between two branches leaves both halves as coarse as
before until the last record of a branch has gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import BugError
from sekisho.kernels import njit
from sekisho.protect.records.recoding.classes import Classes, Ladders, build_classes, build_ladders, list_vectors
from sekisho.protect.records.recoding.key_space import TREE, KeySpace, Records
from sekisho.protect.records.recoding.moves import improve_classes, scatter_class
from sekisho.protect.records.recoding.split import Pieces, split_records
from sekisho.protect.records.recoding.value_sums import ClassRule, keeps_rule

EMPTY = -1
MOST_BUCKETS = 1 << 18
"""More would not stay in the cache of a processor."""
GONE = 8
"""When one record in so many has left, those that are left close up."""
MIX = np.uint64(0x9E3779B97F4A7C15)


class PeelTable(NamedTuple):
    """A hash table of what records are written as; a slot counts only where it bears the present stamp.

    Attributes:
        stamp: of each slot, the vector that used it last.
        group: the first record there, as a place among those left.
    """

    stamp: NDArray[np.int64]
    group: NDArray[np.int64]


class Rest(NamedTuple):
    """The records that are left, side by side; of one that has left meanwhile the copies are 0.

    Attributes:
        record: which they are.
        copies: how often each occurs.
        codes: columns by records.
        word: what each is written as under the present vector, as one number.
        group: of those that may leave, the first that is written alike, as a place among those left.
        counts: of such a first one, the copies by sensitive value of all that are written alike.
    """

    record: NDArray[np.int64]
    copies: NDArray[np.int64]
    codes: NDArray[np.int32]
    word: NDArray[np.uint64]
    group: NDArray[np.int64]
    counts: NDArray[np.int64]


@njit(cache=True, nogil=True)
def peel_records(
    space: KeySpace, records: Records, rule: ClassRule, ladders: Ladders, vectors: NDArray[np.int64]
) -> Pieces:
    """Return the classes of all records that leave under some vector; the rest, if there is any, is the last class.

    Records are first counted in buckets, many ways to write them in one: what falls into a bucket of fewer than k
    cannot leave, and only the others are compared.
    """
    distinct, size = len(records.copies), 16
    while size < 2 * distinct:
        size *= 2
    table = PeelTable(np.full(size, EMPTY, np.int64), np.empty(size, np.int64))
    rest = Rest(
        np.arange(distinct),
        records.copies.copy(),
        np.ascontiguousarray(records.codes.T),
        np.zeros(distinct, np.uint64),
        np.empty(distinct, np.int64),
        np.zeros((distinct, len(rule.shares)), np.int64),
    )
    buckets, chosen = np.zeros(MOST_BUCKETS, np.int64), np.empty(distinct, np.int64)
    owner, before = np.full(distinct, EMPTY, np.int64), np.full(len(space.kinds), EMPTY, np.int64)
    classes, left, gone = 0, distinct, 0
    for turn in range(len(vectors)):
        if gone == left:
            break
        _write_words(space, ladders, before, vectors[turn], rest, left)
        candidates = _choose_candidates(rest, left, rule.k, buckets, chosen)
        _group_records(ladders, vectors[turn], space.starts, rest, candidates, turn, table)
        first, classes = classes, _name_classes(records, rule, rest, candidates, owner, classes)
        if classes > first:
            gone += _let_go(rest, candidates, owner)
            if gone * GONE > left:
                left, gone = _close_up(rest, left), 0
    for place in range(left):
        if rest.copies[place] > 0:
            owner[rest.record[place]] = classes
    return Pieces(np.arange(distinct), records.copies.copy(), owner)


@njit(cache=True, nogil=True)
def _write_words(
    space: KeySpace, ladders: Ladders, before: NDArray[np.int64], vector: NDArray[np.int64], rest: Rest, left: int
) -> None:
    """Turn the words of the vector before into those of this one: only columns whose level differs change them."""
    for column in range(len(vector)):
        if before[column] == vector[column]:
            continue
        start, end = space.starts[column], space.starts[column + 1]
        change = ladders.part[vector[column], start:end].copy()
        if before[column] != EMPTY:
            change -= ladders.part[before[column], start:end]
        codes = rest.codes[column]
        for place in range(left):
            rest.word[place] += change[codes[place]]
        before[column] = vector[column]


@njit(cache=True, nogil=True)
def _choose_candidates(
    rest: Rest, left: int, least: int, buckets: NDArray[np.int64], chosen: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the places of the records that fall into a bucket of at least so many copies."""
    bits = 4
    while (1 << bits) < min(2 * left, len(buckets)):
        bits += 1
    shift = np.uint64(64 - bits)
    buckets[: 1 << bits] = 0
    for place in range(left):
        buckets[(rest.word[place] * MIX) >> shift] += rest.copies[place]
    count = 0
    for place in range(left):
        chosen[count] = place
        if rest.copies[place] > 0 and buckets[(rest.word[place] * MIX) >> shift] >= least:
            count += 1
    return chosen[:count]


@njit(cache=True, nogil=True)
def _group_records(
    ladders: Ladders,
    vector: NDArray[np.int64],
    starts: NDArray[np.int64],
    rest: Rest,
    candidates: NDArray[np.int64],
    turn: int,
    table: PeelTable,
) -> None:
    """Write for each candidate the first of those that are written alike."""
    size = 16
    while size < 2 * len(candidates):
        size *= 2
    for place in candidates:
        slot = np.int64((rest.word[place] * MIX) >> np.uint64(20) & np.uint64(size - 1))
        while table.stamp[slot] == turn and not _are_alike(
            ladders, vector, starts, rest, int(table.group[slot]), int(place)
        ):
            slot = (slot + 1) & (size - 1)
        if table.stamp[slot] != turn:
            table.stamp[slot], table.group[slot] = turn, place
        rest.group[place] = table.group[slot]


@njit(cache=True, nogil=True)
def _are_alike(
    ladders: Ladders, vector: NDArray[np.int64], starts: NDArray[np.int64], rest: Rest, one: int, other: int
) -> bool:
    """Tell whether two records are written alike; where keys have very many labels a number may mean several ways."""
    if rest.word[one] != rest.word[other]:
        return False
    if ladders.exact:
        return True
    for column in range(len(vector)):
        rung = ladders.rung[vector[column], starts[column] :]
        if rung[rest.codes[column, one]] != rung[rest.codes[column, other]]:
            return False
    return True


@njit(cache=True, nogil=True)
def _name_classes(
    records: Records,
    rule: ClassRule,
    rest: Rest,
    candidates: NDArray[np.int64],
    owner: NDArray[np.int64],
    first: int,
) -> int:
    """Give every record whose group keeps the rule its class, numbered on from the first; return the next number."""
    for place in candidates:
        rest.counts[rest.group[place], records.sensitive[rest.record[place]]] += rest.copies[place]
    for place in candidates:
        if rest.group[place] == place and keeps_rule(rule, rest.counts[place], rest.counts[place].sum()):
            owner[rest.record[place]] = first
            first += 1
    for place in candidates:
        owner[rest.record[place]] = owner[rest.record[rest.group[place]]]
        rest.counts[rest.group[place]] = 0
    return first


@njit(cache=True, nogil=True)
def _let_go(rest: Rest, candidates: NDArray[np.int64], owner: NDArray[np.int64]) -> int:
    """Mark the candidates that have a class as gone; return how many these are."""
    gone = 0
    for place in candidates:
        if owner[rest.record[place]] != EMPTY:
            rest.copies[place] = 0
            gone += 1
    return gone


@njit(cache=True, nogil=True)
def _close_up(rest: Rest, left: int) -> int:
    """Move the records that are left to the front; return how many these are."""
    kept = 0
    for place in range(left):
        if rest.copies[place] > 0:
            rest.record[kept], rest.copies[kept] = rest.record[place], rest.copies[place]
            rest.word[kept], rest.codes[:, kept] = rest.word[place], rest.codes[:, place]
            kept += 1
    return kept


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
