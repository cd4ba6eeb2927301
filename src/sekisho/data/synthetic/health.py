"""Health records of the contest of 2021: their columns, and a generator of our own with the same columns.

The generated people are invented; what they share with the contest's is the shape. Age, education and income move
together, body-mass index is skewed to the right and depends on race, sex and activity, and diabetes follows a logistic
law in all the others, so that odds ratios mean something. ``gh`` and ``mets`` are always 0, as in the contest's files.

Source of the columns: PWS Cup 2021, rules, from NHANES 2015-16.

A population as large as one likes, from records at hand: for benchmarks, not for release.

Rows are drawn from the records with replacement. Then every cell is redrawn from its column's own values with a small
probability, and some numbers are moved by a few units, so that most records are no longer copies. What is made this way
still holds people's own rows and protects nobody.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import TYPES, Column, Dataset, Kind, Role, Schema
from sekisho.data.records.space import RecordSpace
from sekisho.errors import ParameterError
from sekisho.parameters import checked_call
from sekisho.words import Said

DIGITS = 6

CATEGORIES: dict[str, tuple[str, ...]] = {
    "gen": ("Female", "Male"),
    "race": ("Black", "Hispanic", "Mexican", "Other", "White"),
    "edu": ("9th", "11th", "HighSchool", "College", "Graduate"),
    "mar": ("Divorced", "Married", "Never", "Parther", "Separated", "Widowed"),
    "qm": ("Q1", "Q2", "Q3", "Q4"),
}

HEALTH = Schema(
    (
        Column(name="gen", kind=Kind.CATEGORY),
        Column(name="age", kind=Kind.DECIMAL, decimals=DIGITS),
        Column(name="race", kind=Kind.CATEGORY),
        Column(name="edu", kind=Kind.CATEGORY),
        Column(name="mar", kind=Kind.CATEGORY),
        Column(name="bmi", kind=Kind.DECIMAL, decimals=DIGITS),
        Column(name="dep", kind=Kind.INTEGER),
        Column(name="pir", kind=Kind.INTEGER),
        Column(name="gh", kind=Kind.INTEGER, role=Role.OTHER),
        Column(name="mets", kind=Kind.INTEGER, role=Role.OTHER),
        Column(name="qm", kind=Kind.CATEGORY),
        Column(name="dia", kind=Kind.INTEGER, role=Role.SENSITIVE),
    )
)

HEALTH_SPACE = RecordSpace(measured=("age", "bmi"), compared=("gen", "race", "edu", "mar", "dep", "pir", "qm", "dia"))

Codes = NDArray[np.int64]


@checked_call
def health_records(count: int, *, rng: np.random.Generator) -> Dataset:
    """Return invented health records.

    Diabetes: logit P(dia = 1) = -6.2 + 0.055 age + 0.06 (bmi - 25) + 0.3 male + race + schooling + 0.3 dep + 0.2 pir -
    activity.
    """
    if count < 1:
        raise ParameterError("count", Said("be at least 1"), count)
    gen = _draw_codes((0.51, 0.49), count, rng)
    age = np.clip(np.rint(20 + 62 * rng.beta(1.25, 1.1, count)), 20, 80)
    race = _draw_codes((0.21, 0.13, 0.18, 0.15, 0.33), count, rng)
    edu = _cut_score(0.9 * rng.standard_normal(count) - 0.012 * (age - 50) - 0.35 * (race == 2), (0.1, 0.2, 0.43, 0.74))
    mar = _draw_marital(age, rng)
    pir = (rng.random(count) < _sigmoid(-0.7 - 0.45 * (edu - 1) - 0.35 * (mar == 1))).astype(np.int64)
    dep = (rng.random(count) < _sigmoid(-1.2 + 0.5 * pir - 0.3 * gen + 0.3 * (mar == 0))).astype(np.int64)
    qm = _cut_score(rng.standard_normal(count) - 0.015 * (age - 50) + 0.25 * gen, (0.27, 0.51, 0.76))
    centre = np.log(28.0) + 0.05 * (race == 0) - 0.11 * (race == 3) + 0.03 * (gen == 0) - 0.015 * qm
    bmi = np.clip(np.round(13 + np.exp(centre - 0.62 + 0.36 * rng.standard_normal(count)), 1), 14.5, 67.3)
    raced = np.array([0.25, 0.35, 0.45, 0.4, 0.0])[race]
    logit = -6.2 + 0.055 * age + 0.06 * (bmi - 25) + 0.3 * gen + raced - 0.12 * edu + 0.3 * dep + 0.2 * pir - 0.15 * qm
    dia = (rng.random(count) < _sigmoid(logit + 1.4)).astype(np.int64)
    zero = np.zeros(count, dtype=np.int64)
    codes = {"gen": gen, "race": race, "edu": edu, "mar": mar, "qm": qm}
    numbers = {"age": age, "bmi": bmi}
    whole = {"dep": dep, "pir": pir, "gh": zero, "mets": zero, "dia": dia}
    parts: list[pl.Series] = []
    for name in HEALTH.names:
        if name in codes:
            parts.append(pl.Series(name, np.asarray(CATEGORIES[name], dtype=object)[codes[name]], dtype=pl.String))
        elif name in numbers:
            parts.append(pl.Series(name, np.rint(numbers[name] * 10).astype(np.int64) * 10 ** (DIGITS - 1)))
        else:
            parts.append(pl.Series(name, whole[name]))
    return Dataset(pl.DataFrame(parts), HEALTH)


def _draw_codes(shares: tuple[float, ...], count: int, rng: np.random.Generator) -> Codes:
    return np.searchsorted(np.cumsum(shares)[:-1], rng.random(count), side="right").astype(np.int64)


def _cut_score(score: NDArray[np.float64], cuts: tuple[float, ...]) -> Codes:
    """Cut a score at these shares of its own rank: an ordered category that follows the score."""
    return np.searchsorted(np.quantile(score, cuts), score, side="right").astype(np.int64)


def _draw_marital(age: NDArray[np.float64], rng: np.random.Generator) -> Codes:
    """Draw the marital status: the never-married are young, the widowed old."""
    young, old = _sigmoid((32 - age) / 6), _sigmoid((age - 72) / 6)
    weight = np.stack(
        [
            0.13 * (1 - young),
            0.55 * (1 - 0.6 * young),
            0.1 + 0.6 * young,
            0.05 + 0.12 * young,
            0.04 + 0 * age,
            0.45 * old,
        ]
    )
    share = np.cumsum(weight / weight.sum(axis=0), axis=0)
    return (rng.random(len(age)) > share).sum(axis=0).clip(max=5).astype(np.int64)


def _sigmoid(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-value))


REDRAWN = 0.05


def scale_population(
    data: Dataset,
    rows: int,
    *,
    rng: np.random.Generator,
    redrawn: float = REDRAWN,
    moved: Mapping[str, int] | None = None,
) -> Dataset:
    """Return so many rows like those of some records.

    Args:
        data: the records; an identifier is drawn like any other column, so leave it out first.
        rows: how many rows are made.
        rng: the randomness.
        redrawn: the probability that a cell is drawn anew from its column.
        moved: numbers that are moved, each by up to so many steps of its grid either way, within the column's range.

    Raises:
        ParameterError: there are no records, or a column that is moved is no number.
    """
    if not len(data) or rows < 1 or not 0 <= redrawn <= 1:
        raise ParameterError("population", Said("be made of records, with 1 row or more and a probability"), rows)
    drawn = rng.integers(0, len(data), rows)
    parts: list[pl.Series] = []
    for column in data.schema:
        again = np.where(rng.random(rows) < redrawn, rng.integers(0, len(data), rows), drawn)
        steps = (moved or {}).get(column.name, 0)
        if steps:
            grid = _move(data.grid(column.name), again, steps, rng)
            values = pl.Series(column.name, grid)
            parts.append(values.cast(pl.Int32).cast(pl.Date) if column.kind is Kind.DATE else values)
        else:
            parts.append(data.frame[column.name].gather(again))
    return Dataset(pl.DataFrame(parts).cast({each.name: TYPES[each.kind] for each in data.schema}), data.schema)


def _move(grid: NDArray[np.int64], rows: NDArray[np.int64], steps: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.clip(grid[rows] + rng.integers(-steps, steps + 1, len(rows)), grid.min(), grid.max())
