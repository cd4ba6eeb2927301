"""What must be kept, as controls of the page of aims: ticks for columns, a form for pairs and sums, limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from sekisho.data.frame.dataset import Kind, Role
from sekisho.errors import ParameterError
from sekisho.gate.recipes.keeping import KEEP, read_keep, spell_entry
from sekisho.protect.coarser_columns import OUT
from sekisho.server.desk.controls import read_number
from sekisho.server.desk.edits import RECIPE, DeskEdit, Files, read_keys, set_key
from sekisho.utility.kept import Kept, KeptKind
from sekisho.words import Said

WITHIN = "keep.within "
NUMBERS = (Kind.INTEGER, Kind.DECIMAL, None)
"""Kinds of columns that may be added up; one that is not said is found out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptChoice:
    """Something that may be kept.

    Attributes:
        kept: what.
        chosen: whether the recipe says it.
    """

    kept: Kept
    chosen: bool

    @property
    def mark(self) -> str:
        """What its box sends."""
        return json.dumps([self.kept.kind.value, *self.kept.columns], ensure_ascii=False)

    @property
    def words(self) -> str:
        """What is shown beside its box: of a column its name."""
        return self.kept.columns[0] if self.kept.kind is KeptKind.COLUMN else self.kept.words

    @property
    def limit(self) -> str:
        """The limit as its field has it."""
        return "" if self.kept.within is None else f"{self.kept.within:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAims:
    """What must be kept, as a version has it, and what else could be.

    Attributes:
        keep: what the recipe says.
        columns: those of the schema that leave, by name with their kind.
    """

    keep: tuple[Kept, ...]
    columns: Mapping[str, Kind | None]

    @classmethod
    def read(cls, files: Files) -> KeptAims:
        """Return it from a version's files; what cannot be read is told with the recipe's other faults."""
        recipe, schema = read_keys(files, "recipe"), read_keys(files, "schema")
        said = recipe.get(KEEP)
        keep, _ = read_keep(cast("list[object]", said) if isinstance(said, list) else [], source=RECIPE)
        coarser = cast("Mapping[str, object]", recipe.get("coarser", {}))
        columns: dict[str, Kind | None] = {}
        for column in cast("Sequence[Mapping[str, Any]]", schema.get("columns", [])):
            name = str(column.get("name") or column.get("source") or "")
            if column.get("role") != Role.IDENTIFIER and coarser.get(name) != OUT:
                columns[name] = Kind(column["kind"]) if column.get("kind") in list(Kind) else None
        return cls(keep=keep, columns=columns)

    @property
    def choices(self) -> list[KeptChoice]:
        """The columns, and whatever else the recipe keeps."""
        said = {(one.kind, one.columns): one for one in self.keep}
        single = [Kept(kind=KeptKind.COLUMN, columns=(name,)) for name in self.columns]
        known = [said.pop((one.kind, one.columns), one) for one in single]
        return [KeptChoice(kept=one, chosen=one in self.keep) for one in (*known, *said.values())]

    @property
    def chosen(self) -> list[KeptChoice]:
        """What the recipe keeps, in its order."""
        return [KeptChoice(kept=one, chosen=True) for one in self.keep]

    @property
    def numbers(self) -> list[str]:
        """The columns that may be added up."""
        return [name for name, kind in self.columns.items() if kind in NUMBERS]

    def tick(self, marks: Sequence[str], limits: Mapping[str, float | None]) -> tuple[DeskEdit, ...]:
        """Return the edit after which what is ticked is kept: what stays as it was said, further columns behind it.

        Args:
            marks: of what is ticked.
            limits: by mark how closely something must be kept; what is not named there is as it was.
        """
        ticked = [one for one in (*self.chosen, *self.choices) if one.mark in marks]
        kept = {
            one.mark: replace(one.kept, within=limits[one.mark]) if one.mark in limits else one.kept for one in ticked
        }
        return self._write(tuple(kept.values()))

    def add(self, kind: str, column: str, other: str, within: float | None) -> tuple[DeskEdit, ...]:
        """Return the edit that keeps a further thing.

        Raises:
            ParameterError: it names no column, or one twice, or is kept already.
        """
        if kind not in (KeptKind.PAIR, KeptKind.SUM):
            raise ParameterError(KEEP, Said("be one that is offered"), kind)
        for name in (column, *((other,) if other or kind == KeptKind.PAIR else ())):
            if name not in self.columns:
                raise ParameterError(KEEP, Said("be one that is offered"), name)
        kept = Kept(kind=KeptKind(kind), columns=(column, other) if other else (column,), within=within)
        if any((one.kind, set(one.columns)) == (kept.kind, set(kept.columns)) for one in self.keep):
            raise ParameterError(KEEP, Said("be said once"), kept.name)
        return self._write((*self.keep, kept))

    def _write(self, keep: tuple[Kept, ...]) -> tuple[DeskEdit, ...]:
        return () if keep == self.keep else set_key(KEEP, [spell_entry(one) for one in keep] or None)


def edit_kept(
    fields: Mapping[str, Sequence[str]], aims: KeptAims, note: Callable[[str, Said, object], None]
) -> tuple[DeskEdit, ...]:
    """Return the edit that a form of aims asks for; what cannot be read is noted.

    Args:
        fields: of the form, ``keep`` the marks of what is ticked, ``keep.within MARK`` its limit.
        aims: as the person saw them.
        note: takes what is wrong: of which key, the rule, the value.
    """
    if KEEP not in fields:
        return ()
    limits: dict[str, float | None] = {}
    for one in aims.chosen:
        text = fields.get(f"{WITHIN}{one.mark}", [one.limit])[0].strip()
        if text != one.limit:
            limits[one.mark] = read_number(WITHIN.strip(), text, note)
    return aims.tick(fields[KEEP], limits)
