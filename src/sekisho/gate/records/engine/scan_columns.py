"""Columns of records that lie with an engine, counted for an account as those in memory are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import narwhals as nw

from sekisho.data.engines.names import file_column
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import Frame
from sekisho.gate.account.columns import HIDDEN

COUNT, SIZE = "sekisho_count", "sekisho_size"


@dataclass(frozen=True, kw_only=True, eq=False)
class ScanColumns:
    """Columns of the file that an engine wrote.

    Attributes:
        scan: its rows.
    """

    scan: Scan

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return self.scan.names

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        return self.scan.count_rows()

    @cached_property
    def _shown(self) -> Mapping[str, int]:
        """By column how many cells show something, asked of all columns at once."""
        cells = [file_column(name).cast(nw.String) for name in self.names]
        shown = [
            (~cell.is_null() & ~cell.is_in([HIDDEN, ""])).cast(nw.Int64).sum().alias(f"{COUNT}{place}")
            for place, cell in enumerate(cells)
        ]
        counts = self.scan.collect(self.scan.frame.select(*shown))
        return {name: int(counts[f"{COUNT}{place}"][0] or 0) for place, name in enumerate(self.names)}

    def is_hidden(self, name: str) -> bool:
        """Tell whether every cell of a column is hidden or missing."""
        return not self._shown[name]

    def count_alone(self, names: Sequence[str]) -> int:
        """Return how many rows no other row equals in some columns together."""
        if not names:
            return 0
        alone = self._group(names).filter(nw.col(SIZE) == 1).select(nw.len().alias(COUNT))
        return int(self.scan.collect(alone)[COUNT][0])

    def find_smallest(self, names: Sequence[str]) -> int:
        """Return the size of the smallest class of rows that are equal in some columns; 0 if there is no row."""
        if not names or not self.rows:
            return self.rows
        return int(self.scan.collect(self._group(names).select(nw.col(SIZE).min().alias(COUNT)))[COUNT][0])

    def _group(self, names: Sequence[str]) -> Frame:
        cells = [file_column(name).alias(f"{COUNT}{place}") for place, name in enumerate(names)]
        columns = [f"{COUNT}{place}" for place in range(len(names))]
        return self.scan.frame.select(*cells).group_by(*columns).agg(nw.len().alias(SIZE))
