"""The risk of a file of records at large: every measure that its columns allow, in one value.

Against whom each stands is said by the module of the measure. Nothing here is a verdict: k, l, t and the classes are
counted, chances of re-identification follow from them for an adversary who knows exactly the keys, and what is said of
the population is estimated under a named assumption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.cells import MISSING_TEXT
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import exact_table
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.safety.records.classes import (
    ColumnCodes,
    add_weights,
    code_values,
    count_classes,
    cross_tabulate,
    drop_unknown,
    number_classes,
)
from sekisho.safety.records.closeness import Distance, measure_equal, measure_hierarchical, measure_ordered
from sekisho.safety.records.diversity import compute_entropy_diversity, compute_recursive_ratio, count_distinct
from sekisho.safety.records.households import assess_households
from sekisho.safety.records.key_choice import KeyChoice, find_remarks
from sekisho.safety.records.likeness import find_overgained, measure_disclosure, measure_gains
from sekisho.safety.records.presence import PopulationClasses
from sekisho.safety.records.record_risk import IndividualRisk, RecordRisk, RiskCounts, SensitiveRisk, settle_people
from sekisho.safety.records.reidentification import LIMIT, compute_individual_risk, compute_reidentification
from sekisho.safety.records.uniques.population import Estimator, estimate_uniques
from sekisho.safety.records.uniques.suda_scores import STAND_OUTS
from sekisho.safety.records.wildcards import count_matches
from sekisho.words import Said

if TYPE_CHECKING:  # compiled: loaded only where it is asked for
    from sekisho.safety.records.uniques.special_uniques import SpecialUniques

ASSUMED_FRACTION = 0.01
"""The sampling fraction of DIS where none is said, as in sdcMicro."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
@checked
class KeyedRecords:
    """Records, column by column.

    Attributes:
        keys: what an adversary may know.
        sensitive: what must stay hidden; of numbers the values stand in their order.
        ordered: the sensitive columns whose values stand in their order.
        trees: of sensitive columns.
        weights: how many people each record stands for.
        people: how many people the population has, where that is known.
        population: the sample's classes in a population file, where there is one.
        rows: where each record stands in its file, from 0; one after the other if not said.
        household: whose household each record belongs to, where that is known.
    """

    keys: Mapping[str, ColumnCodes]
    sensitive: Mapping[str, ColumnCodes] = field(default_factory=dict[str, ColumnCodes])
    ordered: frozenset[str] = frozenset()
    trees: Mapping[str, Tree] = field(default_factory=dict[str, Tree])
    weights: NDArray[np.float64] | None = None
    people: int | None = None
    population: PopulationClasses | None = None
    rows: NDArray[np.int64] | None = None
    household: ColumnCodes | None = None

    def __post_init__(self) -> None:
        if not self.keys:
            raise ParameterError("keys", Said("be at least one"), ())
        if not len(self):
            raise InfeasibleError(Said("there are no records"))

    @classmethod
    def of(
        cls, data: Dataset, *, keys: Sequence[str], sensitive: Sequence[str] = (), people: int | None = None
    ) -> KeyedRecords:
        """Return a data set's records.

        Args:
            data: of records.
            keys: what an adversary may know.
            sensitive: what must stay hidden.
            people: how many people the population has, where that is known.

        Raises:
            FaultsError: columns that are not there, or cannot be what they are named as; all of them at once.
        """
        holder = "" if data.schema.identifier is None else data.schema.identifier.name
        choice = KeyChoice(keys=tuple(keys), sensitive=tuple(sensitive), identifier=holder)
        choice.check(data.schema.names, source="data")
        texts = [name for name in (*keys, *sensitive) if not data.schema[name].kind.numeric]
        published = publish_values(exact_table(data)).frame
        frame = published.with_columns(published[name].replace(MISSING_TEXT, None) for name in texts)
        numbers = frozenset(name for name in sensitive if data.schema[name].kind.numeric)
        return cls(
            keys={name: code_values(frame[name]) for name in keys},
            sensitive={name: code_values(frame[name]) for name in sensitive},
            ordered=frozenset(name for name in numbers if not data.count_gaps(name)),
            people=people,
        )

    def __len__(self) -> int:
        return len(next(iter(self.keys.values())))

    def count(self, question: RiskQuestion) -> RiskCounts:
        """Return what a question needs to know of the records.

        Raises:
            ParameterError: a question has no meaning where missing cells match everything, or does not fit the data.
        """
        if question.missing_matches:
            self._refuse_classes(question)
        people = settle_people(self._find_people(), len(self))
        classes = number_classes(tuple(self.keys.values()), len(self))
        of_size = np.bincount(count_classes(classes))
        present = np.flatnonzero(of_size)
        sizes, stands_for = self._count_equals(question, classes)
        special = self._find_special(question, classes)
        return RiskCounts(
            rows=len(self),
            keys=tuple(self.keys),
            classes=(present, of_size[present]),
            sizes=sizes,
            counts=None,
            missing={name: int(column.missing.sum()) for name, column in self.keys.items()},
            combinations=float(np.prod([len(column.values) for column in self.keys.values()], dtype=np.float64)),
            people=people,
            sensitive=tuple(self._assess_sensitive(question, name, classes) for name in self.sensitive),
            individual=None
            if stands_for is None
            else IndividualRisk(by_record=compute_individual_risk(sizes, stands_for)),
            population=self.population,
            special=special,
            remarks=find_remarks(self.keys),
            stand_outs=() if special is None else special.list_stand_outs(self.keys, count=STAND_OUTS, rows=self.rows),
            household=None if self.household is None else assess_households(self.household, classes),
        )

    def _find_people(self) -> int | None:
        """Return how many people there are: as said, as a population file has, or as the weights add up to."""
        if self.population is not None:
            return self.population.people
        return round(float(self.weights.sum())) if self.people is None and self.weights is not None else self.people

    def _refuse_classes(self, question: RiskQuestion) -> None:
        """Refuse what needs classes: where missing cells match everything there are none."""
        asked = {
            "sensitive columns": self.sensitive,
            "special uniques": question.special,
            "a population file": self.population,
        }
        for what, is_asked in asked.items():
            if is_asked:
                raise ParameterError("missing_matches", Said("not be asked for beside {what}", what=what), True)

    def _count_equals(
        self, question: RiskQuestion, classes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
        """Return of each record how many it cannot be told from, and how many people these stand for, if known."""
        weights = self.weights
        if weights is None and self.people is not None:
            weights = np.full(len(self), self.people / len(self))
        if question.missing_matches:
            count, total = count_matches(tuple(self.keys.values()), np.ones(len(self)) if weights is None else weights)
            return count, None if weights is None else total
        sizes = count_classes(classes)[classes]
        return sizes, None if weights is None else add_weights(classes, weights)[classes]

    def _find_special(self, question: RiskQuestion, classes: NDArray[np.int64]) -> SpecialUniques | None:
        if not question.special:
            return None
        from sekisho.safety.records.uniques.special_uniques import find_special_uniques

        return find_special_uniques(tuple(self.keys.values()), largest=question.largest, classes=classes)

    def _assess_sensitive(self, question: RiskQuestion, name: str, classes: NDArray[np.int64]) -> SensitiveRisk:
        column = self.sensitive[name]
        known = drop_unknown(cross_tabulate(classes, column.codes), column.unknown)
        table = known.table
        distance = question.choose_distance(name, ordered=name in self.ordered, tree=name in self.trees)
        if not len(table.sizes):
            return SensitiveRisk.of_nothing(name, distance, known.unknown)
        if distance is Distance.HIERARCHICAL:
            names = tuple(value for value, skip in zip(column.values, column.unknown, strict=True) if not skip)
            far = measure_hierarchical(table, self.trees[name], names)
        else:
            far = measure_ordered(table) if distance is Distance.ORDERED else measure_equal(table)
        distinct, recursive = count_distinct(table), float(compute_recursive_ratio(table, 2).max())
        return SensitiveRisk(
            column=name,
            values=len(table.totals),
            distinct=int(distinct.min()),
            entropy=float(compute_entropy_diversity(table).min()),
            recursive=recursive if np.isfinite(recursive) else None,
            distance=distance,
            t=float(far.max()),
            beta=float(measure_gains(table).max()),
            enhanced=not find_overgained(table).any(),
            delta=float(measure_disclosure(table).max()),
            disclosed=int(table.sizes[distinct == 1].sum()),
            unknown=known.unknown,
        )


class Countable(Protocol):
    """Records, wherever they are: they can be counted."""

    def count(self, question: RiskQuestion) -> RiskCounts:
        """Return what a question needs to know of them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RiskQuestion:
    """What is asked about a file of records.

    Attributes:
        limit: above which a record's chance counts as high.
        special: whether special uniques are looked for.
        largest: the largest set of keys that is looked at; found out if not given.
        missing_matches: whether a missing cell matches everything; if not, missing is a value of its own.
        distance: of sensitive values; if not given, hierarchical with a tree, ordered for numbers, else equal.
    """

    limit: float = LIMIT
    special: bool = False
    largest: int | None = None
    missing_matches: bool = False
    distance: Distance | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.limit <= 1:
            raise ParameterError("limit", Said("lie between 0 and 1"), self.limit)

    def assess(self, records: Countable) -> RecordRisk:
        """Return the risk of the records, wherever they are.

        Raises:
            ParameterError: a question has no meaning where missing cells match everything, or does not fit the data.
        """
        counts = records.count(self)
        people, (sizes, classes) = counts.people, counts.classes
        estimates = () if people is None or self.missing_matches else tuple(Estimator)
        sample, fits, number = counts.matches
        return RecordRisk(
            rows=counts.rows,
            keys=counts.keys,
            classes=int(classes.sum()),
            sizes=counts.sizes,
            counts=counts.counts,
            missing=counts.missing,
            missing_matches=self.missing_matches,
            sensitive=counts.sensitive,
            reidentification=compute_reidentification(sample, fits, limit=self.limit, counts=number),
            people=people,
            estimates=tuple(
                estimate_uniques(sizes, people or counts.rows, counts.combinations, estimator, counts=classes)
                for estimator in estimates
            ),
            individual=counts.individual,
            population=counts.population,
            special=counts.special,
            fraction=ASSUMED_FRACTION if people is None else counts.rows / people,
            remarks=counts.remarks,
            stand_outs=counts.stand_outs,
            household=counts.household,
        )

    def choose_distance(self, name: str, *, ordered: bool, tree: bool) -> Distance:
        """Return how far values of a sensitive column are apart.

        Args:
            name: of the column.
            ordered: whether its values are numbers, none of them missing.
            tree: whether it has a tree.

        Raises:
            ParameterError: it has not what the distance that is asked for needs.
        """
        fits = {Distance.HIERARCHICAL: tree, Distance.ORDERED: ordered, Distance.EQUAL: True}
        if self.distance is not None and not fits[self.distance]:
            rules = {
                Distance.HIERARCHICAL: Said("be equal for {name}, which has not what it needs: a tree", name=name),
                Distance.ORDERED: Said(
                    "be equal for {name}, which has not what it needs: numbers, none of them missing", name=name
                ),
            }
            raise ParameterError("distance", rules[self.distance], self.distance)
        return self.distance or next(distance for distance, is_fit in fits.items() if is_fit)
