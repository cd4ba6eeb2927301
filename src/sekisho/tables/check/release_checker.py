"""The checker of certificates of published statements: exact arithmetic, no solver, not a line of any method.

It trusts the table in the certificate (true values, equations, bounds, levels) and nothing else. It derives what each
shown number says (:mod:`sekisho.tables.check.release_methods`) and checks that

- the truth is inside every statement, the numbers follow the method's rule, and add up where the method says so;
- for every unsafe cell two tables lie inside all statements at once and as far apart as its levels ask, whole ones for
  counts; or the theorem holds by which its interval is that of its own statement (docs/proofs/statements.md);
- the cost is that of what is shown, and no release of the method costs less than the bound. For any multipliers ``p``
  of the equations, with ``q = p A``, every table ``x`` that adds up has ``q x = 0``, so its cost is at least ``sum_i``
  of the least ``w_i |x_i - a_i| - q_i x_i`` over the choices of ``x_i``. For intervals a cut says how wide some must be
  together: with ``g = e_p - p A``, a move of cell ``p`` by ``L`` asks for ``L <= sum_i max(g_i, 0) up_i + max(-g_i, 0)
  down_i``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from sekisho.tables.check.checker import LEAST, NEAR, lacks
from sekisho.tables.check.claims import Speaks
from sekisho.tables.check.joint import joint_errors
from sekisho.tables.check.release_claims import ClaimedRelease, WidthCut, read_release
from sekisho.tables.check.release_methods import COUNTED, ClaimedMethod, Piece
from sekisho.tables.check.strict_json import Number, Ratio, allow_slack
from sekisho.words import Said

KNOWN = ("rule", "least", "tie")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRelease:
    """What the checker found: everything wrong, or nothing.

    Attributes:
        errors: what is wrong.
        claimed: what the certificate claims; None if it is none.
    """

    errors: tuple[str, ...]
    claimed: ClaimedRelease | None = None

    @property
    def valid(self) -> bool:
        """Whether the certificate proves what it claims."""
        return not self.errors


def check_release(text: str) -> CheckedRelease:
    """Check a certificate of a release; a text that is none is invalid, not an error."""
    try:
        claimed = read_release(text)
        return CheckedRelease(errors=tuple(_ReleaseChecker(claimed).errors()), claimed=claimed)
    except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError) as error:
        wrong = Said("not a certificate: {name} {error}", name=type(error).__name__, error=str(error))
        return CheckedRelease(errors=(wrong,))


class _ReleaseChecker:
    def __init__(self, claimed: ClaimedRelease) -> None:
        self.claimed, self.cells, self.method = claimed, claimed.cells, ClaimedMethod(claimed)
        self.apart = self.method.apart
        self.primary = [i for i, word in enumerate(self.cells.status) if word == "primary"]
        self.spans = [self.method.statement(i) for i in range(len(self.cells.value))]
        self.moves = [
            {i: Fraction(by, point.denominator) for i, by in zip(point.places, point.numbers, strict=True)}
            for point in claimed.points
        ]

    def errors(self) -> Iterator[str]:
        if not self.claimed.sealed:
            yield Said("the digest is not that of the content: something was changed")
        yield from self._table_errors()
        yield from joint_errors(self.claimed)
        yield from self.method.errors()
        for i, span in enumerate(self.spans):
            if i not in self.apart and not span.holds(self.cells.value[i], self.method.slack(abs(self.cells.value[i]))):
                yield Said("the truth of cell {name} is outside what is said of it", name=self._name(i))
        for number in range(len(self.moves)):
            yield from (
                Said("point {number} {wrong}", number=number, wrong=wrong) for wrong in self._point_errors(number)
            )
        yield from self._protection_errors()
        yield from self._claim_errors()

    def _name(self, i: int) -> str:
        return ", ".join(self.cells.keys[i])

    def _table_errors(self) -> Iterator[str]:
        cells = self.cells
        if len(set(cells.keys)) != len(cells.keys):
            yield Said("some cells share a key")
        if set(cells.status) - {"safe", "primary", "unpublished"}:
            yield Said("a status is unknown")
        if not set(self.claimed.against) <= set(KNOWN) or "rule" not in self.claimed.against:
            yield Said("it is not said against what knowledge the release is promised")
        for i in range(len(cells.value)):
            yield from self._cell_errors(i)
        for number, equation in enumerate(self.claimed.equations):
            terms = [sign * cells.value[i] for i, sign in equation]
            if self.apart.isdisjoint(i for i, _ in equation) and abs(sum(terms)) > self.method.slack(
                max(map(abs, terms), default=0)
            ):
                yield Said("equation {number} does not add up", number=number)

    def _cell_errors(self, i: int) -> Iterator[str]:
        cells, value = self.cells, self.cells.value[i]
        low, high = cells.lower[i], cells.upper[i]
        if (low is not None and value < low) or (high is not None and value > high):
            yield Said("cell {name} lies outside its bounds", name=self._name(i))
        levels = cells.lower_level[i], cells.upper_level[i], cells.sliding_level[i]
        drawn = self.method.levels(i)
        if cells.weight[i] < 0 or min(levels) < 0:
            yield Said("cell {name} has a negative cost or level", name=self._name(i))
        if drawn[0] < levels[0] or drawn[1] < levels[1]:
            yield Said("the secret levels of cell {name} are below its own", name=self._name(i))
        if cells.status[i] == "primary" and max(levels) < LEAST:
            yield Said(
                "cell {name} is primary, but its level {most:g} is none: at least {least:g} is one",
                name=self._name(i),
                most=float(max(levels)),
                least=float(LEAST),
            )

    def _point_errors(self, number: int) -> Iterator[str]:
        """Tell why a point is none that a reader cannot exclude."""
        moves, counted = self.moves[number], self.claimed.method in COUNTED
        there = [
            moves.get(i, Fraction(0)) + (0 if i in self.apart else value) for i, value in enumerate(self.cells.value)
        ]
        for i, value in enumerate(there):
            if not self.spans[i].holds(value, self.method.slack(abs(value))) or (counted and value.denominator != 1):
                yield Said("moves {name} out of what is said of it", name=self._name(i))
        for at, equation in enumerate(self.claimed.equations):
            terms = [sign * there[i] for i, sign in equation]
            if abs(sum(terms)) > self.method.slack(max(map(abs, terms), default=0)):
                yield Said("breaks equation {number}", number=at)

    def _protection_errors(self) -> Iterator[str]:
        if self.claimed.method == "adjust":
            return  # what is shown keeps its distance from the truth: the method's own choices
        if self.claimed.theorem:
            yield from self._theorem_errors()
            return
        spoken = {each.cell: each for each in self.claimed.witnesses}
        for i in self.primary:
            if i not in spoken:
                yield Said("cell {name} is primary but has no witness", name=self._name(i))
            else:
                yield from self._witness_errors(i, spoken[i])

    def _witness_errors(self, i: int, witness: Speaks) -> Iterator[str]:
        down, up = (
            Fraction(0) if number is None else self.moves[number].get(i, Fraction(0))
            for number in (witness.down, witness.up)
        )
        yield from self._level_errors(i, -down, up)

    def _theorem_errors(self) -> Iterator[str]:
        """Tell why a cell's interval is not that of its own statement, or is narrower than it must be."""
        bare = all(low is None or low <= 0 for low in self.cells.lower) and all(end is None for end in self.cells.upper)
        if self.claimed.method != "round" or self.method.sums is None or not bare:
            yield Said("the theorem on tables that are rounded whole does not speak of this table")
            return
        for i in self.primary:
            low, high, value = self.spans[i].low, self.spans[i].high, self.cells.value[i]
            yield from self._level_errors(i, Fraction(value - (low or 0)), Fraction((high or 0) - value))

    def _level_errors(self, i: int, down: Fraction, up: Fraction) -> Iterator[str]:
        levels = self.cells.lower_level[i], self.cells.upper_level[i], self.cells.sliding_level[i]
        if any(lacks(far, level) for far, level in zip((down, up, down + up), levels, strict=True)):
            yield Said(
                "cell {name} moves {down:g} down and {up:g} up: less than its levels ask",
                name=self._name(i),
                down=float(down),
                up=float(up),
            )

    def _claim_errors(self) -> Iterator[str]:
        claimed = self.claimed
        whole = all(each == int(each) for each in self.cells.weight) and claimed.method in COUNTED
        cost = self._cost()
        if abs(cost - claimed.cost) > allow_slack(cost, exact=whole):
            yield Said("the cost is {cost:g}, not {claimed_cost:g}", cost=float(cost), claimed_cost=float(claimed.cost))
        proven = self._proven()
        proven = Fraction(ceil(proven)) if whole else proven
        if proven < claimed.bound:
            yield Said(
                "the proof reaches the bound {proven:g}, not {bound:g}",
                proven=float(proven),
                bound=float(claimed.bound),
            )
        if claimed.status not in {"optimal", "feasible", "drawn"}:
            yield Said("the status {status!r} is none", status=claimed.status)
        if claimed.status == "optimal" and claimed.bound < cost - (0 if whole else NEAR * max(1, cost)):
            yield Said(
                "the release is called optimal, but the bound {bound:g} is below its cost {cost:g}",
                bound=float(claimed.bound),
                cost=float(cost),
            )

    def _cost(self) -> Fraction:
        """Return what the release costs: changes of the numbers, or widths of the intervals, by weight."""
        changes = {i: self._change(i) for i in range(len(self.cells.value)) if i not in self.apart}
        norm = self.claimed.words.get("norm", "all")
        if norm != "all":
            changes = {i: by for i, by in changes.items() if i not in self.method.inner}
        if norm == "greatest":
            return max(changes.values(), default=Fraction(0))
        return sum((by * self.cells.weight[i] for i, by in changes.items()), Fraction(0))

    def _change(self, i: int) -> Fraction:
        shown = self.claimed.shown[i]
        return Fraction(shown[1] - shown[0]) if isinstance(shown, tuple) else Fraction(abs(shown - self.cells.value[i]))

    def _proven(self) -> Fraction:
        """Return the cost that no release of the method is below, as far as the multipliers prove it."""
        if self.claimed.method == "intervals":
            return self._proven_width()
        if self.claimed.dual is None or self.claimed.words.get("norm") == "greatest":
            return Fraction(0)
        prices = self._prices(self.claimed.dual)
        skipped = self.method.inner if self.claimed.words.get("norm") == "margins" else set[int]()
        total = Fraction(0)
        for i in range(len(self.cells.value)):
            weight = 0 if i in self.apart or i in skipped else self.cells.weight[i]
            total += min(self._least(i, weight, prices.get(i, Fraction(0)), piece) for piece in self.method.choices(i))
        return total

    def _prices(self, dual: Ratio) -> dict[int, Fraction]:
        prices: dict[int, int] = {}
        for row, times in zip(dual.places, dual.numbers, strict=True):
            for i, sign in self.claimed.equations[row]:
                prices[i] = prices.get(i, 0) + times * sign
        return {i: Fraction(by, dual.denominator) for i, by in prices.items()}

    def _least(self, i: int, weight: Number, price: Fraction, piece: Piece) -> Fraction:
        """Return the least of weight |x - value| - price x over a piece: at an end, or beside the value."""
        value = self.cells.value[i]
        if (piece.high is None and price > weight) or (piece.low is None and price < -weight):
            raise ValueError(f"the multipliers prove nothing of cell {self._name(i)}")
        beside = (
            (value,) if not piece.unit else (value // piece.unit * piece.unit, (value // piece.unit + 1) * piece.unit)
        )
        inside = [x for x in (piece.low, piece.high) if x is not None]
        inside += [
            x for x in beside if (piece.low is None or x >= piece.low) and (piece.high is None or x <= piece.high)
        ]
        return min(weight * abs(x - value) - price * x for x in inside)

    def _proven_width(self) -> Fraction:
        """Return what the cuts of widths prove together."""
        total, taken = Fraction(0), dict[tuple[int, int], Fraction]()
        for cut, part in zip(self.claimed.cuts, self.claimed.parts, strict=True):
            share = Fraction(part, self.claimed.scale)
            total += share * self._cut_level(cut)
            for way, multipliers in ((1, cut.up), (-1, cut.down)):
                for i, slope in self._slopes(cut, multipliers, way).items():
                    side = (i, 1 if slope > 0 else -1)
                    taken[side] = taken.get(side, Fraction(0)) + share * abs(slope)
        over = {side: by - self.cells.weight[side[0]] for side, by in taken.items() if by > self.cells.weight[side[0]]}
        return total - sum((by * self._room(i, side) for (i, side), by in over.items()), Fraction(0))

    def _room(self, i: int, side: int) -> Number:
        """Return how wide a side of a cell's interval can be; cuts that ask more than it costs prove less by that."""
        bound, value = (self.cells.upper if side > 0 else self.cells.lower)[i], self.cells.value[i]
        if bound is None:
            raise ValueError(f"the cuts ask more of cell {self._name(i)} than it costs")
        return abs(bound - value)

    def _cut_level(self, cut: WidthCut) -> Number:
        if cut.cell not in self.primary:
            raise ValueError(f"a cut speaks of cell {self._name(cut.cell)}, which needs no width")
        down, up = self.method.levels(cut.cell)
        if cut.up is not None and cut.down is not None:
            return max(self.cells.sliding_level[cut.cell], down + up)
        return down if cut.up is None else up

    def _slopes(self, cut: WidthCut, multipliers: Ratio | None, way: int) -> dict[int, Fraction]:
        """Return by how much each cell's move adds to the cell's own, which it equals by the equations."""
        if multipliers is None:
            return {}
        slopes = {i: -by for i, by in self._prices(multipliers).items()}
        slopes[cut.cell] = slopes.get(cut.cell, Fraction(0)) + way
        return {i: slope for i, slope in slopes.items() if slope}
