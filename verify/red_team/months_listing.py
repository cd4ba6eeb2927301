"""Small months of histories, and who could be who by listing every assignment of pseudonyms.

The plain reference of ``sekisho.attack.history.composition``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedBlock:
    """Of each customer the pseudonyms that fit, those in some assignment, and the likeliest one's chance."""

    candidates: list[int]
    roster: list[int]
    best: list[Fraction]
    explanations: int


def list_block(fits: list[NDArray[np.bool_]]) -> ListedBlock:
    """Return what a block of months leaves possible."""
    joint = np.logical_and.reduce(fits)
    people, names = joint.shape
    lines = [line for line in permutations(range(names), people) if all(joint[who, at] for who, at in enumerate(line))]
    ways = np.zeros((people, names), dtype=np.int64)
    for line in lines:
        ways[np.arange(people), list(line)] += 1
    return ListedBlock(
        candidates=joint.sum(axis=1).tolist(),
        roster=(ways > 0).sum(axis=1).tolist(),
        best=[Fraction(int(each.max()), len(lines)) for each in ways] if lines else [],
        explanations=len(lines),
    )


def draw_months(rng: np.random.Generator) -> tuple[list[NDArray[np.bool_]], list[list[int]]]:
    """Return a few months in which everybody fits his own pseudonym, and blocks of them, drawn by chance."""
    people, months = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    names = people + int(rng.random() < 0.2)
    fits: list[NDArray[np.bool_]] = []
    for _ in range(months):
        fit = rng.random((people, names)) < 0.5
        fit[np.arange(people), np.arange(people)] = True
        fits.append(fit)
    numbers = rng.integers(0, 2, months).tolist()
    blocks = [[place for place, each in enumerate(numbers) if each == number] for number in dict.fromkeys(numbers)]
    return fits, blocks
