"""The adversary of tables who rebuilds people: every block classed, every answer with witnesses that are checked.

The holder asks it of a set of tables before it leaves. A block whose people are known, whole or in part, is a proven
disclosure; that records may differ holds only against whoever has no other source and no prior.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import BugError, ParameterError
from sekisho.gate.outcome import Verdict
from sekisho.gate.tables.said import SaidMethod, SaidRelease
from sekisho.tables.check.people import count_lacking, people_errors
from sekisho.tables.files.people_tables import PeopleTables
from sekisho.tables.reconstruct.people import MOST, BlockAnswer, PeopleSystem, Reconstructor
from sekisho.words import Said

Wholes = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class PeopleCase:
    """Published tables of the same people, what is said of them, and the truth where it is known.

    Attributes:
        tables: the published cells.
        system: their rows.
        low: the least number of people in each, by block.
        high: the greatest.
        truth: the joint histograms, by block; None if nobody knows them here.
        gaps: whether some number says more than its least and greatest count: then there may be fewer solutions.
    """

    tables: PeopleTables
    system: PeopleSystem
    low: Wholes
    high: Wholes
    truth: Wholes | None
    gaps: bool

    def answers(self, how: Reconstructor) -> Iterator[BlockAnswer]:
        """Yield the answer of each block, its witnesses checked.

        Raises:
            BugError: the checker does not accept one.
        """
        rows = np.split(self.tables.rows.indices, self.tables.rows.indptr[1:-1])
        lists = [row.tolist() for row in rows]
        for at, answer in enumerate(how.answer_blocks(self.system, self.low, self.high, self.truth)):
            truth = None if self.truth is None else self.truth[at]
            accept_witnesses(lists, self.low[at], self.high[at], truth, answer)
            yield answer


def accept_witnesses(
    rows: Sequence[Sequence[int]], low: Wholes, high: Wholes, truth: Wholes | None, answer: BlockAnswer
) -> None:
    """Have the checker look at the witnesses of one block.

    Raises:
        BugError: it does not accept one.
    """
    ends = low.tolist(), high.tolist()
    some = [each.tolist() for each in answer.witnesses]
    wrong = any(True for each in some for _ in people_errors(rows, *ends, each))
    if answer.possible and some:
        wrong |= count_lacking(some[-2], some[-1]) != answer.two_may_differ
        if truth is not None and answer.may_differ:
            wrong |= count_lacking(truth.tolist(), some[1]) != answer.may_differ
    if wrong:
        raise BugError("the checker refuses a witness of a reconstruction")


def build_people_case(tables: PeopleTables, said: SaidRelease, truth: Wholes | None) -> PeopleCase:
    """Return published tables with what is said of all of them.

    Raises:
        ParameterError: the true records do not agree with what is said.
    """
    stated = said.state(
        tables.shown.ravel(),
        low=tables.low.ravel(),
        high=tables.high.ravel(),
        sums=tables.sums if said.method is SaidMethod.SMALL else None,
        name=tables.name_cell,
    )
    shape = tables.shown.shape
    low = np.ceil(np.maximum(stated.low, 0.0)).astype(np.int64).reshape(shape)
    high = np.floor(np.minimum(stated.high, float(MOST))).astype(np.int64).reshape(shape)
    if truth is not None:
        counts = (tables.rows @ truth.T).T
        wrong = np.flatnonzero(np.any((counts < low) | (counts > high), axis=1))
        if wrong.size:
            rule = Said("be the records that the tables count, as is said of them")
            raise ParameterError("microdata", rule, tables.blocks[int(wrong[0])])
    return PeopleCase(
        tables=tables,
        system=PeopleSystem.of(tables.rows),
        low=low,
        high=high,
        truth=truth,
        gaps=bool(stated.gaps.any()),
    )


def classify(answers: Sequence[BlockAnswer]) -> dict[str, int]:
    """Return how many blocks are known whole, in part, or not at all, and how many contradict themselves."""
    unique = sum(each.unique for each in answers)
    partly = sum(each.disclosing and not each.unique for each in answers)
    broken = sum(not each.possible and each.complete for each in answers)
    return {"unique": unique, "partly": partly, "open": len(answers) - unique - partly - broken, "impossible": broken}


def judge_people(answers: Sequence[BlockAnswer]) -> Verdict:
    """Refuse tables that give somebody away, or contradict each other; have a person look where not all is certain."""
    if any(answer.unique or answer.disclosing or (answer.complete and not answer.possible) for answer in answers):
        return Verdict.REFUSE
    return Verdict.RELEASE if all(answer.settled for answer in answers) else Verdict.REVIEW
