"""What a control of the desk writes: edits of a recipe, its schema, trees and cells, each a line of its file.

A control gives edits and knows nothing of versions; whoever applies them gets whole files. Columns are named, never
numbered: an edit means the same on top of what somebody else changed meanwhile.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import StringIO
from typing import Any, TypeAlias, cast

from sekisho.data.files.settings import parse_toml
from sekisho.data.frame.dataset import Kind, Role
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.gate.advice.changes import Change, Edit, Place
from sekisho.gate.recipes.keeping import KEEP, drop_column
from sekisho.journey.recipe_edit import diff_lines, edit_recipe
from sekisho.tables.files.apriori import LETTERS
from sekisho.words import Language, Said, quote_words

Files: TypeAlias = Mapping[str, bytes]
RECIPE, SCHEMA, CELLS, TREES = "recipe.toml", "schema.toml", "cells.hst", "trees/"
SETTINGS = {"recipe": RECIPE, "schema": SCHEMA}
STATUS, COST, LEVEL = "status", "cost", "level"
NO_FILE_NAME = re.compile(r"[^\w-]+")
NO_WORDS = quote_words("")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskEdit:
    """One line of a file of a case and what it becomes.

    Attributes:
        file: ``recipe``, ``schema``, ``cells``, ``cells-`` and the name of one of several tables, or a file below
            ``trees/``.
        place: of a key from the top down, a column by its name, such as ``("columns", "birth", "role")``; of cells
            their codes and ``status``, ``cost`` or ``level``; empty for the file as a whole.
        value: what it becomes; None takes it away. Of a whole file its text.
        before: of a further column those of the file that come after it: it is put before the first that is there.
        old: what it was when it was written; no part of what is asked for.
    """

    file: str
    place: Place = ()
    value: object = None
    before: tuple[str, ...] = ()
    old: object = field(default=None, compare=False)

    @property
    def path(self) -> str:
        """The name of the file in its folder."""
        return f"{self.file}.hst" if self.is_of_cells else SETTINGS.get(self.file, self.file)

    @property
    def is_of_cells(self) -> bool:
        """Whether the file says something of single cells."""
        return self.file.partition("-")[0] == "cells"

    @property
    def is_whole(self) -> bool:
        """Whether the file as a whole is exchanged."""
        return not self.place


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLines:
    """What edits change in one file: lines with ``-`` go, lines with ``+`` come."""

    file: str
    lines: tuple[str, ...]


def read_keys(files: Files, file: str) -> dict[str, Any]:
    """Return the keys of the recipe or the schema; none where there is no such file."""
    return tomllib.loads(files[SETTINGS[file]].decode()) if SETTINGS[file] in files else {}


def find_shape(files: Files) -> Shape:
    """Return what a row is, as the recipe says."""
    return Shape(str(read_keys(files, "recipe").get("shape", Shape.RECORDS)))


def look_up(files: Files, edit: DeskEdit) -> object:
    """Return what stands at the place of an edit; None if nothing does."""
    if edit.is_whole:
        return files[edit.path].decode() if edit.path in files else None
    if edit.is_of_cells:
        return _read_cells(files, edit).get(edit.place)
    here: Any = read_keys(files, edit.file)
    for part in edit.place:
        if isinstance(here, list):
            here = _find_element(cast("list[dict[str, object]]", here), part)
        else:
            here = cast("dict[object, Any]", here).get(part) if isinstance(here, dict) else None
    return here


def apply_edits(files: Files, edits: Sequence[DeskEdit]) -> dict[str, bytes]:
    """Return files with edits.

    Raises:
        FaultsError: the text of a whole recipe or schema is no TOML.
    """
    changed = dict(files)
    for edit in edits:
        text = _apply(changed, edit)
        if text is None:
            changed.pop(edit.path, None)
        else:
            changed[edit.path] = text.encode()
    return changed


def tell_lines(files: Files, edits: Sequence[DeskEdit]) -> tuple[FileLines, ...]:
    """Return what edits change, file by file."""
    return compare_files(files, apply_edits(files, edits))


def compare_files(before: Files, after: Files) -> tuple[FileLines, ...]:
    """Return in which lines files differ from others."""
    return tuple(
        FileLines(file=name, lines=diff_lines(before.get(name, b"").decode(), after.get(name, b"").decode()))
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )


def tell_command(files: Files, *, out: str = "release", language: Language | None = None) -> str:
    """Return the command that does with a recipe what the desk's Run does; its pages open in the language."""
    seed = read_keys(files, "recipe").get("seed")
    more = "" if language is None else f" --language {language}"
    return f"sekisho gate {RECIPE}{'' if seed is None else f' --seed {seed}'} --out {out}{more}"


def _apply(files: Files, edit: DeskEdit) -> str | None:
    if edit.is_whole:
        text = None if edit.value is None else str(edit.value)
        if text is not None and edit.file in SETTINGS:
            parse_toml(text, edit.path)
        return text
    if edit.is_of_cells:
        return _write_cells({**_read_cells(files, edit), edit.place: edit.value})
    if edit.file not in SETTINGS:
        raise ParameterError("place", Said("be empty for a file that has no keys"), edit.place)
    text = files.get(edit.path, b"").decode()
    plain = _resolve(tomllib.loads(text), edit)
    return text if plain is None else edit_recipe(text, Change(words=NO_WORDS, edits=(plain,)))


def _resolve(settings: Mapping[str, Any], edit: DeskEdit) -> Edit | None:
    """Return the edit with places of named elements for their names; None where it would take away what is not there.

    Raises:
        ParameterError: an element is named that is not there.
    """
    place: list[str | int] = []
    here: Any = settings
    for depth, part in enumerate(edit.place):
        if isinstance(part, str) and isinstance(here, list):
            names = [_name_element(element) for element in cast("list[Any]", here)]
            if part not in names:
                return _place_element(edit, place, names) if depth == len(edit.place) - 1 else _refuse_element(edit)
            place.append(names.index(part))
        else:
            place.append(part)
        inside = isinstance(here, list) or (isinstance(here, dict) and part in here)
        here = cast("Any", here)[place[-1]] if inside else None
    if edit.value is None and here is None:
        return None
    return Edit(place=tuple(place), value=edit.value)


def _place_element(edit: DeskEdit, place: list[str | int], names: list[str]) -> Edit | None:
    if edit.value is None:
        return None
    at = next((names.index(name) for name in edit.before if name in names), len(names))
    return Edit(place=(*place, at), value=edit.value, is_new=True)


def _refuse_element(edit: DeskEdit) -> None:
    if edit.value is not None:
        raise ParameterError("place", Said("name something that is there"), ".".join(map(str, edit.place)))


def _name_element(element: Mapping[str, object]) -> str:
    return str(element.get("name") or element.get("source") or "")


def _find_element(elements: list[dict[str, object]], part: str | int) -> dict[str, object] | None:
    if isinstance(part, int):
        return elements[part] if part < len(elements) else None
    return next((one for one in elements if _name_element(one) == part), None)


def _read_cells(files: Files, edit: DeskEdit) -> dict[Place, object]:
    """Return by codes and what is said of it, what is said of each cell; codes fill all places but the last."""
    cells, width = dict[Place, object](), len(edit.place)
    for row in csv.reader(StringIO(files.get(edit.path, b"").decode()), delimiter=";"):
        codes, letter, numbers = row[: width - 1], row[width - 1], [_read_number(one) for one in row[width:]]
        if letter in LETTERS:
            cells[*codes, STATUS] = letter
        else:
            cells[*codes, COST if letter == "C" else LEVEL] = numbers[0] if letter == "C" else numbers
    return cells


def _read_number(text: str) -> float:
    """Return a number that is written again as it stands: 10, not 10.0."""
    number = float(text)
    return int(number) if number == int(number) else number


def _write_cells(cells: Mapping[Place, object]) -> str | None:
    out = StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\n")
    for (*codes, what), value in cells.items():
        if value is None:
            continue
        said = [value] if what == STATUS else ["C", value] if what == COST else ["PL", *cast("list[float]", value)]
        writer.writerow([*codes, *said])
    return out.getvalue() or None


def set_key(key: str, value: object) -> tuple[DeskEdit, ...]:
    """Write a key at the top of the recipe: ``risk``, ``dims``, ``value``, ``rules``, ``title`` and the like."""
    return (DeskEdit(file="recipe", place=(key,), value=value),)


def set_preset(name: str | None) -> tuple[DeskEdit, ...]:
    """Start from a profile; the recipe's own keys win."""
    return set_key("preset", name)


def set_shape(proposed: Files, files: Files) -> tuple[DeskEdit, ...]:
    """Take the recipe and the schema that are proposed for the file in another shape, its trees along."""
    names = sorted({*proposed, *files} - {CELLS})
    whole = {path: name for name, path in SETTINGS.items()}
    edits = [
        DeskEdit(file=whole.get(name, name), value=proposed[name].decode() if name in proposed else None)
        for name in names
        if proposed.get(name) != files.get(name) and (name in proposed or name in whole)
    ]
    told = [name for name in files if name.endswith(".hst")]
    return (*edits, *(DeskEdit(file=name.removesuffix(".hst")) for name in told))


def set_file_form(files: Files, key: str, value: object) -> tuple[DeskEdit, ...]:
    """Say how the file is written: ``separator``, ``encoding``, ``decimal``, ``date_format`` or ``missing``."""
    if find_shape(files) is Shape.TABLE:
        return set_key(key, value)
    return (DeskEdit(file="schema", place=("file", key), value=value),)


def set_role(
    files: Files, columns: Sequence[Mapping[str, object]], name: str, role: Role | None
) -> tuple[DeskEdit, ...]:
    """Say what a column is; None leaves it out, with what the recipe says of it.

    A schema has one column that says whose a row is: of a second one, nothing is read, so that nothing of it can leave.

    Args:
        files: of the version.
        columns: all of the file in its order, as they were proposed.
        name: of the column.
        role: what it is.
    """
    schema = read_keys(files, "schema")
    listed = {_name_element(one): one for one in cast("list[dict[str, object]]", schema.get("columns", []))}
    holders = [one for one, keys in listed.items() if keys.get("role") == Role.IDENTIFIER and one != name]
    if role is Role.IDENTIFIER and holders:
        role = None
    more = _follow_role(files, name, role)
    if role is None:
        return (DeskEdit(file="schema", place=("columns", name)), *more)
    if name in listed:
        return (DeskEdit(file="schema", place=("columns", name, "role"), value=role.value), *more)
    names = [_name_element(one) for one in columns]
    if name not in names:
        raise ParameterError("column", Said("be one of the file ({names})", names=", ".join(names)), name)
    keys = {**columns[names.index(name)], "role": role.value}
    after = tuple(names[names.index(name) + 1 :])
    return (DeskEdit(file="schema", place=("columns", name), value=keys, before=after), *more)


def _follow_role(files: Files, name: str, role: Role | None) -> tuple[DeskEdit, ...]:
    """Return what a recipe that names keys and sensitive columns itself says of a column of another role.

    A reason why it is harmless, or may be learnt, goes with the role that it was given for.
    """
    recipe = read_keys(files, "recipe")
    edits: list[DeskEdit] = []
    for key, meant in (("harmless", Role.OTHER), ("learnable", Role.SENSITIVE)):
        edits += [
            DeskEdit(file=file, place=(key, name))
            for file in SETTINGS
            if role is not meant and name in read_keys(files, file).get(key, {})
        ]
    for key, meant in (("keys", Role.QUASI), ("sensitive", Role.SENSITIVE)):
        names = list(recipe.get(key, []))
        if names and (name in names) is not (role is meant):
            kept = [*names, name] if role is meant else [one for one in names if one != name]
            edits.append(DeskEdit(file="recipe", place=(key,), value=kept or None))
    if role is None and name in recipe.get("trees", {}):
        edits.append(DeskEdit(file="recipe", place=("trees", name)))
    left = drop_column(recipe.get(KEEP), name)
    if role in (None, Role.IDENTIFIER) and left is not None:
        edits.append(DeskEdit(file="recipe", place=(KEEP,), value=left or None))
    return tuple(edits)


def set_kind(name: str, kind: Kind | None, form: str = "") -> tuple[DeskEdit, ...]:
    """Say what the values of a column are, and how its dates or numbers are written; None has it found out."""
    return (
        DeskEdit(file="schema", place=("columns", name, "kind"), value=None if kind is None else kind.value),
        DeskEdit(file="schema", place=("columns", name, "format"), value=form or None),
    )


def set_missing_texts(name: str, texts: Sequence[str]) -> tuple[DeskEdit, ...]:
    """Say which texts of a column mean missing."""
    return (DeskEdit(file="schema", place=("columns", name, "missing_texts"), value=list(texts) or None),)


def set_keys(names: Sequence[str]) -> tuple[DeskEdit, ...]:
    """Say what somebody may know of a person; nothing leaves it to the roles of the schema."""
    return set_key("keys", list(names) or None)


def set_sensitive(names: Sequence[str]) -> tuple[DeskEdit, ...]:
    """Say what must stay hidden; nothing leaves it to the roles of the schema."""
    return set_key("sensitive", list(names) or None)


def set_coarser(name: str, value: object) -> tuple[DeskEdit, ...]:
    """Tell a column more coarsely: a width, a period of dates, or ``out``."""
    return (DeskEdit(file="recipe", place=("coarser", name), value=value),)


def name_tree_file(column: str) -> str:
    """Return the file of a column's tree below the folder of a version; other columns have other files."""
    plain = NO_FILE_NAME.sub("_", column)[:60]
    mark = "" if plain == column else f"-{sha256(column.encode()).hexdigest()[:8]}"
    return f"{TREES}{plain}{mark}.csv"


def set_tree(column: str, text: str | None, *, rule: str | None = None) -> tuple[DeskEdit, ...]:
    """Write the tree of a column, and beside it the rule that it was made by; None takes both away."""
    file = name_tree_file(column)
    return (
        DeskEdit(file=file, value=text),
        DeskEdit(file=file.removesuffix(".csv") + ".rule.toml", value=rule if text is not None else None),
        DeskEdit(file="recipe", place=("trees", column), value=None if text is None else file),
    )


def set_guarantee(files: Files, name: str, value: object) -> tuple[DeskEdit, ...]:
    """Say what must hold; a method that was to keep just that (k, l, t) is to keep the new one."""
    recipe = read_keys(files, "recipe")
    old = cast("dict[str, object]", recipe.get("guarantees", {})).get(name)
    edits = [DeskEdit(file="recipe", place=("guarantees", name), value=value)]
    methods = cast("list[dict[str, object]]", recipe.get("methods", []))
    if old is not None and value is not None:
        edits += [
            DeskEdit(file="recipe", place=("methods", number, name), value=value)
            for number, method in enumerate(methods)
            if method.get(name) == old
        ]
    return tuple(edits)


def set_limit(measure: str, value: float | None) -> tuple[DeskEdit, ...]:
    """Say how much of a measure may be lost without a look."""
    return (DeskEdit(file="recipe", place=("limits", measure), value=value),)


def set_adversaries(tables: Sequence[Mapping[str, object]]) -> tuple[DeskEdit, ...]:
    """Say who attacks, and what each knows."""
    return set_key("adversaries", list(tables) or None)


def set_methods(tables: Sequence[Mapping[str, object]]) -> tuple[DeskEdit, ...]:
    """Say in which ways the data are protected, each a candidate."""
    return set_key("methods", list(tables) or None)


def set_find(table: Mapping[str, object] | None) -> tuple[DeskEdit, ...]:
    """Say of which method the least k is looked for: ``method``, ``k = [low, high]`` and its own parameters."""
    return set_key("find", table)


def set_allowed_column(name: str, reason: str | None) -> tuple[DeskEdit, ...]:
    """Say why a column that names people leaves all the same."""
    return (DeskEdit(file="recipe", place=("allowed_columns", name), value=reason),)
