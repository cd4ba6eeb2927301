"""The measured risk of a release of records: every adversary against the same test sets, drawn with recorded seeds.

A broken condition disqualifies in the contest; here risk and conditions are told side by side, and who plans decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sekisho.attack import RECORD_ADVERSARIES, RecordAdversary
from sekisho.attack.records.nearest import NearestRows
from sekisho.contest.records.referee import LinkageJudgement, judge_records, pick
from sekisho.contest.records.rules import RecordRules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.safety.interval import Rate
from sekisho.seeds import Seed

ORDERED = frozenset({"index"})
"""Adversaries who need the release in the original's order; the final of 2021 forbade them, a shuffle defeats them."""


NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRisk:
    """What one adversary came to over several test sets."""

    adversary: str
    judged: tuple[LinkageJudgement, ...]

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
    def topk(self) -> Rate:
        """Hits among all members of all test sets, with their interval."""
        return Rate(hits=sum(one.hits for one in self.judged), trials=sum(one.members for one in self.judged))


def record_adversaries(*, limit: float = 4.0, ordered: bool = False) -> dict[str, RecordAdversary]:
    """Return every adversary on records by name, those who need the original's order only if asked."""
    made: dict[str, RecordAdversary] = {"nearest-all": NearestRows(cut=False)}
    for name in RECORD_ADVERSARIES:
        if name in ORDERED and not ordered:
            continue
        known = RECORD_ADVERSARIES[name]
        fields = getattr(known, "__dataclass_fields__", {})
        made[name] = RECORD_ADVERSARIES.make(name, **({"limit": limit} if "limit" in fields else {}))
    return dict(sorted(made.items()))


def measured_risks(
    rules: RecordRules,
    original: Dataset,
    release: Release,
    adversaries: Mapping[str, RecordAdversary],
    seeds: Sequence[Seed],
    *,
    shuffled: bool = False,
) -> dict[str, MeasuredRisk]:
    """Let each adversary attack the release once per seed; test sets depend on the seed only."""
    delta = rules.chosen("").delta
    judged: dict[str, list[LinkageJudgement]] = {name: [] for name in adversaries}
    table = release.table.take(~release.deleted)
    for seed in seeds:
        order = seed.child("order").rng().permutation(len(table)).astype(np.int64) if shuffled else None
        shown = table if order is None else table.take(np.argsort(order))
        test = pick(
            release.deleted,
            rng=seed.child("pick").rng(),
            members=rules.test.members,
            others=rules.test.others,
            order=order,
        )
        known = Dataset(original.frame[test.rows], original.schema)
        for name, adversary in adversaries.items():
            guess = adversary.guess(shown, known, rng=seed.child(name).rng())
            judged[name].append(judge_records(test.answers, guess, delta=delta))
    return {name: MeasuredRisk(adversary=name, judged=tuple(found)) for name, found in judged.items()}


def strongest(risks: Mapping[str, MeasuredRisk]) -> MeasuredRisk:
    """Return the adversary of the largest mean risk."""
    return max(risks.values(), key=lambda one: one.mean)
