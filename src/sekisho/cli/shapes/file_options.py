"""Files of one's own at the door: what options say of them, and how they are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.kit.answer import say
from sekisho.cli.kit.files import DecimalMark, Encoding, Header, Separator
from sekisho.data.abilities import read_abilities
from sekisho.data.engines.addresses import is_address
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.output_paths import path_beside
from sekisho.data.files.schema_files.schema_file import FileRules, Missing
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.records.microdata import Microdata, read_microdata
from sekisho.data.shape import Shape
from sekisho.errors import BugError
from sekisho.safety.terms import RecordTerms, Terms
from sekisho.utility.schema_terms import own_rules
from sekisho.words import Said

Columns = Annotated[str, typer.Option("--columns", help="Of a file of records: which columns to release, a,b,c.")]
Identifier = Annotated[str, typer.Option("--id", help="Of a file of records: the column that says whose each is.")]
DateFormat = Annotated[str, typer.Option("--date-format", help="Of dates, such as %d.%m.%Y; ISO dates need none.")]
MissingTexts = Annotated[
    str,
    typer.Option(
        "--missing",
        help="What becomes of missing cells: refuse, drop or category; or texts that mean missing, NA,NULL.",
    ),
]
SchemaPath = Annotated[
    str,
    typer.Option("--schema", help="A schema of your own file, and rules of your own, in TOML (docs/guide/schema.md)."),
]
OWN = ("columns", "identifier", "separator", "header", "encoding", "decimal", "date_format", "missing")
"""Parameters that say how a file of one's own is written; rules and schemas say that themselves."""
TEXT = ("decimal", "date_format", "missing")
"""Those that tell how numbers and dates are written: nothing to texts as they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFile:
    """A file of records and what of it is read."""

    path: Path
    form: CsvForm = field(default_factory=CsvForm)
    columns: tuple[str, ...] = ()
    identifier: str = ""

    def read(self) -> Microdata:
        """Read it and tell how it was found to be written."""
        microdata = self.read_quietly()
        say(Said("{path}: {form}; {whole:,} records", path=self.path, form=microdata.form, whole=len(microdata.data)))
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
    decimal: DecimalMark = None
    date_format: DateFormat = ""
    missing: MissingTexts = ""

    def rules(self, shape: Shape, source: Path) -> Terms:
        """Return rules for the file: as usual, in everything but its columns."""
        policy = next((one for one in Missing if one.value == self.missing), None)
        texts = tuple(part for part in self.missing.split(",") if part) if policy is None else ()
        written = FileRules(
            separator=self.separator,
            header=self.header,
            encoding=self.encoding,
            decimal=self.decimal,
            date_format=self.date_format,
            **({"missing": ("", *texts)} if texts else {}),
        )
        schema = schema_from_options(
            shape,
            identifier=self.identifier,
            columns=tuple(filter(None, self.columns.split(","))),
            file=written,
            missing=policy or Missing.REFUSE,
        )
        return own_rules(schema, source.stem)

    def describe_texts(self, path: Path, texts: Microdata) -> RecordTerms:
        """Return terms for a file whose columns are texts as they stand, written as it was found."""
        form = texts.form
        written = FileRules(separator=form.separator, header=form.header, encoding=form.encoding)
        schema = schema_from_options(Shape.RECORDS, identifier=self.identifier, file=written)
        terms = own_rules(schema, path.stem)
        if not isinstance(terms, RecordTerms):
            raise BugError("texts are records")
        return terms.with_layout(terms.layout.settle_columns(texts.data.schema))

    def file(self, path: Path) -> RecordFile:
        """Return the file as one of texts as they stand."""
        form = CsvForm(separator=self.separator, header=self.header, encoding=self.encoding)
        return RecordFile(
            path=path, form=form, columns=tuple(filter(None, self.columns.split(","))), identifier=self.identifier
        )


def reads_text(thing: object) -> bool:
    """Tell whether a method or adversary takes every column as a category, its values the texts as they stand."""
    return read_abilities(thing).reads_text


def mechanism_place(out: Path) -> Path:
    """Return where the description of a release's mechanism is written: beside the release.

    Of a release at an address that only a cluster reaches it is written here, under the release's name.
    """
    return path_beside(Path(out.name) if is_address(out) else out, ".mechanism.json")
