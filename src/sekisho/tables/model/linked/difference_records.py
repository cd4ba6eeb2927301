"""The records of a population that are none of its parts': the difference of two populations, exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sekisho.errors import Fault, FaultsError
from sekisho.words import Said

TIMES = "which of the equal rows this is"


def subtract_records(
    whole: pl.DataFrame, part: pl.DataFrame, *, texts: Sequence[str], numbers: Sequence[str], source: object = "part"
) -> pl.DataFrame:
    """Return the rows of a population that a part of it lacks; of equal rows as many as the part has are taken away.

    Args:
        whole: the records of the population.
        part: those of the part.
        texts: the columns of codes and names that make rows equal.
        numbers: the columns of numbers that do.
        source: of the part, to be named in faults.

    Raises:
        FaultsError: a row of the part is not among the population's; all at once.
    """
    larger, smaller = (_number_equals(frame, texts, numbers) for frame in (whole, part))
    shared = list(larger.columns)
    strange = smaller.with_row_index("row").join(larger, on=shared, how="anti")
    if strange.height:
        rows = np.sort(strange["row"].to_numpy()) + 1
        raise FaultsError(source, [_name_row(part, int(row), (*texts, *numbers)) for row in rows])
    left = larger.with_row_index("row").join(smaller, on=shared, how="anti")["row"].sort()
    return whole[left]


def _number_equals(frame: pl.DataFrame, texts: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """Return what makes rows equal, and of equal rows which one each is."""
    columns = [frame[name].cast(pl.String).fill_null("").str.strip_chars() for name in texts]
    columns += [frame[name].cast(pl.Float64, strict=False).fill_null(np.nan) for name in numbers]
    made = pl.DataFrame(columns)
    return made.with_columns(pl.int_range(pl.len()).over(made.columns).alias(TIMES))


def _name_row(part: pl.DataFrame, row: int, names: Sequence[str]) -> Fault:
    value = ", ".join(f"{name}={part[name][row - 1]}" for name in names)
    return Fault(
        row=row,
        column="",
        rule="part",
        value=value,
        message=Said("{value} is not among the larger population's rows", value=value),
    )
