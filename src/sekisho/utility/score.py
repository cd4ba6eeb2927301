"""What a measure answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sekisho.words import Said


class Direction(StrEnum):
    """Which way is better."""

    LESS = "less"
    MORE = "more"

    @property
    def words(self) -> Said:
        """It in words."""
        words = {
            Direction.LESS: Said("less"),
            Direction.MORE: Said("more"),
        }
        return words[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A measure's value, which way is better, and the parts it is made of."""

    value: float
    direction: Direction = Direction.LESS
    detail: Mapping[str, float] = field(default_factory=dict[str, float])
