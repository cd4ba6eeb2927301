"""Questions about people of overlapping cohorts: who of mine is also in yours, and when did it happen to this one?

``confidence``  every attacker is asked about the people of his own cohort: who of them is in the target's, too?
``interval``    everybody is asked about the same people: members of the target mixed with others who are like them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from sekisho.attack.tables.density_ratio import DensityRatio
from sekisho.contest.answers.confidence import CONFIDENCE, ConfidenceAnswer
from sekisho.contest.answers.interval import CHALLENGE, IntervalAnswer
from sekisho.contest.scoring import VALUE, AttackScore
from sekisho.contest.tables.examination import (
    AskedRelease,
    AttackCase,
    Examination,
    Ints,
    Settings,
    read_program,
    refuse_program,
)
from sekisho.contest.tables.release import TablesOriginal, TablesRelease, read_plain
from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.errors import ParameterError
from sekisho.words import Said

BACKGROUND, MEMBER, RARE, TRUE_TIME = "background", "member", "rare", "time"
CHALLENGES = "challenges.csv"
OTHER, OTHER_RARE = 1.0, 9.0
"""How far apart people are who differ in a category, and of whom one is rare."""
Flags = NDArray[np.bool_]


def _require_background(original: TablesOriginal) -> pl.DataFrame:
    if BACKGROUND not in original.given:
        raise ParameterError(
            "original.given", Said("have {name}, for a kind of answer asks for it", name=BACKGROUND), ""
        )
    return original.given[BACKGROUND]


def _find_rare(table: pl.DataFrame, rare: str) -> Flags:
    return (table[rare] == "1").to_numpy() if rare in table.columns else np.zeros(table.height, dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceExaminer:
    """Asks who of an attacker's own people is a member.

    Attributes:
        person: the column that names people.
        rare: the column of 0 and 1 that marks rare ones.
        permutations: by how many luck is estimated.
    """

    person: str
    rare: str = ""
    permutations: int = 20_000

    def __post_init__(self) -> None:
        if self.permutations < 1:
            raise ParameterError("permutations", Said("be 1 or more"), self.permutations)

    def find_form(self, original: TablesOriginal) -> PartTable:
        """Return the form of an answer by somebody whose own people these are."""
        return self.find_answer(original).form

    def find_answer(self, own: TablesOriginal) -> ConfidenceAnswer:
        """Return the kind of answer that somebody with these people gives."""
        return ConfidenceAnswer(person=self.person, people=own.table.height, permutations=self.permutations)

    def examine(self, original: TablesOriginal, order: Ints | None, *, rng: np.random.Generator) -> Examination:
        """Show nothing, and keep who the members are."""
        del order, rng
        return Examination(shown={}, truth=PartTable(columns=(self.person,)).write(original.table))

    def judge(self, case: AttackCase) -> AttackScore:
        """Return the risk of the release, and what the answer gives its attacker."""
        if case.own is None:
            raise ParameterError(
                "own", Said("be given: attackers are asked about people whom they were given themselves"), None
            )
        people = case.own.table[self.person]
        answer = self.find_answer(case.own)
        confidence = answer.read(case.guess, people)
        member = people.is_in(read_plain(case.truth)[self.person].implode()).to_numpy()
        rare = _find_rare(case.own.table, self.rare)
        found = answer.find_risk(confidence, member, rare, rng=case.seed.child("luck").rng())
        hits = int(found.score.of_all * int(member.sum()))
        detail = {VALUE: found.score.value, "luck": found.luck}
        return AttackScore(claimed=len(people), hits=hits, effective=False, risk=found.risk, detail=detail)

    def check(self, guess: Path, asked: AskedRelease) -> None:
        """Raise what is wrong with the cells; whom an attacker is asked about, only the referee knows here."""
        del asked
        PartTable(columns=(self.person, CONFIDENCE), cells={CONFIDENCE: CellRules(least=0, most=1)}).read(guess)

    def attack(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> float:
        """Let half of the background be known and ask about the other half and as many members."""
        columns = read_program(program, DensityRatio).columns
        original = release.find_original(part)
        background = _require_background(original)
        drawn = rng.permutation(background.height)
        known, others = background[drawn[: len(drawn) // 2]], background[drawn[len(drawn) // 2 :]]
        members = original.table[rng.permutation(original.table.height)[: others.height]]
        asked = pl.concat([members.select(columns), others.select(columns)])
        guess = DensityRatio(columns=columns).guess(next(iter(release.tables.values())), known, asked)
        member = np.arange(asked.height) < members.height
        rare = np.concatenate([_find_rare(members, self.rare), _find_rare(others, self.rare)])
        answer = ConfidenceAnswer(person=self.person, people=len(member), permutations=self.permutations)
        return answer.find_risk(guess, member, rare, rng=rng).risk


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalExaminer:
    """Asks for a time of members and of others who are like them.

    Attributes:
        challenges: about how many, half of them members; fewer where there are not so many.
        known: the columns that attackers are shown.
        time: the column that they are asked for.
        rare: the column of 0 and 1 that marks rare people.
        tolerance: how near a time must be.
        floor: what is taken off.
    """

    challenges: int
    known: tuple[str, ...]
    time: str
    rare: str = ""
    tolerance: float = 0.5
    floor: float = 0.0

    def __post_init__(self) -> None:
        if self.challenges < 2:
            raise ParameterError("challenges", Said("be 2 or more"), self.challenges)

    def find_form(self, original: TablesOriginal) -> PartTable:
        """Return the form of an answer."""
        return self.find_answer(2 * self._count(original)).form

    def find_answer(self, challenges: int) -> IntervalAnswer:
        """Return the kind of answer about so many."""
        return IntervalAnswer(challenges=challenges, tolerance=self.tolerance)

    def examine(self, original: TablesOriginal, order: Ints | None, *, rng: np.random.Generator) -> Examination:
        """Draw members, find to each somebody of the background who is like him, and mix them."""
        del order
        background = _require_background(original)
        count = self._count(original)
        members = original.table[rng.choice(original.table.height, size=count, replace=False)]
        controls = background[self._match(members, background)]
        mixed = rng.permutation(2 * count)
        columns = [*self.known, self.time]
        asked = pl.concat([members.select(columns), controls.select(columns)])[mixed]
        rare = np.concatenate([_find_rare(members, self.rare), _find_rare(controls, self.rare)])[mixed]
        number = pl.Series(CHALLENGE, np.arange(2 * count).astype(str))
        shown = asked.select(self.known).insert_column(0, number)
        truth = pl.DataFrame(
            {
                TRUE_TIME: asked[self.time],
                MEMBER: (mixed < count).astype(np.int64).astype(str),
                RARE: rare.astype(np.int64).astype(str),
            }
        )
        files = [PartTable(columns=tuple(table.columns)).write(table) for table in (shown, truth)]
        return Examination(shown={CHALLENGES: files[0]}, truth=files[1])

    def judge(self, case: AttackCase) -> AttackScore:
        """Return how much better members are told than others."""
        truth = read_plain(case.truth)
        answer = self.find_answer(truth.height)
        told = answer.read(case.guess)
        member, rare = ((truth[name] == "1").to_numpy() for name in (MEMBER, RARE))
        time = truth[TRUE_TIME].cast(pl.Float64).to_numpy()
        score = answer.score(told, time, member, rare)
        risk = float(np.clip(score.value - self.floor, 0, 1))
        right = int((np.abs(told - time) <= self.tolerance)[member].sum())
        detail = {"members": score.members, "controls": score.controls}
        return AttackScore(claimed=truth.height, hits=right, effective=False, risk=risk, detail=detail)

    def check(self, guess: Path, asked: AskedRelease) -> None:
        """Raise everything that is wrong with an answer."""
        self.find_answer(asked.shown[CHALLENGES].count(b"\n") - 1).read(guess)

    def attack(self, program: Settings, release: TablesRelease, part: str, *, rng: np.random.Generator) -> float:
        """Refuse: no program of the house tells times."""
        del release, part, rng
        raise refuse_program(program)

    def _count(self, original: TablesOriginal) -> int:
        return min(self.challenges // 2, original.table.height, _require_background(original).height)

    def _match(self, members: pl.DataFrame, background: pl.DataFrame) -> Ints:
        """Return for each member somebody else of the background, so that all together are as near as can be."""
        apart = np.zeros((members.height, background.height))
        for name in self.known:
            one, two = (table[name].cast(pl.Float64, strict=False).to_numpy() for table in (members, background))
            if np.isfinite(one).all() and np.isfinite(two).all():
                spread = float(two.std()) or 1.0
                apart += ((one[:, None] - two[None, :]) / spread) ** 2
            else:
                apart += OTHER * (members[name].to_numpy()[:, None] != background[name].to_numpy()[None, :])
        apart += OTHER_RARE * (_find_rare(members, self.rare)[:, None] != _find_rare(background, self.rare)[None, :])
        return np.asarray(linear_sum_assignment(apart)[1], dtype=np.int64)
