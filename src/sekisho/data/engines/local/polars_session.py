"""polars at work on files: its streaming engine takes them piece by piece; the memory of an answer has no limit.

What the engines of one machine do alike: files are those of this machine, kernels work on their stream of blocks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.names import ArrowSchema, Batch, GroupKernel, Kernel, enter_frame, leave_frame
from sekisho.data.engines.session import BLOCK, Frame, count_as_integers
from sekisho.data.engines.source import Source
from sekisho.data.files.schema_files.schema_file import FileRules


class LocalSession(ABC):
    """An engine of one machine, its temporary files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def scan_parquet(self, files: Sequence[Path], *, row: str = "") -> Frame:
        """Return Parquet files, one after another, as a frame."""

    @abstractmethod
    def write_parquet(self, frame: Frame, path: Path) -> None:
        """Write a frame, in its order."""

    def find_source(self, path: Path, rules: FileRules, *, row: str = "") -> Source | None:
        """Leave files to whoever asks: they are on this machine."""
        del path, rules, row

    def take_files(self, files: Sequence[Path]) -> Frame:
        """Return temporary files as a frame."""
        return self.scan_parquet(files)

    def map_blocks(self, frame: Frame, kernel: Kernel, schema: ArrowSchema) -> Frame | None:
        """Leave kernels to the stream."""
        del frame, kernel, schema

    def map_groups(
        self, frame: Frame, by: str, kernel: GroupKernel, schema: ArrowSchema, *, groups: int | None = None
    ) -> Frame | None:
        """Leave kernels to the stream."""
        del frame, by, kernel, schema, groups

    def keep(self, frame: Frame, name: str) -> Frame:
        """Return the same rows, from a temporary file."""
        self.write_parquet(frame, self._place_kept(name))
        return self.scan_parquet([self._place_kept(name)])

    def drop(self, name: str) -> None:
        """Remove the file of rows that were kept."""
        self._place_kept(name).unlink()

    def check_place(self, path: Path) -> None:
        """Leave places to whoever asks: they are on this machine."""
        del path

    def put_whole(self, frame: Frame, path: Path) -> bool:
        """Leave the last step to whoever asks."""
        del frame, path
        return False

    def _place_kept(self, name: str) -> Path:
        return self.folder / f"kept-{name}.parquet"


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
