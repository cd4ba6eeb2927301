"""Concrete data drawn from a release: what an analyst who wants plain rows can make of generalised ones.

Every cell is drawn by itself, uniformly over what it admits: a range over its grid points, a set over its members, a
suppressed number over the original's minimum to maximum, a suppressed category over every value of the original.
Deleted rows stay deleted.

Source: PWS Cup 2018, report, section 6.3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells, SetCells, drop_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.words import Said

PlainColumns = Mapping[str, NDArray[np.int64]]
"""Plain columns by name: numbers on their grid, categories as codes into the original's domain."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Choice:
    """One column's cells as ``count[i]`` equally likely choices from ``start[i]``.

    Of a set, the choices are places in ``members``.

    A number's choice is the value itself; ``open`` lists the rows in which there is something to choose.
    """

    start: NDArray[np.int64]
    count: NDArray[np.int64]
    open: NDArray[np.intp]
    members: NDArray[np.int32] | None

    def draw(self, rng: np.random.Generator) -> NDArray[np.int64]:
        chosen = self.start.copy()
        chosen[self.open] += rng.integers(0, self.count[self.open])
        return chosen if self.members is None else self.members[chosen].astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """A release made ready to be drawn from many times.

    Attributes:
        release: what is drawn from.
        kept: the rows that are not deleted, in order.
        person: the pseudonyms of those rows as codes 0 to people - 1; None in a release without pseudonyms.
        people: how many pseudonyms there are.
        choices: what each column's cells leave open.
    """

    release: Release
    kept: NDArray[np.intp]
    person: NDArray[np.int64] | None
    people: int
    choices: Mapping[str, _Choice]

    @classmethod
    def of(cls, original: Dataset, release: Release) -> Draws:
        """Return the draws of a release; the original gives the range of every suppressed cell."""
        if len(original) != len(release.table):
            raise ParameterError(
                "release", Said("have the original's {original} rows", original=len(original)), len(release.table)
            )
        kept = np.flatnonzero(~release.deleted)
        table = release.table.take(kept)
        choices: dict[str, _Choice] = {}
        for column in original.schema.attributes:
            if column.kind.numeric:
                choices[column.name] = _number_choice(table.numbers(column.name), original.grid(column.name))
            else:
                choices[column.name] = _member_choice(table.sets(column.name))
        if table.pseudonym is None:
            return cls(release=release, kept=kept, person=None, people=0, choices=choices)
        names, person = np.unique(table.pseudonym, return_inverse=True)
        return cls(release=release, kept=kept, person=person.astype(np.int64), people=len(names), choices=choices)

    def draw_columns(self, *, rng: np.random.Generator) -> PlainColumns:
        """Return one sample of the undeleted rows as plain columns."""
        return {name: choice.draw(rng) for name, choice in self.choices.items()}


def _number_choice(cells: RangeCells, original: NDArray[np.int64]) -> _Choice:
    numbers = drop_gaps(original)
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    start = np.where(cells.suppressed, low, cells.lower)
    count = np.where(cells.suppressed, high, cells.upper) - start + 1
    return _Choice(start=start, count=count, open=np.flatnonzero(count > 1), members=None)


def _member_choice(cells: SetCells) -> _Choice:
    # the whole domain follows the rows' own codes, so that a suppressed cell is one more set
    whole = np.arange(len(cells.domain), dtype=np.int32)
    start = np.where(cells.suppressed, len(cells.codes), cells.offsets[:-1])
    count = np.where(cells.suppressed, len(whole), cells.sizes())
    members = np.concatenate([cells.codes, whole])
    return _Choice(start=start, count=count, open=np.flatnonzero(count > 1), members=members)
