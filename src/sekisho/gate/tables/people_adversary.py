"""Who rebuilds people from all tables of a release at once, as an adversary of recipes for tables.

::

    [[adversaries]]
    name = "reconstruct"

He has the tables, knows how their numbers came about, and nothing else. What he finds is told in two kinds of words.
*Proven disclosures*: records that every solution has, and that only one solution is left. They count against a release
where they stand in joint cells of few people (fewer than the minimum frequency, and one person always): a count that
may be published tells nothing more by being rebuilt. *May differ*: how far solutions lie from the truth and from each
other. That holds only against whoever has no other source and no prior, so it is promised under that, never proven.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.gate.outcome import Certainty, Reason, Statement
from sekisho.gate.policy import make_reason
from sekisho.gate.statement_words import NO_OTHER_SOURCE, REBUILT
from sekisho.gate.tables.finding import TableAttempt
from sekisho.gate.tables.reconstruction import accept_witnesses
from sekisho.parameters import checked
from sekisho.registry import Registry
from sekisho.tables.audit.statements import Statements
from sekisho.tables.reconstruct.joint_people import JointPeople
from sekisho.tables.reconstruct.people import BlockAnswer, Reconstructor
from sekisho.words import Said, join_words

NAME = "reconstruct"
EACH = 5.0
"""So many seconds one program may take."""
LEAST_FEW = 2
"""One person alone is always few."""


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class ReconstructAdversary:
    """Rebuilds people from all tables at once.

    Attributes:
        solutions: how many solutions are counted at most.
        seconds: how long programs are asked where the search does not settle a question; 0: none is.

    Source: Abowd and others, Harvard Data Science Review (2025).
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})

    solutions: int = 1000
    seconds: float = 60.0

    def __post_init__(self) -> None:
        if self.seconds < 0:
            raise ParameterError("seconds", Said("be at least 0"), self.seconds)
        self._make_search()

    def _make_search(self) -> Reconstructor:
        return Reconstructor(solutions=self.solutions, seconds=min(EACH, self.seconds), total=self.seconds)

    def attack(self, people: JointPeople, said: Statements, *, few: int, label: str = NAME) -> PeopleFinding:
        """Return what tables give away of the people behind them.

        Args:
            people: how the tables count them.
            said: what is said of every cell of the system.
            few: fewer people than this in a joint cell are few; two at least.
            label: what he is called.
        """
        low, high = people.bound_rows(said)
        (answer,) = self._make_search().answer_blocks(
            people.system, low[None], high[None], None if people.truth is None else people.truth[None]
        )
        accept_witnesses(people.lists, low, high, people.truth, answer)
        gaps = bool(said.gaps[people.cells].any())
        return PeopleFinding(label=label, people=people, answer=answer, few=max(LEAST_FEW, few), gaps=gaps)


TABLE_ADVERSARIES: Registry[ReconstructAdversary] = Registry(
    kind="adversary",
    group="sekisho.adversaries",
    builtin={NAME: "sekisho.gate.tables.people_adversary:ReconstructAdversary"},
)
"""Those who attack tables beside the outsider and the insiders; a recipe names them among its adversaries."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeopleFinding:
    """What the tables of a release give away of people.

    Attributes:
        label: what the adversary is called.
        people: how the tables count them.
        answer: what is left possible.
        few: fewer people than this in a joint cell are few.
        gaps: whether some number says more than its least and greatest count: then there may be fewer solutions.
    """

    label: str
    people: JointPeople
    answer: BlockAnswer
    few: int
    gaps: bool

    @property
    def size(self) -> int:
        """How many people there are; at least so many where nobody knows."""
        truth = self.people.truth
        return int(truth.sum()) if truth is not None else self.answer.people[0]

    @property
    def known_cells(self) -> NDArray[np.intp]:
        """The joint cells of few people of which some are in every solution: in truth few, or few that are certain."""
        least = self.answer.in_all
        if least is None or not self.answer.settled:
            return np.zeros(0, dtype=np.intp)
        count = least if self.people.truth is None else self.people.truth
        return np.flatnonzero((least > 0) & (count < self.few))

    @property
    def known(self) -> int:
        """How many people of such cells are in every solution."""
        return 0 if self.answer.in_all is None else int(self.answer.in_all[self.known_cells].sum())

    @property
    def reasons(self) -> Iterator[Reason]:
        """Give why the tables may not simply leave: proven disclosures, and what was not settled."""
        answer = self.answer
        if answer.unique and self.known:
            yield make_reason(
                "people rebuilt",
                Said(
                    "all {people:,} {people:person|people} by {dims}, {known:,} of them in cells of fewer than {few}",
                    people=self.size,
                    dims=self._name_dims(),
                    known=self.known,
                    few=self.few,
                ),
            )
        elif self.known:
            yield make_reason(
                "certain people",
                Said(
                    "{known:,} {known:person|people} in cells of fewer than {few} by {dims}",
                    known=self.known,
                    few=self.few,
                    dims=self._name_dims(),
                ),
            )
        if not answer.settled:
            yield make_reason(
                "unfinished reconstruction",
                Said("the time was too short to tell which people are in every solution of the tables"),
            )

    @property
    def attempt(self) -> TableAttempt:
        """The attack: how many people he claims to know, and how many of few he does."""
        claimed = max(self.answer.certain if self.answer.settled else 0, self.known)
        return TableAttempt(
            adversary=self.label,
            claimed=claimed,
            hits=self.known,
            baseline=0.0,
            strength=float(self.known),
            exposed=(),
        )

    @property
    def statement(self) -> Statement:
        """What may be said of it: refuted by a proven disclosure, promised under a condition, or not refuted."""
        sure = self.answer.settled and not self.gaps
        standing = Certainty.REFUTED if self.known else Certainty.PROMISED if sure else Certainty.NOT_REFUTED
        return Statement(
            standing=standing,
            subject=REBUILT,
            detail=self.tell(),
            assumes=NO_OTHER_SOURCE if standing is Certainty.PROMISED else "",
            figures=self.describe(),
        )

    def tell(self) -> Said:
        """Return the figures in words, what is proven first."""
        answer = self.answer
        proven = Said(
            "{certain:,} of {people:,} {people:person|people} {certain:is|are} in every solution, "
            "{known:,} of them in cells of fewer than {few}",
            certain=answer.certain if answer.settled else 0,
            people=self.size,
            known=self.known,
            few=self.few,
        )
        if answer.unique:
            return join_words([Said("one solution"), proven], "; ")
        more = "" if answer.complete else "+"
        count = Said("{solutions:,}{more} solutions", solutions=answer.solutions, more=more)
        apart = Said("two solutions may differ by {records} {records:record|records}", records=answer.two_may_differ)
        if answer.may_differ is None:
            return join_words([count, proven, apart], "; ")
        truth = Said("a solution may lack {records} {records:record|records} of the truth", records=answer.may_differ)
        return join_words([count, proven, truth, apart], "; ")

    def describe(self) -> dict[str, object]:
        """Return the figures by key."""
        answer = self.answer
        return {
            "people": self.size,
            "unique": answer.unique,
            "solutions": answer.solutions,
            "all_solutions": answer.complete,
            "may_differ": answer.may_differ,
            "two_may_differ": answer.two_may_differ,
            "two_at_most": answer.two_at_most,
            "certain": answer.certain if answer.settled else None,
            "certain_of_few": self.known,
            "few": self.few,
            "settled": answer.settled,
        }

    def _name_dims(self) -> str:
        return ", ".join(self.people.dims)
