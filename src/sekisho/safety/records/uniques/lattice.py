"""Who is unique on which sets of keys: a walk over all sets, compiled.

A record is unique on a set of keys if no other has the same values there. It then is on every larger set, so only the
smallest such sets matter: its minimal sample uniques. The walk visits the sets in the order of their numbers (bit i is
key i), so that every set comes after all of its parts. From a set it goes to those with one more key, a lower one, by
splitting the classes of the set by that key. Three things keep it short:

- equal records are one, with a mark whether it stands alone;
- a class of one is unique and is left out below: on larger sets it is unique too, and it hides nobody;
- a class in which no record stands alone on all keys is left out below: nobody in it is ever unique.

Source: Manning, Haglin, Keane, "A recursive search algorithm for statistical disclosure assessment", Data Mining and
Knowledge Discovery 16, 2008 (SUDA2: the same recursion, item by item instead of key by key).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit


class Walk(NamedTuple):
    """What a walk finds.

    Attributes:
        sets: every set of keys that was visited, as bits.
        uniques: how many records are unique on it.
        records: the record of each minimal sample unique, in the order of finding.
        minimal: its set of keys.
    """

    sets: NDArray[np.int64]
    uniques: NDArray[np.int64]
    records: NDArray[np.int32]
    minimal: NDArray[np.int32]


UNIQUE, DROPPED = -1, -2
"""Where a record goes that becomes unique, and one that no longer matters."""


class _Level(NamedTuple):
    """The classes of a set: class c has the records ``order[starts[c]:starts[c + 1]]``."""

    order: NDArray[np.int32]
    starts: NDArray[np.int32]


class _Room(NamedTuple):
    """Room to split classes in: by value how many records, how many alone, where they go; and the values seen."""

    tally: NDArray[np.int32]
    alone: NDArray[np.int32]
    place: NDArray[np.int32]
    seen: NDArray[np.int32]
    singles: NDArray[np.int32]


@njit(cache=True, nogil=True)
def walk_sets(codes: NDArray[np.int32], alone: NDArray[np.bool_], values: int, most: int, visits: int) -> Walk:
    """Visit every set of at most so many keys.

    Args:
        codes: the distinct records' codes, key by key.
        alone: whether one row only has the record.
        values: more than the largest code.
        most: the largest set.
        visits: how many sets there are.
    """
    keys, rows = codes.shape
    order = np.empty((most + 1, rows), dtype=np.int32)
    starts = np.empty((most + 1, rows + 1), dtype=np.int32)
    groups = np.zeros(most + 1, dtype=np.int64)
    order[0] = np.arange(rows)
    starts[0, 0], starts[0, 1], groups[0] = 0, rows, 1
    room = _Room(
        np.zeros(values, dtype=np.int32),
        np.zeros(values, dtype=np.int32),
        np.zeros(values, dtype=np.int32),
        np.empty(values, dtype=np.int32),
        np.empty(rows, dtype=np.int32),
    )
    following, limit = np.zeros(most + 1, dtype=np.int64), np.zeros(most + 1, dtype=np.int64)
    at, unique = np.zeros(most + 1, dtype=np.int64), np.zeros(most + 1, dtype=np.int64)
    limit[0] = keys
    sets, uniques = np.empty(visits, dtype=np.int64), np.empty(visits, dtype=np.int64)
    head = np.full(rows, -1, dtype=np.int32)
    records, minimal = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32)
    earlier = np.empty(1024, dtype=np.int32)
    visit, length, depth = 0, 0, 0
    while depth >= 0:
        if following[depth] == limit[depth]:
            depth -= 1
            continue
        key = following[depth]
        following[depth] += 1
        bits = at[depth] | (1 << key)
        deeper = int(depth + 1 < most and key > 0)
        source, target = _Level(order[depth], starts[depth]), _Level(order[depth + 1], starts[depth + 1])
        made, singles = _split_classes(codes[key], alone, source, groups[depth], target, room, deeper)
        sets[visit], uniques[visit] = bits, unique[depth] + singles
        visit += 1
        for place in range(singles):
            record = room.singles[place]
            link = head[record]
            while link >= 0 and minimal[link] & ~bits:
                link = earlier[link]
            if link >= 0:
                continue
            if length == len(records):
                records, minimal, earlier = _double(records), _double(minimal), _double(earlier)
            records[length], minimal[length], earlier[length] = record, bits, head[record]
            head[record] = length
            length += 1
        if deeper:
            unique[depth + 1] = unique[depth] + singles
            depth += 1
            groups[depth], at[depth], following[depth], limit[depth] = made, bits, 0, key
    return Walk(sets[:visit], uniques[:visit], records[:length], minimal[:length])


@njit(cache=True, nogil=True)
def _double(values: NDArray[np.int32]) -> NDArray[np.int32]:
    wider = np.empty(2 * len(values), dtype=np.int32)
    wider[: len(values)] = values
    return wider


@njit(cache=True, nogil=True)
def _split_classes(
    codes: NDArray[np.int32],
    alone: NDArray[np.bool_],
    source: _Level,
    groups: int,
    target: _Level,
    room: _Room,
    keep: int,
) -> tuple[int, int]:
    """Split classes by a key; write the records that become unique, and the classes to go on with where ``keep``.

    Returns how many classes go on, and how many records become unique.
    """
    made, singles = 0, 0
    target.starts[0] = 0
    for group in range(groups):
        members = source.order[source.starts[group] : source.starts[group + 1]]
        seen = _tally(codes, alone, members, room)
        before = made
        made, wanted = _assign_places(room, seen, target.starts, made, keep)
        if wanted or made > before:
            singles = _deal(codes, members, room, target.order, singles)
        for index in range(seen):
            code = room.seen[index]
            room.tally[code] = 0
            room.alone[code] = 0
    return made, singles


@njit(cache=True, nogil=True)
def _tally(codes: NDArray[np.int32], alone: NDArray[np.bool_], members: NDArray[np.int32], room: _Room) -> int:
    """Count the records of a class by value; return how many values there are."""
    seen = 0
    for record in members:
        code = codes[record]
        if room.tally[code] == 0:
            room.seen[seen] = code
            seen += 1
        room.tally[code] += 1
        room.alone[code] += alone[record]
    return seen


@njit(cache=True, nogil=True)
def _assign_places(room: _Room, seen: int, starts: NDArray[np.int32], made: int, keep: int) -> tuple[int, bool]:
    """Say where the records of each value go; return how many classes there are now, and whether some are unique."""
    some = False
    for index in range(seen):
        code = room.seen[index]
        room.place[code] = DROPPED
        if room.alone[code] and room.tally[code] == 1:
            room.place[code] = UNIQUE
            some = True
        elif room.alone[code] and keep:
            room.place[code] = starts[made]
            starts[made + 1] = starts[made] + room.tally[code]
            made += 1
    return made, some


@njit(cache=True, nogil=True)
def _deal(
    codes: NDArray[np.int32], members: NDArray[np.int32], room: _Room, order: NDArray[np.int32], singles: int
) -> int:
    """Write the records of a class to their places; return how many are unique by now."""
    for record in members:
        place = room.place[codes[record]]
        if place >= 0:
            order[place] = record
            room.place[codes[record]] += 1
        elif place == UNIQUE:
            room.singles[singles] = record
            singles += 1
    return singles
