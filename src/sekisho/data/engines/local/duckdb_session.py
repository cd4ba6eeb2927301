"""DuckDB at work on files: within a limit of memory, the rest in temporary files.

The limit that DuckDB is told is what was asked for less what Python and the libraries hold themselves.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pyarrow.parquet as pq

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.engines.local.polars_session import LocalSession
from sekisho.data.engines.names import Batch, enter_frame, leave_frame
from sekisho.data.engines.session import BLOCK, Frame, count_as_integers
from sekisho.errors import InputError
from sekisho.words import Said, quote_words

OWN = 400 * 1000**2
"""What Python, its libraries and a few blocks of rows hold."""
PLACE = "file_row_number"


class DuckdbSession(LocalSession):
    """DuckDB, in one connection."""

    engine = Engine.DUCKDB

    def __init__(self, choice: EngineChoice, folder: Path) -> None:
        super().__init__(folder)
        self._connection = duckdb.connect()
        self._connection.execute(f"SET temp_directory = {_quote(folder)}")
        self._connection.execute("SET enable_progress_bar = false")
        if choice.memory is not None:
            limit = max(choice.memory - OWN, choice.memory // 5) // 1000**2
            self._connection.execute(f"SET memory_limit = '{limit}MB'")

    def scan_parquet(self, files: Sequence[Path], *, row: str = "") -> Frame:
        """Return Parquet files, one after another, as a frame."""
        if not row:
            return self._read(files)
        parts, before = list[Frame](), 0
        for file in files:
            part = self._read([file], file_row_number=True)
            parts.append(part.with_columns((nw.col(PLACE) + before).alias(row)).drop(PLACE))
            before += int(pq.read_metadata(file).num_rows)
        return parts[0] if len(parts) == 1 else nw.concat(parts)

    def _read(self, files: Sequence[Path], *, file_row_number: bool = False) -> Frame:
        names = [escape(str(file)) for file in files]  # a name is one file's, not a pattern
        with _explain_errors():
            return enter_frame(
                nw.from_native(
                    self._connection.read_parquet(names, file_row_number=file_row_number, hive_partitioning=False)
                )
            )

    def take(self, frame: pl.DataFrame) -> Frame:
        """Return a small frame as a relation."""
        return enter_frame(nw.from_native(self._connection.from_arrow(frame.to_arrow())))

    def collect(self, frame: Frame) -> pl.DataFrame:
        """Return a small answer."""
        with _explain_errors():
            return count_as_integers(_get_native(frame).pl())

    def stream(self, frame: Frame, rows: int = BLOCK) -> Iterator[Batch]:
        """Give a frame block by block, in its order."""
        with _explain_errors():
            yield from _get_native(frame).arrow(rows)

    def write_parquet(self, frame: Frame, path: Path) -> None:
        """Write a frame, in its order."""
        with _explain_errors():
            _get_native(frame).write_parquet(str(path), compression="zstd")

    def close(self) -> None:
        """End the work."""
        self._connection.close()


def _get_native(frame: Frame) -> duckdb.DuckDBPyRelation:
    native: Any = nw.to_native(leave_frame(frame))
    return native


def _quote(text: object) -> str:
    return "'" + str(text).replace("'", "''") + "'"


@contextmanager
def _explain_errors() -> Generator[None]:
    """Let an interruption of a query be one of the program, and everything else that goes wrong in it be explained."""
    try:
        yield
    except (duckdb.Error, RuntimeError, OSError) as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        if not isinstance(error, duckdb.Error):
            raise
        raise _explain(error) from error


def _explain(error: duckdb.Error) -> InputError:
    """Return what went wrong in the engine: too little memory or disk, or a file that is not what it seems."""
    reason = str(error).splitlines()[0]
    if isinstance(error, duckdb.OutOfMemoryException):
        return InputError("DuckDB", Said("the work does not fit the memory that it was given: {reason}", reason=reason))
    return InputError("DuckDB", quote_words(reason))
