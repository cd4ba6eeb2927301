"""The measured risk of a release of records: every adversary against the same test sets, drawn with recorded seeds.

A broken condition disqualifies in the contest; here both are reported side by side, and the planner decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

import numpy as np

from sekisho.attack import ADVERSARIES, Adversary
from sekisho.attack.records.nearest import NearestRows
from sekisho.contest.records.referee import RecordsJudgement, draw_test_set, judge
from sekisho.contest.records.rules import RecordRules
from sekisho.data.abilities import read_abilities
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import hide_identifier
from sekisho.data.shape import Shape
from sekisho.gate.cache.steps import Steps
from sekisho.gate.fit import fit
from sekisho.gate.outcome import Attempt
from sekisho.parameters import checked
from sekisho.safety.hit_rate import HitRate
from sekisho.seeds import Seed

NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsAttempt(Attempt):
    """What one adversary came to over several test sets.

    ``strength`` is his mean risk over the target, or itself where there is none.

    Attributes:
        judged: what he came to on each.
    """

    judged: tuple[RecordsJudgement, ...]

    @property
    def mean(self) -> float:
        """The mean risk over the test sets."""
        return float(np.mean([one.risk for one in self.judged]))

    @property
    def worst(self) -> float:
        """The largest risk of a test set."""
        return max(one.risk for one in self.judged)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return float(np.std([one.risk for one in self.judged]) / max(1, len(self.judged) - 1) ** 0.5)

    @property
    def low(self) -> float:
        """The lower end of the mean's 95 % interval, by the normal law."""
        return max(0.0, self.mean - NORMAL_95 * self.error)

    @property
    def high(self) -> float:
        """The upper end of the mean's 95 % interval."""
        return self.mean + NORMAL_95 * self.error

    @property
    def topk(self) -> HitRate:
        """Hits among all members of all test sets, with their interval."""
        return HitRate(hits=self.hits, trials=sum(one.members for one in self.judged))


def combine_judgements(
    adversary: str, judged: Sequence[RecordsJudgement], *, target: float | None = None
) -> RecordsAttempt:
    """Return several judgements of one adversary as one attempt."""
    mean = float(np.mean([one.risk for one in judged]))
    return RecordsAttempt(
        adversary=adversary,
        claimed=sum(one.claimed for one in judged),
        hits=sum(one.hits for one in judged),
        baseline=sum(one.baseline for one in judged),
        strength=mean if target is None else mean / target,
        judged=tuple(judged),
    )


def needs_order(adversary: Adversary) -> bool:
    """Tell whether an adversary needs the release in the original's order."""
    return read_abilities(adversary).uses_order


def make_record_adversaries() -> dict[str, Adversary]:
    """Return every adversary of records by name who needs no parameters but those of the rules."""
    adversaries: dict[str, Adversary] = {"nearest-all": NearestRows(cut=False)}
    for name in ADVERSARIES.find_names(Shape.RECORDS):
        kind: Any = ADVERSARIES[name]
        if all(item.default is not MISSING or item.default_factory is not MISSING for item in fields(kind)):
            adversaries[name] = ADVERSARIES.make(name)
    return dict(sorted(adversaries.items()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
@checked
class RiskTest:
    """How the risk of a release is measured.

    Attributes:
        rules: the contest's, or one's own.
        seeds: one per test set; test sets depend on the seed only.
        shuffled: whether the rows are published in an order that tells nothing.
        target: the mean risk that no adversary may reach; None where none is set.
        round_name: whose delta holds.
        steps: makes guesses, and keeps them where a run keeps its steps.
    """

    rules: RecordRules
    seeds: Sequence[Seed]
    shuffled: bool = False
    target: float | None = None
    round_name: str = ""
    steps: Steps = field(default_factory=Steps)

    def measure(
        self, original: Dataset, release: Release, adversaries: Mapping[str, Adversary]
    ) -> dict[str, RecordsAttempt]:
        """Let each adversary attack the release once per test set."""
        rules, parameters = self.rules, self.rules.parameters(self.round_name)
        fitted = {name: fit(adversary, parameters) for name, adversary in adversaries.items()}
        judged: dict[str, list[RecordsJudgement]] = {name: [] for name in adversaries}
        table = release.table.take(~release.deleted)
        about = (self.steps.digest_release(release), self.steps.digest_dataset(original))
        for seed in self.seeds:
            order = seed.child("order").rng().permutation(len(table)).astype(np.int64) if self.shuffled else None
            shown = table if order is None else table.take(np.argsort(order))
            test = draw_test_set(
                release.deleted,
                rng=seed.child("pick").rng(),
                members=rules.test.members,
                others=rules.test.others,
                order=order,
            )
            knowledge = hide_identifier(Dataset(original.frame[test.rows], original.schema))
            for name, adversary in fitted.items():
                drawn = f"test set {seed.value}, shuffled {self.shuffled}, {rules.test}"
                guess = self.steps.make_guess(adversary, shown, knowledge, seed=seed.child(name), about=(*about, drawn))
                judged[name].append(
                    judge(
                        test.answers,
                        guess,
                        delta=rules.find_round(self.round_name).delta,
                        count=rules.test.answers,
                        rows=len(table),
                        factors=rules.test.factors,
                    )
                )
        return {name: combine_judgements(name, judgements, target=self.target) for name, judgements in judged.items()}
