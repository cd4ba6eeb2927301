"""OR of the contest of 2021: does a logistic regression on the release still give the original's odds ratios?

The outcome is regressed on all explanatory columns; a category is coded by treatment contrasts against its
alphabetically first value. With coefficients b of the original and b' of the release, the measure is the largest
|exp(b) - exp(b')|, intercept included. A coefficient that one of the files lacks (a value that does not occur there) is
passed over.

The maximum of the likelihood exists unless some combination of the columns separates the outcomes; then the odds ratios
are infinite, and the measure says so instead of giving the number at which an iteration happened to stop.

Source: PWS Cup 2021, rules; program odds6.py. Separation: Albert, Anderson, Biometrika 71 (1984).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_TEXT, find_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row, take_kept
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError
from sekisho.parameters import checked
from sekisho.utility.records.linear_models import fit_logit
from sekisho.utility.records.rate import settle_explaining, settle_outcome
from sekisho.utility.score import Score
from sekisho.words import Said

MOST = 1000
"""So many values the explaining columns may have together."""
CERTAIN = 15.0  # log-odds beyond which a fitted chance is 0 or 1 to six digits: no sample of thousands supports it


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Odds:
    """The largest change of an odds ratio."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    outcome: str = ""
    columns: tuple[str, ...] = ()

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the largest difference; the detail holds each coefficient's."""
        return self.compare_files(original, take_kept(released))

    def compare_files(self, original: Dataset, other: Dataset) -> Score:
        """Return the same for any two files, which need not have the same rows."""
        one, two = self.compute_ratios(original), self.compute_ratios(other)
        gaps = {name: abs(ratio - two[name]) for name, ratio in one.items() if name in two}
        return Score(value=max(gaps.values()), detail=gaps)

    def compute_ratios(self, data: Dataset) -> dict[str, float]:
        """Return exp(coefficient) by name, ``intercept`` first.

        Raises:
            InfeasibleError: the outcomes are perfectly separated, or only one occurs.
        """
        require_one_row(data)
        outcome, columns = settle_outcome(data.schema, self.outcome), settle_explaining(data.schema, self.columns)
        data = _take_complete(data, outcome, columns)
        answer = mark_outcomes(data, outcome)
        _refuse_separated(data, columns, outcome, answer)
        names, design = code_treatments(data, columns)
        coefficients = fit_logistic(design, answer)
        if coefficients is None:
            raise InfeasibleError(
                Said("perfect separation: some combination of the columns decides {outcome}", outcome=outcome)
            )
        return dict(zip(names, np.exp(coefficients).tolist(), strict=True))


def _take_complete(data: Dataset, outcome: str, columns: tuple[str, ...]) -> Dataset:
    """Return the records that lack neither the outcome nor a number; a missing category is a value."""
    lacking = (data.text(outcome) == MISSING_TEXT).to_numpy()
    for name in columns:
        lacking |= find_gaps(data.grid(name)) if data.schema[name].kind.numeric else False
    return Dataset(data.frame.filter(pl.Series(~lacking)), data.schema) if lacking.any() else data


def mark_outcomes(data: Dataset, outcome: str) -> NDArray[np.bool_]:
    """Return which records have the second of an outcome's two values, in their order.

    Raises:
        InfeasibleError: there are not two.
    """
    values = data.text(outcome)
    distinct = values.unique().to_list()
    if data.schema[outcome].kind.numeric:
        grid = data.grid(outcome)
        yes = grid == grid.max()
    else:
        yes = (values == max(distinct)).to_numpy()
    if len(distinct) != 2:
        shown = ", ".join(sorted(distinct)[:3])
        raise InfeasibleError(
            Said(
                "odds ratios need two outcomes of {outcome}; its {records} records have {distinct} ({shown})",
                outcome=outcome,
                records=len(data),
                distinct=len(distinct),
                shown=shown,
            )
        )
    return yes


def _refuse_separated(data: Dataset, columns: tuple[str, ...], outcome: str, answer: NDArray[np.bool_]) -> None:
    for name in columns:
        if data.schema[name].kind.numeric:
            continue
        total = np.bincount(data.codes(name))
        yes = np.bincount(data.codes(name), weights=answer)
        for code in np.flatnonzero((yes == 0) | (yes == total)).tolist():
            value, result = data.domain(name)[code], data.text(outcome).filter(answer == (yes[code] > 0))[0]
            raise InfeasibleError(
                Said(
                    "perfect separation: all {total} records with {name} = {value} have {outcome} = {result}",
                    total=total[code],
                    name=name,
                    value=value,
                    outcome=outcome,
                    result=result,
                )
            )


def code_treatments(data: Dataset, columns: tuple[str, ...]) -> tuple[list[str], NDArray[np.float64]]:
    """Return the names and the design matrix of a regression.

    A column of ones, then numbers as they are and categories without their first value.

    Raises:
        InfeasibleError: the columns have too many values.
    """
    values = sum(1 if data.schema[name].kind.numeric else len(data.domain(name)) for name in columns)
    if values > MOST:
        raise InfeasibleError(
            Said(
                "the explaining columns have {values:,} values; odds ratios are fitted of {most:,}",
                values=values,
                most=MOST,
            )
        )
    names, parts = ["intercept"], [np.ones(len(data))]
    for name in columns:
        column = data.schema[name]
        if column.kind.numeric:
            names.append(name)
            parts.append(data.grid(name) / 10**column.decimals)
            continue
        codes = data.codes(name)
        for code, value in enumerate(data.domain(name)[1:], start=1):
            names.append(f"{name}={value}")
            parts.append((codes == code).astype(np.float64))
    return names, np.stack(parts, axis=1)


def fit_logistic(design: NDArray[np.float64], answer: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """Return the coefficients of greatest likelihood, or None where there are none.

    Columns are centred and scaled for the fit and the coefficients carried back: the maximum is the same, the digits
    are better.
    """
    if answer.all() or not answer.any():
        return None
    centre, scale = design.mean(axis=0), design.std(axis=0)
    moving = np.ptp(design, axis=0) > 0  # the mean of equal fractions is rounded, their deviation need not be 0
    if not moving.any():
        share = float(answer.mean())
        return np.log(share / (1 - share)) * np.eye(design.shape[1])[0]
    scaled = (design[:, moving] - centre[moving]) / scale[moving]
    model = fit_logit(scaled, answer)
    if model is None:
        return None
    slopes = np.zeros(design.shape[1])
    slopes[moving] = model.slopes / scale[moving]
    slopes[0] = float(model.intercept) - float(slopes[1:] @ centre[1:])
    return None if float(np.median(np.abs(design @ slopes))) > CERTAIN else slopes
