"""Columns of a made-up export, the truth about them, and the files they are written to."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, TypeVar
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import polars as pl
import pyreadstat

Cell: TypeAlias = str | int | float | date | datetime | None

Held = TypeVar("Held")
AMOUNT = ("quasi", "sensitive", "other")
SOFT = ("quasi", "other")
HARD = ("sensitive", "quasi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column as it is written, and what it is; ``gaps`` are the spellings that mean missing."""

    name: str
    role: str
    meaning: str
    cells: Sequence[Cell]
    kind: str
    accepted: tuple[str, ...]
    gaps: tuple[str, ...] = ("",)
    more: dict[str, object] = field(default_factory=dict[str, object])

    @property
    def missing(self) -> int:
        """How many cells hold nothing."""
        return sum(cell is None or str(cell).removesuffix(".0") in self.gaps for cell in self.cells)

    def describe(self, position: int) -> dict[str, object]:
        """Return the truth about the column."""
        check = {"missing": self.missing, "distinct": len({c for c in self.cells if c is not None})}
        told: dict[str, object] = {"position": position, "name": self.name, "kind": self.kind, "meaning": self.meaning}
        told |= {"role": self.role, "accepted": list(self.accepted), **self.more, "check": check}
        return told | ({"missing": list(self.gaps)} if self.missing else {})


def identifier(name: str, meaning: str, cells: Sequence[Cell], kind: str = "text", **more: object) -> Column:
    """Return a column that must never leave."""
    return Column(
        name=name, role="identifier", meaning=meaning, cells=cells, kind=kind, accepted=("identifier",), more=more
    )


def quasi(
    name: str,
    meaning: str,
    cells: Sequence[Cell],
    kind: str = "category",
    accepted: tuple[str, ...] = ("quasi",),
    gaps: tuple[str, ...] = ("",),
    **more: object,
) -> Column:
    """Return a column that others may know."""
    return Column(
        name=name, role="quasi", meaning=meaning, cells=cells, kind=kind, accepted=accepted, gaps=gaps, more=more
    )


def secret(
    name: str,
    meaning: str,
    cells: Sequence[Cell],
    kind: str = "category",
    accepted: tuple[str, ...] = ("sensitive",),
    gaps: tuple[str, ...] = ("",),
    **more: object,
) -> Column:
    """Return a column that must stay hidden."""
    return Column(
        name=name, role="sensitive", meaning=meaning, cells=cells, kind=kind, accepted=accepted, gaps=gaps, more=more
    )


def empty(name: str, rows: int) -> Column:
    """Return a column that holds nothing."""
    return Column(
        name=name,
        role="empty",
        meaning="empty column",
        cells=[""] * rows,
        kind="text",
        accepted=("empty", "other", "left_out"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One made-up file: its columns, and the lines about them."""

    file: str
    description: str
    industry: str
    language: str
    columns: Sequence[Column]
    write: Callable[[Path, Export], None]
    shape: str = "records"
    shapes: tuple[str, ...] = ()
    encoding: str = "utf-8"
    separator: str = ","
    newline: str = "\n"
    titles: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    repeat: int = 0
    decimal: str = "."
    table: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """The rows of data."""
        return list(zip(*(column.cells for column in self.columns), strict=True))

    def describe(self, draw: Random) -> dict[str, Any]:
        """Return the truth about the file."""
        means = {str(column.more["means"]): column.name for column in self.columns if "means" in column.more}
        headers = 2 if self.groups else 1
        first = len(self.titles) + 1
        repeated = (len(self.rows) - 1) // self.repeat if self.repeat else 0
        reading = {"format": self.file.removesuffix(".gz").rpartition(".")[2], "encoding": self.encoding}
        reading |= {"compression": "gzip" if self.file.endswith(".gz") else None, "separator": self.separator}
        reading |= {"newline": "CRLF" if self.newline == "\r\n" else "LF", "decimal": self.decimal, "quote": '"'}
        reading |= {"header_line": first, "header_lines": headers, "first_data_line": first + headers}
        reading |= {"footer_lines": len(self.footers), "trailing_separator": False, "repeated_headers": repeated}
        return {
            **{name: getattr(self, name) for name in ("file", "description", "industry", "language", "shape")},
            "accepted_shapes": list(self.shapes or (self.shape,)),
            "reading": reading,
            "rows": len(self.rows),
            "duplicated_rows": 0,
            **({"history": means} if self.shape == "history" else {}),
            **({"table": self.table} if self.table else {}),
            "traps": [],
            "columns": [column.describe(place) for place, column in enumerate(self.columns, 1)],
            "must_not_leave": pick_strings(self.columns, draw),
        }


def pick_strings(columns: Iterable[Column], draw: Random) -> list[str]:
    """Return up to three strings of each identifier that stand in no other column."""
    columns = list(columns)
    others = "\n".join({str(cell) for column in columns if column.role != "identifier" for cell in column.cells})
    picked = list[str]()
    for column in columns:
        if column.role == "identifier":
            texts = sorted({str(cell).removesuffix(".0") for cell in column.cells if cell not in (None, "")})
            fit = [text for text in texts if len(text) >= (7 if text.isascii() else 3) and text not in others]
            picked += draw.sample(fit, min(3, len(fit)))
    return sorted(set(picked))


def quote(cell: Cell, separator: str) -> str:
    """Return a cell as text between separators."""
    text = "" if cell is None else str(cell)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in (separator, '"', "\n")) else text


def write_lines(path: Path, export: Export) -> None:
    """Write separated lines with their titles, footers and repeated headers."""
    header = export.separator.join(quote(column.name, export.separator) for column in export.columns)
    lines = [*export.titles, header]
    for place, row in enumerate(export.rows):
        if export.repeat and place and place % export.repeat == 0:
            lines.append(header)
        lines.append(export.separator.join(quote(cell, export.separator) for cell in row))
    lines += export.footers
    data = "".join(line + export.newline for line in lines).encode(export.encoding)
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def frame_of(export: Export) -> Any:
    """Return the columns as a frame."""
    return pl.DataFrame({column.name: list(column.cells) for column in export.columns}, strict=False)


def write_parquet(path: Path, export: Export) -> None:
    """Write a Parquet file."""
    frame_of(export).write_parquet(path)


def write_statistics(path: Path, export: Export) -> None:
    """Write an SPSS or Stata file with labels of columns and of values."""
    columns = {column.name: column for column in export.columns}
    titles: dict[str, str | None] = {name: str(column.more.get("title", "")) for name, column in columns.items()}
    labels: dict[str, Any] = {
        name: column.more["labels"] for name, column in columns.items() if "labels" in column.more
    }
    if path.suffix == ".dta":
        pyreadstat.write_dta(frame_of(export), str(path), column_labels=titles, variable_value_labels=labels)
        return
    codes: dict[str, Any] = {name: [float(column.gaps[0])] for name, column in columns.items() if column.gaps != ("",)}
    pyreadstat.write_sav(
        frame_of(export), str(path), column_labels=titles, variable_value_labels=labels, missing_ranges=codes
    )


def letter(place: int) -> str:
    """Return the name of a sheet's column."""
    return (letter(place // 26 - 1) if place >= 26 else "") + chr(65 + place % 26)


def sheet_cell(cell: Cell, place: int, line: int) -> str:
    """Return one cell of a sheet: dates as serial numbers with a style, texts in the cell."""
    at = f'r="{letter(place)}{line}"'
    if cell is None or cell == "":
        return ""
    if isinstance(cell, date):
        return f'<c {at} s="1"><v>{(date(cell.year, cell.month, cell.day) - date(1899, 12, 30)).days}</v></c>'
    if isinstance(cell, int | float):
        return f"<c {at}><v>{cell}</v></c>"
    return f'<c {at} t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/><Override PartName='
    f'"/xl/worksheets/sheet1.xml" ContentType="{TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" '
    f'ContentType="{TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{RELATIONS}"><sheets><sheet name="Sheet1" sheetId="1" '
    'r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" '
    f'Type="{RELATIONS}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{SHEET}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2">'
    '<xf numFmtId="0" xfId="0"/><xf numFmtId="14" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>',
}


def write_workbook(path: Path, export: Export) -> None:
    """Write a workbook of one sheet; groups stand above the header and are merged over their columns."""
    lines: list[Sequence[Cell]] = [(title,) for title in export.titles]
    merged = list[str]()
    if export.groups:
        lines.append(
            [text if place == 0 or export.groups[place - 1] != text else "" for place, text in enumerate(export.groups)]
        )
        for text in dict.fromkeys(filter(None, export.groups)):
            places = [place for place, group in enumerate(export.groups) if group == text]
            merged.append(f'<mergeCell ref="{letter(places[0])}{len(lines)}:{letter(places[-1])}{len(lines)}"/>')
    lines += [[column.name for column in export.columns], *export.rows, *((text,) for text in export.footers)]
    rows = "".join(
        f'<row r="{number}">' + "".join(sheet_cell(cell, place, number) for place, cell in enumerate(line)) + "</row>"
        for number, line in enumerate(lines, 1)
    )
    spans = f'<mergeCells count="{len(merged)}">{"".join(merged)}</mergeCells>' if merged else ""
    sheet = f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData>{spans}</worksheet>'
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as pack:
        for name, text in {**PARTS, "xl/worksheets/sheet1.xml": sheet}.items():
            pack.writestr(ZipInfo(name, (2024, 1, 1, 0, 0, 0)), HEAD + text, ZIP_DEFLATED)
    path.write_bytes(packed.getvalue())


def days(draw: Random, first: date, last: date, size: int) -> list[date]:
    """Return days between two, with repetition."""
    return [first + timedelta(days=draw.randrange((last - first).days + 1)) for _ in range(size)]


def digits(draw: Random, size: int) -> str:
    """Return so many digits."""
    return "".join(draw.choices("0123456789", k=size))


def moments(draw: Random, first: date, last: date, size: int) -> list[datetime]:
    """Return moments of daytime between two days, in order."""
    start = [datetime.combine(day, time(7)) for day in days(draw, first, last, size)]
    return sorted(moment + timedelta(minutes=draw.randrange(840)) for moment in start)


def some(draw: Random, texts: Sequence[str], share: float, size: int) -> list[str]:
    """Return texts in a share of the cells, nothing in the others."""
    return [draw.choice(texts) if draw.random() < share else "" for _ in range(size)]


def of_each(people: Sequence[Held], at: Sequence[int]) -> list[Held]:
    """Return what belongs to the person of each row."""
    return [people[place] for place in at]
