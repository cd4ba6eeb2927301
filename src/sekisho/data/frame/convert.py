"""Frames for other programs: as pandas or Arrow, where these are installed. Inside we use neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw
import polars as pl

from sekisho.errors import ParameterError
from sekisho.words import Said

if TYPE_CHECKING:
    import pandas as pd


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return a frame as one of pandas.

    Raises:
        ParameterError: pandas is not installed.
    """
    try:
        return nw.from_native(frame, eager_only=True).to_pandas()
    except ModuleNotFoundError as error:
        raise ParameterError("pandas", Said("be installed to give its frames"), f"no module {error.name}") from error


def to_arrow(frame: pl.DataFrame) -> object:
    """Return a frame as a table of Arrow.

    Raises:
        ParameterError: pyarrow is not installed.
    """
    try:
        return nw.from_native(frame, eager_only=True).to_arrow()
    except ModuleNotFoundError as error:
        raise ParameterError("pyarrow", Said("be installed to give its tables"), f"no module {error.name}") from error
