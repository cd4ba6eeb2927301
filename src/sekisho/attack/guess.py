"""What a guess is: pseudonyms and the people an adversary says they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Guess:
    """Claims of an adversary on a history.

    Attributes:
        pseudonym: the pseudonyms named, each once.
        customer: for each the person claimed, as written in the original.
        chance: for each how likely the adversary holds the claim to be right, between 0 and 1.
        detail: what else the adversary says of the whole, as plain data; for example how likely it is effective.
    """

    pseudonym: NDArray[np.int64]
    customer: tuple[str, ...]
    chance: NDArray[np.float64]
    detail: Mapping[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        if not len(self.pseudonym) == len(self.customer) == len(self.chance):
            raise ParameterError("guess", "have one customer and one chance per pseudonym", len(self.pseudonym))
        if len(np.unique(self.pseudonym)) != len(self.pseudonym):
            raise ParameterError("pseudonym", "be named at most once", "a doubled one")

    def __len__(self) -> int:
        return len(self.pseudonym)

    @property
    def expected_hits(self) -> float:
        """How many hits the adversary expects."""
        return float(self.chance.sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordGuess:
    """Answers of an adversary about records he knows: is each a member of the release, and if so, which row is it?

    Attributes:
        candidates: for each record the rows of the release he names, first guess first; all -1 where he says "not a member".
    """

    candidates: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.candidates.ndim != 2 or self.candidates.shape[1] < 1:
            raise ParameterError("candidates", "have one line of rows per record", self.candidates.shape)
        out = self.candidates < 0
        if bool(np.any(self.candidates < -1)) or bool(np.any(out.any(axis=1) != out.all(axis=1))):
            raise ParameterError("candidates", "hold rows from 0, or -1 throughout a line", "a mixture")

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def member(self) -> NDArray[np.bool_]:
        """Which records he calls members."""
        return self.candidates[:, 0] >= 0
