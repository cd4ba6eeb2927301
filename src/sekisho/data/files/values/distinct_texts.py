"""The distinct texts of a column: what is written often is read once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class DistinctTexts:
    """The distinct texts of a column; row i of the column holds ``text[place[i]]``.

    A text that no row points to says nothing.
    """

    text: pl.Series
    place: NDArray[np.intp]


def find_distinct_texts(column: pl.Series) -> DistinctTexts:
    """Return the distinct texts of a column without nulls, in no telling order."""
    column = column.rechunk()
    place = column.cast(pl.Categorical).to_physical().to_numpy().astype(np.intp)
    # Polars shares the codes of categories that are alive anywhere, so there may be gaps; row 0 fills them.
    holder = np.zeros(place.max(initial=-1) + 1, dtype=np.intp)
    holder[place] = np.arange(len(place))
    return DistinctTexts(column.gather(holder), place)
