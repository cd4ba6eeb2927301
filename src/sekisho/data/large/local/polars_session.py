"""polars at work on files: its streaming engine takes them piece by piece; the memory of an answer has no limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from sekisho.data.large.arrow import Batch
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.local.local_session import LocalSession
from sekisho.data.large.names import enter_frame, leave_frame
from sekisho.data.large.session import BLOCK, Frame, count_as_integers


class PolarsSession(LocalSession):
    """polars, streaming."""

    engine = Engine.POLARS

    def __init__(self, choice: EngineChoice, folder: Path) -> None:
        del choice
        super().__init__(folder)

    def scan_parquet(self, files: Sequence[Path], *, row: str = "") -> Frame:
        """Return Parquet files, one after another, as a frame."""
        frame = pl.scan_parquet(list(files), row_index_name=row or None, hive_partitioning=False, glob=False)
        return enter_frame(nw.from_native(frame.with_columns(pl.col(row).cast(pl.Int64)) if row else frame))

    def take(self, frame: pl.DataFrame) -> Frame:
        """Return a small frame as a lazy one."""
        return enter_frame(nw.from_native(frame.lazy()))

    def collect(self, frame: Frame) -> pl.DataFrame:
        """Return a small answer."""
        return count_as_integers(_get_native(frame).collect(engine="streaming"))

    def stream(self, frame: Frame, rows: int = BLOCK) -> Iterator[Batch]:
        """Give a frame block by block, in its order."""
        for part in _get_native(frame).collect_batches(chunk_size=rows, engine="streaming"):
            yield from part.to_arrow().to_batches(max_chunksize=rows)

    def write_parquet(self, frame: Frame, path: Path) -> None:
        """Write a frame, in its order."""
        _get_native(frame).sink_parquet(path, engine="streaming")

    def close(self) -> None:
        """End the work: there is nothing to end."""


def _get_native(frame: Frame) -> pl.LazyFrame:
    native: Any = nw.to_native(leave_frame(frame))
    return native
