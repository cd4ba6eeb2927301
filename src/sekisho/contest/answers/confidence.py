"""Answer ``confidence``: for every known person how likely he is a member, from 0 to 1.

    score = share of members who are named when 1 % of the others are (TPR at FPR 0.01)

taken from the curve of both shares as the bound falls, straight between its points; people of equal confidence are one
point, so that a constant answer gets 0.01 whatever the order. Of all people and of the rare ones the larger counts. 0
where there is no member or nobody else.

Source: PWS Cup 2026, attack score (membership); Carlini et al., "Membership inference attacks from first principles",
IEEE S&P 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.parameters import checked

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConfidenceScore:
    """What an answer came to: of all, of the rare (None where none of them is a member), and the area of the curve."""

    of_all: float
    of_rare: float | None
    area: float

    @property
    def value(self) -> float:
        """What counts."""
        return max(self.of_all, self.of_rare or 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class ConfidenceAnswer:
    """Answers about so many people and several targets, a column each.

    Attributes:
        person: the column that names people.
        people: as many.
        falsely: the share of others at which the members named are counted.
    """

    person: str
    people: int
    falsely: float = 0.01

    def read(self, path: Path, targets: tuple[str, ...], people: pl.Series) -> pl.DataFrame:
        """Return the confidences, a column each target.

        Raises:
            FaultsError: it breaks the rules; all faults at once.
        """
        rules = {name: CellRules(least=0, most=1) for name in targets} | {self.person: CellRules(known=True)}
        part = PartTable(columns=(self.person, *targets), rows=self.people, cells=rules)
        table = part.read(path, original=pl.DataFrame([people.cast(pl.String).alias(self.person)]))
        order = pl.DataFrame({self.person: people.cast(pl.String)})
        return order.join(table, on=self.person, how="left", maintain_order="left").select(
            pl.col(name).cast(pl.Float64).fill_null(0.0) for name in targets
        )

    def score(self, confidence: Floats, member: Flags, rare: Flags | None = None) -> ConfidenceScore:
        """Return what the confidences about one target came to."""
        share, area = find_share(confidence, member, self.falsely)
        few = None
        if rare is not None and (member & rare).any():
            few, _ = find_share(confidence[rare], member[rare], self.falsely)
        return ConfidenceScore(of_all=share, of_rare=few, area=area)


def find_share(confidence: Floats, member: Flags, falsely: float) -> tuple[float, float]:
    """Return the share of members named when so large a share of the others is, and the area under the curve."""
    members, others = int(member.sum()), int((~member).sum())
    if not members or not others:
        return 0.0, 0.5
    _, level = np.unique(-confidence, return_inverse=True)
    right = np.concatenate([[0.0], np.cumsum(np.bincount(level, weights=member)) / members])
    wrong = np.concatenate([[0.0], np.cumsum(np.bincount(level, weights=~member)) / others])
    return float(np.interp(falsely, wrong, right)), float(np.trapezoid(right, wrong))
