"""Special uniques: whom few columns are enough to single out (SUDA2), and which columns do it.

Against whom: one who knows only some of a person's keys. A minimal sample unique of a record is a set of keys on which
no other record has the same values, and no part of which does that. The fewer keys it has, and the more such sets a
record has, the likelier it stands out in the population too.

- score of a record: sum over its minimal sample uniques of the product of (A - i) for i = s … min(M, A - 1): A keys, s
  of them in the set, sets of at most M keys looked at. With M = A that is the sum of (A - s)!.
- contribution of a key: the share of the scores that comes from sets with the key.
- DIS: the chance that a match with a sample unique is right, d U / (d U + (1 - d) 2 P): U uniques, P pairs of equal
  records, d the sampling fraction (Skinner and Elliot).
- DIS-SUDA: DIS shared out by the scores, 1 / (1 + (U / DIS - U) / (score^Q sum of 1 / score^Q)), Q = 1 + (8 - A) / 20.

Scores order records; they are no chances. (sdcMicro 5.7 counts too few uniques for DIS: those whose hash another
record shares are left out. Its scores are the same as these.)

Source: Elliot, Manning, Mayes, Gurd, Bane, "SUDA: a program for detecting special uniques", UNECE work session on
statistical data confidentiality, Geneva 2005, sections 2 and 3; Skinner, Elliot, "A measure of disclosure risk for
microdata", JRSS B 64 (4), 2002, section 3.

Sets of keys are looked at up to a size, so that they are not too many; the formulas of the scores need only counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.safety.records.classes import ColumnCodes, add_weights, count_classes, number_classes
from sekisho.safety.records.uniques.lattice import walk_sets
from sekisho.words import Said

MOST_KEYS = 30
MOST_SETS = 5000
"""So many sets of keys are looked at where nothing else is asked for."""


def choose_largest(keys: int) -> int:
    """Return the largest size of sets such that not too many are looked at."""
    total, size = 0, 0
    while size < keys and (size < 1 or total + comb(keys, size + 1) <= MOST_SETS):
        size += 1
        total += comb(keys, size)
    return size


def settle_largest(keys: int, largest: int | None) -> int:
    """Return the largest size of sets that are looked at: as asked for, else such that they are not too many.

    Raises:
        ParameterError: there is no key, or more than 30, or a set is to have more keys than there are.
    """
    if not 1 <= keys <= MOST_KEYS:
        raise ParameterError("keys", Said("be 1 to {most_keys}", most_keys=MOST_KEYS), keys)
    most = choose_largest(keys) if largest is None else largest
    if not 1 <= most <= keys:
        raise ParameterError(Said("largest set"), Said("have 1 to {keys} keys", keys=keys), most)
    return most


STAND_OUTS = 20
"""So many records that stand out are told of one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandOut:
    """A record that stands out.

    Attributes:
        row: in the file, from 0.
        score: how much.
        minimal: how many sets of keys single it out, none of them a part of another.
        columns: the smallest of these sets.
        values: what the record has there; None is missing.
    """

    row: int
    score: float
    minimal: int
    columns: tuple[str, ...]
    values: tuple[str | None, ...]


def list_weights(keys: int, largest: int) -> NDArray[np.float64]:
    """Return by the size of a set, from 0, what a minimal sample unique on it adds to its record's score."""
    last = min(largest, keys - 1)
    factors = [np.prod([keys - i for i in range(size, last + 1)], dtype=np.float64) for size in range(keys + 1)]
    return np.array(factors)


def share_scores(keys: int, largest: int, sets: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each key the share of all scores that comes from sets with it.

    Args:
        keys: how many there are.
        largest: the largest set that was looked at.
        sets: as bits.
        count: how many minimal sample uniques stand on each set.
    """
    weights = list_weights(keys, largest)[np.bitwise_count(sets)] * count
    parts = [weights[(sets >> key) & 1 == 1].sum() for key in range(keys)]
    return np.array(parts) / max(float(weights.sum()), 1e-300)


def compute_dis(alone: int, pairs: int, fraction: float) -> float:
    """Return the chance that a match with a sample unique is right, at a sampling fraction.

    Args:
        alone: how many records are unique.
        pairs: how many classes of two there are.
        fraction: of the population that is in the sample.
    """
    if not 0 < fraction <= 1:
        raise ParameterError("fraction", Said("be above 0 and at most 1"), fraction)
    sampled = fraction * alone
    return sampled / (sampled + (1 - fraction) * 2 * pairs) if sampled else 0.0


def compute_dis_scores(
    scores: NDArray[np.float64], count: NDArray[np.float64], keys: int, dis: float
) -> NDArray[np.float64]:
    """Return the DIS-SUDA score of each score; 0 where no set of those looked at singles a record out.

    Args:
        scores: of unique records.
        count: how many records have each of them.
        keys: how many there are.
        dis: the chance that a match with a unique is right.
    """
    power = np.where(scores > 0, scores, 1.0) ** (1.0 + (8.0 - keys) / 20.0)
    adjust = float((count / power)[scores > 0].sum())
    if not adjust:
        return np.zeros(len(scores))
    alone = float(count.sum())
    return np.where(scores > 0, 1.0 / (1.0 + (alone / dis - alone) / (power * adjust)), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpecialUniques:
    """Who is unique on which keys.

    Attributes:
        keys: how many there are.
        largest: the largest set that was looked at.
        sets: every set of keys, ascending by size; by their positions.
        uniques: how many records are unique on each set.
        rows: the records that are unique on all keys, ascending, from 0.
        minimal_rows: of each minimal sample unique the record, ascending.
        minimal_sets: of each its set, as bits.
        pairs: how many classes of two there are.
    """

    keys: int
    largest: int
    sets: tuple[tuple[int, ...], ...]
    uniques: tuple[int, ...]
    rows: NDArray[np.int64]
    minimal_rows: NDArray[np.int64]
    minimal_sets: NDArray[np.int64]
    pairs: int

    @property
    def alone(self) -> int:
        """How many records are unique on all keys."""
        return len(self.rows)

    def count_minimal(self) -> tuple[int, ...]:
        """Return how many minimal sample uniques have one key, two keys, and so on."""
        return tuple(np.bincount(self.sizes, minlength=self.largest + 1)[1:].tolist())

    def find_highest_score(self) -> float:
        """Return the highest score of a record."""
        return float(self.compute_scores().max(initial=0.0))

    def find_highest_dis_score(self, fraction: float) -> float:
        """Return the highest DIS-SUDA score of a record."""
        return float(self.compute_dis_scores(fraction).max(initial=0.0))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many keys each minimal sample unique has."""
        return np.bitwise_count(self.minimal_sets).astype(np.int64)

    @property
    def places(self) -> NDArray[np.int64]:
        """Of each minimal sample unique its record's place in ``rows``."""
        return np.searchsorted(self.rows, self.minimal_rows)

    def compute_scores(self) -> NDArray[np.float64]:
        """Return the score of each record in ``rows``."""
        return add_weights(self.places, list_weights(self.keys, self.largest)[self.sizes], len(self.rows))

    def compute_contributions(self) -> NDArray[np.float64]:
        """Return for each key the share of all scores that comes from sets with it.

        The shares add up to more than 1.
        """
        return share_scores(self.keys, self.largest, *np.unique(self.minimal_sets, return_counts=True))

    def compute_dis(self, fraction: float) -> float:
        """Return the chance that a match with a sample unique is right, at a sampling fraction."""
        return compute_dis(len(self.rows), self.pairs, fraction)

    def compute_dis_scores(self, fraction: float) -> NDArray[np.float64]:
        """Return the DIS-SUDA score of each record in ``rows``; 0 where no set of those looked at singles it out."""
        scores = self.compute_scores()
        return compute_dis_scores(scores, np.ones(len(scores)), self.keys, self.compute_dis(fraction))

    def list_stand_outs(
        self, keys: Mapping[str, ColumnCodes], *, count: int, rows: NDArray[np.int64] | None = None
    ) -> tuple[StandOut, ...]:
        """Return the records with the highest scores, highest first.

        Args:
            keys: by name.
            count: how many at most.
            rows: where each record stands in its file; one after the other if not said.
        """
        scores, columns = self.compute_scores(), tuple(keys.items())
        stand_outs = list[StandOut]()
        for place in np.lexsort((self.rows, -scores))[:count].tolist():
            row = int(self.rows[place])
            first, last = np.searchsorted(self.minimal_rows, [row, row + 1]).tolist()
            if first == last:  # no set that was looked at singles it out
                continue
            bits = int(self.minimal_sets[first])
            chosen = [column for key, column in enumerate(columns) if bits >> key & 1]
            stand_outs.append(
                StandOut(
                    row=row if rows is None else int(rows[row]),
                    score=float(scores[place]),
                    minimal=last - first,
                    columns=tuple(name for name, _ in chosen),
                    values=tuple(column.values[int(column.codes[row])] for _, column in chosen),
                )
            )
        return tuple(stand_outs)


def find_special_uniques(
    columns: Sequence[ColumnCodes], *, largest: int | None = None, classes: NDArray[np.int64] | None = None
) -> SpecialUniques:
    """Return who is unique on which sets of keys.

    Args:
        columns: the keys.
        largest: the largest set to look at; if not given, such that at most some thousand are.
        classes: of each record its class by all keys, where that is known already.

    Raises:
        ParameterError: there is no key, or more than 30.
    """
    keys = len(columns)
    most = settle_largest(keys, largest)
    rows = len(columns[0])
    number = number_classes(columns, rows) if classes is None else classes
    count, first = count_classes(number), np.zeros(rows, dtype=np.int64)
    first[number[::-1]] = np.arange(rows)[::-1]  # the last to be written is the first of its class
    first = first[: len(count)]
    # keys of few values come first: sets with those of many are visited last, with classes split small at once
    order = sorted(range(keys), key=lambda key: len(columns[key].values))
    codes = np.stack([columns[key].codes[first] for key in order]).astype(np.int32)
    walk = walk_sets(
        codes,
        count == 1,
        max(len(column.values) for column in columns),
        most,
        sum(comb(keys, size) for size in range(1, most + 1)),
    )
    by_set = {
        _reorder(bits, order): unique for bits, unique in zip(walk.sets.tolist(), walk.uniques.tolist(), strict=True)
    }
    sets = tuple(chosen for size in range(1, most + 1) for chosen in combinations(range(keys), size))
    minimal = np.zeros(len(walk.minimal), dtype=np.int64)
    for place, key in enumerate(order):
        minimal |= ((walk.minimal.astype(np.int64) >> place) & 1) << key
    owners = first[walk.records]
    sorting = np.lexsort((minimal, np.bitwise_count(minimal), owners))
    return SpecialUniques(
        keys=keys,
        largest=most,
        sets=sets,
        uniques=tuple(by_set[sum(1 << key for key in chosen)] for chosen in sets),
        rows=np.sort(first[count == 1]),
        minimal_rows=owners[sorting],
        minimal_sets=minimal[sorting],
        pairs=int((count == 2).sum()),
    )


def _reorder(bits: int, order: Sequence[int]) -> int:
    return sum(1 << key for place, key in enumerate(order) if bits >> place & 1)
