"""polars at work on files: its streaming engine takes them piece by piece; the memory of an answer has no limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from sekisho.data.files.own.schema_file import FileRules
from sekisho.data.large.arrow import ArrowSchema, Batch, Kernel
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.session import BLOCK, Frame, count_as_integers
from sekisho.data.large.source import Source


class PolarsSession:
    """polars, streaming."""

    engine = Engine.POLARS

    def __init__(self, choice: EngineChoice, folder: Path) -> None:
        del choice
        self.folder = folder

    def find_source(self, path: Path, rules: FileRules, *, row: str = "") -> Source | None:
        """Leave files to whoever asks: they are on this machine."""
        del path, rules, row

    def scan_parquet(self, files: Sequence[Path], *, row: str = "") -> Frame:
        """Return Parquet files, one after another, as a frame."""
        frame = pl.scan_parquet(list(files), row_index_name=row or None, hive_partitioning=False, glob=False)
        return nw.from_native(frame.with_columns(pl.col(row).cast(pl.Int64)) if row else frame)

    def take(self, frame: pl.DataFrame) -> Frame:
        """Return a small frame as a lazy one."""
        return nw.from_native(frame.lazy())

    def take_files(self, files: Sequence[Path]) -> Frame:
        """Return temporary files as a frame."""
        return self.scan_parquet(files)

    def collect(self, frame: Frame) -> pl.DataFrame:
        """Return a small answer."""
        return count_as_integers(_get_native(frame).collect(engine="streaming"))

    def stream(self, frame: Frame, rows: int = BLOCK) -> Iterator[Batch]:
        """Give a frame block by block, in its order."""
        for part in _get_native(frame).collect_batches(chunk_size=rows, engine="streaming"):
            yield from part.to_arrow().to_batches(max_chunksize=rows)

    def map_blocks(self, frame: Frame, kernel: Kernel, schema: ArrowSchema) -> Frame | None:
        """Leave kernels to the stream."""
        del frame, kernel, schema
        return None

    def write_parquet(self, frame: Frame, path: Path) -> None:
        """Write a frame, in its order."""
        _get_native(frame).sink_parquet(path, engine="streaming")

    def keep(self, frame: Frame, name: str) -> Frame:
        """Return the same rows, from a temporary file."""
        path = self.folder / f"kept-{name}.parquet"
        self.write_parquet(frame, path)
        return self.scan_parquet([path])

    def drop(self, name: str) -> None:
        """Remove the file of rows that were kept."""
        (self.folder / f"kept-{name}.parquet").unlink()

    def put_whole(self, frame: Frame, path: Path) -> bool:
        """Leave the last step to whoever asks."""
        del frame, path
        return False

    def close(self) -> None:
        """End the work: there is nothing to end."""


def _get_native(frame: Frame) -> pl.LazyFrame:
    native: Any = nw.to_native(frame)
    return native
