"""What the gate does with a history: its rules, the ways to protect it, who attacks, which bound decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sekisho.attack import Adversary
from sekisho.contest.history.rules import HistoryRules
from sekisho.gate.fit import fit
from sekisho.protect import Method
from sekisho.safety.rejection import Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRecipe:
    """A recipe for a history, its methods and adversaries made.

    Attributes:
        rules: the contest's, or one's own.
        methods: the ways to protect, each under the label that reports use.
        adversaries: those who attack, likewise.
        bound: the bound that decides.

    Raises:
        ParameterError: a method would publish what the rules forbid.
    """

    rules: HistoryRules
    methods: Mapping[str, Method]
    adversaries: Mapping[str, Adversary]
    bound: Bound = Bound.EXACT

    def __post_init__(self) -> None:
        for method in self.methods.values():
            fit(method, self.rules.parameters())
