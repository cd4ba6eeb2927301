"""One table, or a set of linked ones, as a system of cells and equations: the type that the whole room works on.

The attacker sees every published cell and knows the equations ``A x = 0`` (a total is -1, its parts are +1) and, for
every cell, bounds ``lower <= x <= upper`` (for counts 0 and infinity). Two tables that share a cell share one column of
``A``.

Source: Fischetti and Salazar, "Solving the cell suppression problem on tabular data with linear constraints",
Management Science 47 (2001), section 2.

What is said of the joint table behind linked tables: not needed, covered, or a limit that every answer must name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.errors import FaultsError, ParameterError
from sekisho.tables.model.exact_sums import count_as_people, settle_shown
from sekisho.tables.model.limits import HEAVIEST, LEAST
from sekisho.tables.model.table_faults import (
    find_cell_faults,
    find_equation_faults,
    find_key_faults,
    name_fault,
    refuse_unprotected,
)
from sekisho.words import Said


class Cover(StrEnum):
    """Whether a system holds all that is known of the table behind linked tables.

    That is the counts by all their dimensions at once.
    """

    NONE_NEEDED = "none-needed"
    COVERED = "covered"
    NOT_COVERED = "not covered"


class CoverGap(StrEnum):
    """Why the joint table is not covered."""

    ASKED = "left out as asked"
    MANY = "it has too many cells"
    CODES = "the tables' lists of codes do not fit each other"
    ROUNDED = "no such table was found that adds up exactly enough"

    @property
    def words(self) -> Said:
        """It in words."""
        words = {
            CoverGap.ASKED: Said("left out as asked"),
            CoverGap.MANY: Said("it has too many cells"),
            CoverGap.CODES: Said("the tables' lists of codes do not fit each other"),
            CoverGap.ROUNDED: Said("no such table was found that adds up exactly enough"),
        }
        return words[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """What a system knows of the joint table behind its tables, whose cells are not below 0.

    See :mod:`sekisho.tables.model.linked.joint`.

    Attributes:
        cover: ``none-needed`` if its cells tell an attacker nothing more; ``covered`` if they are among the system's
            cells; ``not covered`` if an attacker who uses them may know more than the system says.
        dims: its dimensions; none where none is needed.
        cells: how many it has.
        gap: why it is not covered.
    """

    cover: Cover = Cover.NONE_NEEDED
    dims: tuple[str, ...] = ()
    cells: int = 0
    gap: CoverGap | None = None

    @property
    def overlooked(self) -> bool:
        """Whether it is not covered although nobody asked for that: a person must look at what was found."""
        return self.cover is Cover.NOT_COVERED and self.gap is not CoverGap.ASKED

    @property
    def limit(self) -> str:
        """What must be said beside every interval; empty if there is nothing to be said."""
        if self.cover is not Cover.NOT_COVERED:
            return ""
        dims, gap = ", ".join(self.dims), self.gap.words if self.gap else self.gap
        if not self.cells:
            return Said(
                "not used is that no cell of the joint table over {dims} is below 0 "
                "({gap}): an attacker who uses it may find narrower intervals",
                dims=dims,
                gap=gap,
            )
        return Said(
            "not used is that no cell of the joint table over {dims} ({cells:,} cells) is below 0 ({gap}): an attacker "
            "who uses it may find narrower intervals",
            dims=dims,
            cells=self.cells,
            gap=gap,
        )


NOTHING_MORE = Joint()
"""Of a single table, or of linked tables whose joint table would say nothing more."""
TOTAL = "Total"
"""The margin's code where the input has none of its own."""
Key = tuple[str, ...]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedTable:
    """One of the tables that a system was joined of, as it is published.

    Attributes:
        name: what its file is called after; empty where nobody named it.
        dims: its dimensions.
        margins: its own code of the margin in each of them.
        cells: the cell of the system for each of its own, in its order.
        measure: what its cells tell, where the tables of a system tell different things: the code of all its cells in
            the system's first dimension.
    """

    name: str = ""
    measure: str = ""
    dims: tuple[str, ...]
    margins: tuple[str, ...]
    cells: tuple[int, ...]


class Status(IntEnum):
    """What becomes of a cell. Primary and secondary cells are suppressed; a ``publish`` cell never may be.

    In a table given to the optimiser, secondary cells are suppressed already (frozen by an earlier publication) and
    stay so. An ``unpublished`` cell stands in no table that is published: the attacker does not see it but knows its
    equations and bounds. It costs nothing, is no suppression and is not counted as one.
    """

    SAFE = 0
    PRIMARY = 1
    SECONDARY = 2
    PUBLISH = 3
    UNPUBLISHED = 4

    @property
    def word(self) -> str:
        """Return the name as files write it."""
        return self.name.lower()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Table:
    """Cells and the equations between them. Nothing writes into it; every array has one entry per cell.

    :meth:`of` fills in the usual; ``dataclasses.replace`` gives a changed copy, checked like the first.

    Attributes:
        dims: the names of the dimensions.
        keys: each cell's code in every dimension, the margin's own for a margin.
        value: what the cell shows: a count or a sum, in the unit of the data (:mod:`.exact_sums`).
        matrix: the equations, one row each, ``matrix @ value == 0``.
        equations: a name for each equation.
        weight: what the suppression of the cell costs.
        frequency: the number of contributors.
        status: a :class:`Status` code.
        lower: the least value that the attacker thinks possible.
        upper: the greatest value that he thinks possible.
        lower_level: how far below the value his interval must reach, for a primary.
        upper_level: how far above the value his interval must reach, for a primary.
        sliding_level: how wide his interval must be, for a primary (Minami's t). Every primary has one of the three
            levels, at least ``LEAST``: without any it would be hidden, and its value could be worked out.
        largest: the largest contributions, greatest first, one column per place, padded with 0; there may be no column.
        margins: the margin's code in every dimension; ``Total`` in each if not said.
        joint: what linked tables know of the joint table behind them.
        linked: the tables that it was joined of; none where it is a table by itself.
    """

    dims: tuple[str, ...]
    keys: tuple[Key, ...]
    value: Floats
    matrix: csr_array
    equations: tuple[str, ...]
    weight: Floats
    frequency: NDArray[np.int64]
    status: NDArray[np.int8]
    lower: Floats
    upper: Floats
    lower_level: Floats
    upper_level: Floats
    sliding_level: Floats
    largest: Floats
    margins: tuple[str, ...] = ()
    joint: Joint = NOTHING_MORE
    linked: tuple[LinkedTable, ...] = ()

    @classmethod
    def of(
        cls,
        *,
        dims: Sequence[str],
        keys: Sequence[Key],
        value: Floats,
        matrix: csr_array,
        equations: Sequence[str],
        margins: Sequence[str] = (),
    ) -> Table:
        """Return a table with nothing flagged.

        Cost 1, frequency as the value (at least 1 where that is not 0), bounds 0 (for a negative value none) and
        infinity.
        """
        n = len(keys)
        return cls(
            dims=tuple(dims),
            keys=tuple(keys),
            value=value,
            matrix=matrix,
            equations=tuple(equations),
            weight=np.ones(n),
            frequency=count_as_people(value),
            status=np.zeros(n, dtype=np.int8),
            lower=np.where(value < 0, -np.inf, 0.0),
            upper=np.full(n, np.inf),
            lower_level=np.zeros(n),
            upper_level=np.zeros(n),
            sliding_level=np.zeros(n),
            largest=np.zeros((n, 0)),
            margins=tuple(margins),
        )

    def __post_init__(self) -> None:
        n = len(self.keys)
        object.__setattr__(self, "margins", self.margins or (TOTAL,) * len(self.dims))
        if len(self.margins) != len(self.dims):
            raise ParameterError(
                "margins", Said("name a code for each of the {dims} dimensions", dims=len(self.dims)), self.margins
            )
        for name in ARRAYS:
            array: NDArray[np.generic] = getattr(self, name)
            if len(array) != n:
                raise ParameterError(name, Said("have one entry for each of the {cells} cells", cells=n), len(array))
            object.__setattr__(self, name, _frozen(array))
        if self.matrix.shape != (len(self.equations), n):
            raise ParameterError(
                "matrix",
                Said("have {equations} rows and {cells} columns", equations=len(self.equations), cells=n),
                self.matrix.shape,
            )
        odd = self.matrix.data[
            ~((np.abs(self.matrix.data) < HEAVIEST) & (self.matrix.data == np.rint(self.matrix.data)))
        ]
        if len(odd):
            raise ParameterError(
                "matrix", Said("hold whole numbers below {heaviest:,} only", heaviest=HEAVIEST), float(odd[0])
            )
        shown = ~self.unpublished
        object.__setattr__(self, "value", _frozen(settle_shown(self.value, shown)))
        faults = [*find_key_faults(self), *find_cell_faults(self)]
        if not faults:
            faults = find_equation_faults(self)
        if faults:
            raise FaultsError(Said("table"), faults)
        refuse_unprotected(self)

    def __repr__(self) -> str:
        return (
            f"Table({' x '.join(self.dims)}: {len(self)} cells, {len(self.equations)} equations, "
            f"{int(self.primary.sum())} primary, {int((self.status == Status.SECONDARY).sum())} secondary)"
        )

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def position(self) -> dict[Key, int]:
        """Where each key's cell is."""
        return {key: place for place, key in enumerate(self.keys)}

    @property
    def primary(self) -> Mask:
        """The cells that a rule forbids to publish."""
        return self.status == Status.PRIMARY

    @property
    def suppressed(self) -> Mask:
        """The cells that are not published, and so can move: also those that stand in no published table."""
        return (self.status == Status.PRIMARY) | (self.status == Status.SECONDARY) | self.unpublished

    @property
    def unpublished(self) -> Mask:
        """The cells that stand in no published table."""
        return self.status == Status.UNPUBLISHED

    @property
    def own(self) -> int:
        """How many cells stand in a table that is published."""
        return len(self) - int(self.unpublished.sum())

    @cached_property
    def whole(self) -> bool:
        """Whether every value is a whole number, as counts are."""
        return bool(np.all(self.value == np.rint(self.value)))

    @cached_property
    def counts(self) -> bool:
        """Whether every value is the number of its contributors."""
        return bool(np.array_equal(self.value, self.frequency))

    def flag_cells(
        self, mask: Mask, *, lower: Floats | float = 0.0, upper: Floats | float = 0.0, sliding: Floats | float = 0.0
    ) -> Table:
        """Return the table with these cells primary and their protection levels raised to those given.

        A cell that stands in no published table is left alone: what it holds is one possibility, not the truth.

        Raises:
            FaultsError: a cell of the mask must be published; all of them at once.
            ParameterError: a cell of the mask would have no protection level.
        """
        mask = mask & ~self.unpublished
        clash = np.flatnonzero(mask & (self.status == Status.PUBLISH))
        if clash.size:
            raise FaultsError(
                Said("table"), [name_fault(self, i, "primary", Said("is unsafe but must be published")) for i in clash]
            )
        return replace(
            self,
            status=np.where(mask, np.int8(Status.PRIMARY), self.status),
            lower_level=np.where(mask, np.maximum(self.lower_level, lower), self.lower_level),
            upper_level=np.where(mask, np.maximum(self.upper_level, upper), self.upper_level),
            sliding_level=np.where(mask, np.maximum(self.sliding_level, sliding), self.sliding_level),
        )

    def mark_cells(
        self,
        status: NDArray[np.int8],
        *,
        lower: Floats | None = None,
        upper: Floats | None = None,
        sliding: Floats | None = None,
    ) -> Table:
        """Return the table with the statuses and levels that somebody else gives.

        A primary without any level gets the least width.

        What a file hides without saying how well must at least not be known.
        :func:`sekisho.tables.rules.table_rules.guard_primaries` asks more.
        """
        lower_level = self.lower_level if lower is None else lower
        upper_level = self.upper_level if upper is None else upper
        width = self.sliding_level if sliding is None else sliding
        bare = (status == Status.PRIMARY) & (np.maximum(np.maximum(lower_level, upper_level), width) < LEAST)
        return replace(
            self,
            status=status,
            lower_level=lower_level,
            upper_level=upper_level,
            sliding_level=np.where(bare, LEAST, width),
        )

    def suppress_cells(self, mask: Mask) -> Table:
        """Return the table with exactly its primary cells and these suppressed; the others that were are safe again."""
        kept = np.where(self.status == Status.SECONDARY, np.int8(Status.SAFE), self.status)
        return replace(self, status=np.where(mask & ~self.primary, np.int8(Status.SECONDARY), kept))

    def named(self, cell: int | np.intp) -> str:
        """Return a cell's name for messages: ``v1=a001, v2=Total``."""
        return ", ".join(f"{dim}={code}" for dim, code in zip(self.dims, self.keys[cell], strict=True))

    def keys_under(self, margins: Sequence[str]) -> list[Key]:
        """Return each cell's codes with these codes for the margins instead of its own."""
        own = self.margins
        return [
            tuple(there if code == here else code for code, here, there in zip(key, own, margins, strict=True))
            for key in self.keys
        ]


LEVELS = ("lower_level", "upper_level", "sliding_level")
ARRAYS = ("value", "weight", "frequency", "status", "lower", "upper", *LEVELS, "largest")


def _frozen(array: NDArray[np.generic]) -> NDArray[np.generic]:
    if not array.flags.writeable:
        return array
    copy = array.copy()
    copy.flags.writeable = False
    return copy
