"""Special uniques beyond memory (SUDA2): whom few columns are enough to single out, set of keys by set of keys.

For every set of keys, the smaller ones first, an engine counts the classes of one record. Of those records the ones
that no part of the set singles out already have a minimal sample unique; they are kept by the engine. In the end the
scores are added up record by record, by the engine as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.large.names import file_column
from sekisho.data.large.session import Frame
from sekisho.safety.records.large.class_counts import ClassCounts
from sekisho.safety.records.large.packed_keys import Ranges, pack_keys
from sekisho.safety.records.large.records import COUNT, ROW, LargeRecords
from sekisho.safety.records.uniques.set_choice import settle_largest
from sekisho.safety.records.uniques.suda_scores import (
    STAND_OUTS,
    StandOut,
    compute_dis,
    compute_dis_scores,
    list_weights,
    share_scores,
)

BITS, SCORE, MINIMAL = "sekisho set", "sekisho score", "sekisho minimal"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeSpecial:
    """Who is unique on which keys, as counts.

    Attributes:
        keys: how many there are.
        largest: the largest set that was looked at.
        sets: every set of keys, ascending by size; by their positions.
        uniques: how many records are unique on each set.
        alone: how many records are unique on all keys.
        pairs: how many classes of two there are.
        minimal_sets: sets on which minimal sample uniques stand, as bits.
        minimal_counts: how many stand on each.
        scores: that records have.
        score_counts: how many unique records have each.
        stand_outs: the records with the highest scores, highest first.
    """

    keys: int
    largest: int
    sets: tuple[tuple[int, ...], ...]
    uniques: tuple[int, ...]
    alone: int
    pairs: int
    minimal_sets: NDArray[np.int64]
    minimal_counts: NDArray[np.int64]
    scores: NDArray[np.float64]
    score_counts: NDArray[np.int64]
    stand_outs: tuple[StandOut, ...]

    def count_minimal(self) -> tuple[int, ...]:
        """Return how many minimal sample uniques have one key, two keys, and so on."""
        sizes = np.bitwise_count(self.minimal_sets)
        return tuple(int(self.minimal_counts[sizes == size].sum()) for size in range(1, self.largest + 1))

    def find_highest_score(self) -> float:
        """Return the highest score of a record."""
        return float(self.scores.max(initial=0.0))

    def compute_contributions(self) -> NDArray[np.float64]:
        """Return for each key the share of all scores that comes from sets with it."""
        return share_scores(self.keys, self.largest, self.minimal_sets, self.minimal_counts)

    def compute_dis(self, fraction: float) -> float:
        """Return the chance that a match with a sample unique is right, at a sampling fraction."""
        return compute_dis(self.alone, self.pairs, fraction)

    def find_highest_dis_score(self, fraction: float) -> float:
        """Return the highest DIS-SUDA score of a record."""
        scores = compute_dis_scores(
            self.scores, self.score_counts.astype(np.float64), self.keys, self.compute_dis(fraction)
        )
        return float(scores.max(initial=0.0))


def find_large_special(
    records: LargeRecords, counts: ClassCounts, ranges: Ranges, *, largest: int | None = None
) -> LargeSpecial:
    """Return who is unique on which sets of keys.

    Args:
        records: among whom somebody is unique.
        counts: of the classes of all keys.
        ranges: of keys that are whole numbers.
        largest: how many keys the largest set has; None: all.

    Raises:
        ParameterError: there are more than 30 keys, or the largest set has more keys than there are.
    """
    keys = len(records.keys)
    most = settle_largest(keys, largest)
    sets = tuple(chosen for size in range(1, most + 1) for chosen in combinations(range(keys), size))
    search = _Search(records, ranges)
    uniques = tuple(search.visit(chosen) for chosen in sets)
    bits = np.array(list(search.minimal), dtype=np.int64)
    minimal = np.array([kept.rows for kept in search.minimal.values()], dtype=np.int64)
    scores, score_counts = search.count_scores(list_weights(keys, most), counts.count(1))
    return LargeSpecial(
        keys=keys,
        largest=most,
        sets=sets,
        uniques=uniques,
        alone=counts.count(1),
        pairs=counts.count(2),
        minimal_sets=bits,
        minimal_counts=minimal,
        scores=scores,
        score_counts=score_counts,
        stand_outs=search.list_stand_outs(list_weights(keys, most), STAND_OUTS),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """Rows that the engine keeps, by a name, and how many they are."""

    name: str
    frame: Frame
    rows: int


class _Search:
    """The walk over the sets; of each with minimal sample uniques, their rows."""

    def __init__(self, records: LargeRecords, ranges: Ranges) -> None:
        self.records, self.ranges = records, ranges
        self.session = records.scan.session
        self.minimal: dict[int, _Kept] = {}

    def visit(self, chosen: Sequence[int]) -> int:
        """Return how many records a set of keys singles out; keep those that no part of it does."""
        names = [self.records.keys[key] for key in chosen]
        bits = sum(1 << key for key in chosen)
        packed = pack_keys(self.records.frame, names, self.ranges, beside=[ROW])
        classes = packed.frame.group_by(*packed.names).agg(nw.len().alias(COUNT), nw.col(ROW).min().alias(ROW))
        alone = fresh = self._keep(classes.filter(nw.col(COUNT) == 1).select(ROW), bits, "alone")
        parts = [kept.frame.select(ROW) for part, kept in self.minimal.items() if not part & ~bits]
        if alone.rows and parts:
            fresh = self._keep(alone.frame.select(ROW).join(nw.concat(parts), on=ROW, how="anti"), bits, "minimal")
            self.session.drop(alone.name)
        if fresh.rows:
            self.minimal[bits] = fresh
        else:
            self.session.drop(fresh.name)
        return alone.rows

    def _keep(self, rows: Frame, bits: int, word: str) -> _Kept:
        name = f"{word}-{bits}"
        frame = self.session.keep(rows.select(nw.col(ROW), nw.lit(bits, nw.Int64).alias(BITS)), name)
        return _Kept(name, frame, int(self.session.collect(frame.select(nw.len().alias(COUNT)))[COUNT][0]))

    def count_scores(self, weights: NDArray[np.float64], alone: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the scores of unique records, and how many have each; 0 is theirs whom no set singles out."""
        if not self.minimal:
            return np.zeros(min(alone, 1)), np.full(min(alone, 1), alone, dtype=np.int64)
        found = self.records.ask(self._score(weights).group_by(SCORE).agg(nw.len().alias(COUNT))).sort(SCORE)
        scores, count = found[SCORE].to_numpy().astype(np.float64), found[COUNT].to_numpy().astype(np.int64)
        rest = alone - int(count.sum())
        return (np.append(scores, 0.0), np.append(count, rest)) if rest else (scores, count)

    def _score(self, weights: NDArray[np.float64]) -> Frame:
        """Return every record with a minimal sample unique: its score, and how many it has."""
        by_set = pl.DataFrame(
            {BITS: list(self.minimal), SCORE: [float(weights[bits.bit_count()]) for bits in self.minimal]},
            schema={BITS: pl.Int64, SCORE: pl.Float64},
        )
        rows = self._scan_minimal().join(self.session.take(by_set), on=BITS)
        return rows.group_by(ROW).agg(nw.col(SCORE).sum().alias(SCORE), nw.len().alias(MINIMAL))

    def _scan_minimal(self) -> Frame:
        return nw.concat([kept.frame for kept in self.minimal.values()])

    def list_stand_outs(self, weights: NDArray[np.float64], count: int) -> tuple[StandOut, ...]:
        """Return the records with the highest scores, highest first, each with a smallest set that singles it out."""
        if not self.minimal:
            return ()
        top = self._score(weights).sort(SCORE, ROW, descending=[True, False]).head(count)
        scored = self.records.ask(top).sort(SCORE, ROW, descending=[True, False])
        rows = scored[ROW].to_list()
        sets = self.records.ask(self._scan_minimal().filter(nw.col(ROW).is_in(rows)))
        cells = self.records.ask(
            self.records.frame.filter(nw.col(ROW).is_in(rows)).select(ROW, *map(file_column, self.records.keys))
        )
        texts = {name: self.records.scan.show(cells[name]).to_list() for name in self.records.keys}
        place = {row: at for at, row in enumerate(cells[ROW].to_list())}
        stand_outs = list[StandOut]()
        for row, score, minimal in scored.select(ROW, SCORE, MINIMAL).iter_rows():
            own = sets.filter(pl.col(ROW) == row)[BITS].to_list()
            bits = min(own, key=lambda each: (each.bit_count(), each))
            names = tuple(name for key, name in enumerate(self.records.keys) if bits >> key & 1)
            values = tuple(texts[name][place[row]] for name in names)
            stand_outs.append(StandOut(row=row, score=score, minimal=minimal, columns=names, values=values))
        return tuple(stand_outs)
