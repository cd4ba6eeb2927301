"""Which blocks a pass searches, how long each, and with which randomness: decided from a few numbers about each person.

The first pass cuts the people; the next cut the *groups* that there are, elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.protect.history.blocks.block import list_members
from sekisho.protect.history.blocks.cut import Units, cut_blocks
from sekisho.seeds import Seed

SHARES = (None, 1 / 3)
"""Where the passes cut: the first makes full blocks, the second has its borders elsewhere, and smaller blocks."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassTerms:
    """What each block of a pass is told beside its rows.

    Attributes:
        number: which pass it is, from 0.
        k: least people of a group.
        efforts: how long each block is searched, in row-to-slot costs.
        seed: of the search.
    """

    number: int
    k: int
    efforts: NDArray[np.float64]
    seed: Seed

    def find_seed(self, block: int) -> int:
        """Return the seed of a block."""
        return self.seed.child(f"pass {self.number} block {block}").value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassPlan:
    """A pass over all people: those of each block, in their order, what each is told, and its rows as units of work."""

    blocks: list[NDArray[np.int64]]
    terms: PassTerms
    work: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockPlanner:
    """Plans passes.

    Attributes:
        people: everybody.
        k: least people of a group.
        size: most people of a block, a multiple of k.
        effort: of all passes, in row-to-slot costs.
        seed: of the randomness.
    """

    people: Units
    k: int
    size: int
    effort: float
    seed: Seed

    def plan_pass(self, number: int, group: NDArray[np.int64] | None) -> PassPlan:
        """Return a pass.

        Args:
            number: which.
            group: each person's group so far; None before the first pass.
        """
        if group is None:
            blocks = cut_blocks(self.people, size=self.size, k=self.k, share=SHARES[number])
        else:
            members = list_members(group)
            units = cut_blocks(self.people.join(group), size=self.size, k=self.k, share=SHARES[number])
            blocks = [np.concatenate([members[each] for each in block]) for block in units]
        work = np.array([float((self.people.rows[block] ** 2).sum()) for block in blocks])
        efforts = self.effort * work / max(1.0, float(work.sum())) / max(1, len(SHARES) - 1)
        terms = PassTerms(number=number, k=self.k, efforts=efforts, seed=self.seed)
        rows = np.array([float(self.people.rows[block].sum()) for block in blocks])
        return PassPlan(blocks=blocks, terms=terms, work=rows)
