"""Joint candidates: of each kind of person the linked tuples of rows, the rows in some tuple, and the values left.

A *kind* of person is which classes of each release fit him. His candidates in all releases are the linked tuples of
fitting rows, one of each release. Lists of (link, state, rows) are joined in the order of the links, so the work is the
length of the lists; states, which are there only where a stable cell is a range or a set, are folded from the left and
from the right, and a row lies in some tuple if a fold before it, the row and a fold behind it meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.safety.records.joint.links import BITS, ENDLESS, FIRST, LAST

MOST = 1 << 62
"""Tuples are counted up to here; this many means: this many or more."""


class KindLists(NamedTuple):
    """What the fitting classes of each kind hold, all releases in one: bare arrays for compiled code.

    Attributes:
        first: where the entries of each set of classes begin; one more than there are.
        link: of each entry; ascending in a set of classes.
        state: words of each entry.
        rows: of each entry.
        value_first: where the sensitive cells of each entry begin.
        value: distinct sensitive cells of each entry.
        run_first: where the runs of atoms of each sensitive cell begin.
        low: first atom of each run.
        high: last atom of each run.
        size: how many values each atom is.
        word_kind: what each word of a state is.
        word_column: the column of each word.
        value_words: the first and the last word of the sensitive column, if it is stable and has words; else -1.
    """

    first: NDArray[np.int64]
    link: NDArray[np.int64]
    state: NDArray[np.int64]
    rows: NDArray[np.int64]
    value_first: NDArray[np.int64]
    value: NDArray[np.int64]
    run_first: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    size: NDArray[np.int64]
    word_kind: NDArray[np.int64]
    word_column: NDArray[np.int64]
    value_words: NDArray[np.int64]


class KindCounts(NamedTuple):
    """Of each kind of person.

    Attributes:
        pairs: linked tuples, at most ``MOST``.
        rows: for each release, its rows in some tuple.
        values: for each release, the sensitive values left at its time.
    """

    pairs: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[np.int64]


@njit(cache=True, nogil=True)
def count_kinds(lists: KindLists, kinds: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Return tuples, rows and values of each kind, a line of sets of classes, one of each release."""
    people, releases = kinds.shape
    pairs = np.zeros(people, np.int64)
    rows, values = np.zeros((people, releases), np.int64), np.zeros((people, releases), np.int64)
    stamp = np.full((releases, len(lists.size)), -1, np.int64)
    start, end = np.zeros(releases, np.int64), np.zeros(releases, np.int64)
    for kind in range(people):
        for release in range(releases):
            end[release] = lists.first[kinds[kind, release]]
        while _find_group(lists, kinds[kind], start, end):
            if lists.state.shape[1]:
                tuples = _join_states(lists, start, end, rows[kind], values[kind], stamp, kind)
            else:
                tuples = _join_plain(lists, start, end, rows[kind])
                for release in range(releases):
                    for entry in range(start[release], end[release]):
                        values[kind, release] += _stamp_entry(lists, entry, stamp[release], kind)
            pairs[kind] = _add(pairs[kind], tuples)
    return pairs, rows, np.minimum(values, ENDLESS)


@njit(cache=True, nogil=True)
def count_union(lists: KindLists, kinds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each kind the sensitive values of its rows in any release."""
    values = np.zeros(len(kinds), np.int64)
    stamp = np.full(len(lists.size), -1, np.int64)
    for kind in range(len(kinds)):
        for release in range(kinds.shape[1]):
            for entry in range(lists.first[kinds[kind, release]], lists.first[kinds[kind, release] + 1]):
                values[kind] += _stamp_entry(lists, entry, stamp, kind)
    return np.minimum(values, ENDLESS)


@njit(cache=True, nogil=True)
def _find_group(lists: KindLists, kind: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]) -> bool:
    """Move to the next link that every list has: entries ``start`` to ``end`` of each; tell whether there is one."""
    largest = np.int64(-1)
    for release in range(len(kind)):
        start[release] = end[release]
        if start[release] == lists.first[kind[release] + 1]:
            return False
        largest = max(largest, lists.link[start[release]])
    release = 0
    while release < len(kind):
        stop = lists.first[kind[release] + 1]
        while start[release] < stop and lists.link[start[release]] < largest:
            start[release] += 1
        if start[release] == stop:
            return False
        if lists.link[start[release]] > largest:
            largest = lists.link[start[release]]
            release = 0
        else:
            release += 1
    for release in range(len(kind)):
        end[release] = start[release]
        stop = lists.first[kind[release] + 1]
        while end[release] < stop and lists.link[end[release]] == largest:
            end[release] += 1
    return True


@njit(cache=True, nogil=True)
def _add(first: int, second: int) -> int:
    return MOST if first >= MOST - second else first + second


@njit(cache=True, nogil=True)
def _multiply(first: int, second: int) -> int:
    return MOST if float(first) * float(second) >= float(MOST) else first * second


@njit(cache=True, nogil=True)
def _join_plain(lists: KindLists, start: NDArray[np.int64], end: NDArray[np.int64], rows: NDArray[np.int64]) -> int:
    """Return the tuples of one link where nothing else must agree; every row lies in one."""
    tuples = 1
    for release in range(len(start)):
        count = 0
        for entry in range(start[release], end[release]):
            count += lists.rows[entry]
        rows[release] += count
        tuples = _multiply(tuples, count)
    return tuples


@njit(cache=True, nogil=True)
def _stamp_atoms(lists: KindLists, low: int, high: int, stamp: NDArray[np.int64], mark: int) -> int:
    added = 0
    for atom in range(low, high + 1):
        if stamp[atom] != mark:
            stamp[atom] = mark
            added += lists.size[atom]
    return added


@njit(cache=True, nogil=True)
def _stamp_entry(lists: KindLists, entry: int, stamp: NDArray[np.int64], mark: int) -> int:
    """Return how many sensitive values of an entry were not counted under this mark."""
    added = 0
    for place in range(lists.value_first[entry], lists.value_first[entry + 1]):
        cell = lists.value[place]
        for run in range(lists.run_first[cell], lists.run_first[cell + 1]):
            added += _stamp_atoms(lists, lists.low[run], lists.high[run], stamp, mark)
    return min(added, ENDLESS)


@njit(cache=True, nogil=True)
def _meet(lists: KindLists, first: NDArray[np.int64], second: NDArray[np.int64], met: NDArray[np.int64]) -> bool:
    """Write what two states have in common; tell whether they have something in every column."""
    empty_of, filled = np.int64(-1), True
    for word in range(len(met)):
        if lists.word_kind[word] == FIRST:
            met[word] = max(first[word], second[word])
        elif lists.word_kind[word] == LAST:
            met[word] = min(first[word], second[word])
            if met[word] < met[word - 1]:
                return False
        else:
            met[word] = first[word] & second[word]
            if lists.word_column[word] != empty_of:
                if not filled:
                    return False
                empty_of, filled = lists.word_column[word], False
            filled = filled or met[word] != 0
    return filled


@njit(cache=True, nogil=True)
def _fold(
    lists: KindLists, states: NDArray[np.int64], weights: NDArray[np.int64], start: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct states that states and entries meet in, and how many tuples lead to each."""
    width = states.shape[1]
    most = len(states) * (end - start)
    met, ways = np.empty((max(most, 1), width), np.int64), np.zeros(max(most, 1), np.int64)
    size = 0
    for place in range(len(states)):
        for entry in range(start, end):
            if not _meet(lists, states[place], lists.state[entry], met[size]):
                continue
            tuples = _multiply(weights[place], lists.rows[entry])
            same = 0
            while same < size and not np.array_equal(met[same], met[size]):
                same += 1
            ways[same] = _add(ways[same], tuples) if same < size else tuples
            size = max(size, same + 1)
    return met[:size].copy(), ways[:size].copy()


@njit(cache=True, nogil=True)
def _join_states(
    lists: KindLists,
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    rows: NDArray[np.int64],
    values: NDArray[np.int64],
    stamp: NDArray[np.int64],
    mark: int,
) -> int:
    """Return the tuples of one link whose states meet, and count their rows and values."""
    releases = len(start)
    every, one = _admit_all(lists), np.ones(1, np.int64)
    before, behind = [(every, one)], [(every, one)]
    for release in range(releases):
        before.append(_fold(lists, before[release][0], before[release][1], start[release], end[release]))
    for place in range(releases):
        release = releases - 1 - place
        behind.append(_fold(lists, behind[place][0], behind[place][1], start[release], end[release]))
    for release in range(releases):
        left, right = before[release][0], behind[releases - 1 - release][0]
        for entry in range(start[release], end[release]):
            if not _meets_some(lists, left, lists.state[entry], right):
                continue
            rows[release] += lists.rows[entry]
            if lists.value_words[0] < 0:
                values[release] += _stamp_entry(lists, entry, stamp[release], mark)
    if lists.value_words[0] >= 0:
        added = _stamp_states(lists, before[releases][0], stamp[0], mark)
        for release in range(releases):
            values[release] = values[release] + added
    tuples = 0
    for place in range(len(before[releases][1])):
        tuples = _add(tuples, int(before[releases][1][place]))
    return tuples


@njit(cache=True, nogil=True)
def _admit_all(lists: KindLists) -> NDArray[np.int64]:
    """Return the state that meets every other in that other."""
    every = np.empty((1, lists.state.shape[1]), np.int64)
    for word in range(every.shape[1]):
        kind = lists.word_kind[word]
        every[0, word] = 0 if kind == FIRST else MOST if kind == LAST else (1 << BITS) - 1
    return every


@njit(cache=True, nogil=True)
def _meets_some(lists: KindLists, left: NDArray[np.int64], state: NDArray[np.int64], right: NDArray[np.int64]) -> bool:
    half, whole = np.empty(len(state), np.int64), np.empty(len(state), np.int64)
    for first in range(len(left)):
        if not _meet(lists, left[first], state, half):
            continue
        for second in range(len(right)):
            if _meet(lists, half, right[second], whole):
                return True
    return False


@njit(cache=True, nogil=True)
def _stamp_states(lists: KindLists, states: NDArray[np.int64], stamp: NDArray[np.int64], mark: int) -> int:
    """Return how many values of the sensitive column, as met in states, were not counted under this mark."""
    first, last = lists.value_words[0], lists.value_words[1]
    added = 0
    for place in range(len(states)):
        if lists.word_kind[first] == FIRST:
            added += _stamp_atoms(lists, states[place, first], states[place, last], stamp, mark)
            continue
        for word in range(first, last + 1):
            for bit in range(BITS):
                if states[place, word] >> bit & 1:
                    atom = (word - first) * BITS + bit
                    added += _stamp_atoms(lists, atom, atom, stamp, mark)
    return min(added, ENDLESS)
