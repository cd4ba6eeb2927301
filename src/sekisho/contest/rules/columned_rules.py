"""What rules of every shape have: how their files are written, and columns that data of one's own settle."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from sekisho.contest.rules.contest_rules import ContestRules
from sekisho.contest.rules.title import Title
from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.files.sheet import FileForm, SheetRules
from sekisho.data.frame.schema import Role, Schema
from sekisho.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class ColumnedRules:
    """Rules about data with columns.

    Attributes:
        contest: what the rules say of the contest itself.
        own: the schema of data of one's own; None under a contest's rules, which leave nothing open.
    """

    kind: str
    name: str
    title: Title
    columns: tuple[FieldRules, ...]
    sheet: SheetRules
    contest: ContestRules = field(default_factory=ContestRules)
    own: SchemaFile | None = field(default=None, metadata={"derived": True})

    @property
    def usual_round(self) -> str:
        """The round that is meant where none is named."""
        return self.contest.rounds[-1].name if self.contest.rounds else "final"

    def settle_contest(self) -> ContestRules:
        """Return the contest's own rules, with one round and the usual phases where none are listed."""
        return self.contest.settle_rounds(self.usual_round)

    @property
    def form(self) -> FileForm:
        """How the files of the contest, or of data of one's own, are written."""
        return self.sheet if self.own is None else self.own.form

    def settle_columns(self, schema: Schema) -> Self:
        """Return the rules with columns as data that were read under them have them.

        A contest's rules leave nothing open.
        """
        return self if self.own is None else self.adopt_schema(self.own.settle_columns(schema))

    def refuse_parquet(self) -> None:
        """Refuse Parquet under a contest's rules, which fix how files are written.

        Raises:
            ParameterError: they are a contest's.
        """
        if self.own is None:
            raise ParameterError("format", "be csv under a contest's rules", "parquet")

    def adopt_schema(self, own: SchemaFile) -> Self:
        """Return the rules for data of one's own whose schema has been settled."""
        return replace(self, own=own, columns=own.fields())

    @cached_property
    def schema(self) -> Schema:
        """The original's columns."""
        return Schema(tuple(rules.column for rules in self.columns))

    @cached_property
    def attributes(self) -> tuple[FieldRules, ...]:
        """The columns that are not the identifier."""
        return tuple(rules for rules in self.columns if rules.role is not Role.IDENTIFIER)
