"""What a guarantee answers: kept or broken, how bad the worst case is, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check of a guarantee found.

    Attributes:
        kept: whether the release keeps it.
        worst: the figure of the worst case, such as the size of the smallest class.
        wanted: what was asked for.
        where: rows of the original, from 0, in the worst case; at most a few.
        words: the finding as a sentence.
        assumes: what must be so besides for a promise that is kept to hold; empty where the release alone proves it.
    """

    kept: bool
    worst: float
    wanted: float
    where: tuple[int, ...]
    words: str
    assumes: str = ""
