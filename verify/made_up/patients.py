"""Patients of a made-up register over the months: some leave, others come, some move or change their work, all age."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.seeds import Seed

WORKS = ("none", "office", "factory", "shop", "farm", "school", "care", "other")
TOWNS, REGION, ILLNESSES = 30, 5, 12
YOUNGEST, AGES = 20, 80
LEAVE, MOVE = 0.02, 0.005
"""Shares a month: of those who leave (as many come), and of those who move, or change their work."""
KEYS = ("age", "sex", "town", "work")
SENSITIVE = "illness"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Month:
    """Who is there in a month, in the file's order.

    Attributes:
        number: of each the number that he has for ever.
        frame: what the file says.
    """

    number: NDArray[np.int64]
    frame: pl.DataFrame


def draw_months(people: int, months: int, seed: Seed) -> list[Month]:
    """Return so many people month by month; rare towns and rare illnesses are rare."""
    rng = seed.child("patients").rng()
    leave = round(people * LEAVE)
    total = people + leave * months
    births, sexes = rng.integers(0, AGES * 12, total), rng.choice(["f", "m"], total)
    towns = rng.choice(TOWNS, total, p=_fall(TOWNS, 0.7))
    works, ills = rng.integers(0, len(WORKS), total), rng.choice(ILLNESSES, total, p=_fall(ILLNESSES, 1.0))
    here = np.arange(total) < people
    drawn: list[Month] = []
    for month in range(months):
        if month:
            here[rng.choice(np.flatnonzero(here), leave, replace=False)] = False
            here[people + (month - 1) * leave :][:leave] = True
            moved, changed = rng.random(total) < MOVE, rng.random(total) < MOVE
            towns[moved] = rng.choice(TOWNS, int(moved.sum()), p=_fall(TOWNS, 0.7))
            works[changed] = rng.integers(0, len(WORKS), int(changed.sum()))
        who = rng.permutation(np.flatnonzero(here))
        frame = pl.DataFrame(
            {
                "id": [f"p{number:06}" for number in who.tolist()],
                "age": YOUNGEST + (births[who] + month) // 12,
                "sex": sexes[who],
                "town": [f"town{town:02}" for town in towns[who].tolist()],
                "work": [WORKS[work] for work in works[who].tolist()],
                "illness": [f"ill{ill:02}" for ill in ills[who].tolist()],
            }
        )
        drawn.append(Month(number=who.astype(np.int64), frame=frame))
    return drawn


def list_paths() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return by column and value the labels above it in its tree, the widest last."""
    ages = range(YOUNGEST, YOUNGEST + AGES + 2)
    return {
        "age": {str(age): (_name_ages(age, 5), _name_ages(age, 10), _name_ages(age, 20), "*") for age in ages},
        "sex": {"f": ("*",), "m": ("*",)},
        "town": {f"town{town:02}": (f"region{town // REGION}", "*") for town in range(TOWNS)},
        "work": dict.fromkeys(WORKS, ("*",)),
    }


def _name_ages(age: int, width: int) -> str:
    low = age // width * width
    return f"{low}-{low + width - 1}"


def _fall(size: int, power: float) -> NDArray[np.float64]:
    shares = 1 / np.arange(1, size + 1) ** power
    return shares / shares.sum()
