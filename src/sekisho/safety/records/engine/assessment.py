"""Records of an engine, counted for a question about risk: the engine counts, the question does not know.

What is known of each key at a glance: how many cells are missing, how many values it has, and what is odd about it.

Values are counted exactly only where a number is asked for, or where their range does not settle that they are few.

Special uniques beyond memory (SUDA2): whom few columns are enough to single out, set of keys by set of keys.

For every set of keys, the smaller ones first, an engine counts the classes of one record. Of those records the ones
that no part of the set singles out already have a minimal sample unique; they are kept by the engine. In the end the
scores are added up record by record, by the engine as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from math import prod

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.engines.names import file_column, list_kinds
from sekisho.data.engines.session import Frame
from sekisho.errors import ParameterError
from sekisho.safety.records.assessment import RiskQuestion
from sekisho.safety.records.engine.class_counts import (
    WHOLE,
    ClassCounts,
    KeyRange,
    LargePopulation,
    Ranges,
    assess_individuals,
    count_class_sizes,
    match_large_population,
    pack_keys,
)
from sekisho.safety.records.engine.records import COUNT, ROW, WEIGHT, EngineRecords
from sekisho.safety.records.engine.sensitive import assess_large_sensitive
from sekisho.safety.records.key_choice import FEWEST, NEARLY_ALL, Oddity, Remark
from sekisho.safety.records.record_risk import RiskCounts, settle_people
from sekisho.safety.records.uniques.set_choice import settle_largest
from sekisho.safety.records.uniques.suda_scores import (
    STAND_OUTS,
    StandOut,
    compute_dis,
    compute_dis_scores,
    list_weights,
    share_scores,
)
from sekisho.words import Said

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
    records: EngineRecords, counts: ClassCounts, ranges: Ranges, *, largest: int | None = None
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

    def __init__(self, records: EngineRecords, ranges: Ranges) -> None:
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


PROBED = 1000
"""So many records show, usually, that a key has several values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySurvey:
    """What is known of the keys.

    Attributes:
        rows: how many records there are.
        missing: by key, how many cells are missing.
        values: by key, how many different values there are, missing being one; None where they were not counted.
        remarks: what is odd.
        ranges: of keys that are whole numbers.
    """

    rows: int
    missing: dict[str, int]
    values: dict[str, int | None]
    remarks: tuple[Remark, ...]
    ranges: dict[str, KeyRange]


def survey_keys(records: EngineRecords, *, count_values: bool) -> KeySurvey:
    """Return what is known of the keys; ``count_values`` counts the values of every key."""
    names, kinds = records.keys, list_kinds(records.frame)
    ranged = [name for name in names if kinds[name] in WHOLE or kinds[name] == nw.Date]
    questions = [file_column(name).count().alias(f"filled {place}") for place, name in enumerate(names)]
    questions += [file_column(name).min().alias(f"low {place}") for place, name in enumerate(ranged)]
    questions += [file_column(name).max().alias(f"high {place}") for place, name in enumerate(ranged)]
    found = records.ask(records.frame.select(nw.len().alias(COUNT), *questions)).row(0, named=True)
    rows = int(found[COUNT])
    missing = {name: rows - int(found[f"filled {place}"]) for place, name in enumerate(names)}
    ends = {name: (found[f"low {place}"], found[f"high {place}"]) for place, name in enumerate(ranged)}
    few = set[str]() if count_values else _find_few(records, rows, ends)
    values = {name: None if name in few else _count_values(records, name) for name in names}
    remarks = [_find_remark(name, rows, missing[name], values[name]) for name in names]
    return KeySurvey(
        rows=rows,
        missing=missing,
        values=values,
        remarks=tuple(remark for remark in remarks if remark is not None),
        ranges={
            name: KeyRange(*ends[name], missing[name] > 0)
            for name in ranged
            if kinds[name] in WHOLE and missing[name] < rows
        },
    )


def _find_few(records: EngineRecords, rows: int, ends: Mapping[str, tuple[object, object]]) -> set[str]:
    """Return the keys that have several values, but far fewer than there are records: by their ranges."""
    if not ends:
        return set()
    first = records.ask(records.frame.select(*map(file_column, ends)).head(PROBED))
    several = [name for name in ends if first[name].n_unique() > 1]
    return {name for name in several if _count_range(*ends[name]) + 1 < NEARLY_ALL * rows or rows < FEWEST}


def _count_range(low: object, high: object) -> int:
    if isinstance(low, date) and isinstance(high, date):
        return (high - low).days + 1
    return high - low + 1 if isinstance(low, int) and isinstance(high, int) else 0


def _count_values(records: EngineRecords, name: str) -> int:
    return int(records.ask(records.group(name).select(nw.len().alias(COUNT)))[COUNT][0])


def _find_remark(name: str, rows: int, missing: int, values: int | None) -> Remark | None:
    if values == 1:
        return Remark(column=name, oddity=Oddity.MISSING if missing == rows else Oddity.CONSTANT, values=values)
    if values is not None and rows >= FEWEST and values >= NEARLY_ALL * rows:
        return Remark(column=name, oddity=Oddity.IDENTIFIER, values=values)
    return None


@dataclass(frozen=True, slots=True)
class EngineCounts:
    """Records of an engine that a question about risk may be asked of."""

    records: EngineRecords

    def count(self, question: RiskQuestion) -> RiskCounts:
        """Return what a question needs to know of the records.

        Raises:
            ParameterError: missing cells are to match everything, for which all records would have to be compared, or
                a question does not fit the data.
        """
        if question.missing_matches:
            raise ParameterError(
                "missing_matches", Said("not be asked for beyond memory: every two records would be compared"), True
            )
        records = self.records
        population = match_large_population(records)
        weighed = bool(records.choice.weights) or records.people is not None or population is not None
        survey = survey_keys(records, count_values=weighed)
        counts = count_class_sizes(records, survey.ranges)
        people = settle_people(_find_people(records, population), survey.rows)
        special = None
        if question.special:
            special = find_large_special(records, counts, survey.ranges, largest=question.largest)
        return RiskCounts(
            rows=survey.rows,
            keys=records.keys,
            classes=(counts.sizes, counts.classes),
            sizes=counts.sizes,
            counts=counts.records,
            missing=survey.missing,
            combinations=float(prod(float(values or 1) for values in survey.values.values())),
            people=people,
            sensitive=tuple(assess_large_sensitive(records, question, name) for name in records.choice.sensitive),
            individual=assess_individuals(records, counts, question.limit),
            population=population,
            special=special,
            remarks=survey.remarks,
            stand_outs=() if special is None else special.stand_outs,
        )


def _find_people(records: EngineRecords, population: LargePopulation | None) -> int | None:
    """Return how many people there are: as said, as a population file has, or as the weights add up to."""
    if population is not None:
        return population.people
    if records.people is not None or not records.choice.weights:
        return records.people
    return round(float(records.ask(records.frame.select(nw.col(WEIGHT).sum().alias(WEIGHT)))[WEIGHT][0]))
