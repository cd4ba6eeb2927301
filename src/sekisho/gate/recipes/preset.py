"""Profiles to start from: keys of a recipe, with the rules of a law or handbook that they are meant to help with.

A profile says nothing of the data: those are the recipe's own. It says what to ask of a release, and names for each
rule its source, what in the recipe speaks to it, and what it does not see. None says that a release suffices in law.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import cast

from sekisho.data.files.settings import parse_toml, read_toml
from sekisho.errors import SettingsError, UnknownNameError
from sekisho.gate.recipes.keys import make_fault
from sekisho.words import Said

PRESETS = files("sekisho.gate") / "presets"
OF_DATA = (
    *("original", "schema", "release", "releases", "keys", "sensitive", "weights", "title", "seed", "preset"),
    "allowed_columns",
)
"""Keys that only a recipe itself can say."""


def list_presets() -> tuple[str, ...]:
    """Return the names of the profiles shipped with the package."""
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in PRESETS.iterdir() if entry.name.endswith(".toml"))
    )


def read_preset(which: str, folder: Path) -> dict[str, object]:
    """Return the keys of a profile.

    Args:
        which: a shipped one's name, or a TOML file beside the recipe.
        folder: where the recipe stands.

    Raises:
        UnknownNameError: none of that name is shipped.
        SettingsError: it says things that only a recipe can say; all of them at once.
    """
    if which.endswith(".toml"):
        keys, source = read_toml(folder / which), str(folder / which)
    elif which in list_presets():
        keys, source = parse_toml((PRESETS / f"{which}.toml").read_text(encoding="utf-8"), which), which
    else:
        raise UnknownNameError(Said("preset"), which, list_presets())
    strange = [name for name in OF_DATA if name in keys]
    if strange:
        raise SettingsError(
            source, [make_fault(name, Said("be said by the recipe, not by a preset"), keys[name]) for name in strange]
        )
    return keys


def merge_keys(preset: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Return the keys of a profile and a recipe: the recipe's own win, tables key by key, lists as a whole."""
    merged = dict(preset)
    for name, value in own.items():
        before = merged.get(name)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            merged[name] = merge_keys(cast("Mapping[str, object]", before), cast("Mapping[str, object]", value))
        else:
            merged[name] = value
    return merged
