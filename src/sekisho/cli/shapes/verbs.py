"""Where a verb asks for the shape: rules in, the verbs of that shape out.

A shape answers every verb; which options do not suit it, it says itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Protocol

import typer

from sekisho.attack import Adversary
from sekisho.cli.kit.answer import Answer
from sekisho.cli.kit.options import refuse_unsuited
from sekisho.cli.shapes.files import AttackFiles, CheckFiles, JudgeFiles, PublishFiles
from sekisho.cli.shapes.history import HistoryVerbs
from sekisho.cli.shapes.records import RecordsVerbs
from sekisho.data.shape import Shape
from sekisho.gate.rulebooks import read_terms
from sekisho.safety.pseudonyms import PseudonymPattern
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms, Terms
from sekisho.seeds import Seed


class ShapeVerbs(Protocol):
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


def find_verbs(rules: str, context: typer.Context, verb: str) -> ShapeVerbs:
    """Return the verbs of the shape that rules speak of, having refused the options that do not suit it."""
    return open_verbs(read_terms(rules), context, verb)


def refuse_unsuited_shape(shape: Shape, context: typer.Context, verb: str) -> None:
    """Refuse the options that do not suit a shape, before its file is looked at."""
    verbs = HistoryVerbs if shape is Shape.HISTORY else RecordsVerbs
    refuse_unsuited(context, verbs.called, verbs.unsuited.get(verb, ()))


def refuse_unsuited_terms(book: Terms, context: typer.Context, verb: str) -> None:
    """Refuse the options that do not suit the shape of some rules."""
    verbs = HistoryVerbs if isinstance(book, HistoryTerms) else RecordsVerbs
    refuse_unsuited(context, f"{verbs.called} ({book.name})", verbs.unsuited.get(verb, ()))


def open_verbs(book: Terms, context: typer.Context, verb: str) -> ShapeVerbs:
    """Return the verbs of the shape of some rules, having refused the options that do not suit it."""
    verbs: ShapeVerbs = HistoryVerbs(book=book) if isinstance(book, HistoryTerms) else RecordsVerbs(book=book)
    refuse_unsuited(context, f"{verbs.called} ({book.name})", verbs.unsuited.get(verb, ()))
    return verbs
