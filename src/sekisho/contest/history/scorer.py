"""The scorer of contests over histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from sekisho.attack.history.guess_files import read_guess
from sekisho.attack.history.referee import judge, write_release_truth
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.scoring import GUESS, RELEASED, AttackScore, DrawnTest, Publication, ReleaseScore
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.files import read_published, read_release, write_published
from sekisho.data.review import ReleaseReview
from sekisho.safety.rejection import Bound
from sekisho.utility import MEASURES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryScorer:
    """Scores releases of a history and attacks on them.

    Attributes:
        bound: which bound an effective attack must pass.
    """

    keeps_truth: ClassVar[bool] = False
    draws_tests: ClassVar[bool] = False

    rules: HistoryRules
    original: Dataset
    bound: Bound

    @property
    def answer_width(self) -> int:
        """None: every target has a file of its own."""
        return 0

    @property
    def release_files(self) -> tuple[str, ...]:
        """What the files of a release are."""
        return self.rules.release_files

    def read_release(self, files: Mapping[str, Path]) -> Release:
        """Return a release, or raise everything that is wrong with it."""
        return read_release(files[RELEASED], self.rules, self.original)

    def measure(self, release: Release) -> ReleaseScore:
        """Return the utility and its parts."""
        score = MEASURES.make(self.rules.utility.measure).compare(self.original, release)
        return ReleaseScore(utility=score.value, detail=dict(score.detail))

    def publish(self, release: Release, *, rng: np.random.Generator) -> Publication:
        """Return the undeleted rows, sorted, which is the shuffle, and who is who."""
        del rng
        public = write_published(release, self.rules, review=ReleaseReview())  # the rules name the columns
        return Publication(public=public, secret=write_release_truth(self.original, release, self.rules))

    def draw_test(self, release: Release, publication: Publication, *, rng: np.random.Generator) -> DrawnTest | None:
        """Draw nothing: attackers hold the whole original."""
        del release, publication, rng

    def check_guess(self, published: Path, guess: Path) -> None:
        """Raise everything that is wrong with an attack's file."""
        read_guess(guess, self.rules, read_published(published, self.rules, self.original), self.original)

    def judge(self, release: Release, files: Mapping[str, Path]) -> AttackScore:
        """Return the hits against the threshold."""
        published = release.table.take(~release.deleted)
        guess = read_guess(files[GUESS], self.rules, published, self.original)
        judged = judge(self.original, release, guess, self.rules, self.bound)
        return AttackScore(
            claimed=judged.claimed, hits=judged.hits, effective=judged.effective, threshold=judged.threshold
        )
