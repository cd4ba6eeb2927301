"""How far the primaries are known to move, and which of them still lack protection."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from math import inf
from time import monotonic
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sekisho.tables.audit.attacker import DOWN, UP, Attacker
from sekisho.tables.audit.reduction import Reduction, reduce_cells
from sekisho.tables.model.table import Floats, Mask, Table

CLOSE = 1e-6
SPREADS = 4
"""The last of so many turns moves cells down, the others up."""
STALLED = 0.95
GOLDEN = (5**0.5 - 1) / 2
STILL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """The primaries of a table and the protection that each needs: down, up and in width."""

    cells: NDArray[np.intp]
    lower: Floats
    upper: Floats
    sliding: Floats

    @classmethod
    def of(cls, table: Table) -> Needs:
        """Return the needs of a table's primaries."""
        cells = np.flatnonzero(table.primary)
        return cls(
            cells=cells,
            lower=table.lower_level[cells],
            upper=table.upper_level[cells],
            sliding=table.sliding_level[cells],
        )

    @property
    def most(self) -> Floats:
        """The longest way that each primary need move in one direction."""
        return np.maximum(np.maximum(self.lower, self.upper), self.sliding)

    def met(self, down: Floats, up: Floats) -> Mask:
        """Return which primaries are protected if they can move so far."""
        slack = CLOSE * np.maximum(1.0, self.most)
        return (down >= self.lower - slack) & (up >= self.upper - slack) & (down + up >= self.sliding - slack)

    def only(self, kept: Mask, cells: NDArray[np.intp]) -> Needs:
        """Return some of the needs, their cells renamed."""
        return Needs(cells=cells, lower=self.lower[kept], upper=self.upper[kept], sliding=self.sliding[kept])

    def grouped(self, less: Reduction, places: NDArray[np.intp]) -> Needs:
        """Return the needs of the groups that the primaries belong to: the greatest of each.

        The primaries are the cells at these places of a reduction.
        """
        group, along = less.group[places], less.sign[places] > 0
        live = group >= 0
        lower, upper, sliding = np.zeros((3, len(less.down)))
        np.maximum.at(lower, group[live], np.where(along, self.lower, self.upper)[live])
        np.maximum.at(upper, group[live], np.where(along, self.upper, self.lower)[live])
        np.maximum.at(sliding, group[live], self.sliding[live])
        cells = np.unique(group[live])
        return Needs(cells=cells, lower=lower[cells], upper=upper[cells], sliding=sliding[cells])


class Variables(Protocol):
    """Whatever moves some cells: an attacker, or a program with prices."""

    cells: NDArray[np.intp]
    where: NDArray[np.intp]


class AuditSurvey:
    """What an attacker's points have shown of the primaries so far.

    Attributes:
        needs: what is asked of them.
        down: how far below its value each has been seen.
        up: how far above.
        used: the cells that each point moves, by the point's number.
        up_point: the number of the point that showed each ``up``, -1 for none.
        down_point: the same for ``down``.
    """

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        many = len(needs.cells)
        self.down, self.up = np.zeros(many), np.zeros(many)
        self.used: list[NDArray[np.intp]] = []
        self.down_point, self.up_point = np.full(many, -1), np.full(many, -1)

    def see(self, attacker: Variables, point: Floats) -> None:
        """Learn from a point: it speaks for every primary."""
        at = attacker.where[self.needs.cells]
        moved = np.where(at < 0, 0.0, point[at])
        higher, lower = moved > self.up, -moved > self.down
        if not (higher.any() or lower.any()):
            return
        self.up[higher], self.up_point[higher] = moved[higher], len(self.used)
        self.down[lower], self.down_point[lower] = -moved[lower], len(self.used)
        self.used.append(attacker.cells[np.abs(point) > STILL])

    def without(self, gone: NDArray[np.intp]) -> AuditSurvey:
        """Return what is left if some cells may no longer move: the points that moved one of them are void."""
        alive = np.zeros(len(self.used) + 1, dtype=np.bool_)
        for number in self._numbers(slice(None)):
            alive[number] = not np.isin(self.used[number], gone).any()
        left = AuditSurvey(self.needs)
        left.used = [cells if alive[number] else cells[:0] for number, cells in enumerate(self.used)]
        # what no point showed (a way without end) is asked again: its number, -1, is never alive
        keep_up, keep_down = alive[self.up_point], alive[self.down_point]
        left.up, left.down = np.where(keep_up, self.up, 0.0), np.where(keep_down, self.down, 0.0)
        left.up_point, left.down_point = np.where(keep_up, self.up_point, -1), np.where(keep_down, self.down_point, -1)
        return left

    def excuse(self, places: NDArray[np.intp] | Mask) -> None:
        """Ask nothing more of some of the needs."""
        self.down[places] = self.up[places] = self.needs.most[places]
        self.down_point[places] = self.up_point[places] = -1

    def moved(self, cells: int, of: Mask | None = None) -> Mask:
        """Return the cells, of so many, that the points in use move.

        What has been seen (of some primaries) needs no other.
        """
        out = np.zeros(cells, dtype=np.bool_)
        for number in self._numbers(slice(None) if of is None else of):
            out[self.used[number]] = True
        return out

    def _numbers(self, of: Mask | slice) -> list[int]:
        """Return the points in use, of some primaries."""
        numbers = np.union1d(self.up_point[of], self.down_point[of])
        return numbers[numbers >= 0].tolist()

    def reach(self, places: NDArray[np.intp]) -> float:
        """Return how far some primaries have been seen to move, together."""
        return float(self.up[places].sum() + self.down[places].sum())

    def targets(self, places: NDArray[np.intp], *, turned: bool, down: Floats, up: Floats) -> Floats:
        """Return where open primaries, that may move so far, have to go next: above 0 up, below 0 down.

        Turned, the other way first.
        """
        needs, cells = self.needs, self.needs.cells[places]
        lack = needs.sliding[places] - self.down[places] - self.up[places]
        above = np.maximum(needs.upper[places], np.where(lack > 0, needs.sliding[places] - self.down[places], 0.0))
        below = np.maximum(needs.lower[places], np.where(lack > 0, needs.sliding[places] - self.up[places], 0.0))
        above, below = np.minimum(above, up[cells]), np.minimum(below, down[cells])
        can_rise, can_fall = above > self.up[places] + CLOSE, below > self.down[places] + CLOSE
        falls = can_fall & (~can_rise | turned)
        return np.where(falls, -below, above)

    def open(self) -> NDArray[np.intp]:
        """Return the places, among the needs, of the primaries not yet seen to be protected."""
        return np.flatnonzero(~self.needs.met(self.down, self.up))

    def spread(self, attacker: Attacker, *, until: float = inf) -> None:
        """Settle many primaries at once.

        Move all open ones together as far as they need, some more eagerly than others, again and again while there is
        time.
        """
        cells, most = self.needs.cells, self.needs.most
        attacker.hold(cells, most, most)
        for turn in count():
            still = self.open()
            way = DOWN if turn % SPREADS == SPREADS - 1 else UP
            point = attacker.spread(cells[still], way * eager(len(still), turn)) if still.size else None
            if point is None:
                break
            self.see(attacker, point)
            if (turn and way == UP and len(self.open()) > STALLED * len(still)) or monotonic() > until:
                break
        attacker.release(cells)


def eager(many: int, turn: int) -> Floats:
    """Return weights from 0.2 to 1.2, other ones each turn and yet always the same ones."""
    return 0.2 + np.arange(1, many + 1, dtype=np.float64) * (turn + 1) * GOLDEN % 1.0


def find_exposed(attacker: Attacker, needs: Needs) -> NDArray[np.intp]:
    """Return the places, among the needs, of the primaries that a pattern leaves without protection.

    The attacker must hold nothing back. Each part that no equation joins with others is asked on its own.
    """
    less = reduce_cells(attacker.rows, attacker.down, attacker.up)
    wanted = needs.grouped(less, attacker.where[needs.cells])
    down, up = np.zeros(len(less.down)), np.zeros(len(less.down))
    for part in less.parts():
        if part.exact:
            down[part.groups], up[part.groups] = part.most_down, part.most_up
            continue
        of_part, own = np.isin(wanted.cells, part.groups), Attacker(part, np.arange(len(part)), part.down, part.up)
        survey = AuditSurvey(wanted.only(of_part, np.searchsorted(part.groups, wanted.cells[of_part])))
        survey.spread(own)
        for place in survey.open().tolist():
            settle_primary(own, survey, place)
        at = wanted.cells[of_part]
        down[at], up[at] = survey.down, survey.up
    cell_down, cell_up = (each[attacker.where[needs.cells]] for each in less.of_cells(down, up))
    return np.flatnonzero(~needs.met(cell_down, cell_up))


def settle_primary(attacker: Attacker, survey: AuditSurvey, place: int) -> bool:
    """Ask about one primary, up and then down, only as far as needed; return whether it is protected."""
    cell = int(survey.needs.cells[place])
    for way in (UP, DOWN):
        if survey.needs.met(survey.down, survey.up)[place]:
            return True
        reach = attacker.reach_of_level(cell, way, float(survey.needs.most[place]))
        survey.see(attacker, reach.point)
    return bool(survey.needs.met(survey.down, survey.up)[place])
