"""Files of one's own at the door: what options say of them, and how they are read.

Originals at the door: read under their rules, and what was found out, left out or dropped is said on stderr.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from sekisho.cli.kit.answer import say
from sekisho.cli.kit.files import DecimalMark, Encoding, Header, Kinds, Separator, Sheet
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_file import MISSING_TEXTS, FileRules, Missing
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.microdata import Microdata, TextColumns, read_microdata
from sekisho.data.shape import Shape, read_abilities
from sekisho.safety.terms import HistoryTerms, RecordTerms, Terms
from sekisho.utility.schema_terms import own_rules, text_rules
from sekisho.words import Said

Columns = Annotated[str, typer.Option("--columns", help="Of a file of records: which columns to release, a,b,c.")]
Identifier = Annotated[str, typer.Option("--id", help="Of a file of records: the column that says whose each is.")]
DateFormat = Annotated[str, typer.Option("--date-format", help="Of dates, such as %d.%m.%Y; ISO dates need none.")]
MissingTexts = Annotated[
    str,
    typer.Option(
        "--missing",
        help="What becomes of missing cells: carry (they stay missing, if not said), refuse, drop or category; or "
        "texts that mean missing, NA,NULL.",
    ),
]
SchemaPath = Annotated[
    str,
    typer.Option("--schema", help="A schema of your own file, and rules of your own, in TOML (docs/guide/schema.md)."),
]
OWN = (
    *("columns", "identifier", "separator", "header", "encoding", "sheet", "decimal", "date_format", "missing"),
    "kinds",
)
"""Parameters that say how a file of one's own is written; rules and schemas say that themselves."""
TEXT = ("decimal", "date_format", "missing", "kinds")
"""Those that tell how numbers and dates are written: nothing to texts as they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFile:
    """A file of records and what of it is read."""

    path: Path
    form: CsvForm = field(default_factory=CsvForm)
    columns: tuple[str, ...] = ()
    identifier: str = ""

    @property
    def columns_read(self) -> TextColumns:
        """What of it is read, and how it is written."""
        return TextColumns(form=self.form, columns=self.columns, identifier=self.identifier)

    def read(self) -> Microdata:
        """Read it and tell how it was found to be written."""
        microdata = self.read_quietly()
        say(Said("{path}: {form}; {whole:,} records", path=self.path, form=microdata.form, whole=len(microdata.data)))
        for notice in microdata.notices:
            say(notice)
        return microdata

    def read_quietly(self) -> Microdata:
        """Read it."""
        return read_microdata(self.path, form=self.form, columns=self.columns, identifier=self.identifier)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFileOptions:
    """What options say of a file of one's own."""

    columns: Columns = ""
    identifier: Identifier = ""
    separator: Separator = None
    header: Header = None
    encoding: Encoding = None
    sheet: Sheet = None
    decimal: DecimalMark = None
    date_format: DateFormat = ""
    missing: MissingTexts = ""
    kinds: Kinds = None

    def rules(self, shape: Shape, source: Path) -> Terms:
        """Return rules for the file: as usual, in everything but its columns."""
        policy = next((one for one in Missing if one.value == self.missing), None)
        texts = tuple(part for part in self.missing.split(",") if part) if policy is None else ()
        written = FileRules(
            separator=self.separator,
            header=self.header,
            encoding=self.encoding,
            sheet=self.sheet,
            decimal=self.decimal,
            date_format=self.date_format,
            missing=("", *texts) if texts else MISSING_TEXTS,
        )
        schema = schema_from_options(
            shape,
            identifier=self.identifier,
            columns=tuple(filter(None, self.columns.split(","))),
            file=written,
            missing=policy or Missing.CARRY,
            kinds=self.kinds or (),
        )
        return own_rules(schema, source.stem)

    def describe_texts(self, path: Path, texts: Microdata | None = None) -> RecordTerms:
        """Return terms for a file whose columns are texts as they stand, written as it was found where it was read."""
        form, columns = (self.file(path).form, None) if texts is None else (texts.form, texts.data.schema)
        return text_rules(form, path.stem, identifier=self.identifier, columns=columns)

    def file(self, path: Path) -> RecordFile:
        """Return the file as one of texts as they stand."""
        form = CsvForm(separator=self.separator, header=self.header, encoding=self.encoding, sheet=self.sheet)
        return RecordFile(
            path=path, form=form, columns=tuple(filter(None, self.columns.split(","))), identifier=self.identifier
        )


def reads_text(thing: object) -> bool:
    """Tell whether a method or adversary takes every column as a category, its values the texts as they stand."""
    return read_abilities(thing).reads_text


R = TypeVar("R", HistoryTerms, RecordTerms)


def open_and_say(path: Path, book: R) -> tuple[Dataset, R]:
    """Return an original and the rules with nothing left open, having said what there is to say of it."""
    original, settled = open_original(path, book)
    for notice in original.notices:
        say(Said("{source}: {reason}", source=path, reason=notice.message))
    return original.data, settled
