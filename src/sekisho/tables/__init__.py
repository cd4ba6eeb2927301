"""Tables: which cells are unsafe, what an attacker can still work out, and the least that must be suppressed.

A primary rule is a frozen value with one verb, ``flag(table)``, which says which cells must not be published; what
protection they need stands in its ``levels(table)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from sekisho.data.shape import Shape
from sekisho.tables.model.table import Floats, Mask, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """How far an attacker's interval must reach: below and above the value, and in width; one entry per cell."""

    lower: Floats
    upper: Floats
    sliding: Floats


class CellRule(Protocol):
    """A rule that says which cells are unsafe."""

    shapes: ClassVar[frozenset[Shape]]

    def flag(self, table: Table) -> Mask:
        """Return which cells must not be published."""
        ...

    def levels(self, table: Table) -> Levels:
        """Return the protection that each cell needs if flagged.

        It reaches below, above or in width at least ``sekisho.tables.model.limits.LEAST``.
        """
        ...
