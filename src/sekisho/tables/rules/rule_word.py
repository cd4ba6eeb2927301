"""What a word of the command line says beside a primary rule's name: its numbers, and whether holdings count as one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sekisho.errors import ParameterError
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
