"""A cluster that is none: rows lie in polars, blocks are cut anywhere and come in no order, and everything travels."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import narwhals as nw
import polars as pl
import pyarrow as pa

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.local.polars_session import PolarsSession
from sekisho.data.engines.names import ArrowSchema, GroupKernel, Kernel
from sekisho.data.engines.session import Frame
from sekisho.data.engines.source import Source, find_source
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.seeds import Seed

BLOCK = 61
"""So many rows a block has, at most."""


T = TypeVar("T")


def send(piece: T) -> T:
    """Return a piece of work as it arrives on another machine."""
    arrived: T = pickle.loads(pickle.dumps(piece))
    return arrived


class PretendedCluster(PolarsSession):
    """polars, with what only a cluster has."""

    def __init__(self, choice: EngineChoice, folder: Path) -> None:
        super().__init__(choice, folder)
        self._rng = Seed(int.from_bytes(folder.name.encode()[-4:], "big")).rng()

    def find_source(self, path: Path, rules: FileRules, *, row: str = "") -> Source | None:
        del row
        return find_source(path, rules, self.folder)

    def _collect(self, frame: Frame) -> pl.DataFrame:
        whole = nw.to_native(frame).collect()
        return whole[self._rng.permutation(whole.height)]

    def map_blocks(self, frame: Frame, kernel: Kernel, schema: ArrowSchema) -> Frame:
        rows, made = self._collect(frame), [pl.DataFrame(schema.empty_table())]
        for block in [rows[start : start + BLOCK] for start in range(0, max(1, rows.height), BLOCK)]:
            batch = block.to_arrow().combine_chunks().to_batches()
            empty = pa.RecordBatch.from_pylist([], schema=block.to_arrow().schema)
            made.append(pl.DataFrame(pl.from_arrow(send(kernel)(batch[0] if batch else empty).cast(schema))))
        return nw.from_native(pl.concat(made).lazy())

    def map_groups(
        self, frame: Frame, by: str, kernel: GroupKernel, schema: ArrowSchema, *, groups: int | None = None
    ) -> Frame:
        parts = self._collect(frame).partition_by(by)
        assert groups in {None, len(parts)}
        made = [pl.DataFrame(pl.from_arrow(send(kernel)(part.to_arrow()).cast(schema))) for part in parts]
        return nw.from_native(pl.concat(made).lazy())

    def keep(self, frame: Frame, name: str) -> Frame:
        kept = self._collect(frame)
        kept.write_parquet(self._place_kept(name))
        return nw.from_native(kept.lazy())

    @contextmanager
    def open_stage(self, path: Path) -> Generator[PretendedStage]:
        folder = path.with_name(f".{path.name}.tmp-stage")
        folder.mkdir()
        try:
            yield PretendedStage(folder, path)
        finally:
            shutil.rmtree(folder)


class PretendedStage:
    """A hidden folder."""

    def __init__(self, folder: Path, target: Path) -> None:
        self._folder, self._target = folder, target

    def write(self, frame: Frame, name: str) -> Frame:
        nw.to_native(frame).collect().write_parquet(self.find(name))
        return nw.from_native(pl.scan_parquet(self.find(name)))

    def find(self, name: str) -> Path:
        return self._folder / f"{name}.parquet"

    def put(self, name: str) -> None:
        self.find(name).rename(self._target)
