"""Candidates as pairs of a class of twins and a customer, not as a table of everybody against everybody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidatePairs:
    """Who each pseudonym could be.

    Attributes:
        twin: for each pseudonym the number of its class of twins.
        example: for each class one of its pseudonyms, as a position.
        possible: classes by customers, an entry where the customer is a candidate; each line's entries in order.
    """

    twin: NDArray[np.int64]
    example: NDArray[np.int64]
    possible: csr_array

    def counts(self) -> NDArray[np.int64]:
        """Return how many candidates each pseudonym has."""
        return np.diff(self.possible.indptr).astype(np.int64)[self.twin]

    def sizes(self) -> NDArray[np.int64]:
        """Return how many pseudonyms each class of twins has."""
        return np.bincount(self.twin, minlength=len(self.example))


def list_pairs(table: csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the lines and columns of a table's entries, line by line."""
    lines = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    return lines.astype(np.int64), table.indices.astype(np.int64)
