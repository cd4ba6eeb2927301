"""What a file beyond memory is made of: Parquet files whose columns an engine can compare as they are.

Columns of texts, whole numbers, floating-point numbers, days and truth values stay as they are. CSV files, and Parquet
files with other columns (times, decimals, dictionaries), are written anew first, block by block, as the texts that the
in-memory path would show. So are numbers of which one is a zero with a sign: engines take it for the zero without, and
whoever reads the file does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import narwhals as nw
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from sekisho.data.engines.csv_blocks import CsvBlocks, Naming
from sekisho.data.engines.names import ArrowSchema, ArrowType, enter_frame, file_column
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.csv_form import name_columns as name_cells
from sekisho.data.files.plain_files.date_forms import PLAIN
from sekisho.data.files.plain_table import PARQUET, is_parquet
from sekisho.data.files.schema_files.columns import clear_missing_texts, format_values
from sekisho.data.files.schema_files.schema_file import CONTROL, FileRules
from sekisho.errors import InputError, MissingFileError, ParameterError
from sekisho.words import Said, join_words

SIGNED = "sekisho_signed"
ROWS = 1 << 19
"""So many rows of a Parquet file are written anew at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Parquet files of the same columns, one after another.

    Attributes:
        files: in their order.
        names: what each column is called in the files, by what it is called in answers.
        rows: how many there are.
        csv: how the data were written.
        cleared: whether missing texts are nulls already.
        row: the column that says where each row stood, from 0; empty if there is none.
        notices: what was decided in reading them.
    """

    files: tuple[Path, ...]
    names: dict[str, str]
    rows: int
    csv: CsvForm
    cleared: bool = False
    row: str = ""
    notices: tuple[Said, ...] = ()

    @property
    def form(self) -> str:
        """How the data were written, and what was decided in reading them, in words."""
        return join_words([str(self.csv), *self.notices], "; ")


def find_source(path: Path, rules: FileRules, folder: Path, *, row: str = "", naming: Naming = name_cells) -> Source:
    """Return what a file or a folder of Parquet files is made of; what must be written anew is, into a folder.

    Args:
        path: a CSV file, a Parquet file, or a folder of Parquet files.
        rules: how the file is written.
        folder: for temporary files.
        row: the name of a column for where each row stands, if it is asked for.
        naming: finds the names of the columns of a CSV.

    Raises:
        InputError: the file cannot be read, or has no records.
        FaultsError: lines of a CSV have too few or too many cells.
    """
    if not path.is_dir() and not is_parquet(path):
        blocks = CsvBlocks(path, rules.csv, naming)
        return replace(_write_anew(path, blocks.read(), rules, folder, row), csv=blocks.form, notices=blocks.notices)
    files = list_parquet_files(path)
    schema = read_shared_schema(files)
    rows = sum(pq.read_metadata(file).num_rows for file in files)
    if not rows:
        raise InputError(path, Said("has no records"))
    if not all(_can_compare(kind, rules) for kind in schema.types) or _has_signed_zeros(files, schema):
        return _write_anew(path, _read_parts(files), rules, folder, row)
    return Source(files=files, names=name_columns(schema.names, row), rows=rows, csv=CsvForm(header=True, parquet=True))


def list_parquet_files(path: Path) -> tuple[Path, ...]:
    """Return the Parquet files of a folder in the order of their names, or the one file.

    Raises:
        InputError: there is none.
    """
    if not path.exists():
        raise MissingFileError(path)
    if not path.is_dir():
        return (path,)
    files = sorted(
        file for file in path.iterdir() if file.suffix.lower() in PARQUET and not file.name.startswith((".", "_"))
    )
    if not files:
        raise InputError(path, Said("is a folder without Parquet files"))
    return tuple(files)


def name_columns(names: Iterable[str], row: str = "") -> dict[str, str]:
    """Return the columns of a file by what they are called in answers: without control characters.

    Raises:
        ParameterError: a column has the name that was chosen for the rows' places.
    """
    by_name = {CONTROL.sub(" ", name): name for name in names}
    if row in by_name:
        raise ParameterError("row", Said("be no column of the file"), row)
    return by_name


def read_shared_schema(files: Sequence[Path]) -> ArrowSchema:
    """Return the columns that all files have.

    Raises:
        InputError: a file has others, or is no Parquet file.
    """
    schemas = [_read_schema(file) for file in files]
    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            raise InputError(file, Said("has other columns than {name}", name=files[0].name))
    return schemas[0]


def _read_schema(file: Path) -> ArrowSchema:
    try:
        return pq.read_schema(file).remove_metadata()
    except pa.ArrowNotImplementedError as error:
        raise InputError(file, Said("has a column that no engine takes, such as whole numbers of 128 bits")) from error
    except (pa.ArrowException, OSError) as error:
        raise InputError(file, Said("is no Parquet file")) from error


def _can_compare(kind: ArrowType, rules: FileRules) -> bool:
    if pa.types.is_date32(kind):
        return rules.date_format in PLAIN
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    is_number = pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind)
    return is_text or is_number or pa.types.is_boolean(kind)


def _has_signed_zeros(files: Sequence[Path], schema: ArrowSchema) -> bool:
    numbers = [field.name for field in schema if pa.types.is_floating(field.type)]
    if not numbers:
        return False
    rows = enter_frame(nw.from_native(pl.scan_parquet(list(files), hive_partitioning=False, glob=False)))
    native = rows.select(find_signed_zeros(numbers)).to_native()
    return bool(native.collect(engine="streaming").item())


def find_signed_zeros(names: Sequence[str]) -> nw.Expr:
    """Return the expression of whether one of some columns of floating-point numbers holds a zero with a sign."""
    signed = [(file_column(name) == 0) & file_column(name).cast(nw.String).str.starts_with("-") for name in names]
    return nw.any_horizontal(*[each.any() for each in signed], ignore_nulls=True).alias(SIGNED)


def _read_parts(files: Sequence[Path]) -> Iterator[pl.DataFrame]:
    for file in files:
        yield from pl.scan_parquet(file, hive_partitioning=False, glob=False).collect_batches(chunk_size=ROWS)


def _write_anew(path: Path, parts: Iterator[pl.DataFrame], rules: FileRules, folder: Path, row: str) -> Source:
    files, rows, names = list[Path](), 0, dict[str, str]()
    for place, part in enumerate(parts):
        names = names or name_columns(part.columns, row)
        texts = [
            clear_missing_texts(format_values(path, part[source], rules), rules.missing).alias(source)
            for source in names.values()
        ]
        frame = pl.DataFrame(texts)
        if row:
            frame = frame.with_columns(pl.int_range(rows, rows + frame.height, dtype=pl.Int64, eager=True).alias(row))
        if frame.height:
            files.append(folder / f"part-{place:06}.parquet")
            frame.write_parquet(files[-1], compression="lz4")
        rows += frame.height
    if not rows:
        raise InputError(path, Said("has no records"))
    return Source(
        files=tuple(files),
        names=names,
        rows=rows,
        csv=CsvForm(header=True, parquet=True),
        cleared=True,
        row=row,
    )
