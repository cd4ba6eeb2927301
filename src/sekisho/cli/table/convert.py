"""``sekisho table convert``: a table from one program's files to another's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.cell_files import ARGUS, Reading, code_files, read_columns, read_form
from sekisho.cli.table.options import CodeOptions, ColumnOptions, CsvOptions
from sekisho.data.files.frames import frame_bytes
from sekisho.data.files.output_paths import check_paths
from sekisho.errors import ParameterError
from sekisho.tables.files.apriori import hst_text
from sekisho.tables.files.argus import tab_companions, tab_files, tab_trees
from sekisho.tables.files.dimensions import dimension_of
from sekisho.tables.files.jj import jj_text
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.table import Status, Table


@expand_options
def convert(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Cells (CSV, Parquet), a .tab or a .jj file.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .tab, .jj, .hst, .csv, .parquet.")],
    *,
    dims: Annotated[str, typer.Option("--dims", help="The dimension columns of a file of cells.")] = "",
    columns: ColumnOptions,
    codes: CodeOptions,
    pattern: Annotated[
        Path | None, typer.Option("--pattern", help="A pattern (CSV, Parquet, .tab, .jj) whose statuses OUT gets.")
    ] = None,
    csv: CsvOptions,
    as_json: AsJson = False,
) -> None:
    """Convert a table between CSV, τ-ARGUS (.tab with .rda and .hrc; .hst) and JJ files. The files hold true values.

    Example: `sekisho table convert t.csv t.tab --dims v1,v2 --count n --pattern p.csv`
    """
    read_too = [source, pattern, *code_files(codes)]
    check_paths(reads=read_too, writes={"OUT": target})
    how = read_columns(dims, columns, read_form(codes, csv), source=source)
    table = how.read_table(source)
    if pattern is not None:
        table = how.apply_pattern(table, pattern, source)
    argus = how.cells is None and source.suffix.lower() == ARGUS
    own = tab_trees(source, encoding=csv.encoding, margins=how.form.margins) if argus else how.trees
    margins = dict(zip(table.dims, table.margins, strict=True))
    deep = [dimension_of(name, tree, total=margins[name]) for name, tree in own.items()]
    files = _files(table, target, deep, how)
    if argus:
        read_too += tab_companions(source, encoding=csv.encoding)
    check_paths(reads=read_too, writes={f"OUT {path.name}": path for path in files})
    names = [str(path) for path in files]
    words = f"{len(table):,} cells written to {', '.join(names)}"
    Answer(keys={"cells": len(table), "files": names}, words=words, files=files).deliver(as_json=as_json)


def _files(table: Table, target: Path, deep: Sequence[Dimension], how: Reading) -> dict[Path, bytes]:
    suffix = target.suffix.lower()
    if suffix == ".tab":
        if how.cells is not None and how.cells.groups:
            raise ParameterError(
                "grouping",
                "stay out of a .tab file",
                target.name,
                hint="τ-ARGUS knows trees only; a .jj file holds all",
            )
        return tab_files(table, target, deep, value=how.value)
    if suffix == ".jj":
        return {target: jj_text(table).encode()}
    if suffix == ".hst":
        return {target: hst_text(table).encode()}
    if suffix in (".csv", ".parquet", ".pq"):
        files = {target: frame_bytes(_cells(table, how.value), target)}
        if how.cells is None:
            # whoever leaves τ-ARGUS needs its trees as well
            for one in deep:
                if any(above != one.total for above in one.parent.values()):
                    pairs = pl.DataFrame({"node": list(one.parent), "parent": list(one.parent.values())})
                    path = target.with_name(f"{target.stem}_{one.name}.csv")
                    files[path] = frame_bytes(pairs, path)
        return files
    raise ParameterError("OUT", "end in .tab, .jj, .hst, .csv or .parquet", target.name)


def _cells(table: Table, value: str) -> pl.DataFrame:
    """Return all cells with their true values, frequencies (where they are known), largest contributions and statuses."""
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    columns.append(pl.Series(value, table.value.astype(np.int64) if table.whole else table.value))
    if table.frequency.any():
        columns.append(pl.Series("frequency", table.frequency))
    columns += [pl.Series(f"x{place + 1}", table.largest[:, place]) for place in range(table.largest.shape[1])]
    return pl.DataFrame([*columns, pl.Series("status", [Status(code).word for code in table.status.tolist()])])
