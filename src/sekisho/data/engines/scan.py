"""A file beyond memory, open: a lazy frame of an engine, whose missing cells are null, and blocks of its rows.

Two cells of a column are equal here if the in-memory path would show the same text (0 and -0 are one number).

Which cells of a column are missing, as an expression for any engine; as in memory, by the texts they would show.

The decimal mark of a column of texts beyond memory: as told, else decided by the texts, block by block.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from math import isfinite
from pathlib import Path

import narwhals as nw
import polars as pl

from sekisho.data.engines.engine import EngineChoice, is_address
from sekisho.data.engines.names import Batch, file_column, list_kinds, make_plain, open_workspace
from sekisho.data.engines.session import BLOCK, Frame, Session, open_engine
from sekisho.data.engines.source import Source, find_source
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_files.number_forms import find_mark, keep_forms
from sekisho.data.files.schema_files.columns import format_values
from sekisho.data.files.schema_files.schema_file import FileRules, SchemaFile
from sekisho.errors import ParameterError
from sekisho.words import Said

BLANK = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""What counts as blank around a text, in memory and on every engine: white space as Unicode has it."""


def clear_missing(name: str, kind: nw.dtypes.DType, missing: Sequence[str]) -> nw.Expr:
    """Return the expression of a column whose missing cells are null.

    Args:
        name: of the column.
        kind: of its values.
        missing: the texts that mean missing.
    """
    cell = file_column(name)
    if kind == nw.String:
        return nw.when(~cell.str.strip_chars(BLANK).is_in(list(missing))).then(cell)
    if kind.is_float():
        cell = nw.when(~cell.is_nan()).then(cell) if "NaN" in missing else cell
    values = list_missing_values(kind, missing)
    return nw.when(~cell.is_in(values)).then(cell) if values else cell


def list_missing_values(kind: nw.dtypes.DType, missing: Sequence[str]) -> list[object]:
    """Return the values of a kind that some texts are the writing of."""
    values = list[object]()
    for text in missing:
        with suppress(ValueError, OverflowError):
            value = _parse(text, kind)
            if value is not None and _write(value, kind) == text:
                values.append(value)
    return values


def _parse(text: str, kind: nw.dtypes.DType) -> object:
    if kind == nw.Boolean:
        return {"true": True, "false": False}.get(text)
    if kind == nw.Date:
        return date.fromisoformat(text)
    if kind.is_float():
        value = float(text)
        return value if isfinite(value) else None
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


def _write(value: object, kind: nw.dtypes.DType) -> str:
    if kind == nw.Float32:
        return str(pl.Series([value], dtype=pl.Float32).cast(pl.String)[0])
    return str(pl.Series([value]).cast(pl.String)[0])


COUNT = "sekisho_count"
SHOWN = Path("shown.parquet")
"""Values are shown as those of a Parquet file are."""


class Scan:
    """Rows of an engine.

    Attributes:
        session: the engine at work.
        form: how the file was found to be written, in words.
        csv: the same, for whoever writes like it.
    """

    def __init__(
        self,
        session: Session,
        frame: Frame,
        *,
        form: str = "",
        rules: FileRules | None = None,
        csv: CsvForm | None = None,
    ) -> None:
        self.session, self.form, self.csv = session, form, csv or CsvForm(header=True, parquet=True)
        self._frame, self._rules = frame, rules or FileRules()

    @property
    def frame(self) -> Frame:
        """The rows, as a lazy frame."""
        return self._frame

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(list_kinds(self.frame))

    def collect(self, frame: Frame) -> pl.DataFrame:
        """Return a small answer that was asked of the rows."""
        return self.session.collect(frame)

    def count_rows(self) -> int:
        """Return how many rows there are."""
        return int(self.collect(self.frame.select(nw.len().alias(COUNT)))[COUNT][0])

    def batches(self, rows: int = BLOCK) -> Iterator[Batch]:
        """Give the rows block by block, in their order; one such walk at a time."""
        return self.session.stream(self.frame, rows)

    def give_pieces(self, frame: Frame, rows: int) -> Iterator[pl.DataFrame]:
        """Give what was asked of the rows piece by piece, in its order; one such walk at a time."""
        for block in self.session.stream(frame, rows):
            if block.num_rows:
                yield pl.DataFrame(block)

    def probe(self) -> Batch:
        """Return the first row as a block: what columns there are, and of which kinds.

        Blocks of one row each would do, but an engine would make them of all rows.
        """
        return next(iter(self.session.stream(self.frame.head(1))))

    def show(self, values: pl.Series) -> pl.Series:
        """Return values of a column as texts, as the in-memory path would show them."""
        return format_values(SHOWN, values, self._rules)

    def ask(self, frame: Frame) -> Scan:
        """Return what was asked of the rows, again as rows of the engine."""
        return Scan(self.session, frame, form=self.form, rules=self._rules, csv=self.csv)


@contextmanager
def open_scan(
    path: Path, schema: SchemaFile, choice: EngineChoice, *, beside: Path | None = None, row: str = ""
) -> Generator[Scan]:
    """Open a file beyond memory.

    Args:
        path: a CSV file, a Parquet file, or a folder of Parquet files (in the order of their names).
        schema: how it is written.
        choice: the engine.
        beside: the file that is going to be written: temporary files are put beside it.
        row: the name of a column to add, where each row stands in the file, from 0; none if empty.

    Raises:
        InputError: the file cannot be read, or has no records.
        FaultsError: lines of a CSV have too few or too many cells; all at once, or the first thousand.
        ParameterError: the engine is not installed, or the schema has columns.
    """
    if schema.columns:
        raise ParameterError(
            "schema", Said("have no columns of its own beyond memory"), [each.name for each in schema.columns]
        )
    with open_engine_beside(choice, beside) as session:
        yield open_within(session, path, schema, row=row)


@contextmanager
def open_engine_beside(choice: EngineChoice, beside: Path | None) -> Generator[Session]:
    """Give an engine at work, its temporary files beside the file that is going to be written.

    Raises:
        InputError: nothing can be written there.
    """
    local = None if beside is None or is_address(beside) else beside
    with open_workspace(local) as folder, open_engine(choice, folder) as session:
        if beside is not None:
            session.check_place(beside)
        yield session


def open_within(session: Session, path: Path, schema: SchemaFile, *, row: str = "") -> Scan:
    """Return another file, opened by an engine that is at work already; the two can be joined."""
    folder = session.folder / f"source-{sum(1 for _ in session.folder.iterdir())}"
    folder.mkdir()
    source = session.find_source(path, schema.file, row=row) or find_source(path, schema.file, folder, row=row)
    frame = _clear_source(session, source, schema.file, row)
    return Scan(session, frame, form=source.form, rules=schema.file, csv=source.csv)


def _clear_source(session: Session, source: Source, rules: FileRules, row: str) -> Frame:
    frame = session.scan_parquet(source.files, row="" if source.row else row)
    kinds = list_kinds(frame)
    places = [nw.col(row)] if row else []
    if source.cleared:
        return frame.select(
            *[file_column(inner).alias(make_plain(name)) for name, inner in source.names.items()], *places
        )
    return frame.select(
        *[
            clear_missing(inner, kinds[inner], rules.missing).alias(make_plain(name))
            for name, inner in source.names.items()
        ],
        *places,
    )


def find_large_mark(scan: Scan, names: Sequence[str], decimal: str | None) -> str:
    """Return the decimal mark of columns of texts; a few texts of each block answer like all of them."""
    if decimal is not None:
        return decimal
    few = {name: pl.Series(name, [], dtype=pl.String) for name in names}
    for block in scan.ask(scan.frame.select(*map(file_column, names))).batches():
        for name, before in few.items():
            few[name] = keep_forms(pl.concat([before, take_texts(block, name)]))
    return find_mark(list(few.values()), None)


def take_texts(block: Batch, name: str) -> pl.Series:
    """Return a column of texts of a block of rows."""
    return pl.Series(name, block.column(name)).cast(pl.String)
