"""How the files of some data look: columns and their cells, the form of files, how an original is read.

Two layouts. A strict one says everything, and files that differ are refused: separated cells, no header, values written
in one way; so are a contest's. One that follows a schema is of ordinary CSV or Parquet: what the schema leaves open is
found out from the data and said, and files that are made of them are written as the original is.

Readers and writers take whatever has a layout: the layout itself, terms of judging, a contest's rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Protocol, Self, TypeVar

import polars as pl

from sekisho.data.files.grammar import FieldRules, Grammar, read_exact
from sekisho.data.files.plain_table import FrameSource, TableSource
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.files.sheet import FileForm, Sheet, SheetRules
from sekisho.data.frame.dataset import Dataset, Kind, Role, Schema
from sekisho.data.shape import Shape
from sekisho.errors import BugError, ParameterError
from sekisho.words import Said

PSEUDONYM = "[1-9][0-9]{0,8}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Original:
    """An original that was read.

    Attributes:
        data: what was read, without the rows that the schema drops.
        notices: what was found out, left out or dropped, each a sentence; nothing of a strict file.
    """

    data: Dataset
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How files of some data look; strict unless a schema describes them, so that nothing is left open.

    Attributes:
        shape: what a row is.
        columns: of an original, in their order.
        grammar: the marks of generalised cells.
        sheet: the strict form; files of row numbers (deleted rows, answers, rows named by an adversary) always have it.
        pseudonym: of a history, the regular expression of the pseudonyms that a release has.
        strict: whether files hold whole values in one way of writing, and are never Parquet.
    """

    strict: ClassVar[bool] = True

    shape: Shape
    columns: tuple[FieldRules, ...]
    grammar: Grammar = field(default_factory=Grammar)
    sheet: SheetRules = field(default_factory=SheetRules)
    pseudonym: str = PSEUDONYM

    @property
    def layout(self) -> Layout:
        """Itself: what takes whatever has a layout takes a layout."""
        return self

    @property
    def form(self) -> FileForm:
        """How files are written: as lines of separated cells."""
        return self.sheet

    @property
    def described(self) -> SchemaFile:
        """The schema that describes the data; strict files need none, and have one that says nothing."""
        return SchemaFile(shape=self.shape)

    @property
    def open_columns(self) -> bool:
        """Whether columns are read that are not listed."""
        return False

    def open(self, path: TableSource) -> tuple[Original, Layout]:
        """Return an original, and the layout with columns and kinds settled by it."""
        if isinstance(path, FrameSource):
            raise ParameterError("frame", Said("be a file under a contest's rules"), path.name)
        return Original(data=self.read_values(path)), self

    def settle_columns(self, schema: Schema) -> Layout:
        """Return the layout with columns as data that were read by it have them."""
        del schema
        return self

    def require_columns(self, names: Sequence[str]) -> Layout:
        """Return the layout under which a file without these columns is refused; a strict one says all columns."""
        del names
        return self

    def without_identifier(self) -> Layout:
        """Return the layout of data that do not say whose each row is, such as released records."""
        return replace(self, columns=self.attributes)

    def require_settled(self) -> None:
        """Refuse to read a release without its original where a schema leaves open what columns are."""

    def refuse_parquet(self) -> None:
        """Refuse Parquet.

        Raises:
            ParameterError: the form of files is fixed.
        """
        raise ParameterError("format", Said("be csv under a contest's rules"), "parquet")

    def note_header(self, sheet: Sheet) -> None:
        """Note a first line that looks like a header: it holds no digit, and is no deleted row."""
        regular = len(sheet) > 0 and bool(sheet.notes.is_fine("")[0])
        first = self.sheet.separator.join(sheet.cells.row(0)) if regular else ""
        if first and not re.search(r"[0-9]", first) and set(sheet.cells.row(0)) != {self.grammar.suppressed}:
            sheet.notes.note_file("header", first, Said("the first line looks like a header; the file must have none"))

    def read_values(self, path: Path) -> Dataset:
        """Return a file of whole values whose kinds are all settled, records without their identifiers."""
        of_people = self.shape is Shape.HISTORY
        fields = self.columns if of_people else self.attributes
        sheet = self.form.read(path, tuple(rules.name for rules in fields))
        if not len(sheet):
            sheet.notes.note_file("rows", 0, Said("the file is empty"))
        columns = [
            read_exact(sheet.cells[rules.name] if of_people else read_number_text(sheet, rules), rules, sheet.notes)
            for rules in fields
        ]
        if of_people:
            self.note_header(sheet)
        sheet.notes.raise_faults()
        return Dataset(pl.DataFrame(columns), Schema(tuple(rules.column for rules in fields)))

    @cached_property
    def schema(self) -> Schema:
        """The original's columns."""
        return Schema(tuple(rules.column for rules in self.columns))

    @cached_property
    def attributes(self) -> tuple[FieldRules, ...]:
        """The columns that may leave: not the identifier, nor who lives together."""
        return tuple(rules for rules in self.columns if rules.role.leaves)

    @cached_property
    def holder(self) -> FieldRules:
        """The column of people, which every history has."""
        for rules in self.columns:
            if rules.role is Role.IDENTIFIER:
                return rules
        raise BugError("the column of people was asked for where there is none")


@dataclass(frozen=True, kw_only=True)
class SchemaLayout(Layout):
    """Files that a schema describes; what it leaves open is found out from the data."""

    strict: ClassVar[bool] = False

    schema_file: SchemaFile

    @classmethod
    def of(cls, schema: SchemaFile, *, grammar: Grammar | None = None) -> SchemaLayout:
        """Return the layout of data that a schema describes."""
        return cls(shape=schema.shape, columns=schema.fields(), grammar=grammar or Grammar(), schema_file=schema)

    def adopt(self, schema: SchemaFile) -> SchemaLayout:
        """Return the layout with another schema, such as one that data have settled."""
        return replace(self, schema_file=schema, columns=schema.fields())

    @property
    def form(self) -> FileForm:
        """How files are written: as the original is."""
        return self.schema_file.form

    @property
    def described(self) -> SchemaFile:
        """The schema."""
        return self.schema_file

    @property
    def open_columns(self) -> bool:
        """Whether columns are read that the schema does not list."""
        return self.schema_file.open_columns

    def open(self, path: TableSource) -> tuple[Original, SchemaLayout]:
        """Return an original, and the layout settled by it."""
        own = read_own(path, self.schema_file)
        return Original(data=own.data, notices=own.notices), self.adopt(own.schema)

    def settle_columns(self, schema: Schema) -> SchemaLayout:
        """Return the layout with columns as data that were read by it have them."""
        return self.adopt(self.schema_file.settle_columns(schema))

    def require_columns(self, names: Sequence[str]) -> SchemaLayout:
        """Return the layout under which a file without these columns is refused before any cell is looked at."""
        return self.adopt(replace(self.schema_file, named=tuple(names)))

    def without_identifier(self) -> SchemaLayout:
        """Return the layout of data that do not say whose each row is."""
        return self.adopt(self.schema_file.without_identifier())

    def require_settled(self) -> None:
        """Refuse where a kind, or which columns there are, is open.

        Raises:
            ParameterError: it is.
        """
        if self.open_columns or any(rules.kind is None for rules in self.schema_file.columns):
            raise ParameterError("original", Said("be given where the schema leaves open what columns are"), None)

    def refuse_parquet(self) -> None:
        """Allow it."""

    def note_header(self, sheet: Sheet) -> None:
        """Note nothing: an ordinary file has one."""
        del sheet


class HasLayout(Protocol):
    """Whatever has a layout: a layout, terms of judging, a contest's rules."""

    @property
    def layout(self) -> Layout:
        """How files look."""
        ...


class SettlesLayout(HasLayout, Protocol):
    """What has a layout that data may settle."""

    def with_layout(self, layout: Layout) -> Self:
        """Return the same with another layout."""
        ...


R = TypeVar("R", bound=SettlesLayout)


def open_original(path: TableSource, rules: R) -> tuple[Original, R]:
    """Return an original, and the rules with columns, kinds and the form of files settled by it.

    Files that are made under the settled rules are written as the original is.
    """
    original, layout = rules.layout.open(path)
    return original, rules.with_layout(layout)


def read_number_text(sheet: Sheet, field: FieldRules) -> pl.Series:
    """Return a column's text; a whole number may be written 1.0, as frames of floats write it."""
    text = sheet.cells[field.name]
    return text.str.replace(r"^([0-9]+)\.0+$", "${1}") if field.kind is Kind.INTEGER else text
