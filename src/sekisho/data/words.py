"""The distinct texts of a column: what is written often is read once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The distinct texts of a column; row i of the column holds ``text[place[i]]``."""

    text: pl.Series
    place: NDArray[np.intp]


def words_of(column: pl.Series) -> Words:
    """Return the distinct texts of a column without nulls, in no telling order."""
    codes = column.cast(pl.Categorical).to_physical().to_numpy()
    holder = np.full(int(codes.max(initial=0)) + 1, -1)
    holder[codes] = np.arange(len(codes))
    used = holder >= 0  # polars shares the codes of categories that are alive anywhere, so there may be gaps
    return Words(column.gather(holder[used]), (np.cumsum(used) - 1)[codes])
