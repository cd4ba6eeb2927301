"""The risk of a file of records beyond memory: the figures of ``RecordRisk``, counted by an engine."""

from __future__ import annotations

from math import prod

import narwhals as nw

from sekisho.errors import ParameterError
from sekisho.safety.records.assessment import ASSUMED_FRACTION, RiskQuestion
from sekisho.safety.records.large.class_counts import (
    ClassCounts,
    LargePopulation,
    assess_individuals,
    count_class_sizes,
    match_large_population,
)
from sekisho.safety.records.large.key_survey import KeySurvey, survey_keys
from sekisho.safety.records.large.records import WEIGHT, LargeRecords
from sekisho.safety.records.large.sensitive import assess_large_sensitive
from sekisho.safety.records.large.special import LargeSpecial, find_large_special
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.records.reidentification import Reidentification, compute_reidentification
from sekisho.safety.records.uniques.population import Estimator, UniqueEstimate, estimate_uniques
from sekisho.words import Said


def assess_large(question: RiskQuestion, records: LargeRecords) -> RecordRisk:
    """Return the risk of the records.

    Raises:
        ParameterError: missing cells are to match everything, for which all records would have to be compared, or a
            question does not fit the data.
    """
    if question.missing_matches:
        raise ParameterError(
            "missing_matches", Said("not be asked for beyond memory: every two records would be compared"), True
        )
    population = match_large_population(records)
    weighed = bool(records.choice.weights) or records.people is not None or population is not None
    survey = survey_keys(records, count_values=weighed)
    counts = count_class_sizes(records, survey.ranges)
    people = _settle_people(records, population, survey.rows)
    return RecordRisk(
        rows=survey.rows,
        keys=records.keys,
        classes=counts.total,
        sizes=counts.sizes,
        counts=counts.records,
        missing=survey.missing,
        missing_matches=False,
        sensitive=tuple(
            assess_large_sensitive(records, question, name, survey.rows) for name in records.choice.sensitive
        ),
        reidentification=_assess_reidentification(counts, population, question.limit),
        people=people,
        estimates=() if people is None else _estimate(survey, counts, people),
        individual=assess_individuals(records, counts, question.limit),
        population=population,
        special=_find_special(question, records, counts, survey),
        fraction=ASSUMED_FRACTION if people is None else survey.rows / people,
        remarks=survey.remarks,
    )


def _find_special(
    question: RiskQuestion, records: LargeRecords, counts: ClassCounts, survey: KeySurvey
) -> LargeSpecial | None:
    if not question.special:
        return None
    return find_large_special(records, counts, survey.ranges, largest=question.largest)


def _settle_people(records: LargeRecords, population: LargePopulation | None, rows: int) -> int | None:
    people = records.people
    if population is not None:
        people = population.people
    elif people is None and records.choice.weights:
        people = round(float(records.ask(records.frame.select(nw.col(WEIGHT).sum().alias(WEIGHT)))[WEIGHT][0]))
    if people is not None and people < rows:
        raise ParameterError(
            "population", Said("be at least the {records:,} records of the sample", records=rows), people
        )
    return people


def _assess_reidentification(counts: ClassCounts, population: LargePopulation | None, limit: float) -> Reidentification:
    if population is None:
        return compute_reidentification(counts.sizes, limit=limit, counts=counts.records)
    drawn = population.sample > 0
    sample, people, classes = population.sample[drawn], population.population[drawn], population.classes[drawn]
    return compute_reidentification(sample, people, limit=limit, counts=sample * classes)


def _estimate(survey: KeySurvey, counts: ClassCounts, people: int) -> tuple[UniqueEstimate, ...]:
    combinations = float(prod(float(values or 1) for values in survey.values.values()))
    return tuple(
        estimate_uniques(counts.sizes, people, combinations, estimator, counts=counts.classes)
        for estimator in Estimator
    )
