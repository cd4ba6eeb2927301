"""Global recoding with the least loss, beside a look at every vector of levels."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import parse_wide
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.seeds import Seed
from spec import Case

SIZES = {"age": 64, "school": 16, "home": 8, "work": 16, "land": 32, "sex": 2}
"""How many values each key has; its tree halves them from level to level."""
RECORDS = 30_000
K, ROOM = 5, Fraction(1, 50)


def halving_tree(size: int) -> Tree:
    """Return a tree in which every label has two below it."""
    height = size.bit_length() - 1
    return parse_wide([[f"{level}:{value >> level}" for level in range(height + 1)] for value in range(size)])


def people() -> Dataset:
    """Return records whose values are unevenly frequent."""
    rng = Seed(8).rng()
    drawn = {name: np.minimum(rng.geometric(min(0.6, 4 / size), RECORDS) - 1, size - 1) for name, size in SIZES.items()}
    frame = pl.DataFrame({name: [f"0:{value}" for value in values] for name, values in drawn.items()})
    return Dataset(frame, Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in SIZES)))


def look_at_all(data: Dataset) -> float:
    """Return the least loss by grouping the records under every vector."""
    codes = np.stack([data.frame[name].str.slice(2).cast(pl.Int64).to_numpy() for name in SIZES])
    best, sizes = np.inf, list(SIZES.values())
    for vector in product(*(range(size.bit_length()) for size in sizes)):
        key = np.zeros(len(data), dtype=np.int64)
        for column, level, size in zip(codes, vector, sizes, strict=True):
            key = key * size + (column >> level)
        _, owner, counts = np.unique(key, return_inverse=True, return_counts=True)
        small = int(counts[counts < K].sum())
        if small <= ROOM * len(data):
            cell = sum((2**level - 1) / (size - 1) for level, size in zip(vector, sizes, strict=True)) / len(sizes)
            best = min(best, cell + small / len(data) * (1 - cell))
        del owner
    return best


def cases() -> Iterator[Case]:
    """Yield the work."""
    data = people()
    method = Lattice(
        keys=tuple(SIZES), k=K, suppress=ROOM, tree={name: halving_tree(size) for name, size in SIZES.items()}
    )
    yield Case(
        work="global recoding of least loss, k = 5",
        size="30,000 records, 5,040 vectors",
        ours=lambda: method.apply(data, rng=Seed(1).rng()),
        reference="numpy at every vector",
        other=lambda: look_at_all(data),
    )
