"""What a vector of levels makes of the records: how many would be left out, and what that costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.class_rule import ClassRule, keeps_rule

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

    A class with too few distinct sensitive values is counted among the last: both grow when classes are joined.
    """
    verdict = np.zeros(len(counts), np.int8)
    for one in range(len(counts)):
        total = counts[one].sum()
        if total < rule.k or (rule.distinct > 1 and (counts[one] > 0).sum() < rule.distinct):
            verdict[one] = 2
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
        if broken > 1:
            small += copies
        for key in range(len(vector)):
            added += copies * rungs.relief[rungs.begins[key] + vector[key], rungs.codes[record, key]]
    return left_out, small, added
