"""Rows in memory as those of one engine more: whoever asks by expressions need not know where rows lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import narwhals as nw
import polars as pl

from sekisho.data.engines.names import Frame, enter_frame, leave_frame, list_kinds


class AskedRows(Protocol):
    """Rows that questions are asked of: of a file beyond memory (``Scan``), or in memory."""

    @property
    def frame(self) -> Frame:
        """The rows, as a lazy frame."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        ...

    def collect(self, frame: Frame, /) -> pl.DataFrame:
        """Return a small answer."""
        ...

    def give_pieces(self, frame: Frame, rows: int, /) -> Iterator[pl.DataFrame]:
        """Give an answer piece by piece, in its order; none is empty, and none that must be fetched is larger."""
        ...

    def show(self, values: pl.Series, /) -> pl.Series:
        """Return values of a column as texts."""
        ...


class MemoryRows:
    """The rows of a frame in memory."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame: Frame = enter_frame(nw.from_native(frame.lazy()))

    @property
    def frame(self) -> Frame:
        """The rows, as a lazy frame."""
        return self._frame

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(list_kinds(self._frame))

    def collect(self, frame: Frame, /) -> pl.DataFrame:
        """Return an answer."""
        native: Any = nw.to_native(leave_frame(frame))
        answer: pl.DataFrame = native.collect()
        return answer

    def give_pieces(self, frame: Frame, rows: int, /) -> Iterator[pl.DataFrame]:
        """Give an answer whole: it is in memory anyway."""
        del rows
        answer = self.collect(frame)
        if not answer.is_empty():
            yield answer

    def show(self, values: pl.Series, /) -> pl.Series:
        """Return values of a column as texts."""
        return values.cast(pl.String)
