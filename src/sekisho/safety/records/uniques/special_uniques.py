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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from sekisho.safety.records.classes import ColumnCodes, add_weights, count_classes, number_classes
from sekisho.safety.records.uniques.lattice import walk_sets
from sekisho.safety.records.uniques.set_choice import settle_largest
from sekisho.safety.records.uniques.suda_scores import (
    StandOut,
    compute_dis,
    compute_dis_scores,
    list_weights,
    share_scores,
)


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
