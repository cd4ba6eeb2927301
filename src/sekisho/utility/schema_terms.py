"""A schema of one's own data with the terms of judging them, each of which may be left out.

::

    shape = "history"            # the schema: docs/guide/schema.md
    [verdict]
    p = "1/3"
    alpha = "1/2000"
    [utility]
    measure = "cell-error"
    [grammar]
    max_set = 100

For records: ``[measures]``, ``[space]``, ``[test]`` and ``[rounds.*]`` as in a contest's rules; a round has only the
limits one wants. What the file says of a contest over the data, under ``[contest]``, is the contest's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from pathlib import Path

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.grammar import Grammar
from sekisho.data.files.layout import SchemaLayout
from sekisho.data.files.schema_files.schema_file import FileRules, SchemaFile
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.files.settings import build_settings
from sekisho.data.frame.dataset import Role, Schema
from sekisho.data.records.space import RecordSpace
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.errors import BugError, ParameterError, UnknownNameError
from sekisho.safety.terms import (
    ONLY_ROUND,
    USUAL_MEASURE,
    HistoryTerms,
    MeasureRules,
    RecordTerms,
    RoundRules,
    Terms,
    TestRules,
    UtilityRules,
    VerdictRules,
)
from sekisho.utility import MEASURES
from sekisho.words import Said

UNTITLED = Title(en="data of one's own", ja="手元のデータ")
"""What data are called of which nobody says how they are called in public."""
CONTEST = "contest"
"""What a schema says here is read by whoever holds a contest over the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaVerdict:
    """When an attack is effective: at how small a chance of naming one person, at which level of the test."""

    p: Fraction = Fraction(1, 3)
    alpha: Fraction = Fraction(1, 2000)

    def __post_init__(self) -> None:
        VerdictRules(p=self.p, alpha=self.alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaGrammar:
    """How large a set may be in a generalised cell."""

    max_set: int = 100

    def __post_init__(self) -> None:
        Grammar(max_set=self.max_set)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaUtility:
    """Which measure ranks the releases."""

    measure: str = USUAL_MEASURE

    def __post_init__(self) -> None:
        try:
            MEASURES.find_class(self.measure, Shape.HISTORY)
        except (UnknownNameError, ParameterError) as error:
            raise ParameterError(
                "measure", Said("be a measure of histories ({error})", error=error), self.measure
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSchema(SchemaFile):
    """A schema, and what the data are called.

    Attributes:
        name: in results; the file's own if empty.
        title: on pages; the name, if not said either, is no file's, which may tell what nobody meant to publish.
    """

    name: str = ""
    title: Title | None = None

    def choose_title(self, stem: str) -> tuple[str, Title]:
        """Return name and title of data whose schema is in a file of this name."""
        name = self.name or stem
        return name, self.title or (Title(en=name, ja=name) if self.name else UNTITLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySchema(NamedSchema):
    """A history of one's own and the terms of judging it."""

    verdict: SchemaVerdict = field(default_factory=SchemaVerdict)
    utility: SchemaUtility = field(default_factory=SchemaUtility)
    grammar: SchemaGrammar = field(default_factory=SchemaGrammar)

    def terms(self, stem: str) -> HistoryTerms:
        """Return the terms."""
        name, title = self.choose_title(stem)
        return HistoryTerms(
            name=name,
            title=title,
            layout=SchemaLayout.of(self, grammar=Grammar(max_set=self.grammar.max_set)),
            utility=UtilityRules(measure=self.utility.measure),
            verdict=VerdictRules(p=self.verdict.p, alpha=self.verdict.alpha),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSchema(NamedSchema):
    """Records of one's own and the terms of judging them.

    Attributes:
        round: which of the rounds is the usual one; the first if empty.
        in_order: whether a release must keep its rows in the original's order; else they are shuffled before they
            leave.
    """

    round: str = ""
    in_order: bool = False
    space: RecordSpace = field(default_factory=RecordSpace)
    measures: MeasureRules = field(default_factory=MeasureRules)
    test: TestRules = field(default_factory=TestRules)
    rounds: Mapping[str, RoundRules] = field(default_factory=lambda: {ONLY_ROUND: RoundRules()})

    def __post_init__(self) -> None:
        super(RecordSchema, self).__post_init__()
        if not self.rounds:
            raise ParameterError("rounds", Said("hold at least one"), [])
        limited = [name for name, limits in self.rounds.items() if limits.rate is not None or limits.odds is not None]
        sensitive = [column for column in self.columns if column.role is Role.SENSITIVE]
        if limited and not self.measures.outcome and len(sensitive) != 1:
            rule = Said("be given, or one column be sensitive, where rate or odds have a limit")
            raise ParameterError("measures.outcome", rule, self.measures.outcome)

    def terms(self, stem: str) -> RecordTerms:
        """Return the terms."""
        name, title = self.choose_title(stem)
        return RecordTerms(
            name=name,
            title=title,
            layout=SchemaLayout.of(self),
            round=self.round or next(iter(self.rounds)),
            space=self.space,
            measures=self.measures,
            test=self.test,
            rounds=self.rounds,
            in_order=self.in_order,
        )


def describes_data(table: Mapping[str, object]) -> bool:
    """Tell whether a table of TOML is a schema of one's own data, not a contest's rules."""
    return "shape" in table and "kind" not in table


def build_terms(table: Mapping[str, object], path: Path) -> Terms:
    """Return the terms in the table of a schema's file.

    Raises:
        SettingsError: keys or values are wrong; all of them at once.
    """
    kind = RecordSchema if table["shape"] == Shape.RECORDS else HistorySchema
    own = {key: value for key, value in table.items() if key != CONTEST}
    return build_settings(own, kind, source=str(path)).terms(path.stem)


def own_rules(schema: SchemaFile, name: str) -> Terms:
    """Return terms for data of one's own: what the schema does not say is as usual.

    Args:
        schema: of the data; one that came from options says nothing but columns.
        name: what the data are called where the schema does not say it.
    """
    if isinstance(schema, HistorySchema | RecordSchema):
        return schema.terms(name)
    values = {item.name: getattr(schema, item.name) for item in fields(schema)}
    kind = HistorySchema if schema.shape is Shape.HISTORY else RecordSchema
    return kind(**values).terms(name)


def own_records(schema: SchemaFile, name: str) -> RecordTerms:
    """Return :func:`own_rules` of records."""
    terms = own_rules(schema, name)
    if not isinstance(terms, RecordTerms):
        raise BugError("a schema of records made terms of another shape")
    return terms


def text_rules(form: CsvForm, name: str, *, identifier: str = "", columns: Schema | None = None) -> RecordTerms:
    """Return terms for records whose columns are texts as they stand.

    Args:
        form: how their file is written.
        name: what the data are called.
        identifier: the column that says whose each record is; empty if there is none.
        columns: as they were read; None where they are not read yet.
    """
    written = replace(FileRules().adopt(form), header=form.header)
    terms = own_records(schema_from_options(Shape.RECORDS, identifier=identifier, file=written), name)
    return terms if columns is None else terms.with_layout(terms.layout.settle_columns(columns))
