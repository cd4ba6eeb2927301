"""What is found out about the risk of a file of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.safety.records.closeness import Distance
from sekisho.safety.records.households import HouseholdRisk
from sekisho.safety.records.key_choice import Remark
from sekisho.safety.records.reidentification import Reidentification
from sekisho.safety.records.uniques.population import UniqueEstimate
from sekisho.safety.records.uniques.suda_scores import StandOut
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveRisk:
    """What the classes tell about one sensitive column: all figures are of its known values.

    Attributes:
        column: its name.
        values: how many different ones it has.
        distinct: the fewest different values of a class (l).
        entropy: the least entropy diversity of a class.
        recursive: (c, 2)-diversity holds for every c above this; None where a class has one value only.
        distance: how far two values are apart for t.
        t: the largest distance of a class from the whole.
        beta: the largest gain of a value.
        enhanced: whether no gain is above -ln p, so that beta holds in the enhanced sense too.
        delta: the largest |log2(q / p)|.
        disclosed: how many records with a known value stand in classes with one known value only.
        unknown: how many classes have no known value; nothing is learnt in them, and all other figures are of the rest.
    """

    column: str
    values: int
    distinct: int
    entropy: float
    recursive: float | None
    distance: Distance
    t: float
    beta: float
    enhanced: bool
    delta: float
    disclosed: int
    unknown: int = 0

    @classmethod
    def of_nothing(cls, column: str, distance: Distance, unknown: int) -> SensitiveRisk:
        """Return what the classes tell about a column none of whose values is known: nothing."""
        return cls(
            column=column,
            values=0,
            distinct=0,
            entropy=0.0,
            recursive=None,
            distance=distance,
            t=0.0,
            beta=0.0,
            enhanced=True,
            delta=0.0,
            disclosed=0,
            unknown=unknown,
        )


class Matches(NamedTuple):
    """Records of a sample in its population: how many share the keys of each, and how many people do.

    Attributes:
        sizes: f.
        fits: F; None where no population is known.
        counts: how many records have these two; one each if None.
    """

    sizes: NDArray[np.int64]
    fits: NDArray[np.int64] | None
    counts: NDArray[np.int64] | None = None


class PopulationFigures(Protocol):
    """What is told of the sample's classes in a population file, whoever counted them."""

    @property
    def people(self) -> int:
        """How many people the population has."""
        ...

    @property
    def matches(self) -> Matches:
        """The records of the sample in it."""
        ...

    @property
    def least_map(self) -> int:
        """The fewest people that a record fits."""
        ...

    @property
    def presence(self) -> tuple[float, float]:
        """The smallest and the largest chance of somebody of the population to be in the sample."""
        ...


class SpecialFigures(Protocol):
    """What is told of special uniques, whoever counted them."""

    @property
    def largest(self) -> int:
        """The largest set of keys that was looked at."""
        ...

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """Every set of keys, ascending by size; by their positions."""
        ...

    @property
    def uniques(self) -> tuple[int, ...]:
        """How many records are unique on each set."""
        ...

    @property
    def alone(self) -> int:
        """How many records are unique on all keys."""
        ...

    def count_minimal(self) -> tuple[int, ...]:
        """Return how many minimal sample uniques have one key, two keys, and so on."""
        ...

    def find_highest_score(self) -> float:
        """Return the highest score of a record."""
        ...

    def compute_contributions(self) -> NDArray[np.float64]:
        """Return for each key the share of all scores that comes from sets with it."""
        ...

    def compute_dis(self, fraction: float) -> float:
        """Return the chance that a match with a sample unique is right, at a sampling fraction."""
        ...

    def find_highest_dis_score(self, fraction: float) -> float:
        """Return the highest DIS-SUDA score of a record."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndividualRisk:
    """The risk of each record under the model of Benedetti and Franconi.

    Attributes:
        by_record: the risks.
        counts: how many records have each of them; one each if not given.
    """

    by_record: NDArray[np.float64]
    counts: NDArray[np.int64] | None = None

    @property
    def expected(self) -> float:
        """How many records are expected to be matched rightly."""
        return float(self.by_record.sum() if self.counts is None else (self.by_record * self.counts).sum())

    @property
    def highest(self) -> float:
        """The highest risk of a record."""
        return float(self.by_record.max())

    def count_above(self, limit: float) -> int:
        """Return how many records have a higher risk."""
        above = self.by_record > limit
        return int(above.sum() if self.counts is None else self.counts[above].sum())

    def compute_quantiles(self, shares: Sequence[float]) -> list[float]:
        """Return the risks that so large shares of the records do not exceed, between two records in proportion."""
        order = np.argsort(self.by_record, kind="stable")
        risks, counts = self.by_record[order], self.counts
        ends = np.arange(1, len(risks) + 1) if counts is None else np.cumsum(counts[order])
        places = np.asarray(shares, dtype=np.float64) * (int(ends[-1]) - 1)
        low, high = (risks[np.searchsorted(ends, each, side="right")] for each in (np.floor(places), np.ceil(places)))
        return (low + (high - low) * (places - np.floor(places))).tolist()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskCounts:
    """What a question about risk needs to know of records: counted here or by an engine, which nobody asks afterwards.

    Attributes:
        rows: how many records there are.
        keys: the keys' names.
        classes: how many classes have each size; sizes and numbers.
        sizes: how many records each record cannot be told from, itself included.
        counts: how many records each of the sizes stands for; one each if None.
        missing: how many cells of each key are missing.
        combinations: how many combinations of the keys' values there may be.
        people: how many people the population has, where that is known or estimated by weights.
        sensitive: what the classes tell about each sensitive column.
        individual: each record's own risk, where weights or a population are known.
        population: the classes in a population file.
        special: who is unique on which keys, where that was asked for.
        remarks: what is odd about the keys.
        stand_outs: the records with the highest scores of special uniques.
        household: what is known of those who live together, where a column says it.
    """

    rows: int
    keys: tuple[str, ...]
    classes: tuple[NDArray[np.int64], NDArray[np.int64]]
    sizes: NDArray[np.int64]
    counts: NDArray[np.int64] | None
    missing: Mapping[str, int]
    combinations: float
    people: int | None
    sensitive: tuple[SensitiveRisk, ...]
    individual: IndividualRisk | None
    population: PopulationFigures | None
    special: SpecialFigures | None
    remarks: tuple[Remark, ...]
    stand_outs: tuple[StandOut, ...]
    household: HouseholdRisk | None = None

    @property
    def matches(self) -> Matches:
        """The records of the sample in their population, as far as that is known."""
        if self.population is None:
            return Matches(self.sizes, None, self.counts)
        return self.population.matches


def settle_people(people: int | None, rows: int) -> int | None:
    """Return how many people there are.

    Raises:
        ParameterError: fewer than there are records.
    """
    if people is not None and people < rows:
        raise ParameterError(
            "population", Said("be at least the {records:,} records of the sample", records=rows), people
        )
    return people


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordRisk:
    """The risk of a file of records.

    Attributes:
        rows: how many records there are.
        keys: the keys' names.
        classes: how many combinations of key values there are.
        sizes: how many records each record cannot be told from, itself included.
        counts: how many records each of the sizes stands for; one each if None.
        missing: how many cells of each key are missing.
        missing_matches: whether a missing cell matches everything.
        sensitive: what the classes tell about each sensitive column.
        reidentification: the chances of three adversaries.
        people: how many people the population has, where that is known or estimated by weights.
        estimates: how many are unique in the population, model by model.
        individual: each record's own risk, where weights or a population are known.
        population: the classes in a population file.
        special: who is unique on which keys, where that was asked for.
        fraction: the sampling fraction that DIS takes; assumed where ``people`` is None.
        remarks: what is odd about the keys.
        stand_outs: the records with the highest scores of special uniques, highest first, where these were asked for.
        household: what is known of those who live together, where a column says it.
    """

    rows: int
    keys: tuple[str, ...]
    classes: int
    sizes: NDArray[np.int64]
    missing: Mapping[str, int]
    missing_matches: bool
    sensitive: tuple[SensitiveRisk, ...]
    reidentification: Reidentification
    people: int | None
    estimates: tuple[UniqueEstimate, ...]
    individual: IndividualRisk | None
    population: PopulationFigures | None
    special: SpecialFigures | None
    fraction: float
    remarks: tuple[Remark, ...]
    counts: NDArray[np.int64] | None = None
    stand_outs: tuple[StandOut, ...] = ()
    household: HouseholdRisk | None = None

    @property
    def k(self) -> int:
        """The fewest records that one cannot be told from, itself included."""
        return int(self.sizes.min())

    @property
    def uniques(self) -> int:
        """How many records can be told from all others."""
        single = self.sizes == 1
        return int(single.sum() if self.counts is None else self.counts[single].sum())

    @property
    def diversity(self) -> int | None:
        """l, the fewest different sensitive values of a class with a known one; None where no value is known."""
        return min((column.distinct for column in self.sensitive if column.values), default=None)

    @property
    def closeness(self) -> float | None:
        """t, the largest distance of a class from the whole."""
        return max((each.t for each in self.sensitive), default=None)

    def count_sizes(self) -> tuple[tuple[int, int], ...]:
        """Return how many records have each size, ascending."""
        size, count = np.unique(self.sizes, return_counts=True) if self.counts is None else (self.sizes, self.counts)
        return tuple(zip(size.tolist(), count.tolist(), strict=True))
