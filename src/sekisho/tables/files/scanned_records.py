"""Files of records beyond memory as the source of a table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import narwhals as nw
import polars as pl

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.names import Batch, file_column, list_kinds, list_plain, make_plain
from sekisho.data.engines.scan import Scan, find_large_mark
from sekisho.data.engines.schema_files.text_rows import open_text_table
from sekisho.data.files.plain_files.number_forms import read_floats
from sekisho.data.files.plain_files.numbers import POINT
from sekisho.data.files.schema_files.schema_file import FileRules, SchemaFile
from sekisho.data.shape import Shape
from sekisho.errors import MissingColumnsError
from sekisho.tables.files.notices import notice_trees
from sekisho.tables.files.records import RecordSource
from sekisho.tables.files.source import TableRead
from sekisho.tables.model.contributor_sums import ROW
from sekisho.tables.model.tabulate import AMOUNT, WEIGHT, list_codes, make_flat
from sekisho.words import Said

TOLD = "sekisho_told"


def read_large_table(micro: RecordSource, source: Path, choice: EngineChoice) -> TableRead:
    """Return the table of a file of records."""
    form = micro.form
    rules = FileRules(separator=form.separator, encoding=form.encoding, sheet=form.sheet, header=True, missing=("",))
    schema = SchemaFile(shape=Shape.RECORDS, file=rules, said=form.kinds)
    with open_text_table(source, schema, choice, row=ROW) as texts:
        scan, flat = texts.scan, micro.list_flat()
        missing = [name for name in micro.columns if name not in scan.names]
        if missing:
            raise MissingColumnsError(source, missing, texts.names)
        codes = {name: list_codes(scan, name)["text"] for name in flat}
        tabulation = micro.tabulate_by(make_flat(codes, source=source, margins=form.margins.only(flat)))
        rows = scan.ask(scan.frame.select(*list_plain(micro.columns), ROW))  # others need not be written anew
        for name, joined in form.joined.items():
            rows = _join_codes(rows, name, joined)
        for name, column in ((micro.value, AMOUNT), (micro.weight, WEIGHT)):
            if name:
                said = any(each.column == name for each in form.kinds)
                rows = _add_numbers(rows, name, column, POINT if said else form.decimal)
        table = tabulation.count(rows, source=source)
        form_found = Said("{source}: {reason}", source=source, reason=scan.form)
        return TableRead(
            table=table,
            notices=(
                Said("{form}; {rows:,} records", form=form_found, rows=scan.count_rows()),
                *(Said("{source}: {reason}", source=source, reason=each.message) for each in texts.notices),
                *notice_trees(source, table, form.margins, form.trees),
            ),
        )


def _join_codes(scan: Scan, name: str, joined: Mapping[str, str]) -> Scan:
    """Return rows with the codes that are told, as :meth:`TableForm.join_records` has them."""
    values = list_codes(scan, name).drop_nulls(name)
    told = values.select(name, pl.col("text").replace(dict(joined)).alias(TOLD))
    beside = scan.frame.join(scan.session.take(told), on=make_plain(name), how="left")
    return scan.ask(beside.with_columns(nw.col(TOLD).alias(make_plain(name))).drop(TOLD))


def _add_numbers(scan: Scan, name: str, column: str, decimal: str | None) -> Scan:
    if list_kinds(scan.frame)[name] != nw.String:
        number = file_column(name).cast(nw.Float64)
        return scan.ask(scan.frame.with_columns(nw.when(number.is_finite()).then(number).alias(column)))
    kernel = partial(parse_numbers, name=name, column=column, mark=find_large_mark(scan, name, decimal))
    return map_blocks(scan, kernel, kernel(scan.probe()).schema)


def parse_numbers(block: Batch, *, name: str, column: str, mark: str) -> Batch:
    """Return a block of rows with the numbers of a column of texts, null where a text is none."""
    texts = pl.Series(block.column(name).to_pylist(), dtype=pl.String)
    numbers = read_floats(texts, mark)
    finite = numbers.set(~numbers.is_finite().fill_null(value=True), None)
    return block.append_column(column, finite.to_arrow())
