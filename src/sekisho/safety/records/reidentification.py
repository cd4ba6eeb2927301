"""The chance of finding somebody's record: prosecutor, journalist and marketer.

Against whom: three adversaries who know the keys of people and match them with the records. f is how many records of
the sample share a class's keys, F how many people of the population do, n the number of records, J of classes.

- the prosecutor knows that his target is in the sample: his chance is 1 / f.
- the journalist looks for anybody whose record he can show to be found, in a population that he knows: 1 / F.
- the marketer matches all records with that population and counts how many are right: mean of f / F.

Each has three figures: the share of records whose chance is above a limit, the highest chance, and the share of
records that are found on average (prosecutor J / n; journalist the larger of J / sum F and the mean of f / F; marketer
the mean of f / F). Without a population file F is taken as f, and all three see the same classes.

Source: El Emam, "Guide to the De-Identification of Personal Health Information", CRC Press 2013, chapter 16; computed
as ARX does (RiskModelSampleSummary).

Individual risk from sampling weights: how surely a record of a sample is the person who has its keys.

Against whom: one who does not know whether his target is in the sample, and matches the keys with a register of the
population. A class of f records stands for F people, whom nobody counted; given f, F is taken as negative binomial
(f successes, each with chance p), and the risk of a record is

    r = E(1 / F | f) = p * integral from 0 to 1 of u^(f - 1) / (p + (1 - p) u) du,      p = f / sum of the weights.

For f = 1 that is p / (1 - p) ln(1 / p); for f = 2, p / (1 - p) - (p / (1 - p))^2 ln(1 / p). The figure rests on the
model and on weights that say how many people a record stands for; it is no bound.

Computed without approximation: by I(f + 1) = (1 / f - p I(f)) / (1 - p) where p <= 1/2 and f is small, else by the
series p sum over j of (1 - p)^j j! (f - 1)! / (f + j)!, whose terms are positive and fall fast. (sdcMicro and μ-ARGUS
take p / (f - (1 - p)) from f = 3 on, the first terms of the same.)

Source: Benedetti, Franconi, "Statistical and technological solutions for controlled data dissemination", NTTS 1998;
Franconi, Polettini, "Individual risk estimation in μ-Argus: a review", PSD 2004, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.errors import LISTED, Fault, FaultsError, ParameterError
from sekisho.parameters import checked
from sekisho.safety.cover import Coverage
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import count_classes
from sekisho.safety.records.published import read_classes
from sekisho.words import Said

LIMIT = 0.2
"""A chance above 1 in 5 counts as high where no other limit is said."""

HALF = 0.5
"""Whoever may be found with a higher chance than this is covered by nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """What an adversary can hope for.

    Attributes:
        at_risk: the share of records whose chance is above the limit.
        highest: the highest chance of a record.
        average: the share of records that are found on average.
    """

    at_risk: float
    highest: float
    average: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reidentification:
    """The three adversaries' chances; the marketer has no single target, so only his average means something."""

    limit: float
    prosecutor: Chances
    journalist: Chances
    marketer: float


def compute_reidentification(
    sizes: NDArray[np.int64],
    fits: NDArray[np.int64] | None = None,
    *,
    limit: float = LIMIT,
    counts: NDArray[np.int64] | None = None,
) -> Reidentification:
    """Return the chances.

    A sum over records of 1 / f is the number of classes, so that all figures are sums over records.

    Args:
        sizes: of each record f, how many records share its keys.
        fits: of each record F, how many people of the population do; as f if not given.
        limit: above which a record's chance is called high.
        counts: how many records each entry of the others stands for; one each if not given.
    """
    if not 0 <= limit <= 1:
        raise ParameterError("limit", Said("lie between 0 and 1"), limit)
    people = sizes if fits is None else fits
    records = np.ones(len(sizes), dtype=np.int64) if counts is None else counts
    rows = int(records.sum())
    classes, matched = float((records / sizes).sum()), float((records / people).sum()) / rows
    return Reidentification(
        limit=limit,
        prosecutor=Chances(
            at_risk=int(records[1.0 / sizes > limit].sum()) / rows,
            highest=1.0 / float(sizes.min()),
            average=classes / rows,
        ),
        journalist=Chances(
            at_risk=int(records[1.0 / people > limit].sum()) / rows,
            highest=1.0 / float(people.min()),
            average=max(classes / float((records * (people / sizes)).sum()), matched),
        ),
        marketer=matched,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class ProsecutorRisk:
    """On average a prosecutor finds no larger share of the records, and none with a higher chance, than allowed.

    Source: El Emam, "Guide to the De-Identification of Personal Health Information", 2013.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    highest: float = field(
        default=0.2,
        metadata={"help": "The highest chance that a record may be found with.", "recipe": "highest", "unasked": 1.0},
    )
    average: float = field(
        default=0.05,
        metadata={"help": "The largest share of records that may be found.", "recipe": "average", "unasked": 1.0},
    )
    keys: tuple[str, ...] = field(default=(), metadata={"help": "The columns that he knows; all if none is named."})

    def __post_init__(self) -> None:
        for name, value in (("highest", self.highest), ("average", self.average)):
            if not 0 < value <= 1:
                raise ParameterError(name, Said("be a chance above 0"), value)
        if self.highest == self.average == 1:
            raise ParameterError("highest", Said("ask for something, or average: every release keeps 1"), self.highest)

    @property
    def covers(self) -> Coverage:
        """Who somebody is, unless people may be found with a chance above one half."""
        return Coverage.KEYED if self.highest <= HALF else Coverage.OPEN

    def check(self, release: Release) -> Finding:
        """Return whether both limits are kept, and the highest chance."""
        published = read_classes(release, self.keys)
        sizes = count_classes(published.classes)
        found = compute_reidentification(sizes[published.classes]).prosecutor
        return published.find(
            int(sizes.argmin()),
            kept=found.highest <= self.highest and found.average <= self.average,
            figure=found.highest,
            wanted=self.highest,
            words=Said(
                "a record is found with a chance of {found_highest:.4g} at worst and {found_average:.4g} "
                "on average, {highest:g} and {average:g} are allowed",
                found_highest=found.highest,
                found_average=found.average,
                highest=self.highest,
                average=self.average,
            ),
        )


SMALL = 30
TERMS = 64


def compute_individual_risk(sizes: NDArray[np.int64], people: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the risk of a record of each class.

    Args:
        sizes: f, the number of records of each class.
        people: the sum of their weights, how many people they are estimated to stand for; at least f counts.
    """
    size = sizes.astype(np.float64)
    p = np.minimum(1.0, size / people)
    risk = np.empty(len(sizes))
    stepwise = (sizes < SMALL) & (p <= 0.5)
    risk[stepwise] = _step_up(sizes[stepwise], p[stepwise])
    risk[~stepwise] = _sum_series(size[~stepwise], p[~stepwise])
    return risk


def _step_up(sizes: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    q = 1.0 - p
    integral = -np.log(p) / q
    for size in range(1, int(sizes.max(initial=1))):
        integral = np.where(sizes > size, (1.0 / size - p * integral) / q, integral)
    return p * integral


def _sum_series(size: NDArray[np.float64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    term = p / size
    total = term.copy()
    for j in range(1, TERMS):
        term = term * (1.0 - p) * j / (size + j)
        total += term
    return total


def check_weights(
    weights: NDArray[np.float64], texts: Sequence[str], rows: NDArray[np.int64], *, name: str, source: str
) -> None:
    """Refuse weights that are no positive numbers, by row.

    Args:
        weights: as numbers, not a number where the text is none.
        texts: as they stand in the file.
        rows: where each stands in the file, from 0.
        name: the column's.
        source: the file's.

    Raises:
        FaultsError: all of them at once.
    """
    bad: list[int] = np.flatnonzero(~(np.isfinite(weights) & (weights > 0))).tolist()
    if bad:
        first = bad[:LISTED]
        raise refuse_weights(
            [texts[place] for place in first], rows[first].tolist(), name=name, source=source, count=len(bad)
        )


def refuse_weights(texts: Sequence[str], rows: Sequence[int], *, name: str, source: str, count: int) -> FaultsError:
    """Return the refusal of weights that are no positive numbers.

    Args:
        texts: the first of them, as they stand in the file.
        rows: where these stand, from 0.
        name: the column's.
        source: the file's.
        count: how many there are.
    """
    faults = [
        Fault(
            row=row + 1,
            column=name,
            rule="weight",
            value=text,
            message=Said("the weight {text!r} is no positive number", text=text),
        )
        for text, row in zip(texts, rows, strict=True)
    ]
    return FaultsError(source, faults, count=count)
