"""The checker of certificates: exact arithmetic, no solver, and not a line shared with the optimiser.

It trusts the table in the certificate (values, equations, the attacker's bounds, the levels) and nothing else. It
checks that the table adds up; that every primary has a level, and that for each two tables agree with all that is
published and lie as far apart as its levels ask; the same for every coalition of insiders, if some are said to be
considered; and that no safe pattern can cost less than the bound, part by part and case by case, from the attackers'
own equations. The argument is in docs/proofs/cell-suppression.md.

Where it says that it holds also against who knows that cells are whole numbers, every value and every point must be
whole: such tables nobody can exclude, whatever they know of whole numbers.

Unpublished cells (those of the joint table behind linked tables) have no value of their own: points tell theirs in
full, and what they may contribute to a cut is told by the cells that they add up to.

The checker's look at insiders: contributors of one cell, so many together, who know what they gave.

What they know is worked out anew, cell by cell, from the number of contributors and what the largest of them gave,
which the certificate tells as it tells the values: all of a cell that has no other contributors, else that it is no
less than what they gave, unless others may have given less than nothing. A certificate that leaves one such coalition
out, or shows it tables that it can exclude, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from sekisho.tables.check.claims import (
    STATUSES,
    Cases,
    ClaimedCut,
    ClaimedSuppression,
    Speaks,
    Sum,
    read_claims,
)
from sekisho.tables.check.joint import joint_errors
from sekisho.tables.check.strict_json import Number, Ratio, allow_slack
from sekisho.words import Said

Ends = tuple[Number | None, Number | None]
MOVED = Callable[[int, int], Fraction]
"""By how much a point, by its number, moves a cell."""


def known_ends(claimed: ClaimedSuppression) -> dict[int, Ends]:
    """Return between what the contributors of each cell know it to lie, where they know more than outsiders."""
    cells, size, out = claimed.cells, claimed.insiders, dict[int, Ends]()
    if size <= 0:
        return out
    for i, word in enumerate(cells.status):
        value, many, gave, low = cells.value[i], cells.frequency[i], cells.gave[i], cells.lower[i]
        if word == "unpublished":
            continue
        if (many <= size and (many or value)) or (_counts(low, many) and 0 < gave >= value):
            out[i] = value, value
        elif _counts(low, many) and gave > (0 if low is None else low):
            out[i] = gave, cells.upper[i]
    return out


def _counts(low: Number | None, many: Number) -> bool:
    """Tell whether what some gave to a cell cannot be taken away by others."""
    return low is not None and low >= 0 and many > 0


def insider_errors(claimed: ClaimedSuppression, moved: MOVED, tolerance: Callable[[Number], Number]) -> Iterator[str]:
    """Tell what is wrong with what a certificate says of insiders, and shows them."""
    yield from _input_errors(claimed)
    cells, known, shown = claimed.cells, known_ends(claimed), dict(claimed.inside)
    hidden = {i for i, word in enumerate(cells.status) if word in {"primary", "secondary"}}
    primary = {i for i, word in enumerate(cells.status) if word == "primary"}
    if len(shown) != len(claimed.inside) or not shown.keys() <= known.keys() & hidden:
        yield Said("points are told for insiders who are none, or twice for the same")
    for cell in sorted(known.keys() & hidden):
        if not primary - {cell}:
            continue
        name = Said("contributors of {keys}", keys=", ".join(cells.keys[cell]))
        if cell not in shown:
            yield Said(
                "{name} are {insiders} or fewer insiders, and no table is shown that they cannot exclude",
                name=name,
                insiders=claimed.insiders,
            )
            continue
        low, high = known[cell]
        slack = tolerance(abs(cells.value[cell]))
        for number in shown[cell]:
            there = cells.value[cell] + moved(number, cell)
            if (low is not None and there < low - slack) or (high is not None and there > high + slack):
                yield Said("{name} can exclude point {number}", name=name, number=number)
        yield from _level_errors(claimed, sorted(primary - {cell}), shown[cell], moved, name)


def _level_errors(
    claimed: ClaimedSuppression, asked: list[int], points: list[int], moved: MOVED, name: str
) -> Iterator[str]:
    cells = claimed.cells
    for i in asked:
        moves = [moved(number, i) for number in points]
        down, up = -min(moves, default=Fraction(0)), max(moves, default=Fraction(0))
        down, up = max(down, Fraction(0)), max(up, Fraction(0))
        levels = (cells.lower_level[i], cells.upper_level[i], cells.sliding_level[i])
        if any(lacks(far, level) for far, level in zip((down, up, down + up), levels, strict=True)):
            yield Said(
                "to {name} cell {cell} moves {down:g} down and {up:g} up: less than its levels ask",
                name=name,
                cell=", ".join(cells.keys[i]),
                down=float(down),
                up=float(up),
            )


def lacks(far: Fraction, level: Number) -> bool:
    """Tell whether a move misses a level; one that is no whole number comes from a percentage in binary fractions."""
    return far < level - allow_slack(level, exact=level == int(level))


def _input_errors(claimed: ClaimedSuppression) -> Iterator[str]:
    cells, size = claimed.cells, claimed.insiders
    if size < 0:
        yield Said("{size} insiders are none", size=size)
    if size <= 0 and claimed.inside:
        yield Said("points are told for insiders, of whom none are said to be considered")
    own = [i for i, word in enumerate(cells.status) if word != "unpublished"]
    counts = all(cells.value[i] == cells.frequency[i] for i in own)
    for i in own if size > 0 else ():
        name, value, gave = ", ".join(cells.keys[i]), cells.value[i], cells.gave[i]
        if cells.frequency[i] < 0 or cells.frequency[i] != int(cells.frequency[i]):
            yield Said("cell {name} has {frequency:g} contributors", name=name, frequency=float(cells.frequency[i]))
        if counts and gave < min(value, size):
            yield Said(
                "cell {name} counts its contributors, and yet {size} of them are said to give less than 1 each",
                name=name,
                size=size,
            )


NEAR = Fraction(1, 10**5)
"""How near to its cost a bound must come for a pattern of fractional costs to be called optimal."""
LEAST = Fraction(1, 1000)
"""A primary of a lower level is not protected: what proves it safe proves nothing."""
UNIT = 10**12
"""The coefficients of cuts are rounded up to so many parts: a cut with a higher coefficient is weaker, never wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What the checker found: everything wrong, or nothing.

    Attributes:
        errors: what is wrong.
        claimed: what the certificate claims; None if it is none.
    """

    errors: tuple[str, ...]
    claimed: ClaimedSuppression | None = None

    @property
    def valid(self) -> bool:
        """Whether the certificate proves what it claims."""
        return not self.errors


def check(text: str) -> Checked:
    """Check a certificate; a text that is none is invalid, not an error."""
    try:
        claimed = read_claims(text)
        return Checked(errors=tuple(_Checker(claimed).errors()), claimed=claimed)
    except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError) as error:
        return Checked(errors=(Said("not a certificate: {name} {error}", name=type(error).__name__, error=str(error)),))


class _Checker:
    def __init__(self, claimed: ClaimedSuppression) -> None:
        self.claimed, self.cells = claimed, claimed.cells
        status = self.cells.status
        self.primary = {i for i, word in enumerate(status) if word == "primary"}
        self.apart = {i for i, word in enumerate(status) if word == "unpublished"}
        self.hidden = {i for i, word in enumerate(status) if word in {"primary", "secondary"}} | self.apart
        self.fixed = self.primary | (self.hidden & set(claimed.frozen)) | self.apart
        self.free = {i for i, word in enumerate(status) if word != "publish"} - self.fixed
        self.exact = all(value == int(value) for value in self.cells.value)
        self.touching: list[list[tuple[int, int]]] = [[] for _ in status]
        for number, equation in enumerate(claimed.equations):
            for i, sign in equation:
                self.touching[i].append((number, sign))
        self.due = {
            number: -sum(sign * self.cells.value[i] for i, sign in equation if i not in self.apart)
            for number, equation in enumerate(claimed.equations)
            if any(i in self.apart for i, _ in equation)
        }
        self.coefficients: dict[int, dict[int, int]] = {}
        self.known = known_ends(claimed)
        self.moves = [
            {i: Fraction(by, point.denominator) for i, by in zip(point.places, point.numbers, strict=True)}
            for point in claimed.points
        ]

    def errors(self) -> Iterator[str]:
        if not self.claimed.sealed:
            yield Said("the digest is not that of the content: something was changed")
        yield from self._table_errors()
        yield from joint_errors(self.claimed)
        for number, point in enumerate(self.claimed.points):
            yield from (
                Said("point {number} {wrong}", number=number, wrong=wrong) for wrong in self._point_errors(point)
            )
        yield from self._whole_errors()
        spoken = {each.cell for each in self.claimed.witnesses}
        yield from (
            Said("cell {name} is primary but has no witness", name=self._name(i)) for i in sorted(self.primary - spoken)
        )
        for each in self.claimed.witnesses:
            yield from self._witness_errors(each)
        yield from insider_errors(
            self.claimed, lambda number, i: self.moves[number].get(i, Fraction(0)), self._tolerance
        )
        yield from self._claim_errors()

    def _name(self, i: int) -> str:
        return ", ".join(self.cells.keys[i])

    def _table_errors(self) -> Iterator[str]:
        cells = self.cells
        if len(set(cells.keys)) != len(cells.keys):
            yield Said("some cells share a key")
        if set(cells.status) - set(STATUSES):
            yield Said("a status is unknown")
        for i, value in enumerate(cells.value):
            low, high = cells.lower[i], cells.upper[i]
            if (low is not None and value < low) or (high is not None and value > high):
                yield Said("cell {name} lies outside its bounds", name=self._name(i))
            if i in self.apart and value:
                yield Said("cell {name} is unpublished and yet has a value", name=self._name(i))
            if cells.weight[i] < 0 or min(cells.lower_level[i], cells.upper_level[i], cells.sliding_level[i]) < 0:
                yield Said("cell {name} has a negative cost or level", name=self._name(i))
            most = max(cells.lower_level[i], cells.upper_level[i], cells.sliding_level[i])
            if i in self.primary and most < LEAST:
                yield (
                    Said(
                        "cell {name} is primary, but its level {most:g} is none: at least {least:g} is one",
                        name=self._name(i),
                        most=float(most),
                        least=float(LEAST),
                    )
                )
        yield from (
            Said("cell {name} is frozen but not hidden", name=self._name(i))
            for i in sorted(set(self.claimed.frozen) - self.hidden)
        )
        yield from (
            Said("cell {name} is said to be kept and is not published", name=self._name(i))
            for i in sorted(set(self.claimed.kept))
            if cells.status[i] != "publish"
        )
        for number, equation in enumerate(self.claimed.equations):
            terms = [sign * cells.value[i] for i, sign in equation]
            if number not in self.due and abs(sum(terms)) > self._tolerance(max(map(abs, terms), default=0)):
                yield Said("equation {number} does not add up", number=number)

    def _tolerance(self, size: Number) -> Number:
        """Whole tables are checked exactly; sums of decimals may miss within the tolerance of binary fractions."""
        return allow_slack(size, exact=self.exact)

    def _point_errors(self, point: Ratio) -> Iterator[str]:
        """Tell why a point is none that the attacker cannot exclude."""
        cells, sums = self.cells, dict[int, int]()
        for i, by in zip(point.places, point.numbers, strict=True):
            for number, sign in self.touching[i]:
                sums[number] = sums.get(number, 0) + sign * by
            moved, slack = cells.value[i] + Fraction(by, point.denominator), self._tolerance(abs(cells.value[i]))
            low, high = cells.lower[i], cells.upper[i]
            if i not in self.hidden:
                yield Said("moves the published cell {name}", name=self._name(i))
            if (low is not None and moved < low - slack) or (high is not None and moved > high + slack):
                yield Said("moves {name} out of its bounds", name=self._name(i))
        yield from (
            Said("breaks equation {number}", number=number)
            for number, by in sums.items()
            if by and number not in self.due
        )
        for number, due in self.due.items():
            if abs(Fraction(sums.get(number, 0), point.denominator) - due) > self._tolerance(abs(due)):
                yield Said("breaks equation {number}", number=number)

    def _whole_errors(self) -> Iterator[str]:
        """Tell why points say nothing to who knows that cells are whole, where they are said to."""
        if not self.claimed.whole:
            return
        cells = self.cells
        yield from (
            Said(
                "cell {name} is no whole number, and attackers who know whole numbers are said to be considered",
                name=self._name(i),
            )
            for i, value in enumerate(cells.value)
            if value != int(value)
        )
        yield from (
            Said(
                "point {number} is no table of whole numbers, and attackers who know whole numbers are said to be "
                "considered",
                number=number,
            )
            for number, point in enumerate(self.claimed.points)
            if any(by % point.denominator for by in point.numbers)
        )

    def _witness_errors(self, witness: Speaks) -> Iterator[str]:
        cell = witness.cell
        down, up = -self._move(witness.down, cell), self._move(witness.up, cell)
        levels = (self.cells.lower_level[cell], self.cells.upper_level[cell], self.cells.sliding_level[cell])
        if any(lacks(far, level) for far, level in zip((down, up, down + up), levels, strict=True)):
            yield Said(
                "cell {name} moves {down:g} down and {up:g} up: less than its levels ask",
                name=self._name(cell),
                down=float(down),
                up=float(up),
            )

    def _move(self, number: int | None, cell: int) -> Fraction:
        return Fraction(0) if number is None else self.moves[number].get(cell, Fraction(0))

    def _claim_errors(self) -> Iterator[str]:
        claimed, weight = self.claimed, self.cells.weight
        whole = all(each == int(each) for each in weight)
        cost = sum(Fraction(weight[i]) for i in self.hidden & self.free)
        if abs(cost - claimed.cost) > allow_slack(cost, exact=whole):
            yield Said("the cost is {cost:g}, not {claimed_cost:g}", cost=float(cost), claimed_cost=float(claimed.cost))
        proven, seen = Fraction(0), set[int]()
        for cells, tree in claimed.parts:
            if seen & set(cells) or len(set(cells)) != len(cells):
                yield Said("two parts of the proof count the same cell")
            seen |= set(cells)
            part = self._proven(tree, set(cells) & self.free, {})
            proven += ceil(part) if whole else part
        if proven < claimed.bound:
            yield Said(
                "the proof reaches the bound {proven:g}, not {bound:g}",
                proven=float(proven),
                bound=float(claimed.bound),
            )
        if claimed.status not in {"optimal", "feasible"}:
            yield Said("the status {status!r} is none", status=claimed.status)
        if claimed.status == "optimal" and claimed.bound < cost - (0 if whole else NEAR * max(1, cost)):
            yield (
                Said(
                    "the pattern is called optimal, but the bound {bound:g} is below its cost {cost:g}",
                    bound=float(claimed.bound),
                    cost=float(cost),
                )
            )

    def _proven(self, tree: Sum | Cases, counted: set[int], case: dict[int, int]) -> Fraction:
        """Return the least cost of the counted cells in a case.

        It is the worse side of a branch, or what a leaf's sum says.
        """
        if isinstance(tree, Cases):
            return min(
                self._proven(side, counted, {**case, tree.cell: to}) for to, side in enumerate((tree.zero, tree.one))
            )
        taken = dict.fromkeys((i for i in case if i in self.free), 0)
        total = 0
        for number, part in tree.parts:
            total += part
            for i, coefficient in self._cut(number).items():
                taken[i] = taken.get(i, 0) + part * coefficient
        scale = tree.scale * UNIT
        left = {i: (self.cells.weight[i] * scale if i in counted else 0) - by for i, by in taken.items()}
        worst = sum(rest * case[i] if i in case else min(rest, 0) for i, rest in left.items())
        return Fraction(total * UNIT + worst) / scale

    def _cut(self, number: int) -> dict[int, int]:
        """Return a cut's coefficients, computed anew from its multipliers: any multipliers make a valid cut."""
        if number not in self.coefficients:
            cut = self.claimed.cuts[number]
            if cut.insider is not None and (cut.insider not in self.known or cut.insider == cut.primary):
                raise ValueError(f"cut {number} speaks of insiders who are none, or of their own cell")
            reach: dict[int, Number] = {}
            for part, way in ((cut.up, 1), (cut.down, -1)):
                if part is not None:
                    self._add_reach(part, cut, way, reach)
            one = self.cells.lower_level if cut.up is None else self.cells.upper_level
            levels = one if cut.up is None or cut.down is None else self.cells.sliding_level
            left = Fraction(levels[cut.primary]) - sum(reach[i] for i in self.fixed & set(reach))
            if cut.primary not in self.primary or left <= 0:
                raise ValueError(f"cut {number} says nothing")
            weighed = {i: min(UNIT, ceil(far * UNIT / left)) for i, far in reach.items() if i in self.free}
            self.coefficients[number] = _counted(weighed) if cut.counted else weighed
        return self.coefficients[number]

    def _add_reach(self, part: Ratio, cut: ClaimedCut, way: int, reach: dict[int, Number]) -> None:
        """Add how much each hidden cell could contribute to the primary's move one way."""
        slope: dict[int, int] = {cut.primary: way * part.denominator}
        together = Fraction(0)
        for row, times in zip(part.places, part.numbers, strict=True):
            together += times * self.due.get(row, 0)
            for i, sign in self.claimed.equations[row]:
                slope[i] = slope.get(i, 0) - times * sign
        apart = {i: slope.pop(i) for i in self.apart & set(slope)}
        if apart:
            # none below 0, none with an upper bound: together they fall to 0 at most, if none of them gains by rising
            far = Fraction(10**200) if max(apart.values()) > 0 else together / part.denominator
            reach[min(apart)] = reach.get(min(apart), 0) + far
        for i, each in slope.items():
            ends = self.known[i] if i == cut.insider else (self.cells.lower[i], self.cells.upper[i])
            value, end = self.cells.value[i], ends[1 if each > 0 else 0]
            if each:
                far = Fraction(10**200) if end is None else abs(end - value) * Fraction(abs(each), part.denominator)
                reach[i] = reach.get(i, 0) + far


def _counted(weighed: dict[int, int]) -> dict[int, int]:
    """Return a cut that counts the cells of coefficients below 1: at least so many of them as may reach 1 together."""
    small = sorted((each for each in weighed.values() if each < UNIT), reverse=True)
    reached, enough = 0, 0
    while reached < UNIT and enough < len(small):
        reached += small[enough]
        enough += 1
    each = -(-UNIT // enough) if reached >= UNIT else 0
    return {i: by if by >= UNIT else each for i, by in weighed.items() if by}  # what cannot move at all does not count
