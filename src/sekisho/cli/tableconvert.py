"""``sekisho table convert``: a table from one program's files to another's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.answer import AsJson, give
from sekisho.cli.cellfiles import Contributed, Counted, Summed, TreeFiles, reading
from sekisho.data.frames import frame_bytes, read_frame
from sekisho.data.io import write_whole
from sekisho.errors import ParameterError
from sekisho.tables.apriori import hst_text
from sekisho.tables.argusfiles import tab_files
from sekisho.tables.files import dimension_of
from sekisho.tables.jjfiles import jj_text
from sekisho.tables.pattern import patterned
from sekisho.tables.table import Status, Table


def convert(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Cells (CSV, Parquet), a .tab or a .jj file.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .tab, .jj, .hst, .csv, .parquet.")],
    *,
    dims: Annotated[str, typer.Option("--dims", help="The dimension columns of a file of cells.")] = "",
    count: Counted = "",
    value: Summed = "",
    contributors: Contributed = "",
    trees: TreeFiles = None,
    pattern: Annotated[Path | None, typer.Option("--pattern", help="A pattern whose statuses the file gets.")] = None,
    as_json: AsJson = False,
) -> None:
    """Convert a table between CSV, τ-ARGUS (.tab with .rda and .hrc; .hst) and JJ files. The files hold true values.

    Example: `sekisho table convert t.csv t.tab --dims v1,v2 --count n --pattern p.csv`
    """
    how = reading(dims, count=count, value=value, contributors=contributors, trees=trees or [], source=source)
    table = how.table(source)
    if pattern is not None:
        table = patterned(table, read_frame(pattern).frame, value=how.value, trees=how.trees, source=pattern)
    suffix = target.suffix.lower()
    if suffix == ".tab":
        deep = [dimension_of(name, tree) for name, tree in how.trees.items()]
        files = tab_files(table, target, deep)
    elif suffix == ".jj":
        files = {target: jj_text(table).encode()}
    elif suffix == ".hst":
        files = {target: hst_text(table).encode()}
    elif suffix in (".csv", ".parquet", ".pq"):
        files = {target: frame_bytes(_cells(table, how.value), target)}
    else:
        raise ParameterError("OUT", "end in .tab, .jj, .hst, .csv or .parquet", target.name)
    write_whole(files)
    names = [str(path) for path in files]
    give({"cells": len(table), "files": names}, f"{len(table):,} cells written to {', '.join(names)}", as_json=as_json)


def _cells(table: Table, value: str) -> pl.DataFrame:
    """Return all cells with their true values, frequencies, largest contributions and statuses."""
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    columns.append(pl.Series(value, table.value.astype(np.int64) if table.whole else table.value))
    columns.append(pl.Series("frequency", table.frequency))
    columns += [pl.Series(f"x{place + 1}", table.largest[:, place]) for place in range(table.largest.shape[1])]
    return pl.DataFrame([*columns, pl.Series("status", [Status(code).word for code in table.status.tolist()])])
