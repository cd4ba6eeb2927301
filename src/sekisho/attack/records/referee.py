"""The referee of attacks on records: the test set, the answers, and what a guess is worth.

Per attacker the referee draws records of X (deleted) and of C (kept), equally many, and shows their original values in
the original's order: the test set CT. The answers Ea are -1 for a deleted record and the row number in D for a kept
one. With the members M (answers above -1) and the records A that the guess calls members,

    recall = |A and M| / |M|,   precision = |A and M| / |A|,   top-k = |members with their row among the answers| / |M|,
    risk = (recall + delta)(precision + delta)(top-k + delta), or the product of those that the rules name.

A guess that calls nobody a member has precision 0. Source: PWS Cup 2021, rules; programs pick.py and lmark.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess, Judgement
from sekisho.attack.records.truth import GONE, find_released_rows
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.terms import FACTORS
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TestSet:
    """What the referee drew.

    Attributes:
        rows: the drawn rows of the original, ascending.
        answers: for each -1 if deleted, else its row in D.
    """

    __test__ = False

    rows: NDArray[np.int64]
    answers: NDArray[np.int64]


def draw_test_set(
    deleted: NDArray[np.bool_],
    *,
    rng: np.random.Generator,
    members: int = 50,
    others: int = 50,
    order: NDArray[np.int64] | None = None,
) -> TestSet:
    """Draw a test set.

    Args:
        deleted: which rows of the original are deleted.
        rng: the referee's randomness.
        members: how many kept rows to draw.
        others: how many deleted rows to draw.
        order: where D was published in another order, the published row of each kept row.
    """
    kept, gone = np.flatnonzero(~deleted), np.flatnonzero(deleted)
    if len(kept) < members or len(gone) < others:
        raise InfeasibleError(
            Said(
                "a test set needs {members} kept and {others} deleted records; there are {kept} and {gone}",
                members=members,
                others=others,
                kept=len(kept),
                gone=len(gone),
            )
        )
    drawn = np.concatenate([rng.choice(kept, members, replace=False), rng.choice(gone, others, replace=False)])
    rows = np.sort(drawn).astype(np.int64)
    return TestSet(rows=rows, answers=find_released_rows(deleted, order)[rows])


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsJudgement(Judgement):
    """What an attack on records came to: counts, rates and the risk.

    Attributes:
        members: how many of the known records were kept.
        rightly: how many of those that were called members are.
        delta: of the risk.
        factors: what the risk is the product of.
    """

    members: int
    rightly: int
    delta: float
    factors: tuple[str, ...] = FACTORS

    @property
    def recall(self) -> float:
        """Of the members, how many were called so."""
        return self.rightly / self.members

    @property
    def precision(self) -> float:
        """Of those called members, how many were; 0 if none was called."""
        return self.rightly / self.claimed if self.claimed else 0.0

    @property
    def topk(self) -> float:
        """Of the members, how many had their row among the answers."""
        return self.hits / self.members

    @property
    def risk(self) -> float:
        """The contest's risk."""
        return self.risk_with(self.delta)

    def risk_with(self, delta: float) -> float:
        """Return the risk with another delta; 0 for the preliminary round."""
        values = {"recall": self.recall, "precision": self.precision, "topk": self.topk}
        return prod(values[name] + delta for name in self.factors)


def judge(
    answers: NDArray[np.int64],
    guess: Guess,
    *,
    delta: float,
    count: int,
    rows: int | None = None,
    factors: tuple[str, ...] = FACTORS,
) -> RecordsJudgement:
    """Return what a guess is worth against the answers.

    Args:
        answers: for each known record its row in the release, or -1.
        guess: whom the adversary named.
        delta: of the risk.
        count: how many rows may be named for a record; further ones do not count.
        rows: how many rows the release has, for the baseline; if nobody says, as many as the answers need.
        factors: what the risk is the product of.
    """
    member = answers > GONE
    if not member.any():
        raise ParameterError("answers", Said("hold at least one member"), "none")
    named = guess.rows(len(answers), count)
    called = named[:, 0] > GONE
    hits = (named[member] == answers[member][:, None]).any(axis=1)
    size = int(answers.max()) + 1 if rows is None else rows
    return RecordsJudgement(
        claimed=int(called.sum()),
        hits=int(hits.sum()),
        baseline=float((called & member).sum()) * min(1.0, count / max(1, size)),
        members=int(member.sum()),
        rightly=int((called & member).sum()),
        delta=delta,
        factors=factors,
    )


def place_rows(deleted: NDArray[np.bool_], order: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return for each row of the original its published row, -1 if it was deleted: the referee's secret map."""
    return find_released_rows(deleted, order)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulRecord:
    """Should a doubtful record be called a member? A team's decision table as a calculator.

    An adversary calls everyone a member but doubts one record, a share s = 0.01 of the members, which he would hit with
    chance p. With precision 0.5 and a hit rate h = 0.3 on the others, delta = 0.01:

        called:    (1 + d)(0.5 + d)((1 - s) h + s p + d)
        left out:  (1 - s + d)(0.5 + d)(h + d)              as the slide computes it
                   (1 - s + d)(0.5 + d)((1 - s) h + d)      as the judge's top-k does: its denominator keeps the record

    Calling is the better advice at any p under both readings. Source: PWS Cup 2021, slides of team 10, "rough estimate
    of the score".

    Attributes:
        hit: the chance p that naming rows for it would hit.
        others: the hit rate h on the other members.
        precision: of calling everyone a member.
        share: of the members that the doubtful record makes up.
        delta: of the risk.
    """

    hit: float
    others: float = 0.3
    precision: float = 0.5
    share: float = 0.01
    delta: float = 0.01

    def __post_init__(self) -> None:
        for name in ("hit", "others", "precision", "share", "delta"):
            value = float(getattr(self, name))
            if not 0 <= value <= 1:
                raise ParameterError(name, Said("lie between 0 and 1"), value)

    @property
    def called(self) -> float:
        """The expected risk when the record is called a member."""
        topk = (1 - self.share) * self.others + self.share * self.hit
        return (1 + self.delta) * (self.precision + self.delta) * (topk + self.delta)

    @property
    def left_out(self) -> float:
        """The risk when it is left out, as the slide computes it."""
        return (1 - self.share + self.delta) * (self.precision + self.delta) * (self.others + self.delta)

    @property
    def left_out_judged(self) -> float:
        """The risk when it is left out, as the judge computes it."""
        topk = (1 - self.share) * self.others
        return (1 - self.share + self.delta) * (self.precision + self.delta) * (topk + self.delta)

    @property
    def call(self) -> bool:
        """Tell whether calling is the better advice under both readings."""
        return self.called > max(self.left_out, self.left_out_judged)
