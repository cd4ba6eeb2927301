"""How far the groups of a part can move, both ways: exact, with as few programs as possible.

Every point found speaks for all groups, and one that stands where its equations end is settled unasked. So first a few
programs push many groups at once, up, down and then each with a weight of its own, as long as that settles many; what
is left is asked one by one. Which groups nothing stops is found out before.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

import numpy as np

from sekisho.tables.audit.attacker import DOWN, UP, Attacker, is_whole
from sekisho.tables.audit.reduction import Part
from sekisho.tables.model.table import Floats, Mask
from sekisho.tables.solvers.highs import SolveStatus

CLOSE, RELATIVE = 1e-6, 1e-9
"""How near to its last possible place a group must be seen: solvers answer within a tolerance."""
WORTH = 0.1
"""A push must settle this part of the open ends, or it was the last one."""
GOLDEN = 0.6180339887498949
AWAY = 1e-6


class Ends:
    """What is known of the ends of one part's groups; asked of some of them only, if said.

    Attributes:
        down: how far down each group has been seen to move; once settled, how far it can.
        up: the same upwards.
        down_settled: whether ``down`` is known to be the end, or nobody asks.
        up_settled: the same for ``up``.
    """

    def __init__(self, part: Part, *, whole: bool, asked: Mask | None = None) -> None:
        self.whole = whole
        floor = np.floor if whole else np.positive
        self._most: dict[int, Floats] = {DOWN: floor(part.most_down), UP: floor(part.most_up)}
        exact = part.exact
        self.down, self.up = (self._most[way].copy() if exact else np.zeros(len(part)) for way in (DOWN, UP))
        idle = np.zeros(len(part), dtype=np.bool_) if asked is None else ~asked
        self.down_settled, self.up_settled = (idle | exact for _ in range(2))
        self._part = part

    @property
    def open(self) -> int:
        """How many ends are not settled."""
        return int((~self.down_settled).sum() + (~self.up_settled).sum())

    def steps(self, *, until: float) -> Iterator[None]:
        """Settle end after end; what the time was too short for stays as it was seen."""
        part = self._part
        if not self.open:
            return
        self._endless(until)
        attacker = Attacker(part, np.arange(len(part)), part.down, part.up)
        yield from self._pushed(attacker, until)
        for way, settled, seen in ((DOWN, self.down_settled, self.down), (UP, self.up_settled, self.up)):
            for at in range(len(part)):
                if settled[at]:
                    continue
                if monotonic() > until or not self._asked(attacker, at, way, seen, until):
                    return
                yield

    def _asked(self, attacker: Attacker, at: int, way: int, seen: Floats, until: float) -> bool:
        """Settle one end; return False if the time was over first."""
        most, settled = self._most[way], self.down_settled if way == DOWN else self.up_settled
        solution = attacker.end(at, way, until=until)
        if solution.status is SolveStatus.UNBOUNDED:
            # groups that move against each other leave the sum of the cone's question at 0
            most[at], seen[at], settled[at] = np.inf, np.inf, True
            return True
        if solution.status is SolveStatus.OPTIMAL and self.whole and not is_whole(solution.x):
            most[at] = min(most[at], np.floor(way * solution.x[at] + CLOSE))
            if seen[at] >= most[at]:  # from a whole table seen before
                seen[at], settled[at] = most[at], True
                return True
            solution = attacker.whole_end(at, way, until=until)
        if solution.status is not SolveStatus.OPTIMAL:
            return False
        point = np.rint(solution.x) if self.whole else solution.x
        most[at] = max(seen[at], way * point[at])
        self._see(point)
        return True

    def _pushed(self, attacker: Attacker, until: float) -> Iterator[None]:
        turn, before = 0, np.inf
        while self.open and self.open <= (1 - WORTH) * before and monotonic() <= until:
            before = self.open
            point = attacker.along(self._direction(turn), until=until)
            if point is None:
                return
            if not self.whole or is_whole(point):
                self._see(point)
            turn += 1
            yield

    def _direction(self, turn: int) -> Floats:
        """Return where to push: every group towards an open end.

        First all up, then all down, then by weights spread evenly.
        """
        spread = np.arange(1, len(self._part) + 1) * (turn + 1) * GOLDEN % 1.0
        first = np.full(len(spread), turn == 0) if turn < 2 else spread < 0.5
        rise = np.where(self.down_settled, True, first) & ~self.up_settled
        fall = ~rise & ~self.down_settled
        weight = np.ones(len(spread)) if turn < 2 else spread * 2 % 1.0 + AWAY
        return np.where(rise, weight, np.where(fall, -weight, 0.0))

    def _see(self, point: Floats) -> None:
        """Learn from a point."""
        for way, settled, seen in ((DOWN, self.down_settled, self.down), (UP, self.up_settled, self.up)):
            np.maximum(seen, way * point, out=seen, where=~settled)
            most = self._most[way]
            there = ~settled & (seen >= most - CLOSE - RELATIVE * np.where(np.isfinite(most), most, 0.0))
            seen[there], settled[there] = most[there], True

    def _endless(self, until: float) -> None:
        """Settle the ends that nothing stops: those of the cone of moves that can go on for ever.

        In that cone only what has no bound moves, at most by 1 here. As long as some open group can still be pushed in
        it, that group has no end; when their sum can no longer leave 0, all others have one.
        """
        part = self._part
        fixed = np.isfinite(part.down), np.isfinite(part.up)
        for way, settled, seen in ((DOWN, self.down_settled, self.down), (UP, self.up_settled, self.up)):
            doubt = np.isinf(self._most[way]) & ~settled
            if not doubt.any():
                continue
            cone = Attacker(part, np.arange(len(part)), *(np.where(each, 0.0, 1.0) for each in fixed))
            while doubt.any() and monotonic() <= until:
                point = cone.along(way * doubt.astype(np.float64), until=until)
                if point is None:
                    return
                found = doubt & (way * point > AWAY)
                if not found.any():
                    break
                seen[found], settled[found] = np.inf, True
                doubt &= ~found
