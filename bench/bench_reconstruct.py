"""People rebuilt from tables: the whole report of many blocks, beside the same questions as mixed programs alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.seeds import Seed
from sekisho.tables.reconstruct.people import BlockData, PeopleSystem, Reconstructor
from sekisho.tables.reconstruct.programs import find_farthest_whole, find_fewest_whole, find_pair_whole
from spec import Case

Wholes = NDArray[np.int64]
SHAPE, PEOPLE, BLOCKS, PART = (2, 6, 5, 2), 30, 1000, 50
SEX, AGE, RACE, ORIGIN = np.indices(SHAPE).reshape(4, -1)
SETS: Mapping[str, tuple[Wholes, ...]] = {
    "three tables": (
        (SEX * 6 + AGE) * 5 + RACE,
        (RACE * 2 + ORIGIN) * 2 + (AGE >= 2),
        (SEX * 6 + AGE) * 2 + ORIGIN,
    ),
    "two tables": ((SEX * 6 + AGE) * 5 + RACE, (RACE * 2 + ORIGIN) * 2 + (AGE >= 2)),
    "two weak tables": ((SEX * 6 + AGE) * 2 + (RACE == 0), (RACE * 2 + ORIGIN) * 2 + (AGE >= 2)),
    "two weakest tables": (SEX * 6 + AGE, RACE * 2 + ORIGIN),
}
"""Published of people by sex 2, age 6, race 5 and origin 2."""


def make_blocks() -> Wholes:
    """Return joint histograms of blocks of 30 people."""
    rng, cells = Seed(7).rng(), int(np.prod(SHAPE))
    return np.array([rng.multinomial(PEOPLE, rng.dirichlet(np.full(cells, 0.3))) for _ in range(BLOCKS)])


def make_rows(keys: tuple[Wholes, ...]) -> Wholes:
    """Return a row for each published cell."""
    return np.vstack([key[None, :] == np.arange(key.max() + 1)[:, None] for key in keys]).astype(np.int64)


def ask_programs(system: PeopleSystem, counts: Wholes, truth: Wholes) -> None:
    """Ask every question of every block of a mixed program: each cell's least, the farthest, the widest pair."""
    lows, highs = system.fill_bounds(counts, counts)
    for low, high, people in zip(lows, highs, truth, strict=True):
        block = BlockData(system, low, high)
        if not len(block.cells):  # the rows settle everything
            continue
        for cell in range(len(block.cells)):
            find_fewest_whole(block.program, cell, 60.0)
        find_farthest_whole(block.program, people[block.cells], 60.0)
        find_pair_whole(block.program, PEOPLE, 60.0)


def cases() -> Iterator[Case]:
    """Yield the work."""
    blocks = make_blocks()
    for name, keys in SETS.items():
        rows = make_rows(keys)
        system, counts = PeopleSystem.of(csr_array(rows)), blocks @ rows.T
        yield Case(
            work=f"people from {name}, whole report",
            size=f"{BLOCKS:,} blocks of {PEOPLE}",
            ours=lambda system=system, counts=counts: list(
                Reconstructor().answer_blocks(system, counts, counts, blocks)
            ),
            reference=f"mixed programs, 1 block in {PART}",
            other=lambda system=system, counts=counts: ask_programs(system, counts[::PART], blocks[::PART]),
            repeat=1,
            part=PART,
        )
