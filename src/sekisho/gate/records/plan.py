"""Search for the release of records with the smallest measured risk among those that meet every condition of the round.

A candidate is made in three steps. Delete: of the records that are alone with their values just as many as uniqrt asks
for are deleted, by chance, with weight (1 + partners) ** -lean, so that easy records go first and, by chance, others
too; ``extra`` deletes a further share of all by chance. Borrow: every record takes the values of a random partner with
weight (partners of the partner) ** pull, deleted records lending theirs as well, which hides the deletion. Repair: a
few rows are given other partners until odds ratios and cross tables hold.

The rows are shuffled before they leave, and attacked so, unless the rules have them in the original's order. Then
whoever uses the order counts like everybody else, unless the round forbids it: his figure is then told apart, as
forbidden.

Each candidate meets some adversaries on a few test sets; the best that meets all conditions meets all adversaries on
test sets of its own, none of which helped to choose it: the reported figure is not flattered by the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sekisho.attack import Adversary
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, order_rows
from sekisho.data.records.partners import Partners, find_partners
from sekisho.data.records.space import require_limit
from sekisho.data.review import review_release
from sekisho.errors import InfeasibleError
from sekisho.gate.account.account import Account
from sekisho.gate.policy import list_review_reasons
from sekisho.gate.records.repair import Repair
from sekisho.gate.records.test_sets import (
    RiskCandidate,
    RiskTest,
    list_reasons,
    make_record_adversaries,
    needs_order,
    score_strain,
)
from sekisho.protect.records.borrow import draw_partners
from sekisho.protect.records.record_release import ReleaseMaker, release_borrowed
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition, check_conditions
from sekisho.utility.records.rate import UniqueRate
from sekisho.words import Said

SCOUTS = ("density", "farthest", "nearest-all", "random-partner", "swapback")
LEANS = (0.0, 0.5, 1.0)
PULLS = (-0.5, 0.0, 0.5)
EXTRAS = (0.0,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanParameters:
    """The parameters of one candidate."""

    lean: float
    pull: float
    extra: float = 0.0

    def __str__(self) -> str:
        if self.extra:
            return Said(
                "lean {lean:g}, pull {pull:g}, extra {extra:g}", lean=self.lean, pull=self.pull, extra=self.extra
            )
        return Said("lean {lean:g}, pull {pull:g}", lean=self.lean, pull=self.pull)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanStep:
    """How far the search has come."""

    done: int
    total: int
    tried: tuple[RiskCandidate, ...]
    best: RiskCandidate | None


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

    def steps(
        self,
        rules: RecordTerms,
        data: Dataset,
        *,
        seed: Seed,
        target: float,
        round_name: str = "",
        allowed: Mapping[str, str] | None = None,
    ) -> Iterator[PlanStep]:
        """Yield the search after each candidate; the last step's best has met every adversary on fresh test sets.

        All were looked at: ``allowed`` says by column that names people why it may leave all the same.
        """
        grid = [PlanParameters(lean=a, pull=b, extra=c) for a, b, c in product(self.leans, self.pulls, self.extras)]
        (points,) = rules.space.points(data)
        nearby, every = (
            find_partners(points, require_limit(rules.find_round(round_name).iloss)),
            make_record_adversaries(),
        )
        counted = {name: one for name, one in every.items() if counts_in_round(one, rules, round_name)}
        by_order = [name for name in counted if rules.in_order and needs_order(counted[name])]
        scouts = {name: every[name] for name in (*SCOUTS, *by_order)}
        test = RiskTest(
            rules=rules,
            seeds=[seed.child(f"scout {number}") for number in range(self.scouting)],
            shuffled=not rules.in_order,
            target=target,
            round_name=round_name,
        )
        tried: list[RiskCandidate] = []
        best: RiskCandidate | None = None
        for number, each in enumerate(grid, start=1):
            release = make_planned_release(
                rules, data, nearby, each, rng=seed.child(str(each)).rng(), round_name=round_name
            )
            tried.append(_try_release(str(each), release, data, test, scouts, allowed))
            good = [candidate for candidate in tried if candidate.admissible]
            best = min(good, key=lambda candidate: candidate.risk, default=None)
            yield PlanStep(done=number, total=len(grid) + 1, tried=tuple(tried), best=best)
        if best is None:
            raise InfeasibleError(_explain_failure(tried))
        last = replace(test, seeds=[seed.child(f"test {number}") for number in range(self.seeds)])
        others = {name: one for name, one in every.items() if name not in counted}
        winner = replace(
            _try_release(best.label, best.release, data, last, counted, allowed),
            forbidden=tuple(last.measure(data, best.release, others).values()) if others else (),
            order=None if rules.in_order else _draw_order(best.release, seed),
        )
        yield PlanStep(done=len(grid) + 1, total=len(grid) + 1, tried=tuple(tried), best=winner)


def counts_in_round(adversary: Adversary, rules: RecordTerms, round_name: str = "") -> bool:
    """Tell whether an adversary counts: all do, but who uses an order that the rules ask for and the round protects."""
    return not (rules.in_order and needs_order(adversary)) or rules.find_round(round_name).order_attacks


def _draw_order(release: Release, seed: Seed) -> NDArray[np.int64]:
    """Return the published row of each kept row."""
    return np.argsort(order_rows(release, seed)).astype(np.int64)


def _try_release(
    label: str,
    release: Release,
    data: Dataset,
    test: RiskTest,
    adversaries: Mapping[str, Adversary],
    allowed: Mapping[str, str] | None,
) -> RiskCandidate:
    checked = check_conditions(test.rules, data, release, round_name=test.round_name)
    attempts = tuple(test.measure(data, release, adversaries).values())
    review = review_release(release, data, allowed=allowed)
    judged = () if test.target is None else list_reasons(checked, attempts, test.target)
    return RiskCandidate(
        label=label,
        release=release,
        score=score_strain(checked),
        attempts=attempts,
        reasons=(*judged, *list_review_reasons(review)),
        conditions=checked,
        review=review,
        account=Account.of_round(),
    )


def make_planned_release(
    rules: RecordTerms,
    data: Dataset,
    nearby: Partners,
    parameters: PlanParameters,
    *,
    rng: np.random.Generator,
    round_name: str = "",
) -> Release:
    """Return the release with these parameters."""
    first, second, third = rng.spawn(3)
    deleted = _choose_deleted(rules, data, nearby, parameters, first, round_name)
    source = draw_partners(nearby, parameters.pull, rng=second)
    kept = np.flatnonzero(~deleted)
    source = Repair().repair_sources(
        rules, data, nearby, source.astype(np.int64), kept, rng=third, round_name=round_name
    )
    return release_borrowed(data, source, deleted, ReleaseMaker("record-plan", parameters))


def _choose_deleted(
    rules: RecordTerms,
    data: Dataset,
    nearby: Partners,
    parameters: PlanParameters,
    rng: np.random.Generator,
    round_name: str,
) -> NDArray[np.bool_]:
    """Delete unique records until uniqrt holds, then a further share by chance.

    Deleting a unique record leaves all others as they were, so the number is exact; chance deletes only where uniqrt
    still holds. Where fewer records are unique than a test set needs deleted ones, others are deleted as well.
    """
    limits = rules.find_round(round_name)
    measure = UniqueRate(columns=rules.measures.explaining, rounded=rules.measures.rounded)
    keys, weight = measure.compute_keys(data), (1.0 + nearby.counts()) ** -parameters.lean
    alone = np.bincount(keys)[keys] == 1
    unique = np.flatnonzero(alone)
    order = unique[np.argsort(rng.exponential(size=len(unique)) / weight[unique])]
    surplus = 0 if limits.uniqrt is None else max(0, len(unique) - int(limits.uniqrt * len(data)))
    first = max(surplus, rules.test.others)
    if len(order) < first:  # a test set needs more deleted records than are unique
        others = np.flatnonzero(~alone)
        order = np.append(order, others[np.argsort(rng.exponential(size=len(others)) / weight[others])])
    deleted = np.zeros(len(data), dtype=np.bool_)
    most = int((1.0 - (limits.kept or 0.0)) * len(data))
    deleted[order[:first]] = True
    rest = order[first:]
    deleted[rest[: max(0, min(int(parameters.extra * len(data)), most - int(deleted.sum())))]] = True
    return deleted


def _explain_failure(tried: list[RiskCandidate]) -> str:
    near = min(tried, key=lambda candidate: sum(not condition.met for condition in candidate.conditions))
    broken = ", ".join(_describe_broken(condition) for condition in near.conditions if not condition.met)
    return Said(
        "no candidate meets every condition; the nearest ({label}) breaks {broken}", label=near.label, broken=broken
    )


def _describe_broken(condition: Condition) -> str:
    value = condition.reason or Said("no value") if condition.value is None else f"{condition.value:.4f}"
    return Said(
        "{name} ({value}, asked {side} {limit:g})",
        name=condition.name,
        value=value,
        side=condition.side,
        limit=condition.limit,
    )
