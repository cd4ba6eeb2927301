"""``sekisho table convert``: a table from one program's files to another's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from sekisho.cli.kit.answer import Answer, AsJson, say
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.options import (
    Apriori,
    CodeOptions,
    ColumnOptions,
    CsvOptions,
    code_files,
    read_aloud,
    read_columns,
    read_form,
)
from sekisho.data.files.plain_table import frame_bytes
from sekisho.data.files.whole_files import check_paths
from sekisho.errors import ParameterError
from sekisho.tables.files.apriori import hst_text
from sekisho.tables.files.argus import tab_companions, tab_files, tab_trees
from sekisho.tables.files.cell_marks import Loss, TableFormat, cells_frame, count_unlevelled, find_losses, taken_names
from sekisho.tables.files.cells import dimension_of
from sekisho.tables.files.jj import jj_text
from sekisho.tables.files.source import ARGUS, JJ, CellSource, read_apriori
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.table import Table
from sekisho.words import Said

FORMS = {
    ARGUS: TableFormat.ARGUS,
    JJ: TableFormat.JJ,
    ".hst": TableFormat.APRIORI,
    ".csv": TableFormat.CELLS,
    ".parquet": TableFormat.CELLS,
    ".pq": TableFormat.CELLS,
}


@expand_options
def convert(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Cells (CSV, Parquet), a .tab or a .jj file.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .tab, .jj, .hst, .csv, .parquet.")],
    *,
    dims: Annotated[str, typer.Option("--dims", help="The dimension columns of a file of cells.")] = "",
    columns: ColumnOptions,
    codes: CodeOptions,
    marks: Annotated[
        bool,
        typer.Option(
            "--marks/--no-marks",
            help="Read the columns status, cost, lower_level, upper_level, sliding_level, lower_bound and "
            "upper_bound of cells.",
        ),
    ] = True,
    pattern: Annotated[
        Path | None,
        typer.Option(
            "--pattern", help="A pattern (CSV, Parquet, .tab, .jj) whose statuses OUT gets, with its levels and costs."
        ),
    ] = None,
    apriori: Apriori = None,
    csv: CsvOptions,
    as_json: AsJson = False,
) -> None:
    """Convert a table between CSV, τ-ARGUS (.tab with .rda and .hrc; .hst) and JJ files. The files hold true values.

    Statuses, costs, protection levels and an attacker's bounds are kept as far as OUT has a place for them; what it has
    none for is said and listed (lost).

    Example: `sekisho table convert t.csv t.tab --dims v1,v2 --count n --pattern p.csv`
    """
    read_too = [source, pattern, apriori, *code_files(codes)]
    check_paths(reads=read_too, writes={"OUT": target})
    if target.suffix.lower() not in FORMS:
        raise ParameterError("OUT", Said("end in .tab, .jj, .hst, .csv or .parquet"), target.name)
    how = read_columns(dims, columns, read_form(codes, csv), source=source)
    held = how.read_marked(source, marks=marks)
    table = read_aloud(held)
    if pattern is not None:
        table = read_aloud(how.apply_pattern(table, pattern, costs=True))
    if apriori is not None:
        table = read_apriori(table, apriori)
    argus = how.cells is None and source.suffix.lower() == ARGUS
    own = tab_trees(source, encoding=csv.encoding, margins=how.form.margins) if argus else how.trees
    margins = dict(zip(table.dims, table.margins, strict=True))
    deep = [dimension_of(name, tree, total=margins[name]) for name, tree in own.items()]
    files = _make_files(table, target, deep, how)
    if argus:
        read_too += tab_companions(source, encoding=csv.encoding)
    check_paths(reads=read_too, writes={f"OUT {path.name}": path for path in files})
    lost = [*_unread(held.unread, source), *_losses(table, target, how.value)]
    unlevelled = count_unlevelled(table)
    for notice in _list_notices(lost, unlevelled, target):
        say(notice)
    names = [str(path) for path in files]
    keys = {
        "cells": len(table),
        "files": names,
        "lost": [{"what": each.what, "cells": len(each.cells), "why": each.why} for each in lost],
        "unlevelled": unlevelled,
    }
    Answer(
        keys=keys,
        words=Said("{table:,} cells written to {names}", table=len(table), names=", ".join(names)),
        files=files,
    ).deliver(as_json=as_json)


def _list_notices(lost: Sequence[Loss], unlevelled: int, target: Path) -> Iterator[Said]:
    """Give what the file does not say, and what stands for a level that is not known."""
    for loss in lost:
        if loss.cells:
            yield Said(
                "not in {name}: {what} of {cells:,} cells: {why}",
                name=target.name,
                what=loss.what,
                cells=len(loss.cells),
                why=loss.why,
            )
        else:
            yield Said("not in {name}: {what}: {why}", name=target.name, what=loss.what, why=loss.why)
    if unlevelled:
        yield Said(
            "{unlevelled:,} unsafe cells come without a protection level: the least, a width of "
            "{least:g}, stands for it",
            unlevelled=unlevelled,
            least=LEAST,
        )


def _unread(names: Sequence[str], source: Path) -> list[Loss]:
    why = Said("nothing says what it is in {name}", name=source.name)
    return [Loss(what=Said("column {name}", name=name), cells=(), why=why) for name in names]


def _losses(table: Table, target: Path, value: str) -> list[Loss]:
    form = FORMS[target.suffix.lower()]
    taken = taken_names(table, value) if form is TableFormat.CELLS else []
    why = "a dimension or the value has this name"
    return [*find_losses(table, form), *(Loss(what=name, cells=tuple(range(len(table))), why=why) for name in taken)]


def _make_files(table: Table, target: Path, deep: Sequence[Dimension], how: CellSource) -> dict[Path, bytes]:
    form = FORMS[target.suffix.lower()]
    if form is TableFormat.ARGUS:
        if how.cells is not None and how.cells.groups:
            raise ParameterError(
                "grouping",
                Said("stay out of a .tab file"),
                target.name,
                hint=Said("τ-ARGUS knows trees only; a .jj file holds all"),
            )
        return tab_files(table, target, deep, value=how.value)
    if form is TableFormat.JJ:
        return {target: jj_text(table).encode()}
    if form is TableFormat.APRIORI:
        return {target: hst_text(table).encode()}
    files = {target: frame_bytes(cells_frame(table, value=how.value), target)}
    if how.cells is None:
        # whoever leaves τ-ARGUS needs its trees as well
        for one in deep:
            if any(above != one.total for above in one.parent.values()):
                pairs = pl.DataFrame({"node": list(one.parent), "parent": list(one.parent.values())})
                path = target.with_name(f"{target.stem}_{one.name}.csv")
                files[path] = frame_bytes(pairs, path)
    return files
