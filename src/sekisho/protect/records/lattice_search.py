"""What a vector of levels makes of the records: how many would be left out, and what that costs.

The best of all vectors of levels, without looking at most of them.

The loss of a vector is that of its labels for all records plus what the records add that are left out. The first part,
a sum over the keys, is a lower bound that is known beforehand and grows with every level. The number of records in
classes of fewer than k only falls when a level rises (classes are joined, never parted), and so does that of records
with a known sensitive value in classes with too few distinct known ones (a class without any keeps the rule). So

- a vector whose bound is not below the best loss so far cannot be better, nor can any above it;
- a vector with more such records than may be left out is not allowed, nor is any below it.

What remains is looked at. Entropy, recursive diversity and closeness may break by joining a class that keeps them with
one that was left out, so they rule out only the vector itself.

Source: LeFevre, DeWitt, Ramakrishnan, "Incognito", SIGMOD 2005; El Emam et al., "A globally optimal k-anonymity
method", JAMIA 16(5), 2009 (predictive tagging); Kohlmayer, Prasser, Eckert, Kemper, Kuhn, "Flash", PASSAT 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.kernels import njit
from sekisho.protect.records.recoding.value_sums import ClassRule, is_hopeless, keeps_rule
from sekisho.words import Said

MIX = np.uint64(0x9E3779B97F4A7C15)


class Rungs(NamedTuple):
    """All levels of all keys, one below the other; a key's levels stand together.

    Attributes:
        group: levels by distinct records: what each record is written as.
        relief: levels by codes: how much more a cell costs that is left out with its record.
        begins: the first level of each key.
        codes: distinct records by keys.
        copies: how often each record occurs.
        sensitive: the code of each one's sensitive value.
    """

    group: NDArray[np.int32]
    relief: NDArray[np.float64]
    begins: NDArray[np.int64]
    codes: NDArray[np.int32]
    copies: NDArray[np.int64]
    sensitive: NDArray[np.int32]


@njit(cache=True, nogil=True)
def number_classes(rungs: Rungs, vector: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return the class of each distinct record under a vector of levels, and how many classes there are."""
    records, keys = rungs.codes.shape
    size = 16
    while size < 2 * records:
        size *= 2
    table, first = np.full(size, -1, np.int64), np.empty(records, np.int64)
    owner, classes = np.empty(records, np.int64), 0
    words = np.zeros(records, np.uint64)
    for key in range(keys):
        group = rungs.group[rungs.begins[key] + vector[key]]
        for record in range(records):
            word = (words[record] ^ np.uint64(group[record])) * MIX
            words[record] = word ^ (word >> np.uint64(29))
    for record in range(records):
        slot = np.int64(words[record] & np.uint64(size - 1))
        while table[slot] >= 0:
            other = int(first[table[slot]])
            if words[other] == words[record] and _are_alike(rungs, vector, other, record):
                break
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot], first[classes] = classes, record
            classes += 1
        owner[record] = table[slot]
    return owner, classes


@njit(cache=True, nogil=True)
def _are_alike(rungs: Rungs, vector: NDArray[np.int64], one: int, other: int) -> bool:
    for key in range(len(vector)):
        level = rungs.begins[key] + vector[key]
        if rungs.group[level, one] != rungs.group[level, other]:
            return False
    return True


@njit(cache=True, nogil=True)
def count_values(rungs: Rungs, owner: NDArray[np.int64], classes: int, values: int) -> NDArray[np.int64]:
    """Return how many records of each class have each sensitive value."""
    counts = np.zeros((classes, values), np.int64)
    for record in range(len(owner)):
        counts[owner[record], rungs.sensitive[record]] += rungs.copies[record]
    return counts


@njit(cache=True, nogil=True)
def judge_classes(rule: ClassRule, counts: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return of each class 0 if it keeps the rule, 1 if it breaks it, 2 if it even has fewer than k records.

    3 is a class with known sensitive values, but too few distinct ones: these grow when classes are joined, as k does.
    """
    verdict = np.zeros(len(counts), np.int8)
    for one in range(len(counts)):
        total = counts[one].sum()
        if total < rule.k:
            verdict[one] = 2
        elif is_hopeless(rule, counts[one]):
            verdict[one] = 3
        elif not keeps_rule(rule, counts[one], total):
            verdict[one] = 1
    return verdict


@njit(cache=True, nogil=True)
def survey_vector(rungs: Rungs, rule: ClassRule, vector: NDArray[np.int64]) -> tuple[int, int, float]:
    """Return how many records a vector leaves out, how many of them lie in too small classes, and what that adds."""
    owner, classes = number_classes(rungs, vector)
    verdict = judge_classes(rule, count_values(rungs, owner, classes, len(rule.shares)))
    left_out, small, added = 0, 0, 0.0
    for record in range(len(owner)):
        broken = verdict[owner[record]]
        if broken == 0:
            continue
        copies = rungs.copies[record]
        left_out += copies
        if broken == 2 or (broken == 3 and rungs.sensitive[record] != rule.unknown):
            small += copies
        for key in range(len(vector)):
            added += copies * rungs.relief[rungs.begins[key] + vector[key], rungs.codes[record, key]]
    return left_out, small, added


MOST_VECTORS = 4_000_000
"""Larger lattices are refused."""
FINE = 1e-12
"""Losses that differ by less are equal."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LatticeProblem:
    """Which vectors there are, what each costs at least, and what its classes must keep.

    Attributes:
        costs: of each key, the mean cost of its levels over all records, divided by the number of keys.
        room: how many records may be left out.
        scale: what the costs of single cells are divided by.
        values: of each key, how many codes it has.
    """

    rungs: Rungs
    rule: ClassRule
    costs: tuple[NDArray[np.float64], ...]
    room: int
    scale: float
    values: tuple[int, ...]

    def relief_of(self, key: int, level: int) -> NDArray[np.float64]:
        """Return how much more the cell of each code of a key costs at a level where it is left out."""
        return self.rungs.relief[self.rungs.begins[key] + level, : self.values[key]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BestVector:
    """The vector of least loss.

    Attributes:
        vectors: how many there are.
        looked_at: how many had to be looked at.
    """

    vector: tuple[int, ...]
    loss: float
    vectors: int
    looked_at: int


def find_best_vector(problem: LatticeProblem) -> BestVector:
    """Return the vector of least loss.

    Raises:
        ParameterError: there are too many vectors.
        InfeasibleError: no vector keeps the rule.
    """
    shape = tuple(len(costs) for costs in problem.costs)
    vectors = float(np.prod(np.array(shape, dtype=np.float64)))
    if vectors > MOST_VECTORS:
        rule = Said(
            "have at most {most_vectors:,} vectors of levels: fewer keys, or trees of fewer levels",
            most_vectors=MOST_VECTORS,
        )
        raise ParameterError("keys", rule, f"{vectors:,.0f}")
    bound = np.zeros(1)
    for costs in problem.costs:
        bound = np.add.outer(bound, costs).reshape(-1)
    open_vectors = np.ones(shape, dtype=np.bool_)
    best, best_place, looked_at = np.inf, -1, 0
    order = np.argsort(bound, kind="stable")
    while True:
        order = order[open_vectors.reshape(-1)[order] & (bound[order] < best - FINE)]
        if not len(order):
            break
        place = int(order[_choose(len(order), found=best_place >= 0)])
        vector = np.array(np.unravel_index(place, shape), dtype=np.int64)
        left_out, small, added = survey_vector(problem.rungs, problem.rule, vector)
        looked_at += 1
        open_vectors.reshape(-1)[place] = False
        if small > problem.room:
            open_vectors[tuple(slice(0, level + 1) for level in vector.tolist())] = False
        elif left_out <= problem.room:
            loss = float(bound[place]) + added / problem.scale
            if loss < best:
                best, best_place = loss, place
    if best_place < 0:
        raise InfeasibleError(Said("no vector of levels keeps the rule, not even the coarsest"))
    found = tuple(int(level) for level in np.unravel_index(best_place, shape))
    return BestVector(vector=found, loss=best, vectors=open_vectors.size, looked_at=looked_at)


def _choose(left: int, *, found: bool) -> int:
    """Return which of the open vectors, in the order of their bounds, is looked at next.

    In the middle until there is a loss to beat, then high up, where a vector that is not allowed rules out many.
    """
    return left // 2 if not found else left * 4 // 5
