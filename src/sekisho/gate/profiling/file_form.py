"""How a file is written, found out from its cells: separator, encoding, header, decimal mark, dates, missing texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from sekisho.data.files.csv_form import CsvForm, PlainTable, has_header, is_numeric
from sekisho.data.files.plain_files.dates import day_format, read_days
from sekisho.data.files.plain_files.kinds import find_decimal_mark
from sekisho.data.files.plain_files.numbers import COMMA, POINT, are_numbers, spell_out_exponents
from sekisho.data.files.plain_table import read_cells
from sekisho.data.files.schema_files.columns import make_names_distinct, say_reading
from sekisho.data.files.schema_files.schema_file import MISSING_TEXTS, FileRules
from sekisho.data.files.schema_files.value_texts import format_values
from sekisho.data.identity.forms import find_form
from sekisho.errors import InputError
from sekisho.words import Said

PROBED = 1000
POSTAL_CODE = r"^\s*〒?\s*[0-9]{3}-[0-9]{4}\s*$"
DATE_FORMATS = (
    *("", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%Y年%m月%d日"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%b %d %Y", "%d %B %Y"),
)
CLOCKS = ("", " %H:%M", " %H:%M:%S")
TWINS = {"%d/%m/%Y": "%m/%d/%Y", "%d-%m-%Y": "%m-%d-%Y", "%d/%m/%y": "%m/%d/%y"}
"""Formats that read the same texts as long as no day is above 12."""
MORE_MISSING = ("?", "-", "--", ".", "n/a", "na", "#N/A", "欠損", "未回答", "無回答", "不明", "不詳", "…", "***")
"""Texts that mean missing in a column that is of numbers or dates without them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileText:
    """The cells of a file as text, and how it is written.

    Attributes:
        texts: by the name under which each column is read, its cells.
        sources: by that name, what a schema calls the column in the file.
        rules: how the file is written, nothing left open.
        twin: another date format that reads every date; empty if there is none.
        is_parquet: whether the file says itself how it is written.
        program: whose such files are.
        notices: what was decided in reading the file.
        labels: descriptions of columns, where the file has any.
    """

    texts: dict[str, pl.Series]
    sources: dict[str, str]
    rules: FileRules
    twin: str = ""
    is_parquet: bool = False
    program: str = "Parquet"
    notices: tuple[Said, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return len(next(iter(self.texts.values())))


def read_file_text(path: Path, form: CsvForm | None = None) -> FileText:
    """Return the cells of a file and how it is written; ``form`` is what is said of it.

    Raises:
        InputError: it cannot be read, is no table, has no rows or but one column.
        FaultsError: lines have too few or too many cells.
    """
    given = form or CsvForm()
    table = read_cells(path, given)
    is_parquet = table.form.parquet
    frame, form, sources = _name_values(table) if is_parquet else _name_texts(table)
    if not frame.height:
        raise InputError(path, Said("has no rows: there is nothing to protect"))
    if frame.width < 2:
        raise InputError(
            path, Said("has one column only: give --separator to a command if its cells stand between others")
        )
    texts = {name: format_values(path, frame[name], FileRules()).fill_null("").alias(name) for name in frame.columns}
    distinct = {name: text.unique() for name, text in texts.items()}
    rules, twin = _find_rules(distinct, parquet=is_parquet)
    rules = replace(rules.adopt(form), header=form.header)
    return FileText(
        texts=texts,
        sources=sources,
        rules=rules,
        twin=twin,
        is_parquet=is_parquet,
        program=table.form.program or "Parquet",
        notices=say_reading(table, given.encoding),
        labels=table.labels,
    )


def _name_values(table: PlainTable) -> tuple[pl.DataFrame, CsvForm, dict[str, str]]:
    return table.frame, CsvForm(), {name: name for name in table.frame.columns}


def _name_texts(table: PlainTable) -> tuple[pl.DataFrame, CsvForm, dict[str, str]]:
    frame, form = table.frame, table.form
    first = [str(cell).strip() for cell in frame.row(0)]
    if _holds_values(first) or not (has_header(frame) or _names_though_doubled(frame, first)):
        sources = {name: str(place) for place, name in enumerate(frame.columns, 1)}
        return frame, replace(form, header=False), sources
    names = make_names_distinct(first)
    frame.columns = names
    return frame[1:], replace(form, header=True), {name: name for name in names}


def _holds_values(first: list[str]) -> bool:
    """Tell whether a cell of the first line is what no name is: a date, an e-mail address, a telephone number."""
    cells = pl.Series(first, dtype=pl.String)
    dated = bool(read_days(cells, "")[1].any()) or bool(cells.str.contains(POSTAL_CODE).any())
    return dated or any(find_form(cells[place : place + 1]) is not None for place in range(len(cells)))


def _names_though_doubled(frame: pl.DataFrame, first: list[str]) -> bool:
    """Tell whether a first line names columns though a name is doubled or empty: no number, above numbers."""
    if len(set(first)) == len(first) and "" not in first:
        return False
    if frame.height < 2 or any(cell and is_numeric(cell) for cell in first):
        return False
    below = frame[1 : PROBED + 1]
    return any(cell and all(map(is_numeric, below[:, place].to_list())) for place, cell in enumerate(first))


def _find_rules(distinct: dict[str, pl.Series], *, parquet: bool) -> tuple[FileRules, str]:
    known = {name: drop_missing(text, MISSING_TEXTS) for name, text in distinct.items()}
    bare = {name: drop_missing(text, MORE_MISSING) for name, text in known.items()}
    date_format, twin = find_date_format(list(bare.values()))
    decimal = POINT if parquet else find_decimal_mark(text for text in bare.values() if _may_be_numbers(text))
    more = set[str]()
    for name, text in bare.items():
        marks = set(known[name].str.strip_chars().to_list()) & set(MORE_MISSING) if len(text) < len(known[name]) else ()
        if marks and len(text) and (are_numbers(text, decimal) or bool(read_days(text, date_format)[1].all())):
            more |= set(marks)
    missing = (*MISSING_TEXTS, *(text for text in MORE_MISSING if text in more))
    return FileRules(decimal=decimal, date_format=date_format, missing=missing), twin


def _may_be_numbers(text: pl.Series) -> bool:
    first = text.head(PROBED)
    return any(are_numbers(spell_out_exponents(first, mark), mark) for mark in (POINT, COMMA))


def drop_missing(text: pl.Series, missing: tuple[str, ...]) -> pl.Series:
    """Return the texts that do not mean missing."""
    return text.filter(~text.str.strip_chars().is_in(pl.Series(missing, dtype=pl.String).implode()))


def find_date_format(columns: list[pl.Series]) -> tuple[str, str]:
    """Return the format by which the most columns are dates throughout, and another that reads the same ones, if any.

    ISO dates need none.
    """
    dated = [text for text in columns if _may_be_dates(text)]
    best, most = "", 0
    for form in (day + clock if day else day for clock in CLOCKS for day in DATE_FORMATS):
        count = sum(_are_days(text, form) for text in dated)
        if count > most:
            best, most = form, count
    day = day_format(best)
    twin = TWINS.get(day, "")
    ambiguous = bool(twin) and all(_are_days(text, best.replace(day, twin)) for text in dated if _are_days(text, best))
    return best, twin if ambiguous else ""


def _may_be_dates(text: pl.Series) -> bool:
    return bool(len(text)) and bool(text.head(PROBED).str.contains(r"[0-9].*[-/.年 ].*[0-9]").all())


def _are_days(text: pl.Series, form: str) -> bool:
    head = text.head(PROBED)
    return bool(read_days(head, form)[1].all()) and bool(read_days(text, form)[1].all())
