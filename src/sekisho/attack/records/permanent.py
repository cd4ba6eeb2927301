"""The exact posterior of who is who after PRAM, sampling and a shuffle.

Every way to draw and shuffle is equally likely, so the chance that person r is the released record r' is a ratio of
sums over all injections of the m released records into the n people, products of A[value of the person, released value]
each: permanents. People with equal values and equal released records are interchangeable, so the sums are coefficients
of

    F(x) = product over people of (1 + sum over y of A[u, y] x_y),        y the distinct released values, c_y how many,

where 1 stands for being left out. With F_u the product without one person of value u, the chance that he is a certain
record of value y is A[u, y] [x^(c - e_y)] F_u / (c_y [x^c] F), and [x^c] F = [x^c] F_u + sum over y of A[u, y] [x^(c -
e_y)] F_u. The products before and after each value are kept, so that no polynomial is divided. Work: n times the number
of released values times the product of all (c_y + 1).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sekisho.safety.transition import Floats


def count_exact_steps(people: NDArray[np.int64], released: NDArray[np.int64]) -> float:
    """Return how many steps the exact posterior takes, and at least how many numbers it keeps."""
    states = np.log1p(released).sum()
    each = max(float(people.sum()) * len(released), float(len(people)) * 8)
    return float(np.exp(min(states, 600.0))) * each


def compute_exact_posterior(likelihood: Floats, people: NDArray[np.int64], released: NDArray[np.int64]) -> Floats:
    """Return the chance that one person of value u is one certain released record of value y.

    Args:
        likelihood: A[u, y] for the distinct original values u and the distinct released values y.
        people: how many people have each value.
        released: how many released records have each value.
    """
    shape = tuple(int(count) + 1 for count in released)
    empty = np.zeros(shape)
    empty[(0,) * len(shape)] = 1.0
    after = [empty]
    for u in range(len(people) - 1, 0, -1):
        after.append(_multiply_factors(after[-1], likelihood[u], int(people[u])))
    posterior = np.zeros_like(likelihood)
    before = empty
    for u, rest in enumerate(reversed(after)):
        without = _multiply_factors(before, likelihood[u], int(people[u]) - 1)
        posterior[u] = _normalise_chances(likelihood[u], list(_pick_coefficients(without, rest)), released)
        before = _multiply_factors(without, likelihood[u], 1)
    return posterior


def _multiply_factors(table: Floats, chances: Floats, often: int) -> Floats:
    for _ in range(often):
        out = table.copy()
        for axis, chance in enumerate(chances):
            ahead, behind = [slice(None)] * table.ndim, [slice(None)] * table.ndim
            ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
            out[tuple(ahead)] += chance * table[tuple(behind)]
        table = out / out.max()  # only ratios count, so the size may be reined in
    return table


def _pick_coefficients(one: Floats, other: Floats) -> Iterator[float]:
    """Yield the coefficients of a product at c and at c - e_y for each y."""
    turned = np.flip(other)
    yield float((one * turned).sum())
    for axis in range(one.ndim):
        ahead, behind = [slice(None)] * one.ndim, [slice(None)] * one.ndim
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        yield float((one[tuple(behind)] * turned[tuple(ahead)]).sum())


def _normalise_chances(chances: Floats, ends: list[float], released: NDArray[np.int64]) -> Floats:
    joint = chances * np.array(ends[1:])
    total = ends[0] + joint.sum()
    return joint / (total * released) if total else joint
