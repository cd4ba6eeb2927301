"""What each method may show, and what a reader learns of it: derived anew from method, parameters and shown numbers.

Nothing here is shared with the methods themselves. For each cell there are

- the statement: the values that a reader must think possible, given the rule and the number shown;
- the choices: what the method could have shown instead, for the bound on the cost (a list of pieces: from, to, unit).

Rounding in at most ``K`` steps: a count ``a`` between the multiples ``b u`` and ``b (u + 1)`` may become ``b z``, ``z``
from ``max(0, u - K)`` to ``u + K`` (one more if ``a`` is no multiple); so a shown ``x`` says ``x - (K + 1) b + 1 .. x +
(K + 1) b - 1``, not below 0. Small-count rounding moves inner counts ``1 .. b - 1`` to 0 or ``b``. Noise takes a count
to what its row gives a chance. Intervals say themselves. An adjustment says nothing of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sekisho.tables.check.release_claims import ClaimedRelease
from sekisho.tables.check.strict_json import Number, allow_slack
from sekisho.words import Said

COUNTED = frozenset({"round", "small", "perturb"})
"""Methods for counts: whole numbers from 0 on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Values from ``low`` to ``high``, None for no end; only some of them if they are listed."""

    low: Number | None
    high: Number | None
    only: frozenset[int] | None = None

    def holds(self, value: Number, slack: Number = 0) -> bool:
        """Tell whether a value is one of them."""
        if self.only is not None and value not in self.only:
            return False
        return not (
            (self.low is not None and value < self.low - slack) or (self.high is not None and value > self.high + slack)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Numbers that a cell may be shown as: from ``low`` to ``high`` (None for no end), multiples of ``unit`` or all."""

    low: Number | None
    high: Number | None
    unit: int = 0


class ClaimedMethod:
    """The method of a certificate, applied to its cells."""

    def __init__(self, claimed: ClaimedRelease) -> None:
        self.claimed, self.cells = claimed, claimed.cells
        self.apart = {i for i, word in enumerate(self.cells.status) if word == "unpublished"}
        totals = {i for equation in claimed.equations for i, sign in equation if sign < 0}
        self.inner = set(range(len(self.cells.value))) - totals
        self.base, self.steps = claimed.numbers.get("base", 0), claimed.numbers.get("steps", 0)
        self.sums = _list_sums(claimed, self.inner)

    @property
    def summed(self) -> bool:
        """Whether margins are sums of what is shown, with no statement of their own."""
        return self.claimed.method == "small" or self.claimed.words.get("additive") == "sum"

    @property
    def adds_up(self) -> bool:
        """Whether the method shows tables that add up."""
        return self.claimed.method != "intervals" and self.claimed.words.get("additive") != "no"

    def errors(self) -> Iterator[str]:
        """Tell what shows that the numbers were not made by the method."""
        claimed, method = self.claimed, self.claimed.method
        if method in {"round", "small"} and self.base < 2:
            yield Said("the base {base} is none", base=self.base)
            return
        yield from self._row_errors()
        for i in range(len(self.cells.value)):
            wrong = self._cell_error(i)
            if wrong:
                yield Said("cell {name} {wrong}", name=", ".join(self.cells.keys[i]), wrong=wrong)
        if self.adds_up:
            shown = claimed.shown
            for number, equation in enumerate(claimed.equations):
                terms = [sign * value for i, sign in equation if not isinstance(value := shown[i], tuple)]
                if sum(terms) and abs(sum(terms)) > self.slack(max(map(abs, terms))):
                    yield Said("what is shown does not add up in equation {number}", number=number)
        secret = method == "perturb" or claimed.words.get("objective") == "unbiased"
        if secret and not claimed.commitment:
            yield Said("chance played a part, and nothing commits to what was drawn")

    def slack(self, size: Number) -> Number:
        """Return by how much sums may miss: not at all for counts, else by the tolerance of binary fractions."""
        return allow_slack(size, exact=self.claimed.method in COUNTED)

    def _row_errors(self) -> Iterator[str]:
        rows, unit = self.claimed.rows, self.claimed.numbers.get("unit", 0)
        if self.claimed.method != "perturb":
            return
        if unit <= 0 or len(rows) < 2 or {shown for shown, units in rows[0].items() if units} != {0}:
            yield Said("the table of chances has no rows, or a 0 does not stay 0")
        for number, row in enumerate(rows):
            if sum(row.values()) != unit:
                yield Said("the chances of row {number} do not add up to 1", number=number)

    def _cell_error(self, i: int) -> str:
        """Tell what is wrong with what is shown of one cell; nothing if it is right."""
        method, value, shown = self.claimed.method, self.cells.value[i], self.claimed.shown[i]
        if isinstance(shown, tuple):
            right = method == "intervals" and shown[0] <= shown[1]
            return "" if right else Said("shows an interval that is none")
        if method in COUNTED and (value < 0 or value != int(value) or shown < 0 or shown != int(shown)):
            return Said("is no count, or is not shown as one")
        drawn = self.claimed.before[i] if self.claimed.before else shown
        if not any(_lies_in(drawn, piece) for piece in self.choices(i)):
            return Said(
                "shows {shown:g}, which the method does not make of {value:g}", shown=float(drawn), value=float(value)
            )
        return ""

    def statement(self, i: int) -> Span:
        """Return what a reader who knows the rule learns of one cell."""
        low, high, shown = self.cells.lower[i], self.cells.upper[i], self.claimed.shown[i]
        own = Span(low=None, high=None) if i in self.apart else self._own_statement(i, shown)
        ends = [end for end in (low, own.low) if end is not None], [end for end in (high, own.high) if end is not None]
        return Span(low=max(ends[0], default=None), high=min(ends[1], default=None), only=own.only)

    def _own_statement(self, i: int, shown: Number | tuple[Number, Number]) -> Span:
        method = self.claimed.method
        if isinstance(shown, tuple):
            return Span(low=shown[0], high=shown[1])
        if method == "round":
            reach = (self.steps + 1) * self.base - 1
            return Span(low=max(0, shown - reach), high=shown + reach)
        if method == "intervals":
            return Span(low=shown, high=shown)
        if method == "adjust" or (self.summed and i not in self.inner):
            return Span(low=None, high=None)
        if method == "small":
            return Span(low=1 if shown == self.base else shown, high=self.base - 1 if shown == 0 else shown)
        truths = frozenset(self._origins(self.claimed.before[i] if self.claimed.before else int(shown)))
        return Span(low=min(truths, default=1), high=max(truths, default=0), only=truths)

    def _origins(self, shown: int) -> Iterator[int]:
        """Return the counts that noise can turn into a number; the last row's moves serve larger counts too."""
        rows, last = self.claimed.rows, len(self.claimed.rows) - 1
        yield from (count for count in range(last) if rows[count].get(shown, 0) > 0)
        moves = {target - last for target, units in rows[last].items() if units > 0}
        yield from (shown - move for move in moves if shown - move >= last)

    def choices(self, i: int) -> list[Piece]:
        """Return what the method could show of one cell."""
        method, value = self.claimed.method, self.cells.value[i]
        if method == "round":
            return [self._multiples(i)]
        if method == "adjust":
            return self._adjusted(i)
        if method == "intervals" or (method == "small" and i in self.inner and not 0 < value < self.base):
            return [Piece(low=value, high=value)]
        if method == "small":
            return (
                [Piece(low=0, high=0), Piece(low=self.base, high=self.base)] if i in self.inner else [self._margin(i)]
            )
        return self._noisy(i)

    def _multiples(self, i: int) -> Piece:
        below, rest = divmod(self.cells.value[i], self.base)
        if i in self.apart:
            return Piece(low=0, high=self._cap, unit=self.base)
        high = below + self.steps + (1 if rest else 0)
        return Piece(low=max(0, below - self.steps) * self.base, high=high * self.base, unit=self.base)

    @cached_property
    def _cap(self) -> Number | None:
        """The most that a cell of the joint table can be shown as: what the total of all can, if it is published."""
        every = frozenset(self.inner)
        for i, some in enumerate(self.sums or ()):
            if some == every and i not in self.apart:
                return self._multiples(i).high
        return None

    def _margin(self, i: int) -> Piece:
        value = self.cells.value[i]
        if self.sums is None:
            return Piece(low=None, high=None, unit=1)
        small = [self.cells.value[j] for j in self.sums[i] if 0 < self.cells.value[j] < self.base]
        return Piece(low=value - sum(small), high=value + sum(self.base - each for each in small), unit=1)

    def _adjusted(self, i: int) -> list[Piece]:
        value, low, high = self.cells.value[i], self.cells.lower[i], self.cells.upper[i]
        if self.cells.status[i] != "primary":
            return [Piece(low=low, high=high)]
        down, up = self.levels(i)
        return [Piece(low=low, high=value - down), Piece(low=value + up, high=high)]

    def levels(self, i: int) -> tuple[Number, Number]:
        """Return how far down and up a cell was asked to go: by secret levels, or its own."""
        down, up = self.claimed.down[i], self.claimed.up[i]
        return (
            self.cells.lower_level[i] if down is None else down,
            self.cells.upper_level[i] if up is None else up,
        )

    def _noisy(self, i: int) -> list[Piece]:
        if i in self.apart or (self.summed and i not in self.inner):
            return [Piece(low=0, high=None, unit=1)]
        rows, value = self.claimed.rows, int(self.cells.value[i])
        last = len(rows) - 1
        row, move = rows[min(value, last)], max(0, value - last)
        return [Piece(low=shown + move, high=shown + move) for shown, units in row.items() if units > 0]


def _lies_in(shown: Number, piece: Piece) -> bool:
    if (piece.low is not None and shown < piece.low) or (piece.high is not None and shown > piece.high):
        return False
    return not piece.unit or shown % piece.unit == 0


def _list_sums(claimed: ClaimedRelease, inner: set[int]) -> list[frozenset[int]] | None:
    """Return the inner cells that each cell is the sum of; None unless each counts once and all equations follow."""
    found: dict[int, frozenset[int]] = {i: frozenset({i}) for i in inner}
    waiting = list(claimed.equations)
    while waiting:
        ready = [equation for equation in waiting if all(sign == -1 or i in found for i, sign in equation)]
        if not ready:
            return None
        for equation in ready:
            totals, parts = [i for i, sign in equation if sign == -1], [i for i, sign in equation if sign == 1]
            some = frozenset[int]().union(*(found[i] for i in parts))
            if len(totals) != 1 or len(totals) + len(parts) != len(equation):
                return None
            if len(some) != sum(len(found[i]) for i in parts) or found.setdefault(totals[0], some) != some:
                return None
        done = set(map(id, ready))
        waiting = [equation for equation in waiting if id(equation) not in done]
    return [found[i] for i in range(len(claimed.cells.value))] if len(found) == len(claimed.cells.value) else None
