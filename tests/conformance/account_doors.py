"""A small file whose release closes its account, every method of records on it, and the doors to ask for a release."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, cast

import sekisho
from sekisho.cli import status_of
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, SekishoError
from sekisho.gate.outcome import Verdict
from sekisho.protect import METHODS
from sekisho.seeds import Seed

Row = Mapping[str, object]
METHOD_NAMES = tuple(name for name in METHODS if Shape.RECORDS in METHODS.shapes(name))
STATUS = {Verdict.RELEASE: 0, Verdict.REFUSE: 1, Verdict.REVIEW: 3}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
KINDS = {"sex": "category", "town": "category", "age": "integer", "ill": "category"}
KEYS, SENSITIVE = ("sex", "town", "age"), ("ill",)
HARMLESS = "the same for everybody in this small file"
PARAMETERS: Mapping[str, Mapping[str, object]] = {
    "borrow": {"limit": 2},
    "code": {"round": {"age": "4"}},
    "decoy": {"limit": 2, "share": 0.1},
    "delete": {"limit": 2},
    "delete-extremes": {"top": {"age": 49}},
    "delete-random": {"share": 0.05},
    "delete-small": {"keys": KEYS, "k": 2},
    "lattice": {"keys": KEYS, "k": 2, "sensitive": "ill", "l": 2},
    "microaggregate": {"keys": KEYS, "k": 2},
    "noise": {"epsilon": {"age": 0.02}, "low": {"age": 0}, "high": {"age": 100}},
    "partition": {"keys": KEYS, "k": 2, "sensitive": "ill", "l": 2},
    "pram": {"retention": "0.1"},
    "randomise": {},
    "rankswap": {"keys": ("age",)},
    "recordswap": {"geography": ("town",)},
    "sample": {"size": "90%"},
    "suppress": {"keys": KEYS, "k": 2},
    "swap": {"limit": 2},
}
"""What each method of records is asked for; whoever adds a method adds a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked of a door: rows, who says what of their columns, what must hold, a method.

    Attributes:
        rows: the file.
        method: its name.
        parameters: of the method, as a recipe has them.
        keys: what may be known of a person.
        sensitive: what must stay hidden.
        harmless: by column why nothing need be promised of it.
        guarantees: what must hold, as a recipe has it.
    """

    rows: Sequence[Row]
    method: str
    parameters: Mapping[str, object]
    keys: tuple[str, ...] = KEYS
    sensitive: tuple[str, ...] = SENSITIVE
    harmless: Mapping[str, str] = field(default_factory=dict[str, str])
    guarantees: Mapping[str, object] = field(default_factory=lambda: dict[str, object](k=2, l=2))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the file."""
        return tuple(self.rows[0])

    def with_column(self, name: str, values: Sequence[object]) -> Question:
        """Return the same question of a file with one more column, of which nobody says anything."""
        return replace(self, rows=[{**row, name: value} for row, value in zip(self.rows, values, strict=True)])


def make_rows() -> list[dict[str, object]]:
    """Return 120 people: ten of each sex, town and age, three illnesses in every class."""
    return [
        {"sex": sex, "town": town, "age": age, "ill": ill}
        for sex in "fm"
        for town in ("Ried", "Horn")
        for age in (30, 40, 50)
        for ill in ("flu", "hiv", "none", "flu", "none")
        for _ in range(2)
    ]


def make_question(method: str) -> Question:
    """Return a question whose account closes wherever it can be asked for."""
    question = Question(rows=make_rows(), method=method, parameters=PARAMETERS[method])
    if method == "noise":  # what is noised and keyed beside it have no promise together
        others = dict.fromkeys(("sex", "town", "ill"), HARMLESS)
        return replace(question, keys=(), sensitive=(), harmless=others, guarantees={})
    if method == "rankswap":  # its keys are the numbers whose ranks move
        return replace(question, keys=("age",), harmless=dict.fromkeys(("sex", "town"), HARMLESS))
    return question


def draw_distinct(count: int, kind: str) -> list[str]:
    """Return distinct numbers, dates or texts by chance."""
    codes = Seed(7).rng().permutation(9 * count)[:count].tolist()
    if kind == "numbers":
        return [str(1000 + code) for code in codes]
    if kind == "dates":
        return [(date(1940, 1, 1) + timedelta(days=13 * code)).isoformat() for code in codes]
    return ["".join(LETTERS[code // 26**place % 26] for place in range(4)) for code in codes]


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write a file of records."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def ask_python(question: Question, folder: Path) -> int:
    """Return the status that the call in Python stands for."""
    path = folder / "people.csv"
    write_rows(question.rows, path)
    try:
        made = cast("Any", sekisho.protect)(
            path,
            method=question.method,
            columns=[_describe_column(question, name) for name in question.columns],
            harmless=question.harmless,
            seed=1,
            **dict(_list_asked(question)),
            **question.parameters,
        )
    except InfeasibleError:
        return 1
    except SekishoError:
        return 2
    return STATUS[made.verdict]


def _list_asked(question: Question) -> Iterator[tuple[str, object]]:
    """Give what is asked for beside a method, as far as the method has no parameter of that name itself."""
    taken = list_parameters(question.method)
    for name, value in (("keys", question.keys), ("sensitive", question.sensitive), *question.guarantees.items()):
        if value and name not in taken:
            yield name, value


def list_parameters(method: str) -> tuple[str, ...]:
    """Return the names of a method's parameters."""
    return tuple(item.name for item in fields(cast("Any", METHODS[method])))


def _describe_column(question: Question, name: str) -> str:
    if "keys" not in list_parameters(question.method):
        return name
    role = "quasi" if name in question.keys else "sensitive" if name in question.sensitive else ""
    return ":".join(filter(None, (name, KINDS.get(name.removesuffix("_2"), "category"), role)))


def ask_command(question: Question, folder: Path) -> int:
    """Return the status of ``sekisho protect``."""
    write_rows(question.rows, folder / "people.csv")
    asked = [*question.parameters.items(), *_list_asked(question)]
    options = [f"--{name}={_write_option(value)}" for name, value in asked]
    options += [f"--harmless={name}={reason}" for name, reason in question.harmless.items()]
    options += [f"--columns={','.join(_describe_column(question, name) for name in question.columns)}"]
    words = ("protect", question.method, str(folder / "people.csv"), *options, "--out", str(folder / "R.csv"))
    return status_of([*words, "--seed", "1", "--json"])


def _write_option(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}={part}" for name, part in value.items())
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def ask_gate(question: Question, folder: Path, *, more: str = "") -> int:
    """Return the status of ``sekisho gate``; its files lie in ``out``."""
    write_rows(question.rows, folder / "people.csv")
    (folder / "recipe.toml").write_text(write_recipe(question) + more, "utf-8")
    words = ("gate", str(folder / "recipe.toml"), "--out", str(folder / "out"), "--seed", "1", "--advice", "0")
    return status_of([*words, "--json"])


def write_recipe(question: Question) -> str:
    """Return the recipe of a question."""
    lines = ['shape = "records"', 'original = "people.csv"', "risk = 0.9"]
    lines += [f"{name} = {_write_value(value)}" for name, value in _list_roles(question) if value]
    lines += ["[harmless]", *(f"{name} = {_write_value(reason)}" for name, reason in question.harmless.items())]
    lines += ["[guarantees]", *(f"{name} = {_write_value(value)}" for name, value in question.guarantees.items())]
    lines += ["[[methods]]", f'name = "{question.method}"']
    lines += [f"{name} = {_write_value(value)}" for name, value in question.parameters.items()]
    text = "\n".join((*lines, ""))
    assert tomllib.loads(text)
    return text


def _list_roles(question: Question) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ("keys", question.keys), ("sensitive", question.sensitive)


def _write_value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_write_value(part)}" for name, part in value.items()) + " }"
    return json.dumps(list(value) if isinstance(value, tuple) else value)


Door = Callable[[Question, Path], int]
DOORS: Mapping[str, Door] = {"python": ask_python, "command": ask_command, "gate": ask_gate}
