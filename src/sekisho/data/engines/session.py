"""What an engine does for us: it opens Parquet files as a lazy frame, and gives answers whole or in blocks.

Questions themselves are put in narwhals' expressions, the same for all engines. What comes back whole is small; what
is large comes in blocks, or is written by the engine.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Protocol, runtime_checkable

import polars as pl

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.names import ArrowSchema, Batch, Frame, GroupKernel, Kernel
from sekisho.data.engines.source import Source
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.errors import ParameterError
from sekisho.words import Said

BLOCK = 1 << 17
"""So many rows a block has, at most."""


class Session(Protocol):
    """An engine at work."""

    @property
    def engine(self) -> Engine:
        """Which engine it is."""
        ...

    @property
    def folder(self) -> Path:
        """Where temporary files are put."""
        ...

    def find_source(self, path: Path, rules: FileRules, *, row: str = "") -> Source | None:
        """Return what a file is made of, as the engine sees it; None if it sees the files of this machine."""
        ...

    def scan_parquet(self, files: Sequence[Path], *, row: str = "") -> Frame:
        """Return Parquet files, one after another, as a frame.

        Args:
            files: of the same columns.
            row: the name of a column to add: where each row stands, from 0; none if empty.
        """
        ...

    def take(self, frame: pl.DataFrame) -> Frame:
        """Return a small frame as one of the engine's, to be joined with others."""
        ...

    def take_files(self, files: Sequence[Path]) -> Frame:
        """Return Parquet files that were written here, among the temporary files, as one of the engine's frames."""
        ...

    def collect(self, frame: Frame) -> pl.DataFrame:
        """Return a small answer; whole numbers are 64-bit integers, whatever the engine counts in."""
        ...

    def stream(self, frame: Frame, rows: int = BLOCK) -> Iterator[Batch]:
        """Give a frame block by block, in its order; one stream at a time."""
        ...

    def map_blocks(self, frame: Frame, kernel: Kernel, schema: ArrowSchema) -> Frame | None:
        """Return a frame that a kernel made of another, or None if the engine leaves that to its stream."""
        ...

    def map_groups(
        self, frame: Frame, by: str, kernel: GroupKernel, schema: ArrowSchema, *, groups: int | None = None
    ) -> Frame | None:
        """Return what a kernel makes of the rows of each group, or None if the engine leaves that to its stream.

        Args:
            frame: the rows.
            by: the column whose equal values make a group; none is null.
            kernel: pure and picklable.
            schema: of what it makes.
            groups: how many there are, where each is worth a task of its own.
        """
        ...

    def write_parquet(self, frame: Frame, path: Path) -> None:
        """Write a frame, in its order."""
        ...

    def keep(self, frame: Frame, name: str) -> Frame:
        """Return the same rows, worked out once and kept by a name until the end or until they are dropped."""
        ...

    def drop(self, name: str) -> None:
        """Let go of rows that were kept."""
        ...

    def check_place(self, path: Path) -> None:
        """Refuse, before the work, a place that the engine could not write to after it."""
        ...

    def put_whole(self, frame: Frame, path: Path) -> bool:
        """Write a frame to its place, whole or not at all; False if the engine leaves that to us."""
        ...

    def close(self) -> None:
        """End the work."""
        ...


class Stage(Protocol):
    """A hidden folder beside an output, where rows are written before they get its place."""

    def write(self, frame: Frame, name: str) -> Frame:
        """Write rows, in their order, and return them as they stand there."""
        ...

    def find(self, name: str) -> Path:
        """Return where rows that are written by a name stand."""
        ...

    def put(self, name: str) -> None:
        """Give what was written by a name the output's place."""
        ...


@runtime_checkable
class ClusterSession(Session, Protocol):
    """An engine of many machines: rows stay there."""

    def map_blocks(self, frame: Frame, kernel: Kernel, schema: ArrowSchema) -> Frame:
        """Return what a kernel makes of a frame's blocks, in no order."""
        ...

    def map_groups(
        self, frame: Frame, by: str, kernel: GroupKernel, schema: ArrowSchema, *, groups: int | None = None
    ) -> Frame:
        """Return what a kernel makes of the rows of each group."""
        ...

    def open_stage(self, path: Path) -> AbstractContextManager[Stage]:
        """Open a folder beside an output; it is removed at the end.

        Raises:
            ParameterError: the output is not one that the engine writes.
            InputError: there is something of its name already.
        """
        ...


SESSIONS = {
    Engine.POLARS: "sekisho.data.engines.local.polars_session:PolarsSession",
    Engine.DUCKDB: "sekisho.data.engines.local.duckdb_session:DuckdbSession",
    Engine.SPARK: "sekisho.data.engines.spark.session:SparkSession",
}
"""Each engine's own; it is imported when it is asked for."""


def open_session(choice: EngineChoice, folder: Path) -> Session:
    """Return an engine at work, its temporary files in a folder.

    Raises:
        ParameterError: the engine is not installed.
    """
    module, _, name = SESSIONS[choice.engine].partition(":")
    try:
        session: Session = getattr(import_module(module), name)(choice, folder)
    except ModuleNotFoundError as error:
        raise ParameterError(
            "engine", Said("be installed; {name} is not here", name=error.name), choice.engine.value
        ) from error
    return session


@contextmanager
def open_engine(choice: EngineChoice, folder: Path) -> Generator[Session]:
    """Give an engine at work, its temporary files in a folder."""
    session = open_session(choice, folder)
    try:
        yield session
    finally:
        session.close()


def count_as_integers(frame: pl.DataFrame) -> pl.DataFrame:
    """Return an answer whose whole numbers are 64-bit integers: some engines sum them up in wider ones.

    A value of the file itself that is too large for one stays what it is.
    """
    return frame.with_columns(
        [
            pl.col(name).cast(pl.Int64)
            for name, kind in frame.schema.items()
            if (isinstance(kind, pl.Decimal) and kind.scale == 0) or (kind.is_integer() and _fits(frame[name]))
        ]
    )


def _fits(numbers: pl.Series) -> bool:
    return numbers.dtype != pl.UInt64 or not (numbers > 2**63 - 1).any()
