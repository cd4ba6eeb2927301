"""Names for things that can be chosen at run time: methods, adversaries, measures, rules.

A room lists its built-ins by hand in one dict, name to ``module:attribute``, the notation of entry points; nothing is imported
before it is asked for. Packages of strangers add theirs as entry points of the room's group and are used by name alike; a
stranger cannot take a built-in's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from typing import Generic, TypeVar, cast

from sekisho.errors import UnknownNameError

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Registry(Generic[T]):
    """The named things of one room.

    Attributes:
        kind: what one of them is called in messages, for example ``method``.
        group: the entry-point group in which strangers announce theirs.
        builtin: our own, name to ``module:attribute``.
    """

    kind: str
    group: str
    builtin: Mapping[str, str]

    @cached_property
    def _paths(self) -> dict[str, str]:
        strangers = {point.name: point.value for point in entry_points(group=self.group)}
        return strangers | dict(self.builtin)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._paths))

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __getitem__(self, name: str) -> type[T]:
        """Return the class registered under a name, importing its module."""
        path = self._paths.get(name)
        if path is None:
            raise UnknownNameError(self.kind, name, self._paths)
        module, _, attribute = path.partition(":")
        return cast("type[T]", getattr(import_module(module), attribute))

    def __or__(self, other: Registry[T]) -> Registry[T]:
        """Return a registry of both rooms' names, under the first one's kind; strangers of both are known in it."""
        return Registry(kind=self.kind, group=self.group, builtin=other._paths | self._paths)

    def make(self, name: str, **parameters: object) -> T:
        """Return a new thing of that name with these parameters."""
        return self[name](**parameters)
