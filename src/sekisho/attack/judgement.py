"""What an attack came to, the same for every shape: counts first, a baseline beside them."""

from __future__ import annotations

from dataclasses import dataclass


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
