"""The decimal mark of a column of texts beyond memory: as told, else decided by the texts, block by block."""

from __future__ import annotations

import polars as pl

from sekisho.data.files.plain_files.number_columns import NUMERIC, find_mark
from sekisho.data.files.schema_files.witnesses import keep_witnesses
from sekisho.data.large.names import file_column
from sekisho.data.large.scan import Scan


def find_large_mark(scan: Scan, name: str, decimal: str | None) -> str:
    """Return the decimal mark of a column; a few texts of each block answer like all of them."""
    if decimal is not None:
        return decimal
    few = pl.Series(name, [], dtype=pl.String)
    for block in scan.ask(scan.frame.select(file_column(name))).batches():
        texts = pl.concat([few, pl.Series(name, block.column(name).to_pylist(), dtype=pl.String)]).drop_nulls().unique()
        few = keep_witnesses(texts.filter(texts.str.contains(NUMERIC)), "")
    return find_mark([few], None)
