"""Opening: a safe and lean pattern for a large table, before any cut: boxes first, then thinned region by region.

Regions: a large table cut along one axis, so that each part is small enough for its own linear program.

A region holds some leaves of the longest axis, neighbours in its tree, and every code above them. Regions may share the
codes above.

Thinning: give up part of a safe pattern, see how little must come back, and keep what is not dearer.

The first turn gives up half of the boxes and of the cells near primaries, and moves many primaries at once: dearer than
one by one, but done in a second, and later turns gain it back soon.

In one turn a share of the secondary cells of a region is given up. First the primaries move as far as the rest lets
them, all open ones in one linear program and at no charge; those that need more are then moved a few at a time, at a
price for every cell given up that has to move along. What moved is hidden again. The program is loaded once a turn and
every question starts from the last answer, so a turn over a thousand cells takes seconds, where asking primary by
primary takes minutes.

A deviation inside a region is one of the whole table: what a turn finds is safe as long as no primary outside relied on
what was given up, and such cells are not given up. That is how tables of any size are thinned, region by region.

Source: large neighbourhood search (Shaw 1998; Schrimpf et al. 2000); the price of a move is that of Kelly, Golden and
Assad (1992).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from math import inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from sekisho.seeds import Seed
from sekisho.tables.audit.attacker import room
from sekisho.tables.audit.survey import CLOSE, AuditSurvey, Needs, settle_primary
from sekisho.tables.model.axes import Axes, Ints
from sekisho.tables.model.table import Floats, Mask, Status, Table
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.tables.suppress.boxes import Boxer
from sekisho.tables.suppress.repair import Repairer, attacker_on, near_primaries


def regions(axes: Axes, hidden: Mask, most: int) -> list[Mask]:
    """Return masks of cells that together hold every hidden one, with about so many hidden cells each at most."""
    if int(hidden.sum()) <= most:
        return [np.ones(len(hidden), dtype=np.bool_)]
    axis = int(np.argmax([spread.shape[1] for spread in axes.spread]))
    spread, codes = axes.spread[axis], axes.codes[:, axis]
    inner = np.flatnonzero(spread.sum(axis=1) > 1)
    inner = inner[np.argsort(-spread[inner].sum(axis=1), kind="stable")]
    order = np.lexsort(spread[inner][::-1]) if inner.size else np.arange(spread.shape[1])
    counts = np.bincount(codes[hidden], minlength=len(spread)) @ (spread * (spread.sum(axis=1) == 1)[:, None])
    label = _labels(counts[order], np.any(np.diff(spread[inner][:, order], axis=1) != 0, axis=0), most)
    return [np.any(spread[:, order[label == at]], axis=1)[codes] for at in range(int(label[-1]) + 1)]


def _labels(counts: Ints, turns: Mask, most: int) -> Ints:
    """Return each leaf's region.

    A new one begins where the last would be too large, or is half full and a new family begins.
    """
    label = np.zeros(len(counts), dtype=np.int64)
    size = int(counts[0])
    for at in range(1, len(counts)):
        full = size + counts[at] > most or (turns[at - 1] and size > most // 2)
        label[at] = label[at - 1] + full
        size = int(counts[at]) + (0 if full else size)
    return label


Places = NDArray[np.intp]
MOVED = 1e-7
TOGETHER = 4
"""How many primaries are moved at once when what they move has its price."""
STALLED = 0.95
TURNS = 4
REWARD = 1e4
"""How much more a primary's move is worth than the dearest cell's."""
FINE = 100
"""A cell is charged by its room, but by no less than this part of the highest level."""
NOISE = 0.1
"""By how much prices differ at random, so that no two turns are the same."""


class Mover:
    """A loaded program: hidden cells move at no charge, a column each.

    Priced ones, once opened, have a way up and a way down.

    Attributes:
        cells: the hidden cells and then the priced ones.
        where: each table cell's place among them, -1 for none.
    """

    def __init__(self, table: Table, needs: Needs, *, hidden: Places, priced: Places, price: Floats) -> None:
        self.needs = needs
        self.cells = np.concatenate([hidden, priced])
        self.where = np.full(len(table), -1, dtype=np.intp)
        self.where[self.cells] = np.arange(len(self.cells))
        self._hidden, self._priced = len(hidden), len(priced)
        down, up = room(table)
        self._down, self._up = down[self.cells], up[self.cells]
        cap = max(float(needs.most.max(initial=0.0)), CLOSE)
        self._worth = REWARD * float(price.max(initial=1.0)) / cap
        self._ways = np.concatenate([up[priced], down[priced]])
        self._charged = np.arange(self._hidden, self._hidden + 2 * self._priced)
        columns = table.matrix.tocsc()
        both = columns[:, priced]
        rows = csr_array(hstack([columns[:, hidden], both, -both]))
        rows = csr_array(rows[np.flatnonzero(np.diff(rows.indptr))])
        still = np.zeros(rows.shape[0])
        self._program = Program(
            cost=np.concatenate([np.zeros(self._hidden), np.tile(price, 2) / np.clip(self._ways, cap / FINE, cap)]),
            lower=np.concatenate([-self._down[: self._hidden], np.zeros(2 * self._priced)]),
            upper=np.concatenate([self._up[: self._hidden], np.zeros(2 * self._priced)]),
            rows=rows,
            row_lower=still,
            row_upper=still,
        ).primal()

    def open_priced(self) -> None:
        """Let the priced cells move from now on."""
        self._program.bound(self._charged, np.zeros(2 * self._priced), self._ways)

    def free(self, cells: Places) -> None:
        """Charge nothing for these priced cells from now on."""
        at = self.where[cells]
        self._program.charge(np.concatenate([at, at + self._priced]), np.zeros(2 * len(at)))

    def push(self, places: Places, target: Floats, worth: Floats | None = None) -> Floats | None:
        """Return a deviation that moves primaries to their targets, or as near as can be.

        None if the solver had no answer.
        """
        at = self.where[self.needs.cells[places]]
        low, high = -self._down[at], self._up[at]
        self._program.bound(
            at,
            np.where(target < 0, np.maximum(low, target), low),
            np.where(target > 0, np.minimum(high, target), high),
        )
        value = np.full(len(at), self._worth) if worth is None else worth
        self._program.charge(at, -value * np.sign(target))
        solution = self._program.solve()
        self._program.charge(at, np.zeros(len(at)))
        self._program.bound(at, low, high)
        if solution.status is not SolveStatus.OPTIMAL:
            return None
        x, first, last = solution.x, self._hidden, self._hidden + self._priced
        point = np.concatenate([x[:first], x[first:last] - x[last:]])
        point[np.abs(point) < MOVED] = 0.0
        return point


class Thinner:
    """Thins a safe pattern of one table.

    Attributes:
        secondary: the pattern so far.
        survey: for each primary, moves that show it to be safe.
    """

    def __init__(self, table: Table, secondary: Mask, survey: AuditSurvey, *, rng: np.random.Generator) -> None:
        self.table, self.secondary, self.survey = table, secondary, survey
        self._needs, self._rng = survey.needs, rng
        self._down, self._up = room(table)
        self._free: Mask = table.status == Status.SAFE
        self._top = float(table.weight[self._free].max(initial=0.0)) or 1.0

    @property
    def cost(self) -> float:
        """What the secondary cells cost."""
        return float(self.table.weight[self.secondary].sum())

    def turn(self, region: Mask, *, share: float, until: float = inf, together: int = TOGETHER) -> bool:
        """Give up a share of a region's secondary cells and refill; return whether the pattern has become cheaper.

        ``together`` is how many primaries are moved at once at a price: the more, the sooner and the dearer.
        """
        given = self._given(region, share)
        if not given.size:
            return False
        gone = np.zeros(len(self.table), dtype=np.bool_)
        gone[given] = True
        survey, before = self.survey.without(given), self.cost
        kept = self.secondary & ~gone
        price = self.table.weight[given] / self._top * self._rng.uniform(1.0, 1.0 + NOISE, len(given))
        hidden = np.flatnonzero((kept | self.table.suppressed) & region)
        mover = Mover(self.table, self._needs, hidden=hidden, priced=given, price=price)
        added = self._refill(mover, survey, kept, until, together)
        if added is None:
            return False
        # what no primary relies on any more is published
        left = (kept | added) & survey.moved(len(self.table))
        after = float(self.table.weight[left].sum())
        if after > before + CLOSE:
            return False
        self.secondary, self.survey = left, survey
        return after < before - CLOSE

    def _given(self, region: Mask, share: float) -> Places:
        """Choose what to give up: nothing that a primary outside relies on."""
        outside = ~region[self._needs.cells]
        locked = self.survey.moved(len(self.table), outside)
        held = np.flatnonzero(self.secondary & region & ~locked)
        return np.sort(self._rng.choice(held, int(np.ceil(share * len(held))), replace=False))

    def _refill(self, mover: Mover, survey: AuditSurvey, kept: Mask, until: float, most: int) -> Mask | None:
        """Return the cells to hide again so that every primary is safe, or None if that fails or the time is over."""
        self._spread(mover, survey, until)
        mover.open_priced()
        added = np.zeros(len(self.table), dtype=np.bool_)
        order = self._rng.permutation(len(self._needs.cells))
        together, turned, idle = most, False, 0
        while True:
            still = survey.open()
            if not still.size:
                return added
            if monotonic() > until or idle > 3:
                return None
            group = still[np.argsort(order[still])][:together]
            before = survey.reach(group)
            point = mover.push(group, survey.targets(group, turned=turned, down=self._down, up=self._up))
            if point is None:
                return None
            survey.see(mover, point)
            moved = mover.cells[np.abs(point) > 0]
            fresh = moved[self._free[moved] & ~kept[moved] & ~added[moved]]
            added[fresh] = True
            mover.free(fresh)
            if survey.reach(group) > before + CLOSE:
                together, turned, idle = most, False, 0
            else:
                together, turned, idle = 1, not turned, idle + 1

    def _spread(self, mover: Mover, survey: AuditSurvey, until: float) -> None:
        """Move all open primaries at once, at no charge, as long as that settles many and there is time."""
        turn = 0
        while True:
            still = survey.open()
            if not still.size or monotonic() > until:
                return
            target = survey.targets(still, turned=turn % TURNS == TURNS - 1, down=self._down, up=self._up)
            point = mover.push(still, target, self._rng.uniform(0.2, 1.2, len(still)))
            if point is None:
                return
            survey.see(mover, point)
            turn += 1
            if turn > TURNS and len(survey.open()) > STALLED * len(still):
                return


ROUNDS = 1
"""How often boxes are improved: thinning gains more in the same time."""
REGION = 2_500
"""How many hidden cells a region may have."""
FIRST_SHARE, SHARE = 0.5, 0.3
"""What part of a region's secondary cells is given up in its first turn, and in a later one."""
IDLE = 12
"""After how many turns without gain a region rests."""
WHOLE = 20_000
"""Up to how many cells that may be hidden one program holds all of them."""
CROWD = 100
"""How many primaries are moved at once where the first pattern is lacking, and in the first turn of each region."""
SEED = Seed(0)
"""Of the choices by chance: fixed, so that the same table always has the same pattern."""


@dataclass(slots=True, kw_only=True)
class Deadline:
    """A time on the clock of :func:`time.monotonic` that may be put off while work towards it is under way."""

    at: float = inf

    @property
    def over(self) -> bool:
        """Whether it has passed."""
        return monotonic() > self.at


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningSearch:
    """How long an opening may take.

    Attributes:
        boxes: the time at which boxes are no longer improved.
        first: the time until which primaries without a box are given other cells.
        end: the time at which all ends but the boxes themselves: a first pattern is worth waiting for.
        thin: whether to thin the boxes.
    """

    boxes: float = inf
    first: float = inf
    end: Deadline = field(default_factory=Deadline)
    thin: bool = True

    def patterns(self, table: Table) -> Iterator[Mask]:
        """Yield patterns (secondary cells) after each turn, none dearer than the last; none for a table without axes.

        They are safe by the boxes' and the programs' account. A turn without gain yields the pattern of before again:
        whoever asks may do something else between two turns.
        """
        axes = Axes.of(table)
        if axes is None:
            return
        boxer = Boxer(table, axes)
        boxer.begin(until=inf)
        if not boxer.complete:
            secondary, survey = boxer.secondary, boxer.survey()
            refilled = self._refill(table) or self._repair(table, secondary, survey)
            if refilled is None:
                return
            secondary, survey = refilled
            yield secondary
        else:
            yield boxer.secondary
            if self.thin:
                boxer.improve(rounds=ROUNDS, until=self.boxes)
            secondary, survey = boxer.secondary, boxer.survey()
        if self.thin:
            yield from self._thin(table, axes, secondary, survey)

    def _refill(self, table: Table) -> tuple[Mask, AuditSurvey] | None:
        """Return what is needed of all cells that may be hidden, many primaries at a time: the boxes were too few."""
        every: Mask = table.status == Status.SAFE
        if int(every.sum()) > WHOLE:
            return None
        thinner = Thinner(table, every, AuditSurvey(Needs.of(table)), rng=SEED.rng())
        cheaper = thinner.turn(np.ones(len(table), dtype=np.bool_), share=1.0, until=self.first, together=CROWD)
        return (thinner.secondary, thinner.survey) if cheaper else None

    def _repair(self, table: Table, secondary: Mask, survey: AuditSurvey) -> tuple[Mask, AuditSurvey] | None:
        """Return the boxes and what primaries without a box need, one after the other."""
        whole = Repairer(table, secondary).repair(secondary, np.zeros(len(table)), until=self.first)
        if whole is None:
            return None
        _complete(table, whole, survey)
        return whole, survey

    def _thin(self, table: Table, axes: Axes, secondary: Mask, survey: AuditSurvey) -> Iterator[Mask]:
        """Thin a pattern of boxes together with the cells whose equations hold the most primaries.

        Boxes alone are too few to choose from.
        """
        parts = regions(axes, secondary | table.suppressed, REGION)
        shown = float(table.weight[secondary].sum())
        wider = secondary | (near_primaries(table) & (table.status == Status.SAFE))
        thinner = Thinner(table, wider, survey, rng=SEED.rng())
        idle = np.zeros(len(parts), dtype=np.int64)
        for turn in count():
            awake = np.flatnonzero(idle < IDLE)
            if not awake.size or self.end.over:
                return
            part = int(awake[turn % len(awake)])
            first = turn < len(parts)
            gained = thinner.turn(
                parts[part],
                share=FIRST_SHARE if first else SHARE,
                until=self.end.at,
                together=CROWD if first else TOGETHER,
            )
            idle[part] = 0 if gained else idle[part] + 1
            if thinner.cost < shown:
                secondary, shown = thinner.secondary, thinner.cost
            yield secondary


def _complete(table: Table, secondary: Mask, survey: AuditSurvey) -> None:
    """Let the survey see every primary that a safe pattern protects."""
    attacker = attacker_on(table, secondary | table.suppressed)
    for place in survey.open().tolist():
        settle_primary(attacker, survey, place)
