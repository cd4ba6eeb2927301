"""Counts with keyed noise as a release that can be sealed: rule, numbers, and a digest that commits to the keys."""

from __future__ import annotations

import numpy as np

from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.perturb.method import PerturbedTable
from sekisho.tables.perturb.rows import UNIT


def release_counts(perturbed: PerturbedTable, commitment: str) -> ShownRelease:
    """Return a table with noise as a release; the keys are not in it, ``commitment`` is their digest.

    No least change is claimed: chance made it.
    """
    rows = [
        [[target, units] for target, units in zip(row.targets, row.units, strict=True) if units]
        for row in perturbed.noise.rows
    ]
    return ShownRelease(
        table=perturbed.table,
        method="perturb",
        parameters={"rows": rows, "unit": UNIT, "additive": perturbed.additive.value},
        shown=perturbed.shown.astype(np.float64),
        statements=perturbed.statements,
        cost=float(np.abs(perturbed.shown - perturbed.counts).sum()),
        drawn=True,
        commitment=commitment,
    )
