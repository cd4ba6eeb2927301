"""How a file is written, found out from its cells: separator, encoding, header, decimal mark, dates, missing texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from sekisho.data.files.csv_form import CsvForm, PlainTable, has_header, is_numeric
from sekisho.data.files.plain_files.column_reading import (
    ColumnReading,
    CountedText,
    MissingText,
    Surroundings,
    TextKind,
    mean_missing,
)
from sekisho.data.files.plain_files.date_forms import check_date_format, read_days
from sekisho.data.files.plain_files.number_forms import NumberWriting
from sekisho.data.files.plain_files.numbers import COMMA, POINT, UNDECIDED, find_kind, spell_out_exponents
from sekisho.data.files.plain_files.understanding import count_texts, translate_numbers, understand, understand_columns
from sekisho.data.files.plain_table import read_cells
from sekisho.data.files.schema_files.blocks import settle_said
from sekisho.data.files.schema_files.columns import format_values, make_names_distinct, say_reading
from sekisho.data.files.schema_files.schema_file import MISSING_TEXTS, FileRules, SaidKind
from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.forms import find_form as find_identity_form
from sekisho.errors import InputError, ParameterError
from sekisho.tables.model.margins import NAMES as MARGIN_NAMES
from sekisho.words import Said, name_setting

PROBED = 1000
NOBODY = "None"
POSTAL_CODE = r"^\s*〒?\s*[0-9]{3}-[0-9]{4}\s*$"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileText:
    """The cells of a file as text, and how it is written.

    Attributes:
        texts: by the name under which each column is read, its cells.
        sources: by that name, what a schema calls the column in the file.
        rules: how the file is written, nothing left open.
        readings: by that name, what its texts were understood to be.
        is_parquet: whether the file says itself how it is written.
        program: whose such files are.
        notices: what was decided in reading the file.
        labels: descriptions of columns, where the file has any.
        said: what somebody says of columns.
        counted: by column its distinct texts and how many rows have each.
    """

    texts: dict[str, pl.Series]
    sources: dict[str, str]
    rules: FileRules
    readings: Mapping[str, ColumnReading] = field(default_factory=dict[str, ColumnReading])
    is_parquet: bool = False
    program: str = "Parquet"
    notices: tuple[Said, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    said: tuple[SaidKind, ...] = ()
    counted: Mapping[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return len(next(iter(self.texts.values())))


def read_file_text(path: Path, form: CsvForm | None = None, said: tuple[SaidKind, ...] = ()) -> FileText:
    """Return the cells of a file and how it is written; ``form`` is what is said of it, ``said`` of its columns.

    Raises:
        InputError: it cannot be read, is no table, has no rows or but one column, or lacks one of which something is
            said.
        FaultsError: lines have too few or too many cells, or cells are not of the kind that is said.
    """
    given = form or CsvForm()
    table = read_cells(path, given)
    is_parquet = table.form.parquet
    texts, sources, form = _write_texts(path, table, named=given.header)
    missing = _find_missing_texts(texts)
    counted = {name: count_texts(text) for name, text in texts.items()}
    readings = _understand(texts, counted, form, missing, is_parquet=is_parquet)
    check_said(path, texts, said, (*missing, *MARGIN_NAMES))
    margins = {each.column for each in said if bool(texts[each.column].is_in(list(MARGIN_NAMES)).any())}
    readings |= {
        each.column: _read_as(each, texts[each.column], missing) for each in said if each.column not in margins
    }
    rules = FileRules(
        missing=missing,
        decimal=POINT if is_parquet else _find_decimal_mark(readings),
        date_format=_find_date_format(readings, texts),
    )
    rules = replace(rules.adopt(form), header=form.header)
    return FileText(
        texts=texts,
        sources=sources,
        rules=rules,
        readings=readings,
        is_parquet=is_parquet,
        program=table.form.program or "Parquet",
        notices=say_reading(table, given.encoding),
        labels=table.labels,
        said=said,
        counted=counted,
    )


def read_named_texts(path: Path, form: CsvForm) -> tuple[dict[str, pl.Series], dict[str, str]]:
    """Return the cells of a file as texts by the names of its columns, and what a schema calls each; nothing more.

    Raises:
        InputError: it cannot be read, is no table, has no rows or but one column.
        FaultsError: lines have too few or too many cells.
    """
    texts, sources, _ = _write_texts(path, read_cells(path, form), named=form.header)
    return texts, sources


def _write_texts(
    path: Path, table: PlainTable, *, named: bool | None
) -> tuple[dict[str, pl.Series], dict[str, str], CsvForm]:
    """Return the cells of a table as texts by name, what a schema calls each column, and how the file is written."""
    frame, form, sources = _name_values(table) if table.form.parquet else _name_texts(table, named=named)
    if not frame.height:
        raise InputError(path, Said("has no rows: there is nothing to protect"))
    if frame.width < 2:
        raise InputError(
            path,
            Said(
                "has one column only: say {separator} if its cells stand between others",
                separator=name_setting("separator"),
            ),
        )
    texts = {name: format_values(path, frame[name], FileRules()).fill_null("").alias(name) for name in frame.columns}
    return texts, sources, form


def _name_values(table: PlainTable) -> tuple[pl.DataFrame, CsvForm, dict[str, str]]:
    return table.frame, CsvForm(), {name: name for name in table.frame.columns}


def _name_texts(table: PlainTable, *, named: bool | None) -> tuple[pl.DataFrame, CsvForm, dict[str, str]]:
    frame, form = table.frame, table.form
    first = [str(cell).strip() for cell in frame.row(0)]
    if named is None:
        named = not _holds_values(first) and (has_header(frame) or _names_though_doubled(frame, first))
    if not named:
        sources = {name: str(place) for place, name in enumerate(frame.columns, 1)}
        return frame, replace(form, header=False), sources
    names = make_names_distinct(first)
    frame.columns = names
    return frame[1:], replace(form, header=True), {name: name for name in names}


def _holds_values(first: list[str]) -> bool:
    """Tell whether a cell of the first line is what no name is: a date, an e-mail address, a telephone number."""
    cells = pl.Series(first, dtype=pl.String)
    dated = bool(read_days(cells, "")[1].any()) or bool(cells.str.contains(POSTAL_CODE).any())
    return dated or any(find_identity_form(cells[place : place + 1]) is not None for place in range(len(cells)))


def _names_though_doubled(frame: pl.DataFrame, first: list[str]) -> bool:
    """Tell whether a first line names columns though a name is doubled or empty: no number, above numbers."""
    if len(set(first)) == len(first) and "" not in first:
        return False
    if frame.height < 2 or any(cell and is_numeric(cell) for cell in first):
        return False
    below = frame[1 : PROBED + 1]
    return any(cell and all(map(is_numeric, below[:, place].to_list())) for place, cell in enumerate(first))


def _understand(
    texts: Mapping[str, pl.Series],
    counted: Mapping[str, pl.DataFrame],
    form: CsvForm,
    missing: tuple[str, ...],
    *,
    is_parquet: bool,
) -> dict[str, ColumnReading]:
    decimal = POINT if is_parquet else None
    around = Surroundings(decimal=decimal, missing=missing, separator=form.separator)
    readings = understand_columns(texts, around, counted=counted)
    return {name: _take_for_words(each, texts[name], missing) for name, each in readings.items()}


def check_said(path: Path, texts: Mapping[str, pl.Series], said: Sequence[SaidKind], missing: tuple[str, ...]) -> None:
    """Refuse what is said of columns that are not there, or whose cells are of another kind; some texts mean nothing.

    Raises:
        MissingColumnsError: a column is not there.
        FaultsError: cells are no values of the kind; all of them at once.
    """
    if not said:
        return
    gaps = pl.Series(missing, dtype=pl.String).implode()
    cleared = [text.set(text.str.strip_chars().is_in(gaps), "").alias(name) for name, text in texts.items()]
    settle_said(pl.DataFrame(cleared), said, path)


def _read_as(said: SaidKind, text: pl.Series, missing: tuple[str, ...]) -> ColumnReading:
    """Return what a column is whose cells agree with what is said of it."""
    words = text.filter(pl.Series(mean_missing(text)) & (text.str.strip_chars() != "")).alias("text").value_counts()
    absent = tuple(MissingText(text=each, count=count, sure=True) for each, count in words.sort("text").iter_rows())
    rows = int((text.str.strip_chars() != "").sum())
    if said.kind is Kind.CATEGORY:
        sure = tuple(each for each in absent if each.text.strip() in missing)
        return ColumnReading(kind=TextKind.CATEGORY, rows=rows, missing=sure)
    header = "date" if said.kind is Kind.DATE else said.column
    decimal = said.format or None if said.kind is not Kind.DATE else None
    reading = understand(text, Surroundings(header=header, missing=missing, decimal=decimal))
    if said.kind is Kind.DATE and said.format:
        forms = (CountedText(text=said.format, count=rows),)
        return ColumnReading(kind=TextKind.DATE, forms=forms, missing=absent, rows=rows, plain=False)
    if reading.kind.kind is said.kind:
        return reading
    numbers = None if said.kind is Kind.DATE else reading.numbers or NumberWriting(decimal=said.format or POINT)
    plain = reading.plain if reading.kind.kind.numeric else True
    return ColumnReading(kind=TextKind(said.kind.value), numbers=numbers, missing=absent, rows=rows, plain=plain)


def _take_for_words(reading: ColumnReading, text: pl.Series, missing: tuple[str, ...]) -> ColumnReading:
    """Return what a column is; numbers of more digits than are computed with are words."""
    if reading.kind not in {TextKind.INTEGER, TextKind.DECIMAL}:
        return reading
    mark = POINT if reading.numbers is None else reading.numbers.decimal or POINT
    words = drop_missing(text.unique(), (*missing, *list_missing_texts(reading)))
    words = words if reading.plain else translate_numbers(words, mark)
    words = drop_missing(words, tuple(each.text.strip() for each in reading.misfits))
    if find_kind(spell_out_exponents(words, mark), date_format="", decimal=mark) is not Kind.CATEGORY:
        return reading
    return ColumnReading(kind=TextKind.CATEGORY, rows=reading.rows)


def list_missing_texts(reading: ColumnReading) -> tuple[str, ...]:
    """Return the texts of a column that mean missing, or are taken for it until somebody says otherwise.

    Those that mean missing in every file are not among them.
    """
    texts = (each.text.strip() for each in reading.missing)
    return tuple(dict.fromkeys(text for text in texts if text not in MISSING_TEXTS))


def find_form(reading: ColumnReading, rules: FileRules) -> str:
    """Return what a schema calls the form of a column: of dates or numbers that the file's rules do not read."""
    kind = reading.kind.kind
    if reading.plain or not kind.numeric or (kind is Kind.DATE and reading.format == rules.date_format):
        return ""
    mark = POINT if reading.numbers is None else reading.numbers.decimal or POINT
    return reading.format if kind is Kind.DATE else mark


def _find_missing_texts(texts: Mapping[str, pl.Series]) -> tuple[str, ...]:
    """Return the texts that mean missing in the whole file: not None where it stands among words alone.

    Programs write it for missing numbers as well; a person who writes it answers.
    """
    holding = [text.unique() for text in texts.values() if bool((text == NOBODY).any())]
    among_words = [not bool(drop_missing(words, MISSING_TEXTS).str.contains("[0-9]").any()) for words in holding]
    if holding and all(among_words):
        return tuple(text for text in MISSING_TEXTS if text != NOBODY)
    return MISSING_TEXTS


def _find_decimal_mark(readings: Mapping[str, ColumnReading]) -> str:
    """Return the decimal mark of the columns that have no form of their own."""
    marks = {each.numbers.decimal for each in readings.values() if each.numbers is not None and each.plain}
    return COMMA if COMMA in marks else UNDECIDED if marks == {UNDECIDED} else POINT


def _find_date_format(readings: Mapping[str, ColumnReading], texts: Mapping[str, pl.Series]) -> str:
    """Return the one format of all dates of a file, so that what leaves has it, too; ISO dates need none."""
    dated = {name: each for name, each in readings.items() if each.forms}
    formats = {each.format for each in dated.values()}
    form = next(iter(formats), "")
    if len(formats) != 1 or not form.startswith("%"):
        return ""
    fit = all(_are_days(texts[name], form, each) for name, each in dated.items())
    return form if fit else ""


def _are_days(text: pl.Series, form: str, reading: ColumnReading) -> bool:
    words = drop_missing(text.unique(), (*MISSING_TEXTS, *(each.text.strip() for each in reading.missing)))
    try:
        check_date_format(form)
    except ParameterError:
        return False
    return bool(read_days(words, form)[1].all())


def drop_missing(text: pl.Series, missing: tuple[str, ...]) -> pl.Series:
    """Return the texts that do not mean missing."""
    return text.filter(~text.str.strip_chars().is_in(pl.Series(missing, dtype=pl.String).implode()))
