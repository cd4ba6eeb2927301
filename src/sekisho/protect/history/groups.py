"""k-anonymous histories with the least loss: customers form groups whose published rows are the same.

Against whom: an adversary who knows every row of every customer. All members of a group publish the same rows (as
multisets), so nothing in the release distinguishes them, and he names one correctly with chance at most 1/k.

What is minimised: U of the contest of 2018, the mean cell error. Rows of a group are aligned so that the cells that
cover them cost least; each cell takes the cheapest range or set, or ``*`` if that is cheaper; surplus rows of longer
histories are deleted.

With ``raw`` whole groups are left as they were: those people are **not protected at all**, against anybody, and no door
says better of such a release than that a person must look at it. It is the contest's "a people raw, the rest
k-anonymous", here so that it can be studied.

Source: PWS Cup 2018, report, sections 2.4.2 (U) and 5 (the winners' optimal 2-anonymous release); proofs in
docs/proofs/history-groups.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from time import process_time
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.history.arrays import History
from sekisho.data.shape import Abilities, Place, Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.history.block_passes import BlockSearch, SlottedGroups
from sekisho.protect.history.bound_lengths import bound_by_lengths
from sekisho.protect.history.grouping.bound import bound_pairs_and_threes, bound_release
from sekisho.protect.history.grouping.few import Few, is_few
from sekisho.protect.history.grouping.pace import MILLION, WHOLE, Effort
from sekisho.protect.history.grouping.program import PairCosts, Triples, choose_groups, find_best_pairing
from sekisho.protect.history.grouping.rows import HistoryRows, lay_out_rows
from sekisho.protect.history.grouping.walk import (
    BRIEF_POLISH,
    POLISH,
    Polish,
    group_by_length,
    improve_groups,
    insert_shortest,
    limit_pairs,
)
from sekisho.protect.history.raw_people import bound_with_raw, leave_raw
from sekisho.protect.history.shared_cells import (
    LARGEST_SET,
    MAX_SET,
    build_history_release,
    cover_slots,
    gather_history,
)
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import SEED_BITS, Seed
from sekisho.words import Said

UNCUT, BLOCK = 3600, 300
"""Searched all at once while customers times k is at most the first; more in blocks of so many customers.

A search at once compares everybody with everybody, and its moves take the longer the larger the groups are.
"""
FINE = 1e-6
"""How close U must be to its lower bound to be called optimal."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupsProgress:
    """How far the search is.

    Attributes:
        seconds: CPU seconds since the start.
        utility: U of the best release so far; its alignments are polished when it is made, so it may turn out a little
            better, and people are left raw only then.
        bound: U that no k-anonymous release can be below, whatever its groups, cells and deletions.
        release: makes the best release so far.
    """

    seconds: float
    utility: float
    bound: float
    release: Callable[[], Release]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouping:
    """Groups of people, and what is known of their cost.

    Attributes:
        groups: who is in none of them is deleted.
        cells: how many there are.
        cost: of all of them, the deleted included.
        bound: what no release can cost less than.
        pairing: for k = 2, what no release that only pairs people (and deletes one of an odd number) can cost less
            than.
    """

    groups: list[NDArray[np.int64]]
    cells: float
    cost: float
    bound: float
    pairing: float | None = None

    @property
    def proven(self) -> bool:
        """Whether no release is better, to a millionth of U."""
        return self.cost - self.bound <= FINE * self.cells

    def keep_cheaper(self, polish: Polish, groups: list[NDArray[np.int64]]) -> Grouping:
        """Return other groups if they cost less."""
        cost = compute_cost(polish, groups)
        return replace(self, groups=groups, cost=cost) if cost < self.cost else self

    def detail(self) -> dict[str, object]:
        """Return what is reported beside the release."""
        pairing = {} if self.pairing is None else {"pairing_bound": self.pairing / self.cells}
        return {"lower_bound": self.bound / self.cells, "optimal": self.proven, **pairing}


def count_cells(polish: Polish) -> float:
    """Return how many cells there are, and 1 where there are none: U is a share of them."""
    return max(1.0, float(polish.rows.deletion.sum()))


def compute_cost(polish: Polish, groups: list[NDArray[np.int64]]) -> float:
    """Return what a release of some groups costs; everybody else is deleted."""
    own = polish.rows.deletion
    kept = np.concatenate(groups) if groups else np.zeros(0, dtype=np.int64)
    return float(sum(polish.align(people)[0] for people in groups) + own.sum() - own[kept].sum())


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Groups:
    """Publish the same rows for all members of groups of k or more customers, losing as little as possible.

    Few customers: the cheapest of all groupings. k = 2: the cheapest pairing, mostly proven to be the best release of
    all. Otherwise a search, which follows the number of rows and ends where U stands still; with ``effort`` it goes its
    whole way, as long as so many millions of row-to-slot costs, of which a thousand take very roughly 40 CPU seconds.
    Either way the same seed gives the same release on every machine. ``seconds`` may stop it earlier; a release that
    was cut short so depends on the machine's speed. Up to k - 1 customers may be deleted altogether, where that costs
    less than to group them. Very many customers are cut into blocks of alike ones first, each searched by itself, then
    once more with other borders: the time then grows with the customers, not with their pairs.

    The release's detail holds ``lower_bound``, the U that no k-anonymous release can be below; ``optimal``, whether the
    release reaches it to a millionth; and for k = 2 ``pairing_bound``, the U of the cheapest pairing. In blocks the
    bound comes from the customers' lengths alone, and ``blocks`` says how many there were.

    With ``raw`` the groups that cost most, of so many customers in all, are published as they were. **Those customers
    are not protected**: nobody can be promised anything of them, and the promise of 1/k is for the others only.

    Source: PWS Cup 2018, report, sections 2.4.2 and 5; the search: Kirkpatrick et al. 1983.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})
    abilities: ClassVar[Abilities] = Abilities(runs_on=frozenset({Place.MEMORY, Place.ENGINE, Place.CLUSTER}))

    k: int = field(default=3, metadata={"help": "Least number of customers whose published rows are the same."})
    effort: float | None = field(
        default=None,
        metadata={
            "help": "Length of the search, in millions of row-to-slot costs; if not said it follows the rows and ends "
            f"where U stands still. {WHOLE / MILLION:.0f} is a whole search, for the last per cent."
        },
    )
    seconds: float | None = field(
        default=None, metadata={"help": "Stop the search after so many CPU seconds, whatever the effort left."}
    )
    max_set: int | None = field(default=None, metadata={"help": LARGEST_SET})
    block: int | None = field(
        default=None,
        metadata={
            "help": "Search in blocks of at most so many customers, 0 for all at once; "
            f"blocks of {BLOCK} if not said and customers times k is above {UNCUT:,}."
        },
    )
    jobs: int | None = field(
        default=None, metadata={"help": "In how many threads blocks are searched; as many as cores if not said."}
    )
    raw: int = field(
        default=0,
        metadata={
            "help": "Leave so many customers as they are, the dearest whole groups: they are NOT protected, and a "
            "person must look at the release."
        },
    )

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", Said("be 1 or more"), self.k)
        if self.raw < 0 or (self.raw and self.k == 1):
            raise ParameterError("raw", Said("be 0 or more, and 0 where k is 1 and everybody is raw"), self.raw)
        if self.effort is not None and not self.effort >= 0:
            raise ParameterError("effort", Said("be 0 or more"), self.effort)
        if self.seconds is not None and not self.seconds > 0:
            raise ParameterError("seconds", Said("be above 0"), self.seconds)
        if self.max_set is not None and self.max_set < 1:
            raise ParameterError("max_set", Said("be 1 or more"), self.max_set)
        if self.block is not None and self.block < 0:
            raise ParameterError("block", Said("be 0 or more"), self.block)
        if self.jobs is not None and self.jobs < 1:
            raise ParameterError("jobs", Said("be 1 or more"), self.jobs)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the best release that the effort finds.

        Raises:
            InfeasibleError: there are fewer than k customers.
        """
        *_, last = self.improve(data, rng=rng)
        return last.release()

    def improve(self, data: Dataset, *, rng: np.random.Generator) -> Iterator[GroupsProgress]:
        """Give better and better releases; every step holds a valid one, so the search may be left at any time."""
        start = process_time()
        history = gather_history(data)
        if history.people < self.k:
            raise InfeasibleError(
                Said("{people} customers cannot form a group of {k}", people=history.people, k=self.k)
            )
        if history.people < self.raw:
            raise InfeasibleError(
                Said("{people} customers cannot be left raw, {raw} are asked for", people=history.people, raw=self.raw)
            )
        names = Seed(int(rng.integers(2**SEED_BITS)))
        rows = lay_out_rows(history, max_set=self.max_set or MAX_SET)
        size = self.choose_size(history.people)
        steps = (
            self._improve_at_once(history, self._make_polish(rows), names, rng)
            if size is None
            else self._improve_in_blocks(history, rows, size, names, rng, is_late=lambda: self._is_late(start))
        )
        for step in steps:
            bound = bound_with_raw(step.bound, history.lengths, self.raw)
            yield replace(step, seconds=process_time() - start, bound=bound)
            if self._is_late(start):
                return

    def _is_late(self, start: float) -> bool:
        return self.seconds is not None and process_time() - start > self.seconds

    def choose_effort(self, rows: int) -> Effort:
        """Return how long the search of so many rows may be."""
        return Effort.choose(self.effort, rows)

    def _make_polish(self, rows: HistoryRows) -> Polish:
        """Return what re-aligns groups: briefly where the search ends early, but never those of a few people."""
        effort = self.choose_effort(int(rows.starts[-1]))
        brief = effort.follows and self.k > 1 and not is_few(rows, self.k, effort.of_few)
        return Polish(rows, BRIEF_POLISH if brief else POLISH)

    def choose_size(self, people: int) -> int | None:
        """Return how many people a block has, a multiple of k; None where one block holds them all."""
        asked = self.block if self.block is not None else BLOCK if people * self.k > UNCUT else 0
        size = max(2, -(-asked // self.k)) * self.k
        return size if asked and size < people and self.k > 1 else None

    def _improve_at_once(
        self, history: History, polish: Polish, names: Seed, rng: np.random.Generator
    ) -> Iterator[GroupsProgress]:
        for grouping in self._search_groups(polish, rng):
            yield GroupsProgress(
                seconds=0.0,
                utility=grouping.cost / grouping.cells,
                bound=grouping.bound / grouping.cells,
                release=lambda grouping=grouping: self._build_release(
                    history, _align_groups(polish, grouping.groups), grouping.detail(), names
                ),
            )

    def _improve_in_blocks(
        self,
        history: History,
        rows: HistoryRows,
        size: int,
        names: Seed,
        rng: np.random.Generator,
        *,
        is_late: Callable[[], bool],
    ) -> Iterator[GroupsProgress]:
        width = len(rows.scaled) + len(rows.codes)
        seed = Seed(int(rng.integers(2**SEED_BITS)))
        search = BlockSearch(
            rows=rows,
            k=self.k,
            size=size,
            effort=self.choose_effort(int(rows.starts[-1])),
            seed=seed,
            jobs=self.jobs,
            is_late=is_late,
        )
        for groups in search.run():
            utility = float(groups.cost.sum()) / max(1.0, float(rows.deletion.sum()))
            detail = self.describe_blocks(history.lengths, width, utility, groups.blocks)
            yield GroupsProgress(
                seconds=0.0,
                utility=utility,
                bound=float(detail["lower_bound"]),
                release=lambda groups=groups, detail=detail: self._build_release(history, groups, detail, names),
            )

    def describe_blocks(
        self, lengths: NDArray[np.int64], width: int, utility: float, blocks: int
    ) -> dict[str, float | bool]:
        """Return what is reported beside a release that was searched in blocks.

        Args:
            lengths: how many rows each customer has.
            width: how many attributes there are.
            utility: U of the release.
            blocks: in how many it was searched last.
        """
        bound = bound_by_lengths(lengths, self.k) * width / max(1.0, float(lengths.sum() * width))
        return {"lower_bound": bound, "optimal": utility - bound <= FINE, "blocks": blocks}

    def _search_groups(self, polish: Polish, rng: np.random.Generator) -> Iterator[Grouping]:
        """Give groups, what they cost, and what no release can cost less than."""
        rows, cells = polish.rows, count_cells(polish)
        effort = self.choose_effort(int(rows.starts[-1]))
        if self.k == 1:
            alone = [np.array([one]) for one in range(len(rows.starts) - 1)]
            yield Grouping(groups=alone, cells=cells, cost=0.0, bound=0.0)
            return
        if is_few(rows, self.k, effort.of_few):
            yield self._group_at_once(polish)
            for groups, cost, bound in Few(polish, self.k).improve():
                yield Grouping(groups=groups, cells=cells, cost=cost, bound=bound)
            return
        if self.k == 2:
            yield self._group_at_once(polish)
            yield from self._search_pairs(polish, PairCosts.of(rows), effort, rng)
            return
        bound, costs = bound_release(rows, self.k, limit_pairs(effort.work), ends_early=effort.follows)
        for groups, cost in improve_groups(polish, costs, k=self.k, effort=effort, started=[], rng=rng):
            yield Grouping(groups=groups, cells=cells, cost=cost, bound=bound)

    def _search_pairs(
        self, polish: Polish, costs: PairCosts, effort: Effort, rng: np.random.Generator
    ) -> Iterator[Grouping]:
        """Give the cheapest pairing and, where that is not proven best of all, what threes and a search improve."""
        pairing = find_best_pairing(costs)
        bound, threes = bound_pairs_and_threes(costs, pairing.sets)
        cells, cost = count_cells(polish), pairing.cost
        best = Grouping(groups=list(pairing.pairs), cells=cells, cost=cost, bound=bound, pairing=cost)
        yield best
        if best.proven:
            return
        triple_costs = np.array([polish.align(people)[0] for people in threes])
        best = best.keep_cheaper(polish, choose_groups(costs, Triples(people=threes, cost=triple_costs)))
        yield best
        if len(costs.own) % 2 == 0 or best.proven:
            return
        started = [insert_shortest(polish.rows, costs)]
        for groups, _ in improve_groups(polish, costs, k=2, effort=effort, started=started, rng=rng):
            best = best.keep_cheaper(polish, groups)
            yield best

    def _group_at_once(self, polish: Polish) -> Grouping:
        """Return what a search that is left at once has to give."""
        groups = group_by_length(np.diff(polish.rows.starts), self.k)
        return Grouping(groups=groups, cells=count_cells(polish), cost=compute_cost(polish, groups), bound=0.0)

    def _build_release(
        self, history: History, groups: SlottedGroups, detail: Mapping[str, object], names: Seed
    ) -> Release:
        """Return the release of groups whose rows are aligned, given for the rows gathered by customer."""
        shown = leave_raw(groups, history.starts, self.raw)
        by_row = np.empty_like(shown.slot)
        by_row[history.order] = shown.slot
        release = build_history_release(
            history.data,
            cover_slots(history.data, by_row, max_set=self.max_set or MAX_SET, widen=True),
            by_row < 0,
            Provenance(name="groups", parameters=list_parameters(self)),
            rng=names.rng(),
        )
        return replace(release, detail=self._describe_raw(detail, history) if self.raw else detail)

    def _describe_raw(self, detail: Mapping[str, object], history: History) -> dict[str, object]:
        """Return what is reported where people are left raw: what is proven of k-anonymous releases is not of these."""
        bound = bound_with_raw(float(str(detail["lower_bound"])), history.lengths, self.raw)
        kept = {key: value for key, value in detail.items() if key != "pairing_bound"}
        return {**kept, "lower_bound": bound, "optimal": False}


def _align_groups(polish: Polish, groups: list[NDArray[np.int64]]) -> SlottedGroups:
    """Return groups with each row's slot, -1 where it is deleted."""
    group = np.full(len(polish.rows.starts) - 1, -1, dtype=np.int64)
    slot = np.full(int(polish.rows.starts[-1]), -1, dtype=np.int64)
    cost = np.zeros(len(groups))
    used = 0
    for place, people in enumerate(groups):
        cost[place], aligned = polish.align(people)
        group[people] = place
        slot[aligned] = np.arange(used, used + aligned.shape[1])
        used += aligned.shape[1]
    return SlottedGroups(group=group, slot=slot, cost=cost, blocks=1)
