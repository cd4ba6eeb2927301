"""Whose row is it? All sheets together, each row weighed by how likely its cells are those of the person.

The adversary sees released sheets of some columns each, in unknown order, and supposes that a cell is the true one with
a known chance k and else drawn from its column. Of a value with share p in its column, agreement multiplies the odds
that a row is a person's by (k + (1 - k) p)/p, disagreement by 1 - k. For a known person a and a masked row b:

    S(a, b) = sum over sheets of log sum over rows of odds(identifying cells of a) x odds(other cells of b)

He assigns people to masked rows so that the sum of S is largest, and takes for a masked cell the value with most weight
over the rows of all sheets that have its column. Right against sheets that are shuffled on their own, where each sheet
still has people's identifying and other cells side by side.

Source: Fellegi, Sunter, "A theory for record linkage", JASA 64 (1969); the assignment: Kuhn (1955).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

Floats = NDArray[np.float64]
MASK = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SheetLikelihood:
    """The attack.

    Attributes:
        known: the identifying columns.
        kept: the chance that an identifying cell is true.
        kept_others: that any other cell is.
    """

    known: tuple[str, ...]
    kept: float = 0.9
    kept_others: float = 0.9

    def __post_init__(self) -> None:
        for name, value in (("kept", self.kept), ("kept_others", self.kept_others)):
            if not 0 <= value < 1:
                raise ParameterError(name, Said("be at least 0 and below 1"), value)

    def guess(self, known: pl.DataFrame, masked: pl.DataFrame, sheets: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Return for each masked row a row of ``known``, and what the masked cell is taken to be."""
        people = [_weigh_rows(known, sheet, self.known, self.kept) for sheet in sheets]
        others = [tuple(name for name in sheet.columns if name not in self.known) for sheet in sheets]
        rows = [
            _weigh_rows(masked, sheet, names, self.kept_others) for sheet, names in zip(sheets, others, strict=True)
        ]
        score = np.zeros((masked.height, known.height))
        for left, right in zip(rows, people, strict=True):
            score += _add_logarithms(left, right)
        person = np.asarray(linear_sum_assignment(score, maximize=True)[1], dtype=np.int64)
        hidden = [masked.columns[place] for place in (masked == MASK).to_numpy().argmax(axis=1).tolist()]
        values = [
            self._read_hidden(
                name, sheets, [left[row] + right[person[row]] for left, right in zip(rows, people, strict=True)]
            )
            for row, name in enumerate(hidden)
        ]
        return pl.DataFrame({"person": person.astype(str), "value": values})

    def _read_hidden(self, name: str, sheets: Sequence[pl.DataFrame], weights: list[Floats]) -> str:
        """Return the value of a column with most weight, the sheets' shares multiplied."""
        total: dict[str, float] = {}
        for sheet, logarithms in zip(sheets, weights, strict=True):
            if name not in sheet.columns:
                continue
            shares = np.exp(logarithms - logarithms.max())
            column = pl.DataFrame({"value": sheet[name].cast(pl.String), "weight": shares / shares.sum()})
            summed = column.group_by("value").agg(pl.col("weight").sum())
            for value, weight in summed.iter_rows():
                total[value] = total.get(value, 0.0) + float(np.log(weight + 1e-3))
        return max(sorted(total), key=lambda value: total[value])


def _weigh_rows(asked: pl.DataFrame, sheet: pl.DataFrame, columns: tuple[str, ...], kept: float) -> Floats:
    """Return the logarithm of the odds that each row of a sheet is that of each asked row."""
    total = np.zeros((asked.height, sheet.height))
    for name in columns:
        both = pl.concat([asked[name].cast(pl.String), sheet[name].cast(pl.String)])
        codes = both.rank("dense").to_numpy().astype(np.int64) - 1
        mine, theirs = codes[: asked.height], codes[asked.height :]
        share = np.maximum(np.bincount(theirs, minlength=int(codes.max()) + 1) / sheet.height, 1e-9)
        agree = np.log(kept + (1 - kept) * share) - np.log(share)
        differ = float(np.log1p(-kept))
        gain = np.where(mine[:, None] == theirs[None], agree[mine][:, None], differ)
        gain[(asked[name] == MASK).to_numpy().astype(np.bool_)] = 0.0
        total += gain
    return total


def _add_logarithms(left: Floats, right: Floats) -> Floats:
    """Return log sum over rows of exp(left + right) for each pair."""
    most_left, most_right = left.max(axis=1, keepdims=True), right.max(axis=1, keepdims=True)
    sums = np.exp(left - most_left) @ np.exp(right - most_right).T
    return np.log(np.maximum(sums, 1e-300)) + most_left + most_right.T
