"""The checker of certificates: exact arithmetic, no solver, and not a line shared with the optimiser.

It trusts the table in the certificate (values, equations, the attacker's bounds, the levels) and nothing else. It checks that the table
adds up; that for every primary two tables agree with all that is published and lie as far apart as the levels ask; and that no safe
pattern can cost less than the bound, case by case, from the attacker's own equations. The argument is in docs/proofs/cell-suppression.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import ceil
from typing import TypedDict, cast

FORMAT = "sekisho cell suppression 1"
DUST = Fraction(1, 10**9)
Number = int | Fraction


class Cells(TypedDict):
    """The table's cells, column by column; no number stands for no bound."""

    keys: list[list[str]]
    status: list[str]
    value: list[Number]
    weight: list[Number]
    lower: list[Number | None]
    upper: list[Number | None]
    lower_level: list[Number]
    upper_level: list[Number]
    sliding_level: list[Number]


class Held(TypedDict):
    """What a certificate holds, as far as it is checked."""

    format: str
    digest: str
    status: str
    cost: Number
    bound: Number
    cells: Cells
    frozen: list[int]
    equations: list[list[list[int]]]
    witnesses: list[dict[str, object]]
    cuts: list[dict[str, object]]
    tree: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What the checker found: everything wrong, or nothing."""

    errors: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether the certificate proves what it claims."""
        return not self.errors


def check(text: str) -> Checked:
    """Check a certificate; a text that is none is invalid, not an error."""
    try:
        held = cast("Held", json.loads(text, parse_float=Fraction))
        spoilt = (
            [] if _digest(text) == held["digest"] else ["the digest is not that of the content: something was changed"]
        )
        return Checked(errors=(*spoilt, *_Checker(held).errors()))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        return Checked(errors=(f"not a certificate: {type(error).__name__} {error}",))


def _digest(text: str) -> str:
    """Return the SHA-256 of all but the digest itself: it guards against slips; what is proven does not rest on it."""
    plain = cast("dict[str, object]", json.loads(text))
    rest = {name: part for name, part in plain.items() if name != "digest"}
    return sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class _Checker:
    def __init__(self, held: Held) -> None:
        self.held, self.cells = held, held["cells"]
        status = self.cells["status"]
        self.primary = {i for i, word in enumerate(status) if word == "primary"}
        self.hidden = {i for i, word in enumerate(status) if word in {"primary", "secondary"}}
        self.fixed = self.primary | (self.hidden & set(held["frozen"]))
        self.free = {i for i, word in enumerate(status) if word != "publish"} - self.fixed
        self.exact = all(value == int(value) for value in self.cells["value"])
        self.touching: list[list[tuple[int, int]]] = [[] for _ in status]
        for number, equation in enumerate(held["equations"]):
            for i, sign in equation:
                self.touching[i].append((number, sign))
        self.coefficients: dict[int, dict[int, Fraction]] = {}

    def errors(self) -> Iterator[str]:
        held, cells = self.held, self.cells
        if held["format"] != FORMAT:
            yield f"the format is {held['format']!r}, not {FORMAT!r}"
        if len({tuple(key) for key in cells["keys"]}) != len(cells["value"]):
            yield "some cells have no key or share one"
        if set(cells["status"]) - {"safe", "primary", "secondary", "publish"}:
            yield "a status is unknown"
        for number, equation in enumerate(held["equations"]):
            terms = [Fraction(sign * cells["value"][i]) for i, sign in equation]
            if abs(sum(terms)) > self._dust(max(map(abs, terms), default=0)):
                yield f"equation {number} does not add up"
        witnessed = {cast("int", each["cell"]) for each in held["witnesses"]}
        yield from (f"cell {cells['keys'][i]} is primary but has no witness" for i in sorted(self.primary - witnessed))
        for each in held["witnesses"]:
            yield from self._witness_errors(each)
        yield from self._claim_errors()

    def _dust(self, size: Number) -> Number:
        """Whole tables are checked exactly; sums of decimals may miss by the dust of binary fractions."""
        return 0 if self.exact else DUST * max(1, size)

    def _witness_errors(self, witness: dict[str, object]) -> Iterator[str]:
        cell = cast("int", witness["cell"])
        name, moved = self.cells["keys"][cell], [Fraction(0), Fraction(0)]
        for side, way in enumerate(("down", "up")):
            part = cast("dict[str, list[int]]", witness[way])
            over = cast("int", part["denominator"])
            move = {i: Fraction(by, over) for i, by in zip(part["cells"], part["moves"], strict=True)}
            moved[side] = move.get(cell, Fraction(0))
            yield from (f"the {way} witness of {name} {wrong}" for wrong in self._move_errors(move))
        down, up, dust = -moved[0], moved[1], self._dust(self.cells["value"][cell])
        needs = (self.cells["lower_level"][cell], self.cells["upper_level"][cell], self.cells["sliding_level"][cell])
        if down < needs[0] - dust or up < needs[1] - dust or down + up < needs[2] - dust:
            yield f"cell {name} moves {float(down):g} down and {float(up):g} up: less than its levels ask"

    def _move_errors(self, move: dict[int, Fraction]) -> Iterator[str]:
        if not set(move) <= self.hidden:
            yield "moves a published cell"
        sums: dict[int, Fraction] = {}
        for i, by in move.items():
            for number, sign in self.touching[i]:
                sums[number] = sums.get(number, Fraction(0)) + sign * by
        yield from (f"breaks equation {number}" for number, by in sums.items() if abs(by) > self._dust(1))
        for i, by in move.items():
            value, low, high = self.cells["value"][i], self.cells["lower"][i], self.cells["upper"][i]
            dust = self._dust(abs(value))
            if (low is not None and value + by < low - dust) or (high is not None and value + by > high + dust):
                yield f"moves {self.cells['keys'][i]} out of its bounds"

    def _claim_errors(self) -> Iterator[str]:
        weight = self.cells["weight"]
        cost = sum(Fraction(weight[i]) for i in self.hidden & self.free)
        if abs(cost - Fraction(self.held["cost"])) > DUST * max(1, cost):
            yield f"the cost is {float(cost):g}, not {float(self.held['cost']):g}"
        proven = self._proven(self.held["tree"], {})
        if all(each == int(each) for each in weight):
            proven = Fraction(ceil(proven))
        if proven < self.held["bound"]:
            yield f"the tree proves the bound {float(proven):g}, not {float(self.held['bound']):g}"

    def _proven(self, tree: dict[str, object], case: dict[int, int]) -> Fraction:
        """Return what no safe pattern of a case can beat: the worse of both sides of a branch, or what a leaf's sum says."""
        if "cell" in tree:
            cell = cast("int", tree["cell"])
            sides = (cast("dict[str, object]", tree[word]) for word in ("zero", "one"))
            return min(self._proven(side, {**case, cell: to}) for to, side in enumerate(sides))
        left = {i: Fraction(self.cells["weight"][i]) for i in self.free}
        total = Fraction(0)
        for number, part in cast("list[list[int]]", tree["sum"]):
            share = Fraction(part, cast("int", tree["scale"]))
            if share < 0:
                raise ValueError("a cut has a negative part in a sum")
            total += share
            for i, coefficient in self._cut(number).items():
                left[i] -= share * coefficient
        return total + sum(rest * case[i] if i in case else min(rest, Fraction(0)) for i, rest in left.items())

    def _cut(self, number: int) -> dict[int, Fraction]:
        """Return a cut's coefficients, computed anew from its multipliers: any multipliers make a valid cut."""
        if number not in self.coefficients:
            cut = self.held["cuts"][number]
            cell, reach, ways = cast("int", cut["primary"]), dict[int, Fraction](), []
            for word, way in (("up", 1), ("down", -1)):
                if cut[word] is not None:
                    ways.append(word)
                    self._add_reach(cast("dict[str, list[int]]", cut[word]), cell, way, reach)
            level = "sliding_level" if len(ways) == 2 else {"up": "upper_level", "down": "lower_level"}[ways[0]]
            left = Fraction(self.cells[level][cell]) - sum(reach[i] for i in self.fixed & set(reach))
            if cell not in self.primary or left <= 0:
                raise ValueError(f"cut {number} says nothing")
            self.coefficients[number] = {i: min(Fraction(1), far / left) for i, far in reach.items() if i in self.free}
        return self.coefficients[number]

    def _add_reach(self, part: dict[str, list[int]], cell: int, way: int, reach: dict[int, Fraction]) -> None:
        """Add how much each hidden cell could contribute to the primary's move one way."""
        over = cast("int", part["denominator"])
        if over <= 0:
            raise ValueError("a denominator is not above 0")
        slope: dict[int, int] = {cell: way * over}
        for row, times in zip(part["rows"], part["values"], strict=True):
            for i, sign in self.held["equations"][row]:
                slope[i] = slope.get(i, 0) - times * sign
        for i, each in slope.items():
            value, end = self.cells["value"][i], self.cells["upper" if each > 0 else "lower"][i]
            if each:
                far = Fraction(10**30) if end is None else abs(end - value) * Fraction(abs(each), over)
                reach[i] = reach.get(i, Fraction(0)) + far
