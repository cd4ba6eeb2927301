"""What the adversaries share who read generalised cells: what they know of whom, and how a claim is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from sekisho.attack.guess import Guess, name_people
from sekisho.attack.records.cell_linkage import CellLinkage
from sekisho.attack.records.single_match import draw_known_rows
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Abilities, Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAdversary:
    """He knows some columns of some people and looks for their rows."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(reads_cells=True)
    reach: ClassVar[float]
    """How far from a person the rows may be that he names."""

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that he knows, a,b,c; all that are published if none."}
    )
    known: int | None = field(
        default=None, metadata={"help": "How many of the given records he knows, drawn by chance; all if not given."}
    )
    tree: Mapping[str, Path | Tree] | None = field(
        default=None, metadata={"help": "What labels in a file mean: name=FILE, a tree as node,parent or leaf;level…"}
    )

    def __post_init__(self) -> None:
        if self.known is not None and self.known < 1:
            raise ParameterError("known", Said("be at least 1"), self.known)

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return one claim for each person of whom rows are within his reach, one of the nearest by chance."""
        require_one_row(knowledge)
        rows = draw_known_rows(len(knowledge), self.known, rng=rng)
        mine = Dataset(knowledge.frame[rows], knowledge.schema)
        nearest = CellLinkage.of(release, mine, self.keys).find_nearest(rng=rng, reach=self.reach)
        named = np.flatnonzero(nearest.count > 0)
        return Guess(
            published=nearest.row[named],
            person=name_people(knowledge, rows[named]),
            chance=1.0 / nearest.count[named],
            detail={
                "known": len(rows),
                "single": int((nearest.count == 1).sum()),
                "rows_each": float(nearest.count[named].mean()) if len(named) else 0.0,
            },
        )
