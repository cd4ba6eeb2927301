"""The share of cells that a release leaves as they are: u of the contest of 2023.

    u = (cells of A equal to the same cell of O) / (rows x columns)

A cell that says nothing (``*``) is unequal. Rows stand in the original's order. More is better.

Source: PWS Cup 2023, manual of 29 August 2023, utility.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from sekisho.errors import ParameterError
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import Given
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualCells:
    """The share of equal cells, all columns alike."""

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return the share; the detail holds how many cells are equal, and of how many."""
        del given
        equal = count_equal_cells(original, released)
        cells = original.height * original.width
        return Score(
            value=float(Fraction(equal, cells)), direction=Direction.MORE, detail={"equal": equal, "cells": cells}
        )


def count_equal_cells(one: pl.DataFrame, two: pl.DataFrame) -> int:
    """Return how many cells of two tables are the same text.

    Raises:
        ParameterError: one has other rows or columns, or there is no cell.
    """
    if one.shape != two.shape or not one.height * one.width:
        raise ParameterError("released", Said("have the original's rows and columns, at least one"), two.shape)
    pairs = zip(one.iter_columns(), two.iter_columns(), strict=True)
    return sum(int((left == right).sum()) for left, right in pairs)
