"""The schema of a file that was looked at: its form, its columns with kinds and roles, what becomes of missing cells.

Rows are dropped for missing numbers and dates only as long as that costs a tenth of them; a column with more gaps is
read as a category if it has few values, and else left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.schema_files.schema_file import CONTROL, ColumnRules, Missing, SchemaFile
from sekisho.data.frame.schema import Kind, Meaning, Role
from sekisho.data.shape import Shape
from sekisho.gate.profiling.column_look import ColumnLook
from sekisho.gate.profiling.file_form import FileText
from sekisho.gate.profiling.hints import Sign, make_hint
from sekisho.gate.profiling.role_guess import FEW, RoleGuess, leave_out

MOST_DROPPED = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaGuess:
    """A schema, and the guesses that it was made of, in the file's order; those that are left out have no role."""

    schema: SchemaFile
    roles: tuple[RoleGuess, ...]
    rules: tuple[ColumnRules | None, ...]
    kept: NDArray[np.bool_]


def guess_schema(file: FileText, shape: Shape, roles: Sequence[RoleGuess]) -> SchemaGuess:
    """Return the schema of a history or of records."""
    drops = _Drops(rows=file.rows)
    order = sorted(range(len(roles)), key=lambda place: roles[place].role is not Role.IDENTIFIER)
    settled = {place: _settle_column(roles[place], file, shape, drops) for place in order}
    pairs = [settled[place] for place in range(len(roles))]
    columns = _name_apart([rules for _, rules in pairs])
    written = replace(file.rules, header=None) if file.is_parquet else file.rules
    listed = tuple(rules for rules in columns if rules is not None)
    schema = SchemaFile(shape=shape, file=written, columns=listed)
    return SchemaGuess(schema=schema, roles=tuple(guess for guess, _ in pairs), rules=tuple(columns), kept=~drops.mask)


@dataclass(slots=True)
class _Drops:
    """The rows that are dropped so far."""

    rows: int
    mask: NDArray[np.bool_] = field(init=False)
    free: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.mask = np.zeros(self.rows, dtype=np.bool_)

    def take_free(self, gaps: NDArray[np.bool_]) -> None:
        """Drop rows that belong to nobody, whatever they cost."""
        self.mask |= gaps
        self.free = int(self.mask.sum())

    def take(self, gaps: NDArray[np.bool_]) -> bool:
        """Drop rows if they cost little; tell whether they were dropped."""
        after = self.mask | gaps
        if int(after.sum()) - self.free > MOST_DROPPED * (self.rows - self.free):
            return False
        self.mask = after
        return True


def _settle_column(
    guess: RoleGuess, file: FileText, shape: Shape, drops: _Drops
) -> tuple[RoleGuess, ColumnRules | None]:
    look = guess.look
    if guess.role is Role.IDENTIFIER and shape is Shape.RECORDS and look.distinct < look.rows:
        guess = leave_out(guess)
    if guess.role is None:
        return guess, None
    kind, missing = _choose_kind(guess), None
    if look.missing:
        guess, kind, missing = _treat_missing(guess, kind, drops)
        if guess.role is None:
            return guess, None
    source = file.sources[look.name]
    return guess, ColumnRules(
        name=CONTROL.sub(" ", look.name), source=source, kind=kind, role=guess.role, missing=missing, means=guess.means
    )


def _choose_kind(guess: RoleGuess) -> Kind | None:
    if guess.role is Role.IDENTIFIER:
        return None
    return Kind.CATEGORY if guess.means is Meaning.ITEM else guess.look.kind


def _treat_missing(guess: RoleGuess, kind: Kind | None, drops: _Drops) -> tuple[RoleGuess, Kind | None, Missing | None]:
    look = guess.look
    figures = {"missing": look.missing, "rows": look.rows}
    if guess.role is Role.IDENTIFIER:
        drops.take_free(look.gaps)
        return _add(guess, look, Sign.MISSING_DROP), kind, Missing.DROP
    if kind is Kind.CATEGORY or (look.distinct <= FEW and not drops.take(look.gaps)):
        return _add(guess, look, Sign.MISSING_CATEGORY), Kind.CATEGORY, Missing.CATEGORY
    if look.distinct <= FEW or drops.take(look.gaps):
        return _add(guess, look, Sign.MISSING_DROP), kind, Missing.DROP
    return replace(guess, role=None, hints=(make_hint(Sign.MISSING_MANY, **figures),)), None, None


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
