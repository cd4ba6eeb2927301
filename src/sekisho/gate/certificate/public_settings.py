"""What of a recipe stands in a certificate: not its seed, no name of a file; of a table no rules, levels or costs.

What a file is called is nobody's to publish: ``Maria_Huber_hiv.csv`` says more than the release does. So a file is told
by what it is to the recipe and by its ending, ``original.csv``; how the data are called, their title says.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from sekisho.data.shape import Shape
from sekisho.gate.certificate.canonical import list_entries

SECRET_KEYS = ("seed", "register")
TABLE_KEYS = ("shape", "title", "dims", "count", "value", "preset", "allowed_columns")
"""Of a table's recipe only these are public: rules, levels and costs tell the unsafe cells from the others."""

LINKED_KEYS = ("name", "dims", "count", "value")
"""Of each of several tables only these."""


FILE_MAPS = ("tree", "trees", "matrices")
"""Settings that have a file for each of several columns."""
FILE_KEYS = (
    *("original", "schema", "rules", "preset", "controls", "reference", "population", "file", "release", "deleted"),
    *("tree", "trees", "matrices", "mechanism", "boxes"),
)
"""Settings that name a file."""


def list_public_settings(settings: Mapping[str, object], shape: Shape) -> dict[str, object]:
    """Return what of a recipe may be public: neither the seed nor what files are called; of a table no rules."""
    return {name: _hide_files(name, _plain(value)) for name, value in _list_kept(settings, shape).items()}


def are_public_settings(told: Mapping[str, object], settings: Mapping[str, object], shape: Shape) -> bool:
    """Tell whether a certificate tells of a recipe what may be public; older ones tell the names of files as well."""
    older = {name: _hide_folders(_plain(value)) for name, value in _list_kept(settings, shape).items()}
    return told in (list_public_settings(settings, shape), older)


def _list_kept(settings: Mapping[str, object], shape: Shape) -> dict[str, object]:
    kept = {
        name: value
        for name, value in settings.items()
        if name not in SECRET_KEYS and (shape is not Shape.TABLE or name in TABLE_KEYS)
    }
    tables = settings.get("tables")
    if shape is Shape.TABLE and isinstance(tables, list):
        kept["tables"] = [
            {name: value for name, value in one.items() if name in LINKED_KEYS}
            for one in cast("list[Mapping[str, object]]", tables)
        ]
    return kept


def _hide_files(name: str, value: object) -> object:
    """Return a setting in which a file is called by what it is to the recipe."""
    if isinstance(value, str) and name in FILE_KEYS and Path(value).suffix:
        return f"{name}{Path(value).suffix}"
    if isinstance(value, dict):
        inner = cast("dict[str, object]", value)
        return {key: _hide_files(name if name in FILE_MAPS else key, item) for key, item in inner.items()}
    if isinstance(value, list):
        return [_hide_files(name, item) for item in cast("list[object]", value)]
    return _hide_folders(value)


def list_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return a recipe as JSON holds it."""
    return {name: _plain(value) for name, value in settings.items()}


def _hide_folders(value: object) -> object:
    if isinstance(value, str) and (Path(value).is_absolute() or ".." in Path(value).parts):
        return Path(value).name
    if isinstance(value, dict):
        return {key: _hide_folders(item) for key, item in value.items()}
    return [_hide_folders(item) for item in value] if isinstance(value, list) else value


def _plain(value: object) -> object:
    """Return what a TOML file holds as JSON does; a date is its text."""
    entries = list_entries(value)
    if isinstance(entries, dict):
        return {key: _plain(item) for key, item in entries.items()}
    if isinstance(entries, list):
        return [_plain(item) for item in entries]
    return entries if entries is None or isinstance(entries, bool | int | float | str) else str(entries)
