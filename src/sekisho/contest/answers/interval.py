"""Answer ``interval``: for every challenged person a time, right within a tolerance.

Members of the target are mixed with controls who are like them; with p_m and p_c the shares of right answers:

    R = (p_m - p_c)/(1 - p_c), clipped to 0..1

so that what can be told without the release counts nothing. Among the rare, who are few, 1.64 standard errors are taken
off the numerator. The larger of both counts.

Source: PWS Cup 2026, attack score (attribute); the controls as in Giomi et al., "A unified framework for quantifying
privacy risk in synthetic data", PoPETs 2023.
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
CHALLENGE, TIME = "challenge_row_id", "time_hat"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IntervalScore:
    """What an answer came to.

    Attributes:
        members: share of members answered rightly.
        controls: share of controls.
        of_all: R of all.
        of_rare: R of the rare less the standard errors; None where there are no rare members or controls.
        of_rare_raw: the same without.
    """

    members: float
    controls: float
    of_all: float
    of_rare: float | None
    of_rare_raw: float | None

    @property
    def value(self) -> float:
        """What counts."""
        return max(self.of_all, self.of_rare or 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class IntervalAnswer:
    """Answers about so many challenges a target.

    Attributes:
        challenges: as many.
        tolerance: how near a time must be.
        errors: how many standard errors are taken off among the rare.
    """

    challenges: int
    tolerance: float = 0.5
    errors: float = 1.64

    @property
    def form(self) -> PartTable:
        """The file an answer is; challenges may be left out."""
        rules = {CHALLENGE: CellRules(whole=True, least=0, most=self.challenges - 1), TIME: CellRules(least=0)}
        return PartTable(columns=(CHALLENGE, TIME), cells=rules)

    def read(self, path: Path) -> Floats:
        """Return the times told by challenge; NaN where nothing is told.

        Raises:
            FaultsError: it breaks the rules; all faults at once.
        """
        sheet = self.form.note(path)
        named = sheet.cells[CHALLENGE]
        message = Said("{name} {value} stands there more than once", name=CHALLENGE, value=CELL)
        sheet.notes.note((~named.is_first_distinct()).to_numpy(), CHALLENGE, "repeated", named, message)
        sheet.notes.raise_faults()
        told = np.full(self.challenges, np.nan)
        told[sheet.cells[CHALLENGE][1:].cast(pl.Int64).to_numpy()] = sheet.cells[TIME][1:].cast(pl.Float64).to_numpy()
        return told

    def draw(self, most: float, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return an answer drawn at random: the baseline."""
        return self.write(most * rng.random(self.challenges))

    def write(self, times: Floats) -> pl.DataFrame:
        """Return times as an answer."""
        texts = [f"{time:.3f}" for time in np.maximum(times, 0).tolist()]
        return pl.DataFrame({CHALLENGE: np.arange(self.challenges).astype(str), TIME: texts})

    def score(self, told: Floats, time: Floats, member: Flags, rare: Flags) -> IntervalScore:
        """Return what the times told about one target came to."""
        right = np.abs(told - time) <= self.tolerance
        few = rare & member, rare & ~member
        known = bool(few[0].any() and few[1].any())
        return IntervalScore(
            members=_take_share(right[member]),
            controls=_take_share(right[~member]),
            of_all=_compare(right[member], right[~member], 0.0),
            of_rare=_compare(right[few[0]], right[few[1]], self.errors) if known else None,
            of_rare_raw=_compare(right[few[0]], right[few[1]], 0.0) if known else None,
        )


def _take_share(right: Flags) -> float:
    return float(right.mean()) if len(right) else 0.0


def _compare(members: Flags, controls: Flags, errors: float) -> float:
    if not len(members) or not len(controls):
        return 0.0
    one, two = float(members.mean()), float(controls.mean())
    error = float(np.sqrt(one * (1 - one) / len(members) + two * (1 - two) / len(controls)))
    return float(np.clip((one - two - errors * error) / max(1 - two, 1e-9), 0, 1))
