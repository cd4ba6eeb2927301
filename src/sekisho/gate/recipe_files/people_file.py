"""A recipe for a history or for records as its file has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Self, cast

from sekisho.data.shape import Shape
from sekisho.errors import Fault, UnknownNameError
from sekisho.gate.policy import ClaimPolicy
from sekisho.gate.recipes.keys import ON_ENGINES, RecipeKeys, make_fault
from sekisho.gate.rulebooks import rules_path
from sekisho.safety.rejection import Bound
from sekisho.words import Said, quote_words

TESTED = ("target", "tests", "round", "shuffled")
"""Keys of records that are judged by test sets, as in a contest."""
KEYED = ("keys", "sensitive", "weights", "trees", "risk", "people", "utility", "controls", "reference")
"""Keys of records that are judged by their keys."""
OF_HISTORY = ("sensitive",)
"""Keys of these that say the same of a history."""
ONLY_HISTORY = ("bound", "claim", "leave_out")
NAME_FILES = ("tree", "trees", "matrices", "mechanism")
"""Parameters of methods and adversaries that name files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeFile(RecipeKeys):
    """A recipe for people as its file has it; what suits one shape only is None or empty where it is not given.

    Attributes:
        rules: a contest's by name, or a TOML file of rules or of a schema.
        schema: a TOML file of a schema of one's own; not beside rules.
        methods: ways to protect, each with its name and its own parameters.
        find: a method whose least k is looked for, with ``k = [low, high]`` and further parameters of its own.
        adversaries: who attacks, each with his name and what he knows.
        guarantees: what must hold: of records k, l, t and others, of histories l.
        coarser: by column how coarsely it is told: a width, a period of dates, or ``out``.
        seed: of all chance; drawn and recorded if not given.
        bound: of histories: which bound decides.
        claim: of histories: whether the claim H0 must be proven.
        leave_out: of histories: how many people, those hardest to hide, are left out altogether.
        target: of records judged by test sets: the mean risk that no adversary may reach.
        tests: of these: how many test sets.
        round: of these: whose conditions hold.
        shuffled: of these: whether the rows leave in an order that tells nothing.
        keys: of keyed records: what may be known of a person; the schema's quasi-identifiers if empty.
        sensitive: of these, and of histories: what must stay hidden; as the schema says if empty.
        harmless: by column the reason why nothing need be promised of it.
        unit: of keyed records: ``row``, the reason why a row is a person.
        learnable: by sensitive column the reason why it may be learnt.
        weights: of these: the column that says how many people a record stands for.
        trees: of these: by column the file of its tree of labels.
        risk: of these: the largest share of people that an adversary may find.
        people: of these: how many people are looked for at most.
        utility: of these: the measure that ranks the candidates.
        controls: of these: a file of people of the same population who are not in the original.
        reference: of these: a file of still others, whom an adversary has; half of the controls if not given.
    """

    rules: str = ""
    schema: str = ""
    methods: tuple[Mapping[str, object], ...] = ()
    find: Mapping[str, object] | None = None
    adversaries: tuple[Mapping[str, object], ...] = ()
    guarantees: Mapping[str, object] = field(default_factory=dict[str, object])
    coarser: Mapping[str, object] = field(default_factory=dict[str, object])
    seed: int | None = None
    bound: Bound | None = None
    claim: ClaimPolicy | None = None
    leave_out: int = 0
    target: float | None = None
    tests: int | None = None
    round: str | None = None
    shuffled: bool | None = None
    keys: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    harmless: Mapping[str, str] = field(default_factory=dict[str, str])
    unit: Mapping[str, str] = field(default_factory=dict[str, str])
    learnable: Mapping[str, str] = field(default_factory=dict[str, str])
    weights: str = ""
    trees: Mapping[str, str] = field(default_factory=dict[str, str])
    risk: float | None = None
    people: int | None = None
    utility: str = ""
    controls: str = ""
    reference: str = ""

    @property
    def book(self) -> str:
        """Where the rules or the schema stand: a contest's name or a path; empty if neither is given."""
        return self.rules or self.schema

    @property
    def tested(self) -> bool:
        """Whether records are judged by test sets."""
        return any(getattr(self, name) is not None for name in TESTED)

    @property
    def reads(self) -> list[Path]:
        """The files that the recipe reads, itself and its preset apart."""
        tables = (*self.methods, self.find or {}, *self.adversaries)
        inside = [path for table in tables for path in _list_paths(table)]
        releases = [Path(name) for each in self.releases for name in each.reads]
        book = [rules_path(self.book)] if self.book else []
        more = [Path(name) for name in _list_populations(self.guarantees)]
        others = [Path(name) for name in (self.controls, self.reference) if name]
        return [Path(self.original), *book, *releases, *map(Path, self.trees.values()), *inside, *more, *others]

    def place_beside(self, folder: Path) -> Self:
        """Return the recipe with the files that it names beside it."""
        placed = self.settle_releases(folder)
        return replace(
            placed,
            rules=str(folder / self.rules) if self.rules.endswith(".toml") else self.rules,
            schema=str(folder / self.schema) if self.schema else "",
            trees={name: str(folder / file) for name, file in self.trees.items()},
            controls=str(folder / self.controls) if self.controls else "",
            reference=str(folder / self.reference) if self.reference else "",
            guarantees=_place_population(self.guarantees, folder),
            methods=tuple(_place_files(table, folder) for table in self.methods),
            find=None if self.find is None else _place_files(self.find, folder),
            adversaries=tuple(_place_files(table, folder) for table in self.adversaries),
        )

    def list_faults(self, shape: Shape | None) -> Iterator[Fault]:
        """Give what is wrong with the keys, for data of a shape; for any if it is not known."""
        yield from self.list_common_faults(shape)
        if self.rules and self.schema:
            yield make_fault("schema", Said("not be given together with rules"), self.schema)
        if not (self.methods or self.own_releases or self.find is not None):
            yield make_fault("methods", Said("hold at least one, or release or find be given"), [])
        if shape is not None:
            yield from self._list_unsuited(shape)

    def _list_unsuited(self, shape: Shape) -> Iterator[Fault]:
        if shape is Shape.HISTORY:
            keyed = (name for name in KEYED if name not in OF_HISTORY)
            unsuited, rule = (*TESTED, *keyed, "harmless"), Said("not be given for a history")
        elif self.tested:
            unsuited = (*ONLY_HISTORY, *KEYED, *ON_ENGINES, "guarantees", "coarser", "find", "releases", "release")
            unsuited = (*unsuited, "limits", "keep", "harmless", "learnable", "unit")
            rule = Said("not be given for records with a target")
        else:
            unsuited, rule = ONLY_HISTORY, Said("not be given for records")
        for number, each in enumerate(self.releases if shape is Shape.HISTORY else (), 1):
            if each.deleted or each.ordered is False:
                every = Said("hold every row of the original, in its order, deleted ones as such")
                yield make_fault(f"releases.{number}", every, each.deleted or "ordered = false")
        usual = {item.name: item.default for item in fields(self)}
        for name in unsuited:
            value = getattr(self, name)
            if value is not None and value != usual[name] and (value or value == 0):
                yield make_fault(name, rule, value)


def _place_files(table: Mapping[str, object], folder: Path) -> dict[str, object]:
    placed = dict(table)
    for name in NAME_FILES:
        value = table.get(name)
        if isinstance(value, str):
            placed[name] = str(folder / value)
        elif isinstance(value, Mapping):
            placed[name] = {key: str(folder / file) if isinstance(file, str) else file for key, file in value.items()}
    return placed


def _list_paths(table: Mapping[str, object]) -> Iterator[Path]:
    for name in NAME_FILES:
        value = table.get(name)
        files = value.values() if isinstance(value, Mapping) else (value,)
        yield from (Path(file) for file in files if isinstance(file, str))


def name_unknown(error: UnknownNameError, place: str) -> Fault:
    """Return that a recipe names something that there is not."""
    return Fault(row=0, column=place, rule="known", value=error.name, message=quote_words(str(error)))


def _list_populations(table: Mapping[str, object]) -> Iterator[str]:
    """Give the files of populations that guarantees name, once for all of them or each its own."""
    name = table.get("population")
    if isinstance(name, str) and name:
        yield name
    for inner in table.values():
        if isinstance(inner, Mapping):
            yield from _list_populations(cast("Mapping[str, object]", inner))


def _place_population(table: Mapping[str, object], folder: Path) -> dict[str, object]:
    """Return guarantees with the files of populations beside the recipe."""
    placed: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            placed[key] = _place_population(cast("Mapping[str, object]", value), folder)
        else:
            placed[key] = str(folder / value) if key == "population" and isinstance(value, str) else value
    return placed
