"""New names and nothing else: the weakest protection that may still call itself one.

Against whom: nobody who knows a single unusual purchase. Every cell is as it was; the release serves as the baseline
that every adversary must break and every method must beat.

Source: PWS Cup 2018, rules, anonymisation (pseudonyms are one-to-one with customers).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.shape import Shape
from sekisho.protect.history.shared_cells import build_history_release
from sekisho.provenance import Provenance, list_parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonymise:
    """Replace each person's name by a random number from 1 to the number of people.

    Source: PWS Cup 2018, rules, anonymisation.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the release."""
        columns = dict(exact_table(data).columns)
        return build_history_release(
            data,
            columns,
            np.zeros(len(data), dtype=np.bool_),
            Provenance(name="pseudonymise", parameters=list_parameters(self)),
            rng=rng,
        )
