"""Rank swapping: each value changes places with one whose rank is at most p per cent of the records away.

Column by column, by itself: the records stand in the order of their values (equal values in a random order); from the
least on, a value that has not moved yet changes places with one drawn evenly from those not moved yet among the next p
per cent. A value of which all of these have moved stays. A missing cell has no rank and stays missing; the others are
ranked among themselves.

Against whom: one who looks for a record by its exact values, or by being nearest in rank; what p is needed is a
question of attacks. Nothing provable is promised: ranks are off by at most p per cent, which itself is information, and
one who knows p can intersect the ranges of several columns. Every column keeps its values exactly; relations between
columns weaken.

Source: Moore, "Controlled data-swapping techniques for masking public use microdata sets", US Census Bureau 1996; Nin,
Herranz, Torra, "Rethinking rank swapping to decrease disclosure risk", DKE 64(1), 2008 (the attack).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, find_gaps
from sekisho.data.frame.dataset import Dataset, Role
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked
from sekisho.protect.records.record_release import ReleaseMaker, build_record_release
from sekisho.words import Said

PER_CENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RankSwap:
    """Let numbers change places with others whose rank is at most p per cent away (rank swapping).

    Every column keeps its values; nothing provable is promised.

    Example: `sekisho protect rankswap people.csv --keys age,income --p 5 --out R.csv`

    Source: Moore, US Census Bureau 1996.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    keys: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "The columns of numbers or dates that are swapped, a,b; all quasi-identifiers of numbers if none."
        },
    )
    p: float = field(default=5.0, metadata={"help": "How far ranks may move, in per cent of the records."})

    def __post_init__(self) -> None:
        if not 0 < self.p <= PER_CENT:
            raise ParameterError("p", Said("lie above 0 and be at most 100"), self.p)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the swapped records; none is deleted.

        Raises:
            FaultsError: keys are unknown or hold no numbers; all at once.
            ParameterError: there is no column of numbers.
        """
        require_one_row(data)
        reaches: list[int] = []
        columns: dict[str, Cells] = dict(exact_table(data).columns)
        changed: dict[str, float] = {}
        for name in _choose_numbers(data, self.keys):
            grid = data.grid(name)
            ranked = np.flatnonzero(~find_gaps(grid))
            reaches.append(int(self.p * len(ranked) / PER_CENT))
            order = ranked[np.lexsort((rng.random(len(ranked)), grid[ranked]))]
            swapped = grid.copy()
            swapped[order] = grid[order][_swap_ranks(len(order), reaches[-1], rng.random(len(order)))]
            columns[name] = RangeCells.exact(swapped)
            changed[name] = float((swapped != grid).mean()) if len(grid) else 0.0
        detail = {"reach": max(reaches), "changed_by_key": changed, "records": len(data)}
        table = MaskedTable(schema=data.schema, columns=columns)
        return build_record_release(table, np.zeros(len(data), dtype=np.bool_), ReleaseMaker("rankswap", self, detail))


def _choose_numbers(data: Dataset, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns to swap: those named, or all quasi-identifiers of numbers."""
    chosen = names or tuple(name for name in data.schema.with_role(Role.QUASI) if data.schema[name].kind.numeric)
    faults: list[Fault] = []
    for name in dict.fromkeys(chosen):
        reason = ""
        if name not in data.schema.names:
            reason = Said("{name} is no column; there are {names}", name=name, names=", ".join(data.schema.names))
        elif not data.schema[name].kind.numeric:
            reason = Said("{name} holds no numbers or dates, which have ranks", name=name)
        elif chosen.count(name) > 1:
            reason = Said("{name} is named twice", name=name)
        if reason:
            faults.append(Fault(row=0, column="--keys", rule="keys", value=name, message=reason))
    if faults:
        raise FaultsError(Said("options"), faults)
    if not chosen:
        raise ParameterError("keys", Said("name a column of numbers or dates"), "none")
    return chosen


@njit(cache=True, nogil=True)
def _swap_ranks(size: int, reach: int, chance: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return which rank's value each rank takes."""
    source, moved = np.arange(size), np.zeros(size, np.bool_)
    free = np.empty(reach, np.int64)
    for rank in range(size):
        if moved[rank]:
            continue
        count = 0
        for other in range(rank + 1, min(size, rank + reach + 1)):
            if not moved[other]:
                free[count] = other
                count += 1
        if count == 0:
            continue
        partner = free[int(chance[rank] * count)]
        source[rank], source[partner] = partner, rank
        moved[rank] = moved[partner] = True
    return source
