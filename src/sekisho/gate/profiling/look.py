"""Look at a file: what it is, and what is proposed for it.

The schema of a file that was looked at: its form, its columns with kinds and roles, what becomes of missing cells.

Missing cells are carried. Every row of a history needs a person and a time: rows without are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.schema_file import CONTROL, ColumnRules, Missing, SaidKind, SchemaFile
from sekisho.data.frame.dataset import Kind, Meaning, Role
from sekisho.data.identity.header_words import Topic
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import TOTAL, Tree
from sekisho.data.trees.tree_files import propose_tree
from sekisho.errors import InputError
from sekisho.gate.profiling.column_look import ColumnLook, judge_beside_person, look_at_columns
from sekisho.gate.profiling.file_form import FileText, check_said, find_form, list_missing_texts, read_file_text
from sekisho.gate.profiling.hints import Hint, Sign, make_hint
from sekisho.gate.profiling.role_guess import RoleGuess, guess_history_roles, guess_record_roles, leave_out
from sekisho.gate.profiling.shape_guess import (
    ShapeGuess,
    TableColumns,
    choose_tabulation,
    find_cells,
    find_owner,
    find_person,
    guess_shape,
    tell_person,
    tell_unit,
    tell_wares,
)
from sekisho.safety.records.uniques.key_uniques import KeyUniques, count_key_uniques
from sekisho.tables.model.margins import names_margin
from sekisho.words import Said, name_setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaGuess:
    """A schema, and the guesses that it was made of, in the file's order; those that are left out have no role.

    What would have to stand in the schema to have these read is ``offered``.
    """

    schema: SchemaFile
    roles: tuple[RoleGuess, ...]
    rules: tuple[ColumnRules | None, ...]
    kept: NDArray[np.bool_]
    offered: tuple[ColumnRules, ...] = ()


def guess_schema(file: FileText, shape: Shape, roles: Sequence[RoleGuess]) -> SchemaGuess:
    """Return the schema of a history or of records."""
    pairs = [_settle_column(each, file, shape) for each in roles]
    columns = _name_apart([rules for _, rules in pairs])
    written = replace(file.rules, header=None) if file.is_parquet else file.rules
    listed = tuple(rules for rules in columns if rules is not None)
    schema = SchemaFile(shape=shape, file=written, columns=listed)
    guesses = tuple(guess for guess, _ in pairs)
    offered = tuple(_write_rules(guess, file, Role.QUASI, guess.look.kind) for guess in guesses if guess.role is None)
    dropped = [guess.look.gaps for guess, rules in pairs if rules is not None and rules.missing is Missing.DROP]
    kept = ~np.logical_or.reduce([np.zeros(file.rows, dtype=np.bool_), *dropped])
    return SchemaGuess(schema=schema, roles=guesses, rules=tuple(columns), kept=kept, offered=offered)


def _settle_column(guess: RoleGuess, file: FileText, shape: Shape) -> tuple[RoleGuess, ColumnRules | None]:
    look = guess.look
    if guess.role is Role.IDENTIFIER and shape is Shape.RECORDS and look.distinct < look.rows:
        guess = leave_out(guess)
    role = guess.role
    if role is None:
        return guess, None
    kind, missing = _choose_kind(guess), None
    if look.missing:
        guess, missing = _treat_missing(guess)
    return guess, replace(_write_rules(guess, file, role, kind), missing=missing)


def _write_rules(guess: RoleGuess, file: FileText, role: Role, kind: Kind | None) -> ColumnRules:
    look = guess.look
    strange = look.reading.misfit_rows > 0  # a kind that is found out lets these be missing; one that is said does not
    kind = None if strange and kind is look.kind else kind
    return ColumnRules(
        name=CONTROL.sub(" ", look.name),
        source=file.sources[look.name],
        kind=kind,
        role=role,
        means=guess.means,
        format=find_form(look.reading, file.rules) if kind is look.kind else "",
        missing_texts=list_missing_texts(look.reading),
    )


def _choose_kind(guess: RoleGuess) -> Kind | None:
    if guess.role is Role.IDENTIFIER:
        return None
    return Kind.CATEGORY if guess.means is Meaning.ITEM else guess.look.kind


def _treat_missing(guess: RoleGuess) -> tuple[RoleGuess, Missing | None]:
    look = guess.look
    if guess.role is Role.IDENTIFIER or guess.means is Meaning.TIME:
        return _add(guess, look, Sign.MISSING_DROP), Missing.DROP
    return _add(guess, look, Sign.MISSING_CARRIED), None


def _add(guess: RoleGuess, look: ColumnLook, sign: Sign) -> RoleGuess:
    return replace(guess, hints=(*guess.hints, make_hint(sign, missing=look.missing, rows=look.rows)))


def _name_apart(columns: list[ColumnRules | None]) -> list[ColumnRules | None]:
    """Return columns whose names are distinct still, though control characters went."""
    names = [rules.name for rules in columns if rules is not None]
    return [
        replace(rules, name=f"{rules.name} (column {place})")
        if rules is not None and names.count(rules.name) > 1
        else rules
        for place, rules in enumerate(columns, 1)
    ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileLook:
    """A file that was looked at.

    Attributes:
        path: of the file.
        file: its cells and how it is written.
        columns: what was seen in each.
        guess: its shape and why.
        schema: of a history or records, the schema and why; None of a table.
        uniques: of records, how many are unique on the keys; None of other shapes or without keys.
        repeated: how many rows stand there a second time, the same in every column.
    """

    path: Path
    file: FileText
    columns: tuple[ColumnLook, ...]
    guess: ShapeGuess
    schema: SchemaGuess | None = None
    uniques: KeyUniques | None = None
    repeated: int = 0

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return self.guess.shape

    @property
    def trees(self) -> dict[str, Tree]:
        """Of a table, by dimension the tree that its codes seem to be: 01 above 01001."""
        dims = () if self.guess.table is None else self.guess.table.dims
        proposed = {each.name: _propose_levels(each) for each in dims}
        return {name: tree for name, tree in proposed.items() if tree is not None}

    @property
    def roles(self) -> tuple[RoleGuess, ...]:
        """What each column is; nothing of a table."""
        return () if self.schema is None else self.schema.roles

    @property
    def doubts_names(self) -> bool:
        """Whether the first line was taken for names though hardly anything but its own difference speaks for it."""
        is_text = all(each.kind is Kind.CATEGORY for each in self.columns)
        telling = sum(bool(each.topics) for each in self.columns)
        return self.file.rules.header is True and is_text and 2 * telling < len(self.columns)

    @property
    def assumed(self) -> tuple[str, ...]:
        """The columns that are taken for known to others because nothing says what they are."""
        return tuple(each.look.name for each in self.roles if each.is_assumed)

    def list_role(self, role: Role) -> tuple[str, ...]:
        """Return the columns of one role, by the names of the schema."""
        if self.schema is None:
            return ()
        return tuple(each.output_name for each in self.schema.schema.columns if each.role is role)


def look_at_file(
    path: Path,
    *,
    shape: Shape | None = None,
    form: CsvForm | None = None,
    said: tuple[SaidKind, ...] = (),
    once_read: Callable[[FileText], None] | None = None,
) -> FileLook:
    """Return what a file is: as it seems, or as the shape and the kinds of columns that are said.

    Args:
        path: of the file.
        shape: what a row is; found out if not said.
        form: how it is written, as far as it is said.
        said: of single columns.
        once_read: is given the cells before anything is looked at; what it raises ends the look.

    Raises:
        InputError: it cannot be read, is no table, has nothing to release, or cannot have the shape that is said.
        FaultsError: its lines are of different lengths.
    """
    file = read_file_text(path, form, said)
    if once_read is not None:
        once_read(file)
    columns = look_at_columns(file)
    if all(each.distinct <= 1 for each in columns):
        raise InputError(
            path, Said("has one value in every column: there is nothing to tell people apart, nor to release")
        )
    guess = guess_shape(columns) if shape is None else _take_shape(path, columns, shape)
    if guess.shape is Shape.TABLE:
        _check_table(path, file, guess.table)
        return FileLook(path=path, file=file, columns=columns, guess=guess, repeated=_count_repeated(file, columns))
    check_said(path, file.texts, said, file.rules.missing)  # only tables have codes of margins among dates and numbers
    if guess.person is not None and guess.tells_wares:
        columns = tuple(judge_beside_person(each, guess.person) for each in columns)
    roles = guess_history_roles(columns, guess.person) if guess.person else guess_record_roles(columns, guess.owner)
    schema = guess_schema(file, guess.shape, roles)
    others = [each for each in schema.schema.columns if each.role is not Role.IDENTIFIER]
    if not others:
        raise InputError(path, Said("has nothing to release: every column is an identifier, free text or empty"))
    uniques = None if guess.person else _count_uniques(schema)
    return FileLook(
        path=path,
        file=file,
        columns=columns,
        guess=guess,
        schema=schema,
        uniques=uniques,
        repeated=_count_repeated(file, columns),
    )


def _propose_levels(column: ColumnLook) -> Tree | None:
    codes = set(column.text.drop_nulls().str.strip_chars().unique().to_list())
    margin = next((code for code in sorted(codes) if names_margin(code)), TOTAL)
    return propose_tree(codes - {margin}, root=margin)


def _count_repeated(file: FileText, columns: Sequence[ColumnLook]) -> int:
    if any(each.distinct == file.rows for each in columns):
        return 0
    return file.rows - pl.DataFrame(list(file.texts.values())).n_unique()


def _take_shape(path: Path, columns: tuple[ColumnLook, ...], shape: Shape) -> ShapeGuess:
    asked = make_hint(Sign.ASKED)
    if shape is Shape.RECORDS:
        owner = find_owner(columns)
        return ShapeGuess(shape=shape, hints=(asked, *tell_unit(owner, columns[0].rows)), owner=owner)
    if shape is Shape.HISTORY:
        person = find_person(columns, find_owner(columns))
        if person is None:
            raise InputError(path, Said("is no history: no column that could say whose a row is repeats"))
        hints = (asked, *tell_person(person))
        return ShapeGuess(shape=shape, hints=hints, person=person, tells_wares=tell_wares(columns, person))
    table = find_cells(columns) or choose_tabulation(columns)
    if table is None:
        raise InputError(path, Said("is no table: no column of few values could be a dimension"))
    return ShapeGuess(shape=shape, hints=(asked, *_tell_tabulation(table)), table=table)


def _tell_tabulation(table: TableColumns) -> tuple[Hint, ...]:
    return tuple(
        make_hint(Sign.NAMED, word=each.topics[topic])
        for each in table.dims
        for topic in (Topic.QUASI, Topic.PLACE)
        if topic in each.topics
    )


def _check_table(path: Path, file: FileText, table: TableColumns | None) -> None:
    if table is not None and file.rules.header is False:
        raise InputError(path, Said("has no header: give a table's columns names in its first line"))
    if table is not None and not (table.counts or table.contributors or table.is_microdata):
        raise InputError(
            path,
            Said(
                "has sums, and nothing says who stands behind them: give the number of each cell's contributors in a "
                "column frequency and their largest contributions in x1, x2, or look at the microdata with {shape}",
                shape=name_setting("shape", "table"),
            ),
        )


def _count_uniques(schema: SchemaGuess) -> KeyUniques | None:
    keys = {
        rules.output_name: guess.look.fill_gaps()
        for guess, rules in zip(schema.roles, schema.rules, strict=True)
        if rules is not None and rules.role is Role.QUASI
    }
    return count_key_uniques(keys) if keys else None
