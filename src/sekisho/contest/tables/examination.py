"""What an examiner is: he asks about a release, keeps what he must know, and judges an answer by that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sekisho.contest.scoring import AttackScore
from sekisho.contest.tables.release import TablesOriginal, TablesRelease
from sekisho.data.files.part_table import PartTable
from sekisho.data.files.settings import build_settings
from sekisho.errors import ParameterError
from sekisho.seeds import Seed
from sekisho.words import Said

T = TypeVar("T")
Settings = Mapping[str, object]
PROGRAM = "program"
"""The key of the house that says which program an attacker of the house runs."""
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What is published beside a release, by its file's name, and what the referee keeps."""

    shown: Mapping[str, bytes]
    truth: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRelease:
    """What an attacker holds of a release, the referee's truth aside.

    Attributes:
        rows: of its tables.
        secret: how many columns he is asked for, where they follow from a number.
        shown: what is published, by its file's name.
    """

    rows: int
    secret: int
    shown: Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttackCase:
    """An attack that is to be judged.

    Attributes:
        original: what the attacked release was made of.
        guess: the answer's file.
        truth: what the referee kept.
        own: what the attacker himself was given; None where he has nothing of his own.
        seed: the referee's.
    """

    original: TablesOriginal
    guess: Path
    truth: Path
    own: TablesOriginal | None
    seed: Seed


class Examiner(Protocol):
    """Asks and judges."""

    def find_form(self, original: TablesOriginal) -> PartTable:
        """Return the form of an answer about one release."""
        ...

    def examine(self, original: TablesOriginal, order: Ints | None, *, rng: np.random.Generator) -> Examination:
        """Return what is asked of a release made from this original.

        Args:
            original: what it was made of.
            order: in which people are published, where that is an order of their own.
            rng: the referee's.
        """
        ...

    def judge(self, case: AttackCase) -> AttackScore:
        """Return what an answer comes to, or raise everything that is wrong with its file."""
        ...

    def check(self, guess: Path, asked: AskedRelease) -> None:
        """Raise everything that is wrong with the file of an answer; what it hits is not looked at."""
        ...

    def attack(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> float:
        """Return what a program of the house comes to on a test of its own."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AtRandom:
    """A program of the house that knows nothing; it is told nothing."""


def find_program(program: Settings) -> str:
    """Return which program an attacker of the house runs."""
    return str(program.get(PROGRAM, ""))


def read_program(program: Settings, kind: type[T]) -> T:
    """Return a program of the house with what the rules tell it."""
    told = {key: value for key, value in program.items() if key != PROGRAM}
    return build_settings(told, kind, source="house", place="house")


def refuse_program(program: Settings) -> ParameterError:
    """Return why a program of the house cannot be run."""
    return ParameterError("house", Said("be a program for this kind of answer"), program.get(PROGRAM))
