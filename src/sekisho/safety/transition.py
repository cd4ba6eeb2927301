"""How one attribute's values are changed by chance: transition matrices, and the two minima that decide.

A[u, c] is the chance that the value u is released as c. Theorem 5.1 needs, over original values u, v and released
values c, e,

    r1 = min A[v, c] / A[u, c]                         (v was left out of the sample, u could have been)
    r2 = min A[v, c] A[u, e] / (A[u, c] A[v, e])       (u and v are both in the sample and could change places)

With m(u, v) = min over c of A[v, c] / A[u, c], r1 is the least m(u, v) and r2 the least m(u, v) m(v, u): -log r2 is the
greatest distance between two rows in Hilbert's projective metric. Columns that no value turns into are left out. A zero
elsewhere makes both minima 0. Attributes changed independently of one another multiply their minima; their common
matrix is never built.

Source: Kikuchi, "How much can the sampling reduce the identification risk?", theorem 5.1; docs/proofs/pk-anonymity.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.values import parse_exact
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.words import Said

Real: TypeAlias = float | Fraction
Floats: TypeAlias = NDArray[np.float64]
Entries: TypeAlias = NDArray[Any]  # of floats, or of Fractions

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSwap:
    """Two values that are hard to confuse: u released as c against v released as e.

    Attributes:
        u: the rare original value.
        v: what everybody else has.
        c: what u was released as.
        e: what everybody else was released as.
        outside: A[v, c] / A[u, c].
        inside: A[v, c] A[u, e] / (A[u, c] A[v, e]).
    """

    u: int
    v: int
    c: int
    e: int
    outside: Real
    inside: Real


class Transition(Protocol):
    """One attribute's change by chance."""

    @property
    def size(self) -> int:
        """How many values the attribute has."""
        ...

    def find_hardest(self) -> tuple[ValueSwap, ValueSwap]:
        """Return the pair of values that attains r1 and the one that attains r2."""
        ...

    def matrix(self) -> Floats:
        """Return A."""
        ...

    def inverse(self) -> Floats:
        """Return the inverse of A, with which counts are estimated."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """Keep the value with chance rho, else draw it anew: A[u, c] = rho [u = c] + (1 - rho) q[c].

    Uniform q is retention replacement. With q the population's own shares the shares are kept in expectation (q A = q):
    the simplest invariant PRAM. Here m(u, v) = g(u) = (1 - rho) q[u] / (rho + (1 - rho) q[u]) whatever v is, so r1 is
    the least g and r2 the product of the two least.

    Attributes:
        values: how many values there are.
        retention: rho, from 0 (all noise) to 1 (unchanged); a Fraction makes every answer exact.
        shares: q, one per value; None for uniform.
    """

    values: int
    retention: Real
    shares: tuple[Real, ...] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.values < 1:
            raise ParameterError("values", Said("be at least 1"), self.values)
        if not 0 <= self.retention <= 1:
            raise ParameterError("retention", Said("lie between 0 and 1"), str(self.retention))
        if self.shares is None:
            return
        if len(self.shares) != self.values:
            raise ParameterError("shares", Said("be one per value ({values})", values=self.values), len(self.shares))
        if min(self.shares) < 0 or abs(sum(self.shares) - 1) > TOLERANCE:
            raise ParameterError("shares", Said("be at least 0 and add up to 1"), str(float(sum(self.shares))))

    @property
    def size(self) -> int:
        """How many values the attribute has."""
        return self.values

    def find_hardest(self) -> tuple[ValueSwap, ValueSwap]:
        """Return the two rarest values, which attain both minima."""
        if self.values == 1:
            only = ValueSwap(u=0, v=0, c=0, e=0, outside=1, inside=1)
            return only, only
        u, v = self._rarest()
        outside = self._confusion(u)
        swap = ValueSwap(u=u, v=v, c=u, e=v, outside=outside, inside=outside * self._confusion(v))
        return swap, swap

    def _rarest(self) -> tuple[int, int]:
        if self.shares is None:
            return 0, 1
        first, second, *_ = sorted(range(self.values), key=self.shares.__getitem__)
        return first, second

    def _confusion(self, value: int) -> Real:
        share = Fraction(1, self.values) if self.shares is None else self.shares[value]
        redrawn = (1 - self.retention) * share
        same = self.retention + redrawn
        return redrawn / same if same else 1

    def _shares(self) -> Floats:
        return np.full(self.values, 1 / self.values) if self.shares is None else np.array(self.shares, dtype=np.float64)

    def matrix(self) -> Floats:
        """Return A."""
        rho = float(self.retention)
        return rho * np.eye(self.values) + (1 - rho) * self._shares()

    def inverse(self) -> Floats:
        """Return the inverse of A, (I - (1 - rho) 1 q) / rho."""
        rho = float(self.retention)
        if rho == 0:
            raise InfeasibleError(
                Said("nothing of the values is kept (retention 0), so nothing can be estimated from them")
            )
        return (np.eye(self.values) - (1 - rho) * self._shares()) / rho


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix:
    """Any transition matrix: square, no entry below 0, rows that add up to 1.

    Entries as Fractions (or strings such as ``1/3``) make every answer exact; as floats the rows may miss 1 by 1e-9 and
    are scaled.
    """

    rows: Sequence[Sequence[Real | str]] | Floats = field(repr=False)

    def __post_init__(self) -> None:
        _ = self._entries

    @cached_property
    def _entries(self) -> Entries:
        table = self.rows if isinstance(self.rows, np.ndarray) else _parse_rows(self.rows)
        if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
            raise ParameterError("matrix", Said("be square, one row and one column per value"), table.shape)
        if table.dtype == object:
            _check_rows(table, [Fraction(sum(row)) for row in table], Fraction(0))
            return table
        floats = table.astype(np.float64)
        _check_rows(floats, floats.sum(axis=1), TOLERANCE)
        return floats / floats.sum(axis=1, keepdims=True)

    @property
    def exact(self) -> bool:
        """Tell whether the entries are Fractions."""
        return self._entries.dtype == object

    @property
    def size(self) -> int:
        """How many values the attribute has."""
        return len(self._entries)

    def find_hardest(self) -> tuple[ValueSwap, ValueSwap]:
        """Return the pair of values that attains r1 and the one that attains r2."""
        return self._hardest

    @cached_property
    def _hardest(self) -> tuple[ValueSwap, ValueSwap]:
        table = self._entries
        columns_used = np.flatnonzero((table != 0).any(axis=0))
        live = table[:, columns_used]
        low, high = live.argmin(axis=0), live.argmax(axis=0)
        columns = np.arange(len(columns_used))
        floor, top = live[low, columns], live[high, columns]
        worst = int(np.argmin(floor / top))
        first = self._make_swap(live, columns_used, int(high[worst]), int(low[worst]))
        if first.outside == 0:
            return first, first
        from sekisho.safety.hilbert_distance import find_widest_pair

        second = self._make_swap(live, columns_used, *find_widest_pair(live))
        turned = self._make_swap(live, columns_used, second.v, second.u)
        return first, turned if turned.outside < second.outside else second

    def _make_swap(self, live: Entries, columns_used: NDArray[np.intp], u: int, v: int) -> ValueSwap:
        there, back = _find_least_ratio(live[v], live[u]), _find_least_ratio(live[u], live[v])
        outside, inside = there[1], there[1] * back[1]
        return ValueSwap(
            u=u, v=v, c=int(columns_used[there[0]]), e=int(columns_used[back[0]]), outside=outside, inside=inside
        )

    def matrix(self) -> Floats:
        """Return A."""
        return self._entries.astype(np.float64)

    def inverse(self) -> Floats:
        """Return the inverse of A."""
        table = self.matrix()
        if np.linalg.cond(table) > 1e12:
            raise InfeasibleError(
                Said("the transition matrix cannot be inverted, so counts cannot be estimated from it")
            )
        return np.linalg.inv(table).astype(np.float64)

    def make_invariant(self, shares: Sequence[Real]) -> Matrix:
        """Return the two-stage matrix A B, which keeps the shares q in expectation.

        B[c, u] = q[u] A[u, c] / sum of q A[., c].
        B is the posterior of the original given the released value. Source: Gouweleeuw, Kooiman, Willenborg, de Wolf,
        "Post randomisation for statistical disclosure control", Journal of Official Statistics 14 (1998), section 4.
        """
        if len(shares) != self.size:
            raise ParameterError("shares", Said("be one per value ({values})", values=self.size), len(shares))
        table = self._entries
        weighted = table * np.array(shares, dtype=table.dtype)[:, None]
        total = weighted.sum(axis=0)
        if (total == 0).any():
            raise ParameterError(
                "matrix", Said("release every value with some chance to be made invariant"), "a zero column"
            )
        return Matrix(rows=np.asarray(table @ (weighted / total).T))


def keeps_values(transition: Transition) -> bool:
    """Tell whether every value is released as it is."""
    if isinstance(transition, Replacement):
        return transition.retention == 1
    return bool((np.diagonal(transition.matrix()) == 1).all())


def _parse_rows(rows: Sequence[Sequence[Real | str]]) -> Entries:
    if len({len(row) for row in rows}) != 1:
        raise ParameterError("matrix", Said("have rows of one length"), [len(row) for row in rows])
    exact = not any(isinstance(entry, float) for row in rows for entry in row)
    return np.array(
        [[_parse_entry(entry) if exact else float(_parse_entry(entry)) for entry in row] for row in rows],
        dtype=object if exact else np.float64,
    )


def _parse_entry(entry: Real | str) -> Real:
    try:
        return parse_exact(entry) if isinstance(entry, str) else entry if isinstance(entry, float) else Fraction(entry)
    except ValueError as error:
        raise ParameterError("matrix", Said("hold numbers such as 0.25 or 1/4"), entry) from error


def _check_rows(table: Entries, sums: Sequence[Real] | Floats, tolerance: Real) -> None:
    chances: NDArray[np.bool_] = np.all(table >= 0, axis=1)
    for row, (whole, total) in enumerate(zip(chances, sums, strict=True)):
        if not whole:
            raise ParameterError(
                Said("row {row} of the matrix", row=row + 1), Said("hold chances, none below 0"), str(min(table[row]))
            )
        if not abs(total - 1) <= tolerance:
            raise ParameterError(Said("row {row} of the matrix", row=row + 1), Said("add up to 1"), str(total))


def _find_least_ratio(over: Entries, under: Entries) -> tuple[int, Real]:
    places = np.flatnonzero(under != 0)
    ratios = over[places] / under[places]
    best = int(np.argmin(ratios))
    value = ratios[best]
    return int(places[best]), value if isinstance(value, Fraction) else float(value)
