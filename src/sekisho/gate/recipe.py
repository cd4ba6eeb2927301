"""A recipe: which history, under which rules, protected in which ways, attacked by whom, judged by which bound.

::

    rules = "pwscup2018"
    original = "T.csv"            # beside the recipe
    bound = "exact"
    seed = 1

    [[methods]]
    name = "groups"               # further keys are the method's own parameters
    k = 3

    [[adversaries]]
    name = "maximum-knowledge"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeVar

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.contest.history.rules import HistoryRules, read_rules
from sekisho.data.files.settings import read_settings, settings_of
from sekisho.errors import Fault, ParameterError, SettingsError, UnknownNameError
from sekisho.gate.fit import fit_method
from sekisho.protect import METHODS, Method
from sekisho.provenance import parameters_of
from sekisho.registry import Registry
from sekisho.safety.rejection import Bound

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeFile:
    """A recipe as its file tells it."""

    rules: str
    original: str
    methods: tuple[Mapping[str, object], ...]
    adversaries: tuple[Mapping[str, object], ...]
    bound: Bound = Bound.EXACT
    seed: int | None = None

    def __post_init__(self) -> None:
        for name, tables in (("methods", self.methods), ("adversaries", self.adversaries)):
            if not tables:
                raise ParameterError(name, "hold at least one", [])


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A recipe with its methods and adversaries made.

    Attributes:
        rules: the contest's rules.
        methods: the ways to protect, each under the label that reports use.
        adversaries: those who attack, likewise.
        bound: the bound that decides.

    Raises:
        ParameterError: a method would publish what the rules forbid.
    """

    rules: HistoryRules
    methods: Mapping[str, Method]
    adversaries: Mapping[str, Adversary]
    bound: Bound = Bound.EXACT

    def __post_init__(self) -> None:
        for method in self.methods.values():
            fit_method(method, self.rules)


def read_recipe(path: Path) -> tuple[Recipe, RecipeFile]:
    """Return the recipe in a file, and the file's own words; all errors at once."""
    told = read_settings(path, RecipeFile)
    told = replace(told, original=str(path.parent / told.original), rules=_beside(path, told.rules))
    rules = read_rules(told.rules)
    faults: list[Fault] = []
    methods = _made(told.methods, METHODS, "methods", path, rules, faults)
    adversaries = _made(told.adversaries, ADVERSARIES, "adversaries", path, rules, faults)
    if faults:
        raise SettingsError(path, faults)
    recipe = Recipe(rules=rules, methods=methods, adversaries=adversaries, bound=told.bound)
    return recipe, told


def _beside(path: Path, rules: str) -> str:
    return str(path.parent / rules) if rules.endswith(".toml") else rules


def _made(
    tables: tuple[Mapping[str, object], ...],
    registry: Registry[T],
    place: str,
    source: Path,
    rules: HistoryRules,
    faults: list[Fault],
) -> dict[str, T]:
    made: dict[str, T] = {}
    for number, table in enumerate(tables, 1):
        name, here = str(table.get("name", "")), f"{place}.{number}"
        try:
            kind = registry[name]
            thing = settings_of(
                {key: value for key, value in table.items() if key != "name"}, kind, source=str(source), place=here
            )
            fit_method(thing, rules)
        except UnknownNameError as error:
            faults.append(Fault(row=0, column=f"{here}.name", rule="known", value=name, message=str(error)))
        except SettingsError as error:
            faults.extend(error.faults)
        except ParameterError as error:
            column, value = f"{here}.{error.name}", str(error.value)
            faults.append(
                Fault(row=0, column=column, rule=error.rule, value=value, message=f"{place}.{number}: {error}")
            )
        else:
            made[_label(name, thing, kind, made)] = thing
    return made


def _label(name: str, thing: object, kind: type, taken: Mapping[str, object]) -> str:
    usual = {item.name: item.default for item in fields(kind)}
    told = [f"{key}={value}" for key, value in parameters_of(thing).items() if getattr(thing, key) != usual[key]]
    plain = " ".join([name, *told])
    return plain if plain not in taken else f"{plain} ({len(taken) + 1})"
