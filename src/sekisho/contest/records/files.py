"""The files of a contest over records, checked and read: B, D, X, the test set, answers and guesses.

D has the kept rows in B's order; X lists the deleted rows of B from 0, one per line. A guess E has one line per record
of the test set: three rows of D, or -1 throughout for "not a member". Every error is raised at once, those of D and X
together.

B and D of one's own are ordinary CSV with a header; D has every column but the identifier. Files of row numbers have
neither header nor anything else to settle, so they are the same for all. Rows that the schema drops are not in B: D and
X stand beside what was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.fault_notes import FaultNotes, raise_faults
from sekisho.data.files.grammar import FieldRules, Grammar, read_exact, write_cells
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.sheet import Sheet, SheetRules, read_sheet
from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.frame.schema import Kind, Schema
from sekisho.provenance import Provenance, digest_file

WHOLE = r"^-?[0-9]{1,9}$"


def read_original(path: Path, rules: RecordRules) -> Dataset:
    """Return B, or a test set of its rows."""
    if rules.own is not None:
        return read_own(path, rules.own).data
    return _read_records(path, rules)


def _read_records(path: Path, rules: RecordRules) -> Dataset:
    """Return a file of records without identifiers, as D is."""
    fields = rules.attributes
    sheet = rules.form.read(path, tuple(field.name for field in fields))
    if not len(sheet):
        sheet.notes.note_file("rows", 0, "the file is empty")
    columns = _read_columns(sheet, fields)
    sheet.notes.raise_faults()
    return Dataset(pl.DataFrame(columns), Schema(tuple(field.column for field in fields)))


def read_release(released: Path, deleted: Path, rules: RecordRules, original: Dataset) -> Release:
    """Return D and X as a release of B, or everything that is wrong with both at once."""
    rules = rules.settle_columns(original.schema)
    lists, gone = _read_deleted(deleted, rules, original)
    sheet = rules.form.read(released, tuple(field.name for field in rules.attributes), expected=len(original))
    columns = _read_columns(sheet, rules.attributes)
    _note_unknown_values(sheet, rules, original)
    if sheet.total + lists.total != len(original):
        message = (
            f"{sheet.total:,} rows are released and {lists.total:,} deleted; together they must be the original's "
            f"{len(original):,}"
        )
        sheet.notes.note_file("rows", sheet.total, message)
    raise_faults(f"{released}, {deleted}", sheet.notes, lists.notes)
    data = Dataset(pl.DataFrame(columns), Schema(tuple(field.column for field in rules.attributes)))
    provenance = Provenance(name="file", inputs={path.name: digest_file(path) for path in (released, deleted)})
    return Release(table=place_kept_rows(data, original, gone), deleted=gone, provenance=provenance)


def place_kept_rows(left: Dataset, original: Dataset, deleted: NDArray[np.bool_]) -> MaskedTable:
    """Return the kept records in the original's places, the deleted rows suppressed."""
    place = np.maximum(np.cumsum(~deleted) - 1, 0)
    table = exact_table(left).take(place.astype(np.intp)) if len(left) else exact_table(original)
    columns = {name: cells.suppress(deleted) for name, cells in table.columns.items()}
    return MaskedTable(schema=original.schema, columns=columns)


def read_deleted(path: Path, rules: RecordRules, original: Dataset) -> NDArray[np.bool_]:
    """Return which rows of B the file X deletes."""
    sheet, gone = _read_deleted(path, rules, original)
    sheet.notes.raise_faults()
    return gone


def read_published(path: Path, rules: RecordRules, known: Schema | None = None) -> MaskedTable:
    """Return D as published: rows in whatever order.

    Args:
        path: the file.
        rules: of the contest, or one's own.
        known: the columns of what the reader knows already, an original or some of its records; kinds that rules of
            one's own leave open are taken from it, else found in the file itself.
    """
    if rules.own is None:
        return exact_table(_read_records(path, rules))
    if known is not None:
        return exact_table(_read_records(path, rules.settle_columns(known)))
    return exact_table(read_own(path, rules.own.without_identifier()).data)


def read_answers(path: Path, rules: RecordRules) -> NDArray[np.int64]:
    """Return Ea: one number per record of the test set, -1 or a row of D."""
    sheet, numbers = _read_numbers(path, ("answer",), rules.sheet)
    _note_low(sheet, numbers, "answer", -1)
    if sheet.notes.is_fine("").all() and not (numbers[:, 0] > -1).any():
        sheet.notes.note_file("members", len(numbers), "the answers hold no member")
    sheet.notes.raise_faults()
    return numbers[:, 0]


def read_guess(path: Path, rules: RecordRules, *, records: int, rows: int | None = None) -> Guess:
    """Return E.

    Args:
        path: the file.
        rules: of the contest.
        records: how many records the test set has.
        rows: how many rows D has; None if nobody knows here.
    """
    names = tuple(f"answer {i}" for i in range(1, rules.test.answers + 1))
    sheet, numbers = _read_numbers(path, names, rules.sheet, expected=records)
    if len(sheet) != records and not sheet.is_cut:
        message = f"the file has {len(sheet)} rows, the test set {records}"
        sheet.notes.note_file("rows", len(sheet), message)
    for place, name in enumerate(names):
        _note_low(sheet, numbers[:, place : place + 1], name, -1)
        if rows is not None:
            high = numbers[:, place] >= rows
            sheet.notes.note(
                high, name, "range", sheet.cells[name], f"{{value}} is not a released row: there are {rows}"
            )
    out = numbers == -1
    mixed = (out.any(axis=1) != out.all(axis=1)) & np.logical_and.reduce([sheet.notes.is_fine(name) for name in names])
    sheet.notes.note(
        mixed,
        "",
        "mixture",
        sheet.cells.select(pl.concat_str(pl.all(), separator=rules.sheet.separator)).to_series(),
        "{value} mixes -1 with rows: a non-member has -1 throughout",
    )
    sheet.notes.raise_faults()
    return Guess.of_rows(numbers)


def write_records(data: Dataset, rules: RecordRules) -> bytes:
    """Return records as the contest's file, or as data of one's own are written."""
    fields = [field for field in rules.settle_columns(data.schema).columns if field.name in data.schema.names]
    return rules.form.write(pl.DataFrame([_write_column(data, field) for field in fields]))


def write_number_lines(numbers: NDArray[np.int64]) -> bytes:
    """Return lines of whole numbers: X, Ea or E."""
    return "".join(",".join(map(str, line)) + "\n" for line in np.atleast_2d(numbers.T).T.tolist()).encode("ascii")


def read_order(path: Path, rules: RecordRules, rows: int) -> NDArray[np.int64]:
    """Return the published row of each row of D, a permutation."""
    sheet, numbers = _read_numbers(path, ("row",), rules.sheet, expected=rows)
    if len(sheet) != rows or not np.array_equal(np.sort(numbers[:, 0]), np.arange(rows)):
        sheet.notes.note_file("permutation", len(sheet), f"the file must name each of the rows 0 to {rows - 1} once")
    sheet.notes.raise_faults()
    return numbers[:, 0]


def _read_columns(sheet: Sheet, fields: Sequence[FieldRules]) -> list[pl.Series]:
    return [read_exact(_read_text(sheet, field), field, sheet.notes) for field in fields]


def _read_text(sheet: Sheet, field: FieldRules) -> pl.Series:
    """Return a column's text; a whole number may be written 1.0, as frames of floats write it."""
    text = sheet.cells[field.name]
    return text.str.replace(r"^([0-9]+)\.0+$", "${1}") if field.kind is Kind.INTEGER else text


def _note_unknown_values(sheet: Sheet, rules: RecordRules, original: Dataset) -> None:
    for field in rules.attributes:
        if field.kind.numeric:
            continue
        text = sheet.cells[field.name]
        strange = ~text.is_in(pl.Series(original.domain(field.name)).implode()).to_numpy()
        sheet.notes.note(strange, field.name, "domain", text, f"{field.name} {{value}} does not occur in the original")


def _read_numbers(
    path: Path, names: tuple[str, ...], form: SheetRules, *, expected: int | None = None
) -> tuple[Sheet, NDArray[np.int64]]:
    sheet = read_sheet(path, names, form, expected=expected)
    parts: list[NDArray[np.int64]] = []
    for name in names:
        text = sheet.cells[name]
        whole = text.str.contains(WHOLE)
        sheet.notes.note(~whole.to_numpy(), name, "integer", text, "{value} is not a whole number")
        parts.append(text.zip_with(whole, pl.Series(["0"])).cast(pl.Int64).to_numpy())
    return sheet, np.stack(parts, axis=1) if len(sheet) else np.zeros((0, len(names)), dtype=np.int64)


def _note_low(sheet: Sheet, numbers: NDArray[np.int64], name: str, least: int) -> None:
    low = np.asarray((numbers < least).any(axis=1))
    sheet.notes.note(low, name, "range", sheet.cells[name], f"{{value}} is below {least}")


def _read_deleted(path: Path, rules: RecordRules, original: Dataset) -> tuple[Sheet, NDArray[np.bool_]]:
    sheet, numbers = _read_numbers(path, ("X",), rules.sheet, expected=len(original))
    rows, text, notes = numbers[:, 0], sheet.cells["X"], sheet.notes
    outside = (rows < 0) | (rows >= len(original))
    notes.note(
        outside, "X", "range", text, f"{{value}} is not a row of the original: its rows are 0 to {len(original) - 1}"
    )
    _note_doubles(rows, text, notes)
    gone = np.zeros(len(original), dtype=np.bool_)
    gone[rows[~outside]] = True
    return sheet, gone


def _note_doubles(rows: NDArray[np.int64], text: pl.Series, notes: FaultNotes) -> None:
    doubled = (~pl.Series(rows).is_first_distinct()).to_numpy()
    notes.note(doubled, "X", "doubled", text, "row {value} was already deleted above")


def _write_column(data: Dataset, field: FieldRules) -> pl.Series:
    if field.kind.numeric:
        return write_cells(RangeCells.exact(data.grid(field.name)), field, Grammar())
    return data.frame[field.name]
