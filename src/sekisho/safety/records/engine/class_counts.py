"""How many classes there are of each size, alone, with weights, and beside those of a population.

Keys that are whole numbers share a word where their ranges allow it: an engine groups by one column for several.

Two records have the same words exactly if they have the same keys, so classes and their sizes are the same. A missing
cell is a value of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.engines.names import file_column, list_plain
from sekisho.data.engines.session import Frame
from sekisho.errors import LISTED, Fault, FaultsError
from sekisho.safety.records.engine.records import COUNT, ROW, WEIGHT, EngineRecords
from sekisho.safety.records.record_risk import IndividualRisk, Matches
from sekisho.safety.records.reidentification import compute_individual_risk
from sekisho.words import Said

WORD = "sekisho_word"
LARGEST = 1 << 62
"""A word has so many values at most: it is a 64-bit number with a sign."""
WHOLE: frozenset[nw.dtypes.DType] = frozenset(
    {nw.Int8(), nw.Int16(), nw.Int32(), nw.Int64(), nw.UInt8(), nw.UInt16(), nw.UInt32()}
)
"""Kinds of columns of which every value is a 64-bit number with a sign."""


class KeyRange(NamedTuple):
    """What a key that is a whole number may be: from the least value to the largest, and perhaps missing."""

    low: int
    high: int
    has_gaps: bool

    def count_codes(self) -> int:
        """Return how many codes there are, missing being one of them, the first."""
        return self.high - self.low + 1 + self.has_gaps

    def code(self, name: str) -> nw.Expr:
        """Return the code of a column of this range, from 0."""
        code = file_column(name).cast(nw.Int64)
        if self.has_gaps:
            return (code - (self.low - 1)).fill_null(0)
        return code - self.low if self.low else code


Ranges: TypeAlias = Mapping[str, KeyRange]
"""Of keys that are whole numbers, by name."""


@dataclass(frozen=True, slots=True)
class PackedKeys:
    """Rows to be grouped.

    Attributes:
        frame: words and keys, and what was asked for beside.
        names: the columns to group by.
    """

    frame: Frame
    names: tuple[str, ...]


def pack_keys(frame: Frame, keys: Sequence[str], ranges: Ranges, *, beside: Sequence[str] = ()) -> PackedKeys:
    """Return rows whose classes are those of some keys.

    Args:
        frame: the records.
        keys: to group by.
        ranges: of keys that are whole numbers.
        beside: other columns that are needed.
    """
    words, alone = _share_words(keys, ranges)
    packed = {f"{WORD}_{place}": _pack_word(word, ranges) for place, word in enumerate(words)}
    columns = [word.alias(name) for name, word in packed.items()]
    return PackedKeys(frame.select(*columns, *list_plain(alone), *beside), (*packed, *list_plain(alone)))


def _share_words(keys: Sequence[str], ranges: Ranges) -> tuple[list[list[str]], list[str]]:
    """Return which keys share each word, and which stand alone."""
    words, room = list[list[str]](), 0
    for key in keys:
        codes = ranges[key].count_codes() if key in ranges else LARGEST + 1
        if room < codes:
            words.append([])
            room = LARGEST
        words[-1].append(key)
        room //= codes
    return [word for word in words if len(word) > 1], [word[0] for word in words if len(word) == 1]


def _pack_word(keys: Sequence[str], ranges: Ranges) -> nw.Expr:
    word, step = ranges[keys[0]].code(keys[0]), ranges[keys[0]].count_codes()
    for key in keys[1:]:
        word += ranges[key].code(key) * step
        step *= ranges[key].count_codes()
    return word


SIZE, CLASSES, PEOPLE, WITHIN = "sekisho_size", "sekisho_classes", "sekisho_people", "sekisho_within"
BINS = 1 << 20
"""Individual risks that differ are kept apart up to so many; beyond that, to 1 in so many."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassCounts:
    """How many classes have each size.

    Attributes:
        sizes: ascending.
        classes: how many have each.
    """

    sizes: NDArray[np.int64]
    classes: NDArray[np.int64]

    @property
    def records(self) -> NDArray[np.int64]:
        """How many records stand in classes of each size."""
        return self.sizes * self.classes

    @property
    def total(self) -> int:
        """How many classes there are."""
        return int(self.classes.sum())

    def count(self, size: int) -> int:
        """Return how many classes have one size."""
        return int(self.classes[self.sizes == size].sum())


def count_class_sizes(records: EngineRecords, ranges: Ranges) -> ClassCounts:
    """Return how many classes of equal keys have each size.

    Args:
        records: of which the classes are counted.
        ranges: of keys that are whole numbers.
    """
    packed = pack_keys(records.frame, records.keys, ranges)
    classes = packed.frame.group_by(*packed.names).agg(nw.len().alias(COUNT))
    sizes = classes.group_by(COUNT).agg(nw.len().alias(CLASSES))
    found = records.ask(sizes).sort(COUNT)
    return ClassCounts(sizes=_get_numbers(found, COUNT), classes=_get_numbers(found, CLASSES))


def assess_individuals(records: EngineRecords, counts: ClassCounts, limit: float) -> IndividualRisk | None:
    """Return the records' own risks: by their weights, or by the sampling fraction where there are none."""
    if not records.choice.weights:
        if records.people is None:
            return None
        share = records.people / int(counts.records.sum())
        return IndividualRisk(
            by_record=compute_individual_risk(counts.sizes, (counts.sizes * share).astype(np.float64)),
            counts=counts.records,
        )
    classes = records.frame.group_by(*list_plain(records.keys)).agg(
        nw.len().alias(SIZE), nw.col(WEIGHT).sum().cast(nw.Float64).alias(PEOPLE)
    )
    alike = records.scan.ask(classes.group_by(SIZE, PEOPLE).agg(nw.len().alias(CLASSES)))
    tally = _RiskTally(limit)
    for block in alike.batches():
        tally.add(pl.DataFrame(block))
    return tally.finish()


class _RiskTally:
    """Risks and how many records have them: each by itself while they are few, then in narrow bins.

    A bin keeps the mean of its risks and lies on one side of the limit, so that sums and counts stay exact.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.risks, self.records = np.zeros(0), np.zeros(0, dtype=np.int64)
        self.highest = 0.0

    def add(self, classes: pl.DataFrame) -> None:
        sizes = _get_numbers(classes, SIZE)
        risks = compute_individual_risk(sizes, classes[PEOPLE].to_numpy().astype(np.float64))
        self.highest = max(self.highest, float(risks.max()))
        self.risks = np.concatenate([self.risks, risks])
        self.records = np.concatenate([self.records, sizes * _get_numbers(classes, CLASSES)])
        if len(self.risks) > 4 * BINS:
            self._narrow()

    def _narrow(self) -> None:
        bins = np.floor(self.risks * (BINS - 1)).astype(np.int64) * 2 + (self.risks > self.limit)
        bins[self.risks == self.highest] = 2 * BINS  # the highest stays what it is
        records = np.bincount(bins, weights=self.records)
        sums = np.bincount(bins, weights=self.records * self.risks)
        held = np.flatnonzero(records)
        self.risks, self.records = sums[held] / records[held], np.rint(records[held]).astype(np.int64)

    def finish(self) -> IndividualRisk:
        return IndividualRisk(by_record=self.risks, counts=self.records)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargePopulation:
    """The classes of a population and how many of each were drawn; classes with the same two numbers are one entry.

    Attributes:
        sample: f.
        population: F, at least 1.
        classes: how many classes have these two.
    """

    sample: NDArray[np.int64]
    population: NDArray[np.int64]
    classes: NDArray[np.int64]

    @property
    def people(self) -> int:
        """How many people the population has."""
        return int((self.population * self.classes).sum())

    @property
    def matches(self) -> Matches:
        """The records of the sample, those of the same two numbers together."""
        drawn = self.sample > 0
        sample = self.sample[drawn]
        return Matches(sample, self.population[drawn], sample * self.classes[drawn])

    @property
    def least_map(self) -> int:
        """The smallest F of a class that the sample has."""
        return int(self.population[self.sample > 0].min())

    @property
    def presence(self) -> tuple[float, float]:
        """The smallest and the largest f / F of a class of the population."""
        share = self.sample / self.population
        return float(share.min()), float(share.max())


def match_large_population(records: EngineRecords) -> LargePopulation | None:
    """Return the sample's classes in the population; None where there is no population file.

    Raises:
        FaultsError: a record of the sample has keys that the population does not have as often.
    """
    if records.population is None:
        return None
    both = _put_together(records, records.population.frame, list(records.keys))
    classes = both.group_by(*list_plain(records.keys)).agg(
        nw.col(WITHIN).sum().cast(nw.Int64).alias(SIZE), nw.len().cast(nw.Int64).alias(PEOPLE)
    )
    classes = classes.with_columns((nw.col(PEOPLE) - nw.col(SIZE)).alias(PEOPLE))
    found = records.ask(classes.group_by(SIZE, PEOPLE).agg(nw.len().alias(CLASSES))).sort(SIZE, PEOPLE)
    sample, population = _get_numbers(found, SIZE), _get_numbers(found, PEOPLE)
    if (sample > population).any():
        _refuse_beyond(records, int(sample[sample > population] @ _get_numbers(found, CLASSES)[sample > population]))
    return LargePopulation(sample=sample, population=population, classes=_get_numbers(found, CLASSES))


def _put_together(records: EngineRecords, people: Frame, columns: list[str]) -> Frame:
    sample = records.frame.select(*map(file_column, columns), nw.lit(1, nw.Int64).alias(WITHIN))
    missing = [nw.lit(0, nw.Int64).alias(ROW)] if ROW in columns else []
    named = [file_column(name) for name in columns if name != ROW]
    return nw.concat([sample, people.select(*named, *missing, nw.lit(0, nw.Int64).alias(WITHIN))])


def _refuse_beyond(records: EngineRecords, count: int) -> None:
    if records.population is None:
        return
    both = _put_together(records, records.population.frame, [*records.keys, ROW])
    keys = list_plain(records.keys)
    drawn, whole = nw.col(WITHIN).sum().over(*keys), nw.len().over(*keys)
    both = both.with_columns(drawn.alias(SIZE), whole.alias(PEOPLE))
    beyond = both.filter((nw.col(WITHIN) == 1) & (nw.col(SIZE) * 2 > nw.col(PEOPLE))).select(ROW)
    message = Said(
        "more records share this one's keys than {population_source} has people of them",
        population_source=records.population_source,
    )
    raise FaultsError(
        records.population_source,
        [
            Fault(row=row + 1, column="", rule="drawn from", value="", message=message)
            for row in records.ask(beyond.sort(ROW).head(LISTED))[ROW].to_list()
        ],
        count=count,
    )


def _get_numbers(frame: pl.DataFrame, name: str) -> NDArray[np.int64]:
    return frame[name].cast(pl.Int64).to_numpy().astype(np.int64)
