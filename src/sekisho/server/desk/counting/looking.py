"""What was understood of a file: its columns and what is proposed for them, and its first rows, as plain data.

The words are those of ``sekisho init``. Rows come from the first bytes of the file, so that another form shows at once;
what says who somebody is, and what is left out, is masked before it leaves this process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import polars as pl

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_table import PARQUET, is_text_file
from sekisho.data.files.readers.foreign_files import list_sheets
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset, Role
from sekisho.data.trees.tree_column import PLAIN
from sekisho.errors import InputError, SekishoError
from sekisho.gate.profiling.column_look import ColumnLook, look_at_columns
from sekisho.gate.profiling.file_form import list_missing_texts, read_file_text, read_named_texts
from sekisho.gate.profiling.hints import Hint, Sign
from sekisho.gate.profiling.look import FileLook
from sekisho.gate.profiling.role_guess import RoleGuess
from sekisho.report.pages.own_file.decisions import list_left_out, list_questions, list_reasons
from sekisho.report.pages.own_file.words import say_hint
from sekisho.server.desk.counting.columns import StoredColumns
from sekisho.server.desk.originals import list_columns
from sekisho.server.desk.plain_data import Plain, as_plain, describe_error, say_both
from sekisho.server.desk.questions import MASK, draw_bins
from sekisho.words import Said

HEAD = 256 * 1024
"""So many bytes of a file are read for its first rows."""
SHOWN = 8
FEW = 4
"""The values of a column of so few are named."""
NEWLINE = b"\n"
NAMES_PEOPLE = Said("It names people or may do so: such a column never leaves. Proposed: leave it out.")


def describe_look(look: FileLook) -> Plain:
    """Return what was understood of a file, its columns in the file's order."""
    roles = {guess.look.name: guess for guess in look.roles}
    questions: dict[str, list[dict[str, str]]] = {}
    for point in list_questions(look):
        questions.setdefault(point.column, []).append(say_both(point.reason))
    names, rules = _name_columns(look), iter(list_columns(look))
    unused = {point.column: say_both(point.reason) for point in list_left_out(look)} if look.schema is None else {}
    return {
        "rows": look.file.rows,
        "shape": look.shape.value,
        "shape_why": [say_both(say_hint(hint)) for hint in look.guess.hints],
        "text": not look.file.is_parquet,
        "program": look.file.program if look.file.is_parquet else "",
        "form": as_plain(
            {
                name: getattr(look.file.rules, name)
                for name in ("separator", "encoding", "header", "header_line", "decimal", "date_format", "sheet")
            }
        ),
        "sheets": _list_sheets(look),
        "notices": as_plain(look.file.notices),
        "about_file": questions.pop("", []),
        "columns": [
            {
                **_describe_column(one),
                "name": names[one.name],
                **_describe_guess(roles.get(one.name)),
                "notes": questions.get(one.name, []),
                "rules": next(rules, {}),
                **({"why": [unused[one.name]]} if one.name in unused else {}),
            }
            for one in look.columns
        ],
    }


def _list_sheets(look: FileLook) -> list[str]:
    """Return the sheets of a workbook, of which one is read; of one that is packed into another file only that one."""
    if look.file.rules.sheet is None:
        return []
    try:
        return list(list_sheets(look.path))
    except InputError:
        return [look.file.rules.sheet]


def _name_columns(look: FileLook) -> dict[str, str]:
    """Return by its name in the file what the schema calls each column."""
    if look.schema is None:
        return {one.name: one.name for one in look.columns}
    offered = iter(look.schema.offered)
    rules = [next(offered) if one is None else one for one in look.schema.rules]
    return {guess.look.name: one.output_name for guess, one in zip(look.schema.roles, rules, strict=True)}


def _describe_column(look: ColumnLook) -> Plain:
    values, counts = look.evidence.values, look.counts.cast(pl.Int64)
    listed = sorted(values.to_list()) if 0 < len(values) <= FEW and look.naming is None else []
    return {
        "kind": look.kind.value,
        "distinct": look.distinct,
        "missing": look.missing,
        "missing_texts": list(list_missing_texts(look.reading)),
        "form": look.reading.format,
        "single": look.single,
        "values": listed,
        "bins": [] if look.distinct == look.present else draw_bins(values, counts.to_numpy(), look.kind),
    }


def _describe_guess(guess: RoleGuess | None) -> Plain:
    if guess is None:
        return {"role": None, "means": None, "why": [], "asked": False}
    signs = {hint.sign for hint in guess.hints}
    reading = guess.look.reading
    doubts = bool(reading.twin) or reading.misfit_rows > 0
    reasons: list[Hint] = [hint for hint in list_reasons(guess) if hint.sign is not Sign.FEW_VALUES]
    words = [say_both(say_hint(hint)) for hint in reasons or list_reasons(guess)]
    if Sign.NAMES_PEOPLE in signs:
        words.append(say_both(NAMES_PEOPLE))
    return {
        "role": None if guess.role is None else guess.role.value,
        "means": None if guess.means is None else guess.means.value,
        "why": words,
        "asked": guess.role is None or Sign.REMARKS in signs or (doubts and guess.role is not Role.IDENTIFIER),
    }


def describe_columns(columns: StoredColumns, names: Sequence[str]) -> Plain:
    """Return what a version reads of some columns: kind, different values, missing cells, a small picture."""
    described: Plain = {}
    for name, column in columns.select(names).items():
        people = column.count_people()
        first = int(column.has_gaps)
        values = pl.Series(column.texts[first:], dtype=pl.String)
        described[name] = {
            "kind": column.kind.value,
            "distinct": len(values),
            "missing": int(people[0]) if column.has_gaps else 0,
            "bins": draw_bins(values, people[first:], column.kind),
        }
    return {"rows": len(columns.rows), "columns": described}


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRows:
    """The first rows of a file.

    Attributes:
        path: of the file.
        folder: where its first bytes are kept.
        schema: how it is read; None of a table.
        form: of a table, how it is written.
        shown: whether what says who it is is shown.
    """

    path: Path
    folder: Path
    schema: SchemaFile | None = None
    form: CsvForm | None = None
    shown: bool = False

    def read(self) -> Plain:
        """Return the rows as the schema reads them; where it does not, as they stand, and why it does not."""
        source, cut = self._cut_head()
        if self.schema is not None:
            schema = _shorten(self.schema) if cut else self.schema
            try:
                return self._tell_read(source, schema)
            except SekishoError as error:
                failure = describe_error(error)
                form = schema.file.csv
        else:
            failure, form = None, self.form or CsvForm()
        try:
            return {**self._tell_cells(source, form), "failure": failure}
        except SekishoError as error:
            return {"names": [], "rows": [], "masked": [], "failure": failure or describe_error(error)}

    def _tell_read(self, source: Path, schema: SchemaFile) -> Plain:
        own = read_own(source, schema)
        cells, sources = read_named_texts(source, schema.file.csv)
        data, kept = Dataset(own.data.frame.head(SHOWN), own.data.schema), own.rows[:SHOWN]
        rules = {one.source_name: one for one in schema.columns}
        texts, naming = list[pl.Series](), set[str]()
        for name, raw in cells.items():
            column = rules.get(sources[name])
            if column is None:
                texts.append(raw.gather(kept))
                naming.add(name)
            else:
                texts.append(_write_texts(data, column.output_name))
                naming |= {column.output_name} if column.role is Role.IDENTIFIER else set()
        return self._tell(texts, naming)

    def _tell_cells(self, source: Path, form: CsvForm) -> Plain:
        file = read_file_text(source, form)
        naming = {one.name for one in look_at_columns(file) if one.naming is not None}
        return self._tell([text.head(SHOWN) for text in file.texts.values()], naming)

    def _tell(self, texts: Sequence[pl.Series], naming: set[str]) -> Plain:
        masked = set[str]() if self.shown else naming
        columns = [[MASK] * len(text) if text.name in masked else text.to_list() for text in texts]
        return {
            "names": [text.name for text in texts],
            "rows": [list(row) for row in zip(*columns, strict=True)],
            "masked": sorted(masked),
            "hidden": sorted(naming),
            "failure": None,
        }

    def _cut_head(self) -> tuple[Path, bool]:
        """Return a file of the first rows, and whether it is a part of the whole."""
        if self.path.stat().st_size <= HEAD:
            return self.path, False
        if self.path.suffix.lower() in PARQUET:
            head = pl.scan_parquet(self.path).head(SHOWN * 100).collect()
            stream = BytesIO()
            head.write_parquet(stream)
            return self._keep(stream.getvalue()), True
        if not is_text_file(self.path):
            return self.path, False
        with self.path.open("rb") as stream:
            data = stream.read(HEAD)
        return self._keep(data[: data.rfind(NEWLINE) + 1] or data), True

    def _keep(self, data: bytes) -> Path:
        place = self.folder / f"head{self.path.suffix}"
        if not place.exists() or place.read_bytes() != data:
            write_whole({place: data}, private=[place])
        return place


def _shorten(schema: SchemaFile) -> SchemaFile:
    """Return the schema of a part of a file, which ends before any line that is no data."""
    return replace(schema, file=replace(schema.file, footer_lines=None if schema.file.footer_lines is None else 0))


def _write_texts(data: Dataset, name: str) -> pl.Series:
    column = data.schema[name]
    if not column.kind.numeric:
        return data.text(name).alias(name)
    return PLAIN.write(data.grid(name), column.kind, column.decimals).alias(name)
