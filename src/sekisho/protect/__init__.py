"""Ways to change data so that they may leave.

A method is a frozen value; ``apply(data, *, rng)`` gives a release and never touches its input. A new method is one file here, one
line in ``METHODS``, and a page in docs/methods. Methods that know the columns of health records stand in ``RECORD_METHODS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, runtime_checkable

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.registry import Registry


class Method(Protocol):
    """A way to protect a data set."""

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the protected release; same data and same generator state give the same release."""
        ...


class Progress(Protocol):
    """How far a search for a release has come."""

    @property
    def seconds(self) -> float:
        """CPU seconds since the start."""
        ...

    @property
    def utility(self) -> float:
        """The utility index of the best release so far."""
        ...

    @property
    def bound(self) -> float:
        """The utility index that no release of the kind can better."""
        ...

    @property
    def release(self) -> Callable[[], Release]:
        """Makes the best release so far."""
        ...


@runtime_checkable
class Anytime(Protocol):
    """A method that searches and can be stopped at any time."""

    def improve(self, data: Dataset, *, rng: np.random.Generator) -> Iterator[Progress]:
        """Give better and better releases, each valid."""
        ...


METHODS: Registry[Method] = Registry(
    kind="method",
    group="sekisho.methods",
    builtin={
        "coarsen": "sekisho.protect.history.coarsen:Coarsen",
        "erase": "sekisho.protect.history.erase:Erase",
        "groups": "sekisho.protect.history.groups:Groups",
        "pseudonymise": "sekisho.protect.history.pseudonymise:Pseudonymise",
        "similar-length": "sekisho.protect.history.similar_length:SimilarLength",
    },
)

MICRODATA_METHODS: Registry[Method] = Registry(
    kind="method on files of records",
    group="sekisho.microdata_methods",
    builtin={
        "pram": "sekisho.protect.records.pram:Pram",
        "sample": "sekisho.protect.records.sample:Sample",
    },
)
"""Methods for files of records, one line a person, that no contest's rules describe."""

RECORD_METHODS: Registry[Method] = Registry(
    kind="method on records",
    group="sekisho.record_methods",
    builtin={
        "borrow": "sekisho.protect.records.borrow:Borrow",
        "decoy": "sekisho.protect.records.decoy:Decoy",
        "delete": "sekisho.protect.records.delete:DeleteFew",
        "delete-extremes": "sekisho.protect.records.delete:DeleteExtremes",
        "delete-random": "sekisho.protect.records.delete:DeleteRandom",
        "delete-small": "sekisho.protect.records.delete:DeleteSmall",
        "noise": "sekisho.protect.records.noise:Noise",
        "randomise": "sekisho.protect.records.randomise:Randomise",
        "swap": "sekisho.protect.records.swap:Swap",
    },
)
