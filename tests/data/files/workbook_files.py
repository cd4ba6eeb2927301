"""Tiny workbooks for tests, written by hand: cells are texts, numbers, or dates."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from io import BytesIO
from xml.sax.saxutils import escape

Cell = str | float | date | None
Sheets = Mapping[str, Sequence[Sequence[Cell]]]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def make_xlsx(sheets: Sheets) -> bytes:
    """Return a workbook of Excel."""
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    numbered = list(enumerate(sheets.items(), 1))
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kinds}.worksheet+xml"/>' for n, _ in numbered
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{DOCUMENT}"><sheets>'
        + "".join(f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>' for n, (name, _) in numbered)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{n}" Type="{DOCUMENT}/worksheet" Target="worksheets/sheet{n}.xml"/>'
            for n, _ in numbered
        )
        + f'<Relationship Id="s" Type="{DOCUMENT}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/>'
        "</cellXfs></styleSheet>",
    }
    for number, (_, rows) in numbered:
        lines = "".join(
            f'<row r="{r}">{"".join(_write_excel(cell, r, c) for c, cell in enumerate(row))}</row>'
            for r, row in enumerate(rows, 1)
        )
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        )
    return pack(parts)


def _write_excel(cell: Cell, row: int, column: int) -> str:
    place = f"{chr(65 + column)}{row}"
    if cell is None:
        return ""
    if isinstance(cell, date):
        return f'<c r="{place}" s="1"><v>{(cell - date(1899, 12, 30)).days}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
    return f'<c r="{place}"><v>{cell!r}</v></c>'


def make_ods(sheets: Sheets) -> bytes:
    """Return a workbook of OpenDocument."""
    tables = "".join(
        f'<table:table table:name="{escape(name)}">'
        + "".join(f"<table:table-row>{''.join(map(_write_open, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = (
        f'<office:document-content xmlns:office="{OFFICE}:office:1.0" xmlns:table="{OFFICE}:table:1.0" '
        f'xmlns:text="{OFFICE}:text:1.0" office:version="1.2"><office:body><office:spreadsheet>{tables}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<manifest:manifest xmlns:manifest="{OFFICE}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    return pack({"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content})


def _write_open(cell: Cell) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, date):
        return f'<table:table-cell office:value-type="date" office:date-value="{cell.isoformat()}"/>'
    if isinstance(cell, str):
        return f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{cell!r}"/>'


def pack(parts: Mapping[str, str]) -> bytes:
    """Return an archive of some texts."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return stream.getvalue()
