"""Columns of a file as they are understood: kinds and forms that a schema leaves open, and texts in one writing.

Dates in forms of their own become ISO, numbers lose what stands around them, and texts that mean missing are missing,
before anything else is done with them; whatever reads a file reads it so. What was found out is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_files.column_reading import ColumnReading, Surroundings, mean_missing
from sekisho.data.files.plain_files.date_forms import has_short_years, is_month_form, read_days
from sekisho.data.files.plain_files.number_forms import find_mark
from sekisho.data.files.plain_files.numbers import (
    POINT,
    UNDECIDED,
    are_numbers,
    find_kind,
    spell_out_exponents,
    write_points,
)
from sekisho.data.files.plain_files.understanding import (
    translate_dates,
    translate_numbers,
    understand,
    understand_columns,
)
from sekisho.data.files.schema_files.columns import FileColumns, Notice
from sekisho.data.files.schema_files.schema_file import MISSING_VALUE, ColumnRules, FileRules, Missing
from sekisho.data.frame.dataset import Kind, Role
from sekisho.errors import ParameterError
from sekisho.words import Said, name_setting

UNDERSTOOD = Said("understood")
DOUBTFUL = 0.2
"""Of the few texts that tell what a file beyond memory is, so many may be none of a column's dates or numbers before it
is plain that it holds neither."""


def understand_file(
    file_columns: FileColumns,
    file: FileRules,
    *,
    missing_cells: Missing = Missing.REFUSE,
    sample: bool = False,
    as_texts: bool = False,
) -> FileColumns:
    """Return the columns of a file with the kinds and forms that their texts tell, their texts in one writing.

    A column that is plainly written is left open: whoever reads it finds out its kind. Texts that are none of a
    column's dates or numbers are missing; they are told.

    Args:
        file_columns: as they stand in the file.
        file: how it is written.
        missing_cells: what becomes of missing cells; rows that they drop have no say.
        as_texts: whether it is only asked which cells are the same: plain columns stay as they are, and so does what
            is none of a column's dates or numbers.
        sample: whether these are but a few texts of each column, which cannot tell how many rows hold each.

    Raises:
        ParameterError: a few texts leave open whether a column is of dates or numbers.
    """
    around = _look_around(file, file_columns.form)
    around = replace(around, most_misfits=DOUBTFUL) if sample else around
    valid = _find_valid_rows(file_columns, file, missing_cells)
    texts = {
        each.source_name: _select_texts(each, file_columns, valid, sample=sample)
        for each in file_columns.columns
        if _is_open(each, file_columns.texts[each.output_name], file)
    }
    readings = _settle_thousands(understand_columns(texts, around), texts, around)
    if sample:
        _refuse_doubts(readings)
    columns, notices, written = list[ColumnRules](), list[Notice](), dict[str, pl.Series]()
    for column in file_columns.columns:
        reading, raw = readings.get(column.source_name), file_columns.texts[column.output_name]
        settled = column if reading is None else _settle_column(column, reading)
        kind = settled.kind if reading is None else settled.kind or reading.kind.kind
        text, gaps = _translate(settled, None if as_texts and not settled.format else kind, raw)
        if reading is not None and settled is not column:
            notices += [_tell(settled, 0, said) for said in _say_reading(settled, reading)]
            if column.kind is None and reading.misfit_rows and not as_texts:
                text = _clear_misfits(settled, text)
                notices.append(_say_misfits(settled, reading, raw))
        notices += gaps
        notices += [] if reading is None else _say_proposals(settled, reading)
        columns.append(settled)
        written[column.output_name] = text
    notices = [each for each in notices if not (sample and each.count)]
    return replace(file_columns, columns=tuple(columns), texts=written, notices=[*file_columns.notices, *notices])


def is_formed(texts: pl.Series, header: str, file: FileRules, form: CsvForm) -> bool:
    """Tell whether texts of a column, none of them missing, are dates or numbers in a form of their own."""
    reading = understand(texts, replace(_look_around(file, form), header=header))
    return reading.kind.kind.numeric and not reading.plain


def _look_around(file: FileRules, form: CsvForm) -> Surroundings:
    return Surroundings(
        decimal=POINT if form.parquet and file.decimal is None else file.decimal,
        missing=file.missing,
        separator=form.separator,
        date_format=file.date_format,
    )


def _settle_thousands(
    readings: dict[str, ColumnReading], texts: Mapping[str, pl.Series], around: Surroundings
) -> dict[str, ColumnReading]:
    """Return columns of which numbers with marks between thousands are no plain ones, where only these columns tell."""
    plain = {name for name, each in readings.items() if each.plain and each.numbers is not None}
    words = [texts[name].drop_nulls().unique() for name in plain]
    if around.decimal is not None or find_mark(words, None) != UNDECIDED:
        return readings
    return {
        name: replace(each, plain=False) if name in plain and each.numbers and each.numbers.thousands else each
        for name, each in readings.items()
    }


def _find_valid_rows(file_columns: FileColumns, file: FileRules, missing_cells: Missing) -> NDArray[np.bool_]:
    """Tell which rows have a say: not those that a missing cell drops."""
    valid = np.ones(file_columns.rows, dtype=np.bool_)
    for column in file_columns.columns:
        if (column.missing or missing_cells) is Missing.DROP:
            valid &= ~find_missing(file_columns.texts[column.output_name], file)
    return valid


def _select_texts(
    column: ColumnRules, file_columns: FileColumns, valid: NDArray[np.bool_], *, sample: bool
) -> pl.Series:
    text = _clear_texts(column, file_columns.texts[column.output_name])
    text = text if valid.all() else text.filter(pl.Series(valid))
    return text.unique(maintain_order=True) if sample else text


def translate_columns(file_columns: FileColumns) -> FileColumns:
    """Return columns whose kinds and forms are settled, their texts in one writing, and what means missing told."""
    written, notices = dict(file_columns.texts), list(file_columns.notices)
    for column in file_columns.columns:
        written[column.output_name], gaps = _translate(column, column.kind, file_columns.texts[column.output_name])
        notices += gaps
    return replace(file_columns, texts=written, notices=notices)


def _translate(column: ColumnRules, kind: Kind | None, text: pl.Series) -> tuple[pl.Series, list[Notice]]:
    """Return the texts of a column in the one writing of its kind, without those that mean missing, and which do."""
    text = _clear_texts(column, text)
    if kind is None or not kind.numeric or column.role is Role.IDENTIFIER:
        return text, []
    words = text.drop_nulls().unique()
    gaps = words.filter(pl.Series(mean_missing(words)) & (words != ""))
    notices = list[Notice]()
    if len(gaps):
        absent = text.filter(text.is_in(gaps.implode()).fill_null(value=False)).alias("text")
        counts = absent.value_counts().sort("text")  # the column itself may be called count
        notices = [_say_gaps(column, each, count) for each, count in counts.iter_rows()]
        text = text.set(text.is_in(gaps.implode()).fill_null(value=False), None)
    if not column.format:
        return text, notices
    write = translate_dates if kind is Kind.DATE else translate_numbers
    return write(text, column.format), notices


def find_missing(text: pl.Series, file: FileRules) -> NDArray[np.bool_]:
    """Tell which cells of a column are missing."""
    texts = pl.Series(file.missing, dtype=pl.String).implode()
    return (text.is_null() | text.str.strip_chars().is_in(texts)).to_numpy().astype(np.bool_)


def _clear_texts(column: ColumnRules, text: pl.Series) -> pl.Series:
    """Return texts without those that a schema says to mean missing in this column."""
    if not column.missing_texts:
        return text
    absent = text.str.strip_chars().is_in(pl.Series(column.missing_texts, dtype=pl.String).implode())
    return text.set(absent.fill_null(value=False), None)


def _clear_misfits(column: ColumnRules, text: pl.Series) -> pl.Series:
    """Return texts in one writing, without those that are no value of the column's kind."""
    words = text.drop_nulls().unique()
    readable = pl.Series(read_days(words, "")[1])
    if column.kind is not Kind.DATE:
        readable = write_points(words, column.format).is_not_null()
    strange = words.filter(~readable)
    return text.set(text.is_in(strange.implode()).fill_null(value=False), None)


def _is_open(column: ColumnRules, text: pl.Series, file: FileRules) -> bool:
    """Tell whether a column's kind is to be found out, or its kind is said and its form is not the plain one."""
    if column.format or column.role is Role.IDENTIFIER or column.missing is Missing.CATEGORY:
        return False
    if column.kind is None or not column.kind.numeric:
        return column.kind is None
    words = text.drop_nulls().unique()
    words = words.filter(~words.str.strip_chars().is_in(pl.Series(file.missing, dtype=pl.String).implode()))
    if column.kind is Kind.DATE:
        return not bool(read_days(words, file.date_format)[1].all())
    mark = POINT if file.decimal is None else file.decimal
    return not are_numbers(spell_out_exponents(words, mark), mark)


def _settle_column(column: ColumnRules, reading: ColumnReading) -> ColumnRules:
    """Return a column with the kind and form that were found; as it is where it is plain, or another kind is said."""
    kind = reading.kind.kind
    if column.kind not in {None, kind} and {column.kind, kind} != {Kind.INTEGER, Kind.DECIMAL}:
        return column
    if reading.plain or not kind.numeric:
        return column
    mark = POINT if reading.numbers is None else reading.numbers.decimal or POINT
    return replace(column, kind=column.kind or kind, format=reading.format if kind is Kind.DATE else mark)


def _refuse_doubts(readings: Mapping[str, ColumnReading]) -> None:
    doubtful = [name for name, each in readings.items() if each.kind.kind.numeric and each.misfit_rows]
    if doubtful:
        rule = Said(
            "be said for columns whose texts are not all dates or numbers, to be read beyond memory: "
            "{kind} or {category}",
            kind=name_setting("kind", readings[doubtful[0]].kind.kind.value, doubtful[0]),
            category=name_setting("kind", "category", doubtful[0]),
        )
        raise ParameterError("kind", rule, doubtful)


def _tell(column: ColumnRules, count: int, said: Said) -> Notice:
    return Notice(what=UNDERSTOOD, column=column.output_name, count=count, message=said)


def _say_reading(column: ColumnRules, reading: ColumnReading) -> Iterator[Said]:
    yield _say_writing(column.output_name, reading)
    yield from _say_dates(column.output_name, reading)


def _say_gaps(column: ColumnRules, text: str, count: int) -> Notice:
    said = Said(
        "{count:,} {count:cell|cells} of {name} {count:holds|hold} {text!r}, which means missing",
        count=count,
        name=column.output_name,
        text=text,
    )
    return _tell(column, count, said)


def _say_proposals(column: ColumnRules, reading: ColumnReading) -> list[Notice]:
    """Return what is told of numbers and days that may mean missing."""
    return [
        _tell(
            column,
            each.count,
            Said(
                "{count:,} {count:cell|cells} of {name} {count:holds|hold} {text}, which may mean "
                "missing and is a value until missing_texts of the column says so",
                count=each.count,
                name=column.output_name,
                text=each.text,
            ),
        )
        for each in (reading.proposed_missing if reading.kind.kind.numeric else ())
    ]


def _say_misfits(column: ColumnRules, reading: ColumnReading, text: pl.Series) -> Notice:
    value = reading.misfits[0].text
    said = Said(
        "{count:,} {count:cell|cells} of {name}, {share:.2%}, {count:is|are} no {kind} and taken as "
        "missing; row {row} holds {value!r}",
        count=reading.misfit_rows,
        name=column.output_name,
        share=reading.misfit_rows / max(reading.rows, 1),
        kind=reading.kind.kind.words,
        row=int((text == value).arg_max() or 0) + 1,
        value=value,
    )
    return _tell(column, reading.misfit_rows, said)


def _say_writing(name: str, reading: ColumnReading) -> Said:
    kind = reading.kind.kind.words
    if reading.forms:
        forms = ", ".join(each.text for each in reading.forms)
        return Said(
            "kind of {name}: {kind}, written {forms}; what leaves has ISO dates", name=name, kind=kind, forms=forms
        )
    return Said("kind of {name}: {kind}; what leaves has plain numbers", name=name, kind=kind)


def _say_dates(name: str, reading: ColumnReading) -> Iterator[Said]:
    forms = [each.text for each in reading.forms]
    if len(forms) > 1:
        yield Said("dates of {name} have several forms, all of them read: {forms}", name=name, forms=", ".join(forms))
    if reading.twin:
        yield Said(
            "no day of {name} is above 12, so days and months may be the other way round: read as {form}; "
            "{twin} reads the other",
            name=name,
            form=forms[0],
            twin=name_setting("kind", f"date:{reading.twin}", name),
        )
    if any(map(has_short_years, forms)):
        yield Said("years of {name} have two digits: read as 1969 to 2068", name=name)
    if any(map(is_month_form, forms)):
        yield Said("{name} tells months: read as their first days", name=name)


def fill_gaps(text: pl.Series) -> pl.Series:
    """Return a few texts of a column, what means missing replaced by one that does not."""
    return text.fill_null(strategy="forward").fill_null(strategy="backward").fill_null(MISSING_VALUE)


def holds_categories(column: ColumnRules, text: pl.Series, file: FileRules) -> bool:
    """Tell whether texts of a column, none of them missing, are categories: then missing cells may be one, too."""
    return (declare_kind(column) or find_text_kind(text, file)) is Kind.CATEGORY


def declare_kind(column: ColumnRules) -> Kind | None:
    """Return the kind that a column has whatever its texts are; None where they tell it."""
    if column.role is Role.IDENTIFIER or column.missing is Missing.CATEGORY:
        return Kind.CATEGORY
    return column.kind


def find_text_kind(text: pl.Series, file: FileRules) -> Kind:
    """Return the kind that texts of a file tell, none of them missing."""
    mark = POINT if file.decimal is None else file.decimal
    return find_kind(spell_out_exponents(text, mark), date_format=file.date_format, decimal=mark)
