"""Every record against every other: the loss and the squared distance, compiled.

Kept apart from :mod:`sekisho.data.records.space`, so that reading rules need not wait for the compiler.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.data.records.space import Points
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.words import Said

LARGEST = float(np.iinfo(np.int64).max) / 2


@njit(cache=True, nogil=True)
def loss_matrix(
    numbers: NDArray[np.int64],
    labels: NDArray[np.int32],
    other_numbers: NDArray[np.int64],
    other_labels: NDArray[np.int32],
    unit: int,
) -> NDArray[np.int64]:
    """Return Iloss of every pair, in steps of the grid."""
    out = np.empty((len(numbers), len(other_numbers)), dtype=np.int64)
    for i in range(len(numbers)):
        for j in range(len(other_numbers)):
            worst = 0
            for c in range(labels.shape[1]):
                worst += unit * (labels[i, c] != other_labels[j, c])
            for c in range(numbers.shape[1]):
                worst = max(worst, abs(numbers[i, c] - other_numbers[j, c]))
            out[i, j] = worst
    return out


@njit(cache=True, nogil=True)
def square_matrix(
    numbers: NDArray[np.int64],
    labels: NDArray[np.int32],
    other_numbers: NDArray[np.int64],
    other_labels: NDArray[np.int32],
    weights: NDArray[np.int64],
    unit: int,
) -> NDArray[np.int64]:
    """Return the squared one-hot Euclidean distance of every pair, in squared steps of the grid."""
    out = np.empty((len(numbers), len(other_numbers)), dtype=np.int64)
    for i in range(len(numbers)):
        for j in range(len(other_numbers)):
            total = 0
            for c in range(labels.shape[1]):
                total += weights[c] * (labels[i, c] != other_labels[j, c])
            total *= unit * unit
            for c in range(numbers.shape[1]):
                step = numbers[i, c] - other_numbers[j, c]
                total += step * step
            out[i, j] = total
    return out


def losses(one: Points, other: Points) -> NDArray[np.int64]:
    """Return Iloss of every record of one against every record of the other, in steps of the grid."""
    return loss_matrix(one.numbers, one.labels, other.numbers, other.labels, one.unit)


def squares(one: Points, other: Points) -> NDArray[np.int64]:
    """Return the squared one-hot Euclidean distance of every pair, in squared steps of the grid.

    Raises:
        ParameterError: the numbers are so far apart, on so fine a grid, that the squares cannot be counted in 64 bits.
    """
    both = np.concatenate([one.numbers, other.numbers]).astype(np.float64)
    spans = np.ptp(both, axis=0) if len(both) else np.zeros(0)
    if float(spans @ spans) + float(one.weights.sum()) * float(one.unit) ** 2 >= LARGEST:
        raise ParameterError(
            Said("measured columns"),
            Said("lie closer together or have fewer decimals: squared distances are counted in 64 bits"),
            f"a span of {float(spans.max()) / one.unit:g} with {len(str(one.unit)) - 1} decimals",
            hint=Said("name the columns that matter, or give a column fewer decimals in the schema"),
        )
    return square_matrix(one.numbers, one.labels, other.numbers, other.labels, one.weights, one.unit)
