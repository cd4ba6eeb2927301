"""Spark at work on files: many machines, each with the memory that its cluster gives it.

Parquet in and out, in any place that the cluster reaches: a path, or an address with a host such as
``hdfs://host/data/people.parquet``. An output is a folder of Parquet files, in the order of their names.

What Parquet files are made of, as a cluster sees them.

On one machine a CSV file, or a column that engines compare differently, is written anew first. A cluster would wait for
the one machine that does so: it takes Parquet of texts, numbers, days and truth values, and refuses the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial, reduce
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
import pyarrow as pa

from sekisho.data.engines.engine import Engine, EngineChoice, is_address, name_place
from sekisho.data.engines.names import (
    ArrowSchema,
    Batch,
    GroupKernel,
    Kernel,
    Table,
    list_kinds,
    list_plain,
    make_plain,
    restore_name,
)
from sekisho.data.engines.session import BLOCK, Frame, Session, count_as_integers
from sekisho.data.engines.source import Source, find_signed_zeros, list_parquet_files, name_columns, read_shared_schema
from sekisho.data.engines.spark.connection import SparkObject, explained, open_connection
from sekisho.data.engines.spark.places import (
    escape_pattern,
    find_path,
    name_file,
    open_beside,
    open_places,
    refuse_taken,
    write_and_rename,
)
from sekisho.data.engines.spark.tasks import (
    WAVE,
    SparkBlockTask,
    digest_code,
    make_group_task,
    pack_blocks,
    run_on_executors,
    unpack_block,
)
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_files.date_forms import PLAIN
from sekisho.data.files.plain_table import is_parquet
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.errors import InputError, ParameterError
from sekisho.words import Said

READERS = 8
"""So many files' columns are asked for at once."""


def find_cluster_source(session: Session, path: Path, rules: FileRules, *, row: str = "") -> Source:
    """Return what a Parquet file, or a folder of them, is made of.

    Raises:
        InputError: it is none, has no records, or a column of a type that is not taken here.
    """
    files = _list_files(path)
    frame = session.scan_parquet(files)
    for name, kind in list_kinds(frame).items():
        is_day = kind == nw.Date and rules.date_format in PLAIN
        if not (isinstance(kind, nw.String | nw.Boolean) or kind.is_integer() or kind.is_float() or is_day):
            message = Said(
                "column {name!r} is of type {kind}; Spark takes texts, numbers, days (as 2026-01-31) and truth values "
                "here: write it as text first",
                name=name,
                kind=str(kind),
            )
            raise InputError(path, message)
    rows = int(session.collect(frame.select(nw.len().alias("rows")))["rows"][0])
    if not rows:
        raise InputError(path, Said("has no records"))
    numbers = [name for name, kind in list_kinds(frame).items() if kind.is_float()]
    if numbers and bool(session.collect(frame.select(find_signed_zeros(numbers))).item()):
        named = ", ".join(numbers)
        raise InputError(
            path,
            Said("Spark takes a zero with a sign for one without: write what has it as text ({named})", named=named),
        )
    names = name_columns(list_kinds(frame), row)
    return Source(files=files, names=names, rows=rows, csv=CsvForm(header=True, parquet=True))


def _list_files(path: Path) -> tuple[Path, ...]:
    """Return the files of a folder that is seen from here; an address is left to Spark."""
    if not is_address(path):
        if path.exists() and not path.is_dir() and not is_parquet(path):
            raise _advise_parquet(path)
        files = list_parquet_files(path)
        read_shared_schema(files)
        return files
    if not is_parquet(path) and "." in path.name:
        raise _advise_parquet(path)
    return (path,)


def _advise_parquet(path: Path) -> InputError:
    """Return the refusal of a file that is no Parquet, with the line that makes it one."""
    source, target = (
        name_place(each) if is_address(each) else str(each) for each in (path, path.with_suffix(".parquet"))
    )
    names = f"{source!r}, infer_schema=False).sink_parquet({target!r}"
    line = f'python -c "import polars; polars.scan_csv({names})"'
    message = Said("Spark reads Parquet, a file or a folder of them; this writes a CSV so, once: {line}", line=line)
    return InputError(path, message)


def read_places(spark: SparkObject, places: Sequence[str]) -> SparkObject:
    """Return Parquet files of the same columns as a frame of Spark's own."""
    reader = spark.read.option("recursiveFileLookup", "true").option("mergeSchema", "false")
    return reader.parquet(*map(escape_pattern, places))


def check_shared_columns(spark: SparkObject, path: Path) -> None:
    """Refuse a folder at an address whose files do not all have the same columns, as a folder of this machine is.

    Spark would take a column that a file lacks for missing there. Only the files' footers are read.

    Raises:
        InputError: a file has other columns than the first, in the order of their names.
    """
    files = sorted(map(name_file, read_places(spark, [name_place(path)]).inputFiles()))
    with ThreadPoolExecutor(READERS) as pool:
        schemas = list(pool.map(partial(_list_columns, spark), files))
    for file, columns in zip(files, schemas, strict=True):
        if columns != schemas[0]:
            raise InputError(file, Said("has other columns than {name}", name=files[0].rpartition("/")[2]))


def _list_columns(spark: SparkObject, place: str) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in read_places(spark, [place]).schema]


LOG = "spark.log"
FILE, OFFSET = "sekisho_file", "sekisho_offset"


class SparkSession:
    """A session of Spark, classic or Connect."""

    engine = Engine.SPARK

    def __init__(self, choice: EngineChoice, folder: Path) -> None:
        self.folder = folder
        self._connection = open_connection(choice.master, folder / LOG)
        self._spark: SparkObject = self._connection.spark
        self._spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(BLOCK))
        self._kept: dict[str, SparkObject] = {}
        self.places = open_places(self._connection)

    def find_source(self, path: Path, rules: FileRules, *, row: str = "") -> Source | None:
        """Return what Parquet files are made of, as the cluster sees them."""
        if is_address(path):
            with explained(path):
                check_shared_columns(self._spark, path)
        return find_cluster_source(self, path, rules, row=row)

    def scan_parquet(self, files: Sequence[Path], *, row: str = "") -> Frame:
        """Return Parquet files, one after another, as a frame."""
        names = [name_place(file) for file in files]
        with explained(files[0]):
            frame = read_places(self._spark, names)
            _ = frame.columns  # a guest hears only now that a file is not there
            return wrap_frame(self._number_rows(frame, names, row) if row else frame)

    def _number_rows(self, frame: SparkObject, names: Sequence[str], row: str) -> SparkObject:
        """Return a frame with where each row stands: its place in its file, plus the rows of the files before it."""
        columns, about = [*map(_quote_name, frame.columns)], frame.metadataColumn("_metadata")
        file, place = about["file_path"].alias(FILE), about["row_index"].alias(row)
        counts = frame.select(file).groupBy(FILE).count().toArrow()
        rows = dict(zip(counts[FILE].to_pylist(), counts["count"].to_pylist(), strict=True))
        given = {find_path(name): rank for rank, name in enumerate(names)}
        order = sorted(rows, key=lambda each: (given.get(find_path(each), len(given)), find_path(each)))
        if len(order) == 1:
            return frame.select(*columns, place)
        before = [0, *accumulate(rows[each] for each in order)]
        offsets = pa.table({FILE: order, OFFSET: pa.array(before[:-1], pa.int64())})
        joined = frame.select(*columns, file, place).join(self._spark.createDataFrame(offsets).hint("broadcast"), FILE)
        place = joined[row] + joined[OFFSET]
        return joined.select(*columns, place.alias(row))

    def take(self, frame: pl.DataFrame) -> Frame:
        """Return a small frame as one of Spark's."""
        table = _make_plain(frame.to_arrow())
        rows = max(1, table.num_rows * WAVE // max(1, table.nbytes))
        parts = [table.slice(start, rows) for start in range(0, max(1, table.num_rows), rows)]
        with explained():
            sent = [self._spark.createDataFrame(part) for part in parts]
            return wrap_frame(reduce(lambda first, second: first.union(second), sent))

    def take_files(self, files: Sequence[Path]) -> Frame:
        """Return temporary files as a frame: executors may not see them, so their rows are sent."""
        return nw.concat([self.take(pl.read_parquet(file)) for file in files])

    def collect(self, frame: Frame) -> pl.DataFrame:
        """Return a small answer."""
        with explained():
            native = _get_native(frame)
            answer = pl.DataFrame(native.toArrow().rename_columns(_restore_names(native)))
        return count_as_integers(answer)

    def stream(self, frame: Frame, rows: int = BLOCK) -> Iterator[Batch]:
        """Give a frame block by block, in its order: one partition after another comes to the driver."""
        with explained():
            native = _get_native(frame)
            for line in native.mapInArrow(pack_blocks, "block binary").toLocalIterator():
                for block in unpack_block(bytes(line[0])):
                    for start in range(0, block.num_rows, rows):
                        yield block.slice(start, rows).rename_columns(_restore_names(native))

    def map_blocks(self, frame: Frame, kernel: Kernel, schema: ArrowSchema) -> Frame:
        """Return what a kernel makes of a frame's blocks, on the executors."""
        types = import_module("pyspark.sql.pandas.types")
        made = types.from_arrow_schema(schema)
        with explained():
            native = _get_native(frame)
            task = SparkBlockTask(kernel, _restore_names(native), types.to_arrow_schema(made), digest_code())
            return wrap_frame(native.mapInArrow(task, made))

    def map_groups(
        self, frame: Frame, by: str, kernel: GroupKernel, schema: ArrowSchema, *, groups: int | None = None
    ) -> Frame:
        """Return what a kernel makes of the rows of each group, on the executors."""
        types = import_module("pyspark.sql.pandas.types")
        made = types.from_arrow_schema(schema)
        with explained():
            native = _get_native(frame)
            task = make_group_task(kernel, _restore_names(native), types.to_arrow_schema(made), digest_code())
            key = make_plain(by)
            # Spark would put small groups together into one task, but the work is not in their bytes
            apart = native if groups is None else native.repartitionByRange(groups, key)
            return wrap_frame(apart.groupBy(key).applyInArrow(task, made))

    def run_tasks(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
        """Give a function's answer to each task, in their order; both travel, so both must be picklable."""
        return run_on_executors(self._spark, function, tasks)

    def write_parquet(self, frame: Frame, path: Path) -> None:
        """Write a frame, in its order, as a folder of Parquet files."""
        with explained(path):
            _write_parts(frame, name_place(path))

    def keep(self, frame: Frame, name: str) -> Frame:
        """Return the same rows, kept in the memory and on the disks of the executors once they are asked for."""
        self._kept[name] = _get_native(frame).persist()
        return wrap_frame(self._kept[name])

    def drop(self, name: str) -> None:
        """Let go of rows that were kept."""
        self._kept.pop(name).unpersist()

    def check_place(self, path: Path) -> None:
        """Refuse a place where something stands: an output never takes another's."""
        with explained(path):
            refuse_taken(self.places, name_place(path))

    def put_whole(self, frame: Frame, path: Path) -> bool:
        """Write a frame to its place: beside it first, then by a rename."""
        _require_parquet(path)
        with explained(path):
            write_and_rename(self.places, name_place(path), lambda place: self.write_or_cancel(frame, place))
        return True

    @contextmanager
    def open_stage(self, path: Path) -> Generator[SparkStage]:
        """Open a hidden folder beside an output."""
        _require_parquet(path)
        with ExitStack() as stack:
            with explained(path):
                folder = stack.enter_context(open_beside(self.places, name_place(path)))
            yield SparkStage(self, folder, name_place(path))

    def write_or_cancel(self, frame: Frame, place: str) -> None:
        """Write a frame as a folder; after an interruption the cluster is told to stop, or it would go on writing."""
        try:
            _write_parts(frame, place)
        except KeyboardInterrupt:
            self._connection.cancel()
            raise

    def close(self) -> None:
        """End the work; a session that the caller keeps gets its memory back."""
        for name in tuple(self._kept):
            self.drop(name)
        self._connection.close()


class SparkStage:
    """A hidden folder beside an output."""

    def __init__(self, session: SparkSession, folder: str, target: str) -> None:
        self._session, self._folder, self._target = session, folder, target

    def write(self, frame: Frame, name: str) -> Frame:
        """Write rows, in their order, and return them as they stand there."""
        with explained(self._target):
            self._session.write_or_cancel(frame, self._name(name))
        return self._session.scan_parquet([self.find(name)])

    def find(self, name: str) -> Path:
        """Return where rows that are written by a name stand."""
        return Path(self._name(name))

    def put(self, name: str) -> None:
        """Give what was written by a name the output's place."""
        with explained(self._target):
            self._session.places.rename(self._name(name), self._target)

    def _name(self, name: str) -> str:
        return f"{self._folder}/{name}.parquet"


def _require_parquet(path: Path) -> None:
    if not is_parquet(path):
        raise ParameterError("out", Said("end in .parquet: Spark writes a folder of Parquet files"), str(path))


def wrap_frame(native: SparkObject) -> Frame:
    """Return a frame of Spark's own for narwhals' expressions, its columns under plain names."""
    frame: Frame = nw.from_native(native.toDF(*list_plain(native.columns)))
    return frame


def _get_native(frame: Frame) -> SparkObject:
    """Return a frame as Spark's own, its columns still under plain names."""
    native: SparkObject = nw.to_native(frame)
    return native


def _restore_names(native: SparkObject) -> list[str]:
    return [restore_name(name) for name in native.columns]


def _quote_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _write_parts(frame: Frame, place: str) -> None:
    native = _get_native(frame)
    native.toDF(*_restore_names(native)).write.mode("error").parquet(place)


def _make_plain(table: Table) -> Table:
    """Return a table whose texts are of the kind that Spark takes."""
    kinds = {pa.large_string(): pa.string(), pa.string_view(): pa.string(), pa.uint32(): pa.int64()}
    fields = [field.with_type(kinds.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))
