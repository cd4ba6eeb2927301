"""Search for the release of records with the smallest measured risk among those that meet every condition of the round.

A candidate is made in three steps. Delete: of the records that are alone with their values just as many as uniqrt asks for are deleted, by chance, with weight
(1 + partners) ** -lean, so that easy records go first and, by chance, others too; ``extra`` deletes a further share of all by chance.
Borrow: every record takes the values of a random partner with weight (partners of the partner) ** pull, deleted records lending theirs
as well, which hides the deletion. Repair: a few rows are given other partners until odds ratios and cross tables hold.

Each candidate meets some adversaries on a few test sets; the best that meets all conditions meets all adversaries on test sets of its own,
none of which helped to choose it: the figure told is not flattered by the choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sekisho.contest.records.conditions import Condition, conditions
from sekisho.contest.records.rules import RecordRules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.partners import Partners, partners
from sekisho.errors import InfeasibleError
from sekisho.gate.records.repair import Repair
from sekisho.gate.records.risk import ORDERED, MeasuredRisk, measured_risks, record_adversaries, strongest
from sekisho.protect.records.borrow import drawn
from sekisho.protect.records.borrowed import Made, borrowed
from sekisho.seeds import Seed
from sekisho.utility.records.unique_rate import UniqueRate

SCOUTS = ("density", "farthest", "nearest-all", "random-partner", "swapback")
LEANS = (0.0, 0.5, 1.0)
PULLS = (-0.5, 0.0, 0.5)
EXTRAS = (0.0,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The parameters of one candidate."""

    lean: float
    pull: float
    extra: float = 0.0

    def __str__(self) -> str:
        return f"lean {self.lean:g}, pull {self.pull:g}" + (f", extra {self.extra:g}" if self.extra else "")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """A release that was tried: what it meets and what it risks.

    Attributes:
        ordered: what those come to who see the release in the original's order; empty until the release has won.
    """

    trial: Trial
    release: Release
    conditions: tuple[Condition, ...]
    risks: dict[str, MeasuredRisk]
    ordered: dict[str, MeasuredRisk] = field(default_factory=dict[str, MeasuredRisk])

    @property
    def admissible(self) -> bool:
        """Tell whether every condition is met."""
        return all(condition.met for condition in self.conditions)

    @property
    def risk(self) -> float:
        """The mean risk under the strongest adversary it met."""
        return strongest(self.risks).mean

    @property
    def strain(self) -> float:
        """How near the release comes to a limit of utility: the largest of value over limit."""
        used = [c.value / c.limit for c in self.conditions if c.value is not None and c.name in {"rate", "odds", "cor"}]
        return max(used, default=float("inf"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanStep:
    """How far the search has come."""

    done: int
    total: int
    tried: tuple[Candidate, ...]
    best: Candidate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPlanner:
    """Search leans, pulls and extra deletions.

    Attributes:
        leans: how strongly easy records are deleted first.
        pulls: how strongly values that many could bear are preferred.
        extras: further shares deleted by chance.
        scouting: test sets per candidate in the search.
        seeds: further test sets, for the release that wins.
    """

    leans: tuple[float, ...] = LEANS
    pulls: tuple[float, ...] = PULLS
    extras: tuple[float, ...] = EXTRAS
    scouting: int = 6
    seeds: int = 20

    def steps(self, rules: RecordRules, data: Dataset, *, seed: Seed) -> Iterator[PlanStep]:
        """Yield the search after each candidate; the last step's best has met every adversary on fresh test sets."""
        trials = [Trial(lean=a, pull=b, extra=c) for a, b, c in product(self.leans, self.pulls, self.extras)]
        limit = rules.chosen("").iloss
        (points,) = rules.space.points(data)
        found, every = partners(points, limit), record_adversaries(limit=limit)
        scouts = {name: every[name] for name in SCOUTS}
        tried_on = [seed.child(f"scout {number}") for number in range(self.scouting)]
        tests = [seed.child(f"test {number}") for number in range(self.seeds)]
        tried: list[Candidate] = []
        best: Candidate | None = None
        for number, trial in enumerate(trials, start=1):
            release = made(rules, data, found, trial, rng=seed.child(str(trial)).rng())
            checked = conditions(rules, data, release)
            risks = measured_risks(rules, data, release, scouts, tried_on)
            tried.append(Candidate(trial=trial, release=release, conditions=checked, risks=risks))
            good = [candidate for candidate in tried if candidate.admissible]
            best = min(good, key=lambda candidate: candidate.risk, default=None)
            yield PlanStep(done=number, total=len(trials) + 1, tried=tuple(tried), best=best)
        if best is None:
            raise InfeasibleError(_reason(tried))
        full = measured_risks(rules, data, best.release, every, tests)
        index = {name: one for name, one in record_adversaries(limit=limit, ordered=True).items() if name in ORDERED}
        winner = replace(best, risks=full, ordered=measured_risks(rules, data, best.release, index, tests))
        yield PlanStep(done=len(trials) + 1, total=len(trials) + 1, tried=tuple(tried), best=winner)


def made(rules: RecordRules, data: Dataset, found: Partners, trial: Trial, *, rng: np.random.Generator) -> Release:
    """Return the candidate of a trial."""
    first, second, third = rng.spawn(3)
    deleted = _deleted(rules, data, found, trial, first)
    source = drawn(found, trial.pull, rng=second)
    kept = np.flatnonzero(~deleted)
    source = Repair().mend(rules, data, found, source.astype(np.int64), kept, rng=third)
    return borrowed(data, source, deleted, Made("record-plan", trial))


def _deleted(
    rules: RecordRules, data: Dataset, found: Partners, trial: Trial, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Delete unique records until uniqrt holds, then a further share by chance.

    Deleting a unique record leaves all others as they were, so the number is exact; chance deletes only where uniqrt still holds.
    """
    limits, measure = rules.chosen(""), UniqueRate(columns=rules.measures.explaining, rounded=rules.measures.rounded)
    keys = measure.keys(data)
    unique = np.flatnonzero(np.bincount(keys)[keys] == 1)
    surplus = max(0, len(unique) - int(limits.uniqrt * len(data)))
    weight = (1.0 + found.counts()[unique]) ** -trial.lean
    order = unique[np.argsort(rng.exponential(size=len(unique)) / weight)]
    deleted = np.zeros(len(data), dtype=np.bool_)
    most = int((1.0 - limits.kept) * len(data))
    deleted[order[: max(surplus, rules.test.others)]] = True
    rest = order[max(surplus, rules.test.others) :]
    deleted[rest[: max(0, min(int(trial.extra * len(data)), most - int(deleted.sum())))]] = True
    return deleted


def _reason(tried: list[Candidate]) -> str:
    near = min(tried, key=lambda candidate: sum(not condition.met for condition in candidate.conditions))
    broken = ", ".join(str(condition).strip() for condition in near.conditions if not condition.met)
    return f"no candidate meets every condition; the nearest ({near.trial}) breaks {broken}"
