"""What files are worth under some rules: one scorer for browser, command line and server, so that scores are the same.

A scorer holds an original and the rules; it reads what a team handed in, measures it, publishes it, draws test sets and
judges attacks. It keeps no state and draws no randomness of its own.

What a file was worth, as plain figures: the same for every shape, fit for a ledger.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseScore:
    """What a valid release keeps.

    Attributes:
        utility: the rules' measure, less is better; None where it has no value.
        qualified: whether every condition of the round is met.
        broken: the conditions that are not.
        detail: the parts of the utility, or every condition's value.
    """

    utility: float | None = None
    qualified: bool = True
    broken: tuple[str, ...] = ()
    detail: Mapping[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        figures = (*self.detail.values(), *(() if self.utility is None else (self.utility,)))
        if not all(map(isfinite, figures)):
            raise ParameterError("score", Said("be of finite numbers"), list(figures))


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackScore:
    """What a valid attack came to.

    Attributes:
        claimed: of how many something was said.
        hits: how many were named rightly.
        effective: whether the attack breaks the release.
        threshold: of histories, the fewest hits that would have been effective.
        risk: of records, the contest's risk.
        detail: of records, the factors of the risk; of several questions the figure of each by its name.
        struck: of marks, which members were hit, as bits in an order that only the referee knows.
    """

    claimed: int
    hits: int
    effective: bool
    threshold: int | None = None
    risk: float | None = None
    detail: Mapping[str, float] = field(default_factory=dict[str, float])
    struck: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.claimed:
            raise ParameterError("hits", Said("lie between 0 and {claimed}", claimed=self.claimed), self.hits)
        figures = (*self.detail.values(), *(() if self.risk is None else (self.risk,)))
        if not all(map(isfinite, figures)):
            raise ParameterError("score", Said("be of finite numbers"), list(figures))


Worth = ReleaseScore | AttackScore


SCORER = f"sekisho {version('sekisho')}"
"""Which scorer said what a file was worth."""

RELEASED, DELETED, GUESS, ANSWERS, OWN = "released", "deleted", "guess", "answers", "own"
"""What a file is; ``own`` is what the attacker himself was given."""


HOUSE = "house "
"""What stands before the name of an attacker of the house among a release's figures."""
VALUE = "value"
"""What stands behind a figure's name where an attack gives its attacker another one."""


def pack_bits(flags: NDArray[np.bool_]) -> str:
    """Return flags as text for a ledger."""
    return b64encode(np.packbits(flags).tobytes()).decode()


def unpack_bits(text: str) -> NDArray[np.uint8]:
    """Return flags, with zeros behind the last one, from their text."""
    return np.unpackbits(np.frombuffer(b64decode(text, validate=True), dtype=np.uint8))


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What is published of a release, and what stays with the referee.

    Attributes:
        public: the file for everybody.
        secret: who is who: of a history lines ``pseudonym,customer``; of records for each row of the original its
            published row, -1 if it was deleted.
    """

    public: bytes
    secret: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTest:
    """What an attacker is shown of the original's records, and the answers, which stay with the referee."""

    shown: bytes
    answers: bytes


ReadRelease: TypeAlias = Any
"""A release as the scorer that read it knows it; nobody else looks into it."""


class Scorer(Protocol):
    """Says what files are worth.

    Attributes:
        release_files: what the files of a release are.
        draws_tests: whether each attacker gets a test set of his own for each release.
        keeps_truth: whether attacks are judged by what the publication left with the referee.
    """

    draws_tests: ClassVar[bool]
    keeps_truth: ClassVar[bool]

    @property
    def answer_width(self) -> int:
        """How many columns the answer about one release has in a file about all; 0 where there is no such file."""
        ...

    @property
    def release_files(self) -> tuple[str, ...]:
        """What the files of a release are."""
        ...

    def read_release(self, files: Mapping[str, Path]) -> ReadRelease:
        """Return a release, or raise everything that is wrong with it."""
        ...

    def measure(self, release: ReadRelease) -> ReleaseScore:
        """Return what a release keeps."""
        ...

    def publish(self, release: ReadRelease, *, rng: np.random.Generator) -> Publication:
        """Return what is published of a release."""
        ...

    def draw_test(
        self, release: ReadRelease, publication: Publication, *, rng: np.random.Generator
    ) -> DrawnTest | None:
        """Draw an attacker's test set; None where attackers hold the whole original."""
        ...

    def check_guess(self, published: Path, guess: Path) -> None:
        """Raise everything that is wrong with an attack's file, as far as what is published tells."""
        ...

    def judge(self, release: ReadRelease, files: Mapping[str, Path]) -> AttackScore:
        """Return what an attack came to, or raise everything that is wrong with its file."""
        ...
