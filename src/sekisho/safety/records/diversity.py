"""l-diversity: every class of equal keys holds sensitive values that are diverse enough.

Against whom: one who knows a person's keys and that he is in the release, and asks for his sensitive value. Three
meanings of "well represented", each a figure of the worst class with counts r1 >= r2 >= … >= rm of its values:

- distinct: m, the number of different values. He cannot exclude all but l values; one of them may be nearly certain.
- entropy: exp(H), H = -sum (ri / r) ln (ri / r). The class is as diverse as one of that many equally frequent values.
- recursive (c, l): r1 < c (rl + … + rm). The most frequent value is not too frequent beside those from the l-th on.

It promises nothing about values that mean nearly the same, nor about what the shares in a class tell beside those in
the whole release (t-closeness does).

What is counted are known values: a cell that is missing or suppressed is no second value beside which another one
hides, for all whose value is known have that other one. In a class without a known value nothing is learnt; how many
such classes there are is told.

Source: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", ACM TKDD 1 (1),
2007, definitions 4.1 (entropy), 4.2 (recursive); distinct: section 4, the principle itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked, renamed
from sekisho.safety.cover import Coverage
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import CrossTable
from sekisho.safety.records.published import KEYS_HELP, SENSITIVE_HELP, add_unknown_classes, read_classes
from sekisho.words import Said

SLACK = 1e-12
"""A figure of floating point keeps its limit if it misses it by less."""


class Diversity(StrEnum):
    """What diverse means."""

    DISTINCT = "distinct"
    ENTROPY = "entropy"
    RECURSIVE = "recursive"


DIVERSITY_WORDS = {
    Diversity.DISTINCT: Said("diversity|distinct"),
    Diversity.ENTROPY: Said("diversity|entropy"),
    Diversity.RECURSIVE: Said("diversity|recursive"),
}


def count_distinct(table: CrossTable) -> NDArray[np.int64]:
    """Return for each class how many different values it has."""
    return np.diff(table.starts)


def compute_entropy_diversity(table: CrossTable) -> NDArray[np.float64]:
    """Return for each class exp(H), H being the entropy of its values."""
    count = table.count.astype(np.float64)
    spread = np.log(table.sizes) - table.sum_by_class(count * np.log(count)) / table.sizes
    return np.exp(np.maximum(spread, 0.0))  # one value has no entropy, whatever the rounding


def compute_recursive_ratio(table: CrossTable, level: int) -> NDArray[np.float64]:
    """Return for each class r1 / (rl + … + rm): (c, l)-diversity asks for less than c; infinite where m < l."""
    if level < 1:
        raise ParameterError("level", Said("be at least 1"), level)
    order = np.lexsort((-table.count, table.owner))
    count = table.count[order]
    place = np.arange(len(count)) - table.starts[:-1][table.owner]
    tail = table.sum_by_class(np.where(place >= level - 1, count, 0).astype(np.float64))
    with np.errstate(divide="ignore"):
        return count[table.starts[:-1]] / tail


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
@renamed(least="l")
class LDiversity:
    """Every class of equal keys has l well-represented sensitive values.

    Source: Machanavajjhala and others, ACM TKDD 1 (1), 2007.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    covers: ClassVar[Coverage] = Coverage.SECRET

    l: float = field(
        default=2.0, metadata={"help": "l, the least diversity of a class; of recursive a whole number.", "recipe": "l"}
    )
    kind: Diversity = field(
        default=Diversity.DISTINCT,
        metadata={"help": "distinct, entropy or recursive.", "recipe": "l_kind", "detail": True},
    )
    c: float = field(
        default=3.0,
        metadata={"help": "Of recursive: how often the tail the first value may stand.", "recipe": "c", "detail": True},
    )
    keys: tuple[str, ...] = field(default=(), metadata={"help": KEYS_HELP})
    sensitive: str = field(default="", metadata={"help": SENSITIVE_HELP})

    def __post_init__(self) -> None:
        if not 1 < self.l < np.inf:
            raise ParameterError("l", Said("be above 1: every class has one value"), self.l)
        if self.kind is Diversity.RECURSIVE and not float(self.l).is_integer():
            raise ParameterError("l", Said("be a whole number for recursive diversity"), self.l)
        if not 0 < self.c < np.inf:
            raise ParameterError("c", Said("be above 0"), self.c)

    def find_broken(self, release: Release) -> NDArray[np.bool_]:
        """Return which rows of a release, deleted ones not, stand in a class that is not diverse enough."""
        published = read_classes(release, self.keys, self.sensitive)
        known = published.count_known()
        table = known.table
        broken = np.zeros(len(table.sizes) + known.unknown, dtype=np.bool_)
        if self.kind is Diversity.RECURSIVE:
            broken[known.classes] = compute_recursive_ratio(table, int(self.l)) >= self.c
        else:
            diversity = count_distinct(table) if self.kind is Diversity.DISTINCT else compute_entropy_diversity(table)
            broken[known.classes] = diversity < self.l - SLACK
        rows = np.zeros(len(release.deleted), dtype=np.bool_)
        rows[~release.deleted] = broken[published.classes]
        return rows

    def check(self, release: Release) -> Finding:
        """Return whether every class is diverse enough, and the least diverse."""
        published = read_classes(release, self.keys, self.sensitive)
        known = published.count_known()
        table = known.table
        if not len(table.sizes):
            return published.find_nothing(self.c if self.kind is Diversity.RECURSIVE else self.l)
        if self.kind is Diversity.RECURSIVE:
            ratio = compute_recursive_ratio(table, int(self.l))
            worst = int(ratio.argmax())
            words = tell_recursive_ratio(float(ratio[worst]), int(self.l), self.c)
            return published.find(
                int(known.classes[worst]),
                kept=bool(ratio[worst] < self.c),
                figure=float(ratio[worst]),
                wanted=self.c,
                words=add_unknown_classes(words, known.unknown),
            )
        found = count_distinct(table) if self.kind is Diversity.DISTINCT else compute_entropy_diversity(table)
        worst = int(found.argmin())
        words = tell_least_diversity(self.kind, float(found[worst]), self.l)
        return published.find(
            int(known.classes[worst]),
            kept=bool(found[worst] >= self.l - SLACK),
            figure=float(found[worst]),
            wanted=self.l,
            words=add_unknown_classes(words, known.unknown),
        )


def tell_least_diversity(kind: Diversity, least: float, wanted: float) -> str:
    """Return the finding in words: the diversity of the least diverse class, and that asked for."""
    return Said(
        "the least diverse class has {kind} diversity {least:.4g}, {wanted:g} is asked for",
        kind=DIVERSITY_WORDS[kind],
        least=least,
        wanted=wanted,
    )


def tell_recursive_ratio(ratio: float, least: int, c: float) -> str:
    """Return the finding in words: how often the first value stands beside the rarer ones, and what is asked for."""
    return Said(
        "the first value stands {ratio:.4g} times as often as those from the {least}. on in the "
        "worst class; less than {c:g} is asked for",
        ratio=ratio,
        least=least,
        c=c,
    )
