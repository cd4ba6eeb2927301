"""A logistic regression of both files: d2 of the contest of 2025.

The outcome is regressed on all other columns: numbers as they are (empty cells take the median), categories as
indicators without their first value, constant columns left out. Four rows of five are drawn, stratified by the outcome
(:func:`draw_stratified`), and a binomial model with a constant is fitted by iteratively weighted least squares. Each
term has six figures:

    coefficient b,  p of b/se (two-sided, normal),  OR/(1 + OR) = s(b),  s(b - z se),  s(b + z se),  1 - 1/max(VIF, 1)

with s the logistic function and z the 97.5 % point. VIF is that of the term among all terms of the drawn rows. A term
that one file lacks counts 0. d2 is the largest absolute difference, a difference d of coefficients counting
2 s(|d|) - 1 (``bounded``; before 28 August 2025 it counted |d|).

The draw depends on the order of the rows: a copy of the original in another order has a d2 of 0.5 to 0.8. The rows of a
release are taken as they come. Less is better.

Source: PWS Cup 2025, program LR_asthma_diff; McCullagh, Nelder, "Generalized Linear Models" (1989), section 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.seeds import start_twister
from sekisho.utility.score import Score
from sekisho.utility.tables import Given
from sekisho.utility.tables.number_columns import Floats, code_features, drop_constant, find_largest, parse_numbers
from sekisho.words import Said

FIGURES = ("coefficient", "p", "odds", "low", "high", "inflation")
STEPS, CLOSE, TINY = 100, 1e-8, np.finfo(np.float64).eps


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class OddsDifference:
    """The largest difference of a figure of a logistic regression.

    Attributes:
        outcome: the column that is explained, 0 or 1.
        test: the share of rows that is left aside.
        seed: of the draw.
        share: from which share of numbers on a column is one of numbers.
        bounded: whether a difference of coefficients is brought below 1.
    """

    outcome: str
    test: float = 0.2
    seed: int = 42
    share: float = 0.95
    bounded: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.test < 1:
            raise ParameterError("test", Said("lie strictly between 0 and 1"), self.test)

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return d2; the detail holds the difference of each figure of each term."""
        del given
        one, two = self.fit(original), self.fit(released)
        absent = dict.fromkeys(FIGURES, 0.0)
        differences: dict[str, float] = {}
        for term in sorted({*one, *two}):
            before, after = one.get(term, absent), two.get(term, absent)
            for figure in FIGURES:
                gap = after[figure] - before[figure]
                if figure == "coefficient" and self.bounded:
                    gap = float(np.sign(gap) * (2 * expit(abs(gap)) - 1))
                differences[f"{figure} {term}"] = gap
        return Score(value=find_largest(differences), detail=differences)

    def fit(self, table: pl.DataFrame) -> dict[str, dict[str, float]]:
        """Return the figures of each term.

        Raises:
            InfeasibleError: the outcome does not take the values 0 and 1, twice each at least.
        """
        outcome = parse_numbers(table[self.outcome])
        counts = [int((outcome == value).sum()) for value in (0, 1)]
        if sum(counts) < len(outcome) or min(counts) < 2:
            raise InfeasibleError(
                Said("a regression needs {outcome} to be 0 or 1, each at least twice", outcome=self.outcome)
            )
        features = drop_constant(
            {
                name: _fill_median(values)
                for name, values in code_features(table.drop(self.outcome), share=self.share).items()
            }
        )
        drawn = draw_stratified(outcome.astype(np.int64), test=self.test, seed=self.seed)
        columns = np.stack(list(features.values()), axis=1)[drawn] if features else np.zeros((len(drawn), 0))
        return dict(zip(features, _describe_fit(columns, outcome[drawn]), strict=True))


def draw_stratified(labels: NDArray[np.int64], *, test: float, seed: int) -> NDArray[np.int64]:
    """Return the rows that are not left aside, drawn class by class, in the order of the draw.

    Of each class as many as its share of the whole, rounded down; what is then missing goes to the classes with the
    largest remainders, ties drawn. Within a class the rows are permuted. So does scikit-learn's train_test_split
    (StratifiedShuffleSplit), whose numbers come out here.
    """
    source = start_twister(seed)
    aside = int(np.ceil(test * len(labels)))
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)

    def divide(sizes: NDArray[np.int64], total: int) -> NDArray[np.int64]:
        exact = sizes / sizes.sum() * total
        shares = np.floor(exact)
        rest = int(total - shares.sum())
        for remainder in np.unique(exact - np.floor(exact))[::-1].tolist():
            places = np.flatnonzero(exact - np.floor(exact) == remainder)
            more = min(len(places), rest)
            if more > 0:
                shares[source.choice(places, size=more, replace=False)] += 1
                rest -= more
        return shares.astype(np.int64)

    kept = divide(counts, len(labels) - aside)
    divide(counts - kept, aside)  # its draws come before the permutations
    parts: list[NDArray[np.int64]] = []
    for code, count in enumerate(counts.tolist()):
        rows = np.flatnonzero(codes == code)[source.permutation(count)]
        parts.append(rows[: kept[code]])
    return source.permutation(np.concatenate(parts))


def _fill_median(values: Floats) -> Floats:
    told = np.isfinite(values)
    return values if told.all() else np.where(told, values, np.median(values[told]) if told.any() else 0.0)


def _describe_fit(columns: Floats, outcome: Floats) -> list[dict[str, float]]:
    design = np.column_stack([np.ones(len(columns)), columns])
    weights, errors = fit_binomial(design, outcome)
    slopes, spread = weights[1:], errors[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        chances = 2 * ndtr(-np.abs(slopes / spread))
    reach = float(ndtri(0.975)) * spread
    inflation = 1 - 1 / np.maximum(compute_inflation(columns), 1)
    figures = (slopes, chances, expit(slopes), expit(slopes - reach), expit(slopes + reach), inflation)
    rows = np.nan_to_num(np.stack(figures, axis=1)).tolist()
    return [dict(zip(FIGURES, row, strict=True)) for row in rows]


def fit_binomial(design: Floats, outcome: Floats) -> tuple[Floats, Floats]:
    """Return coefficients and their standard errors by iteratively weighted least squares.

    Begins at (y + 1/2)/2 and ends when the deviance stands still or after 100 steps; where columns depend on each other
    the solution of least length is taken.
    """
    chance = (outcome + 0.5) / 2
    odds = np.log(chance / (1 - chance))
    inverse, weights = np.zeros(design.shape[::-1]), np.zeros(design.shape[1])
    before = np.inf
    for _ in range(STEPS):
        chance = np.clip(chance, TINY, 1 - TINY)
        root = np.sqrt(chance * (1 - chance))
        inverse = np.linalg.pinv(design * root[:, None])
        weights = inverse @ (root * (odds + (outcome - chance) / (chance * (1 - chance))))
        odds = design @ weights
        chance = np.asarray(expit(odds))
        deviance = float(2 * np.logaddexp(0, np.where(outcome > 0, -odds, odds)).sum())
        if abs(deviance - before) <= CLOSE:
            break
        before = deviance
    return weights, np.sqrt((inverse**2).sum(axis=1))


def compute_inflation(columns: Floats) -> Floats:
    """Return the variance inflation factor of each column among all: 1/(1 - R^2) of its regression on the others.

    The factors are the diagonal of the inverse of the correlations; where columns depend on each other they are
    infinite.
    """
    centred = columns - columns.mean(axis=0)
    scale = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where(scale > 0, scale, 1)
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    small = values <= 1e-12 * max(1.0, float(values.max(initial=0.0)))
    with np.errstate(divide="ignore"):
        factors = (vectors**2 / np.where(small, np.inf, values)).sum(axis=1)
    tied = (vectors[:, small] ** 2).sum(axis=1) > 1e-12
    return np.where(tied & (scale > 0), np.inf, factors)
