"""What is learned from the release, is it still true of the original?

A linear model that predicts one column from the others is learned from the release and tried on the original; the same
model learned from the original itself is the best one could hope for. The value is what was lost between the two: of a
number the difference of R^2 (``RegressionTransfer``), of a category the difference of accuracy
(``ClassifierTransfer``). Below 0 where the release happens to teach better. Both models are tried on records they may
have seen, so neither figure is what new people would give; the difference is what counts.

Cells become features by their middle (ranges, in standard deviations of the original) or by shares over the values of a
set (``{a;b}`` is 1/2 and 1/2; the 50 most frequent values have a feature each, all others one together). The target is
a range's middle, or the one value of an exact cell.

Missing cells: a number that is missing, and a feature that a cell does not tell, takes the mean of the cells that tell
it; records whose target is missing or not told (of a category: not exact) are not learned from, nor are deleted ones.
If fewer than two are left, nothing is learned, and the mean or the original's most frequent value is predicted.

The models are ridge regression with penalty 1, in closed form: no chance, nothing that might not converge.

Source: Hoerl, Kennard, "Ridge regression", Technometrics 12 (1970); training on the release and testing on the original
as in Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002 (classification metric), and LeFevre,
DeWitt, Ramakrishnan, "Workload-aware anonymization", KDD 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import DistinctCells, RangeCells, SetCells, drop_gaps, find_gaps
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.utility.records.ridge import RidgeModel, fit_ridge
from sekisho.utility.records.spread import ColumnClasses, Floats, SpreadColumn, find_classes, spread_cells
from sekisho.utility.score import Score
from sekisho.words import Said

PENALTY = 1.0
MOST_CLASSES = 1000
"""So many values a category may have to be predicted."""
NOBODY = -1
"""The code of a value that no record of the original has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Transfer:
    """What both share: which column is predicted, and from which."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    numeric: ClassVar[bool] = True

    target: str = ""
    columns: tuple[str, ...] = ()

    def settle(self, schema: Schema) -> tuple[str, tuple[str, ...]]:
        """Return the target and the columns it is predicted from.

        Where no target is named, the sensitive column of the kind, else the last column of the kind.
        """
        names = [column.name for column in schema.attributes if column.kind.numeric is self.numeric]
        sensitive = [name for name in names if schema[name].role is Role.SENSITIVE]
        target = schema[self.target].name if self.target else next(iter(sensitive), names[-1] if names else "")
        if target not in names:
            rule = Said("be a column of numbers") if self.numeric else Said("be a category")
            raise ParameterError("target", rule, self.target or schema.names)
        columns = self.columns or tuple(column.name for column in schema.attributes if column.name != target)
        if target in columns or not columns:
            raise ParameterError("columns", Said("be one or more, without the target"), columns)
        return target, tuple(schema[name].name for name in columns)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RegressionTransfer(_Transfer):
    """How much of R^2 is lost when a linear regression is learned from the release and tried on the original."""

    numeric: ClassVar[bool] = True

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the loss of R^2; the detail holds R^2 from the release and from the original."""
        require_one_row(original)
        target, columns = self.settle(original.schema)
        features = Features.of(original, columns)
        there = ~find_gaps(original.grid(target))
        truth = original.grid(target)[there].astype(np.float64)
        table = exact_table(original)
        tried = features.build(table, there)
        figures = [_score_regression(features, cells, target, (tried, truth)) for cells in (released.table, table)]
        return Score(value=figures[1] - figures[0], detail={"released": figures[0], "original": figures[1]})


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class ClassifierTransfer(_Transfer):
    """How much accuracy is lost when a linear classifier is learned from the release and tried on the original."""

    numeric: ClassVar[bool] = False

    def compare(self, original: Dataset, released: Release) -> Score:
        """Return the loss of accuracy; the detail also holds that of the most frequent value."""
        require_one_row(original)
        target, columns = self.settle(original.schema)
        features = Features.of(original, columns)
        truth, domain = original.codes(target), original.domain(target)
        usual = int(np.bincount(truth).argmax())
        table = exact_table(original)
        tried = features.build(table, np.ones(len(original), dtype=np.bool_))
        learned = [_learn_classes(features, cells, target) for cells in (released.table, table)]
        figures = [float(np.mean(classes.classify(tried, domain, usual) == truth)) for classes in learned]
        detail = {"released": figures[0], "original": figures[1], "most_frequent": float(np.mean(truth == usual))}
        return Score(value=figures[1] - figures[0], detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Features:
    """How cells become numbers.

    Attributes:
        classes: of each column, the classes over which sets are spread.
        scales: of each column of numbers, its mean and standard deviation in the original.
    """

    classes: dict[str, ColumnClasses]
    scales: dict[str, tuple[float, float]]

    @classmethod
    def of(cls, original: Dataset, columns: tuple[str, ...]) -> Features:
        """Return the features of some columns."""
        numbers = [name for name in columns if original.schema[name].kind.numeric]
        return cls(
            classes={name: find_classes(original, name) for name in columns},
            scales={name: _find_scale(drop_gaps(original.grid(name))) for name in numbers},
        )

    def build(self, table: MaskedTable, rows: NDArray[np.bool_]) -> tuple[SpreadColumn, ...]:
        """Return the features of some rows; what is usual is so among all of them."""
        return tuple(self._build_column(name, table.find_distinct(name), rows) for name in self.classes)

    def _build_column(self, name: str, column: DistinctCells, rows: NDArray[np.bool_]) -> SpreadColumn:
        classes, cells = self.classes[name], column.cells
        told = classes.tells(cells)
        if isinstance(cells, RangeCells):
            told &= ~cells.is_missing()
            mean, deviation = self.scales[name]
            values = ((find_middles(cells) - mean) / (deviation or 1.0))[:, None]
        else:
            values = spread_cells(classes, cells)
        records = np.bincount(column.place, minlength=len(cells)) * told
        usual = records @ np.where(told[:, None], values, 0.0) / max(1, records.sum())
        return SpreadColumn(place=column.place[rows], shares=np.where(told[:, None], values, usual))


def _find_scale(numbers: NDArray[np.int64]) -> tuple[float, float]:
    """Return mean and standard deviation of the numbers that are there."""
    return (float(numbers.mean()), float(numbers.std())) if len(numbers) else (0.0, 0.0)


def find_middles(cells: RangeCells) -> Floats:
    """Return the middle of each range."""
    return cells.lower / 2 + cells.upper / 2


def _score_regression(
    features: Features, table: MaskedTable, target: str, tried: tuple[Sequence[SpreadColumn], Floats]
) -> float:
    """Return R^2 on the original of a regression that was learned from some cells."""
    wanted = table.columns[target]
    rows, truth = tried
    if not isinstance(wanted, RangeCells):
        raise ParameterError("target", Said("be a column of numbers"), target)
    told = ~wanted.suppressed & ~wanted.is_missing()
    middles = find_middles(wanted)[told]
    spread = float(((truth - truth.mean()) ** 2).sum()) if len(truth) else 0.0
    if not spread:
        return 0.0
    predicted = np.full(len(truth), middles.mean() if len(middles) else truth.mean())
    if len(middles) > 1:
        # in the target's own scale, so that no unit changes what the penalty means
        centre, scale = float(middles.mean()), float(middles.std()) or 1.0
        values, place = np.unique(middles, return_inverse=True)
        targets = SpreadColumn(place=place.reshape(-1), shares=((values - centre) / scale)[:, None])
        model = fit_ridge(features.build(table, told), targets, penalty=PENALTY)
        predicted = np.concatenate([part[:, 0] for part in model.predict(rows)]) * scale + centre
    return 1.0 - float(((truth - predicted) ** 2).sum()) / spread


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LearnedClasses:
    """What was learned of a category.

    Attributes:
        values: that occur in what was learned from.
        model: which of them a record has; None where there are too few to be told apart.
    """

    values: tuple[str, ...]
    model: RidgeModel | None

    def classify(self, rows: Sequence[SpreadColumn], domain: Sequence[str], usual: int) -> NDArray[np.int64]:
        """Return for each row the place of its likeliest value in a domain.

        Args:
            rows: their features.
            domain: the original's values; one that it lacks is no record's.
            usual: the place of the value that is taken where nothing was learned.
        """
        at = {value: place for place, value in enumerate(domain)}
        places = np.array([at.get(value, NOBODY) for value in self.values], dtype=np.int64)
        if self.model is None:
            return np.full(len(rows[0].place), places[0] if len(places) else usual)
        return np.concatenate([places[part.argmax(axis=1)] for part in self.model.predict(rows)])


def _learn_classes(features: Features, table: MaskedTable, target: str) -> _LearnedClasses:
    """Return a classifier that is learned from some cells: each value against all others."""
    wanted = table.columns[target]
    if not isinstance(wanted, SetCells):
        raise ParameterError("target", Said("be a category"), target)
    told = wanted.is_exact()
    codes = wanted.codes[wanted.offsets[:-1][told]]
    counts = np.bincount(codes, minlength=len(wanted.domain))
    present = sorted(np.flatnonzero(counts).tolist(), key=wanted.domain.__getitem__)
    values = tuple(wanted.domain[code] for code in present)
    if len(present) < 2:
        return _LearnedClasses(values=values, model=None)
    if len(present) > MOST_CLASSES:
        raise InfeasibleError(
            Said(
                "{target} has {present:,} values; a classifier is learned of {most_classes:,}",
                target=target,
                present=len(present),
                most_classes=MOST_CLASSES,
            )
        )
    place = np.zeros(len(wanted.domain), dtype=np.int64)
    place[present] = np.arange(len(present))
    against = SpreadColumn(place=place[codes], shares=2.0 * np.eye(len(present)) - 1.0)
    model = fit_ridge(features.build(table, told), against, penalty=PENALTY)
    return _LearnedClasses(values=values, model=model)
