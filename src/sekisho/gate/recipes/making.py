"""Methods and adversaries made of a recipe's tables: each fault noted, none of them the last.

A parameter goes by its own name, which is also that of its option; files are named beside the recipe.

Profiles to start from: keys of a recipe, with the rules of a law or handbook that they are meant to help with.

A profile says nothing of the data: those are the recipe's own. It says what to ask of a release, and names for each
rule its source, what in the recipe speaks to it, and what it does not see. None says that a release suffices in law.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast

from sekisho.data.files.settings import build_settings, parse_toml, read_toml
from sekisho.data.shape import Shape
from sekisho.errors import Fault, ParameterError, SettingsError, UnknownNameError
from sekisho.gate.fit import fit
from sekisho.gate.recipes.keys import make_fault
from sekisho.provenance import list_parameters
from sekisho.registry import Registry
from sekisho.words import Said, quote_words

PRESETS = files("sekisho.gate") / "presets"
OF_DATA = (
    *("original", "schema", "release", "releases", "keys", "sensitive", "weights", "title", "seed", "preset"),
    *("allowed_columns", "keep"),
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


T = TypeVar("T")

FILES = ("tree", "matrices", "mechanism", "boxes", "published", "noise_file", "key_file")
"""Parameters that name files, or by column a file."""
SINGLE = ("mechanism", "boxes", "noise_file", "key_file")
"""Those that name one file."""
MOST_TRIED = 12
"""So many values of k are tried at most where a range of them is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """What makes the things that a recipe names.

    Attributes:
        folder: where the recipe stands.
        source: its name in messages.
        shape: of the data.
        parameters: what the rules say to what leaves it open, and limit.
        faults: what was wrong so far.
    """

    folder: Path
    source: str
    shape: Shape
    parameters: Mapping[str, object] = field(default_factory=dict[str, object])
    faults: list[Fault] = field(default_factory=list[Fault])

    def make(self, tables: tuple[Mapping[str, object], ...], registry: Registry[T], place: str) -> dict[str, T]:
        """Return the things by label; those that are wrong are left out and noted."""
        things: dict[str, T] = {}
        for number, table in enumerate(tables, 1):
            here = f"{place}.{number}"
            thing = self.make_one(table, registry, here)
            if thing is not None:
                label = make_label(str(table.get("name", "")), thing)
                things[label if label not in things else f"{label} ({len(things) + 1})"] = thing
        return things

    def make_one(self, table: Mapping[str, object], registry: Registry[T], here: str) -> T | None:
        """Return what a table names; None where something is wrong with it, which is noted."""
        name = str(table.get("name", ""))
        try:
            kind = registry.find_class(name, self.shape)
            own, files = self._split_files({key: value for key, value in table.items() if key != "name"}, kind, here)
            thing = build_settings(own, kind, source=self.source, place=here)
            thing = cast("T", replace(cast("Any", thing), **files)) if files else thing
            fit(thing, self.parameters)
        except UnknownNameError as error:
            self.faults.append(
                Fault(row=0, column=f"{here}.name", rule="known", value=name, message=quote_words(str(error)))
            )
        except SettingsError as error:
            self.faults.extend(error.faults)
        except ParameterError as error:
            self._note(error, here)
        else:
            return thing
        return None

    def find(self, table: Mapping[str, object], registry: Registry[T], usual: Mapping[str, object]) -> dict[str, T]:
        """Return the candidates of a search for the least k: a method with each k of a range, or with many of them.

        Args:
            table: ``method``, ``k`` as a whole number or as ``[low, high]``, and the method's own parameters.
            registry: of methods.
            usual: what is taken where the table does not say it; ``name``, ``k`` and parameters.
        """
        settled = {**usual, **{key: value for key, value in table.items() if key != "method"}}
        settled["name"] = table.get("method", usual.get("name", ""))
        asked = settled.pop("k", None)
        sizes = list_sizes(asked)
        if sizes is None:
            self.faults.append(
                make_fault("find.k", Said("be a whole number or [low, high] with 2 <= low <= high"), asked)
            )
            return {}
        things: dict[str, T] = {}
        for k in sizes:
            before = len(self.faults)
            thing = self.make_one({**settled, "k": k}, registry, "find")
            if len(self.faults) > before or thing is None:
                break  # the others have the same faults
            things[make_label(str(settled["name"]), thing, always=("k",))] = thing
        return things

    def _split_files(
        self, table: Mapping[str, object], kind: type, here: str
    ) -> tuple[dict[str, object], dict[str, object]]:
        """Return a table's plain parameters, by the names that they have inside, and those that name files."""
        items = {item.name: item for item in fields(cast("Any", kind))}
        own: dict[str, object] = {}
        files: dict[str, object] = {}
        for key, value in table.items():
            name = "tree" if key == "trees" and key not in items else key
            if name in FILES and name in items:
                files |= self._read_files(name, value, f"{here}.{key}")
            else:
                own[name if name in items else key] = value
        return own, files

    def _read_files(self, name: str, value: object, place: str) -> dict[str, object]:
        if name in SINGLE and isinstance(value, str):
            return {name: self.folder / value}
        if name == "published" and isinstance(value, list):
            names = cast("list[object]", value)
            if all(isinstance(one, str) for one in names):
                return {name: tuple(self.folder / str(one) for one in names)}
        if name not in SINGLE and isinstance(value, Mapping) and all(isinstance(one, str) for one in value.values()):
            return {name: {str(column): self.folder / str(file) for column, file in value.items()}}
        raise ParameterError(place, Said("name files"), value)

    def _note(self, error: ParameterError, here: str) -> None:
        place = error.name if error.name.startswith(here) else f"{here}.{error.name}"
        message = (
            quote_words(str(error))
            if error.name.startswith(here)
            else Said("{source}: {reason}", source=here, reason=error)
        )
        self.faults.append(Fault(row=0, column=place, rule=error.rule, value=str(error.value), message=message))


def list_sizes(asked: object) -> tuple[int, ...] | None:
    """Return the k that are tried: one, all of a range, or spread over a long one; None if it is no range."""
    ends = [asked, asked] if isinstance(asked, int) else asked
    if not isinstance(ends, list) or len(ends) != 2 or any(type(end) is not int for end in ends):
        return None
    low, high = cast("list[int]", ends)
    if not 2 <= low <= high:
        return None
    if high - low < MOST_TRIED:
        return tuple(range(low, high + 1))
    ratio = (high / low) ** (1 / (MOST_TRIED - 1))
    return tuple(sorted({*(round(low * ratio**step) for step in range(MOST_TRIED)), low, high}))


def make_label(name: str, thing: object, *, always: tuple[str, ...] = ()) -> str:
    """Return what a method or adversary is called in reports: its name and the parameters that are not as usual.

    Args:
        name: of it.
        thing: itself.
        always: parameters that are told though they are as usual.
    """
    return " ".join([name, *_list_changed(thing, always)])


def _list_changed(thing: object, always: tuple[str, ...]) -> Iterator[str]:
    values = list_parameters(thing)
    for item in fields(cast("Any", thing)):
        own: object = getattr(thing, item.name)
        if item.name in always or own != _find_default(item):
            yield f"{item.name}={own.name if isinstance(own, Path) else _shorten(values[item.name])}"


def _shorten(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(map(str, value)) if isinstance(value, Mapping | list) else str(value)


def _find_default(item: Field[Any]) -> object:
    return item.default_factory() if callable(item.default_factory) else item.default
