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
