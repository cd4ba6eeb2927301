"""A schema of data of one's own: how the file is written, which columns are read, and what they mean.

Its format is a page in docs/guide.

::

    shape = "history"
    [file]
    separator = ";"
    date_format = "%d.%m.%Y"
    decimal = ","
    [[columns]]
    name = "customer"
    source = "顧客ID"
    role = "identifier"

What is left open is found out from the data, and said. Columns that are not listed are left out, with a word; where
none is listed, all are read.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import polars as pl

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.grammar import FieldRules, Form
from sekisho.data.files.plain_files.date_forms import EXCEL_SERIAL, WAREKI, WAREKI_MONTH, check_date_format, check_forms
from sekisho.data.files.plain_files.form import OrdinaryForm, OrdinaryWriting
from sekisho.data.files.plain_files.numbers import COMMA, MOST_DECIMALS, POINT, UNDECIDED, count_digits
from sekisho.data.files.separated_rows import check_separator, name_written
from sekisho.data.frame.dataset import Kind, Meaning, Role, RoleOrigin, Schema
from sekisho.data.identity.row_owner import RowOwner
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

MISSING_TEXTS = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None")
MISSING_VALUE = "missing"
"""The category of missing cells that have one of their own."""
ANY_TEXT = "(?s:.*)"
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Missing(StrEnum):
    """What becomes of a missing cell.

    It is carried, so that what leaves has it missing, too; the file is refused; the row is dropped; or missing is a
    category with a name. A missing person and a missing time of a history are refused even where cells are carried.
    """

    CARRY = "carry"
    REFUSE = "refuse"
    DROP = "drop"
    CATEGORY = "category"


class Outside(StrEnum):
    """What becomes of a value outside its limits: the file is refused, or the row is dropped."""

    REFUSE = "refuse"
    DROP = "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRules:
    """How a file is written; what is not said is found out.

    Attributes:
        separator: between the cells.
        encoding: of the text, such as ``cp932``.
        header: whether the first line names the columns.
        decimal: the decimal mark, point or comma; empty where numbers with either are none, as nobody can tell.
        date_format: of ``strftime``; ISO dates, with dashes or slashes, need none.
        missing: the texts that mean "missing".
        header_line: where the header stands, from 1; of a file without one, where the data begin.
        header_lines: how many lines name the columns together.
        footer_lines: how many lines below the data are none: totals, notes.
        sheet: of a workbook, which one is read.
    """

    separator: str | None = None
    encoding: str | None = None
    header: bool | None = None
    decimal: str | None = None
    date_format: str = ""
    missing: tuple[str, ...] = MISSING_TEXTS
    header_line: int | None = None
    header_lines: int | None = None
    footer_lines: int | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.separator is not None:
            check_separator(self.separator)
        for name, least in (("header_line", 1), ("header_lines", 1), ("footer_lines", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ParameterError(name, Said("be at least {least}", least=least), value)
        if self.decimal not in {None, POINT, COMMA, UNDECIDED}:
            raise ParameterError("decimal", Said("be a point or a comma"), self.decimal)
        check_date_format(self.date_format)
        for text in self.missing:
            if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
                raise ParameterError("missing", Said("be text"), text)
        try:
            codecs.lookup(self.encoding or "utf-8")
        except (LookupError, ValueError) as error:
            raise ParameterError("encoding", Said("be known, such as utf-8 or cp932"), self.encoding) from error

    def adopt(self, form: CsvForm) -> FileRules:
        """Return the rules with what was found out in reading a file."""
        return replace(
            self,
            separator=form.separator,
            encoding=form.encoding,
            header_line=form.header_line,
            header_lines=form.header_lines,
            footer_lines=form.footer_lines,
            sheet=form.sheet,
        )

    def forget_surroundings(self) -> FileRules:
        """Return the rules of a file that was made from the data: titles and notes around their table are not in it."""
        return replace(self, header_line=None, header_lines=None, footer_lines=None, sheet=None)

    @property
    def csv(self) -> CsvForm:
        """What is said of how the file is written, values aside."""
        return CsvForm(
            separator=self.separator,
            header=self.header,
            encoding=self.encoding,
            header_line=self.header_line,
            header_lines=self.header_lines,
            footer_lines=self.footer_lines,
            sheet=self.sheet,
        )

    @property
    def writing(self) -> OrdinaryWriting:
        """How values are written in files that are made from these data."""
        return OrdinaryWriting(date_format=self.date_format, decimal=POINT if self.decimal is None else self.decimal)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRules:
    """One column that is read.

    Attributes:
        name: what it is called in everything that is made from the data; if empty, as in the file.
        source: what the file calls it: its header, or its number from 1 in a file without one; if empty, the name.
        kind: what its values are; if not said, found out.
        role: what it says about a person.
        decimals: of a decimal column, how many are kept; if not said, as many as the data have, at most 9.
        low: of numbers and dates, the least value allowed, as the file writes it; empty for none.
        high: the same for the largest.
        outside: what becomes of a row whose value lies outside.
        missing: what becomes of missing cells; if not said, as the schema says for all columns.
        means: what the column of a purchase history says, where its kind does not decide it.
        format: of dates, their form where it is another than the file's (``%d/%m/%Y``, ``wareki``, ``wareki-month``,
            ``excel-serial``, several with bars between them); of numbers, their decimal mark, where something stands
            around them. What is made from such a column has ISO dates and plain numbers.
        missing_texts: texts that mean missing in this column, besides those that do so in all.
        role_given: whether somebody said the role; else it is the careful one, and nobody's word.
    """

    name: str = ""
    source: str = ""
    kind: Kind | None = None
    role: Role = Role.QUASI
    decimals: int | None = None
    low: str = ""
    high: str = ""
    outside: Outside = Outside.REFUSE
    missing: Missing | None = None
    means: Meaning | None = None
    format: str = ""
    missing_texts: tuple[str, ...] = ()
    role_given: bool = field(default=False, metadata={"derived": True, "given": "role"})

    def __post_init__(self) -> None:
        self._check_format()
        if not self.output_name or CONTROL.search(self.output_name):
            raise ParameterError("name", Said("be given without control characters, or a source be"), self.output_name)
        if self.decimals is not None and (self.kind is not Kind.DECIMAL or not 0 <= self.decimals <= MOST_DECIMALS):
            rule = Said(
                'lie between 0 and {most_decimals} and be given only beside kind = "decimal"',
                most_decimals=MOST_DECIMALS,
            )
            raise ParameterError("decimals", rule, self.decimals)
        if (self.low or self.high) and (self.kind is None or not self.kind.numeric):
            raise ParameterError(
                Said("low and high"), Said("be given only beside a kind of numbers or dates"), self.kind
            )
        if self.missing is Missing.CATEGORY and self.kind is not None and self.kind.numeric:
            raise ParameterError("missing", Said("be carry, refuse or drop for numbers and dates"), self.missing.value)

    def _check_format(self) -> None:
        if not self.format:
            return
        if self.kind is None or not self.kind.numeric:
            raise ParameterError("format", Said("be given only beside a kind of numbers or dates"), self.format)
        if self.kind is Kind.DATE:
            check_forms(self.format)
        elif self.format not in {POINT, COMMA}:
            raise ParameterError(
                "format", Said("be a decimal mark, a point or a comma, beside a kind of numbers"), self.format
            )

    def writing(self, file: FileRules) -> OrdinaryWriting:
        """Return how its values are written in files that are made from the data."""
        if not self.format:
            return file.writing
        return OrdinaryWriting() if self.kind is Kind.DATE else replace(file.writing, decimal=self.format)

    @property
    def output_name(self) -> str:
        """What the column is called in everything that is made from the data."""
        return self.name or self.source

    @property
    def source_name(self) -> str:
        """What the file calls the column."""
        return self.source or self.name

    @property
    def origin(self) -> RoleOrigin:
        """Who says its role."""
        return RoleOrigin.HOLDER if self.role_given else RoleOrigin.NOBODY

    def field(self, file: FileRules, *, history: bool) -> FieldRules:
        """Return how the column's cells are written in files made from the data; an open kind counts as a category.

        A release of a history may generalise beyond the limits of the original, so these are for records only.
        """
        kind = self.kind or Kind.CATEGORY
        forms = () if not self.role.leaves else (Form.RANGE if kind.numeric else Form.SET, Form.SUPPRESSED)
        rules = FieldRules(
            name=self.output_name,
            kind=kind,
            role=self.role,
            decimals=self.digits(file) if kind is Kind.DECIMAL else 0,
            pattern=ANY_TEXT,
            forms=forms,
            means=self.means,
            writing=self.writing(file),
            origin=self.origin,
        )
        limits = {name: self.limit(name, file) for name in ("low", "high") if getattr(self, name)}
        return rules if history else replace(rules, **limits)

    def limit(self, name: str, file: FileRules) -> str:
        """Return a limit as the file writes it; an ISO date or a number with a point is understood in every file.

        Raises:
            ParameterError: it is neither.
        """
        text, kind = str(getattr(self, name)), self.kind or Kind.CATEGORY
        for writing in (self.writing(file), OrdinaryWriting()):
            digits = count_digits(pl.Series([text]), writing.decimal)[1] if kind is Kind.DECIMAL else 0
            values, readable = writing.read(pl.Series([text]), kind, digits)
            if readable.all() and digits <= (MOST_DECIMALS if self.decimals is None else self.decimals):
                return str(self.writing(file).write(values, kind, digits)[0])
        raise ParameterError(
            Said("{which} of {name}", which=name, name=self.output_name),
            Said("be a {kind} as the file writes it", kind=kind),
            text,
        )

    def digits(self, file: FileRules) -> int:
        """Return how many decimals the column has: as many as are said, else at least as many as its limits have."""
        if self.decimals is not None:
            return self.decimals
        limits = [self.limit(name, file) for name in ("low", "high") if getattr(self, name)]
        return max((count_digits(pl.Series([limit]), self.writing(file).decimal)[1] for limit in limits), default=0)


KIND_WORDS = {
    **{kind.value: (kind, "") for kind in Kind},
    **dict.fromkeys(("code", "text"), (Kind.CATEGORY, "")),
    **{form: (Kind.DATE, form) for form in (WAREKI, WAREKI_MONTH, EXCEL_SERIAL)},
}
"""What may be said of a column in a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidKind:
    """What somebody says of a column, wherever it stands in the file.

    Attributes:
        column: as the file, or what is made from it, calls it.
        kind: of its values.
        format: of dates and numbers, as :class:`ColumnRules` has it.
    """

    column: str
    kind: Kind
    format: str = ""

    @classmethod
    def parse(cls, text: str) -> SaidKind:
        """Return what ``COLUMN=KIND`` or ``COLUMN=KIND:FORMAT`` says.

        Raises:
            ParameterError: it says nothing of a column, or no kind.
        """
        name, parted, said = text.rpartition("=")
        word, _, form = said.partition(":")
        if not parted or not name or word not in KIND_WORDS:
            rule = Said("be COLUMN=KIND or COLUMN=KIND:FORMAT, with a kind of {kinds}", kinds=", ".join(KIND_WORDS))
            raise ParameterError("--kind", rule, text, hint=Said('such as "{example}"', example="birth=date:%d/%m/%Y"))
        kind, implied = KIND_WORDS[word]
        ColumnRules(name=name, kind=kind, format=form or implied)
        return cls(column=name, kind=kind, format=form or implied)

    @property
    def words(self) -> str:
        """What is said, as an option or a recipe says it."""
        return f"{self.kind.value}:{self.format}" if self.format else self.kind.value

    def settle(self, column: ColumnRules) -> ColumnRules:
        """Return the column as it is said to be."""
        return replace(column, kind=self.kind, format=self.format)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SchemaFile:
    """What data of one's own are.

    Attributes:
        shape: what a row is: ``history`` or ``records``.
        file: how the file is written.
        columns: those that are read, in this order; all if none is listed.
        all_columns: whether columns that are not listed are read as well, after the others.
        missing_cells: what becomes of missing cells in columns that do not say.
        harmless: by column, as what is made from the data calls it, the reason why nothing need be promised of it.
        learnable: by sensitive column the reason why it may be learnt.
        said: kinds of columns, listed or not, as an option gives them: no key of a file.
        named: columns that somebody names elsewhere, such as keys: each must be there, before any cell is looked at.
        unit: ``row``, the reason why a row is a person though a column says who and repeats, or none does.
        owner: of records that were read, the column that says whose rows they are, listed or not; None if nobody asked.
    """

    shape: Shape
    file: FileRules = field(default_factory=FileRules)
    columns: tuple[ColumnRules, ...] = ()
    all_columns: bool = False
    missing_cells: Missing = Missing.CARRY
    harmless: Mapping[str, str] = field(default_factory=dict[str, str])
    learnable: Mapping[str, str] = field(default_factory=dict[str, str])
    unit: Mapping[str, str] = field(default_factory=dict[str, str])
    said: tuple[SaidKind, ...] = field(default=(), metadata={"derived": True})
    named: tuple[str, ...] = field(default=(), metadata={"derived": True})
    owner: RowOwner | None = field(default=None, metadata={"derived": True})

    def __post_init__(self) -> None:
        if self.shape is Shape.TABLE:
            raise ParameterError("shape", Said("be history or records"), self.shape.value)
        for rule, names in (
            (Said("have distinct names"), [each.output_name for each in self.columns]),
            (Said("have distinct sources"), [each.source_name for each in self.columns]),
        ):
            doubled = [name for name, times in Counter(names).items() if times > 1]
            if doubled:
                raise ParameterError("columns", rule, doubled)
        holders = [each.output_name for each in self.columns if each.role is Role.IDENTIFIER]
        fewest = 1 if self.shape is Shape.HISTORY and self.columns else 0
        if not fewest <= len(holders) <= 1:
            rule = Said("hold exactly one identifier") if fewest else Said("hold at most one identifier")
            raise ParameterError("columns", rule, holders)
        homes = [each.output_name for each in self.columns if each.role is Role.HOUSEHOLD]
        if len(homes) > (0 if self.shape is Shape.HISTORY else 1):
            raise ParameterError("columns", Said("hold at most one household, and records only"), homes)
        for each in self.columns:
            if each.role is Role.IDENTIFIER and each.kind not in {None, Kind.CATEGORY}:
                raise ParameterError(
                    Said("kind of {name}", name=each.output_name),
                    Said("be category: it is the identifier"),
                    each.kind,
                )
            for name in ("low", "high"):
                if getattr(each, name):
                    each.limit(name, self.file)

    @property
    def form(self) -> OrdinaryForm:
        """How files made from the data are written."""
        return OrdinaryForm(
            separator=self.file.separator, encoding=name_written(self.file.encoding) if self.file.encoding else None
        )

    def without_identifier(self) -> SchemaFile:
        """Return the schema of data that do not say whose each row is, such as released records."""
        return replace(self, columns=tuple(each for each in self.columns if each.role.leaves))

    @property
    def open_columns(self) -> bool:
        """Whether columns are read that are not listed."""
        return self.all_columns or not self.columns

    def fields(self) -> tuple[FieldRules, ...]:
        """Return how each column's cells are written in files made from the data."""
        return tuple(each.field(self.file, history=self.shape is Shape.HISTORY) for each in self.columns)

    def settle_columns(self, schema: Schema) -> SchemaFile:
        """Return the schema with kinds and decimals as data that were read by it have them."""
        listed = {each.output_name: each for each in self.columns}
        columns = tuple(
            replace(
                listed.get(column.name) or ColumnRules(name=column.name, role=column.role),
                kind=column.kind,
                decimals=column.decimals if column.kind is Kind.DECIMAL else None,
            )
            for column in schema
        )
        return replace(self, columns=columns, all_columns=False, said=(), named=())
