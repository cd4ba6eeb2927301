"""Models learned from a release: by hand, and against the normal equations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from tests.recodings import Case, NumberCell, TextCell, cases

from sekisho.errors import ParameterError
from sekisho.utility.records.transfer import ClassifierTransfer, RegressionTransfer


def make_case(pay: Sequence[NumberCell], job: Sequence[TextCell]) -> Case:
    """Return records whose pay is their age and whose job tells their town."""
    return Case(
        numbers={"age": [0, 1, 2, 3], "pay": [0, 1, 2, 3]},
        texts={"town": ["a", "a", "b", "b"], "job": ["x", "x", "y", "y"]},
        ranges={"age": [(at, at) for at in range(4)], "pay": pay},
        sets={"town": [frozenset("a")] * 2 + [frozenset("b")] * 2, "job": job},
        deleted=[False] * 4,
    )


def test_a_release_that_turns_the_numbers_round_teaches_the_opposite() -> None:
    case = make_case([(3, 3), (2, 2), (1, 1), (0, 0)], [frozenset("y")] * 2 + [frozenset("x")] * 2)
    # In standard deviations z of age the ridge slope is z'z / (z'z + 1) = 4/5, from the original and, turned, -4/5 from
    # the release. Residuals are 1/5 and 9/5 of z: R^2 = 1 - 1/25 and 1 - 81/25.
    score = RegressionTransfer(target="pay", columns=("age",)).compare(case.data, case.release)
    assert score.detail["original"] == pytest.approx(24 / 25)
    assert score.detail["released"] == pytest.approx(1 - 81 / 25)
    assert score.value == pytest.approx(80 / 25)
    # the classifier says x where y was: nothing is right, the most frequent value is right of half
    score = ClassifierTransfer(target="job", columns=("town",)).compare(case.data, case.release)
    assert score.detail == {"released": 0.0, "original": 1.0, "most_frequent": 0.5}
    assert score.value == 1.0


def test_where_nothing_is_told_of_the_target_the_mean_and_the_most_frequent_are_left() -> None:
    case = make_case([None] * 4, [None, None, frozenset("xy"), None])
    assert RegressionTransfer(target="pay", columns=("age",)).compare(case.data, case.release).detail["released"] == 0.0
    score = ClassifierTransfer(target="job", columns=("town",)).compare(case.data, case.release)
    assert score.detail["released"] == score.detail["most_frequent"]


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (RegressionTransfer(target="town"), "target must be a column of numbers, not 'town'"),
        (ClassifierTransfer(target="age"), "target must be a category, not 'age'"),
        (ClassifierTransfer(target="job", columns=("job",)), "columns must be one or more, without the target"),
    ],
)
def test_what_cannot_be_predicted_is_named(measure: RegressionTransfer | ClassifierTransfer, words: str) -> None:
    case = make_case([None] * 4, [None] * 4)
    with pytest.raises(ParameterError, match=words):
        measure.compare(case.data, case.release)


def slow_ridge(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the coefficients and the intercept of ridge regression with penalty 1 by the normal equations."""
    centre = x.mean(axis=0)
    slopes = np.linalg.solve((x - centre).T @ (x - centre) + np.eye(x.shape[1]), (x - centre).T @ (y - y.mean()))
    return slopes, float(y.mean() - centre @ slopes)


def slow_features(case: Case, *, released: bool) -> NDArray[np.float64]:
    """Return age in standard deviations, and the shares of each town."""
    age, towns = np.array(case.numbers["age"], dtype=float), sorted(set(case.texts["town"]))
    numbers = [cell and sum(cell) / 2 for cell in case.number_cells("age")] if released else list(age)
    told = [(number - age.mean()) / (age.std() or 1.0) for number in numbers if number is not None]
    usual = float(np.mean(told)) if told else 0.0
    first = [usual if number is None else (number - age.mean()) / (age.std() or 1.0) for number in numbers]
    sets = case.text_cells("town") if released else [frozenset({word}) for word in case.texts["town"]]
    rows = [
        [(town in cell) / len(cell) for town in towns] if cell and (len(cell) == 1 or len(cell) < len(towns)) else None
        for cell in sets
    ]
    known = [row for row in rows if row is not None]
    mean = list(np.mean(known, axis=0)) if known else [0.0] * len(towns)
    return np.array([[number, *(row or mean)] for number, row in zip(first, rows, strict=True)])


@given(cases())
def test_the_regression_is_that_of_the_normal_equations(case: Case) -> None:
    score = RegressionTransfer(target="pay", columns=("age", "town")).compare(case.data, case.release)
    truth = np.array(case.numbers["pay"], dtype=float)
    spread = ((truth - truth.mean()) ** 2).sum()
    told = [at for at, cell in enumerate(case.number_cells("pay")) if cell is not None]
    cells = [cell for cell in case.number_cells("pay") if cell is not None]
    y = np.array([sum(cell) / 2 for cell in cells])
    if not spread:
        assert score.value == 0.0
        return
    if len(y) < 2:
        predicted = np.full(len(truth), y.mean() if len(y) else truth.mean())
    else:
        scale = y.std() or 1.0
        slopes, intercept = slow_ridge(slow_features(case, released=True)[told], (y - y.mean()) / scale)
        predicted = (slow_features(case, released=False) @ slopes + intercept) * scale + y.mean()
    assert score.detail["released"] == pytest.approx(1 - ((truth - predicted) ** 2).sum() / spread, abs=1e-6)


@given(cases())
def test_accuracies_are_shares_of_the_records(case: Case) -> None:
    score = ClassifierTransfer().compare(case.data, case.release)
    assert all(0 <= figure <= 1 for figure in score.detail.values())
    assert score.detail["released"] * case.rows == pytest.approx(round(score.detail["released"] * case.rows))
