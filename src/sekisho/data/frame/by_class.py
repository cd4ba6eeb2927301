"""Columns that rows share: what all rows of a class have in a column is held once, and spread over them when asked for.

To whoever reads it, it is a mapping from names to columns with something for every row. What works once for each class
(writing texts, counting) asks for ``shared`` and ``owner`` instead, and is as fast as there are few classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.words import Said

C = TypeVar("C", bound=Sized)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ByClass(Mapping[str, C], Generic[C]):
    """Columns by name.

    Attributes:
        names: of all columns, in their order.
        whole: columns with something for every row.
        shared: columns with something for every class; each class has a row.
        owner: the class of each row.
        select: gives some rows, or classes, of a column.
    """

    names: tuple[str, ...]
    whole: Mapping[str, C]
    shared: Mapping[str, C]
    owner: NDArray[np.int32]
    select: Callable[[C, NDArray[np.intp]], C]
    _spread: dict[str, C] = field(default_factory=dict[str, C], init=False)

    def __post_init__(self) -> None:
        used = np.bincount(self.owner) > 0 if len(self.owner) else np.zeros(0, dtype=np.bool_)
        if not used.all() or any(len(column) != len(used) for column in self.shared.values()):
            sizes = {name: len(column) for name, column in self.shared.items()}
            raise ParameterError("owner", Said("name every class of the shared columns, and no other"), sizes)
        if set(self.names) != self.whole.keys() | self.shared.keys() or len(self.names) != len(self):
            raise ParameterError("names", Said("be those of the columns, each once"), self.names)

    def __getitem__(self, name: str) -> C:
        if name not in self.shared:
            return self.whole[name]
        if name not in self._spread:
            self._spread[name] = self.select(self.shared[name], self.owner.astype(np.intp))
        return self._spread[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.whole) + len(self.shared)

    def take(self, rows: NDArray[np.intp]) -> ByClass[C]:
        """Return some rows; classes that have none of them are dropped."""
        owner = self.owner[rows]
        used = np.zeros(int(self.owner.max(initial=-1)) + 1, dtype=np.bool_)
        used[owner] = True
        shared = self.shared
        if not used.all():
            classes = np.flatnonzero(used)
            shared = {name: self.select(column, classes) for name, column in shared.items()}
            owner = (np.cumsum(used, dtype=np.int32) - np.int32(1))[owner]
        whole = {name: self.select(column, rows) for name, column in self.whole.items()}
        return replace(self, whole=whole, shared=shared, owner=owner)


def list_lengths(columns: Mapping[str, Sized]) -> set[int]:
    """Return how many rows the columns have."""
    if isinstance(columns, ByClass):
        return {len(column) for column in columns.whole.values()} | ({len(columns.owner)} if columns.shared else set())
    return {len(column) for column in columns.values()}
