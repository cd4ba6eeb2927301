"""Two tables of one population at two times, of which some people left and others came in between.

Everybody else stands in the same cell both times, so with ``stay``, ``left`` and ``came`` not below 0,

    earlier = stay + left,   later = stay + came,

cell by cell, and how many left and came in all is known. Whoever reads both tables knows these equations. The cells of
the three are published nowhere; what they hold here is one possibility, not the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array, vstack

from sekisho.errors import ParameterError
from sekisho.tables.model.exact_sums import subtract_exactly
from sekisho.tables.model.table import Floats, Status, Table
from sekisho.tables.solvers.highs import Program, SolveStatus
from sekisho.words import Said

NODES = 10_000
"""How many cases are tried for whole numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turnover:
    """How many people left and came between two times.

    Attributes:
        earlier: the population at the first time.
        later: the same at the second.
        left: how many left.
        came: how many came.
    """

    earlier: str
    later: str
    left: int
    came: int

    def __post_init__(self) -> None:
        for name, value in (("left", self.left), ("came", self.came)):
            if value < 0:
                raise ParameterError(name, Said("be at least 0"), value)

    @property
    def names(self) -> tuple[str, str, str]:
        """What those who stay, left and came are called."""
        stay, left, came = (f"{word}: {self.earlier}, {self.later}" for word in ("stay", "left", "came"))
        return stay, left, came

    def split(self, earlier: Table, later: Table) -> tuple[Table, Table, Table]:
        """Return a possible table of those who stay, of those who left and of those who came.

        Raises:
            ParameterError: a table lacks its grand total, or so many cannot have left and come.
        """
        total = _find_total(earlier)
        stays = earlier.value[total] - self.left
        if stays != later.value[total] - self.came:
            rule = Said(
                "explain the totals {earlier:g} and {later:g}", earlier=earlier.value[total], later=later.value[total]
            )
            raise ParameterError("overlap", rule, f"{self.left}, {self.came}")
        stay = _find_stay(earlier, later, total, stays)
        if stay is None:
            rule = Said("be so many that the two tables can be of the people who stay and of them")
            raise ParameterError("overlap", rule, f"{self.left}, {self.came}")
        left, came = (subtract_exactly(table.value, stay[None, :]) for table in (earlier, later))
        return (
            _hide(earlier, stay),
            _hide(earlier, left, total=total),
            _hide(earlier, came, total=total),
        )


def _find_total(table: Table) -> int:
    if table.margins not in table.position:
        raise ParameterError("overlap", Said("be said of tables with their grand total"), ", ".join(table.margins))
    return table.position[table.margins]


def _find_stay(earlier: Table, later: Table, total: int, stays: float) -> Floats | None:
    """Return a table that lies below both and has the total; whole where they are."""
    size = len(earlier)
    one = csr_array(([1.0], ([0], [total])), shape=(1, size))
    right = np.append(np.zeros(earlier.matrix.shape[0]), stays)
    upper = np.minimum(earlier.value, later.value)
    if (upper < 0).any() or stays < 0:
        return None
    whole = earlier.whole and later.whole
    program = Program(
        cost=np.zeros(size),
        lower=np.zeros(size),
        upper=upper,
        rows=csr_array(vstack([earlier.matrix, one])),
        row_lower=right,
        row_upper=right,
        whole=np.ones(size, dtype=np.bool_) if whole else None,
    )
    if whole:
        program.limit(nodes=NODES)
    solution = program.solve()
    if solution.status is not SolveStatus.OPTIMAL and not (whole and solution.x.size):
        return None
    return np.rint(solution.x) if whole else solution.x


def _hide(table: Table, value: Floats, *, total: int = -1) -> Table:
    """Return cells that nobody publishes; everybody knows the total, where one is said."""
    size = len(table)
    nothing = np.zeros(size)
    known = np.arange(size) == total
    return replace(
        table,
        value=value,
        weight=nothing,
        frequency=np.maximum(np.rint(value), 0).astype(np.int64),
        status=np.where(known, np.int8(Status.PUBLISH), np.int8(Status.SECONDARY)),
        lower=nothing,
        upper=np.full(size, np.inf),
        lower_level=nothing,
        upper_level=nothing,
        sliding_level=nothing,
        largest=np.zeros((size, 0)),
    )
