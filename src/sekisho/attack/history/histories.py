"""Histories as the attacks read them: rows gathered by customer or by pseudonym, in one space of codes.

Numbers stand in one array per side (a suppressed cell is the whole line of integers). The codes of all category columns
share one space, each column behind the one before, so that a set is a run of codes whatever its column; a published
value that nobody in the knowledge has gets :data:`FOREIGN`, which no row bears.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.history.arrays import History, find_starts, stack_columns
from sekisho.errors import ParameterError

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
FOREIGN = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownHistories:
    """The original's rows, gathered by customer: those of customer i are ``offsets[i]`` to ``offsets[i + 1]``.

    Attributes:
        customers: as written in the original, sorted.
        offsets: where each customer's rows begin.
        numbers: rows by numeric columns.
        codes: rows by category columns, in the shared space.
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedHistories:
    """The published rows, gathered by pseudonym as :class:`Known` gathers by customer.

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


def gather_known(knowledge: Dataset) -> KnownHistories:
    """Return what the adversary knows, by customer."""
    if knowledge.schema.identifier is None:
        raise ParameterError(
            "knowledge", "have an identifier column that says whose each row is", knowledge.schema.names
        )
    facts, shift = History.of(knowledge), compute_code_shifts(knowledge)
    starts = np.array([start for name, start in shift.items() if name], dtype=np.int32)
    return KnownHistories(
        customers=facts.names,
        offsets=facts.starts,
        numbers=facts.numbers[facts.order],
        codes=facts.codes[facts.order] + starts,
        width=shift[""],
    )


def gather_published(release: MaskedTable, knowledge: Dataset) -> PublishedHistories:
    """Return the release by pseudonym, in the knowledge's codes.

    Rows under pseudonym 0 are deleted ones and left out.
    """
    if release.pseudonym is None:
        raise ParameterError("release", "have a pseudonym in each row", None)
    if release.schema.attributes != knowledge.schema.attributes:
        raise ParameterError("release", "have the columns of the knowledge", release.schema.names)
    rows = np.flatnonzero(release.pseudonym != 0)
    rows = rows[np.argsort(release.pseudonym[rows], kind="stable")]
    table = release.take(rows)
    pseudonyms, owner = np.unique(release.pseudonym[rows], return_inverse=True)
    ranges = [table.numbers(column.name) for column in table.schema.attributes if column.kind.numeric]
    shift = compute_code_shifts(knowledge)
    sets = [_translate_sets(table.sets(name), knowledge.domain(name), start) for name, start in shift.items() if name]
    before = np.cumsum([0, *(len(cells.codes) for cells in sets)])
    return PublishedHistories(
        pseudonyms=pseudonyms.astype(np.int64),
        offsets=find_starts(owner, len(pseudonyms)),
        lower=stack_columns([np.where(cells.suppressed, LEAST, cells.lower) for cells in ranges], len(rows), np.int64),
        upper=stack_columns([np.where(cells.suppressed, MOST, cells.upper) for cells in ranges], len(rows), np.int64),
        starts=stack_columns(
            [cells.offsets[:-1] + at for cells, at in zip(sets, before, strict=False)], len(rows), np.int64
        ),
        ends=stack_columns(
            [cells.offsets[1:] + at for cells, at in zip(sets, before, strict=False)], len(rows), np.int64
        ),
        values=np.concatenate([np.zeros(0, np.int32), *(cells.codes for cells in sets)]),
    )


def compute_code_shifts(knowledge: Dataset) -> dict[str, int]:
    """Return where each category column's codes begin in the shared space; under the empty name the space's width."""
    shifts, start = dict[str, int](), 0
    for column in knowledge.schema.attributes:
        if not column.kind.numeric:
            shifts[column.name] = start
            start += len(knowledge.domain(column.name))
    return shifts | {"": start}


def number_rows(*columns: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return a number per row, equal exactly where the rows agree in every column."""

    def joined(numbers: NDArray[np.int64], column: NDArray[np.integer]) -> NDArray[np.int64]:
        values, rank = np.unique(column, return_inverse=True)
        return np.unique(numbers * len(values) + rank, return_inverse=True)[1].astype(np.int64)

    return reduce(joined, columns, np.zeros(len(columns[0]), np.int64))


def _translate_sets(cells: SetCells, domain: tuple[str, ...], shift: int) -> SetCells:
    """Return set cells in the codes of another domain, shifted."""
    if cells.domain == domain:
        codes = cells.codes + np.int32(shift)
    else:
        place = {value: code + shift for code, value in enumerate(domain)}
        codes = np.array([place.get(value, FOREIGN) for value in cells.domain], dtype=np.int32)[cells.codes]
        codes = codes[np.lexsort((codes, cells.owners()))]
    return SetCells(offsets=cells.offsets, codes=codes, suppressed=cells.suppressed, domain=cells.domain)
