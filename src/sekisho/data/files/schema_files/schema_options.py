"""A schema given by options of a command instead of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, Missing, SaidKind, SchemaFile
from sekisho.data.frame.dataset import Kind, Meaning, Role
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.words import Said


def schema_from_options(
    shape: Shape,
    *,
    identifier: str = "",
    columns: Sequence[str] = (),
    file: FileRules | None = None,
    missing: Missing = Missing.CARRY,
    kinds: Sequence[str] = (),
) -> SchemaFile:
    """Return the schema that options of a command give.

    Args:
        shape: what a row is.
        identifier: the column that says whose a row is.
        columns: the others that are read, all if none is named; each may be followed by a kind, a role and a meaning,
            as ``price:decimal:price``.
        file: how the file is written.
        missing: what becomes of missing cells.
        kinds: what is said of columns, each ``COLUMN=KIND`` or ``COLUMN=KIND:FORMAT``.
    """
    named = [_parse_column(text) for text in columns]
    if identifier:
        named = [each for each in named if each.output_name != identifier]
        named.insert(0, ColumnRules(name=identifier, role=Role.IDENTIFIER, role_given=True))
    return SchemaFile(
        shape=shape,
        file=file or FileRules(),
        columns=tuple(named),
        all_columns=not columns,
        missing_cells=missing,
        said=tuple(map(SaidKind.parse, kinds)),
    )


def _parse_column(text: str) -> ColumnRules:
    words: dict[str, StrEnum] = {}
    name, parted, last = text.rpartition(":")
    while parted and (word := _parse_word(last)) is not None:
        key, value = word
        if key in words:
            raise ParameterError("columns", Said("say one {key} for a column", key=key), text)
        words[key] = value
        name, parted, last = name.rpartition(":")
    whole = name + parted + last
    return replace(ColumnRules(name=whole), **words, role_given="role" in words)


def _parse_word(text: str) -> tuple[str, StrEnum] | None:
    for key, words in (("kind", Kind), ("role", Role), ("means", Meaning)):
        if text in list(words):
            return key, words(text)
    return None
