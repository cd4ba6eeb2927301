"""Coding of a file beyond memory: values are counted, then rows are written in an order that tells nothing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from sekisho.data.files.frames import is_parquet
from sekisho.data.files.own.blocks import OwnBlocks
from sekisho.data.files.own.columns import Notice
from sekisho.data.files.published_frame import publish_texts, publish_values
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import exact_table
from sekisho.data.frame.schema import Schema
from sekisho.data.large.frame_sink import FrameSink
from sekisho.data.large.own.blocks import open_own_blocks
from sekisho.data.large.session import Session
from sekisho.data.large.sink import put_in_place
from sekisho.data.large.workspace import open_workspace
from sekisho.gate.records.large.large_task import LargeOutcome, LargeTask, open_engine, require_own
from sekisho.gate.records.large.recode_file import open_release
from sekisho.gate.records.large.release_figures import WrittenFile, examine_release
from sekisho.gate.records.large_comparison import CountedColumn
from sekisho.protect.records.coding.code import Code, describe_coding
from sekisho.protect.records.coding.large_coding import LargeCoding, code_blocks
from sekisho.seeds import Seed, choose_words, order_signed

ORDER = "place of the row"


@contextmanager
def code_file(
    method: Code,
    task: LargeTask,
    *,
    seed: Seed,
    say: Callable[[Notice], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Generator[LargeOutcome]:
    """Code a file.

    Args:
        method: what is asked of which columns.
        task: the file, and where its release goes.
        seed: of the order of the rows.
        say: is told what was found out, left out or dropped in reading.
        tell: is told how far the work is.

    Raises:
        FaultsError: cells break the rules, or what is asked cannot be done; all at once.
        ParameterError: a column has too many values, or the rules are a contest's.
    """
    schema = require_own(task)
    with open_workspace(task.out) as folder, open_engine(task.choice, folder) as session:
        blocks = open_own_blocks(session, task.source, schema)
        for notice in blocks.notices:
            say(notice)
        tell("counting values")
        coding = code_blocks(method, blocks.read(say), blocks.data_schema)
        coded = _count_columns(coding)
        tell("writing")
        rows = _Rows(coding=coding, blocks=blocks, as_values=is_parquet(task.out))
        place = folder / f"release{task.out.suffix}"
        rows.write(place, session, None if task.ordered else seed.child("publish"))
        deleted = folder / "deleted" if task.ordered else None
        if deleted is not None:
            deleted.write_bytes(b"")
        detail = describe_coding(coding.coded, records=coding.records, changed=rows.changed)
        warnings = tuple(warning for column in coding.coded.values() for warning in column.warnings)
        figures = None
        if task.examined:
            tell("counting for the page")
            released = open_release(session, place, blocks.schema)
            written = WrittenFile(released=released, recounts=(), detail=detail, coded=coded)
            figures = examine_release(session, task.source, task.rules.adopt_schema(blocks.schema), written)
        yield LargeOutcome(
            place=place,
            put=partial(put_in_place, place, task.out),
            deleted=deleted,
            detail=detail,
            recounts=(),
            warnings=warnings,
            figures=figures,
        )


def _count_columns(coding: LargeCoding) -> dict[str, CountedColumn]:
    """Return the coded columns before and after; the values are numbered again as rows are written, and counted."""
    columns = dict[str, CountedColumn]()
    for name, column in coding.coded.items():
        counts, values = coding.numbers[name].counts.copy(), coding.numbers[name].list_values()
        columns[name] = CountedColumn(name=name, data=values, cells=column.cells, before=counts, after=counts)
    return columns


class _Rows:
    """The rows of a release, which bear numbers of values until they are written."""

    def __init__(self, *, coding: LargeCoding, blocks: OwnBlocks, as_values: bool) -> None:
        self._coding, self._blocks, self._as_values = coding, blocks, as_values
        self._fields = {each.name: each for each in blocks.schema.fields()}
        self.changed = 0

    def write(self, place: Path, session: Session, seed: Seed | None) -> None:
        """Write the rows, in a random order if there is a seed for it."""
        texts = self._coding.write_values(self._fields, as_values=self._as_values)
        frames = self._read() if seed is None else self._shuffle(session, seed)
        names = [column.name for column in self._blocks.data_schema.attributes]
        with FrameSink(place, self._blocks.schema.form) as sink:
            for frame in frames:
                sink.write(
                    pl.DataFrame([texts[name].gather(frame[name]) if name in texts else frame[name] for name in names])
                )

    def _read(self) -> Iterator[pl.DataFrame]:
        """Give the rows: numbers of coded values, other columns as they are written."""
        others = [each for each in self._blocks.data_schema.attributes if each.name not in self._coding.coded]
        for data in self._blocks.read():
            codes = self._coding.number(data)
            self.changed += self._coding.count_changed(codes)
            columns = [pl.Series(name, code) for name, code in codes.items()]
            if others:
                part = Dataset(data.frame.select([each.name for each in others]), Schema(tuple(others)))
                columns += self._publish(part).get_columns()
            yield pl.DataFrame(columns)

    def _publish(self, data: Dataset) -> pl.DataFrame:
        table = exact_table(data)
        if self._as_values:
            return publish_values(table, writing=self._blocks.schema.file.writing).frame
        return publish_texts(table, self._fields).frame

    def _shuffle(self, session: Session, seed: Seed) -> Iterator[pl.DataFrame]:
        """Give the rows in a random order, into which the engine sorts them."""
        words, row, path = choose_words(seed.rng()), 0, session.folder / "rows.parquet"
        writer: pq.ParquetWriter | None = None
        try:
            for frame in self._read():
                places = words.draw("order", np.arange(row, row + frame.height, dtype=np.uint64))
                row += frame.height
                table = frame.with_columns(pl.Series(ORDER, order_signed(places))).to_arrow()
                writer = writer or pq.ParquetWriter(path, table.schema, compression="lz4")
                writer.write_table(table)
        finally:
            if writer is not None:
                writer.close()
        for block in session.stream(session.scan_parquet([path]).sort(ORDER)):
            yield pl.DataFrame(pl.from_arrow(pa.record_batch(block)))
