"""The classes of the last release once more: the cheapest protection of people who are published month after month.

A record goes where its person was, if that class still admits his keys; who is new, or has changed, goes into the
fullest class that admits him; who fits none, or is in a class of fewer than k, is left out. With the same people and
the same classes nobody's candidates become fewer; with people who come and go they may, so the release is attacked
together with all before it like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.records.class_fit import find_fitting_classes
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_table import read_table
from sekisho.data.frame.release import Release
from sekisho.gate.register.book import Register
from sekisho.gate.register.joined_records import EarlierRecords, JoinedRecords
from sekisho.protect.records.record_release import ClassedCells, ReleaseMaker, release_classes
from sekisho.safety.records.joint.known import FittingClasses

LIKE_LAST = "like last"
PASSES = 3
"""So often those of small classes look for another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LikeLast:
    """What made such a release.

    Attributes:
        number: of the release whose classes are used.
        k: how many records a class must have.
    """

    number: int
    k: int


def repeat_classes(records: JoinedRecords, register: Register, *, k: int) -> Release | None:
    """Return the records of today in the classes of the last release; None without one, or without anybody left.

    Args:
        records: of today, and what left before.
        register: in which the file of the last release lies.
        k: how many records a class must have.
    """
    if not records.earlier:
        return None
    last = records.earlier[-1]
    keys = _list_keys(last)
    fits = find_fitting_classes(last.rows, records.original, keys)
    owner = choose_classes(fits, _find_own(records, last), size=last.rows.size, k=k)
    if not (owner >= 0).any():
        return None
    maker = LikeLast(number=last.entry.number, k=k)
    return _write_classes(records, owner, _read_labels(register, last, keys), maker)


def _write_classes(
    records: JoinedRecords, owner: NDArray[np.int64], labels: Mapping[str, pl.Series], maker: LikeLast
) -> Release:
    """Return the records of today, each in a class of the last release, -1 being left out."""
    rows = records.earlier[-1].rows
    used, place = np.unique(owner[owner >= 0], return_inverse=True)
    number = np.full(len(owner), -1, dtype=np.int64)
    number[owner >= 0] = place.reshape(-1)
    first = np.unique(rows.classes, return_index=True)[1][used].astype(np.intp)
    classed = ClassedCells(
        owner=number,
        cells={name: rows.table.columns[name].take(first) for name in _list_keys(records.earlier[-1])},
        labels={name: written[first] for name, written in labels.items()},
    )
    return release_classes(records.original, classed, ReleaseMaker(LIKE_LAST, maker))


def choose_classes(fits: FittingClasses, own: NDArray[np.int64], *, size: int, k: int) -> NDArray[np.int64]:
    """Return the class of each record, -1 of one that is left out.

    Args:
        fits: the classes that admit each.
        own: the class in which each was; -1 of one who was in none, or is not known again.
        size: how many classes there are.
        k: how many records a class must have.
    """
    person = np.repeat(np.arange(len(fits)), np.diff(fits.first))
    stays = np.zeros(len(fits), dtype=np.bool_)
    stays[person[fits.classes == own[person]]] = True
    owner = np.where(stays, own, -1)
    for _ in range(PASSES):
        owner = _fill(owner, fits, person, np.bincount(owner[owner >= 0], minlength=size))
        sizes = np.bincount(owner[owner >= 0], minlength=size)
        small = (owner >= 0) & (sizes[owner] < k)
        if not small.any():
            return owner
        owner[small] = -1
        allowed = sizes[fits.classes] >= k
        fits = FittingClasses(
            first=np.concatenate([[0], np.cumsum(np.bincount(person[allowed], minlength=len(fits)))]).astype(np.int64),
            classes=fits.classes[allowed],
            present=fits.present,
        )
        person = person[allowed]
    return owner


def _fill(
    owner: NDArray[np.int64], fits: FittingClasses, person: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return everybody in a class, who has none in the fullest that admits him."""
    order = np.lexsort((fits.classes, -sizes[fits.classes], person))
    someone, first = np.unique(person[order], return_index=True)
    best = np.full(len(owner), -1, dtype=np.int64)
    best[someone] = fits.classes[order[first]]
    return np.where(owner >= 0, owner, best)


def _list_keys(last: EarlierRecords) -> tuple[str, ...]:
    return tuple(name for name in last.entry.columns.keys if name in last.rows.table.columns)


def _find_own(records: JoinedRecords, last: EarlierRecords) -> NDArray[np.int64]:
    """Return of each record the class in which its person was; -1 where that is not known."""
    nobody = np.full(len(records.original), -1, dtype=np.int64)
    people = last.people
    if records.digests is None or people is None or people.digests is None or people.own is None:
        return nobody
    order = np.argsort(people.digests)
    place = np.minimum(np.searchsorted(people.digests, records.digests, sorter=order), len(order) - 1)
    known = people.digests[order[place]] == records.digests
    classes = np.full(len(people.own), -1, dtype=np.int64)
    classes[people.own.present] = people.own.classes
    return np.where(known, classes[order[place]], -1)


def _read_labels(register: Register, last: EarlierRecords, keys: Sequence[str]) -> dict[str, pl.Series]:
    """Return what the file of the last release writes in the keys of each row."""
    frame = read_table(register.find_published(last.entry) / next(iter(last.entry.files)), CsvForm()).frame
    return {name: frame[name].cast(pl.String) for name in keys if name in frame.columns}
