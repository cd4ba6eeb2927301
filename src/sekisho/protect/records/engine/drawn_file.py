"""The file from which records are drawn beyond memory, and the file that is made of them.

Without a schema every cell is the text as it stands. By a schema cells are values: each is taken as the text that
memory takes it for, so that the same chance draws the same; what is written are the values again, as the schema says.
The texts are kept in temporary files, once, for they are asked several times.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import Engine
from sekisho.data.engines.scan import Scan, open_engine_beside
from sekisho.data.engines.schema_files.survey import open_own_blocks
from sekisho.data.engines.sink import FrameSink, put_in_place, write_scan
from sekisho.data.files.plain_table import is_parquet
from sekisho.data.files.published_frame import publish_unchanged, publish_values
from sekisho.data.files.schema_files.blocks import OwnBlocks
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.separated_rows import name_written
from sekisho.data.frame.cells import MISSING_TEXT
from sekisho.data.frame.dataset import TYPES, Column, Dataset, Kind, Schema
from sekisho.data.frame.release import exact_table
from sekisho.data.identity.identifying import Identifying
from sekisho.data.records.microdata import CategoryCounts, list_distinct
from sekisho.errors import ParameterError
from sekisho.protect.beyond_memory import EngineTask
from sekisho.protect.records.coding.block_coding import WriteKernel
from sekisho.protect.records.engine.kernels import CodedColumn, code_name, sort_places
from sekisho.protect.records.engine.recode_file import open_release
from sekisho.protect.records.engine.records import MOST_VALUES, ROW, LargeRecords, open_records, refuse_many_values
from sekisho.safety.terms import Terms
from sekisho.words import Said

VALUE, TEXT = "value", "text"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MadeFile:
    """A release that lies among the temporary files, or is made as it is written.

    Attributes:
        published: its rows, as whoever gets them reads them.
        put: gives it its place.
    """

    published: Scan
    put: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TextFile:
    """A file whose cells are texts as they stand.

    Attributes:
        task: the file, and where its release goes.
        records: its rows.
    """

    task: EngineTask
    records: LargeRecords

    @property
    def terms(self) -> Terms:
        """Under which it is read."""
        return self.task.terms

    def list_kinds(self, names: Sequence[str]) -> Mapping[str, Kind]:
        """Return what the columns of the release are."""
        return dict.fromkeys(names, Kind.CATEGORY)

    def list_lasting(self, counts: CategoryCounts) -> tuple[Identifying, ...]:
        """Return the columns of the original that name people and leave."""
        return tuple(list_distinct(counts))

    def make(self, drawn: Scan, columns: Sequence[CodedColumn]) -> MadeFile:
        """Return the release of drawn records."""
        texts = [pl.Series(column.name, column.released, dtype=pl.String) for column in columns]
        published = _write_cells(drawn, texts)
        return MadeFile(published=published, put=partial(self._put, published))

    def _put(self, published: Scan) -> None:
        written, task = self.records.scan.csv, self.task
        form = written if written.separator is not None else replace(task.require_texts().form, header=True)
        write_scan(
            published,
            task.out,
            separator=form.separator or ",",
            header=form.header is not False,
            encoding=name_written(form.encoding),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueTexts:
    """The distinct values of a column, each under the text that it shows.

    Attributes:
        column: of the data.
        values: in any order.
        texts: what they show, in the same order; a missing one shows nothing.
    """

    column: Column
    values: pl.Series
    texts: pl.Series

    def join(self, data: Dataset, texts: pl.Series) -> ValueTexts:
        """Return these values and those of some rows.

        Raises:
            ParameterError: they are too many.
        """
        column = self.column
        pairs = {VALUE: pl.concat([self.values, data.frame[column.name]]), TEXT: pl.concat([self.texts, texts])}
        distinct = pl.DataFrame(pairs).unique(TEXT)
        if distinct.height > MOST_VALUES:
            refuse_many_values(column.name)
        return ValueTexts(column=column, values=distinct[VALUE].alias(column.name), texts=distinct[TEXT])

    def choose(self, texts: Sequence[str]) -> Dataset:
        """Return the values that show some texts, in their order.

        Raises:
            ParameterError: a number of that text is not among them, which a matrix may name.
        """
        column, wanted = self.column, pl.Series(texts, dtype=pl.String)
        if not column.kind.numeric:
            return Dataset(pl.DataFrame([wanted.alias(column.name)]), Schema((column,)))
        places = {text: place for place, text in enumerate(self.texts)}
        strange = [text for text in texts if text not in places]
        if strange:
            rule = Said("name numbers and dates that the column has")
            raise ParameterError(Said("matrix of {name}", name=column.name), rule, strange)
        return Dataset(pl.DataFrame([self.values.gather([places[text] for text in texts])]), Schema((column,)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueFile:
    """A file whose cells are values, as a schema says.

    Attributes:
        task: the file, and where its release goes.
        records: its rows, every cell the text that its value shows.
        blocks: its settled schema.
        values: by column its distinct values, each under its text.
    """

    task: EngineTask
    records: LargeRecords
    blocks: OwnBlocks
    values: Mapping[str, ValueTexts]

    @property
    def terms(self) -> Terms:
        """Under which it is read, with nothing left open."""
        return self.task.terms.adopt_schema(self.blocks.schema)

    def list_kinds(self, names: Sequence[str]) -> Mapping[str, Kind]:
        """Return what the columns are, those of the release and those that stay."""
        del names
        return {each.name: each.kind for each in self.blocks.data_schema}

    def list_lasting(self, counts: CategoryCounts) -> tuple[Identifying, ...]:
        """Return the columns of the original that name people and leave; numbers that differ are no names."""
        schema = self.blocks.data_schema
        return tuple(each for each in list_distinct(counts) if schema[each.column].kind is Kind.CATEGORY)

    def make(self, drawn: Scan, columns: Sequence[CodedColumn]) -> MadeFile:
        """Return the release of drawn records: written whole among the temporary files, and read from there."""
        session, out = self.records.scan.session, self.task.out
        fields = {each.name: each for each in self.blocks.schema.fields()}
        cells = list[pl.Series]()
        for column in columns:
            data = self.values[column.name].choose(column.released)
            cells += publish_unchanged(data, tuple(data.schema), fields, as_values=is_parquet(out))
        place = session.folder / f"release{out.suffix}"
        with FrameSink(place, self.blocks.schema.form) as sink:
            for block in _write_cells(drawn, cells).batches():
                sink.write(pl.DataFrame(pl.from_arrow(block)))
        return MadeFile(
            published=open_release(session, place, self.blocks.schema), put=partial(put_in_place, place, out)
        )


DrawnFile = TextFile | ValueFile


def open_drawn_file(task: EngineTask) -> AbstractContextManager[DrawnFile]:
    """Open the file of a task: as texts where these are named, else as its schema says.

    Raises:
        ParameterError: somebody lives together with others, or a schema has columns of its own on Spark.
    """
    return _open_values(task) if task.texts is None else _open_texts(task)


@contextmanager
def _open_texts(task: EngineTask) -> Generator[DrawnFile]:
    texts = task.require_texts()
    with open_records(
        task.source,
        task.choice,
        form=texts.form,
        columns=texts.columns,
        identifier=texts.identifier,
        beside=task.out,
    ) as records:
        yield TextFile(task=task, records=records)


@contextmanager
def _open_values(task: EngineTask) -> Generator[DrawnFile]:
    schema = task.require_own()
    if task.choice.engine is Engine.SPARK:  # all rows would pass through the driver, and back
        raise ParameterError(
            "schema", Said("have no columns of its own on Spark"), [each.name for each in schema.columns]
        )
    with open_engine_beside(task.choice, task.out) as session:
        blocks = open_own_blocks(session, task.source, schema)
        for notice in blocks.notices:
            task.say(notice)
        columns = blocks.data_schema
        if columns.household:
            refuse_households(columns.household)
        reading = _Reading(columns=columns, folder=session.folder / "drawn texts", say=task.say)
        files = reading.write(blocks)
        scan = Scan(session, session.take_files(files), form=str(blocks.form), csv=blocks.form)
        holder = columns.identifier
        records = LargeRecords(
            scan=scan,
            names=tuple(each.name for each in columns.attributes),
            identifier="" if holder is None else holder.name,
        )
        yield ValueFile(task=task, records=records, blocks=blocks, values=reading.values)


def refuse_households(household: str) -> None:
    """Refuse records of people who live together: who does is not found beyond memory.

    Raises:
        ParameterError: always.
    """
    rule = Said("not be given where the work is done beyond memory")
    raise ParameterError("household", rule, household)


class _Reading:
    """Reads a file once, block by block, into texts and distinct values."""

    def __init__(self, *, columns: Schema, folder: Path, say: Callable[[Notice], None]) -> None:
        self._columns, self._folder, self._say = columns, folder, say
        self.values = {
            each.name: ValueTexts(
                column=each,
                values=pl.Series(each.name, [], dtype=TYPES[each.kind]),
                texts=pl.Series([], dtype=pl.String),
            )
            for each in columns.attributes
        }

    def write(self, blocks: OwnBlocks) -> list[Path]:
        """Return the files of the texts."""
        self._folder.mkdir()
        return list(self._write(blocks))

    def _write(self, blocks: OwnBlocks) -> Iterator[Path]:
        first, holder = 0, self._columns.identifier
        for place, data in enumerate(blocks.read(self._say)):
            texts = publish_values(exact_table(data)).frame.cast(pl.String).fill_null(MISSING_TEXT)
            for name, known in self.values.items():
                if known.column.kind.numeric:
                    self.values[name] = known.join(data, texts[name])
            rows = pl.Series(ROW, np.arange(first, first + len(data), dtype=np.int64))
            ids = [] if holder is None else [data.frame[holder.name].cast(pl.String)]
            path = self._folder / f"part-{place:06}.parquet"
            texts.with_columns(rows, *ids).write_parquet(path, compression="lz4")
            first += len(data)
            yield path


def _write_cells(drawn: Scan, cells: Sequence[pl.Series]) -> Scan:
    """Return drawn records in the order in which they are published, what is written in the place of codes.

    Args:
        drawn: the records, as codes.
        cells: by column what is written for each code.
    """
    codes = sort_places(drawn.frame).select([code_name(place) for place in range(len(cells))])
    kernel = WriteKernel(
        names=tuple(each.name for each in cells),
        written=dict(enumerate(cells)),
        kinds=tuple(each.to_arrow().type for each in cells),
    )
    return map_blocks(drawn.ask(codes), kernel, kernel.schema)
