"""What is said of a release: how its numbers came about, in one word, and what a reader concludes from them.

``round:5`` (or ``round:5,1`` with one step more), ``nearest:5`` (each cell on its own), ``small:5``, ``noise:FILE`` (a
table of perturbation chances), ``exact`` and ``column`` (the file has its own ``low`` and ``high``). Cells without a
number are suppressed, whatever is said of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from sekisho.errors import ParameterError
from sekisho.tables.audit.statements import Statements
from sekisho.tables.model.table import Floats, Mask
from sekisho.tables.perturb.noise_file import read_noise
from sekisho.words import Said

OTHERWISE = Said("where some cells came about otherwise, low and high columns tell what each says: column")


class SaidMethod(StrEnum):
    """How a release was made, as it is said."""

    EXACT = "exact"
    ROUND = "round"
    NEAREST = "nearest"
    SMALL = "small"
    NOISE = "noise"
    COLUMN = "column"


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidRelease:
    """A method and its parameters.

    Attributes:
        method: the method.
        base: of rounding.
        steps: of rounding.
        chances: of noise: what each true count becomes, with its chance in units.
    """

    method: SaidMethod
    base: int = 0
    steps: int = 0
    chances: tuple[dict[int, int], ...] = ()

    @classmethod
    def parse(cls, text: str) -> SaidRelease:
        """Return what a word says; of noise its file is read.

        Raises:
            ParameterError: it is none of the words.
        """
        word, _, rest = text.partition(":")
        if word == SaidMethod.NOISE and rest:
            rows = read_noise(Path(rest)).rows
            return cls(
                method=SaidMethod.NOISE,
                chances=tuple(dict(zip(row.targets, row.units, strict=True)) for row in rows),
            )
        if word in {SaidMethod.COLUMN, SaidMethod.EXACT} and not rest:
            return cls(method=SaidMethod(word))
        numbers = rest.split(",")
        most = 2 if word == SaidMethod.ROUND else 1
        rounding = word in {SaidMethod.ROUND, SaidMethod.NEAREST, SaidMethod.SMALL}
        if not rounding or len(numbers) > most or not all(each.strip().isdecimal() for each in numbers):
            rule = Said("be round:B, round:B,K, nearest:B, small:B, noise:FILE, exact or column")
            raise ParameterError("said", rule, text)
        base, steps = (int(each) for each in (*numbers, "0")[:2])
        return cls(method=SaidMethod(word), base=base, steps=steps)

    def state(
        self, shown: Floats, *, low: Floats, high: Floats, sums: csr_array | None, name: Callable[[int], str]
    ) -> Statements:
        """Return what a file's cells say; counts are not below 0.

        Args:
            shown: the numbers shown of a table, or of several of the same form one after another; NaN where none is.
            low: what the file's own columns say each is at least.
            high: at most.
            sums: the cells that each cell of one table is the sum of, an inner one of itself; None if some are no sums.
            name: tells what a cell is called.

        Raises:
            ParameterError: numbers that the method does not show, or margins that are no sums where it makes them so.
        """
        if self.method is SaidMethod.COLUMN:
            return Statements.interval(np.maximum(low, 0.0), high)
        inner = np.ones(len(shown), dtype=np.bool_)
        if self.method is SaidMethod.SMALL:
            if sums is None:
                raise ParameterError(
                    "said", Said("not be small where margins are no sums of cells"), self.method.value, hint=OTHERWISE
                )
            inner = np.tile(sums.diagonal() > 0, len(shown) // sums.shape[0])
            self._refuse_margins(shown, sums, name)
        known = np.where(np.isnan(shown), 0.0, shown)
        hidden = Statements.suppressed(np.zeros(len(shown)), np.full(len(shown), np.inf))
        try:
            said = self._state_numbers(known, inner)
        except ParameterError as error:
            strange = np.flatnonzero(inner & (known == error.value))
            if error.name != "shown" or not strange.size:
                raise
            told = Said("be true of {cell}, which must {rule}", cell=name(int(strange[0])), rule=error.rule)
            raise ParameterError("said", told, error.value, hint=OTHERWISE) from error
        return said.replace_cells(np.isnan(shown), hidden)

    @staticmethod
    def _refuse_margins(shown: Floats, sums: csr_array, name: Callable[[int], str]) -> None:
        """Refuse margins that tell more than the cells shown below them: they say nothing of their own here."""
        blocks = shown.reshape(-1, sums.shape[0]).T
        open_parts = sums @ np.isnan(blocks).astype(np.float64) > 0
        wrong = ~np.isnan(blocks) & (open_parts | (sums @ np.nan_to_num(blocks) != np.nan_to_num(blocks)))
        if np.any(wrong):
            at = int(np.flatnonzero(wrong.T.ravel())[0])
            rule = Said(
                "be small only where margins are the sums of the cells shown, which {cell} is not", cell=name(at)
            )
            raise ParameterError("said", rule, float(shown[at]), hint=OTHERWISE)

    def _state_numbers(self, shown: Floats, inner: Mask) -> Statements:
        if self.method is SaidMethod.ROUND:
            return Statements.rounded(shown, base=self.base, steps=self.steps)
        if self.method is SaidMethod.NEAREST:
            return Statements.nearest(shown, base=self.base)
        if self.method is SaidMethod.SMALL:
            return Statements.small_rounded(shown, base=self.base, inner=inner)
        if self.method is SaidMethod.NOISE:
            return Statements.noisy(shown, rows=self.chances)
        return Statements.exact(shown)

    @property
    def rounded(self) -> bool:
        """Whether a program could have made the change least by this method."""
        return self.method is SaidMethod.ROUND and self.steps == 0
