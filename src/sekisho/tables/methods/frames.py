"""A table as a method shows it: a number for each cell, or the ends of an interval, and nothing of the truth.

The file depends on what is shown alone. With ``bounds`` the columns ``low`` and ``high`` tell what each number says of
the truth to whoever knows the method: no more than a reader can work out (``table audit --said column`` reads them).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from sekisho.errors import ParameterError
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.model.table import Floats, Status
from sekisho.words import Said

LOW, HIGH = "low", "high"


def shown_frame(release: ShownRelease, *, value: str = "value", bounds: bool = False) -> pl.DataFrame:
    """Return what is shown of each cell of a published table; of intervals always both ends.

    Raises:
        ParameterError: the value's column, or a bound's, is named like a dimension.
    """
    table = release.table
    two = release.shown.ndim == 2
    names = (LOW, HIGH) if two else (value, LOW, HIGH) if bounds else (value,)
    clash = [name for name in names if name in table.dims]
    if clash:
        raise ParameterError("value", Said("not be named like a dimension"), clash[0])
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    if two:
        numbers = [release.shown[:, 0], release.shown[:, 1]]
    else:
        said = [] if release.statements is None or not bounds else [release.statements.low, release.statements.high]
        numbers = [release.shown, *said]
    columns += [_write_numbers(name, some) for name, some in zip(names, numbers, strict=False)]
    return pl.DataFrame(columns).filter(pl.Series(~table.unpublished))


def kept_frame(release: ShownRelease, *, value: str = "value") -> pl.DataFrame:
    """Return what stays in the house: the true values beside what is shown and what that says."""
    shown = shown_frame(release, value="shown", bounds=True)
    own = ~release.table.unpublished
    status = [Status(code).word for code in release.table.status[own].tolist()]
    true = _write_numbers(value, release.table.value[own])
    return shown.insert_column(len(release.table.dims), true).with_columns(pl.Series("status", status))


def _write_numbers(name: str, numbers: Floats) -> pl.Series:
    """Return numbers as a column, whole ones without a fraction; what is without end is empty."""
    finite = np.isfinite(numbers)
    whole = bool(np.all(numbers[finite] % 1 == 0))
    column = pl.Series(name, np.where(finite, numbers, 0.0).astype(np.int64 if whole else np.float64))
    return column.set(pl.Series(~finite), None)
