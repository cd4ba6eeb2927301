"""Which keys a page counts with, and the questions that it asks about them.

The steps at which keys are tried stand in the address (``?step=3:birth_date``) only: looking writes nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from fastapi import HTTPException, Request
from starlette.responses import HTMLResponse, Response

from sekisho.data.frame.dataset import Role
from sekisho.data.shape import Shape
from sekisho.server.desk.counter import CountAnswer, CountQuestion, Later
from sekisho.server.desk.edits import Files, read_keys
from sekisho.server.desk.frame import find_desk, write_desk_page
from sekisho.server.desk.places import HiddenNames
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.shown import OpenCase
from sekisho.server.web.language import choose_language
from sekisho.words import Language, Said, translate

FAULT = Said("A fault of ours; the page can be asked for again.")
FAILURES = {"memory": Said("It needs more memory than it may take.")}
SOON, PATIENT = 4.0, 60.0
"""So many seconds a page waits for counts, and a form for what it is to write."""
MOST_STEPS = 4
"""A step is a number of so many digits at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedColumn:
    """A column that may be known to others.

    Attributes:
        name: of the column.
        role: what the schema says it is.
        is_key: whether it is counted with.
    """

    name: str
    role: Role
    is_key: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneKey:
    """A key that the file is no longer read with; ``version`` is the last that had it, None if none had."""

    name: str
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenKeys:
    """What somebody may know, as a version has it.

    Attributes:
        columns: all that may be known: the keys first.
        gone: keys that are no longer read.
        sensitive: what must stay hidden.
        trees: by column the text of its tree's file.
        steps: by key the step at which it is tried.
        holder: the column that says whose a row is; empty if none does.
    """

    columns: tuple[OfferedColumn, ...]
    gone: tuple[GoneKey, ...]
    sensitive: tuple[str, ...]
    trees: Mapping[str, str]
    steps: Mapping[str, int]
    holder: str

    @classmethod
    def of(cls, shown: OpenCase, request: Request | None = None) -> ChosenKeys:
        """Return the keys of a version, at the steps that an address says."""
        recipe, roles = read_keys(shown.files, "recipe"), list_roles(shown.files)
        usual = [name for name, role in roles.items() if role is Role.QUASI]
        said = cast("list[str]", recipe.get("keys") or usual)
        keys = [name for name in said if name in roles]
        others = [name for name, role in roles.items() if name not in keys and role is not Role.IDENTIFIER]
        columns = [OfferedColumn(name=name, role=roles[name], is_key=name in keys) for name in (*keys, *others)]
        hidden = [name for name, role in roles.items() if role is Role.SENSITIVE]
        wanted = [] if request is None else find_desk(request).places.read_all(request, "step")
        return cls(
            columns=tuple(columns),
            gone=tuple(GoneKey(name=name, version=_find_last(shown, name)) for name in said if name not in roles),
            sensitive=tuple(name for name in recipe.get("sensitive") or hidden if name not in keys),
            trees={name: text for name, text in _read_trees(shown.files, recipe).items() if name in roles},
            steps=_read_steps(wanted, keys),
            holder=next((name for name, role in roles.items() if role is Role.IDENTIFIER), ""),
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that are counted with."""
        return tuple(column.name for column in self.columns if column.is_key)

    @property
    def usual(self) -> tuple[str, ...]:
        """The keys if the recipe names none."""
        return tuple(column.name for column in self.columns if column.role is Role.QUASI)

    def describe(self, *, without: str = "") -> list[Plain]:
        """Return the keys as questions carry them."""
        return [
            {"name": name, "tree": self.trees.get(name, ""), "step": self.steps.get(name, 0)}
            for name in self.keys
            if name != without
        ]

    def write_query(self, places: HiddenNames) -> str:
        """Return the steps as the query of an address."""
        return places.write_query(("step", f"{step}:{name}") for name, step in self.steps.items() if step)


def list_roles(files: Files) -> dict[str, Role]:
    """Return what each column is that the schema reads."""
    columns = cast("list[dict[str, Any]]", read_keys(files, "schema").get("columns", []))
    return {
        str(column.get("name") or column.get("source") or ""): Role(str(column.get("role", Role.OTHER)))
        for column in columns
    }


def _read_trees(files: Files, recipe: Mapping[str, Any]) -> dict[str, str]:
    named = cast("dict[str, str]", recipe.get("trees", {}))
    return {name: files[file].decode(errors="replace") for name, file in named.items() if file in files}


def _read_steps(texts: Sequence[str], keys: Sequence[str]) -> dict[str, int]:
    pairs = [text.partition(":") for text in texts]
    return {
        name: int(step)
        for step, _, name in pairs
        if name in keys and step.isascii() and step.isdecimal() and len(step) <= MOST_STEPS
    }


def _find_last(shown: OpenCase, name: str) -> int | None:
    """Return the last version that reads a column."""
    having = [version.number for version in shown.case.versions.list() if name in list_roles(version.files)]
    return max(having, default=None)


def ask(
    request: Request, shown: OpenCase, name: str, *, seconds: float = SOON, **arguments: object
) -> CountAnswer | Later:
    """Ask about the data of a case at the version that a page shows."""
    counter = find_desk(request).counters.open(shown.case.folder)
    return counter.ask(CountQuestion(name=name, version=shown.version, arguments=arguments), seconds=seconds)


def count_ahead(request: Request, shown: OpenCase) -> None:
    """Have counted what the page of the risk shows first, while its reader is still on another one."""
    chosen = ChosenKeys.of(shown)
    if not chosen.keys:
        return
    if shown.shape is Shape.RECORDS:
        ask(request, shown, "steps", seconds=0.0, **weigh(chosen))
    elif shown.shape is Shape.HISTORY and chosen.holder:
        ask(request, shown, "found_by_rows", seconds=0.0, keys=list(chosen.keys))


def weigh(chosen: ChosenKeys, focus: str = "") -> Plain:
    """Return the question who is alone on keys: its arguments, which are the same whoever asks."""
    return {"about": "weigh", "keys": chosen.describe(), "focus": focus}


def ask_for(request: Request, shown: OpenCase, about: str, **arguments: object) -> CountAnswer:
    """Ask what must be known before something can be written.

    Raises:
        HTTPException: it takes too long.
    """
    answer = ask(request, shown, "steps", seconds=PATIENT, about=about, **arguments)
    if isinstance(answer, Later):
        raise HTTPException(503)
    return answer


PERIODS: Sequence[tuple[re.Pattern[str], Said]] = (
    (re.compile(r"\d{4}-\d{2}"), Said("period|month")),
    (re.compile(r"\d{4}-Q\d"), Said("period|quarter")),
    (re.compile(r"\d{4}"), Said("period|year")),
    (re.compile(r"\d{4}s"), Said("{years} years", years=10)),
)
YEARS = re.compile(r"(\d{4})-(\d{4})")


def name_step(step: Plain, *, kind: str, last: bool) -> Said:
    """Return what a step of a tree is called, told by its labels."""
    labels = [str(label) for label in step["shown"]]
    if not step["step"]:
        return Said("step|as it is")
    if last:
        return Said("step|all")
    if kind == "date":
        years = YEARS.fullmatch(labels[0])
        if years is not None:
            return Said("{years} years", years=int(years[2]) - int(years[1]) + 1)
        period = next((words for form, words in PERIODS if form.fullmatch(labels[0])), None)
        if period is not None:
            return period
    if kind == "code" and len({*map(len, labels)}) == 1:
        return Said("first {length} {length:character|characters}", length=len(labels[0]))
    return Said("such as {label}", label=labels[0])


def name_ladder(steps: Sequence[Plain], kind: str) -> list[Plain]:
    """Return the steps of a tree that join anything, each with its words."""
    return [
        {**step, "words": name_step(step, kind=kind, last=step is steps[-1])}
        for step in steps
        if not step["step"] or step is steps[-1] or step["values"] < steps[step["step"] - 1]["values"]
    ]


def list_others(told: Plain, chosen: ChosenKeys, column: str) -> list[Plain]:
    """Return the other keys that have steps, each with the words of its steps."""
    return [
        {"name": name, "steps": name_ladder(steps, told["kinds"].get(name, "")), "step": chosen.steps.get(name, 0)}
        for name, steps in told["steps"].items()
        if name != column
    ]


def name_others(request: Request) -> str:
    """Return what rare values are called together, in the reader's language."""
    return translate(Said("group|other"), choose_language(request))


def show_failure(request: Request, shown: OpenCase, failure: Plain, *, step: str) -> HTMLResponse:
    """Say what was wrong with a question about the data: all faults at once."""
    language = choose_language(request)
    words = failure.get("words", {}).get(str(language)) or FAILURES.get(failure["key"], FAULT)
    return write_desk_page(
        request, "desk/failure.html", shown, step=step, status=422, words=words, failure=tell_failure(failure, language)
    )


def tell_failure(failure: Plain, language: Language) -> list[Plain]:
    """Return the faults of a failure in a language."""
    return [
        {name: value.get(str(language), "") if isinstance(value, dict) else value for name, value in fault.items()}
        for fault in failure.get("faults", [])
    ]


def stay_on_page(answer: Response) -> Response:
    """Return an answer to a form by which htmx changes what is on the page, and leaves the reader where he is on it."""
    address = answer.headers.get("hx-redirect")
    if address is not None:
        del answer.headers["hx-redirect"]
        answer.headers["HX-Location"] = json.dumps({"path": address, "target": "body", "swap": "innerHTML"})
    return answer
