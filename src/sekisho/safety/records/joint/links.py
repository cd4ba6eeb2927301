"""What links the rows of several releases: the columns of which a person has one value for ever.

Rows of several releases are *linked* if for each stable column the cells have a common value, over all releases at
once: sets {a,b}, {b,c}, {a,c} agree in pairs and not together. A suppressed cell, and a column that a release does not
have, admit everything. A missing cell is a value of its own, here as everywhere: it agrees with missing cells.

A column whose cells are exact in every release is a part of one number, ``link``: rows agree where it is equal. Every
other column takes words of a *state* beside it: two for a range (the first and the last of its atoms, pieces of the
line that no cell cuts), and one for each 62 values of a set. Cells meet by the larger first, the smaller last, and the
bits that both have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells, SetCells, number_cells
from sekisho.data.frame.release import MaskedTable
from sekisho.errors import ParameterError
from sekisho.words import Said

BITS = 62
"""So many values of a set are held by one word of a state."""
FIRST, LAST, SET = 0, 1, 2
"""What a word of a state is: the first atom of a range, its last one, bits of a set."""
ENDLESS = 1 << 40
"""How many values a suppressed number may have: more than can be counted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnAtoms:
    """The cells of one column in several releases, over the atoms of that column; a cell is runs of atoms.

    Attributes:
        first: for each release, where the runs of each distinct cell begin; one more than there are cells.
        low: for each release, the first atom of each run.
        high: for each release, the last atom of each run.
        cell: for each release, the distinct cell of each row.
        size: how many values each atom is.
        ranged: whether each cell is one run; else each run is one atom.
    """

    first: tuple[NDArray[np.int64], ...]
    low: tuple[NDArray[np.int64], ...]
    high: tuple[NDArray[np.int64], ...]
    cell: tuple[NDArray[np.int64], ...]
    size: NDArray[np.int64]
    ranged: bool

    @property
    def exact(self) -> bool:
        """Whether every cell of every release holds one value."""
        one_run = all(len(low) == len(first) - 1 for first, low in zip(self.first, self.low, strict=True))
        return one_run and all(
            bool(((low == high) & (self.size[low] == 1)).all()) for low, high in zip(self.low, self.high, strict=True)
        )

    def list_values(self) -> list[NDArray[np.int64]]:
        """Return for each release the atom of each row; only of exact columns."""
        return [low[cell] for low, cell in zip(self.low, self.cell, strict=True)]

    def list_atoms(self, place: int, cell: int) -> frozenset[int]:
        """Return the atoms of a distinct cell of one release."""
        runs = range(int(self.first[place][cell]), int(self.first[place][cell + 1]))
        low, high = self.low[place], self.high[place]
        return frozenset(atom for run in runs for atom in range(int(low[run]), int(high[run]) + 1))

    def list_words(self) -> list[NDArray[np.int64]]:
        """Return for each release the words of each row's state."""
        if self.ranged:
            ends = zip(self.low, self.high, self.cell, strict=True)
            return [np.stack([low, high], axis=1)[cell] for low, high, cell in ends]
        return [self._list_bits(place)[cell] for place, cell in enumerate(self.cell)]

    def _list_bits(self, place: int) -> NDArray[np.int64]:
        first, atoms = self.first[place], self.low[place]
        words = np.zeros((len(first) - 1, -(-len(self.size) // BITS)), dtype=np.int64)
        owner = np.repeat(np.arange(len(first) - 1), np.diff(first))
        np.bitwise_or.at(words, (owner, atoms // BITS), np.int64(1) << (atoms % BITS))
        return words


def split_column(releases: Sequence[MaskedTable], name: str) -> ColumnAtoms:
    """Return a column of several releases over its atoms.

    Raises:
        ParameterError: it is of numbers in one release and of texts in another.
    """
    columns = [release.columns[name] for release in releases]
    if all(isinstance(column, RangeCells) for column in columns):
        return _split_ranges([column for column in columns if isinstance(column, RangeCells)])
    if all(isinstance(column, SetCells) for column in columns):
        return _split_sets([column for column in columns if isinstance(column, SetCells)])
    raise ParameterError(Said("column {name}", name=name), Said("be of one kind in every release"), name)


def _split_sets(columns: Sequence[SetCells]) -> ColumnAtoms:
    domain = list(dict.fromkeys(value for column in columns for value in column.domain)) or [""]
    at = {value: place for place, value in enumerate(domain)}
    first, atoms, cell = list[NDArray[np.int64]](), list[NDArray[np.int64]](), list[NDArray[np.int64]]()
    for column in columns:
        owner, rows = number_cells(column)
        distinct = column.take(rows)
        codes = np.array([at[value] for value in column.domain], dtype=np.int64)[distinct.codes]
        sizes = np.where(distinct.suppressed, len(domain), distinct.sizes())
        filled = np.empty(int(sizes.sum()), dtype=np.int64)
        hidden = np.repeat(distinct.suppressed, sizes)
        filled[hidden] = np.tile(np.arange(len(domain)), int(distinct.suppressed.sum()))
        filled[~hidden] = codes
        first.append(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
        atoms.append(filled)
        cell.append(owner)
    size = np.ones(len(domain), dtype=np.int64)
    runs = tuple(atoms)
    return ColumnAtoms(first=tuple(first), low=runs, high=runs, cell=tuple(cell), size=size, ranged=False)


def _split_ranges(columns: Sequence[RangeCells]) -> ColumnAtoms:
    numbered = [number_cells(column) for column in columns]
    distinct = [column.take(rows) for column, (_, rows) in zip(columns, numbered, strict=True)]
    ends = [part for each in distinct for part in (each.lower[~each.suppressed], _end(each))]
    cuts = np.unique(np.concatenate([np.zeros(1, dtype=np.int64), *ends]))
    # what lies beyond the last cut stands for every number that no cell names
    size = np.append(np.minimum(np.diff(cuts), ENDLESS), ENDLESS).astype(np.int64)
    low = [np.where(each.suppressed, 0, np.searchsorted(cuts, each.lower)).astype(np.int64) for each in distinct]
    high = [
        np.where(each.suppressed, len(cuts) - 1, np.searchsorted(cuts, each.upper, side="right") - 1).astype(np.int64)
        for each in distinct
    ]
    return ColumnAtoms(
        first=tuple(np.arange(len(each) + 1, dtype=np.int64) for each in distinct),
        low=tuple(low),
        high=tuple(high),
        cell=tuple(owner for owner, _ in numbered),
        size=size,
        ranged=True,
    )


def _end(cells: RangeCells) -> NDArray[np.int64]:
    return cells.upper[~cells.suppressed] + 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowLinks:
    """How the rows of several releases agree.

    Attributes:
        link: for each release and row a number; rows agree in the exact columns where it is equal.
        state: for each release and row the words of the other columns.
        kind: what each word is.
        column: the column that each word belongs to, from 0.
        names: the columns that link, the exact ones first.
        inexact: how many of them are not exact.
    """

    link: tuple[NDArray[np.int64], ...]
    state: tuple[NDArray[np.int64], ...]
    kind: NDArray[np.int64]
    column: NDArray[np.int64]
    names: tuple[str, ...]
    inexact: int


def link_rows(releases: Sequence[MaskedTable], columns: Sequence[str], *, asked: str = "") -> RowLinks:
    """Return how the rows of releases agree in some columns.

    One that fewer than two releases show links nothing, and is left out unless its values are asked for.
    """
    lengths = [len(release) for release in releases]
    link = [np.zeros(length, dtype=np.int64) for length in lengths]
    words: list[list[NDArray[np.int64]]] = [[np.zeros((length, 0), dtype=np.int64)] for length in lengths]
    kind: list[int] = []
    owner: list[int] = []
    exact: list[str] = []
    others: list[str] = []
    for name in columns:
        if name != asked and not is_shared(releases, name):
            continue
        split = split_column(releases, name)
        if split.exact:
            link = _combine(link, split.list_values())
            exact.append(name)
            continue
        parts = split.list_words()
        for place, part in enumerate(parts):
            words[place].append(part)
        kind += [FIRST, LAST] if split.ranged else [SET] * parts[0].shape[1]
        owner += [len(others)] * parts[0].shape[1]
        others.append(name)
    return RowLinks(
        link=tuple(link),
        state=tuple(np.ascontiguousarray(np.concatenate(part, axis=1)) for part in words),
        kind=np.array(kind, dtype=np.int64),
        column=np.array(owner, dtype=np.int64),
        names=(*exact, *others),
        inexact=len(others),
    )


def is_shared(releases: Sequence[MaskedTable], name: str) -> bool:
    """Tell whether several releases show something of a column."""
    return sum(not bool(release.columns[name].suppressed.all()) for release in releases) > 1


def _combine(link: Sequence[NDArray[np.int64]], values: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Return numbers for pairs of numbers, the same in all releases."""
    width = 1 + max((int(each.max(initial=0)) for each in values), default=0)
    joined = np.concatenate([number * width + value for number, value in zip(link, values, strict=True)])
    place = np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.split(place, np.cumsum([len(each) for each in link])[:-1])


def meet_states(links: RowLinks, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return what two states have in common; None where they have nothing in some column."""
    larger, smaller = np.maximum(first, second), np.minimum(first, second)
    met = np.where(links.kind == FIRST, larger, np.where(links.kind == LAST, smaller, first & second))
    for column in range(links.inexact):
        words = np.flatnonzero(links.column == column)
        ranged = links.kind[words[0]] == FIRST
        if (met[words[1]] < met[words[0]]) if ranged else not met[words].any():
            return None
    return met
