"""How many people whoever knows the keys can find in a release that nobody attacked: what no such attack exceeds.

Rows that are written alike in the keys cannot be told apart by them, and leave in an order that tells nothing: who
looks for a person in a class of c rows is right with a chance of 1/c at most. Two figures are held against what is
allowed, those of the attacks in memory (:func:`sekisho.gate.records.cell_attacks.measure_share`):

- of all people: the sum of 1/c over them is the number of classes. Of a sample anybody of the file may be looked for,
  and who was not drawn is not found: the classes among all records.
- of those whom he names: he may name people of small classes alone. Of all classes up to a size the share of right
  names is classes / rows; what of it is surely right is the lower end of its exact interval, for as many people as are
  looked for in memory. In a sample a row is that of each of the C records alike of the original: C counts there.

Where values were changed by chance, nobody is right more often than Pk promises, whatever he knows.

Source: El Emam, Dankar, "Protecting privacy using k-anonymity", JAMIA 15(5), 2008 (marketer risk).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import floor

import numpy as np

from sekisho.gate.records.engine.release_figures import CountedFigures
from sekisho.protect.beyond_memory import EngineRelease
from sekisho.protect.records.pram import ChangedByChance
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.words import Said

SLACK = 1e-9


class BoundGround(StrEnum):
    """What a bound rests on."""

    PEOPLE = "people"
    """A count: of all people so many are found, on average."""
    NAMED = "named"
    """A count: of those who are named so many are right, on average."""
    PROMISED = "promised"
    """What the method promises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBound:
    """The share that whoever knows the keys finds at most."""

    share: float
    ground: BoundGround

    @property
    def words(self) -> Said:
        """It in words."""
        match self.ground:
            case BoundGround.PEOPLE:
                words = Said(
                    "by counting, whoever knows the keys finds {share:.1%} of the people at most", share=self.share
                )
            case BoundGround.NAMED:
                words = Said(
                    "by counting, whoever knows the keys may be right about {share:.1%} of those whom he names",
                    share=self.share,
                )
            case BoundGround.PROMISED:
                words = Said(
                    "as the method promises, nobody finds more than {share:.1%} of the people", share=self.share
                )
        return words


def bound_found(figures: CountedFigures, release: EngineRelease, *, people: int) -> FoundBound:
    """Return what whoever knows the keys finds at most; everybody where nothing is known.

    Args:
        figures: the classes before and after.
        release: what was made.
        people: how many are looked for in memory; more make no difference that could be seen.
    """
    after, changed = figures.after, isinstance(release, ChangedByChance)
    if not figures.keys or not after.rows:
        return FoundBound(share=1.0, ground=BoundGround.PEOPLE)
    everybody = after.classes / (release.records if release.drawn else after.rows)
    named = bound_named(figures.before if release.drawn and not changed else after, people)
    counted = FoundBound(
        share=max(everybody, named), ground=BoundGround.NAMED if named > everybody + SLACK else BoundGround.PEOPLE
    )
    promised = float(release.guarantee.risk) if isinstance(release, ChangedByChance) else 1.0
    return FoundBound(share=promised, ground=BoundGround.PROMISED) if promised < counted.share else counted


def bound_named(risk: RecordRisk, people: int) -> float:
    """Return what is surely right of those whom somebody names who names people of small classes alone.

    Args:
        risk: the classes.
        people: how many are looked for at most.
    """
    sizes, places = np.unique(risk.sizes, return_inverse=True)
    rows = np.bincount(places, weights=None if risk.counts is None else risk.counts)
    part = min(1.0, people / max(1, risk.rows))
    named, right = np.cumsum(rows) * part, np.cumsum(rows / sizes) * part
    return max(
        (
            HitRate(hits=hits, trials=max(hits, floor(trials + SLACK))).low
            for trials, hits in zip(named.tolist(), map(_round_down, right.tolist()), strict=True)
        ),
        default=0.0,
    )


def _round_down(figure: float) -> int:
    return floor(figure + SLACK)
