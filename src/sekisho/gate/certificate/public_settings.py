"""What of a recipe stands in a certificate: not its seed, nor where files lie; of a table no rules, levels or costs."""

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


def list_public_settings(settings: Mapping[str, object], shape: Shape) -> dict[str, object]:
    """Return what of a recipe may be public: neither the seed nor where files lie; of a table no rules or levels."""
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
    return {name: _hide_folders(_plain(value)) for name, value in kept.items()}


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
