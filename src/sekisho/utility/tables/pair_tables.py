"""The worst pair of columns: u of the contest of 2024.

Of every pair of columns, those left out apart, the table of how often each pair of values occurs is counted in the
original (B) and in the sheet (C), and the two are compared:

    w = largest L1 distance of two such tables / normaliser,      u = 100 (1 - w), written with three decimals

The normaliser is a number of the rules (20,000 in 2024), whatever the number of rows. Pairs of two columns of ``apart``
do not count. More is better.

The order of the rows, and any link between sheets, is free: a sheet that is shuffled on its own keeps u = 100.

Source: PWS Cup 2024, program utilityScore.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.utility.score import Direction, Score
from sekisho.utility.tables import Given
from sekisho.words import Said

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class WorstPairTable:
    """100 less the worst pair's distance in per cent of the normaliser.

    Attributes:
        normaliser: what the L1 distance is divided by.
        apart: a pair of two of these columns does not count.
        decimals: with which the value is written.
    """

    normaliser: int
    apart: tuple[str, ...] = ()
    decimals: int = 3

    def __post_init__(self) -> None:
        if self.normaliser < 1:
            raise ParameterError("normaliser", Said("be at least 1"), self.normaliser)

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return u of one sheet, whose columns are some of the original's; the detail has the largest L1 distance."""
        del given
        worst = max(self.measure_pairs(original, released).values(), default=0)
        value = round(100 * (1 - worst / self.normaliser), self.decimals)
        return Score(value=value, direction=Direction.MORE, detail={"l1": worst})

    def measure_pairs(self, original: pl.DataFrame, released: pl.DataFrame) -> dict[tuple[str, str], int]:
        """Return the L1 distance of each pair of columns that counts."""
        sides = {name: code_together(original[name], released[name]) for name in released.columns}
        return {
            (one, two): measure_pair(sides[one], sides[two])
            for one, two in combinations(released.columns, 2)
            if one not in self.apart or two not in self.apart
        }


def code_together(one: pl.Series, two: pl.Series) -> tuple[Codes, Codes, int]:
    """Return two columns as codes of the values that occur in either, and how many these are."""
    both = pl.concat([one.cast(pl.String), two.cast(pl.String)])
    codes = both.rank("dense").to_numpy().astype(np.int64) - 1
    return codes[: len(one)], codes[len(one) :], int(codes.max(initial=-1)) + 1


def measure_pair(first: tuple[Codes, Codes, int], second: tuple[Codes, Codes, int]) -> int:
    """Return the L1 distance of the two-way tables of two columns, before and after."""
    before, after = first[0] * second[2] + second[0], first[1] * second[2] + second[1]
    size = first[2] * second[2]
    if size <= 4 * (len(before) + len(after)):
        return int(np.abs(np.bincount(before, minlength=size) - np.bincount(after, minlength=size)).sum())
    pairs, codes = np.unique(np.concatenate([before, after]), return_inverse=True)
    weights = np.where(np.arange(len(codes)) < len(before), 1, -1)
    return int(np.abs(np.bincount(codes, weights=weights, minlength=len(pairs))).sum())
