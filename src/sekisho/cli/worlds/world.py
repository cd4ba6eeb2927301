"""Where a verb asks for the shape: rules in, the world of that shape out.

A world answers every verb; which options do not suit it, it says itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Protocol

import typer

from sekisho.attack import Adversary
from sekisho.cli.kit.answer import Answer
from sekisho.cli.kit.suits import refuse_unsuited
from sekisho.cli.worlds.files import AttackFiles, CheckFiles, JudgeFiles, PublishFiles
from sekisho.cli.worlds.history import HistoryWorld
from sekisho.cli.worlds.records import RecordsWorld
from sekisho.data.shape import Shape
from sekisho.gate.rulebooks import read_terms
from sekisho.safety.pseudonyms import PseudonymPattern
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms, Terms
from sekisho.seeds import Seed


class World(Protocol):
    """What the verbs do with data of one shape.

    Attributes:
        unsuited: by verb, the parameters that do not suit the shape.
    """

    unsuited: ClassVar[Mapping[str, tuple[str, ...]]]
    called: ClassVar[str]

    @property
    def book(self) -> Terms:
        """The rules."""
        ...

    def check(self, files: CheckFiles) -> Callable[[], PseudonymPattern | None]:
        """Return how the file that is asked about is read, and how its pseudonyms tell names."""
        ...

    def publish(self, files: PublishFiles, seed: int | None) -> Answer:
        """Publish a release."""
        ...

    def measure(self, original: Path, released: Path, deleted: Path | None, round_name: str) -> Answer:
        """Measure a release."""
        ...

    def judge(self, files: JudgeFiles, *, bound: Bound, round_name: str) -> Answer:
        """Judge an attack."""
        ...

    def attack(self, name: str, adversary: Adversary, files: AttackFiles, *, seed: Seed) -> Answer:
        """Attack what was published."""
        ...


def find_world(rules: str, context: typer.Context, verb: str) -> World:
    """Return the world that rules speak of, having refused the options that do not suit it."""
    return open_world(read_terms(rules), context, verb)


def refuse_unsuited_shape(shape: Shape, context: typer.Context, verb: str) -> None:
    """Refuse the options that do not suit a shape, before its file is looked at."""
    world = HistoryWorld if shape is Shape.HISTORY else RecordsWorld
    refuse_unsuited(context, world.called, world.unsuited.get(verb, ()))


def refuse_unsuited_terms(book: Terms, context: typer.Context, verb: str) -> None:
    """Refuse the options that do not suit the shape of some rules."""
    world = HistoryWorld if isinstance(book, HistoryTerms) else RecordsWorld
    refuse_unsuited(context, f"{world.called} ({book.name})", world.unsuited.get(verb, ()))


def open_world(book: Terms, context: typer.Context, verb: str) -> World:
    """Return the world of some rules, having refused the options that do not suit it."""
    world: World = HistoryWorld(book=book) if isinstance(book, HistoryTerms) else RecordsWorld(book=book)
    refuse_unsuited(context, f"{world.called} ({book.name})", world.unsuited.get(verb, ()))
    return world
