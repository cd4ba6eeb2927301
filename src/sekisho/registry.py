"""Names for things that can be chosen at run time: methods, adversaries, measures, rules.

A room lists its built-ins by hand in one dict, name to ``module:attribute``, the notation of entry points; nothing is
imported before it is asked for. Other packages add theirs as entry points of the room's group, which are used by name
like our own; they cannot take a built-in's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from traceback import walk_tb
from typing import Generic, TypeVar, cast

from sekisho.errors import ParameterError, PluginError, UnknownNameError
from sekisho.words import Said, join_words

T = TypeVar("T")

GROUPS = (
    "sekisho.methods",
    "sekisho.adversaries",
    "sekisho.measures",
    "sekisho.guarantees",
    "sekisho.cell_rules",
    "sekisho.table_methods",
)
"""The groups of entry points in which other packages announce theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """Something of another package.

    Attributes:
        name: under which it is used.
        place: ``module:attribute``.
        distribution: whose it is, with its version.
    """

    name: str
    place: str
    distribution: str

    @property
    def package(self) -> str:
        """The package whose code it is."""
        return self.place.partition(":")[0].partition(".")[0]


def list_plugins(group: str) -> tuple[Plugin, ...]:
    """Return what other packages announce in a group, by name."""
    points = sorted(entry_points(group=group), key=lambda point: point.name)
    return tuple(
        Plugin(
            name=point.name,
            place=point.value,
            distribution=f"{point.dist.name} {point.dist.version}" if point.dist else point.module,
        )
        for point in points
    )


def find_culprit(error: BaseException) -> Plugin | None:
    """Return the plug-in in whose code, or below which, an error arose; None where it is ours."""
    modules = {str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame, _ in walk_tb(error.__traceback__)}
    known = (plugin for group in GROUPS for plugin in list_plugins(group))
    return next((plugin for plugin in known if plugin.package in modules - {"sekisho"}), None)


@dataclass(frozen=True, kw_only=True)
class Registry(Generic[T]):
    """The named things of one room.

    Attributes:
        kind: what one of them is called in messages, for example ``method``.
        group: the entry-point group in which other packages announce theirs.
        builtin: our own, name to ``module:attribute``.
    """

    kind: str
    group: str
    builtin: Mapping[str, str]

    @cached_property
    def plugins(self) -> Mapping[str, Plugin]:
        """What other packages add, by name."""
        return {plugin.name: plugin for plugin in list_plugins(self.group) if plugin.name not in self.builtin}

    @cached_property
    def _places(self) -> dict[str, str]:
        return {name: plugin.place for name, plugin in self.plugins.items()} | dict(self.builtin)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._places))

    def __contains__(self, name: object) -> bool:
        return name in self.builtin or name in self._places

    def __getitem__(self, name: str) -> type[T]:
        """Return the class registered under a name, importing its module.

        Raises:
            UnknownNameError: nothing has that name.
            PluginError: it is another package's, and cannot be loaded.
        """
        if name in self.builtin:  # other packages, which cannot take its name, are not looked through
            return self._load(self.builtin[name])
        if name not in self.plugins:
            raise UnknownNameError(_say_kind(self.kind), name, self._places)
        plugin = self.plugins[name]
        try:
            return self._load(plugin.place)
        except Exception as error:
            raise PluginError(_say_kind(self.kind), name, plugin.distribution, error) from error

    def _load(self, place: str) -> type[T]:
        module, _, attribute = place.partition(":")
        return cast("type[T]", getattr(import_module(module), attribute))

    def find_name(self, thing: T) -> str | None:
        """Return the name under which the class of a thing is registered; None if it is not."""
        place = f"{type(thing).__module__}:{type(thing).__qualname__}"
        return next((name for name, path in self._places.items() if path == place), None)

    def find_names(self, shape: object) -> Iterator[str]:
        """Return the names of what suits a shape of data, importing all of it."""
        return (name for name in self if shape in self.shapes(name))

    def shapes(self, name: str) -> frozenset[object]:
        """Return the shapes of data that a registered thing suits.

        Raises:
            ParameterError: a class of another package does not say.
        """
        shapes: object = getattr(self[name], "shapes", None)
        if not isinstance(shapes, frozenset) or not shapes:
            raise ParameterError(
                f"{self.kind} {name}", Said("say in a frozenset `shapes` which shapes of data it suits"), shapes
            )
        return cast("frozenset[object]", shapes)

    def find_class(self, name: str, shape: object) -> type[T]:
        """Return the class registered under a name, for data of a shape.

        Raises:
            ParameterError: it does not suit the shape.
        """
        shapes = self.shapes(name)
        if shape not in shapes:
            suits = join_words(sorted(map(str, shapes)), " and ")
            raise ParameterError(
                self.kind,
                Said("suit {shape}", shape=shape),
                name,
                hint=Said("{name} suits {suits}", name=name, suits=suits),
            )
        return self[name]

    def make(self, name: str, **parameters: object) -> T:
        """Return a new thing of that name with these parameters."""
        return self[name](**parameters)


def _say_kind(kind: str) -> str:
    """Return what is registered in words; a stranger's kind as it says it."""
    words = {
        "adversary": Said("kind|adversary"),
        "guarantee": Said("kind|guarantee"),
        "measure": Said("kind|measure"),
        "method": Said("kind|method"),
        "primary rule": Said("kind|primary rule"),
        "table method": Said("kind|table method"),
    }
    return words.get(kind, kind)
