"""Methods and adversaries under rules: what they leave open the rules say, what the rules limit they may not exceed.

A parameter is left open by its own default, which is None or empty. So no method and no adversary has columns, limits
or thresholds of its own, and an attack is planned for the very test that will judge it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.protect import METHODS, Method
from sekisho.seeds import Seed
from sekisho.words import Said

T = TypeVar("T")
Apply: TypeAlias = Callable[[Method, Dataset, Seed], Release]
"""How a method is applied: straight away, or watched by a door."""

CAPS = ("max_set",)
"""Parameters that may be smaller than the rules say, never larger: a release would be refused."""
SPACE = ("measured", "compared")
"""Which columns are looked at: they are said together or not at all."""


def fit(thing: T, parameters: Mapping[str, object]) -> T:
    """Return a method or adversary with what it leaves open as the rules say.

    Args:
        thing: the method or adversary, a frozen dataclass.
        parameters: by name, as the rules say them.

    Raises:
        ParameterError: it would make what the rules forbid.
    """
    if not is_dataclass(thing) or isinstance(thing, type):
        return thing
    own = {item.name: getattr(thing, item.name) for item in fields(thing)}
    for name in CAPS:
        limit, value = parameters.get(name), own.get(name)
        if isinstance(limit, int) and isinstance(value, int) and value > limit:
            raise ParameterError(name, Said("be at most {limit}, the largest that the rules allow", limit=limit), value)
    filled = {
        name: parameters[name]
        for name, value in own.items()
        if name in parameters and _suits_parameter(parameters[name], value)
    }
    if any(not _is_open(own.get(name)) for name in SPACE):  # who names some columns means those
        filled = {name: value for name, value in filled.items() if name not in SPACE}
    return cast("T", replace(cast("Any", thing), **filled)) if filled else thing


def _suits_parameter(rule_value: object, value: object) -> bool:
    """Tell whether what the rules say is meant for this parameter.

    By column (the bounds of noise) or one for all (the least loss of a band).
    """
    return _is_open(value) and isinstance(rule_value, Mapping) == isinstance(value, Mapping)


def _is_open(value: object) -> bool:
    return value is None or (isinstance(value, tuple | Mapping) and not value)


def apply_method(method: Method, data: Dataset, seed: Seed) -> Release:
    """Return what a method makes of data."""
    return method.apply(data, rng=seed.rng())


def name_method(method: Method) -> str:
    """Return what the chance of a method is named by, so that it is the same through every door: its own name."""
    return METHODS.find_name(method) or type(method).__name__
