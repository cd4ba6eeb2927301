"""A change of a recipe or a schema as lines of its file: comments stay, and what comes out is read back.

A key, a whole table (``[find]``), all of a list of tables (``[[methods]]``) or one of them can be changed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TypeGuard, cast

from sekisho.data.files.toml_text import TomlText, write_key, write_value
from sekisho.gate.advice.changes import Change, Edit

IN_LINE = ("keep",)
"""Lists of tables and others that stand in one line at the top."""


def edit_recipe(text: str, change: Change) -> str:
    """Return the text of a recipe with a change.

    Where its form is too unusual to be edited line by line, it is written anew, without comments.
    """
    wanted = change.apply(tomllib.loads(text))
    lines = text.splitlines()
    for edit in change.edits:
        lines = _edit_lines(lines, edit)
    edited = "\n".join(lines) + "\n"
    try:
        return edited if tomllib.loads(edited) == wanted else write_settings(wanted)
    except tomllib.TOMLDecodeError:
        return write_settings(wanted)


def diff_recipe(text: str, change: Change) -> tuple[str, ...]:
    """Return the lines of a recipe that a change takes away (``-``) and adds (``+``), below the name of their table."""
    return diff_lines(text, edit_recipe(text, change))


def diff_lines(before: str, after: str) -> tuple[str, ...]:
    """Return the lines that one text of TOML has (``-``) and another has instead (``+``), below their table's name."""
    old, new = before.splitlines(), after.splitlines()
    lines: list[str] = []
    for kind, low, high, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        head = next((f"  {line}" for line in reversed(new[:start]) if line.startswith("[")), "")
        if head and head not in lines and not any(line.startswith("[") for line in new[start:end]):
            lines.append(head)
        lines += [f"- {line}" for line in old[low:high] if line.strip()]
        lines += [f"+ {line}" for line in new[start:end] if line.strip()]
    return tuple(lines)


def _edit_lines(lines: list[str], edit: Edit) -> list[str]:
    *table, key = edit.place
    if edit.place[0] in IN_LINE and not table:
        lines = _edit_blocks(lines, Edit(place=edit.place, value=None)) if _list_blocks(lines, str(key)) else lines
    elif isinstance(key, int) or (not table and _is_block(lines, edit)):
        return _edit_blocks(lines, edit)
    start, end = _find_table(lines, table)
    line = [] if edit.value is None else [f"{write_key(str(key))} = {write_value(edit.value)}"]
    if start < 0:
        head = write_key(str(table[0]))
        return [*lines, "", f"[{head}]", *line] if line else lines
    place = next((at for at in range(start, end) if _names_key(lines[at], str(key))), None)
    if place is not None:
        return [*lines[:place], *line, *lines[_find_value_end(lines, place, end) :]]
    while end > start and not lines[end - 1].strip():
        end -= 1
    while end > start and lines[end - 1].startswith("#"):  # a comment above the next table belongs to that
        end -= 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return [*lines[:end], *line, *lines[end:]]


def _is_block(lines: list[str], edit: Edit) -> bool:
    """Tell whether what stands at the top is a table, or a list of tables, of lines of its own."""
    name = str(edit.place[0])
    start, end = _find_table(lines, [])
    if any(_names_key(line, name) for line in lines[start:end]):
        return False
    return bool(_list_blocks(lines, name) or _list_tables(edit.value))


def _is_table(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _list_tables(value: object) -> list[Mapping[str, object]]:
    """Return the tables that a value is; none where it is something else."""
    values = cast("list[object]", list(value)) if isinstance(value, list | tuple) else [value]
    tables = [one for one in values if _is_table(one)]
    return tables if len(tables) == len(values) else []


def _edit_blocks(lines: list[str], edit: Edit) -> list[str]:
    """Return lines with a table, a list of tables or one of these changed."""
    name, number = str(edit.place[0]), edit.place[1] if len(edit.place) > 1 else None
    blocks = _list_blocks(lines, name)
    values = _list_tables(edit.value)
    head = f"[{write_key(name)}]" if number is None and _is_table(edit.value) else f"[[{write_key(name)}]]"
    written = [_write_block(head, value) for value in values]
    taken = blocks if number is None else [] if edit.is_new else blocks[cast("int", number) :][:1]
    if taken:
        place = taken[0][0]
    elif edit.is_new and blocks:
        at = cast("int", number)
        place = blocks[at][0] if at < len(blocks) else blocks[-1][1]
    else:
        place = len(lines)
    gone = {at for start, end in taken for at in range(start, end)}
    before = [line for at, line in enumerate(lines[:place]) if at not in gone]
    after = [line for at, line in enumerate(lines[place:], place) if at not in gone]
    new = [line for block in written for line in ("", *block)]
    while before and not before[-1].strip():
        before.pop()
    while after and not after[0].strip():
        after.pop(0)
    return [*before, *(new if before else new[1:]), *(("", *after) if after else ())]


def _write_block(head: str, table: Mapping[str, object]) -> list[str]:
    return [head, *(f"{write_key(name)} = {write_value(value)}" for name, value in table.items() if value is not None)]


def _list_blocks(lines: list[str], name: str) -> list[tuple[int, int]]:
    """Return where each table of a name begins, and where it ends: comments below its last key are not its own."""
    heads = [at for at, line in enumerate(lines) if line.lstrip().startswith("[")]
    blocks: list[tuple[int, int]] = []
    for start, end in pairwise([*heads, len(lines)]):
        if lines[start].partition("#")[0].strip() in (f"[{write_key(name)}]", f"[[{write_key(name)}]]"):
            keys = [at for at in range(start, end) if lines[at].strip() and not lines[at].lstrip().startswith("#")]
            blocks.append((start, keys[-1] + 1))
    return blocks


def _find_table(lines: list[str], table: list[str | int]) -> tuple[int, int]:
    """Return where a table's lines begin and end; -1 where there is no such table."""
    heads = [at for at, line in enumerate(lines) if line.lstrip().startswith("[")]
    if not table:
        return 0, heads[0] if heads else len(lines)
    ends = [*heads[1:], len(lines)]
    name, number = str(table[0]), table[1] if len(table) > 1 else 0
    written = f"[[{write_key(name)}]]" if len(table) > 1 else f"[{write_key(name)}]"
    named = [at for at in heads if lines[at].partition("#")[0].strip() == written]
    if not isinstance(number, int) or number >= len(named):
        return -1, -1
    return named[number] + 1, ends[heads.index(named[number])]


def _names_key(line: str, key: str) -> bool:
    name, equals, _ = line.partition("=")
    return bool(equals) and name.strip() in (key, write_key(key), f'"{key}"', f"'{key}'")


def _find_value_end(lines: list[str], place: int, end: int) -> int:
    """Return the line after a value, which may go over several."""
    for after in range(place + 1, end + 1):
        try:
            tomllib.loads("\n".join(lines[place:after]))
        except tomllib.TOMLDecodeError:
            continue
        return after
    return place + 1


def write_settings(settings: Mapping[str, object]) -> str:
    """Return the keys of a recipe as TOML: those at the top first, then tables."""
    text = TomlText()
    tables: list[tuple[str, Mapping[str, object]]] = []
    for name, value in settings.items():
        if isinstance(value, Mapping):
            tables.append((f"[{write_key(name)}]", cast("Mapping[str, object]", value)))
        elif name not in IN_LINE and _list_tables(value):
            tables += [(f"[[{write_key(name)}]]", one) for one in cast("list[Mapping[str, object]]", value)]
        else:
            text.set(name, value)
    for head, table in tables:
        text.open(head)
        for name, value in table.items():
            text.set(name, value)
    return text.render().decode()
