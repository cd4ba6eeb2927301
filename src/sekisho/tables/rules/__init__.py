"""Primary rules: which cells must not be published, and how far from the truth an attacker must stay.

A rule is a frozen value that says in ``shapes`` that it suits tables, flags cells and gives them levels; ``numbers``
says how many numbers its word takes at least and at most, and ``from_word`` makes it from them. A stranger's rule is
announced as an entry point of the group ``sekisho.cell_rules`` and then named in ``--rule``.

What a word of the command line says beside a primary rule's name: its numbers, and whether holdings count as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.registry import Registry
from sekisho.tables import CellRule, Levels
from sekisho.tables.model.table import Mask, Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True)
class RuleWord:
    """What a word says beside the rule's name."""

    numbers: tuple[Fraction, ...]
    holdings: bool

    def whole(self, place: int, otherwise: int) -> int:
        """Return the whole number at a place, or what counts if it is not said."""
        if place >= len(self.numbers):
            return otherwise
        if self.numbers[place].denominator != 1:
            raise ParameterError("rule", Said("count in whole numbers"), str(self.numbers[place]))
        return int(self.numbers[place])


class NamedRule(Protocol):
    """A rule that a word of the command line can name."""

    shapes: ClassVar[frozenset[Shape]]
    numbers: ClassVar[tuple[int, int]]

    @classmethod
    def from_word(cls, word: RuleWord) -> CellRule:
        """Return the rule that a word tells."""
        ...

    def flag(self, table: Table) -> Mask:
        """Return which cells must not be published."""
        ...

    def levels(self, table: Table) -> Levels:
        """Return the protection that each cell needs if flagged."""
        ...


CELL_RULES: Registry[NamedRule] = Registry(
    kind="primary rule",
    group="sekisho.cell_rules",
    builtin={
        "min": "sekisho.tables.rules.primary:MinimumFrequency",
        "nk": "sekisho.tables.rules.concentration:Dominance",
        "p%": "sekisho.tables.rules.concentration:PercentRule",
        "pq": "sekisho.tables.rules.concentration:PriorPosterior",
        "request": "sekisho.tables.rules.primary:RequestRule",
        "zeros": "sekisho.tables.rules.primary:UnsafeZeros",
    },
)
