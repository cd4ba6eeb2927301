"""Households: who is found because he lives with others, and what is left once rows of a household can be linked.

Against whom: one who knows the keys of all members of a household. Let f be the size of a class of equal keys, and a
the members that the household has in it. Two situations:

- Rows of a household cannot be linked. In each class he names as many rows as the household has members there; the
  household is *found* if one of them belongs to it, with the chance

      1 - product over classes of C(f - a, a) / C(f, a).

  His best single claim is right with the largest a / f. The usual product 1 - product over members of (1 - 1/f), which
  takes members for independent, is the case a = 1 and otherwise too low: a couple that is a class of two is found for
  sure, and not with 3/4.
- Rows of a household can be linked, by its number, by their order or by columns that its members share. Then the
  *pattern* counts, the multiset of its members' classes: k is the least number of households with one pattern, and a
  person has k times (members of his household who are like him) candidates. Every class may have two people and every
  pattern be unique.

Source: sdcMicro, documentation of ``measure_risk`` (the product); docs/proofs/households.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.safety.records.classes import ColumnCodes, count_classes, pack_codes, rank_dense
from sekisho.words import Said

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HouseholdRisk:
    """What is known of the households of a file; arrays have one entry a household, in the order of their numbers.

    Attributes:
        found: the chance that somebody who knows all members names one of their rows rightly, rows not linked.
        claims: the chance of the best single claim.
        independent: the usual product, members taken for independent.
        alike: how many households have the same pattern, itself included.
        patterns: how many different patterns there are.
        candidates: where rows are linked, the fewest rows that a person may be.
        worst: the highest chance to be found, exactly.
    """

    found: NDArray[np.float64]
    claims: NDArray[np.float64]
    independent: NDArray[np.float64]
    alike: Counts
    patterns: int
    candidates: int
    worst: Fraction

    @property
    def households(self) -> int:
        """How many there are."""
        return len(self.alike)

    @property
    def k(self) -> int:
        """The fewest households with one pattern."""
        return int(self.alike.min())

    @property
    def understated(self) -> int:
        """How many households the product says too little of."""
        return int((self.found > self.independent + 1e-12).sum())

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return {
            "households": self.households,
            "k": self.k,
            "found": float(self.found.max()),
            "found_exact": str(self.worst),
            "best_claim": float(self.claims.max()),
            "independent": float(self.independent.max()),
            "patterns": self.patterns,
            "alone": int((self.alike == 1).sum()),
            "expected_found": float(self.found.sum()),
            "expected_independent": float(self.independent.sum()),
            "understated": self.understated,
            "person_candidates": self.candidates,
        }


def check_members(household: ColumnCodes) -> None:
    """Refuse records that belong to no household.

    Raises:
        ParameterError: there are some; it tells how many.
    """
    if household.missing.any():
        rule = Said("be said of every record: who lives alone has a household of his own")
        raise ParameterError("household", rule, int(household.missing.sum()))


def assess_households(household: ColumnCodes, classes: Counts) -> HouseholdRisk:
    """Return what is known of the households.

    Args:
        household: of each record whose household it belongs to.
        classes: of each record its class of equal keys, numbered from 0.

    Raises:
        ParameterError: a record belongs to no household.
    """
    check_members(household)
    homes = rank_dense(household.codes)
    kinds = int(classes.max()) + 1
    pairs, members = np.unique(homes * kinds + classes, return_counts=True)
    owner, kind = np.divmod(pairs, kinds)
    sizes = count_classes(classes)[kind]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    patterns = number_patterns(homes, classes)
    alike = count_classes(patterns)[patterns]
    missed = np.multiply.reduceat(_miss(sizes, members), starts)
    apart = np.multiply.reduceat((1 - 1 / sizes) ** members, starts)
    found = 1 - missed
    top = int(np.argmax(found))
    chosen = owner == top
    return HouseholdRisk(
        found=found,
        claims=np.maximum.reduceat(members / sizes, starts),
        independent=1 - apart,
        alike=alike,
        patterns=int(patterns.max()) + 1,
        candidates=int((alike[owner] * members).min()),
        worst=compute_found(dict(enumerate(zip(sizes[chosen].tolist(), members[chosen].tolist(), strict=True)))),
    )


def compute_found(members: Mapping[object, tuple[int, int]]) -> Fraction:
    """Return the chance that a household is found, exactly: of each class its size and how many members it has."""
    missed = Fraction(1)
    for size, own in members.values():
        missed *= Fraction(comb(size - own, own), comb(size, own))
    return 1 - missed


def count_homes(homes: Counts, classes: Counts) -> int:
    """Return the fewest different households of a class.

    Args:
        homes: of each record its household.
        classes: of each record its class.
    """
    pairs = np.unique(np.stack([classes, homes]), axis=1)[0]
    return int(np.unique(pairs, return_counts=True)[1].min())


def count_home_values(homes: Counts, classes: Counts, values: Counts) -> int:
    """Return the fewest different multisets of a value that the households of a class have in it.

    Args:
        homes: of each record its household.
        classes: of each record its class.
        values: of each record its value.
    """
    kinds = rank_dense(values)
    columns = [(rank_dense(numbers), int(numbers.max()) + 1) for numbers in (classes, homes)]
    parts = pack_codes(columns, len(classes))
    patterns = number_patterns(rank_dense(parts), kinds)
    first = np.unique(parts, return_index=True)[1]
    pairs = np.unique(np.stack([classes[first], patterns]), axis=1)[0]
    return int(np.unique(pairs, return_counts=True)[1].min())


def _miss(sizes: Counts, members: Counts) -> NDArray[np.float64]:
    """Return C(f - a, a) / C(f, a) = product over i below a of (f - a - i) / (f - i)."""
    missed = np.where(2 * members > sizes, 0.0, 1.0)
    for step in range(int(members[missed > 0].max(initial=0))):
        live = np.flatnonzero((missed > 0) & (members > step))
        missed[live] *= (sizes[live] - members[live] - step) / (sizes[live] - step)
    return missed


def number_patterns(homes: Counts, classes: Counts) -> Counts:
    """Return for each household a number, 0 and up: two have the same one if their members are in the same classes.

    Args:
        homes: of each record its household, numbered from 0, all numbers used.
        classes: of each record its class.
    """
    order = np.lexsort((classes, homes))
    sorted_classes, sizes = classes[order], np.bincount(homes)
    starts = np.cumsum(sizes) - sizes
    patterns, seen = np.empty(len(sizes), dtype=np.int64), 0
    for size in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == size)
        table = sorted_classes[starts[chosen][:, None] + np.arange(size)]
        ranks = rank_dense(
            pack_codes([(table[:, place], int(classes.max()) + 1) for place in range(size)], len(chosen))
        )
        patterns[chosen] = ranks + seen
        seen += int(ranks.max()) + 1
    return patterns
