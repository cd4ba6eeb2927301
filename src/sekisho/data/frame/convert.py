"""Frames for other programs: as pandas or Arrow, where these are installed. Inside we use neither."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import narwhals as nw
import polars as pl

from sekisho.errors import ParameterError
from sekisho.words import Said

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoDataFrame


class FrameKind(StrEnum):
    """Whose a frame is."""

    ARROW = "arrow"
    PANDAS = "pandas"
    POLARS = "polars"


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


def find_frame_kind(frame: IntoDataFrame) -> FrameKind:
    """Return whose a frame is; one like those of pandas is answered with one of pandas."""
    maker = nw.from_native(frame, eager_only=True).implementation
    if maker.is_polars():
        return FrameKind.POLARS
    return FrameKind.ARROW if maker.is_pyarrow() else FrameKind.PANDAS


def give_frame(frame: pl.DataFrame, kind: FrameKind) -> object:
    """Return a frame as one of the caller's kind.

    Raises:
        ParameterError: the library of that kind is not installed.
    """
    if kind is FrameKind.PANDAS:
        return to_pandas(frame)
    return to_arrow(frame) if kind is FrameKind.ARROW else frame
