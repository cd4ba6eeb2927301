"""Whoever adds a class with parameters gets these tests with it: what is no value of a parameter is refused by name.

NaN is above nothing and below nothing, so a rule that compares lets it pass; a truth value is a number to Python, a
text a list of texts. Each such value is tried for each parameter of everything that is registered, and of every public
class, unless the class holds data (``DATA``): those are made by the library from parameters that were checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from inspect import Parameter, signature
from math import inf, nan
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import sekisho
from sekisho.attack import ADVERSARIES
from sekisho.errors import ParameterError
from sekisho.parameters import checked, checked_call
from sekisho.protect import METHODS
from sekisho.safety import GUARANTEES
from sekisho.seeds import Seed
from sekisho.tables.rules import CELL_RULES
from sekisho.utility import MEASURES
from sekisho.words import quote_words

Hint: TypeAlias = Any
REGISTRIES = (METHODS, ADVERSARIES, MEASURES, GUARANTEES, CELL_RULES)
DATA = frozenset(
    (
        *("Advice", "Candidate", "Dataset", "FrameComparison", "FrameRisk", "GateResult", "Guess", "MaskedTable"),
        *(
            "Outcome",
            "PrivateKey",
            "ProtectedFrame",
            "Provenance",
            "Release",
            "ReleaseReview",
            "Score",
            "Table",
            "Tree",
        ),
    )
)
PLAIN: dict[type, object] = {
    int: 1,
    float: 0.5,
    str: "a",
    bytes: b"a",
    Fraction: Fraction(1, 2),
    Path: Path("a"),
    np.random.Generator: Seed(1).rng(),
}
ADMITTED: dict[type, set[str]] = {
    bool: {"bool"},
    bytes: {"bytes"},
    float: {"float"},
    int: {"int", "float", "Fraction", "Size"},
    NoneType: {"None"},
    str: {"str"},
}
BAD: tuple[object, ...] = (nan, inf, -inf, True, 1.5, "x", "3", b"x", 7, None, (), {}, (nan,), {"a": nan}, {"a": True})


def list_registered() -> list[type]:
    return sorted({registry[name] for registry in REGISTRIES for name in registry}, key=lambda each: each.__name__)


def list_classes() -> list[type]:
    registered = set(list_registered())
    public = {getattr(sekisho, name) for name in sekisho.__all__ if name not in DATA}
    classes = registered | {each for each in public if isinstance(each, type) and is_dataclass(each)}
    return sorted(classes, key=lambda each: (each.__module__, each.__name__))


def admits(annotation: str, value: object) -> bool:
    """Tell whether an annotation, read as a text, allows a value."""
    kinds = {part.strip() for part in split_union(annotation)}
    if isinstance(value, dict | tuple):
        outer = "Mapping[" if isinstance(value, dict) else ("tuple[", "Sequence[", "frozenset[")
        return not value and any(kind.startswith(outer) for kind in kinds)
    if isinstance(value, float) and value != 1.5:
        return False
    return bool(ADMITTED[type(value)] & kinds)


def split_union(annotation: str) -> Iterator[str]:
    """Give the parts of a union that stand outside brackets."""
    depth, part = 0, ""
    for sign in annotation:
        depth += (sign == "[") - (sign == "]")
        if sign == "|" and not depth:
            yield part
            part = ""
        else:
            part += sign
    yield part


def fill(hint: Hint) -> object:
    """Return something that an annotation allows, to stand beside the value that is tried."""
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        return fill(get_args(hint)[0])
    if origin is not None:
        return {} if issubclass(origin, Mapping) else ()
    if hint in PLAIN:
        return PLAIN[hint]
    if issubclass(hint, Enum):
        return next(iter(hint))
    return str.__new__(hint) if issubclass(hint, str) else object.__new__(hint)


def fill_needed(cls: type) -> dict[str, object]:
    """Return what a class needs to be made at all."""
    hints = get_type_hints(cls)
    return {
        each.name: fill(hints[each.name])
        for each in fields(cls)
        if each.init and each.default is MISSING and each.default_factory is MISSING
    }


@pytest.mark.parametrize("cls", list_classes(), ids=lambda cls: cls.__name__)
def test_what_is_no_value_of_a_parameter_is_refused_by_name(cls: type) -> None:
    needed = fill_needed(cls)
    for each in fields(cls):
        for value in BAD:
            if not each.init or admits(str(each.type), value):
                continue
            with pytest.raises(ParameterError) as refusal:
                cls(**(needed | {each.name: value}))
            assert refusal.value.name in {each.name, f"{each.name} of a"}, (each.name, value, str(refusal.value))


@pytest.mark.parametrize("cls", list_registered(), ids=lambda cls: cls.__name__)
def test_numbers_of_numpy_are_numbers(cls: type) -> None:
    refused: list[str] = []
    for each in fields(cls):
        if each.type == "int" and isinstance(each.default, int):
            try:
                cls(**(fill_needed(cls) | {each.name: np.int64(each.default)}))
            except ParameterError as refusal:  # another parameter may be wanted, which has no default that would do
                refused.append(refusal.name)
            assert each.name not in refused


def test_the_number_that_is_none_returns_no_unsafe_release() -> None:
    for make in (sekisho.Lattice, sekisho.Suppress, sekisho.DeleteSmall):
        with pytest.raises(ParameterError, match="k must be a whole number, not nan"):
            cast("Any", make)(k=nan)


def test_an_enumeration_is_named_by_what_it_may_be() -> None:
    with pytest.raises(ParameterError, match="kind must be one of category, date, decimal, integer"):
        cast("Any", sekisho.Column)(name="a", kind="integer")


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class _Root:
    """A class that checks, as one that others build on."""

    k: int = 1

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", quote_words("be 1 or more"), self.k)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class _Checked(_Root):
    """A class built on it that says that it checks."""

    t: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Silent(_Root):
    """A class built on it that does not say so."""

    t: float = 0.5


@pytest.mark.parametrize("built", [_Checked, _Silent])
def test_a_class_built_on_another_keeps_its_rules(built: type) -> None:
    assert built(k=2, t=1).k == 2
    for name, value in (("k", 0), ("k", nan), ("t", nan), ("t", "1")):
        with pytest.raises(ParameterError, match=f"{name} must"):
            built(**{name: value})


@pytest.mark.parametrize("value", [nan, inf, True, "3", None, 2.5])
def test_arguments_of_a_function_are_checked(value: object) -> None:
    @checked_call
    def double(count: int, *, seconds: float | None = None) -> int:
        del seconds
        return 2 * count

    assert double(2) == 4
    assert double(2, seconds=1) == 4
    with pytest.raises(ParameterError, match="count"):
        cast("Any", double)(value)
    if value not in {None, 2.5}:
        with pytest.raises(ParameterError, match="seconds"):
            cast("Any", double)(1, seconds=value)


FUNCTIONS = {
    "audit": "seconds",
    "classify_release": "many",
    "health_records": "count",
    "pass_gate": "jobs",
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("value", [nan, inf, True, "3"])
def test_public_functions_check_what_they_are_given(name: str, value: object) -> None:
    function: Any = getattr(sekisho, name)
    hints = get_type_hints(function)
    needed = {
        each.name: fill(hints[each.name])
        for each in signature(function).parameters.values()
        if each.default is Parameter.empty
    }
    with pytest.raises(ParameterError, match=FUNCTIONS[name]):
        function(**(needed | {FUNCTIONS[name]: value}))
