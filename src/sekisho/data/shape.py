"""The three shapes that data come in; every room knows data by these words only.

What a method, an adversary or a measure can do, declared by itself: whoever calls it asks this value, not its class.

What declares nothing, such as a stranger's class from an entry point, can do what everything can: it takes values as
the schema says, in memory, and gives whole values.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from sekisho.parameters import checked


class Shape(StrEnum):
    """What a row is.

    Attributes:
        HISTORY: many rows a person: purchases, visits, trips.
        RECORDS: one row a person: a survey, a register, health records.
        TABLE: a row is a cell of a table with margins.
    """

    HISTORY = "history"
    RECORDS = "records"
    TABLE = "table"


class Reads(StrEnum):
    """What cells are to whoever reads them."""

    VALUES = "values"
    """Numbers, dates and categories, as the schema says."""
    TEXTS = "texts"
    """Every column is a category, its values the texts as they stand."""


class Place(StrEnum):
    """Where the work can be done."""

    MEMORY = "memory"
    ENGINE = "engine"
    """Rows pass through an engine, of this machine or of many."""
    CLUSTER = "cluster"
    """Pieces of the work go to a cluster, and come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Abilities:
    """What somebody can do.

    Attributes:
        reads: what cells are to him.
        reads_cells: whether ranges, sets and labels mean to him what they say.
        writes_cells: whether his cells are ranges, sets and labels, which only files of one's own can hold.
        uses_order: whether he needs the release in the original's order.
        runs_on: where his work can be done.
        by_lot: whether he names people by lot: a baseline beside attacks, and no attack.
    """

    reads: Reads = Reads.VALUES
    reads_cells: bool = False
    writes_cells: bool = False
    uses_order: bool = False
    runs_on: frozenset[Place] = frozenset({Place.MEMORY})
    by_lot: bool = False

    @property
    def reads_text(self) -> bool:
        """Whether every column is a category to him."""
        return self.reads is Reads.TEXTS


@runtime_checkable
class Declares(Protocol):
    """Something that says what it can do."""

    @property
    def abilities(self) -> Abilities:
        """What it can do."""
        ...


def read_abilities(thing: object) -> Abilities:
    """Return what something says that it can do, or what everything can."""
    return thing.abilities if isinstance(thing, Declares) else Abilities()
