"""Microdata beyond memory as the input of a table."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import narwhals as nw
import polars as pl

from sekisho.cli.kit.answer import say
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.table.files.microdata import MicroFile
from sekisho.data.files.plain_files.number_columns import read_floats
from sekisho.data.files.schema_files.schema_file import FileRules, SchemaFile
from sekisho.data.large.arrow import Batch
from sekisho.data.large.blocks import map_blocks
from sekisho.data.large.decimal_mark import find_large_mark
from sekisho.data.large.engine import EngineChoice
from sekisho.data.large.names import file_column, list_kinds
from sekisho.data.large.scan import Scan, open_scan
from sekisho.data.shape import Shape
from sekisho.errors import InputError
from sekisho.tables.model.contributors import Surveyed
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.tabulate import flat_dimensions
from sekisho.tables.model.tabulate_large import AMOUNT, ROW, WEIGHT, list_codes, tabulate_large
from sekisho.words import Said


def read_large_table(micro: MicroFile, source: Path, choice: EngineChoice) -> Surveyed:
    """Return the table of a file of microdata, having said on stderr how the file was read."""
    csv = micro.form.csv
    rules = FileRules(separator=csv.separator, encoding=csv.encoding, header=True, missing=("",))
    with (
        show_progress(Said("tabulating")),
        open_scan(source, SchemaFile(shape=Shape.RECORDS, file=rules), choice, row=ROW) as scan,
    ):
        say(Said("{source}: {reason}", source=source, reason=scan.form))
        flat = micro.list_flat()
        missing = [name for name in flat if name not in scan.names]
        if missing:
            names = [name for name in scan.names if name != ROW]
            raise InputError(
                source,
                Said("has no column {missing}; it has {names}", missing=", ".join(missing), names=", ".join(names)),
            )
        tabulation = micro.tabulate_by([_find_dimension(micro, scan, name, source) for name in flat])
        rows = scan
        for name, column in ((micro.value, AMOUNT), (micro.columns.weight, WEIGHT)):
            if name and name in scan.names:
                rows = _add_numbers(rows, name, column, csv.decimal)
        return tabulate_large(tabulation, rows, source=source)


def _find_dimension(micro: MicroFile, scan: Scan, name: str, source: Path) -> Dimension:
    codes = pl.DataFrame({name: list_codes(scan, name)["text"]})
    return flat_dimensions(codes, [name], source=source, margins=micro.form.margins.only([name]))[0]


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
