"""A recipe: which data, under which rules, protected in which ways, attacked by whom, judged how.

::

    rules = "pwscup2018"
    original = "T.csv"            # beside the recipe
    bound = "exact"               # of histories
    claim = "required"            # of histories: what is not proven is reviewed; "reported": attacks alone decide
    seed = 1

    [[methods]]
    name = "groups"               # further keys are the method's own parameters
    k = 3

    [[adversaries]]
    name = "maximum-knowledge"

For records ``target`` (the mean risk that no adversary may reach), ``tests``, ``round`` and ``shuffled`` take the place
of ``bound``. A table says ``shape = "table"`` and has keys of its own (:mod:`sekisho.gate.tables.recipe`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TypeVar

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import Rulebook, read_rulebook
from sekisho.data.files.settings import build_settings, read_toml
from sekisho.data.shape import Shape
from sekisho.errors import Fault, ParameterError, SettingsError, UnknownNameError
from sekisho.gate.fit import fit
from sekisho.gate.history.recipe import ClaimPolicy, HistoryRecipe
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.tables.recipe import TableRecipe, TableRecipeFile, build_table_recipe
from sekisho.protect import METHODS, Method
from sekisho.provenance import list_parameters
from sekisho.registry import Registry
from sekisho.safety.rejection import Bound

T = TypeVar("T")
R = TypeVar("R", HistoryRecipe, RecordsRecipe)

ONLY = {
    "bound": Shape.HISTORY,
    "claim": Shape.HISTORY,
    "target": Shape.RECORDS,
    "tests": Shape.RECORDS,
    "round": Shape.RECORDS,
    "shuffled": Shape.RECORDS,
}
"""Keys that suit one shape only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeFile:
    """A recipe as its file has it; what suits one shape only is None where it is not given."""

    rules: str
    original: str
    methods: tuple[Mapping[str, object], ...]
    adversaries: tuple[Mapping[str, object], ...]
    bound: Bound | None = None
    claim: ClaimPolicy | None = None
    target: float | None = None
    tests: int | None = None
    round: str | None = None
    shuffled: bool | None = None
    seed: int | None = None
    shape: Shape | None = None

    def __post_init__(self) -> None:
        for name, tables in (("methods", self.methods), ("adversaries", self.adversaries)):
            if not tables:
                raise ParameterError(name, "hold at least one", [])


def read_recipe(
    path: Path,
) -> tuple[HistoryRecipe | RecordsRecipe, RecipeFile] | tuple[TableRecipe, TableRecipeFile]:
    """Return the recipe in a file, and the file's own words; all errors at once."""
    settings = read_toml(path)
    if settings.get("shape") == Shape.TABLE:
        return build_table_recipe(settings, path)
    return _build_recipe(build_settings(settings, RecipeFile, source=str(path)), path)


def _build_recipe(file: RecipeFile, path: Path) -> tuple[HistoryRecipe | RecordsRecipe, RecipeFile]:
    file = replace(file, original=str(path.parent / file.original), rules=_resolve_rules(path, file.rules))
    rules = read_rulebook(file.rules)
    reader = _Reader(source=path, rules=rules)
    reader.refuse_unsuited(file)
    methods: Mapping[str, Method] = reader.make(file.methods, METHODS, "methods")
    adversaries: Mapping[str, Adversary] = reader.make(file.adversaries, ADVERSARIES, "adversaries")
    if reader.faults:
        raise SettingsError(path, reader.faults)
    if isinstance(rules, HistoryRules):
        history = HistoryRecipe(rules=rules, methods=methods, adversaries=adversaries)
        return _replace_given(history, {"bound": file.bound, "claim": file.claim}), file
    if file.target is None:
        raise SettingsError(path, [_make_fault("target", "be given for records", None)])
    own = {"tests": file.tests, "round_name": file.round, "shuffled": file.shuffled}
    recipe = RecordsRecipe(rules=rules, methods=methods, adversaries=adversaries, target=file.target)
    return _replace_given(recipe, own), file


def _replace_given(recipe: R, values: Mapping[str, object]) -> R:
    return replace(recipe, **{name: value for name, value in values.items() if value is not None})


def _resolve_rules(path: Path, rules: str) -> str:
    return str(path.parent / rules) if rules.endswith(".toml") else rules


def _make_fault(column: str, rule: str, value: object) -> Fault:
    return Fault(row=0, column=column, rule=rule, value=str(value), message=f"{column} must {rule}, not {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    source: Path
    rules: Rulebook
    faults: list[Fault] = field(default_factory=list[Fault])

    def refuse_unsuited(self, file: RecipeFile) -> None:
        if file.shape not in (None, self.rules.shape):
            self.faults.append(_make_fault("shape", f"be {self.rules.shape} under {self.rules.name}", file.shape))
        for name, shape in ONLY.items():
            if getattr(file, name) is not None and shape is not self.rules.shape:
                self.faults.append(_make_fault(name, f"not be given for {self.rules.shape}", getattr(file, name)))

    def make(self, tables: tuple[Mapping[str, object], ...], registry: Registry[T], place: str) -> dict[str, T]:
        things: dict[str, T] = {}
        for number, table in enumerate(tables, 1):
            name, here = str(table.get("name", "")), f"{place}.{number}"
            try:
                kind = registry.find_class(name, self.rules.shape)
                own = {key: value for key, value in table.items() if key != "name"}
                thing = build_settings(own, kind, source=str(self.source), place=here)
                fit(thing, self.rules.parameters())
            except UnknownNameError as error:
                self.faults.append(Fault(row=0, column=f"{here}.name", rule="known", value=name, message=str(error)))
            except SettingsError as error:
                self.faults.extend(error.faults)
            except ParameterError as error:
                column, value = f"{here}.{error.name}", str(error.value)
                self.faults.append(
                    Fault(row=0, column=column, rule=error.rule, value=value, message=f"{here}: {error}")
                )
            else:
                things[_make_label(name, thing, kind, things)] = thing
        return things


def _make_label(name: str, thing: object, kind: type, taken: Mapping[str, object]) -> str:
    usual = {item.name: item.default for item in fields(kind)}
    changed = [f"{key}={value}" for key, value in list_parameters(thing).items() if getattr(thing, key) != usual[key]]
    plain = " ".join([name, *changed])
    return plain if plain not in taken else f"{plain} ({len(taken) + 1})"
