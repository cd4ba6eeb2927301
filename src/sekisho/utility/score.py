"""What a measure answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Direction(StrEnum):
    """Which way is better."""

    LESS = "less"
    MORE = "more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A measure's value, which way is better, and the parts it is made of."""

    value: float
    direction: Direction = Direction.LESS
    detail: Mapping[str, float] = field(default_factory=dict[str, float])
