"""Answer ``confidence``: for every known person how likely he is a member, from 0 to 1.

    score = share of members who are named when 1 % of the others are (TPR at FPR 0.01)

taken from the curve of both shares as the bound falls, straight between its points; people of equal confidence are one
point, so that a constant answer gets 0.01 whatever the order. Of all people and of the rare ones the larger counts. 0
where there is no member or nobody else.

Few members are named by luck, too. With ``luck`` the share that 95 % of the permutations of who is a member do not
exceed, of all and of the rare each, beta the larger of both shares less their luck, and f the share of others, the risk
of the release is

    clip((beta/f - 1)/11, 0, 1)

Source: PWS Cup 2026, attack score (membership); Carlini et al., "Membership inference attacks from first principles",
IEEE S&P 2022.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.fault_notes import CELL
from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.parameters import checked
from sekisho.words import Said

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
CONFIDENCE = "confidence"
BLOCK = 1000
"""So many permutations are looked at together."""


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskOfMembers:
    """What an answer came to, what of it, of all, is luck, and the release's risk."""

    score: ConfidenceScore
    luck: float
    risk: float


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class ConfidenceAnswer:
    """Answers about so many people.

    Attributes:
        person: the column that names people.
        people: as many.
        falsely: the share of others at which the members named are counted.
        permutations: by how many luck is estimated.
        quantile: of them that luck does not exceed.
        span: so many shares of others, beyond the first, lie between no risk and certainty.
    """

    person: str
    people: int
    falsely: float = 0.01
    permutations: int = 20_000
    quantile: float = 0.95
    span: float = 11.0

    @property
    def form(self) -> PartTable:
        """The file an answer is."""
        rules = {CONFIDENCE: CellRules(least=0, most=1), self.person: CellRules(known=True)}
        return PartTable(columns=(self.person, CONFIDENCE), rows=self.people, cells=rules)

    def read(self, path: Path, people: pl.Series) -> Floats:
        """Return the confidences in the order of the people.

        Raises:
            FaultsError: it breaks the rules; all faults at once.
        """
        order = pl.DataFrame({self.person: people.cast(pl.String)})
        sheet = self.form.note(path, original=order)
        named = sheet.cells[self.person]
        message = Said("{name} {value} stands there more than once", name=self.person, value=CELL)
        sheet.notes.note((~named.is_first_distinct()).to_numpy(), self.person, "repeated", named, message)
        sheet.notes.raise_faults()
        told = order.join(sheet.cells[1:], on=self.person, how="left", maintain_order="left")
        return told[CONFIDENCE].cast(pl.Float64).to_numpy()

    def draw(self, people: pl.Series, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return an answer drawn at random: the baseline."""
        return self.write(people, rng.random(len(people)))

    def write(self, people: pl.Series, confidence: Floats) -> pl.DataFrame:
        """Return confidences as an answer."""
        texts = [f"{value:.6f}" for value in np.clip(confidence, 0, 1).tolist()]
        return pl.DataFrame({self.person: people.cast(pl.String), CONFIDENCE: texts})

    def find_risk(self, confidence: Floats, member: Flags, rare: Flags, *, rng: np.random.Generator) -> RiskOfMembers:
        """Return what an answer came to, what of it is luck, and the release's risk."""
        score = self.score(confidence, member, rare)
        kinds = [np.ones(len(member), dtype=np.bool_)] + ([rare] if score.of_rare is not None else [])
        luck = np.zeros(len(kinds))
        if self.permutations and 0 < member.sum() < len(member):
            shares = draw_shares(confidence, member, kinds, self.falsely, self.permutations, rng=rng)
            luck = np.quantile(shares, self.quantile, axis=1)
        corrected = max(score.of_all - luck[0], *((score.of_rare or 0.0) - each for each in luck[1:]), 0.0)
        risk = float(np.clip((corrected / self.falsely - 1) / self.span, 0, 1))
        return RiskOfMembers(score=score, luck=float(luck[0]), risk=risk)

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


def draw_shares(
    confidence: Floats, member: Flags, kinds: list[Flags], falsely: float, draws: int, *, rng: np.random.Generator
) -> Floats:
    """Return the shares of some kinds of people, a row each, as :func:`find_share` has them, for permutations."""
    shares = np.zeros((len(kinds), draws))
    for start in range(0, draws, BLOCK):
        rows = min(BLOCK, draws - start)
        labels = rng.permuted(np.broadcast_to(member, (rows, len(member))), axis=1)
        for place, kind in enumerate(kinds):
            shares[place, start : start + rows] = _find_shares(confidence[kind], labels[:, kind], falsely)
    return shares


def _find_shares(confidence: Floats, members: Flags, falsely: float) -> Floats:
    """Return the share of members named for each row of who is one; 0 where all or none are."""
    order = np.argsort(-confidence, kind="stable")
    ends = np.flatnonzero(np.diff(-confidence[order], append=np.inf))
    right = np.cumsum(members[:, order], axis=1)[:, ends]
    wrong = ends + 1 - right
    count = right[:, -1:]
    others = len(confidence) - count
    right, wrong = (np.pad(each, ((0, 0), (1, 0))) for each in (right, wrong))
    below = wrong <= falsely * others
    place = np.minimum(below.sum(axis=1) - 1, right.shape[1] - 2)
    rows = np.arange(len(members))
    low, high = wrong[rows, place], wrong[rows, place + 1]
    step = np.where(high > low, (falsely * others[:, 0] - low) / np.maximum(high - low, 1), 1.0)
    named = right[rows, place] + np.clip(step, 0, 1) * (right[rows, place + 1] - right[rows, place])
    known = (count[:, 0] > 0) & (others[:, 0] > 0)
    return np.where(known, named / np.maximum(count[:, 0], 1), 0.0)
