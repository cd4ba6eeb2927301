"""The exact solution of a square sparse system of whole numbers, as whole numbers over one denominator.

A decomposition in floating point solves the system to some binary digits; what is left over is computed exactly, in
whole numbers, and solved for again, so that the digits of the solution grow as far as anyone asks. Once they are long
enough a continued fraction reads the common denominator off them. Nothing is returned on trust: the fractions are put
into the system and must solve it to the unit.

Source: Wan, "An algorithm to solve integer linear systems exactly using numerical methods", Journal of Symbolic
Computation 41 (2006), sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import frexp, isqrt, log2

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array

FIRST = 64
"""After how many binary digits fractions are looked for first; then after twice as many, and so on."""
MOST = 6000
"""So many are too many: fractions then have some 900 decimal digits."""
STEP = 40
"""Digits that a step may gain: a float holds 53, and some are lost to the condition of the system."""
WIDE = 1 << 60
"""Whole numbers of 64 binary digits hold what stays below this."""
FLAT = 1e-11
"""A pivot so much smaller than the largest is taken for none."""
Wholes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Fractions with one denominator, above 0."""

    numbers: tuple[int, ...]
    denominator: int


def solve_exactly(matrix: csr_array, right: Wholes) -> Ratios | None:
    """Return the solution of ``matrix @ x = right``, both of whole numbers.

    None if the matrix is singular or nearly so.

    None too if the denominator has more than some 900 decimal digits.
    """
    if not matrix.shape[0]:
        return Ratios(numbers=(), denominator=1)
    parts = _decompose(matrix)
    if parts is None:
        return None
    wholes = csr_array((matrix.data.astype(np.int64), matrix.indices, matrix.indptr), shape=matrix.shape)
    heaviest, enough = int(abs(wholes).sum(axis=1).max()), min(MOST, 2 * _size(matrix, right) + FIRST)
    gain = min(STEP, WIDE.bit_length() - 1 - heaviest.bit_length())
    x, left, digits, after = [0] * len(right), right.astype(np.int64), 0, FIRST
    for _ in range(enough):  # more than it takes to gain so many digits, unless the decomposition is no help
        guess = parts.solve(left.astype(np.float64))
        off = float(np.abs(guess).max())
        if digits >= after or not left.any():
            found = _read(x, digits, off, wholes, right)
            if found is not None or digits >= enough:
                return found
            after = min(2 * after, enough)
        far = max(off, float(np.abs(left).max()) / heaviest)
        step = max(0, gain - frexp(far)[1])
        if not far * 2.0**step * heaviest < WIDE:
            return None
        more = np.rint(guess * 2.0**step).astype(np.int64)
        x = [(known << step) + new for known, new in zip(x, more.tolist(), strict=True)]
        left, digits = (left << step) - wholes @ more, digits + step
    return None


def _decompose(matrix: csr_array) -> scipy.sparse.linalg.SuperLU | None:
    """Return the matrix as a product of triangles; None if it is singular as far as floats can tell."""
    try:
        parts = scipy.sparse.linalg.splu(matrix.tocsc())
    except RuntimeError:  # how SuperLU says that a pivot is zero
        return None
    pivots = np.abs(parts.U.diagonal())
    return parts if pivots.min() > FLAT * pivots.max() else None


def _size(matrix: csr_array, right: Wholes) -> int:
    """Return how many binary digits numerator and denominator have at most: Hadamard's bound of the determinants."""
    squares = np.bincount(matrix.indices, weights=matrix.data**2, minlength=matrix.shape[1])
    return int(np.log2(np.maximum(squares, 1.0)).sum() / 2 + log2(float(np.abs(right).max()) * len(right) + 1)) + 2


def _read(x: list[int], digits: int, off: float, matrix: csr_array, right: Wholes) -> Ratios | None:
    """Return the fractions next to numbers known to so many digits, if they solve the system."""
    one, off_by = 1 << digits, int(2 * off) + 1
    denominator = 1
    for each in x:
        shifted = each * denominator
        if abs(shifted - _nearest(shifted, one) * one) <= denominator * off_by:
            continue
        finest = isqrt(one // (4 * denominator * off_by))
        denominator *= Fraction(shifted, one).limit_denominator(max(1, finest)).denominator
        if 4 * denominator * denominator * off_by > one:
            return None
    numbers = [_nearest(each * denominator, one) for each in x]
    if product(matrix, numbers) != [denominator * each for each in right.tolist()]:
        return None
    return Ratios(numbers=tuple(numbers), denominator=denominator)


def _nearest(number: int, one: int) -> int:
    return (2 * number + one) // (2 * one)


def product(matrix: csr_array, numbers: Sequence[int]) -> list[int]:
    """Return a matrix of whole numbers times a column, exactly."""
    # floats, even whole ones, would round what has more than 53 binary digits
    terms = matrix.data.astype(np.int64).astype(object) * np.array(numbers, dtype=object)[matrix.indices]
    return [sum(part.tolist()) for part in np.split(terms, matrix.indptr[1:-1])]
