"""What a guess is: something published, and the person an adversary says it is.

The same for every shape. In a history what is published goes by a pseudonym; of records it is a row, counted from 0. A
person is called as the identifier of the adversary's knowledge calls him; where there is none, by his row there,
counted from 0.

What an attack came to, the same for every shape: counts first, a baseline beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.errors import ParameterError
from sekisho.words import Said

NOT_A_MEMBER = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Guess:
    """Claims of an adversary.

    Attributes:
        published: what he names: pseudonyms, or rows from 0.
        person: for each the person claimed. Of records several rows may be named for one person, the likeliest first.
        chance: for each how likely the adversary holds the claim to be right, between 0 and 1; NaN where he does not
            say.
        predicted: how likely he holds the whole attack to be effective; None where he does not say.
        detail: what else he says of the whole, as plain data.
    """

    published: NDArray[np.int64]
    person: tuple[str, ...]
    chance: NDArray[np.float64]
    predicted: float | None = None
    detail: Mapping[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        if not len(self.published) == len(self.person) == len(self.chance):
            raise ParameterError(
                "guess", Said("have one person and one chance for each thing named"), len(self.published)
            )
        if len(set(zip(self.published.tolist(), self.person, strict=True))) < len(self.person):
            raise ParameterError("guess", Said("make each claim once"), "a doubled one")

    @classmethod
    def of_rows(cls, rows: NDArray[np.int64]) -> Guess:
        """Return answers about known records: each has a line of published rows, first guess first.

        -1 throughout says "not a member".
        """
        if rows.ndim != 2 or rows.shape[1] < 1:
            raise ParameterError("rows", Said("have one line of rows per record"), rows.shape)
        out = rows < 0
        if bool(np.any(rows < NOT_A_MEMBER)) or bool(np.any(out.any(axis=1) != out.all(axis=1))):
            raise ParameterError("rows", Said("hold rows from 0, or -1 throughout a line"), "a mixture")
        member = np.flatnonzero(~out[:, 0])
        # a row that a line names again says nothing new
        named = [list(dict.fromkeys(line)) for line in rows[member].tolist()]
        return cls(
            published=np.array([row for line in named for row in line], dtype=np.int64),
            person=tuple(str(who) for who, line in zip(member.tolist(), named, strict=True) for _ in line),
            chance=np.full(sum(map(len, named)), np.nan),
        )

    def __len__(self) -> int:
        return len(self.published)

    @property
    def expected_hits(self) -> float:
        """How many hits the adversary expects."""
        return float(self.chance.sum())

    def people(self) -> int:
        """Return how many people are named."""
        return len(set(self.person))

    def rows(self, records: int, answers: int) -> NDArray[np.int64]:
        """Return the answers about so many known records, as many rows for each, -1 throughout for those not named.

        A record with fewer rows than answers has its last one repeated.
        """
        lines = np.full((records, answers), NOT_A_MEMBER, dtype=np.int64)
        filled = np.zeros(records, dtype=np.int64)
        for row, person in zip(self.published.tolist(), self.person, strict=True):
            at = _parse_known_row(person, records)
            if filled[at] < answers:
                lines[at, filled[at] :] = row
                filled[at] += 1
        return lines


def name_people(knowledge: Dataset, rows: NDArray[np.intp]) -> tuple[str, ...]:
    """Return what people of the adversary's knowledge are called: by their identifier, or by their row from 0."""
    holder = knowledge.schema.identifier
    if holder is None:
        return tuple(map(str, rows.tolist()))
    return tuple(knowledge.frame[holder.name].gather(rows).cast(str).to_list())


def _parse_known_row(person: str, records: int) -> int:
    if not person.isdecimal() or int(person) >= records:
        raise ParameterError(
            "guess", Said("name known records by their rows, 0 to {records}", records=records - 1), person
        )
    return int(person)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What an attack came to.

    Attributes:
        claimed: of how many people or pseudonyms something was said.
        hits: how many were named rightly.
        baseline: the hits that naming blindly would expect.
    """

    claimed: int
    hits: int
    baseline: float
