"""What a file was worth, as plain figures: the same for every shape, fit for a ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseScore:
    """What a valid release keeps.

    Attributes:
        utility: the rules' measure, less is better; None where it has no value.
        qualified: whether every condition of the round is met.
        broken: the conditions that are not.
        detail: the parts of the utility, or every condition's value.
    """

    utility: float | None = None
    qualified: bool = True
    broken: tuple[str, ...] = ()
    detail: Mapping[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        figures = (*self.detail.values(), *(() if self.utility is None else (self.utility,)))
        if not all(map(isfinite, figures)):
            raise ParameterError("score", Said("be of finite numbers"), list(figures))


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackScore:
    """What a valid attack came to.

    Attributes:
        claimed: of how many something was said.
        hits: how many were named rightly.
        effective: whether the attack breaks the release.
        threshold: of histories, the fewest hits that would have been effective.
        risk: of records, the contest's risk.
        detail: of records, the factors of the risk.
    """

    claimed: int
    hits: int
    effective: bool
    threshold: int | None = None
    risk: float | None = None
    detail: Mapping[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.claimed:
            raise ParameterError("hits", Said("lie between 0 and {claimed}", claimed=self.claimed), self.hits)
        figures = (*self.detail.values(), *(() if self.risk is None else (self.risk,)))
        if not all(map(isfinite, figures)):
            raise ParameterError("score", Said("be of finite numbers"), list(figures))


Worth = ReleaseScore | AttackScore
