"""Which blocks a pass searches, how long each, and with which randomness: decided from a few numbers about each person.

The first pass cuts the people; the next cut the *groups* that there are, elsewhere.

What is asked of a block, made from its rows: the same, wherever they came from and in whatever order.

Search all blocks, then again with other borders, so that people on either side of a border can meet.

The first pass groups the people of each block. The second cuts the *groups* into blocks elsewhere and searches on from
them. A block's answer is taken where it costs less than the groups that it began with, so no pass makes things worse.
Blocks are searched in threads, or on the cluster that was opened for them; each depends on its own rows and seed only,
so neither the number of threads nor the machine changes anything. Where time is limited, blocks that are not begun in
time are not searched: in the first pass their people are grouped by length, later they keep their groups.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.data.engines.tasks import find_cluster
from sekisho.data.work_meter import advance_part, begin_part
from sekisho.protect.history.block import BlockGroups, BlockTask, Units, cut_blocks, group_block, list_members, renumber
from sekisho.protect.history.grouping.pace import Effort
from sekisho.protect.history.grouping.rows import HistoryRows
from sekisho.seeds import Seed
from sekisho.words import Said

SHARES = (None, 1 / 3)
"""Where the passes cut: the first makes full blocks, the second has its borders elsewhere, and smaller blocks."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassTerms:
    """What each block of a pass is told beside its rows.

    Attributes:
        number: which pass it is, from 0.
        k: least people of a group.
        efforts: how long each block is searched, in row-to-slot costs.
        seed: of the search.
        follows: whether a search ends where the cost stands still.
    """

    number: int
    k: int
    efforts: NDArray[np.float64]
    seed: Seed
    follows: bool = False

    def find_seed(self, block: int) -> int:
        """Return the seed of a block."""
        return self.seed.child(f"pass {self.number} block {block}").value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassPlan:
    """A pass over all people: those of each block, in their order, what each is told, and its rows as units of work."""

    blocks: list[NDArray[np.int64]]
    terms: PassTerms
    work: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockPlanner:
    """Plans passes.

    Attributes:
        people: everybody.
        k: least people of a group.
        size: most people of a block, a multiple of k.
        effort: of all passes.
        seed: of the randomness.
    """

    people: Units
    k: int
    size: int
    effort: Effort
    seed: Seed

    def plan_pass(self, number: int, group: NDArray[np.int64] | None) -> PassPlan:
        """Return a pass.

        Args:
            number: which.
            group: each person's group so far; None before the first pass.
        """
        if group is None:
            blocks = cut_blocks(self.people, size=self.size, k=self.k, share=SHARES[number])
        else:
            members = list_members(group)
            units = cut_blocks(self.people.join(group), size=self.size, k=self.k, share=SHARES[number])
            blocks = [np.concatenate([members[each] for each in block]) for block in units]
        work = np.array([float((self.people.rows[block] ** 2).sum()) for block in blocks])
        efforts = self.effort.work * work / max(1.0, float(work.sum())) / max(1, len(SHARES) - 1)
        terms = PassTerms(number=number, k=self.k, efforts=efforts, seed=self.seed, follows=self.effort.follows)
        rows = np.array([float(self.people.rows[block].sum()) for block in blocks])
        return PassPlan(blocks=blocks, terms=terms, work=rows)


def sort_rows(owner: NDArray[np.int64], scaled: NDArray[np.float64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the order in which a block's rows stand: by person, then by categories, then by numbers."""
    return np.lexsort((*scaled[::-1], *codes[::-1], owner))


def begin_task(rows: HistoryRows, terms: PassTerms, block: int) -> BlockTask:
    """Return what is asked of a block whose people are in no groups yet."""
    nothing = np.zeros(0, dtype=np.int64)
    return BlockTask(
        rows=rows,
        k=terms.k,
        effort=float(terms.efforts[block]),
        seed=terms.find_seed(block),
        group=nothing,
        slot=nothing,
        cost=np.zeros(0),
        follows=terms.follows,
    )


def continue_task(
    task: BlockTask, group: NDArray[np.int64], slot: NDArray[np.int64], cost: NDArray[np.float64]
) -> BlockTask:
    """Return what is asked of a block whose people are in groups already.

    Args:
        task: as if they were in none.
        group: each person's group.
        slot: each row's slot, -1 where it is deleted.
        cost: for each person, what his group costs.
    """
    _, first, numbers = np.unique(group, return_index=True, return_inverse=True)
    return task._replace(group=numbers.astype(np.int64), slot=renumber(slot), cost=cost[first])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlottedGroups:
    """Groups of all people with their rows aligned.

    Attributes:
        group: each person's group, from 0.
        slot: each row's slot, from 0; -1 where the row is deleted.
        cost: what each group costs.
        blocks: in how many blocks they were searched last.
    """

    group: NDArray[np.int64]
    slot: NDArray[np.int64]
    cost: NDArray[np.float64]
    blocks: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockSearch:
    """A search in blocks.

    Attributes:
        rows: of all people.
        k: least people of a group.
        size: most people of a block, a multiple of k.
        effort: of all passes.
        seed: of the randomness; each block has a child of its own.
        jobs: threads; as many as cores where None.
        is_late: tells whether the time is up.
    """

    rows: HistoryRows
    k: int
    size: int
    effort: Effort
    seed: Seed
    jobs: int | None = None
    is_late: Callable[[], bool] = lambda: False

    def run(self) -> Iterator[SlottedGroups]:
        """Give groups after each pass, never worse than before."""
        planner = BlockPlanner(people=Units.of(self.rows), k=self.k, size=self.size, effort=self.effort, seed=self.seed)
        best: SlottedGroups | None = None
        for number in range(len(SHARES)):
            best = self._search_blocks(planner.plan_pass(number, None if best is None else best.group), best)
            yield best

    def _search_blocks(self, plan: PassPlan, before: SlottedGroups | None) -> SlottedGroups:
        blocks = plan.blocks

        def prepare(place: int) -> tuple[NDArray[np.int64], BlockTask]:
            rows, taken = take_people(self.rows, blocks[place])
            task = begin_task(rows, plan.terms, place)._replace(hasty=self.is_late())
            if before is not None:
                people = blocks[place]
                task = continue_task(task, before.group[people], before.slot[taken], before.cost[before.group[people]])
            return taken, task

        def search(place: int) -> tuple[NDArray[np.int64], BlockGroups]:
            taken, task = prepare(place)
            return taken, group_block(task)

        cluster, places = find_cluster(), range(len(blocks))
        if cluster is not None:
            answers = cluster.run_tasks(group_block, (prepare(place)[1] for place in places))
            taken = (take_people(self.rows, block)[1] for block in blocks)
            return self._join(plan, zip(taken, answers, strict=True))
        with ThreadPoolExecutor(max_workers=self.jobs or os.cpu_count() or 1) as pool:
            return self._join(plan, pool.map(search, places))

    def _join(self, plan: PassPlan, answers: Iterator[tuple[NDArray[np.int64], BlockGroups]]) -> SlottedGroups:
        blocks, work = plan.blocks, plan.work
        part = Said("groups in blocks, pass {number} of {passes}", number=plan.terms.number + 1, passes=len(SHARES))
        begin_part(part, float(work.sum()))
        group = np.empty(len(self.rows.starts) - 1, dtype=np.int64)
        slot = np.empty(int(self.rows.starts[-1]), dtype=np.int64)
        costs = list[NDArray[np.float64]]()
        groups = slots = 0
        for block, units, (taken, answer) in zip(blocks, work.tolist(), answers, strict=True):
            advance_part(units)
            group[block] = answer.group + groups
            slot[taken] = np.where(answer.slot >= 0, answer.slot + slots, -1)
            costs.append(answer.cost)
            groups += len(answer.cost)
            slots += int(answer.slot.max(initial=-1)) + 1
        return SlottedGroups(group=group, slot=slot, cost=np.concatenate(costs), blocks=len(blocks))


def take_people(rows: HistoryRows, people: NDArray[np.int64]) -> tuple[HistoryRows, NDArray[np.int64]]:
    """Return the rows of some people and where they stood; each one's are sorted, by categories first."""
    lengths = np.diff(rows.starts)[people]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    taken = np.repeat(rows.starts[people] - starts[:-1], lengths) + np.arange(starts[-1])
    owner = np.repeat(np.arange(len(people)), lengths)
    taken = taken[sort_rows(owner, rows.scaled[:, taken], rows.codes[:, taken])]
    part = rows._replace(
        starts=starts,
        scaled=np.ascontiguousarray(rows.scaled[:, taken]),
        codes=np.ascontiguousarray(rows.codes[:, taken]),
    )
    return part, taken
