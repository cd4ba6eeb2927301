"""Patients with counts, diagnoses and measurements: a stand-in for the records of the contest of 2025.

The invented patients have its 18 columns. Care grows with age and with a hidden frailty, so that encounters, procedures
and medications move together; blood pressure, body-mass index and weight follow age, sex and each other; asthma,
stroke, obesity and depression follow logistic laws in what came before, so that regressions and trees find something.
No two rows are the same.

Source of the columns: PWS Cup 2025, guidebook; the contest's own files were made with Synthea.

A second population, people who may fall ill: a stand-in for the cohorts of the contest of 2026, with times to onset,
death and a few rare people whose laboratory values lie far from everybody's.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit

from sekisho.errors import ParameterError
from sekisho.parameters import checked_call
from sekisho.words import Said

RACES = ("asian", "black", "hawaiian", "native", "other", "white")
RACE_SHARES = (0.12, 0.14, 0.03, 0.02, 0.05, 0.64)
PREFECTURES = ("Aichi", "Fukuoka", "Hokkaido", "Kyoto", "Miyagi", "Nara", "Osaka", "Tokyo")
HORIZON, RARE = 10.0, 0.023
Floats = NDArray[np.float64]


@checked_call
def make_patients(people: int, *, rng: np.random.Generator) -> pl.DataFrame:
    """Return invented patients, all cells as texts, no row twice.

    Raises:
        ParameterError: there is nobody.
    """
    if people < 1:
        raise ParameterError("people", Said("be at least 1"), people)
    drawn = _draw_patients(people + people // 50 + 10, rng=rng).unique(maintain_order=True)
    return drawn[:people]


def _draw_patients(people: int, *, rng: np.random.Generator) -> pl.DataFrame:
    man = rng.random(people) < 0.49
    age = np.clip(2 + 108 * rng.beta(1.3, 1.7, people), 2, 110).astype(np.int64)
    frail, build = rng.normal(size=people), rng.normal(size=people)
    care = 2.2 + age / 45 + 0.35 * frail
    encounters = _count(care + 0.5, 4, 1211, rng)
    procedures = _count(care + 0.45 + 0.2 * rng.normal(size=people), 0, 2442, rng)
    medications = _count(0.9 * care + 0.9 * frail + 0.5 * rng.normal(size=people), 0, 7195, rng)
    bmi = np.clip(15 + 0.22 * np.minimum(age, 50) + 3.6 * build + 1.2 * rng.normal(size=people), 3, 73.5)
    systolic = np.clip(95 + 0.33 * age + 2 * build + 9 * rng.normal(size=people), 38, 172)
    diastolic = np.clip(38 + 0.3 * systolic + 7 * rng.normal(size=people), 2, 126)
    weight = np.clip(bmi * np.where(man, 2.95, 2.6) * (0.55 + 0.45 * np.minimum(age, 20) / 20) + 3 * frail, 4.6, 196)
    asthma = _flag(-2.6 - 0.01 * age + 0.25 * frail + 0.3 * build, rng)
    obesity = _flag((bmi - 30) / 1.5, rng)
    columns: dict[str, NDArray[np.generic] | list[str]] = {
        "GENDER": np.where(man, "M", "F"),
        "AGE": age.astype(str),
        "RACE": rng.choice(RACES, size=people, p=RACE_SHARES),
        "ETHNICITY": np.where(rng.random(people) < 0.13, "hispanic", "nonhispanic"),
        "encounter_count": encounters.astype(str),
        "num_procedures": procedures.astype(str),
        "num_medications": medications.astype(str),
        "num_immunizations": np.clip(rng.poisson(9 + 8 * (age < 20) + 3 * (age > 64)), 0, 40).astype(str),
        "num_allergies": np.clip(rng.poisson(np.exp(-1.4 + 0.6 * asthma)), 0, 17).astype(str),
        "num_devices": np.clip(rng.poisson(np.exp(-0.8 + age / 50 + 0.3 * frail)), 0, 160).astype(str),
        "asthma_flag": asthma.astype(str),
        "stroke_flag": _flag(-7.2 + 0.07 * age + 0.02 * (systolic - 120) + 0.5 * frail, rng).astype(str),
        "obesity_flag": obesity.astype(str),
        "depression_flag": _flag(-2.4 + 0.4 * frail + 0.3 * ~man, rng).astype(str),
        "mean_systolic_bp": _write(systolic),
        "mean_diastolic_bp": _write(diastolic),
        "mean_bmi": _write(bmi),
        "mean_weight": _write(weight),
    }
    return pl.DataFrame(columns)


def _count(logarithm: Floats, least: int, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.clip(rng.poisson(np.exp(np.minimum(logarithm, 8.0))), least, most)


def _flag(odds: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    return (rng.random(len(odds)) < expit(odds)).astype(np.int64)


def _write(values: Floats, decimals: int = 2) -> list[str]:
    return [f"{value:.{decimals}f}" for value in values.tolist()]


@checked_call
def make_cohort(people: int, *, rng: np.random.Generator) -> pl.DataFrame:
    """Return invented people with laboratory values, time to onset or death, and who is rare; cells as texts.

    Raises:
        ParameterError: there is nobody.
    """
    if people < 1:
        raise ParameterError("people", Said("be at least 1"), people)
    rare = rng.random(people) < RARE
    age = np.where(rare, rng.integers(40, 52, people), rng.integers(40, 75, people))
    man, smokes = rng.random(people) < 0.5, rng.random(people) < 0.22
    build = rng.normal(size=people) - 1.6 * rare
    glucose = 92 + 0.12 * (age - 57) + 3 * build + 7 * rng.normal(size=people) + 26 * rare
    fat = np.exp(4.55 + 0.15 * build + 0.42 * rng.normal(size=people) + 0.1 * man)
    liver = np.exp(2.9 + 0.15 * build + 0.35 * rng.normal(size=people))
    risk = -5.4 + 0.075 * (glucose - 92) + 0.35 * man + 0.4 * (np.log(liver) - 2.9) + 0.3 * smokes
    onset = rng.exponential(1 / np.exp(risk))
    death = rng.exponential(1 / np.exp(-6.2 + 0.06 * (age - 57)))
    time = np.minimum(np.minimum(onset, death), HORIZON)
    first = (onset <= death) & (onset < HORIZON)
    columns: dict[str, NDArray[np.generic] | list[str]] = {
        "record_id": np.arange(people).astype(str),
        "age": age.astype(str),
        "sex": man.astype(np.int64).astype(str),
        "prefecture": rng.choice(PREFECTURES, size=people),
        "BMI": _write(np.clip(22.8 + 3 * build, 12, 50), 1),
        "SBP": _write(np.clip(123 + 0.5 * (age - 57) + 3 * build + 14 * rng.normal(size=people), 60, 240), 1),
        "TG": _write(np.clip(fat, 10, 2900), 1),
        "HDL": _write(np.clip(56 - 4 * build + 12 * rng.normal(size=people), 12, 155), 1),
        "ALT": _write(np.clip(liver, 1, 690), 1),
        "smoking": smokes.astype(np.int64).astype(str),
        "FPG": _write(np.clip(glucose, 45, 390), 1),
        "time": _write(np.maximum(time, 0.001), 3),
        "onset": first.astype(np.int64).astype(str),
        "death": (~first & (death < HORIZON)).astype(np.int64).astype(str),
        "is_rare": rare.astype(np.int64).astype(str),
    }
    return pl.DataFrame(columns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverlappingCohorts:
    """Cohorts that share people, and people of none.

    Attributes:
        background: people of no cohort.
        cohorts: each with people of its own, and some that it shares with each other one.
    """

    background: pl.DataFrame
    cohorts: tuple[pl.DataFrame, ...]


@checked_call
def make_overlapping_cohorts(
    count: int, *, private: int, shared: int, background: int, rng: np.random.Generator
) -> OverlappingCohorts:
    """Return cohorts of private + (count - 1) x shared people, in random order: every two share so many.

    Raises:
        ParameterError: there are fewer than two cohorts, or nobody in them.
    """
    if count < 2 or private < 0 or shared < 1 or background < 1:
        raise ParameterError("count", Said("be at least 2, of people who are shared"), (count, private, shared))
    pairs = list(combinations(range(count), 2))
    people = make_cohort(background + count * private + len(pairs) * shared, rng=rng)
    people = people.with_columns(pl.Series("record_id", rng.permutation(people.height).astype(str)))
    rows: list[list[int]] = [[] for _ in range(count)]
    start = background
    for owners, size in [((each,), private) for each in range(count)] + [(pair, shared) for pair in pairs]:
        for owner in owners:
            rows[owner] += range(start, start + size)
        start += size
    cohorts = tuple(people[rng.permutation(each)] for each in rows)
    return OverlappingCohorts(background=people[:background], cohorts=cohorts)
