"""Measures of loss that are sums over cells, for a search over levels: each cell's cost rises with its level.

- ncp: the normalised certainty penalty of the cell; 1 where it is left out;
- precision: the level over the highest level; 1 where it is left out;
- entropy: log2 of how many records bear the label for one that bears the value (non-uniform entropy), divided by its
  mean where nothing of the key is told; a cell that is left out costs as much as one that tells nothing.

Sources: Xu et al., KDD 2006 (NCP); Sweeney, "Achieving k-anonymity privacy protection using generalization and
suppression", 2002 (precision); Gionis, Tassa, "k-anonymization with minimal loss of information", TKDE 21(2), 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.records.lattice.ladder import Level


class LatticeMeasure(StrEnum):
    """What is minimised."""

    NCP = "ncp"
    PRECISION = "precision"
    ENTROPY = "entropy"


def charge_levels(
    measure: LatticeMeasure, ladder: Sequence[Level], counts: NDArray[np.int64]
) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """Return what each code costs at each level, and what it costs to leave it out.

    Args:
        measure: which.
        ladder: the levels of a key.
        counts: how many records bear each code.
    """
    if measure is LatticeMeasure.NCP:
        return [level.cost for level in ladder], np.ones(len(counts))
    if measure is LatticeMeasure.PRECISION:
        highest = max(1, len(ladder) - 1)
        return [np.full(len(counts), place / highest) for place in range(len(ladder))], np.ones(len(counts))
    borne = np.maximum(counts, 1).astype(np.float64)
    nothing = np.log2(max(1, int(counts.sum())) / borne)
    mean = float(nothing @ counts) / max(1, int(counts.sum()))
    unit = mean if mean > 0 else 1.0
    costs: list[NDArray[np.float64]] = []
    for level in ladder:
        together = np.bincount(level.group, weights=counts)[level.group]
        costs.append(np.log2(np.maximum(together, borne) / borne) / unit)  # a code that nobody bears is never charged
    return costs, nothing / unit
