"""Releases of records of one's own read beside their original, whatever their cells and their order.

A release file has a header and columns of the original, in any order; columns it lacks count as suppressed. Its rows
stand in the original's order only where somebody says so; else which row is whose is unknown, and only what does not
depend on it can be measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm, parse_csv
from sekisho.data.files.encodings import name_written
from sekisho.data.files.fault_notes import FaultNotes
from sekisho.data.files.layout import HasLayout, Layout
from sekisho.data.files.plain_table import PARQUET, TableSource, digest_source
from sekisho.data.files.schema_files.columns import FileColumns, find_columns
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.records.files import read_deleted
from sekisho.data.records.written_cells import read_written_column
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import InputError, ParameterError
from sekisho.provenance import Provenance
from sekisho.words import Said

GONE = "*"
"""What stands as the text of a cell that the file does not have."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenRelease:
    """A release that was read from a file.

    Attributes:
        release: beside the original; the rows that the file lacks are deleted ones.
        ordered: whether row i of it is what became of row i of the original; else only which rows there are is known.
        notices: what was found out or had to be assumed.
    """

    release: Release
    ordered: bool
    notices: tuple[str, ...]

    @property
    def published(self) -> MaskedTable:
        """The rows that left."""
        return self.release.table.take(~self.release.deleted)


def read_written_release(
    path: TableSource,
    rules: HasLayout,
    original: Dataset,
    *,
    trees: Mapping[str, Tree],
    in_order: bool = False,
    deleted: Path | None = None,
) -> WrittenRelease:
    """Return a release as its file says it.

    Args:
        path: CSV or Parquet.
        rules: one's own, settled by the original.
        original: what it was made from.
        trees: of columns whose cells are labels.
        in_order: whether somebody says that its rows stand in the original's order.
        deleted: the rows of the original that it lacks, from 0; the others then stand in their order.

    Raises:
        FaultsError: cells mean nothing, or the rows do not fit the original's; all at once.
    """
    layout = rules.layout
    table = _read_table(path, layout, original, trees)
    gone = _settle_rows(table.rows, original, layout, table.notes, in_order=in_order, deleted=deleted)
    table.notes.raise_faults()
    release = _place_rows(table, original, gone, path)
    return WrittenRelease(release=release, ordered=in_order or deleted is not None, notices=table.notices)


def read_written_table(
    path: TableSource, rules: HasLayout, known: Dataset, trees: Mapping[str, Tree]
) -> tuple[MaskedTable, tuple[str, ...]]:
    """Return a release as somebody reads it who knows some people, and what he had to assume.

    Raises:
        FaultsError: cells mean nothing; all at once.
    """
    layout = rules.layout
    table = _read_table(path, layout, known, trees)
    table.notes.raise_faults()
    return MaskedTable(schema=known.schema, columns=table.cells), table.notices


def read_back(content: bytes, path: Path, rules: HasLayout, names: tuple[str, ...]) -> pl.DataFrame:
    """Return the texts of a file of records that is to be written, as whoever gets it will read them.

    Args:
        content: of the file, CSV with a header or Parquet.
        path: where it is to be written.
        rules: one's own, settled by the original.
        names: of its columns.
    """
    layout = rules.layout
    if path.suffix.lower() in PARQUET:
        return pl.read_parquet(BytesIO(content)).select(names).cast(pl.String)
    file = layout.described.file
    form = CsvForm(separator=file.separator or ",", encoding=name_written(file.encoding), header=True)
    return parse_csv(content, path, form)[0].select(names)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Table:
    cells: Mapping[str, Cells]
    texts: Mapping[str, pl.Series]
    rows: int
    notes: FaultNotes
    notices: tuple[str, ...]


def _read_table(path: TableSource, layout: Layout, original: Dataset, trees: Mapping[str, Tree]) -> _Table:
    if layout.strict:
        raise ParameterError("rules", Said("be one's own: a contest's releases hold whole values only"), str(path))
    file = find_columns(path, SchemaFile(shape=Shape.RECORDS, file=layout.described.file))
    if not file.rows:
        raise InputError(path, Said("has no records"))
    notes = FaultNotes(str(path), file.rows)
    cells: dict[str, Cells] = {}
    notices = [str(notice) for notice in file.notices]
    for each in layout.settle_columns(original.schema).attributes:
        text = file.texts.get(each.name)
        if text is None:
            cells[each.name] = _suppress_all(original, each.name, file.rows)
            notices.append(Said("has no column {name}, which counts as suppressed", name=each.name))
            continue
        column = read_written_column(text.fill_null(""), each, original, trees.get(each.name), notes)
        cells[each.name] = column.cells
        notices += column.notices
    others = [name for name in file.texts if name not in cells]
    notices += [Said("columns left out: {others}", others=", ".join(others))] if others else []
    if len(others) == len(file.texts):
        notes.note_file("header", ", ".join(file.texts), Said("the file has no column of the original"))
    return _Table(cells=cells, texts=_list_texts(file, cells), rows=file.rows, notes=notes, notices=tuple(notices))


def _settle_rows(
    rows: int, original: Dataset, layout: Layout, notes: FaultNotes, *, in_order: bool, deleted: Path | None
) -> NDArray[np.bool_]:
    """Return which rows of the original are not there."""
    if deleted is not None:
        gone = read_deleted(deleted, layout, original)
        if rows + int(gone.sum()) != len(original):
            message = Said(
                "{sheet_total:,} rows are released and {lists_total:,} deleted; together they must be "
                "the original's {original:,}",
                sheet_total=rows,
                lists_total=int(gone.sum()),
                original=len(original),
            )
            notes.note_file("rows", rows, message)
        return gone
    if rows > len(original) or (in_order and rows < len(original)):
        message = (
            Said(
                "the file has {rows:,} rows, the original {original:,}; say with --deleted which are left out",
                rows=rows,
                original=len(original),
            )
            if rows < len(original)
            else Said("the file has {rows:,} rows, the original {original:,}", rows=rows, original=len(original))
        )
        notes.note_file("rows", rows, message)
    return np.arange(len(original)) >= rows


def _suppress_all(original: Dataset, name: str, rows: int) -> Cells:
    gone = np.ones(rows, dtype=np.bool_)
    if original.schema[name].kind.numeric:
        return RangeCells.exact(np.zeros(rows, dtype=np.int64)).suppress(gone)
    return SetCells.exact(np.zeros(rows, dtype=np.int32), original.domain(name)).suppress(gone)


def _list_texts(file: FileColumns, cells: Mapping[str, Cells]) -> dict[str, pl.Series]:
    gone = pl.Series([GONE], dtype=pl.String)
    return {
        name: file.texts[name].fill_null("") if name in file.texts else gone.new_from_index(0, file.rows)
        for name in cells
    }


def _place_rows(table: _Table, original: Dataset, gone: NDArray[np.bool_], path: TableSource) -> Release:
    place = np.maximum(np.cumsum(~gone) - 1, 0).astype(np.intp)
    columns = {name: each.take(place).suppress(gone) for name, each in table.cells.items()}
    return Release(
        table=MaskedTable(schema=original.schema, columns=columns),
        deleted=gone,
        provenance=Provenance(name="file", inputs=digest_source(path)),
        labels={name: text.gather(place) for name, text in table.texts.items()},
    )
