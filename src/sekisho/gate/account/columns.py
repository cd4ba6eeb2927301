"""Columns of records as they are written, counted for an account: who stands alone by some of them, what is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.release import Release

HIDDEN = "*"
"""What is written of a cell that is hidden."""


class WrittenColumns(Protocol):
    """The columns of the file that would leave, wherever its rows are."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        ...

    def is_hidden(self, name: str) -> bool:
        """Tell whether every cell of a column is hidden or missing."""
        ...

    def count_alone(self, names: Sequence[str]) -> int:
        """Return how many rows no other row equals in some columns together."""
        ...

    def find_smallest(self, names: Sequence[str]) -> int:
        """Return the size of the smallest class of rows that are equal in some columns; 0 if there is no row."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class FrameColumns:
    """Columns of rows in memory.

    Attributes:
        frame: the rows as they are written.
    """

    frame: pl.DataFrame

    @classmethod
    def of_release(cls, release: Release) -> FrameColumns:
        """Return the columns of a release as its file has them."""
        return cls(frame=publish_values(release).frame)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.frame.columns)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.frame.height

    def is_hidden(self, name: str) -> bool:
        """Tell whether every cell of a column is hidden or missing."""
        column = self.frame[name]
        if column.null_count() == len(column):
            return True
        return column.dtype == pl.String and bool(column.is_in([HIDDEN, ""]).fill_null(value=True).all())

    def count_alone(self, names: Sequence[str]) -> int:
        """Return how many rows no other row equals in some columns together."""
        return int((self._count_classes(names) == 1).sum()) if names else 0

    def find_smallest(self, names: Sequence[str]) -> int:
        """Return the size of the smallest class of rows that are equal in some columns; 0 if there is no row."""
        return int(self._count_classes(names).to_numpy().min(initial=self.rows)) if names else self.rows

    def _count_classes(self, names: Sequence[str]) -> pl.Series:
        if len(names) == 1:
            return self.frame[names[0]].unique_counts()
        return self.frame.lazy().select(names).group_by(names).len("size").collect()["size"]
