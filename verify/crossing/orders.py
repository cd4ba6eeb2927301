"""Delete after swapping, or before: the two orders of the slides of team 10, PWS Cup 2021."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sekisho.contest.records.rules import RecordRules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.gate.fit import fit
from sekisho.protect.records.delete import DeleteFew
from sekisho.protect.records.record_release import ReleaseMaker, build_record_release
from sekisho.protect.records.swap import Swap
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import check_conditions


class Order(StrEnum):
    """Which anonymisation comes first."""

    SWAP_FIRST = "swap, then delete"
    DELETE_FIRST = "delete, then swap"


@dataclass(frozen=True, kw_only=True)
class OrderFinding:
    """What came of one order with one limit on partners, over several releases.

    Attributes:
        few: records with at most so many partners are deleted.
        deleted: how many that are.
        odds: the condition's value for each release.
        limit: what it must not exceed.
    """

    order: Order
    few: int
    deleted: int
    odds: tuple[float, ...]
    limit: float

    @property
    def median(self) -> float:
        """The middle value."""
        return float(np.median(self.odds))

    @property
    def met(self) -> int:
        """How many releases keep the limit."""
        return sum(value <= self.limit for value in self.odds)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "order": self.order,
            "few": self.few,
            "deleted": self.deleted,
            "median": self.median,
            "least": min(self.odds),
            "largest": max(self.odds),
            "met": self.met,
            "releases": len(self.odds),
            "limit": self.limit,
        }


def make_release(rules: RecordRules, data: Dataset, few: int, order: Order, *, rng: np.random.Generator) -> Release:
    """Return a release of the slides' strategy: swapped among all records, or among those that were kept before."""
    if order is Order.SWAP_FIRST:
        return fit(Swap(few=few), rules.parameters()).apply(data, rng=rng)
    deleted = fit(DeleteFew(few=few), rules.parameters()).apply(data, rng=rng).deleted
    kept = np.flatnonzero(~deleted)
    swap = fit(Swap(few=-1), rules.parameters())
    changed = swap.apply(Dataset(data.frame[kept], data.schema), rng=rng)
    place = np.zeros(len(data), dtype=np.intp)
    place[kept] = np.arange(len(kept))
    return build_record_release(changed.table.take(place), deleted, ReleaseMaker("delete-then-swap", swap))


def compare_orders(
    rules: RecordRules, data: Dataset, limits: Iterable[int], seeds: Sequence[Seed]
) -> Iterator[OrderFinding]:
    """Yield, for each limit on partners and each order, how the odds ratios come out."""
    limit = rules.find_round("").odds
    if limit is None:
        raise ValueError("the rules have no limit on odds ratios")
    for few in limits:
        for order in Order:
            releases = [make_release(rules, data, few, order, rng=seed.rng()) for seed in seeds]
            odds = tuple(_measure_odds(rules, data, release) for release in releases)
            yield OrderFinding(order=order, few=few, deleted=int(releases[0].deleted.sum()), odds=odds, limit=limit)


def _measure_odds(rules: RecordRules, data: Dataset, release: Release) -> float:
    (odds,) = (one for one in check_conditions(rules, data, release) if one.name == "odds")
    return float("inf") if odds.value is None else odds.value
