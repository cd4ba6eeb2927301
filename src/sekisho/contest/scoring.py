"""What files are worth under some rules: one scorer for browser, command line and server, so that scores are the same.

A scorer holds an original and the rules; it reads what a team handed in, measures it, publishes it, draws test sets and
judges attacks. It keeps no state and draws no randomness of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np

from sekisho.contest.result import AttackScore, ReleaseScore
from sekisho.data.frame.release import Release

SCORER = f"sekisho {version('sekisho')}"
"""Which scorer said what a file was worth."""

RELEASED, DELETED, GUESS, ANSWERS = "released", "deleted", "guess", "answers"
"""What a file is."""


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


class Scorer(Protocol):
    """Says what files are worth.

    Attributes:
        release_files: what the files of a release are.
        draws_tests: whether each attacker gets a test set of his own for each release.
    """

    release_files: ClassVar[tuple[str, ...]]
    draws_tests: ClassVar[bool]

    def read_release(self, files: Mapping[str, Path]) -> Release:
        """Return a release, or raise everything that is wrong with it."""
        ...

    def measure(self, release: Release) -> ReleaseScore:
        """Return what a release keeps."""
        ...

    def publish(self, release: Release, *, rng: np.random.Generator) -> Publication:
        """Return what is published of a release."""
        ...

    def draw_test(self, release: Release, publication: Publication, *, rng: np.random.Generator) -> DrawnTest | None:
        """Draw an attacker's test set; None where attackers hold the whole original."""
        ...

    def judge(self, release: Release, files: Mapping[str, Path]) -> AttackScore:
        """Return what an attack came to, or raise everything that is wrong with its file."""
        ...
