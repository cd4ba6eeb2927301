"""Which records have the same values: the same number for equal rows, also of different data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset, encode_texts
from sekisho.errors import ParameterError
from sekisho.words import Said


def number_equal_rows(*sets: Dataset, columns: Sequence[str]) -> tuple[NDArray[np.int64], ...]:
    """Return a number for each row of each data set: two rows have the same one if they agree in all the columns.

    Raises:
        ParameterError: a data set lacks one of the columns, or none is named.
    """
    missing = sorted({name for data in sets for name in columns if name not in data.schema.names})
    if missing or not columns:
        raise ParameterError("columns", Said("be at least one, and stand in every file that is compared"), missing)
    ends = np.cumsum([len(data) for data in sets])
    number = np.zeros(int(ends[-1]), dtype=np.int64)
    for name in columns:
        codes, values = encode_texts(pl.concat([data.text(name) for data in sets]))
        number = np.unique(number * len(values) + codes, return_inverse=True)[1].reshape(-1)
    return tuple(np.split(number, ends[:-1]))


def find_single_rows(number: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the rows whose number no other row has, ascending."""
    _, first, count = np.unique(number, return_index=True, return_counts=True)
    return np.sort(first[count == 1])


def count_unique_records(data: Dataset) -> int:
    """Return how many records there are whose values, all attributes taken together, nobody else has."""
    (number,) = number_equal_rows(data, columns=[column.name for column in data.schema.attributes])
    return len(find_single_rows(number))
