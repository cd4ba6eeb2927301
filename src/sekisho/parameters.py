"""Parameters are what their annotations say: a number that is none, a wrong type, a truth value are refused at once.

``k > nan`` and ``k < nan`` are both false, so a rule that compares lets such a number pass, and what it guards is
unguarded. Here the annotations of a class are its rules, checked before its own ``__post_init__`` compares anything::

    @dataclass(frozen=True, slots=True, kw_only=True)
    @checked
    class Suppress:
        k: int = 3

A number is finite unless the default is not; a truth value is no number, a text no list of texts. What a rule adds
(``k`` at least 2) stays with the class. What is data and not a parameter (arrays, tables, releases) is not decorated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache, wraps
from inspect import signature
from math import isfinite
from numbers import Integral, Rational, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from sekisho.errors import ParameterError
from sekisho.words import Said

T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")
Hint = Any
"""An annotation, as ``typing`` gives it."""
PLAIN = (str, bytes, Real, NoneType)
"""Values that are never an object of ours."""


def checked(cls: type[T]) -> type[T]:
    """Let a class, which becomes a dataclass afterwards, check its parameters before it does anything else."""
    own: Callable[[T], None] | None = getattr(cls, "__post_init__", None)

    def check_first(self: T) -> None:
        check_fields(self)
        if own is not None:
            own(self)

    type.__setattr__(cls, "__post_init__", check_first)
    return cls


def renamed(**names: str) -> Callable[[type[T]], type[T]]:
    """Let a class answer names that its parameters had in the version before this one with those of today."""

    def make(cls: type[T], **parameters: object) -> T:
        for former, name in names.items():
            if former in parameters:
                rule = Said("be given as {former}, its name since this version", former=name)
                raise ParameterError(former, rule, parameters[former])
        return object.__new__(cls)

    def mark(cls: type[T]) -> type[T]:
        type.__setattr__(cls, "__new__", staticmethod(make))
        return cls

    return mark


def checked_call(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function check the arguments that it is called with."""
    call = signature(function)

    @wraps(function)
    def check_first(*args: P.args, **kwargs: P.kwargs) -> R:
        hints = _read_hints(function)
        for name, value in call.bind(*args, **kwargs).arguments.items():
            if name in hints:
                _require(name, value, hints[name], call.parameters[name].default)
        return function(*args, **kwargs)

    return check_first


def check_fields(thing: object) -> None:
    """Refuse a dataclass one of whose fields is not what its annotation says.

    Raises:
        ParameterError: one is not.
    """
    for name, hint, default in _list_fields(type(thing)):
        _require(name, getattr(thing, name), hint, default)


@cache
def _list_fields(cls: type) -> tuple[tuple[str, Hint, object], ...]:
    hints = _read_hints(cls)
    own = cast("tuple[Field[object], ...]", fields(cls)) if is_dataclass(cls) else ()
    return tuple((each.name, hints[each.name], each.default) for each in own if each.init)


@cache
def _read_hints(thing: Callable[..., object]) -> Mapping[str, Hint]:
    return get_type_hints(thing)


def _require(name: str, value: object, hint: Hint, default: object) -> None:
    if value is default or _suits(value, hint, endless=_is_endless(default)):
        return
    mappings = [each for each in (hint, *get_args(hint)) if _is_mapping(each)]
    if mappings and isinstance(value, Mapping):
        _, wanted = get_args(mappings[0])
        for key, entry in cast("Mapping[object, object]", value).items():
            if isinstance(key, str) and not _suits(entry, wanted):
                raise ParameterError(Said("{which} of {name}", which=name, name=key), _describe(wanted), entry)
    raise ParameterError(name, _describe(hint), value)


def _is_mapping(hint: Hint) -> bool:
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _is_endless(default: object) -> bool:
    return default is not MISSING and isinstance(default, float) and not isfinite(default)


def _suits(value: object, hint: Hint, *, endless: bool = False) -> bool:
    """Tell whether a value is what an annotation says."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        return any(_suits(value, each, endless=endless) for each in parts)
    if origin is Literal:
        return value in parts and not isinstance(value, bool)
    if origin is not None:
        return _holds(value, origin, parts)
    if isinstance(hint, TypeVar) or hint in {Any, object}:
        return True
    return _is_one(value, cast("type", hint), endless=endless)


def _is_one(value: object, kind: type, *, endless: bool) -> bool:
    if kind is bool:
        return isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}
    if kind in {int, float, Fraction}:
        return _is_number(value, kind, endless=endless)
    if kind in {NoneType, None}:
        return value is None
    if getattr(kind, "_is_protocol", False):
        return not isinstance(value, (*PLAIN, list, dict, tuple))
    return isinstance(value, kind)


def _is_number(value: object, kind: type, *, endless: bool) -> bool:
    wanted = {int: Integral, float: Real, Fraction: Rational}[kind]
    if isinstance(value, bool) or not isinstance(value, wanted):
        return False
    return endless or isinstance(value, Rational) or isfinite(value)


def _holds(value: object, origin: type, parts: tuple[Hint, ...]) -> bool:
    """Tell whether a value is a container, or an array, of what an annotation says."""
    if issubclass(origin, Mapping):
        return isinstance(value, Mapping) and _hold_all(cast("Mapping[object, object]", value).items(), parts)
    if issubclass(origin, tuple) and parts and Ellipsis not in parts:
        items = cast("Sequence[object]", value)
        fits = isinstance(value, list | tuple) and len(items) == len(parts)
        return fits and all(map(_suits, items, parts))
    if issubclass(origin, Sequence | AbstractSet | Iterator):
        if isinstance(value, str | bytes) or not hasattr(value, "__iter__") or isinstance(value, Mapping):
            return False
        return isinstance(value, Iterator) or all(_suits(each, parts[0]) for each in cast("Sequence[object]", value))
    return not isinstance(value, (*PLAIN, list, dict, tuple)) if origin is not type else isinstance(value, type)


def _hold_all(items: Iterable[tuple[object, object]], parts: tuple[Hint, ...]) -> bool:
    return all(_suits(key, parts[0]) and _suits(entry, parts[1]) for key, entry in items)


def _describe(hint: Hint) -> Said:
    """Return what a parameter must be, in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        told = [_describe(each) for each in parts if each is not NoneType]
        return told[0] if len(told) == 1 else Said("be of one of its types")
    if origin is not None:
        return _describe_many(origin)
    return next((words for kind, words in _say_types().items() if hint is kind), _describe_one(hint))


def _describe_many(origin: type) -> Said:
    if issubclass(origin, Mapping):
        return Said("be names with values of their type")
    return (
        Said("be a list of values of their type")
        if issubclass(origin, Sequence | AbstractSet)
        else Said("be of its type")
    )


def _describe_one(hint: Hint) -> Said:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Said("be one of {choices}", choices=", ".join(str(each.value) for each in hint))
    return Said("be of its type")


def _say_types() -> Mapping[type, Said]:
    return {
        bool: Said("be true or false"),
        float: Said("be a finite number"),
        Fraction: Said("be a fraction or a whole number"),
        int: Said("be a whole number"),
        Path: Said("be a path"),
        str: Said("be a text"),
    }
