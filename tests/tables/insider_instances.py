"""Small tables whose contributors may know too much: counts of few people, and sums of which one gave the most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.tables.instances import grid

from sekisho.tables.model.table import TOTAL, Status, Table

SHAPES = ((2, 3), (3, 3), (2, 2, 2))
PLACES = 3


def counted(seed: int) -> Table:
    """Return counts in which cells of one or two people are unsafe; some margins are shown whatever happens."""
    rng = np.random.default_rng(seed)
    table = grid(SHAPES[seed % len(SHAPES)], rng, high=8)
    table = table.flag_cells((table.value > 0) & (table.value <= 2), sliding=float(rng.integers(1, 6)))
    return show_margins(table, rng, (0.0, 0.7, 0.7)[seed % len(SHAPES)])


def summed(seed: int) -> Table:
    """Return sums with the number of their contributors and the largest contributions.

    Cells of one or two are unsafe.
    """
    rng = np.random.default_rng(seed)
    table = grid(SHAPES[seed % len(SHAPES)], rng)
    inner = [cell for cell, key in enumerate(table.keys) if TOTAL not in key]
    gave = {table.keys[cell]: rng.integers(1, 20, int(rng.integers(1, 5))).tolist() for cell in inner}
    within = [[one for key, some in gave.items() if _inside(key, whole) for one in some] for whole in table.keys]
    largest = np.array([(sorted(some, reverse=True) + [0] * PLACES)[:PLACES] for some in within], dtype=np.float64)
    many = np.array([len(some) for some in within])
    table = replace(
        table, value=np.array([sum(some) for some in within], dtype=np.float64), frequency=many, largest=largest
    )
    reach = np.ceil(table.value * 0.2)
    table = table.flag_cells(many <= 2, upper=reach, lower=np.where(rng.random(len(table)) < 0.5, reach, 0.0))
    return show_margins(table, rng, 0.6)


def _inside(key: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return all(code in (own, TOTAL) for own, code in zip(key, whole, strict=True))


def show_margins(table: Table, rng: np.random.Generator, share: float) -> Table:
    """Return a table with a share of its safe margins shown whatever happens."""
    margin = np.array([TOTAL in key for key in table.keys]) & (table.status == Status.SAFE)
    shown = margin & (rng.random(len(table)) < share)
    return replace(table, status=np.where(shown, np.int8(Status.PUBLISH), table.status))
