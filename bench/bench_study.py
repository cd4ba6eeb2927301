"""Use cases of a release: drawing and measuring concrete data, beside dense matrices, counted baskets, plain draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import ceil

import numpy as np

from sekisho.data.frame.concrete_draws import Draws
from sekisho.data.frame.release import Release
from sekisho.data.history.purchases import Purchases
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.history.study import UseCases
from sekisho.protect.history.coarsen import Coarsen
from sekisho.seeds import Seed
from sekisho.utility.history.item_sets import FrequentItemSets
from sekisho.utility.history.similarity import ItemSimilarity, View
from spec import Case

SUPPORT = Fraction(1, 100)


def dense_similarity(original: Purchases, sample: Purchases) -> float:
    """Return the retail error by dense matrices."""
    matrices: list[np.ndarray[tuple[int, int], np.dtype[np.float64]]] = []
    for purchases in (original, sample):
        totals = np.zeros((purchases.people, len(purchases.items)))
        np.add.at(totals, (purchases.person, purchases.item), purchases.quantity)
        totals[totals > 11] = 0
        lengths = np.sqrt((totals**2).sum(axis=0))
        lengths[lengths == 0] = 1
        scaled = totals / lengths
        matrices.append(scaled.T @ scaled)
        np.fill_diagonal(matrices[-1], 0)
    similar = matrices[0] > 0
    return min(1.0, float(np.abs(matrices[0] - matrices[1])[similar].sum() / matrices[0].sum()))


def counted_sets(original: Purchases, sample: Purchases) -> float:
    """Return the error of the item sets of up to two items by counting every pair of every basket."""
    counts: list[Counter[tuple[int, ...]]] = []
    sizes: list[int] = []
    for purchases in (original, sample):
        baskets: dict[tuple[int, int], set[int]] = {}
        rows = zip(purchases.person.tolist(), purchases.date.tolist(), purchases.item.tolist(), strict=True)
        for person, day, item in rows:
            baskets.setdefault((person, day), set()).add(item)
        parts = (part for basket in baskets.values() for size in (1, 2) for part in combinations(sorted(basket), size))
        counts.append(Counter(parts))
        sizes.append(len(baskets))
    fewest = ceil(SUPPORT * sizes[0])
    frequent = [part for part, times in counts[0].items() if times >= fewest]
    return 1 - sum(counts[1][part] >= fewest for part in frequent) / len(frequent)


def cell_by_cell(release: Release) -> list[list[int]]:
    """Return one sample drawn cell by cell."""
    rng = Seed(1).rng()
    table, kept = release.table, np.flatnonzero(~release.deleted).tolist()
    drawn = [
        [int(rng.integers(low, high + 1)) for low, high in zip(cells.lower[kept], cells.upper[kept], strict=True)]
        for cells in map(table.numbers, ("date", "price", "quantity"))
    ]
    sets = table.sets("item")
    return [*drawn, [int(rng.choice(sets.codes[sets.offsets[row] : sets.offsets[row + 1]])) for row in kept]]


def cases() -> Iterator[Case]:
    """Yield drawing, the two heavy use cases, and all of them together."""
    data = SyntheticHistory().draw(rng=Seed(1).rng())
    release = Coarsen().apply(data, rng=Seed(2).rng())
    draws, original = Draws.of(data, release), Purchases.of(data)
    sample = Purchases.draw(draws, rng=Seed(3).rng())
    size = f"{len(data):,} rows, 1,000 people"
    yield Case(
        work="draw concrete data",
        size=size,
        ours=lambda: draws.draw_columns(rng=Seed(1).rng()),
        reference="numpy, cell by cell",
        other=lambda: cell_by_cell(release),
    )
    similarity = ItemSimilarity(view=View.RETAIL)
    yield Case(
        work="item similarity, both sides",
        size=size,
        ours=lambda: similarity.build_reference(original).error(sample),
        reference="dense numpy",
        other=lambda: dense_similarity(original, sample),
    )
    reference = similarity.build_reference(original)
    yield Case(work="item similarity, one more sample", size=size, ours=lambda: reference.error(sample))
    sets = FrequentItemSets(support=SUPPORT, largest=2)
    yield Case(
        work="item sets up to two, both sides",
        size=size,
        ours=lambda: sets.build_reference(original).error(sample),
        reference="Python, every pair counted",
        other=lambda: counted_sets(original, sample),
    )
    yardsticks = UseCases().against(original)
    yield Case(
        work="one sample, all use cases and statistics",
        size=size,
        ours=lambda: yardsticks.errors(Purchases.draw(draws, rng=Seed(1).rng())),
    )
