"""Laplace noise on numbers, written as whole numbers as the contest's samples were.

Each value gets noise of density (epsilon / 2) exp(-epsilon |x|) and loses its decimals (cut towards zero, as the organisers' program
did). With ``limit`` the change is cut to at most so much, so that Iloss stays within it; results stay within the column's bounds. Cut
noise gives no differential privacy, and noise on two columns of a record gives none for the others: the adversary who knows a record's
categories is hardly hindered.

Source: Dwork, McSherry, Nissim, Smith, TCC 2006; PWS Cup 2021, program dp2.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sekisho.data.cells import RangeCells
from sekisho.data.dataset import Dataset
from sekisho.data.records import FARTHEST
from sekisho.data.release import MaskedTable, Release, exact_table
from sekisho.errors import ParameterError
from sekisho.protect.borrowed import Made, finished

EPSILON: dict[str, float] = {"age": 1.0, "bmi": 2.0}
LOW: dict[str, float] = {"age": 13, "bmi": 13}
HIGH: dict[str, float] = {"age": 85, "bmi": 75}
LOUDEST = 1_000_000
"""So large the scale of the noise may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Add Laplace noise to some columns.

    Source: Dwork, McSherry, Nissim, Smith, TCC 2006; PWS Cup 2021, program dp2.py.
    """

    epsilon: Mapping[str, float] = field(
        default_factory=lambda: dict(EPSILON),
        metadata={"help": "By column, the inverse of the scale of the noise: column=value,…"},
    )
    low: Mapping[str, float] = field(
        default_factory=lambda: dict(LOW), metadata={"help": "By column, the least value allowed: column=value,…"}
    )
    high: Mapping[str, float] = field(
        default_factory=lambda: dict(HIGH), metadata={"help": "By column, the largest value allowed: column=value,…"}
    )
    limit: float = field(default=-1.0, metadata={"help": "The largest change allowed; negative for none."})
    whole: bool = field(default=True, metadata={"help": "Whether results lose their decimals."})

    def __post_init__(self) -> None:
        for name, epsilon in self.epsilon.items():
            if not 1 / LOUDEST <= epsilon < np.inf:
                raise ParameterError(f"epsilon of {name}", f"be {1 / LOUDEST:f} or more", epsilon)
        for which, ends in (("low", self.low), ("high", self.high)):
            for name, end in ends.items():
                if not abs(end) <= FARTHEST:
                    raise ParameterError(f"{which} of {name}", f"lie between -{FARTHEST:,} and {FARTHEST:,}", end)
        if not self.limit <= FARTHEST:
            raise ParameterError("limit", f"be at most {FARTHEST:,}", self.limit)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the noisy records; none is deleted."""
        columns = dict(exact_table(data).columns)
        for name, epsilon in self.epsilon.items():
            columns[name] = RangeCells.exact(self._noisy(data, name, rng.laplace(0.0, 1.0 / epsilon, len(data))))
        table = MaskedTable(schema=data.schema, columns=columns)
        return finished(table, np.zeros(len(data), dtype=np.bool_), Made("noise", self))

    def _noisy(self, data: Dataset, name: str, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        unit, grid = 10 ** data.schema[name].decimals, data.grid(name)
        moved = grid + np.rint(noise * unit).astype(np.int64)
        moved = np.where(moved < 0, -(-moved // unit), moved // unit) * unit if self.whole else moved
        low, high = self.low.get(name, -np.inf), self.high.get(name, np.inf)
        least, most = (
            np.maximum(low * unit, grid - self._reach(unit)),
            np.minimum(high * unit, grid + self._reach(unit)),
        )
        if self.whole:
            least, most = np.ceil(least / unit) * unit, np.floor(most / unit) * unit
        return np.clip(moved, least, most).astype(np.int64)

    def _reach(self, unit: int) -> float:
        return self.limit * unit if self.limit >= 0 else np.inf
