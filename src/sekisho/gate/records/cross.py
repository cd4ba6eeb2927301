"""Every method on records against every adversary: the cross table of a contest over records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sekisho.attack import RecordAdversary
from sekisho.contest.records.conditions import Condition, conditions
from sekisho.contest.records.rules import RecordRules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.partners import partners
from sekisho.gate.records.plan import Trial, made
from sekisho.gate.records.risk import MeasuredRisk, measured_risks
from sekisho.protect import Method
from sekisho.protect.records.borrow import Borrow
from sekisho.protect.records.decoy import Decoy
from sekisho.protect.records.delete import DeleteExtremes, DeleteFew, DeleteRandom, DeleteSmall
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.randomise import Randomise
from sekisho.protect.records.swap import Choice, Swap
from sekisho.seeds import Seed

PLAIN = Trial(lean=0.5, pull=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The planner's way with fixed parameters, as a method."""

    rules: RecordRules
    trial: Trial = PLAIN

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the planned release."""
        (points,) = self.rules.space.points(data)
        return made(self.rules, data, partners(points, self.rules.chosen("").iloss), self.trial, rng=rng)


def contest_methods(rules: RecordRules) -> dict[str, Method]:
    """Return the strategies of the contest by name, each deleting enough rows for a test set."""
    by_chance = DeleteRandom(share=0.45)
    swap = Swap(few=-1)
    return {
        "planned": Planned(rules=rules),
        "swap, few deleted": Swap(few=25),
        "swap, random deleted": InTurn(delete=by_chance, change=swap),
        "swap, easy half deleted": InTurn(delete=DeleteFew(few=90), change=swap),
        "far swap": InTurn(delete=by_chance, change=Swap(few=-1, choice=Choice.FAR)),
        "near swap": InTurn(delete=by_chance, change=Swap(few=-1, choice=Choice.NEAR)),
        "borrow": InTurn(delete=by_chance, change=Borrow()),
        "decoys": Decoy(),
        "noise": InTurn(delete=by_chance, change=Noise(limit=4)),
        "randomised response": InTurn(delete=by_chance, change=Randomise(most=4)),
        "extremes deleted": DeleteExtremes(),
        "small classes deleted": DeleteSmall(k=20),
        "random deletion only": by_chance,
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossRow:
    """One method: the conditions of its first release, and each adversary's results over all seeds.

    Attributes:
        met: in how many of the releases every condition held.
    """

    method: str
    conditions: tuple[Condition, ...]
    met: int
    risks: Mapping[str, MeasuredRisk]


def crossed(
    rules: RecordRules,
    data: Dataset,
    methods: Mapping[str, Method],
    adversaries: Mapping[str, RecordAdversary],
    seeds: Sequence[Seed],
) -> Iterator[CrossRow]:
    """Yield a row per method: a fresh release and a fresh test set for each seed."""
    for name, method in methods.items():
        judged: dict[str, list[MeasuredRisk]] = {adversary: [] for adversary in adversaries}
        checked: list[tuple[Condition, ...]] = []
        for seed in seeds:
            release = method.apply(data, rng=seed.child(name).rng())
            checked.append(conditions(rules, data, release))
            for adversary, risk in measured_risks(rules, data, release, adversaries, [seed]).items():
                judged[adversary].append(risk)
        risks = {
            adversary: MeasuredRisk(adversary=adversary, judged=tuple(one for part in parts for one in part.judged))
            for adversary, parts in judged.items()
        }
        met = sum(all(condition.met for condition in one) for one in checked)
        yield CrossRow(method=name, conditions=checked[0], met=met, risks=risks)
