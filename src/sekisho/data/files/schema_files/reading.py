"""Data of one's own, read from CSV or Parquet as a schema says; what was found out, left out or dropped is reported.

Every cell that breaks a rule is reported at once, with the row in the data (the header is not counted) and the column
as the file calls it. Rows with missing cells or values outside their limits are dropped only where the schema says so;
what else is wrong with such a row does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.fault_notes import CELL, FaultNotes
from sekisho.data.files.plain_files.date_forms import ISO, count_times, find_date_format, read_days
from sekisho.data.files.plain_files.numbers import (
    COMMA,
    MARKED,
    UNDECIDED,
    choose_decimals,
    count_digits,
    find_decimal_mark,
    read_numbers,
    round_numbers,
    spell_out_exponents,
)
from sekisho.data.files.plain_table import TableSource
from sekisho.data.files.schema_files.columns import (
    FileColumns,
    Notice,
    complete_file,
    find_columns,
    make_column,
    say_unreadable,
)
from sekisho.data.files.schema_files.row_owners import find_owner, gather_left_out, list_telling
from sekisho.data.files.schema_files.schema_file import (
    MISSING_VALUE,
    ColumnRules,
    FileRules,
    Missing,
    Outside,
    SchemaFile,
)
from sekisho.data.files.schema_files.understood_columns import (
    declare_kind,
    fill_gaps,
    find_missing,
    find_text_kind,
    holds_categories,
    translate_columns,
    understand_file,
)
from sekisho.data.frame.cells import MISSING_NUMBER, MISSING_TEXT
from sekisho.data.frame.dataset import Column, Dataset, Kind, Meaning, Role, Schema, grid_series
from sekisho.data.shape import Shape
from sekisho.words import Said, name_setting

WAY_OUT = Said(
    "missing cells: {missing} leaves their rows out, carry keeps them missing, category makes them a value; every row "
    "of a history needs a person and a time",
    missing=name_setting("missing", "drop"),
)
UNDECIDED_NOTICE = Said(
    "numbers such as 1.234 can be read with a decimal point and with a comma: say the decimal mark to have them read"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnData:
    """Data that were read, the schema with nothing left open, how the file was written, and what there is to say.

    ``rows`` tells where each row of the data stands in the file, from 0: some may have been dropped.
    """

    data: Dataset
    schema: SchemaFile
    form: CsvForm
    notices: tuple[Notice, ...]
    rows: NDArray[np.int64]


def read_own(path: TableSource, schema: SchemaFile) -> OwnData:
    """Return the data of a file.

    Raises:
        InputError: the file cannot be read, or lacks a column.
        FaultsError: cells break the rules; all of them at once, at most 1,000 one by one and the others counted.
    """
    file_columns = find_columns(path, schema)
    own = read_texts(path, file_columns, schema)
    left_out = gather_left_out(file_columns.left_out, own.rows)
    own = replace(own, data=replace(own.data, unread=list_telling(left_out)))
    if schema.shape is not Shape.RECORDS:
        return own
    return replace(own, schema=replace(own.schema, owner=find_owner(own.data, left_out)))


def read_texts(path: TableSource, file_columns: FileColumns, schema: SchemaFile, *, whole: bool = True) -> OwnData:
    """Return the data of texts that were read from a file, all of them or, unless ``whole``, some of its rows.

    Raises:
        FaultsError: cells break the rules; all of them at once, at most 1,000 one by one and the others counted.
    """
    file_columns = (
        understand_file(file_columns, schema.file, missing_cells=schema.missing_cells)
        if whole
        else translate_columns(file_columns)
    )
    reader = _Reader(schema=schema, dropped=np.zeros(file_columns.rows, dtype=np.bool_), notices=file_columns.notices)
    texts = {
        column: reader.clear_missing(column, file_columns.texts[column.output_name]) for column in file_columns.columns
    }
    file = complete_file(schema.file, file_columns.form)
    file = reader.settle_file(file, texts)
    # Columns whose kind is said come first: their limits may drop rows, which then have no say in the kinds of the
    # others.
    order = sorted(texts, key=lambda column: column.kind is None)
    columns = {column: reader.read_column(column, texts[column], file) for column in order}
    reader.raise_refusals(path, whole=whole)
    made_schema = Schema(tuple(columns[column][0] for column in file_columns.columns))
    frame = pl.DataFrame([columns[column][1] for column in file_columns.columns])
    frame = frame.filter(pl.Series(~reader.dropped)) if reader.dropped.any() else frame
    settled = replace(schema, file=file, columns=file_columns.columns).settle_columns(made_schema)
    return OwnData(
        data=Dataset(frame, made_schema),
        schema=settled,
        form=file_columns.form,
        notices=tuple(reader.notices),
        rows=np.flatnonzero(~reader.dropped).astype(np.int64),
    )


def settle_schema(file_columns: FileColumns, schema: SchemaFile) -> tuple[SchemaFile, tuple[Notice, ...]]:
    """Return a schema with nothing left open that some texts decide, and what was found out.

    Args:
        file_columns: texts of which none is missing; what is wrong with them is not looked at.
        schema: of their file.
    """
    file_columns = understand_file(file_columns, schema.file, sample=True)
    reader = _Reader(schema=schema, dropped=np.zeros(file_columns.rows, dtype=np.bool_), notices=file_columns.notices)
    texts = {column: fill_gaps(file_columns.texts[column.output_name]) for column in file_columns.columns}
    file = complete_file(schema.file, file_columns.form)
    file = reader.settle_file(file, texts)
    columns = tuple(reader.read_column(replace(each, outside=Outside.REFUSE), texts[each], file)[0] for each in texts)
    notices = tuple(each for each in reader.notices if not each.count)
    settled = replace(schema, file=file, columns=file_columns.columns).settle_columns(Schema(columns))
    return settled, notices


class _Refusal(NamedTuple):
    """Cells that break a rule."""

    mask: NDArray[np.bool_]
    column: str
    rule: str
    text: pl.Series
    message: Said


@dataclass(slots=True, kw_only=True)
class _Reader:
    """Reads column by column. Faults are raised in the end, when it is known which rows are dropped.

    What a text is, is found out once for all cells that hold it.
    """

    schema: SchemaFile
    dropped: NDArray[np.bool_]
    notices: list[Notice]
    refusals: list[_Refusal] = field(default_factory=list[_Refusal])
    words: dict[str, pl.Series] = field(default_factory=dict[str, pl.Series])
    gaps: dict[str, NDArray[np.bool_]] = field(default_factory=dict[str, NDArray[np.bool_]])

    def clear_missing(self, column: ColumnRules, text: pl.Series) -> pl.Series:
        """Return a column's texts; missing ones are carried, refused, dropped with their rows, or a category."""
        words = text.unique()
        if not self._are_missing(words).any():
            self.words[column.output_name] = words
            return text
        mask = self._are_missing(text)
        filled, count = text.fill_null(""), int(mask.sum())
        treatment = column.missing or self.schema.missing_cells
        present = text.filter(pl.Series(~mask))
        if treatment is Missing.CARRY and not self._may_carry(column, present):
            treatment = Missing.REFUSE
        if treatment is Missing.CARRY:
            return self._carry(column, filled, mask)
        if treatment is Missing.CATEGORY and not holds_categories(column, present, self.schema.file):
            treatment = Missing.REFUSE
        if treatment is Missing.CATEGORY and count:
            self._say(
                Said("missing cells"),
                column,
                count,
                Said(
                    '{count:,} missing cells of {name} are a category, "{category}"',
                    count=count,
                    name=column.output_name,
                    category=MISSING_VALUE,
                ),
            )
            return filled.zip_with(pl.Series(~mask), pl.Series([MISSING_VALUE]))
        if treatment is Missing.DROP:
            self._drop(mask, column, Said("{name} is missing", name=column.source_name))
        elif treatment is Missing.REFUSE:
            self._refuse(mask, column, "missing", filled, Said("{name} is missing", name=column.source_name))
        return filled

    def _may_carry(self, column: ColumnRules, present: pl.Series) -> bool:
        """Tell whether a cell of a column may be missing: every row of a history has a person and a time.

        Where no column is said to be the time, every column of dates may be.
        """
        if self.schema.shape is not Shape.HISTORY:
            return True
        declared = any(each.means is Meaning.TIME for each in self.schema.columns)
        dated = not declared and (column.kind or find_text_kind(present, self.schema.file)) is Kind.DATE
        return column.role is not Role.IDENTIFIER and column.means is not Meaning.TIME and not dated

    def _carry(self, column: ColumnRules, text: pl.Series, mask: NDArray[np.bool_]) -> pl.Series:
        """Return texts whose missing ones are all empty, and note which they are."""
        count, name = int(mask.sum()), column.output_name
        self.gaps[name] = mask
        message = Said("{count:,} missing cells of {name} are carried: written empty", count=count, name=name)
        self._say(Said("missing cells"), column, count, message)
        return text.set(pl.Series(mask), MISSING_TEXT)

    def _find_gaps(self, column: ColumnRules) -> NDArray[np.bool_]:
        """Tell which cells of a column are carried as missing."""
        return self.gaps.get(column.output_name, np.zeros(len(self.dropped), dtype=np.bool_))

    def _are_missing(self, text: pl.Series) -> NDArray[np.bool_]:
        return find_missing(text, self.schema.file)

    def settle_file(self, file: FileRules, texts: Mapping[ColumnRules, pl.Series]) -> FileRules:
        """Return how the file is written, with nothing left open that its data decide."""
        kinds = {column: declare_kind(column) for column in texts}
        if file.decimal is None:
            numbers = [
                self._list_valid(column, texts[column])
                for column, kind in kinds.items()
                if kind in {None, Kind.DECIMAL, Kind.INTEGER} and not column.format
            ]
            file = replace(file, decimal=find_decimal_mark(numbers))
            if file.decimal == COMMA:
                self.notices.append(Notice(what=Said("decimal mark"), message=Said("numbers have a decimal comma")))
            if file.decimal == UNDECIDED:
                self.notices.append(Notice(what=Said("decimal mark"), message=UNDECIDED_NOTICE))
        if not file.date_format:
            dates = [
                self._list_valid(column, texts[column])
                for column, kind in kinds.items()
                if kind in {None, Kind.DATE} and not column.format
            ]
            dates = [words for words in dates if len(words) and bool(read_days(words, "")[1].all())]
            file = replace(file, date_format=find_date_format(pl.concat(dates)) if dates else "")
        return file

    def _select_valid(self, column: ColumnRules, text: pl.Series) -> pl.Series:
        """Return the texts that count: not those of dropped rows, nor those that are refused already."""
        refused = [refusal.mask for refusal in self.refusals if refusal.column == column.source_name]
        unfit = np.logical_or.reduce([self.dropped, self._find_gaps(column), *refused])
        return text.filter(pl.Series(~unfit)) if unfit.any() else text

    def _list_valid(self, column: ColumnRules, text: pl.Series) -> pl.Series:
        """Return the distinct texts that count, in no telling order."""
        valid = self._select_valid(column, text)
        return self._list_words(column, text) if valid is text else valid.unique()

    def _list_words(self, column: ColumnRules, text: pl.Series) -> pl.Series:
        """Return the distinct texts of a column."""
        if column.output_name not in self.words:
            self.words[column.output_name] = text.unique()
        return self.words[column.output_name]

    def read_column(self, column: ColumnRules, text: pl.Series, file: FileRules) -> tuple[Column, pl.Series]:
        """Return a column and its values."""
        kind = declare_kind(column)
        if kind is None:
            kind = find_text_kind(self._list_valid(column, text), file)
            self._say(Said("kind found"), column, 0, Said("kind of {name}: {kind}", name=column.output_name, kind=kind))
        if kind is Kind.CATEGORY:
            if bool(self._list_words(column, text).str.contains("\x00", literal=True).any()):
                nul = text.str.contains("\x00", literal=True).to_numpy()
                self._refuse(
                    nul,
                    column,
                    "character",
                    text,
                    Said("{source_name} {value} has a NUL character", source_name=column.source_name, value=CELL),
                )
            return make_column(column, kind, 0), text.alias(column.output_name)
        if kind is Kind.DATE:
            values, decimals = self._read_dates(column, text, file), 0
        else:
            values, decimals = self._read_numbers(column, text, kind, file)
        self._apply_limits(
            replace(column, kind=kind, decimals=decimals if kind is Kind.DECIMAL else None), text, values, file
        )
        grid = grid_series(column.output_name, np.where(self._find_gaps(column), MISSING_NUMBER, values))
        return make_column(column, kind, decimals), grid.cast(pl.Int32).cast(pl.Date) if kind is Kind.DATE else grid

    def _read_dates(self, column: ColumnRules, text: pl.Series, file: FileRules) -> NDArray[np.int64]:
        written = column.writing(file).date_format
        values, readable = read_days(text, written)
        form = column.format or file.date_format or ISO
        self._refuse(
            ~readable,
            column,
            "date",
            text,
            Said(
                "{source_name} {value} is no date of the format {form}",
                source_name=column.source_name,
                value=CELL,
                form=form,
            ),
        )
        times = count_times(self._select_valid(column, text), written)
        if times:
            self._say(
                Said("times dropped"),
                column,
                times,
                Said("{times:,} times of day in {name} were dropped", times=times, name=column.output_name),
            )
        return values

    def _read_numbers(
        self, column: ColumnRules, text: pl.Series, kind: Kind, file: FileRules
    ) -> tuple[NDArray[np.int64], int]:
        mark, decimals = column.writing(file).decimal, 0
        text = spell_out_exponents(text, mark)
        if kind is Kind.DECIMAL:
            whole, after = count_digits(self._select_valid(column, text), mark)
            needed = max(column.digits(file), choose_decimals(whole, after))
            decimals = needed if column.decimals is None else column.decimals
            text, count = round_numbers(text, decimals, mark)
            if count:
                message = Said(
                    "{count:,} values of {name} were rounded to {decimals} decimals",
                    count=count,
                    name=column.output_name,
                    decimals=decimals,
                )
                self._say(Said("rounded"), column, count, message)
        values, readable = read_numbers(text, decimals, mark)
        if mark == UNDECIDED:
            marked = ~readable & text.str.contains(MARKED).to_numpy()
            message = Said(
                "{source_name} {value} can be read with a decimal point and with a comma: say which",
                source_name=column.source_name,
                value=CELL,
            )
            self._refuse(marked, column, "decimal", text, message)
            readable = readable | marked
        self._refuse(~readable, column, kind.value, text, say_unreadable(column.source_name, kind, mark))
        return values, decimals

    def _apply_limits(self, column: ColumnRules, text: pl.Series, values: NDArray[np.int64], file: FileRules) -> None:
        if not (column.low or column.high):
            return
        low, high = column.field(file, history=False).limits()
        refused = [refusal.mask for refusal in self.refusals if refusal.column == column.source_name]
        exempt = np.logical_or.reduce([self.dropped, self._find_gaps(column), *refused])
        outside = ((values < low) | (values > high)) & ~exempt
        name, least, most = column.source_name, column.low or "…", column.high or "…"
        if column.outside is Outside.DROP:
            self._drop(outside, column, Said("{name} is outside {low} to {high}", name=name, low=least, high=most))
        else:
            message = Said("{name} {value} is outside {low} to {high}", name=name, value=CELL, low=least, high=most)
            self._refuse(outside, column, "limits", text, message)

    def _refuse(self, mask: NDArray[np.bool_], column: ColumnRules, rule: str, text: pl.Series, message: Said) -> None:
        mask = mask & ~self.gaps[column.output_name] if column.output_name in self.gaps else mask
        if mask.any():
            self.refusals.append(_Refusal(mask, column.source_name, rule, text, message))

    def _drop(self, mask: NDArray[np.bool_], column: ColumnRules, why: Said) -> None:
        fresh = int((mask & ~self.dropped).sum())
        self.dropped = self.dropped | mask
        if fresh:
            message = Said("{rows:,} {rows:row|rows} dropped: {why}", rows=fresh, why=why)
            self._say(Said("rows dropped"), column, fresh, message)

    def _say(self, what: str, column: ColumnRules, count: int, message: Said) -> None:
        self.notices.append(Notice(what=what, column=column.output_name, count=count, message=message))

    def raise_refusals(self, path: TableSource, *, whole: bool) -> None:
        """Raise everything that is wrong with rows that are not dropped; of a whole file one row must be left."""
        notes = FaultNotes(str(path), len(self.dropped))
        if whole and self.dropped.all():
            notes.note_file("rows", len(self.dropped), Said("no row is left of {rows:,}", rows=len(self.dropped)))
        for refusal in self.refusals:
            notes.note(refusal.mask & ~self.dropped, refusal.column, refusal.rule, refusal.text, refusal.message)
        lacking = any(refusal.rule == "missing" and (refusal.mask & ~self.dropped).any() for refusal in self.refusals)
        notes.raise_faults(hint=WAY_OUT if lacking else "")
