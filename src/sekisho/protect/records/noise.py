"""Laplace noise on numbers, written as whole numbers as the contest's samples were.

Each value gets noise of density (epsilon / 2) exp(-epsilon |x|) and loses its decimals (cut towards zero, as the
organisers' program did). With ``cut`` the change is cut to at most so much, so that Iloss stays within it; results stay
within the column's bounds. Cut noise gives no differential privacy, and noise on two columns of a record gives none for
the others: an adversary who knows a record's categories is hardly hindered.

Source: Dwork, McSherry, Nissim, Smith, TCC 2006; PWS Cup 2021, program dp2.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.records.space import FARTHEST, require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.protect.records.record_release import Maker, build_record_release

LOUDEST = 1_000_000
"""So large the scale of the noise may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Add Laplace noise to some columns.

    Source: Dwork, McSherry, Nissim, Smith, TCC 2006; PWS Cup 2021, program dp2.py.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    epsilon: Mapping[str, float] = field(
        default_factory=dict[str, float],
        metadata={"help": "By column, the inverse of the scale of the noise: column=value,…"},
    )
    low: Mapping[str, float] = field(
        default_factory=dict[str, float],
        metadata={"help": "By column, the least value allowed: column=value,…; as the rules say."},
    )
    high: Mapping[str, float] = field(
        default_factory=dict[str, float],
        metadata={"help": "By column, the largest value allowed: column=value,…; as the rules say."},
    )
    cut: float = field(default=-1.0, metadata={"help": "The largest change allowed; negative for none."})
    whole: bool = field(default=True, metadata={"help": "Whether results lose their decimals."})

    def __post_init__(self) -> None:
        if not self.epsilon:
            raise ParameterError("epsilon", "name at least one column and its epsilon", "none", hint="age=1")
        for name, epsilon in self.epsilon.items():
            if not 1 / LOUDEST <= epsilon < np.inf:
                raise ParameterError(f"epsilon of {name}", f"be {1 / LOUDEST:f} or more", epsilon)
        for which, ends in (("low", self.low), ("high", self.high)):
            for name, end in ends.items():
                if not abs(end) <= FARTHEST:
                    raise ParameterError(f"{which} of {name}", f"lie between -{FARTHEST:,} and {FARTHEST:,}", end)
        if not self.cut <= FARTHEST:
            raise ParameterError("cut", f"be at most {FARTHEST:,}", self.cut)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the noisy records; none is deleted."""
        require_one_row(data)
        columns = dict(exact_table(data).columns)
        for name, epsilon in self.epsilon.items():
            columns[name] = RangeCells.exact(self._add_noise(data, name, rng.laplace(0.0, 1.0 / epsilon, len(data))))
        table = MaskedTable(schema=data.schema, columns=columns)
        return build_record_release(table, np.zeros(len(data), dtype=np.bool_), Maker("noise", self))

    def _add_noise(self, data: Dataset, name: str, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        unit, grid = 10 ** data.schema[name].decimals, data.grid(name)
        moved = grid + np.rint(noise * unit).astype(np.int64)
        moved = np.where(moved < 0, -(-moved // unit), moved // unit) * unit if self.whole else moved
        low, high = self.low.get(name, -np.inf), self.high.get(name, np.inf)
        change = self._largest_change(unit)
        least, most = np.maximum(low * unit, grid - change), np.minimum(high * unit, grid + change)
        if self.whole:
            least, most = np.ceil(least / unit) * unit, np.floor(most / unit) * unit
        return np.clip(moved, least, most).astype(np.int64)

    def _largest_change(self, unit: int) -> float:
        return self.cut * unit if self.cut >= 0 else np.inf
