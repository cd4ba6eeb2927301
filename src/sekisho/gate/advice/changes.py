"""A change of a recipe: in words, and as edits of its keys that can be applied to it and pasted into its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias, cast

from sekisho.errors import BugError
from sekisho.words import Said, join_words

Place: TypeAlias = tuple[str | int, ...]
"""A key of a recipe from the top down, such as ``("methods", 0, "k")``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One key of a recipe, or of another file of TOML, and what it becomes.

    Attributes:
        place: of the key, of a whole table, or of one element of a list of tables.
        value: what it becomes; None takes it away.
        is_new: whether it is a further element of a list, put before the one that stands at its place.
    """

    place: Place
    value: object
    is_new: bool = False

    def write_place(self) -> str:
        """Return where it stands, in words of TOML."""
        return ".".join(str(part + 1) if isinstance(part, int) else part for part in self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a recipe; it never asks for less than before, so that a better verdict means what it says.

    Attributes:
        words: what is changed.
        edits: of its keys.
        columns: of which it says what becomes of them; two changes that speak of one column are never joined.
        people: whom it leaves out; told in confidential files only.
    """

    words: Said
    edits: tuple[Edit, ...]
    columns: tuple[str, ...] = ()
    people: tuple[str, ...] = field(default=(), repr=False)

    @property
    def places(self) -> frozenset[Place]:
        """The keys that it touches."""
        return frozenset(edit.place for edit in self.edits)

    def goes_with(self, other: Change) -> bool:
        """Whether it can be joined with another: they touch other keys and speak of other columns."""
        return not self.places & other.places and not set(self.columns) & set(other.columns)

    def apply(self, settings: Mapping[str, object]) -> dict[str, object]:
        """Return the keys of a recipe with the change."""
        changed = deepcopy(dict(settings))
        for edit in self.edits:
            _set(changed, edit)
        return changed


def join_changes(changes: Sequence[Change]) -> Change:
    """Return several changes as one."""
    return Change(
        words=join_words([each.words for each in changes], " and "),
        edits=tuple(edit for each in changes for edit in each.edits),
        columns=tuple(name for each in changes for name in each.columns),
        people=tuple(name for each in changes for name in each.people),
    )


def _set(table: dict[str, object], edit: Edit) -> None:
    here: Any = table
    for part, following in pairwise(edit.place):
        if isinstance(part, str) and isinstance(here, dict) and part not in here:
            if isinstance(following, int) and not edit.is_new:
                raise BugError(f"a recipe has no {part}")
            cast("dict[str, object]", here)[part] = [] if edit.is_new else {}
        here = here[part]
    last = edit.place[-1]
    if edit.is_new:
        here.insert(last, edit.value)
    elif edit.value is not None:
        here[last] = edit.value
    elif isinstance(here, dict):
        cast("dict[object, object]", here).pop(last, None)
    else:
        del here[last]
        if not here:  # TOML has no empty list of tables
            _set(table, Edit(place=edit.place[:-1], value=None))
