"""Files of records, checked, read and written: B, D, X, the test set and its answers.

D has the kept rows in B's order; X lists the deleted rows of B from 0, one per line. Every error is raised at once,
those of D and X together.

B and D of one's own are ordinary CSV with a header; D has every column but the identifier. Files of row numbers have
neither header nor anything else to settle, so they are the same for all. Rows that the schema drops are not in B: D and
X stand beside what was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm, parse_csv
from sekisho.data.files.fault_notes import CELL, FaultNotes, raise_faults
from sekisho.data.files.grammar import FieldRules, Grammar, read_exact, write_cells
from sekisho.data.files.layout import HasLayout, Layout, read_number_text
from sekisho.data.files.plain_table import is_parquet, write_parquet
from sekisho.data.files.published_frame import PublishedRows, publish_texts, publish_values
from sekisho.data.files.separated_rows import name_written
from sekisho.data.files.sheet import Sheet, SheetRules, read_sheet
from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.provenance import Provenance, digest_file
from sekisho.words import Said

WHOLE = r"^-?[0-9]{1,9}$"


def read_original(path: Path, rules: HasLayout) -> Dataset:
    """Return B, or a test set of its rows."""
    return rules.layout.open(path)[0].data


def read_release(released: Path, deleted: Path, rules: HasLayout, original: Dataset) -> Release:
    """Return D and X as a release of B, or everything that is wrong with both at once."""
    layout = rules.layout.settle_columns(original.schema)
    lists, gone = _read_deleted(deleted, layout, original)
    sheet = layout.form.read(released, tuple(field.name for field in layout.attributes), expected=len(original))
    columns = _read_columns(sheet, layout.attributes)
    _note_unknown_values(sheet, layout, original)
    if sheet.total + lists.total != len(original):
        message = Said(
            "{sheet_total:,} rows are released and {lists_total:,} deleted; together they must be "
            "the original's {original:,}",
            sheet_total=sheet.total,
            lists_total=lists.total,
            original=len(original),
        )
        sheet.notes.note_file("rows", sheet.total, message)
    raise_faults(f"{released}, {deleted}", sheet.notes, lists.notes)
    data = Dataset(pl.DataFrame(columns), Schema(tuple(field.column for field in layout.attributes)))
    provenance = Provenance(name="file", inputs={path.name: digest_file(path) for path in (released, deleted)})
    return Release(table=place_kept_rows(data, original, gone), deleted=gone, provenance=provenance)


def place_kept_rows(left: Dataset, original: Dataset, deleted: NDArray[np.bool_]) -> MaskedTable:
    """Return the kept records in the original's places, the deleted rows suppressed."""
    place = np.maximum(np.cumsum(~deleted) - 1, 0)
    table = exact_table(left).take(place.astype(np.intp)) if len(left) else exact_table(original)
    columns = {name: cells.suppress(deleted) for name, cells in table.columns.items()}
    return MaskedTable(schema=original.schema, columns=columns)


def read_deleted(path: Path, rules: HasLayout, original: Dataset) -> NDArray[np.bool_]:
    """Return which rows of B the file X deletes."""
    layout = rules.layout
    sheet, gone = _read_deleted(path, layout, original)
    sheet.notes.raise_faults()
    return gone


def read_published(path: Path, rules: HasLayout, known: Schema | None = None) -> MaskedTable:
    """Return D as published: rows in whatever order.

    Args:
        path: the file.
        rules: of the contest, or one's own.
        known: the columns of what the reader knows already, an original or some of its records; kinds that rules of
            one's own leave open are taken from it, else found in the file itself.
    """
    layout = rules.layout
    if known is None:
        return exact_table(layout.without_identifier().open(path)[0].data)
    return exact_table(layout.settle_columns(known).read_values(path))


def read_answers(path: Path, rules: HasLayout) -> NDArray[np.int64]:
    """Return Ea: one number per record of the test set, -1 or a row of D."""
    layout = rules.layout
    sheet, numbers = read_numbers(path, ("answer",), layout.sheet)
    note_low(sheet, numbers, "answer", -1)
    if sheet.notes.is_fine("").all() and not (numbers[:, 0] > -1).any():
        sheet.notes.note_file("members", len(numbers), Said("the answers hold no member"))
    sheet.notes.raise_faults()
    return numbers[:, 0]


def write_records(data: Dataset, rules: HasLayout) -> bytes:
    """Return records as the contest's file, or as data of one's own are written."""
    layout = rules.layout
    fields = [field for field in layout.settle_columns(data.schema).columns if field.name in data.schema.names]
    return layout.form.write(pl.DataFrame([_write_column(data, field) for field in fields]))


def lay_out_rows(release: Release, rules: HasLayout, out: Path) -> PublishedRows:
    """Return rows of a release as they are handed to the writer of a file of one's own.

    Args:
        release: the rows; take the kept ones first, in the order in which they leave.
        rules: one's own.
        out: the file; its ending says whether it is Parquet.
    """
    layout = rules.layout
    fields = {each.name: each for each in layout.settle_columns(release.table.schema).columns}
    if is_parquet(out):
        return publish_values(release, writing=next(iter(fields.values())).writing)
    return publish_texts(release, fields)


def write_rows(rows: PublishedRows, rules: HasLayout, out: Path) -> bytes:
    """Return rows as a file of one's own."""
    layout = rules.layout
    return write_parquet(rows.frame) if is_parquet(out) else layout.form.write(rows.frame)


def read_back(content: bytes, path: Path, rules: HasLayout, names: tuple[str, ...]) -> pl.DataFrame:
    """Return the texts of a file of records that is to be written, as whoever gets it will read them.

    Args:
        content: of the file, CSV with a header or Parquet.
        path: where it is to be written.
        rules: one's own, settled by the original.
        names: of its columns.
    """
    layout = rules.layout
    if is_parquet(path):
        return pl.read_parquet(BytesIO(content)).select(names).cast(pl.String)
    file = layout.described.file
    form = CsvForm(separator=file.separator or ",", encoding=name_written(file.encoding), header=True)
    return parse_csv(content, path, form)[0].select(names)


def write_whole_rows(data: Dataset, rules: HasLayout, out: Path) -> bytes:
    """Return records whose values are all whole, in their order.

    Args:
        data: the rows.
        rules: a contest's, which fix the form of files, or one's own.
        out: the file; its ending says whether it is Parquet, which only data of one's own may be.

    Raises:
        ParameterError: Parquet under a contest's rules.
    """
    layout = rules.layout
    if not is_parquet(out):
        return write_records(data, layout)
    layout.refuse_parquet()
    return write_parquet(publish_values(exact_table(data)).frame)


def write_number_lines(numbers: NDArray[np.int64]) -> bytes:
    """Return lines of whole numbers: X, Ea or E."""
    columns = [pl.Series(str(place), column) for place, column in enumerate(np.atleast_2d(numbers.T))]
    return pl.DataFrame(columns).write_csv(include_header=False).encode("ascii")


def read_order(path: Path, rules: HasLayout, rows: int) -> NDArray[np.int64]:
    """Return the published row of each row of D, a permutation."""
    layout = rules.layout
    sheet, numbers = read_numbers(path, ("row",), layout.sheet, expected=rows)
    if len(sheet) != rows or not np.array_equal(np.sort(numbers[:, 0]), np.arange(rows)):
        sheet.notes.note_file(
            "permutation", len(sheet), Said("the file must name each of the rows 0 to {rows} once", rows=rows - 1)
        )
    sheet.notes.raise_faults()
    return numbers[:, 0]


def _read_columns(sheet: Sheet, fields: Sequence[FieldRules]) -> list[pl.Series]:
    return [read_exact(read_number_text(sheet, field), field, sheet.notes) for field in fields]


def _note_unknown_values(sheet: Sheet, layout: Layout, original: Dataset) -> None:
    for field in layout.attributes:
        if field.kind.numeric:
            continue
        text = sheet.cells[field.name]
        strange = ~text.is_in(pl.Series(original.domain(field.name)).implode()).to_numpy()
        sheet.notes.note(
            strange,
            field.name,
            "domain",
            text,
            Said("{name} {value} does not occur in the original", name=field.name, value=CELL),
        )


def read_numbers(
    path: Path, names: tuple[str, ...], form: SheetRules, *, expected: int | None = None
) -> tuple[Sheet, NDArray[np.int64]]:
    """Return a file of whole numbers as text and as numbers, having noted what is none."""
    sheet = read_sheet(path, names, form, expected=expected)
    parts: list[NDArray[np.int64]] = []
    for name in names:
        text = sheet.cells[name]
        whole = text.str.contains(WHOLE)
        sheet.notes.note(~whole.to_numpy(), name, "integer", text, Said("{value} is not a whole number", value=CELL))
        parts.append(text.zip_with(whole, pl.Series(["0"])).cast(pl.Int64).to_numpy())
    return sheet, np.stack(parts, axis=1) if len(sheet) else np.zeros((0, len(names)), dtype=np.int64)


def note_low(sheet: Sheet, numbers: NDArray[np.int64], name: str, least: int) -> None:
    """Note the rows of a file of numbers that hold one below the least."""
    low = np.asarray((numbers < least).any(axis=1))
    sheet.notes.note(low, name, "range", sheet.cells[name], Said("{value} is below {least}", value=CELL, least=least))


def _read_deleted(path: Path, layout: Layout, original: Dataset) -> tuple[Sheet, NDArray[np.bool_]]:
    sheet, numbers = read_numbers(path, ("X",), layout.sheet, expected=len(original))
    rows, text, notes = numbers[:, 0], sheet.cells["X"], sheet.notes
    outside = (rows < 0) | (rows >= len(original))
    notes.note(
        outside,
        "X",
        "range",
        text,
        Said(
            "{value} is not a row of the original: its rows are 0 to {original}", value=CELL, original=len(original) - 1
        ),
    )
    _note_doubles(rows, text, notes)
    gone = np.zeros(len(original), dtype=np.bool_)
    gone[rows[~outside]] = True
    return sheet, gone


def _note_doubles(rows: NDArray[np.int64], text: pl.Series, notes: FaultNotes) -> None:
    doubled = (~pl.Series(rows).is_first_distinct()).to_numpy()
    notes.note(doubled, "X", "doubled", text, Said("row {value} was already deleted above", value=CELL))


def _write_column(data: Dataset, field: FieldRules) -> pl.Series:
    if field.kind.numeric:
        return write_cells(RangeCells.exact(data.grid(field.name)), field, Grammar())
    return data.frame[field.name]
