"""What the gate does with a history: its rules, the ways to protect it, who attacks, which bound decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sekisho.attack import Adversary
from sekisho.contest.history.rules import HistoryRules
from sekisho.gate.fit import fit
from sekisho.protect import Method
from sekisho.safety.rejection import Bound


class ClaimPolicy(StrEnum):
    """What becomes of a release of which the safety claim H0 itself is not proven."""

    REQUIRED = "required"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRecipe:
    """A recipe for a history, its methods and adversaries made.

    Attributes:
        rules: the contest's, or one's own.
        methods: the ways to protect, each under the label that reports use.
        adversaries: those who attack, likewise.
        bound: the bound that decides.
        claim: whether a release whose claim H0 is not proven goes to review, or is judged by the attacks alone.

    Raises:
        ParameterError: a method would publish what the rules forbid.
    """

    rules: HistoryRules
    methods: Mapping[str, Method]
    adversaries: Mapping[str, Adversary]
    bound: Bound = Bound.EXACT
    claim: ClaimPolicy = ClaimPolicy.REQUIRED

    def __post_init__(self) -> None:
        for method in self.methods.values():
            fit(method, self.rules.parameters())
