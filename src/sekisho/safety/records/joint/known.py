"""What is known of people and of releases, as the joint count takes it.

A release is its rows and the class of each row (``ClassedRows``); a person is, for each release that he is in, the
classes that fit him (``FittingClasses``), one line a person, the same people in the same order for every release
(``KnownPeople``). Nothing else is asked: neither the originals nor the keys of earlier releases.

There are two ways to this. Who has the original and the keys looks up the classes that fit
(:mod:`sekisho.attack.records.composition`). Who has a register of releases has of each release the digests of its
people and, beside each digest, the numbers of the classes: :func:`bind_people` puts them together by digest. A class
number is the place of the class among the distinct keys of the published file, in the order in which they first
appear there (:func:`number_classes`), so that the published file alone says which rows it means. A person whose digest
a release lacks is not in it; that is known to the adversary, who counts him in the releases that he is in.

With the numbers of the classes in which people truly are (one each), the count is that of an adversary who knows the
classes too (``own``); with the lists of all that fit, that of one who knows the keys (``one``). Where classes do not
overlap both are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import SetCells, number_cells
from sekisho.data.frame.release import MaskedTable
from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassedRows:
    """A release as everybody sees it.

    Attributes:
        table: its rows.
        classes: the class of each row, numbered from 0 as :func:`number_classes` does.
    """

    table: MaskedTable
    classes: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.table.pseudonym is not None:
            raise ParameterError("release", Said("be of records, one row a person"), "a history")
        if len(self.classes) != len(self.table):
            raise ParameterError("classes", Said("have one for each row"), (len(self.classes), len(self.table)))

    @classmethod
    def of(cls, table: MaskedTable, keys: Sequence[str]) -> ClassedRows:
        """Return a release in the classes of some columns."""
        unknown = [name for name in keys if name not in table.columns]
        if unknown:
            names = ", ".join(table.columns)
            raise ParameterError("keys", Said("be columns of every release ({names})", names=names), unknown)
        return cls(table=table, classes=number_classes(table, keys))

    @property
    def size(self) -> int:
        """How many classes there are."""
        return int(self.classes.max(initial=-1)) + 1


def number_classes(table: MaskedTable, keys: Sequence[str]) -> NDArray[np.int64]:
    """Return the class of each row, numbered from 0 in the order of first appearance."""
    number = np.zeros(len(table), dtype=np.int64)
    for name in keys:
        place, first = number_cells(table.columns[name])
        number = np.unique(number * len(first) + place, return_inverse=True)[1].reshape(-1).astype(np.int64)
    _, first, place = np.unique(number, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[place.reshape(-1)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittingClasses:
    """Of each person the classes of one release that fit him; none where he is not in it, or where nothing fits.

    Attributes:
        first: where the classes of each person begin; one more than there are people.
        classes: ascending for each person.
        present: who is in the release.
    """

    first: NDArray[np.int64]
    classes: NDArray[np.int64]
    present: NDArray[np.bool_]

    def __post_init__(self) -> None:
        if len(self.first) != len(self.present) + 1 or int(self.first[-1]) != len(self.classes):
            raise ParameterError("first", Said("frame one run of classes for each person"), len(self.first))

    @classmethod
    def of_one(cls, classes: NDArray[np.int64]) -> FittingClasses:
        """Return the people of whom each has one class; -1 of one who is not in the release."""
        present = classes >= 0
        first = np.concatenate([[0], np.cumsum(present)]).astype(np.int64)
        return cls(first=first, classes=classes[present].astype(np.int64), present=present)

    def __len__(self) -> int:
        return len(self.present)

    def take(self, people: NDArray[np.intp]) -> FittingClasses:
        """Return some people, in this order."""
        sizes = np.diff(self.first)[people]
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        within = np.arange(int(first[-1])) - np.repeat(first[:-1], sizes)
        classes = self.classes[np.repeat(self.first[:-1][people], sizes) + within]
        return FittingClasses(first=first, classes=classes, present=self.present[people])

    def number_sets(self, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the distinct set of classes of each person, and the sets: where each begins, and its classes.

        Args:
            size: how many classes there are.
        """
        sizes = np.diff(self.first)
        if int(sizes.max(initial=0)) <= 1:  # the sets are the classes, and behind them the empty one
            owner = np.full(len(self), size, dtype=np.int64)
            owner[sizes == 1] = self.classes
            return owner, np.append(np.arange(size + 1), size).astype(np.int64), np.arange(size, dtype=np.int64)
        cells = SetCells(
            offsets=self.first,
            codes=self.classes.astype(np.int32),
            suppressed=sizes == 0,
            domain=tuple(map(str, range(size))),
        )
        owner, people = number_cells(cells)
        distinct = cells.take(people)
        return owner, distinct.offsets.astype(np.int64), distinct.codes.astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownPeople:
    """The same people in the same order for every release.

    Attributes:
        fits: of each release.
    """

    fits: tuple[FittingClasses, ...]

    def __post_init__(self) -> None:
        if len({len(each) for each in self.fits}) != 1:
            raise ParameterError("people", Said("be the same for every release"), [len(each) for each in self.fits])

    def __len__(self) -> int:
        return len(self.fits[0])

    @property
    def present(self) -> NDArray[np.bool_]:
        """For each person and release, whether he is in it."""
        return np.stack([each.present for each in self.fits], axis=1)


def bind_people(digests: Sequence[NDArray[np.bytes_]], fits: Sequence[FittingClasses]) -> KnownPeople:
    """Return the people of several releases, bound by their digests, ascending.

    Args:
        digests: of the people of each release, each once.
        fits: beside each digest, the classes of that release.

    Raises:
        ParameterError: a digest stands twice in a release, or there are not as many digests as people.
    """
    everybody = np.unique(np.concatenate(digests))
    bound: list[FittingClasses] = []
    for names, fit in zip(digests, fits, strict=True):
        if len(names) != len(fit) or len(np.unique(names)) != len(names):
            raise ParameterError("digests", Said("have one for each person, each once"), (len(names), len(fit)))
        order = np.argsort(names)
        place = np.minimum(np.searchsorted(names, everybody, sorter=order), max(0, len(names) - 1))
        there = names[order[place]] == everybody if len(names) else np.zeros(len(everybody), dtype=np.bool_)
        sizes = np.zeros(len(everybody), dtype=np.int64)
        listed = fit.take(order[place[there]])
        sizes[there] = np.diff(listed.first)
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        present = there.copy()
        present[there] = listed.present
        bound.append(FittingClasses(first=first, classes=listed.classes, present=present))
    return KnownPeople(fits=tuple(bound))
