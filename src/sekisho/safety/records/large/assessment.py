"""Records of an engine, counted for a question about risk: the engine counts, the question does not know."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import narwhals as nw

from sekisho.errors import ParameterError
from sekisho.safety.records.assessment import RiskQuestion
from sekisho.safety.records.large.class_counts import (
    LargePopulation,
    assess_individuals,
    count_class_sizes,
    match_large_population,
)
from sekisho.safety.records.large.key_survey import survey_keys
from sekisho.safety.records.large.records import WEIGHT, LargeRecords
from sekisho.safety.records.large.sensitive import assess_large_sensitive
from sekisho.safety.records.large.special import find_large_special
from sekisho.safety.records.record_risk import RiskCounts, settle_people
from sekisho.words import Said


@dataclass(frozen=True, slots=True)
class EngineCounts:
    """Records of an engine that a question about risk may be asked of."""

    records: LargeRecords

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
            sensitive=tuple(
                assess_large_sensitive(records, question, name, survey.rows) for name in records.choice.sensitive
            ),
            individual=assess_individuals(records, counts, question.limit),
            population=population,
            special=special,
            remarks=survey.remarks,
            stand_outs=() if special is None else special.stand_outs,
        )


def _find_people(records: LargeRecords, population: LargePopulation | None) -> int | None:
    """Return how many people there are: as said, as a population file has, or as the weights add up to."""
    if population is not None:
        return population.people
    if records.people is not None or not records.choice.weights:
        return records.people
    return round(float(records.ask(records.frame.select(nw.col(WEIGHT).sum().alias(WEIGHT)))[WEIGHT][0]))
