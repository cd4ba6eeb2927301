"""Who stands behind a cell: how many contributors, the largest of them, who asked for protection and who waived it."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.tables.model.limits import ABSOLUTE_SLACK, RELATIVE_SLACK
from sekisho.tables.model.table import Floats, Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contributors:
    """What the rules need to know of each cell's contributors; every array has one entry per cell.

    Where contributions may be negative, all of this is about their absolute values: it is their size that dominates a
    cell.

    Attributes:
        total: the sum of the contributions.
        count: how many contributors there are.
        largest: the largest contributions, greatest first, one column per place, padded with 0.
        target: the largest contribution of one who has not waived protection; 0 where there is none.
        asked: the largest contribution of one who asked for protection; 0 where nobody did, None if it is not known
            who did.
    """

    total: Floats
    count: NDArray[np.int64]
    largest: Floats
    target: Floats
    asked: Floats | None = None

    @property
    def numbered(self) -> bool:
        """Whether it is known how many contributors there are: a table of sums may not say."""
        return bool(self.count.any()) or not bool(self.total.any())

    def sum_of(self, places: int) -> Floats:
        """Return the sum of the so many largest contributions.

        Raises:
            ParameterError: fewer are known of some cell, and those that are do not make it up: what is not known is not
                nothing.
        """
        lacking = np.flatnonzero(~told_of(self.largest, self.count, self.total, places))
        if lacking.size:
            known = int(np.count_nonzero(self.largest[lacking[0]]))
            raise ParameterError(
                "largest", Said("name the {places} largest contributions of each cell", places=places), known
            )
        return self.largest[:, :places].sum(axis=1)

    def place(self, rank: int) -> Floats:
        """Return the contribution of a rank (1 is the largest), 0 where there are fewer."""
        return self.largest[:, rank - 1] if rank <= self.largest.shape[1] else np.zeros(len(self.total))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Surveyed(Table):
    """A table tabulated from microdata: it knows the contributors, one by one and grouped into holdings."""

    units: Contributors
    holdings: Contributors | None = None

    @classmethod
    def over(cls, table: Table, *, units: Contributors, holdings: Contributors | None = None) -> Surveyed:
        """Return a table together with its contributors."""
        return cls(**{item.name: getattr(table, item.name) for item in fields(Table)}, units=units, holdings=holdings)


def told_of(largest: Floats, count: NDArray[np.int64], total: Floats, places: int) -> NDArray[np.bool_]:
    """Tell of which cells the so many largest contributions are known: so many are listed, or the listed are all.

    A 0 in the list is no contribution: if those before it are fewer than contribute, and do not make up the cell, the
    rest of it is not known.
    """
    listed = largest[:, :places]
    known = np.count_nonzero(listed, axis=1)
    several = (known >= places) | ((count > 0) & (count <= known))
    return several | (listed.sum(axis=1) >= total * (1 - 100 * RELATIVE_SLACK) - ABSOLUTE_SLACK)


def asked_of(known: Contributors) -> Floats:
    """Return the largest contribution of one who asked for protection.

    Raises:
        ParameterError: it is not known who did.
    """
    if known.asked is None:
        raise ParameterError(
            "request",
            Said("be known for a rule about requests: tabulate records with the column that says who asked"),
            None,
        )
    return known.asked


def counted_of(table: Table, *, holdings: bool) -> Contributors:
    """Return what is known of a table's contributors, their number included.

    Raises:
        ParameterError: their number is not known, as in a table of sums alone, or is 0 where somebody gave something.
    """
    known = contributors_of(table, holdings=holdings)
    if not known.numbered:
        raise ParameterError(
            "contributors",
            Said("tell how many there are in each cell"),
            None,
            hint=Said("a sum does not: name the column of their number"),
        )
    nobody = np.flatnonzero((known.count == 0) & (table.value != 0) & ~table.unpublished)
    if nobody.size:
        raise ParameterError(
            "contributors",
            Said("be at least one in each cell that is not 0 (not in {nobody})", nobody=table.named(int(nobody[0]))),
            0,
            hint=Said("a number that is not known is not 0"),
        )
    return known


def contributors_of(table: Table, *, holdings: bool) -> Contributors:
    """Return what is known of a table's contributors; of a plain table, its frequencies and largest contributions.

    Raises:
        ParameterError: holdings are asked for and not known.
    """
    if isinstance(table, Surveyed):
        if not holdings:
            return table.units
        if table.holdings is not None:
            return table.holdings
    if holdings:
        raise ParameterError("holdings", Said("be known: tabulate with a holding column"), None)
    first = table.largest[:, 0] if table.largest.shape[1] else np.zeros(len(table))
    return Contributors(
        total=np.abs(table.value),
        count=table.frequency,
        largest=table.largest,
        target=first,
    )
