"""Every method on records against every adversary: the cross table of a contest over records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.attack import Adversary
from sekisho.contest.records.rules import RecordRules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.partners import find_partners
from sekisho.data.records.space import require_limit
from sekisho.data.shape import Shape
from sekisho.gate.fit import fit
from sekisho.gate.records.plan import PlanParameters, make_planned_release
from sekisho.gate.records.test_sets import RecordsAttempt, RiskTest, combine_judgements, needs_order
from sekisho.protect import Method
from sekisho.protect.records.borrow import Borrow
from sekisho.protect.records.delete import Decoy, DeleteExtremes, DeleteFew, DeleteRandom, DeleteSmall
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.randomise import Randomise
from sekisho.protect.records.swap import Choice, Swap
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition, check_conditions

PLAIN = PlanParameters(lean=0.5, pull=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The planner's way with fixed parameters, as a method."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    rules: RecordRules
    parameters: PlanParameters = PLAIN

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the planned release."""
        (points,) = self.rules.space.points(data)
        reachable = find_partners(points, require_limit(self.rules.find_round("").iloss))
        return make_planned_release(self.rules, data, reachable, self.parameters, rng=rng)


def contest_methods(rules: RecordRules) -> dict[str, Method]:
    """Return the strategies of the contest by name, each deleting enough rows for a test set."""
    parameters = rules.parameters()
    by_chance, swap = DeleteRandom(share=0.45), fit(Swap(few=-1), parameters)
    noise = Noise(epsilon={"age": 1.0, "bmi": 2.0}, low={"age": 13, "bmi": 13}, high={"age": 85, "bmi": 75}, cut=4)
    randomised = Randomise(attributes=("gen", "race", "edu", "mar", "dep", "pir", "qm"), most=4)
    return {
        "planned": Planned(rules=rules),
        "swap, few deleted": fit(Swap(few=25), parameters),
        "swap, random deleted": InTurn(delete=by_chance, change=swap),
        "swap, easy half deleted": InTurn(delete=fit(DeleteFew(few=90), parameters), change=swap),
        "far swap": InTurn(delete=by_chance, change=fit(Swap(few=-1, choice=Choice.FAR), parameters)),
        "near swap": InTurn(delete=by_chance, change=fit(Swap(few=-1, choice=Choice.NEAR), parameters)),
        "borrow": InTurn(delete=by_chance, change=fit(Borrow(), parameters)),
        "decoys": fit(Decoy(), parameters),
        "noise": InTurn(delete=by_chance, change=noise),
        "randomised response": InTurn(delete=by_chance, change=randomised),
        "extremes deleted": DeleteExtremes(top={"age": 75, "bmi": 50}, bottom={"age": 22, "bmi": 20}),
        "small classes deleted": DeleteSmall(k=20, keys=("race", "edu", "mar")),
        "random deletion only": by_chance,
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CrossRow:
    """One method: the conditions of its first release, and each adversary's results over all seeds.

    Attributes:
        met: in how many of the releases every condition held.
        ordered: which adversaries need the release in the original's order.
    """

    method: str
    conditions: tuple[Condition, ...]
    met: int
    risks: Mapping[str, RecordsAttempt]
    ordered: frozenset[str]

    @property
    def lawful(self) -> RecordsAttempt:
        """The strongest adversary who needs no order, or the strongest of all if there is no other."""
        able = [risk for name, risk in self.risks.items() if name not in self.ordered] or list(self.risks.values())
        return max(able, key=lambda one: one.mean)


def cross_methods(
    rules: RecordRules,
    data: Dataset,
    methods: Mapping[str, Method],
    adversaries: Mapping[str, Adversary],
    seeds: Sequence[Seed],
) -> Iterator[CrossRow]:
    """Yield a row per method: a fresh release and a fresh test set for each seed."""
    for name, method in methods.items():
        judged: dict[str, list[RecordsAttempt]] = {adversary: [] for adversary in adversaries}
        checked: list[tuple[Condition, ...]] = []
        for seed in seeds:
            release = method.apply(data, rng=seed.child(name).rng())
            checked.append(check_conditions(rules, data, release))
            measured = RiskTest(rules=rules, seeds=[seed]).measure(data, release, adversaries)
            for adversary, risk in measured.items():
                judged[adversary].append(risk)
        risks = {
            adversary: combine_judgements(adversary, [one for part in parts for one in part.judged])
            for adversary, parts in judged.items()
        }
        met = sum(all(condition.met for condition in one) for one in checked)
        ordered = frozenset(label for label, adversary in adversaries.items() if needs_order(adversary))
        yield CrossRow(method=name, conditions=checked[0], met=met, risks=risks, ordered=ordered)
