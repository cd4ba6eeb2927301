"""The slow obvious way: the cheapest of all k-anonymous releases of a tiny history, by trying them all.

A release is k-anonymous if every published history is the same for k or more pseudonyms; a customer without a published
row is deleted. Tried are all partitions of the customers into deleted ones and groups of k or more of any size, all
ways to align their rows in any number of slots, for each slot and number all ranges and ``*``. ``beyond`` says whether
ranges may reach outside the column's smallest and largest value. Nothing is shared with src.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
from tests.shopping import Line, shop

from sekisho.data.frame.dataset import Dataset
from sekisho.seeds import Seed

CELLS = 4


def draw_history(seed: int, people: int, most: int, *, wide: int = 9, items: int = 4) -> Dataset:
    """Return a history of a few customers with few rows and small numbers."""
    rng = Seed(seed).rng()
    lines: list[Line] = []
    for person in range(people):
        for _ in range(int(rng.integers(1, most + 1))):
            day, price, units = (int(value) for value in rng.integers(1, wide + 1, 3))
            lines.append((f"c{person:02d}", day, f"i{rng.integers(items)}", price, units))
    return shop(lines)


class EveryRelease:
    """All releases of one history."""

    def __init__(self, data: Dataset, *, max_set: int = 100, beyond: bool = False) -> None:
        self._max_set, self._beyond = max_set, beyond
        self._numbers = [[int(value) for value in data.grid(name)] for name in ("date", "price", "quantity")]
        self._items = data.codes("item").tolist()
        owner = data.codes("customer").tolist()
        self._rows = [[row for row, one in enumerate(owner) if one == person] for person in range(max(owner) + 1)]
        self.slot = cache(self._slot)
        self.group = cache(self._group)
        self._range = cache(self._cheapest_range)

    @property
    def people(self) -> int:
        """How many customers there are."""
        return len(self._rows)

    def find_cheapest(self, k: int) -> float:
        """Return U of the cheapest k-anonymous release."""
        whole = CELLS * sum(map(len, self._rows))
        return min(self._sum_costs(blocks) for blocks in _blocks(tuple(range(self.people)), k)) / whole

    def _sum_costs(self, blocks: tuple[tuple[int, ...], ...]) -> float:
        kept = {person for block in blocks for person in block}
        deleted = sum(CELLS * len(rows) for person, rows in enumerate(self._rows) if person not in kept)
        return deleted + sum(self.group(block) for block in blocks)

    def _group(self, people: tuple[int, ...]) -> float:
        first, *others = (tuple(self._rows[person]) for person in people)

        @cache
        def rest(place: int, free: tuple[tuple[int, ...], ...]) -> float:
            """Return the least cost of the first member's rows from a place on and of the others' free rows."""
            if place == len(first):
                return float(CELLS * sum(map(len, free)))
            least = CELLS + rest(place + 1, free)
            for chosen in product(*free):
                left = tuple(tuple(row for row in rows if row != one) for rows, one in zip(free, chosen, strict=True))
                least = min(least, self.slot(tuple(sorted((first[place], *chosen)))) + rest(place + 1, left))
            return least

        return rest(0, tuple(others))

    def _slot(self, rows: tuple[int, ...]) -> float:
        kinds = len({self._items[row] for row in rows})
        total = len(rows) * (1 - 1 / kinds) if kinds <= self._max_set else float(len(rows))
        for column in range(len(self._numbers)):
            total += self._range(column, tuple(sorted(self._numbers[column][row] for row in rows)))
        return total

    def _cheapest_range(self, column: int, values: tuple[int, ...]) -> float:
        everyone = self._numbers[column]
        deviation, reach = float(np.std(everyone)), max(everyone) - min(everyone) if self._beyond else 0
        low = np.arange(min(everyone) - reach, values[0] + 1)[:, None]
        high = np.arange(values[-1], max(everyone) + reach + 1)[None, :]
        # The distances from x to low..high are 0, 1, ..., x - low and 1, ..., high - x.
        away = sum((one - low) * (one - low + 1) / 2 + (high - one) * (high - one + 1) / 2 for one in values)
        mean = away / (high - low + 1)
        error = mean / deviation if deviation > 0 else np.where(mean > 0, len(values), 0)
        return min(float(len(values)), float(error.min()))


def _blocks(people: tuple[int, ...], k: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield all ways to put some people into groups of k or more and to leave the others out."""
    if not people:
        yield ()
        return
    head, rest = people[0], people[1:]
    yield from _blocks(rest, k)
    for mask in range(1 << len(rest)):
        block = (head, *(one for bit, one in enumerate(rest) if mask >> bit & 1))
        if len(block) >= k:
            left = tuple(one for bit, one in enumerate(rest) if not mask >> bit & 1)
            yield from (((block, *others)) for others in _blocks(left, k))
