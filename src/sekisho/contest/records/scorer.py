"""The scorer of contests over records: conditions, test sets and risk as a round of the rules has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from sekisho.attack.records.guess_files import read_guess
from sekisho.attack.records.referee import draw_test_set, judge, place_rows
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.scoring import ANSWERS, DELETED, GUESS, RELEASED, AttackScore, DrawnTest, Publication, ReleaseScore
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.files import read_answers, read_published, read_release, write_number_lines, write_records
from sekisho.data.records.space import hide_identifier
from sekisho.utility.records.conditions import check_conditions

TEST_SET = "test-set"
"""The condition that a test set can be drawn: enough records are kept, and enough deleted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsScorer:
    """Scores releases of records and attacks on them.

    Attributes:
        round: whose conditions and delta hold.
    """

    keeps_truth: ClassVar[bool] = False
    draws_tests: ClassVar[bool] = True

    rules: RecordRules
    original: Dataset
    round: str

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
        return read_release(files[RELEASED], files[DELETED], self.rules, self.original)

    def measure(self, release: Release) -> ReleaseScore:
        """Return every condition's value, and which of them are broken."""
        conditions = check_conditions(self.rules, self.original, release, round_name=self.round)
        values = {each.name: each.value for each in conditions if each.value is not None}
        broken = [each.name for each in conditions if not each.met]
        gone, test = int(release.deleted.sum()), self.rules.test
        if gone < test.others or len(release.deleted) - gone < test.members:
            broken.append(TEST_SET)
        return ReleaseScore(
            utility=values.get(self.rules.contest.ranking.measure),
            qualified=not broken,
            broken=tuple(broken),
            detail=values,
        )

    def publish(self, release: Release, *, rng: np.random.Generator) -> Publication:
        """Return the kept rows, shuffled unless the rules fix their order, and which row each record became."""
        kept = release.table.take(~release.deleted).to_dataset()
        order = None if self.rules.in_order else rng.permutation(len(kept)).astype(np.int64)
        shown = kept if order is None else Dataset(kept.frame[np.argsort(order)], kept.schema)
        secret = write_number_lines(place_rows(release.deleted, order))
        return Publication(public=write_records(shown, self.rules), secret=secret)

    def draw_test(self, release: Release, publication: Publication, *, rng: np.random.Generator) -> DrawnTest | None:
        """Draw an attacker's test set and its answers."""
        test = self.rules.test
        drawn = draw_test_set(release.deleted, rng=rng, members=test.members, others=test.others)
        place = np.array(publication.secret.split(), dtype=np.int64)
        known = hide_identifier(Dataset(self.original.frame[drawn.rows], self.original.schema))
        return DrawnTest(shown=write_records(known, self.rules), answers=write_number_lines(place[drawn.rows]))

    def check_guess(self, published: Path, guess: Path) -> None:
        """Raise everything that is wrong with an attack's file."""
        rows = len(read_published(published, self.rules, self.original.schema))
        read_guess(guess, self.rules, records=self.rules.test.members + self.rules.test.others, rows=rows)

    def judge(self, release: Release, files: Mapping[str, Path]) -> AttackScore:
        """Return the risk of an attack."""
        rows = int((~release.deleted).sum())
        answers = read_answers(files[ANSWERS], self.rules)
        guess = read_guess(files[GUESS], self.rules, records=len(answers), rows=rows)
        test, delta = self.rules.test, self.rules.find_round(self.round).delta
        judged = judge(answers, guess, delta=delta, count=test.answers, rows=rows, factors=test.factors)
        limit = self.rules.contest.ranking.limit
        return AttackScore(
            claimed=judged.claimed,
            hits=judged.hits,
            effective=limit is not None and judged.risk > limit,
            risk=judged.risk,
            detail={"recall": judged.recall, "precision": judged.precision, "topk": judged.topk},
        )
