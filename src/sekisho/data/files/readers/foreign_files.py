"""Files of SPSS, Stata and SAS as frames of values, by pyreadstat: labels of values, descriptions of columns.

A value that the file calls missing is missing. Where every value of a column that is in use has a label, the labels are
the values; else the codes stay, and that is said.

Workbooks of Excel and OpenDocument as tables of texts, by calamine: no formula is run, no macro, no link followed.

A date is written as ISO has it, a whole number without a fraction, a text as it stands, with its leading zeros. Before
anything is parsed the archive is unpacked piece by piece into nothing and its bytes are counted, whatever its directory
says.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

import polars as pl
from python_calamine import CalamineWorkbook, SheetVisibleEnum

from sekisho.data.files.whole_files import read_bytes
from sekisho.data.files.zip_guard import ANY_MARK, BROKEN
from sekisho.errors import InputError
from sekisho.extras import require_extra
from sekisho.words import Said

PROGRAMS = {
    ".sav": "SPSS",
    ".zsav": "SPSS",
    ".por": "SPSS",
    ".dta": "Stata",
    ".sas7bdat": "SAS",
    ".xpt": "SAS",
}
"""Whose files these are, by their ending."""


class StatisticsFile(NamedTuple):
    """The values of a file, the program that writes such ones, its columns' descriptions, and what is to be said."""

    frame: pl.DataFrame
    program: str
    labels: dict[str, str]
    notices: list[Said]


def is_statistics_file(path: Path) -> bool:
    """Tell whether the ending of a file says that a statistics program wrote it."""
    return path.suffix.lower() in PROGRAMS


def read_statistics_file(path: Path) -> StatisticsFile:
    """Return the values of a file of a statistics program.

    Raises:
        InputError: it is missing, or no such file.
        ParameterError: pyreadstat is not installed.
    """
    suffix = path.suffix.lower()
    require_extra("statistics", "file", path.name)
    read_bytes(path)  # for its size and for what may be wrong with the path
    import pyreadstat

    readers = {
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".por": pyreadstat.read_por,
        ".dta": pyreadstat.read_dta,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    try:
        columns, about = readers[suffix](str(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OverflowError, UnicodeError) as error:
        raise InputError(path, Said("is no {program} file: {error}", program=PROGRAMS[suffix], error=error)) from error
    notices, frame, labelled = list[Said](), list[pl.Series](), list[str]()
    for name, values in columns.items():
        codes = _settle(pl.Series(name, list(values), strict=False))
        frame.append(_put_labels(codes, about.variable_value_labels.get(name, {}), notices))
        labelled += [] if frame[-1] is codes else [name]
    if labelled:
        notices.insert(0, Said("values are read by their labels: {names}", names=", ".join(labelled)))
    labels = {name: label for name, label in about.column_names_to_labels.items() if label and label != name}
    return StatisticsFile(pl.DataFrame(frame), PROGRAMS[suffix], labels, notices)


def _settle(values: pl.Series) -> pl.Series:
    """Return floats as whole numbers where all are: SPSS knows no others."""
    if values.dtype == pl.Null:
        return values.cast(pl.String)
    if values.dtype == pl.Object:
        return pl.Series(values.name, [None if each is None else str(each) for each in values], dtype=pl.String)
    if values.dtype.is_float():
        values = values.fill_nan(None)
        known = values.drop_nulls()
        if bool((known == known.round(0)).all()) and bool((known.abs() < 2**53).all()):
            return values.cast(pl.Int64)
    return values


def _put_labels(values: pl.Series, labels: Mapping[float | int, str], notices: list[Said]) -> pl.Series:
    if not labels:
        return values
    known = {_write_code(code): str(label) for code, label in labels.items()}
    texts = values.cast(pl.String)
    in_use = [str(text) for text in texts.drop_nulls().unique()]
    bare = sorted(code for code in in_use if code not in known)
    if bare:
        notices.append(
            Said(
                "{name}: values without a label ({codes}), so that its codes are read, not the labels",
                name=values.name,
                codes=", ".join(bare[:10]),
            )
        )
        return values
    used = {code: known[code] for code in in_use}
    if len(set(used.values())) < len(used):
        notices.append(Said("{name}: two values have one label, so that its codes are read", name=values.name))
        return values
    return texts.replace_strict(used, default=None, return_dtype=pl.String)


def _write_code(code: float) -> str:
    return str(int(code)) if float(code).is_integer() else str(code)


MOST_BYTES = 1 << 30
MOST_CELLS = 1 << 26
MOST_PARTS = 10_000
PIECE = 1 << 20
LEAST_SHARE = 0.2
"""A sheet is taken for the table if it has at least such a share of the cells of the largest one."""
Cell: TypeAlias = int | float | str | bool | time | date | datetime | timedelta


class SheetCells(NamedTuple):
    """The cells of a sheet as texts, its name, and the names of the others."""

    cells: pl.DataFrame
    sheet: str
    others: tuple[str, ...]


def read_workbook(content: bytes, path: Path, sheet: str | None) -> SheetCells:
    """Return the cells of a sheet of a workbook: the one that is named, else the first that holds a table.

    Raises:
        InputError: it is damaged, encrypted or too large, has no such sheet, or none with a table.
    """
    refuse_bomb(content, path)
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(content))
        names = _name_sheets(book)
        _require_sheet(path, sheet, book.sheet_names)
        rows = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in _choose(sheet, names)}
    except InputError:
        raise
    except Exception as error:  # calamine has an error for each format, and panics are errors too
        raise InputError(path, Said("is no workbook that can be read: {error}", error=str(error)[:200])) from error
    chosen = sheet if sheet is not None else _find_table(path, rows)
    return SheetCells(_write_cells(rows[chosen], path), chosen, tuple(name for name in names if name != chosen))


def list_sheets(path: Path) -> tuple[str, ...]:
    """Return the names of a workbook's sheets that can be seen; of all, if none can.

    Raises:
        InputError: it is too large, or no workbook that can be read.
    """
    content = read_bytes(path)
    refuse_bomb(content, path)
    try:
        return tuple(_name_sheets(CalamineWorkbook.from_filelike(BytesIO(content))))
    except Exception as error:  # as above
        raise InputError(path, Said("is no workbook that can be read: {error}", error=str(error)[:200])) from error


def _name_sheets(book: CalamineWorkbook) -> list[str]:
    seen = [each.name for each in book.sheets_metadata if each.visible == SheetVisibleEnum.Visible]
    return seen or book.sheet_names


def _require_sheet(path: Path, sheet: str | None, names: Sequence[str]) -> None:
    if sheet is not None and sheet not in names:
        reason = Said("has no sheet {sheet}; it has {names}", sheet=sheet, names=", ".join(names))
        raise InputError(path, reason, named=[sheet])


def _choose(sheet: str | None, names: Sequence[str]) -> Sequence[str]:
    return names if sheet is None else [sheet]


def _find_table(path: Path, rows: dict[str, list[list[Cell]]]) -> str:
    sizes = {name: sum(sum(cell != "" for cell in row) for row in each) for name, each in rows.items()}
    largest = max(sizes.values(), default=0)
    for name, size in sizes.items():
        if size and size >= LEAST_SHARE * largest:
            return name
    raise InputError(path, Said("has no sheet with a table"))


def refuse_bomb(content: bytes, path: Path) -> None:
    """Refuse an archive whose parts are too large when they are unpacked; what is no archive passes.

    Raises:
        InputError: it is too large, or damaged.
    """
    if not content.startswith(ANY_MARK):
        return
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            entries = archive.infolist()
            size = sum(entry.file_size for entry in entries)
            if len(entries) > MOST_PARTS or size > MOST_BYTES:
                raise _say_too_large(path)
            left = MOST_BYTES
            for entry in entries:
                with archive.open(entry) as part:
                    while piece := part.read(PIECE):
                        left -= len(piece)
                        if left < 0:
                            raise _say_too_large(path)
    except InputError:
        raise
    except BROKEN as error:
        raise InputError(path, Said("is a damaged or encrypted archive")) from error


def _say_too_large(path: Path) -> InputError:
    return InputError(path, Said("holds more than {limit:,} bytes when unpacked", limit=MOST_BYTES))


def _write_cells(rows: Sequence[Sequence[Cell]], path: Path) -> pl.DataFrame:
    width = max(map(len, rows), default=0)
    if not width:
        raise InputError(path, Said("is empty"))
    if width * len(rows) > MOST_CELLS:
        raise InputError(
            path, Said("has {cells:,} cells; the limit is {limit:,}", cells=width * len(rows), limit=MOST_CELLS)
        )
    columns = [_write_column([row[place] if place < len(row) else "" for row in rows]) for place in range(width)]
    return pl.DataFrame(
        {f"column_{place + 1}": pl.Series(texts, dtype=pl.String) for place, texts in enumerate(columns)}
    )


def _write_column(cells: Sequence[Cell]) -> list[str]:
    timed = any(isinstance(cell, datetime) and cell.time() != time() for cell in cells)
    return [_write_cell(cell, timed=timed) for cell in cells]


def _write_cell(cell: Cell, *, timed: bool) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ") if timed else cell.date().isoformat()
    if isinstance(cell, date):
        return f"{cell.isoformat()} 00:00:00" if timed else cell.isoformat()
    return cell.isoformat() if isinstance(cell, time) else str(cell)
