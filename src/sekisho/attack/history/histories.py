"""Histories as the attacks read them: rows gathered by customer or by pseudonym, in one space of codes.

Numbers stand in one array per side (a suppressed cell is the whole line of integers). The codes of all category columns
share one space, each column behind the one before, so that a set is a run of codes whatever its column; a published
value that nobody in the knowledge has gets :data:`FOREIGN`, which no row bears.

Each side comes in two forms that give the rows of some people alike (``take``): gathered, all rows in arrays; or
sorted, which knows only where each one's rows stand and gathers them when they are asked for. Of millions of rows the
second form is small.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.history.arrays import find_owners, find_starts, list_runs
from sekisho.errors import ParameterError
from sekisho.words import Said

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
FOREIGN = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownHistories:
    """The original's rows, gathered by customer: those of customer i are ``offsets[i]`` to ``offsets[i + 1]``.

    Attributes:
        customers: as written in the original, sorted.
        offsets: where each customer's rows begin.
        numbers: rows by numeric columns.
        codes: rows by category columns, in the shared space; the rows of a customer are sorted by the first of them.
        width: how many codes the space has.
    """

    customers: tuple[str, ...]
    offsets: NDArray[np.int64]
    numbers: NDArray[np.int64]
    codes: NDArray[np.int32]
    width: int

    def lengths(self) -> NDArray[np.int64]:
        """Return how many rows each customer has."""
        return np.diff(self.offsets)

    def owners(self) -> NDArray[np.int64]:
        """Return the customer of each row."""
        return np.repeat(np.arange(len(self.customers)), self.lengths())

    def take(self, people: NDArray[np.int64]) -> KnownHistories:
        """Return the rows of some customers."""
        rows = list_runs(self.offsets, people)
        return KnownHistories(
            customers=tuple(self.customers[place] for place in people),
            offsets=_add_up(self.lengths()[people]),
            numbers=self.numbers[rows],
            codes=self.codes[rows],
            width=self.width,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedHistories:
    """The published rows, gathered by pseudonym as :class:`KnownHistories` gathers by customer.

    Attributes:
        pseudonyms: sorted.
        offsets: where each pseudonym's rows begin.
        lower: rows by numeric columns, the least value each cell admits.
        upper: the greatest.
        starts: rows by category columns, where each cell's codes begin in ``values``.
        ends: where they end; a cell of no codes is suppressed and admits all.
        values: the codes, sorted within a cell.
    """

    pseudonyms: NDArray[np.int64]
    offsets: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    values: NDArray[np.int32]

    def lengths(self) -> NDArray[np.int64]:
        """Return how many rows each pseudonym has."""
        return np.diff(self.offsets)

    def owners(self) -> NDArray[np.int64]:
        """Return the pseudonym of each row, as a position."""
        return np.repeat(np.arange(len(self.pseudonyms)), self.lengths())

    def take(self, people: NDArray[np.int64]) -> PublishedHistories:
        """Return the rows of some pseudonyms, and of the codes only theirs."""
        rows = list_runs(self.offsets, people)
        starts, ends = self.starts[rows], self.ends[rows]
        sizes = (ends - starts).T.ravel()
        bounds = _add_up(sizes)
        return PublishedHistories(
            pseudonyms=self.pseudonyms[people],
            offsets=_add_up(self.lengths()[people]),
            lower=self.lower[rows],
            upper=self.upper[rows],
            starts=np.ascontiguousarray(bounds[:-1].reshape(starts.shape[::-1]).T),
            ends=np.ascontiguousarray(bounds[1:].reshape(starts.shape[::-1]).T),
            values=self.values[np.repeat(starts.T.ravel() - bounds[:-1], sizes) + np.arange(bounds[-1])],
        )


class KnownRows(Protocol):
    """The original's rows by customer, gathered or only sorted."""

    @property
    def customers(self) -> tuple[str, ...]:
        """As written in the original, sorted."""
        ...

    @property
    def width(self) -> int:
        """How many codes the shared space has."""
        ...

    def lengths(self) -> NDArray[np.int64]:
        """Return how many rows each customer has."""
        ...

    def take(self, people: NDArray[np.int64]) -> KnownHistories:
        """Return the rows of some customers."""
        ...


class PseudonymRows(Protocol):
    """The published rows by pseudonym, gathered or only sorted."""

    @property
    def pseudonyms(self) -> NDArray[np.int64]:
        """All of them, sorted."""
        ...

    def lengths(self) -> NDArray[np.int64]:
        """Return how many rows each pseudonym has."""
        ...

    def take(self, people: NDArray[np.int64]) -> PublishedHistories:
        """Return the rows of some pseudonyms."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SortedKnown:
    """The original with the order of its rows by customer and first code.

    Attributes:
        data: the original.
        customers: as written there, sorted.
        offsets: where each customer's rows begin in the order.
        order: the rows.
        width: how many codes the shared space has.
    """

    data: Dataset
    customers: tuple[str, ...]
    offsets: NDArray[np.int64]
    order: NDArray[np.intp]
    width: int

    def lengths(self) -> NDArray[np.int64]:
        """Return how many rows each customer has."""
        return np.diff(self.offsets)

    def take(self, people: NDArray[np.int64]) -> KnownHistories:
        """Return the rows of some customers."""
        rows, data = self.order[list_runs(self.offsets, people)], self.data
        numeric = [column.name for column in data.schema.attributes if column.kind.numeric]
        shifts = compute_code_shifts(data)
        categories = [name for name in shifts if name]
        numbers = np.empty((len(rows), len(numeric)), dtype=np.int64)
        codes = np.empty((len(rows), len(categories)), dtype=np.int32)
        for place, name in enumerate(numeric):
            numbers[:, place] = data.grid(name)[rows]
        for place, name in enumerate(categories):
            codes[:, place] = data.codes(name)[rows] + np.int32(shifts[name])
        return KnownHistories(
            customers=tuple(self.customers[place] for place in people),
            offsets=_add_up(self.lengths()[people]),
            numbers=numbers,
            codes=codes,
            width=self.width,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SortedPublished:
    """A release with the order of its rows by pseudonym.

    Attributes:
        table: the release.
        pseudonyms: sorted.
        offsets: where each pseudonym's rows begin in the order.
        order: the rows.
        codes: by category column, each code of the release in the shared space.
    """

    table: MaskedTable
    pseudonyms: NDArray[np.int64]
    offsets: NDArray[np.int64]
    order: NDArray[np.intp]
    codes: Mapping[str, NDArray[np.int32]]

    def lengths(self) -> NDArray[np.int64]:
        """Return how many rows each pseudonym has."""
        return np.diff(self.offsets)

    def take(self, people: NDArray[np.int64]) -> PublishedHistories:
        """Return the rows of some pseudonyms."""
        rows = self.order[list_runs(self.offsets, people)]
        numeric = [column.name for column in self.table.schema.attributes if column.kind.numeric]
        lower = np.empty((len(rows), len(numeric)), dtype=np.int64)
        upper = np.empty_like(lower)
        for place, name in enumerate(numeric):
            cells = self.table.numbers(name).take(rows)
            lower[:, place] = np.where(cells.suppressed, LEAST, cells.lower)
            upper[:, place] = np.where(cells.suppressed, MOST, cells.upper)
        starts = np.empty((len(rows), len(self.codes)), dtype=np.int64)
        ends, values, before = np.empty_like(starts), [np.zeros(0, np.int32)], 0
        for place, (name, translation) in enumerate(self.codes.items()):
            sets = self.table.sets(name).take(rows)
            starts[:, place], ends[:, place] = sets.offsets[:-1] + before, sets.offsets[1:] + before
            values.append(_translate_codes(sets, translation))
            before += len(sets.codes)
        return PublishedHistories(
            pseudonyms=self.pseudonyms[people],
            offsets=_add_up(self.lengths()[people]),
            lower=lower,
            upper=upper,
            starts=starts,
            ends=ends,
            values=np.concatenate(values),
        )


def sort_known(knowledge: Dataset) -> SortedKnown:
    """Return what the adversary knows, by customer; rows are gathered when they are asked for."""
    if knowledge.schema.identifier is None:
        raise ParameterError(
            "knowledge", Said("have an identifier column that says whose each row is"), knowledge.schema.names
        )
    owner, customers = find_owners(knowledge)
    shifts = compute_code_shifts(knowledge)
    first = next(iter(shifts))
    return SortedKnown(
        data=knowledge,
        customers=customers,
        offsets=find_starts(owner, len(customers)),
        order=np.lexsort((knowledge.codes(first), owner)) if first else np.argsort(owner, kind="stable"),
        width=shifts[""],
    )


def sort_published(
    release: MaskedTable, knowledge: Dataset, *, deleted: NDArray[np.bool_] | None = None
) -> SortedPublished:
    """Return a release by pseudonym, in the knowledge's codes; rows are gathered when they are asked for.

    Rows under pseudonym 0 are deleted ones and left out, as are those that are said to be deleted.
    """
    if release.pseudonym is None:
        raise ParameterError("release", Said("have a pseudonym in each row"), None)
    if release.schema.attributes != knowledge.schema.attributes:
        raise ParameterError("release", Said("have the columns of the knowledge"), release.schema.names)
    shown = release.pseudonym != 0 if deleted is None else (release.pseudonym != 0) & ~deleted
    order = np.argsort(release.pseudonym, kind="stable")
    order = order[shown[order]]
    names = release.pseudonym[order]
    begins = np.flatnonzero(np.diff(names, prepend=0))
    shifts = compute_code_shifts(knowledge)
    return SortedPublished(
        table=release,
        pseudonyms=names[begins].astype(np.int64),
        offsets=np.append(begins, len(names)).astype(np.int64),
        order=order,
        codes={
            name: _find_translation(release.sets(name).domain, knowledge.domain(name), start)
            for name, start in shifts.items()
            if name
        },
    )


def gather_known(knowledge: Dataset) -> KnownHistories:
    """Return what the adversary knows, by customer."""
    rows = sort_known(knowledge)
    return rows.take(np.arange(len(rows.customers)))


def gather_published(release: MaskedTable, knowledge: Dataset) -> PublishedHistories:
    """Return the release by pseudonym, in the knowledge's codes.

    Rows under pseudonym 0 are deleted ones and left out.
    """
    rows = sort_published(release, knowledge)
    return rows.take(np.arange(len(rows.pseudonyms)))


def compute_code_shifts(knowledge: Dataset) -> dict[str, int]:
    """Return where each category column's codes begin in the shared space; under the empty name the space's width."""
    shifts, start = dict[str, int](), 0
    for column in knowledge.schema.attributes:
        if not column.kind.numeric:
            shifts[column.name] = start
            start += len(knowledge.domain(column.name))
    return shifts | {"": start}


def _add_up(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where runs of some lengths begin, one after another; one more entry marks the end."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _find_translation(here: tuple[str, ...], domain: tuple[str, ...], shift: int) -> NDArray[np.int32]:
    """Return each code of a domain in the codes of another one, shifted."""
    if here == domain:
        return np.arange(shift, shift + len(domain), dtype=np.int32)
    place = {value: code + shift for code, value in enumerate(domain)}
    return np.array([place.get(value, FOREIGN) for value in here], dtype=np.int32)


def _translate_codes(cells: SetCells, translation: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the codes of set cells in the shared space, sorted within each cell."""
    codes = translation[cells.codes]
    if bool((np.diff(translation) > 0).all()):
        return codes
    return codes[np.lexsort((codes, cells.owners()))]
