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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, SetCells, drop_gaps, find_gaps
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.utility.records.linear_models import fit_ridge
from sekisho.utility.records.spread import ColumnClasses, Floats, find_classes
from sekisho.utility.score import Score
from sekisho.words import Said

PENALTY = 1.0
MOST_CLASSES = 1000
"""So many values a category may have to be predicted."""


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
        tried = features.build(table.columns)[there]
        figures = [
            _score_regression(features, cells, target, (tried, truth))
            for cells in (released.table.columns, table.columns)
        ]
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
        truth = np.asarray(original.domain(target), dtype=object)[original.codes(target)]
        usual = original.domain(target)[int(np.bincount(original.codes(target)).argmax())]
        table = exact_table(original)
        tried = features.build(table.columns)
        figures = [
            float(np.mean(_classify(features, cells, target, tried, usual) == truth))
            for cells in (released.table.columns, table.columns)
        ]
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

    def build(self, cells: Mapping[str, Cells]) -> Floats:
        """Return one row of features a record."""
        return np.concatenate([self._build_column(name, cells[name]) for name in self.classes], axis=1)

    def _build_column(self, name: str, cells: Cells) -> Floats:
        classes = self.classes[name]
        told = classes.tells(cells)
        if isinstance(cells, RangeCells):
            told &= ~cells.is_missing()
            mean, deviation = self.scales[name]
            values = ((find_middles(cells) - mean) / (deviation or 1.0))[:, None]
        else:
            values = classes.spread(cells)
        usual = values[told].mean(axis=0) if told.any() else np.zeros(values.shape[1])
        return np.where(told[:, None], values, usual)


def _find_scale(numbers: NDArray[np.int64]) -> tuple[float, float]:
    """Return mean and standard deviation of the numbers that are there."""
    return (float(numbers.mean()), float(numbers.std())) if len(numbers) else (0.0, 0.0)


def find_middles(cells: RangeCells) -> Floats:
    """Return the middle of each range."""
    return cells.lower / 2 + cells.upper / 2


def _score_regression(
    features: Features, cells: Mapping[str, Cells], target: str, tried: tuple[Floats, Floats]
) -> float:
    """Return R^2 on the original of a regression that was learned from some cells."""
    wanted = cells[target]
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
        model = fit_ridge(features.build(cells)[told], (middles - centre) / scale, penalty=PENALTY)
        predicted = model.predict(rows) * scale + centre
    return 1.0 - float(((truth - predicted) ** 2).sum()) / spread


def _classify(
    features: Features, cells: Mapping[str, Cells], target: str, rows: Floats, usual: str
) -> NDArray[np.object_]:
    """Return what a classifier that was learned from some cells says of the original's records."""
    wanted = cells[target]
    if not isinstance(wanted, SetCells):
        raise ParameterError("target", Said("be a category"), target)
    told = wanted.is_exact()
    labels = np.asarray(wanted.domain, dtype=object)[wanted.codes[wanted.offsets[:-1][told]]]
    present, codes = np.unique(labels.astype(str), return_inverse=True)
    if len(present) < 2:
        return np.full(len(rows), present[0] if len(present) else usual, dtype=object)
    if len(present) > MOST_CLASSES:
        raise InfeasibleError(
            Said(
                "{target} has {present:,} values; a classifier is learned of {most_classes:,}",
                target=target,
                present=len(present),
                most_classes=MOST_CLASSES,
            )
        )
    against = np.where(np.arange(len(present)) == codes[:, None], 1.0, -1.0)  # each value against all others
    model = fit_ridge(features.build(cells)[told], against, penalty=PENALTY)
    return present[model.predict(rows).argmax(axis=1)].astype(object)
