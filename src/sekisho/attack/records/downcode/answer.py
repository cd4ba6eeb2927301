"""What an attack on the cells of a release came to: which values are left, which is a count and no chance.

A cell is *narrowed* if some value that it admits occurs in no original that is left, and *known* if one value is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sekisho.safety.hit_rate import HitRate
from sekisho.words import Said


class Knows(StrEnum):
    """What the adversary knows of the method: its rule; also that no step could be taken back; the whole program."""

    RULE = "rule"
    LEAST = "least"
    TIE = "tie"


class Roster(StrEnum):
    """What the adversary knows of people: one person's keys, everybody's keys, or every record but one."""

    ONE = "one"
    ALL = "all"
    OTHERS = "others"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCells:
    """The hidden or generalised cells of one key: how many, how many narrowed, how many known."""

    cells: int
    narrowed: int
    known: int

    def to_dict(self) -> dict[str, int]:
        """Return it as plain data."""
        return {"cells": self.cells, "narrowed": self.narrowed, "known": self.known}


@dataclass(frozen=True, slots=True, kw_only=True)
class Downcoded:
    """What the cells of a release still can be.

    Attributes:
        method: that made the release.
        knows: what the adversary knows of it.
        roster: what he knows of people.
        keys: by name, their cells.
        people: how many have a narrowed cell, or fewer combinations left than their cells admit.
        people_known: of how many one combination is left where somebody knows every other record.
        touched: how many have a hidden or generalised cell.
        hits: how many known cells hold the value that is left; None where nobody knows the truth.
        excluded: how many cells hold a value that was ruled out, so that the method is not what he takes it for;
            None where nobody knows the truth.
        chance: how many known cells a blind guess among the values that the rule leaves would hit.
        guess: the chance of the best guess of a cell over uniform originals; None where they cannot be counted.
        guess_rule: the same by the rule alone.
        certain: whether what is ruled out is ruled out for sure; else it is only to be expected.
        margin: of a vector of levels, how far every other one is from being chosen; None where that was not computed.
        proven: what is proven of these cells, in words; empty where nothing is.
    """

    method: str
    knows: Knows
    roster: Roster
    keys: Mapping[str, KeyCells]
    people: int
    touched: int
    people_known: int | None = None
    hits: int | None = None
    excluded: int | None = None
    chance: float = 0.0
    guess: float | None = None
    guess_rule: float | None = None
    certain: bool = False
    margin: Mapping[str, object] | None = None
    proven: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def cells(self) -> int:
        """How many cells are hidden or generalised."""
        return sum(each.cells for each in self.keys.values())

    @property
    def narrowed(self) -> int:
        """How many of them cannot hold every value that they admit."""
        return sum(each.narrowed for each in self.keys.values())

    @property
    def known(self) -> int:
        """How many of them have one value left."""
        return sum(each.known for each in self.keys.values())

    def find_rate(self) -> HitRate | None:
        """Return how many claims were right, with the interval; None where nobody knows the truth."""
        return None if self.hits is None else HitRate(hits=self.hits, trials=self.known)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data: ``claimed`` are the cells of which one value is left."""
        rate = self.find_rate()
        return {
            "claimed": self.known,
            "hits": self.hits,
            "chance": self.chance,
            "interval": None if rate is None or not rate.trials else [rate.low, rate.high],
            "method": self.method,
            "against": {"knows": self.knows.value, "people": self.roster.value},
            "cells": self.cells,
            "narrowed": self.narrowed,
            "known": self.known,
            "people": self.people,
            "people_touched": self.touched,
            "people_known": self.people_known,
            "by_key": {name: each.to_dict() for name, each in self.keys.items()},
            "guess": self.guess,
            "guess_rule": self.guess_rule,
            "excluded_truths": self.excluded,
            "margin": None if self.margin is None else dict(self.margin),
            "certain": self.certain,
            "expected": not self.certain,
            "proven": self.proven,
            "notes": list(self.notes),
        }

    def tell(self) -> Said:
        """Return it in one sentence."""
        return Said(
            "{narrowed:,} of {cells:,} hidden or generalised cells are narrowed, {known:,} are known; {people:,} of "
            "{touched:,} people are concerned",
            narrowed=self.narrowed,
            cells=self.cells,
            known=self.known,
            people=self.people,
            touched=self.touched,
        )
