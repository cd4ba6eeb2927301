"""A method under a contest's rules: what the rules leave open the method may choose, what they limit it may not exceed."""

from __future__ import annotations

from dataclasses import Field, replace
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from sekisho.contest.history.rules import HistoryRules
from sekisho.errors import ParameterError

T = TypeVar("T")


@runtime_checkable
class SetMaker(Protocol):
    """A method that publishes sets: a frozen dataclass with a field ``max_set``, None where the rules decide."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def max_set(self) -> int | None:
        """The most values that a set may hold."""
        ...


def fit_method(method: T, rules: HistoryRules) -> T:
    """Return a method as the rules allow it: where it names no largest set, with theirs.

    Raises:
        ParameterError: the method would publish sets that the rules forbid.
    """
    if not isinstance(method, SetMaker):
        return method
    limit = rules.grammar.max_set
    if method.max_set is not None and method.max_set > limit:
        raise ParameterError("max_set", f"be at most {limit}, the largest set that {rules.name} allows", method.max_set)
    return replace(method, max_set=limit) if method.max_set is None else method
