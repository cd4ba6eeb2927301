"""Ways to change data so that they may leave.

A method is a frozen value; ``apply(data, *, rng)`` gives a release and never touches its input. A new method is one file here, one
line in ``METHODS``, and a page in docs/methods.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from sekisho.data.dataset import Dataset
from sekisho.data.release import Release
from sekisho.registry import Registry


class Method(Protocol):
    """A way to protect a data set."""

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the protected release; same data and same generator state give the same release."""
        ...


METHODS: Registry[Method] = Registry(
    kind="method",
    group="sekisho.methods",
    builtin={
        "coarsen": "sekisho.protect.coarsen:Coarsen",
        "erase": "sekisho.protect.erase:Erase",
        "pram": "sekisho.protect.pram:Pram",
        "pseudonymise": "sekisho.protect.pseudonymise:Pseudonymise",
        "sample": "sekisho.protect.sample:Sample",
        "similar-length": "sekisho.protect.similar_length:SimilarLength",
    },
)

RECORD_METHODS = frozenset({"pram", "sample"})
"""Methods for files of records, one line a person, that no contest's rules describe."""
