"""Ways to change data so that they may leave.

A method is a frozen value that says which shapes of data it suits; ``apply(data, *, rng)`` gives a release and never
touches its input. A new method is one file here, one line in ``METHODS``, and a page in docs/methods. No method names a
column: those come from the schema and the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.registry import Registry


class Method(Protocol):
    """A way to protect a data set; what it can do beside it, it declares as ``abilities``."""

    shapes: ClassVar[frozenset[Shape]]

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the protected release; same data and same generator state give the same release."""
        ...


class SearchProgress(Protocol):
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

    def improve(self, data: Dataset, *, rng: np.random.Generator) -> Iterator[SearchProgress]:
        """Give better and better releases, each valid."""
        ...


@runtime_checkable
class TakesTrees(Protocol):
    """A method whose columns may have trees of labels."""

    @property
    def tree(self) -> Mapping[str, Path | Tree] | None:
        """The trees by column, or the files that they are read from; None if none is given."""
        ...

    def with_trees(self, trees: Mapping[str, Tree]) -> Method:
        """Return the same method with these trees."""
        ...


METHODS: Registry[Method] = Registry(
    kind="method",
    group="sekisho.methods",
    builtin={
        "borrow": "sekisho.protect.records.borrow:Borrow",
        "coarsen": "sekisho.protect.history.coarsen:Coarsen",
        "code": "sekisho.protect.records.coding.code:Code",
        "decoy": "sekisho.protect.records.delete:Decoy",
        "delete": "sekisho.protect.records.delete:DeleteFew",
        "delete-extremes": "sekisho.protect.records.delete:DeleteExtremes",
        "delete-random": "sekisho.protect.records.delete:DeleteRandom",
        "delete-small": "sekisho.protect.records.delete:DeleteSmall",
        "erase": "sekisho.protect.history.erase:Erase",
        "groups": "sekisho.protect.history.groups:Groups",
        "lattice": "sekisho.protect.records.lattice_recoding:Lattice",
        "microaggregate": "sekisho.protect.records.microaggregate:Microaggregate",
        "noise": "sekisho.protect.records.noise:Noise",
        "partition": "sekisho.protect.records.partition:Partition",
        "pram": "sekisho.protect.records.pram:Pram",
        "pseudonymise": "sekisho.protect.history.pseudonymise:Pseudonymise",
        "randomise": "sekisho.protect.records.randomise:Randomise",
        "rankswap": "sekisho.protect.records.rank_swap:RankSwap",
        "recordswap": "sekisho.protect.records.record_swap:RecordSwap",
        "sample": "sekisho.protect.records.sample:Sample",
        "similar-length": "sekisho.protect.history.similar_length:SimilarLength",
        "suppress": "sekisho.protect.records.suppress:Suppress",
        "swap": "sekisho.protect.records.swap:Swap",
    },
)
