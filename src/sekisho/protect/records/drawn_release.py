"""A release whose records chance drew: of a sample, of PRAM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.release import Release

if TYPE_CHECKING:  # to ask whether a release was drawn needs no mechanism
    from sekisho.safety.epsilon import EpsilonFinding
    from sekisho.safety.mechanism import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnRelease(Release):
    """A release that knows how it was made and in which order its records are published.

    Attributes:
        mechanism: what was done, which may be published.
    """

    mechanism: Mechanism

    @property
    def epsilon(self) -> EpsilonFinding:
        """What it says about one record."""
        return self.mechanism.measure_epsilon()

    @property
    def drawn(self) -> NDArray[np.intp]:
        """The drawn rows of the original, as they are published."""
        return np.flatnonzero(~self.deleted) if self.order is None else self.order

    def published(self) -> pl.DataFrame:
        """Return what leaves: the drawn records in their published order, columns that are hidden left out."""
        parts: list[pl.Series] = []
        for name in self.table.columns:
            cells = self.table.sets(name)
            if len(cells.codes):
                codes = cells.codes[cells.offsets[self.drawn]]
                parts.append(pl.Series(name, cells.domain, dtype=pl.String).gather(codes))
        return pl.DataFrame(parts)
