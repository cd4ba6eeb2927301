"""What the page of a table writes: wishes of single cells, and several tables that leave together.

One table stands at the top of the recipe, several in ``[[tables]]``, each by its name; adding the second moves the
first there, and removing all but one moves it back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from sekisho.errors import ParameterError
from sekisho.gate.tables.recipe_file import OWN_KEYS
from sekisho.server.desk.edits import (
    COST,
    LEVEL,
    NO_FILE_NAME,
    STATUS,
    DeskEdit,
    Files,
    apply_edits,
    read_keys,
    set_key,
    set_tree,
)
from sekisho.tables.files.apriori import LETTERS, NUMBERS, REMARK
from sekisho.words import Said

TABLES, ENDING = "tables", ".hst"
LONGEST_NAME = 36
"""So long is a name that is made of dimensions; a number may follow."""


def _list_elements(files: Files) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", read_keys(files, "recipe").get(TABLES, []))


def list_tables(files: Files) -> list[str]:
    """Return the names of several tables; none where there is one."""
    return [str(one.get("name", "")) for one in _list_elements(files)]


def read_table_keys(files: Files, table: str) -> dict[str, Any]:
    """Return the keys of a recipe as they are for one of its tables."""
    recipe = {key: value for key, value in read_keys(files, "recipe").items() if key != TABLES}
    return recipe | next((one for one in _list_elements(files) if one.get("name") == table), {})


def find_cells_file(files: Files, table: str) -> str:
    """Return which file says something of the cells of a table, as edits call it."""
    said = str(read_table_keys(files, table).get("apriori", ""))
    return said.removesuffix(ENDING) if said.startswith("cells") else f"cells-{table}" if table else "cells"


def name_table(dims: Sequence[str], taken: Collection[str]) -> str:
    """Return a name for a table that none of the others has: files are called after it."""
    plain = "-".join(NO_FILE_NAME.sub("_", dim) for dim in dims)[:LONGEST_NAME] or "table"
    others, number, name = {one.casefold() for one in taken}, 1, plain
    while name.casefold() in others:
        number += 1
        name = f"{plain}-{number}"
    return name


def add_table(files: Files, keys: Mapping[str, object]) -> tuple[DeskEdit, ...]:
    """Add a table of these keys (``dims``, ``count`` or ``value``); what stood at the top is the first of them then."""
    names, dims = list_tables(files), cast("Sequence[str]", keys["dims"])
    if names:
        name = name_table(dims, names)
        return (DeskEdit(file="recipe", place=(TABLES, name), value={"name": name, **_drop_none(keys)}),)
    recipe = read_keys(files, "recipe")
    own = {key: recipe[key] for key in OWN_KEYS if key in recipe}
    first = {"name": name_table(own.get("dims", ()), ()), **own}
    second = {"name": name_table(dims, [first["name"]]), **_drop_none(keys)}
    return *(edit for key in own for edit in set_key(key, None)), *set_key(TABLES, [first, second])


def remove_table(files: Files, table: str) -> tuple[DeskEdit, ...]:
    """Remove a table with what is said of its cells; the last one stands at the top again."""
    left = [one for one in _list_elements(files) if one.get("name") != table]
    gone = DeskEdit(file=find_cells_file(files, table))
    edits = [gone] if gone.path in files else []
    if len(left) == 1:
        edits += set_key(TABLES, None)
        edits += [edit for key, value in left[0].items() if key != "name" for edit in set_key(key, value)]
    else:
        edits.append(DeskEdit(file="recipe", place=(TABLES, table)))
    return *edits, *_drop_trees(files, [dim for one in left for dim in one.get("dims", ())])


def change_table(files: Files, table: str, wanted: Mapping[str, object]) -> tuple[str, tuple[DeskEdit, ...]]:
    """Return what a table is called afterwards, and the edits that give its keys these values.

    A name that was made of its dimensions follows them. What is said of its cells goes with its dimensions.
    """
    before, others = read_table_keys(files, table), [one for one in list_tables(files) if one != table]
    changed = {key: value for key, value in wanted.items() if before.get(key) != value}
    element = next((one for one in _list_elements(files) if one.get("name") == table), {})
    own = {key: value for key, value in changed.items() if key in (*OWN_KEYS, *element)}
    edits = [edit for key, value in changed.items() if key not in own or not table for edit in set_key(key, value)]
    cells = DeskEdit(file=find_cells_file(files, table))
    name = table
    if "dims" in own:
        if cells.path in files:
            edits += [cells, *(() if table else set_key("apriori", None))]
        own["apriori"] = None
        dims = cast("Sequence[str]", own["dims"])
        name = name_table(dims, others) if table == name_table(before["dims"], others) else table
    if table and name != table:
        edits.append(DeskEdit(file="recipe", place=(TABLES, table), value=_drop_none({**element, **own, "name": name})))
    elif table:
        edits += [
            DeskEdit(file="recipe", place=(TABLES, table, key), value=value)
            for key, value in own.items()
            if before.get(key) != value
        ]
    kept = [dim for one in _list_elements(files) if one.get("name") != table for dim in one.get("dims", ())]
    return name, (*edits, *_drop_trees(files, [*kept, *cast("Sequence[str]", wanted["dims"])]))


def set_parts(files: Files, chosen: Mapping[str, str]) -> tuple[DeskEdit, ...]:
    """Say what columns are: one is summed, one says whose a row is, the others are dimensions or unused.

    Of several tables a column that is no dimension any more is one of none, and a further one of the first.
    """
    edits: list[DeskEdit] = []
    for number, table in enumerate(list_tables(files) or [""]):
        keys = read_table_keys(files, table)
        before = cast("list[str]", keys.get("dims", []))
        dims = [name for name in before if chosen.get(name, "dims") == "dims"]
        dims += [name for name, part in chosen.items() if part == "dims" and name not in dims and not number]
        wanted: dict[str, object] = {"dims": dims or before}
        for key in ("value", "contributor"):
            new = next((name for name, part in chosen.items() if part == key and not number), None)
            if new is not None or (keys.get(key) and chosen.get(str(keys[key]), key) != key):
                wanted[key] = new
        more = change_table(files, table, wanted)[1]
        edits += more
        files = apply_edits(files, more)
    return tuple(edits)


def find_part(files: Files, name: str) -> str:
    """Return what a column is: one of the dimensions, what is summed, whose a row is; nothing if it is not used."""
    keys = [read_table_keys(files, table) for table in list_tables(files) or [""]]
    if any(name in one.get("dims", ()) for one in keys):
        return "dims"
    return next((key for key in ("value", "contributor") if any(one.get(key) == name for one in keys)), "")


def _drop_trees(files: Files, kept: Collection[str]) -> Iterator[DeskEdit]:
    """Give the edits that take away the trees of dimensions that no table has."""
    for dim in read_keys(files, "recipe").get("trees", {}):
        if dim not in kept:
            yield from set_tree(dim, None)


def _drop_none(keys: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in keys.items() if value is not None}


def set_cell(files: Files, codes: Sequence[str], what: str, value: object, *, table: str = "") -> tuple[DeskEdit, ...]:
    """Say of a cell that it must be shown (``P``) or hidden (``M``), or what hiding it costs; None takes it back.

    ``table`` is the one of several that it is of.

    Raises:
        ParameterError: it cannot be said in an a-priori file.
    """
    known = {STATUS: tuple(LETTERS), COST: (), LEVEL: ()}
    if what not in known or (what == STATUS and value not in (None, *LETTERS)):
        raise ParameterError("cell", Said("be of {letters}", letters=", ".join((*LETTERS, *NUMBERS))), value)
    if not codes or codes[0].startswith(REMARK):
        raise ParameterError("cell", Said("have codes, the first not beginning with {remark}", remark=REMARK), codes)
    edit = DeskEdit(file=find_cells_file(files, table), place=(*codes, what), value=value)
    return edit, _name_cells(files, table, (edit,))


def take_back(files: Files, codes: Sequence[str], *, table: str = "") -> tuple[DeskEdit, ...]:
    """Take back all that was wished of a cell."""
    cells = find_cells_file(files, table)
    gone = tuple(DeskEdit(file=cells, place=(*codes, what)) for what in (STATUS, COST))
    return *gone, _name_cells(files, table, gone)


def _name_cells(files: Files, table: str, edits: Sequence[DeskEdit]) -> DeskEdit:
    """Return the edit that names the file of cells in the recipe, as long as it says anything."""
    path = edits[0].path
    left = path in apply_edits(files, edits)
    place = (TABLES, table, "apriori") if table else ("apriori",)
    return DeskEdit(file="recipe", place=place, value=path if left else None)
