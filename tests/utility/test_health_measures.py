"""The five measures of 2021 must equal the judge's own computation.

Pandas and plain Newton steps are the oracle here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sekisho.contest.rulebook import read_record_rules
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.records.space import take_kept
from sekisho.data.synthetic.health import HEALTH, health_records
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.fit import fit
from sekisho.protect.records.borrow import Borrow
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.swap import Swap
from sekisho.provenance import Provenance
from sekisho.utility.records.conditions import make_measures
from sekisho.utility.records.correlation import Correlation
from sekisho.utility.records.odds import Odds, fit_logistic
from sekisho.utility.records.rate import RateChange, UniqueRate, round_to_tens
from sekisho.utility.records.record_loss import RecordLoss

EXPLAINING = ["gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "qm"]
RULES = read_record_rules("pwscup2021")
MEASURES = make_measures(RULES)
ODDS = Odds(outcome="dia", columns=tuple(EXPLAINING))
METHOD = InTurn(delete=DeleteRandom(share=0.4), change=fit(Borrow(pull=1.0), RULES.parameters()))


Row = dict[str, Any]


def list_rows(data: Dataset) -> list[Row]:
    frame = data.frame.with_columns(pl.col("age") / 1e6, pl.col("bmi") / 1e6)
    return frame.to_dicts()


def tabulate_plainly(data: Dataset) -> pd.DataFrame:
    return pd.DataFrame(list_rows(data))


def bin_values(value: float, cuts: list[float]) -> object:
    clipped = min(max(value, cuts[0]), cuts[-1])
    return next((cut for low, cut in pairwise(cuts) if low < clipped <= cut), None)


def cells(rows: list[Row]) -> Counter[tuple[str, object, int]]:
    count: Counter[tuple[str, object, int]] = Counter()
    for row in rows:
        cut = row | {
            "age": bin_values(row["age"], [19, 44, 64, 80]),
            "bmi": bin_values(row["bmi"], [15, 18.5, 25, 30, 70]),
        }
        count.update((name, cut[name], row["dia"]) for name in EXPLAINING if cut[name] is not None)
    return count


def judge_rate(original: list[Row], other: list[Row]) -> float:
    one, two = cells(original), cells(other)
    return max(abs(one[cell] / len(original) - two[cell] / len(other)) for cell in one | two)


def judge_cor(original: pd.DataFrame, other: pd.DataFrame) -> float:
    one, two = (pd.get_dummies(frame).astype(float).corr() for frame in (original, other))
    gap = (one - two).abs().to_numpy().copy()
    np.fill_diagonal(gap, 0)
    return float(np.nanmax(gap))


def fit_by_newton(frame: pd.DataFrame) -> dict[str, float]:
    design = pd.get_dummies(frame[EXPLAINING], drop_first=True).astype(float)
    x = np.column_stack([np.ones(len(frame)), design.to_numpy()])
    y, b = frame["dia"].to_numpy().astype(float), np.zeros(x.shape[1])
    for _ in range(40):
        p = 1 / (1 + np.exp(-x @ b))
        b = b + np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]), x.T @ (y - p))
    return dict(zip(["one", *map(str, design.columns)], np.exp(b).tolist(), strict=True))


def judge_odds(original: pd.DataFrame, other: pd.DataFrame) -> float:
    one, two = fit_by_newton(original), fit_by_newton(other)
    return max(abs(one[name] - two[name]) for name in one.keys() & two.keys())


def judge_uniqrt(original: list[Row], deleted: NDArray[np.bool_]) -> float:
    tuples = [
        tuple(round(row[name], -1) if name in {"age", "bmi"} else row[name] for name in EXPLAINING)
        for row, gone in zip(original, deleted, strict=True)
        if not gone
    ]
    return sum(times == 1 for times in Counter(tuples).values()) / len(original)


def judge_iloss(original: list[Row], other: list[Row], deleted: NDArray[np.bool_]) -> float:
    left = [row for row, gone in zip(original, deleted, strict=True) if not gone]
    labels = ["gen", "race", "edu", "mar", "dep", "pir", "qm", "dia"]
    return max(
        max(abs(one["age"] - two["age"]), abs(one["bmi"] - two["bmi"]), sum(one[name] != two[name] for name in labels))
        for one, two in zip(left, other, strict=True)
    )


def agree(data: Dataset, release: Release) -> None:
    original, other = tabulate_plainly(data), tabulate_plainly(take_kept(release))
    before, after = list_rows(data), list_rows(take_kept(release))
    assert MEASURES["rate"].compare(data, release).value == pytest.approx(judge_rate(before, after), abs=1e-12)
    assert MEASURES["cor"].compare(data, release).value == pytest.approx(judge_cor(original, other), abs=1e-11)
    assert MEASURES["odds"].compare(data, release).value == pytest.approx(judge_odds(original, other), abs=1e-9)
    assert MEASURES["uniqrt"].compare(data, release).value == judge_uniqrt(before, release.deleted)
    assert MEASURES["iloss"].compare(data, release).value == pytest.approx(
        judge_iloss(before, after, release.deleted), abs=1e-9
    )


@pytest.mark.parametrize("seed", range(3))
def test_all_five_equal_the_judges_on_synthetic_records(seed: int) -> None:
    data = health_records(3000, rng=np.random.default_rng(seed))
    agree(data, METHOD.apply(data, rng=np.random.default_rng(seed)))


def test_all_five_equal_the_judges_on_the_contests_records(shared: Callable[[str], Path]) -> None:
    names = list(HEALTH.names)
    frame = pl.read_csv(shared("health/B00.csv"), has_header=False, new_columns=names)
    data = Dataset.of(frame, HEALTH)
    agree(data, METHOD.apply(data, rng=np.random.default_rng(3)))
    swapped = fit(Swap(few=25), RULES.parameters()).apply(data, rng=np.random.default_rng(1))
    agree(data, swapped)


def test_nothing_changed_costs_nothing() -> None:
    data = health_records(800, rng=np.random.default_rng(2))
    same = DeleteRandom(share=0.0).apply(data, rng=np.random.default_rng(0))
    for measure in (RateChange(), Correlation(), Odds(), RecordLoss()):
        assert measure.compare(data, same).value == 0


@pytest.mark.parametrize(
    ("changes", "loss"),
    [
        ({"age": 45.0}, 2),
        ({"age": 44.0, "bmi": 27.5}, 2.5),
        ({"age": 45.0, "gen": "Female", "edu": "9th", "dia": 1}, 3),
        ({"age": 45.0, "bmi": 21.0, "gen": "Female"}, 4),
    ],
)
def test_the_largest_of_the_three_moves_is_the_loss(changes: Row, loss: float) -> None:
    """A release in which all three moves reach the limit cannot tell the largest from the smallest."""
    person = dict(
        zip(HEALTH.names, ("Male", 43.0, "White", "College", "Married", 25.0, 0, 0, 0, 0, "Q1", 0), strict=True)
    )
    one, other = (Dataset.of(pl.DataFrame([person | change]), HEALTH) for change in ({}, changes))
    release = Release(table=exact_table(other), deleted=np.zeros(1, dtype=np.bool_), provenance=Provenance(name="test"))
    assert MEASURES["iloss"].compare(one, release).value == loss


def test_perfect_separation_is_named() -> None:
    data = health_records(600, rng=np.random.default_rng(2))
    sick = pl.when(pl.col("qm") == "Q1").then(1).otherwise(pl.col("dia")).cast(pl.Int64).alias("dia")
    with pytest.raises(InfeasibleError, match="qm = Q1 have dia = 1"):
        ODDS.compute_ratios(Dataset(data.frame.with_columns(sick), HEALTH))
    by_age = (pl.col("age") > 50_000_000).cast(pl.Int64).alias("dia")
    with pytest.raises(InfeasibleError, match="perfect separation"):
        ODDS.compute_ratios(Dataset(data.frame.with_columns(by_age), HEALTH))
    healthy = pl.lit(0, dtype=pl.Int64).alias("dia")
    with pytest.raises(InfeasibleError, match="two outcomes of dia; its 600 records have 1"):
        ODDS.compute_ratios(Dataset(data.frame.with_columns(healthy), HEALTH))


@pytest.mark.parametrize("value", [0, 23_700_000, 65_300_000])
def test_a_column_of_one_value_tells_nothing_and_disturbs_nothing(value: int) -> None:
    # 23.7 has no finite binary fraction: the mean of equal ones is rounded, and their deviation is a tiny number
    # instead of 0.
    data = health_records(600, rng=np.random.default_rng(2))
    flat = Dataset(data.frame.with_columns(pl.lit(value, dtype=pl.Int64).alias("bmi")), HEALTH)
    without = Odds(outcome="dia", columns=tuple(name for name in EXPLAINING if name != "bmi")).compute_ratios(flat)
    ratios = ODDS.compute_ratios(flat)
    assert ratios.pop("bmi") == 1
    assert ratios == pytest.approx(without, rel=1e-6)


@given(st.lists(st.integers(0, 900), min_size=1, max_size=30))
def test_tens_round_half_to_even(values: list[int]) -> None:
    grid = np.array(values, dtype=np.int64)
    assert (10 * round_to_tens(grid, 10)).tolist() == [int(np.round(value / 10, -1)) for value in values]


def test_fifteen_and_twenty_five_both_round_to_twenty() -> None:
    assert round_to_tens(np.array([15, 25, 35]), 1).tolist() == [2, 2, 4]


def test_values_on_the_lowest_cut_fall_out() -> None:
    # bmi 14.2 is clipped to 15 and (15, 18.5] is open at 15: the cell loses the record, so rate is 1/2 against a file
    # that has it inside.
    rate = RateChange(outcome="dia", columns=("bmi",), cuts={"bmi": (15, 18.5, 25, 30, 70)})
    data = health_records(2, rng=np.random.default_rng(0)).frame.with_columns(dia=pl.lit(0, dtype=pl.Int64))
    inside = Dataset(data.with_columns(bmi=pl.Series([16_000_000, 16_000_000])), HEALTH)
    outside = Dataset(data.with_columns(bmi=pl.Series([14_200_000, 16_000_000])), HEALTH)
    assert rate.compare_files(inside, outside).value == 0.5
    with pytest.raises(ParameterError, match="ascending"):
        RateChange(cuts={"bmi": (3, 1)})


def test_columns_that_nobody_names_come_from_the_roles_of_the_schema() -> None:
    # In the health schema dia alone is sensitive, gh and mets tell nothing, and all others are quasi-identifiers, in
    # the rules' order.
    data = health_records(600, rng=np.random.default_rng(2))
    release = METHOD.apply(data, rng=np.random.default_rng(3))
    assert Odds().compare(data, release) == ODDS.compare(data, release)
    expected = RateChange(outcome="dia", columns=tuple(EXPLAINING)).compare(data, release)
    assert RateChange().compare(data, release) == expected
    assert UniqueRate().compare(data, release) == UniqueRate(columns=tuple(EXPLAINING)).compare(data, release)
    # Of numbers nothing is only compared where nobody says so: the changes of dep, pir and dia are measured.
    assert set(RecordLoss().compare(data, release).detail) == {"age", "bmi", "dep", "pir", "dia", "changed"}


def test_an_outcome_that_nobody_names_and_no_role_tells_is_asked_for() -> None:
    frame = health_records(9, rng=np.random.default_rng(2))
    bare = Dataset(frame.frame, Schema(tuple(replace(column, role=Role.OTHER) for column in HEALTH)))
    for measure in (Odds(columns=("age",)), RateChange(columns=("age",))):
        with pytest.raises(
            ParameterError, match="outcome must be given where there is not exactly one sensitive column"
        ):
            measure.compare_files(bare, bare)
    for measure in (Odds(outcome="dia"), RateChange(outcome="dia")):
        with pytest.raises(ParameterError, match="columns must be given where no column is a quasi-identifier"):
            measure.compare_files(bare, bare)


def test_a_column_of_many_numbers_without_cuts_is_cut_at_the_originals_quartiles() -> None:
    # 40 ages 1..40, all with dia 0: quartiles 10, 20, 30, so each of four cells holds a quarter; a release of the lower
    # half holds two halves.
    people = health_records(40, rng=np.random.default_rng(0)).frame.with_columns(
        age=pl.Series(range(1, 41), dtype=pl.Int64) * 1_000_000, dia=pl.lit(0, dtype=pl.Int64)
    )
    data, lower = Dataset(people, HEALTH), Dataset(people.head(20), HEALTH)
    assert RateChange(outcome="dia", columns=("age",)).compare_files(data, lower).value == 0.25


def test_a_regression_needs_both_outcomes_and_may_have_nothing_to_explain_them() -> None:
    design = np.ones((4, 2))
    assert fit_logistic(design, np.ones(4, dtype=np.bool_)) is None
    assert fit_logistic(design, np.zeros(4, dtype=np.bool_)) is None
    # three of four: log(3/4 / 1/4) = log 3, whatever else there is
    coefficients = fit_logistic(design, np.array([True, True, True, False]))
    assert coefficients is not None
    assert coefficients.tolist() == pytest.approx([np.log(3), 0])
