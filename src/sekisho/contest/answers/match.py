"""Answer ``match``: whose each masked row is, and what was masked.

The referee draws rows of the original. Everybody sees a, their identifying columns, and b, their other columns in
another order, one cell of each masked. An answer has a line for each row of b: the row of a it belongs to, from 0, and
the masked value. Hits are the cells that are right: of 50 rows 100 at most.

Which column is masked is drawn for each row, or given by the rules for all (and committed to before).

Source: PWS Cup 2024, programs maketest and answerCheck.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.contest.answers.wide_file import WideFile
from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

MASK = "*"
PERSON, VALUE = "person", "value"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatchTest:
    """What the referee draws of one original.

    Attributes:
        known: a, the identifying columns of the drawn rows.
        masked: b, their other columns in another order, one cell of each row masked.
        truth: for each row of b its row of a and the masked value.
    """

    known: pl.DataFrame
    masked: pl.DataFrame
    truth: pl.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class MatchAnswer:
    """Answers about so many rows.

    Attributes:
        rows: how many are drawn.
        known: the identifying columns.
        values: what a masked cell may be.
    """

    rows: int
    known: tuple[str, ...]
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise ParameterError("rows", Said("be 1 or more"), self.rows)

    @property
    def form(self) -> PartTable:
        """The file of an answer about one release."""
        rules = {PERSON: CellRules(whole=True, least=0, most=self.rows - 1), VALUE: CellRules(values=self.values)}
        return PartTable(columns=(PERSON, VALUE), rows=self.rows, header=False, cells=rules)

    def read(self, path: Path) -> pl.DataFrame:
        """Return an answer about one release.

        Raises:
            FaultsError: it breaks the rules; all faults at once.
        """
        return self.form.read(path)

    def widen(self, targets: tuple[str, ...]) -> WideFile:
        """Return the file of answers about several releases, two columns each."""
        return WideFile(targets=targets, part=self.form)

    def score(self, answer: pl.DataFrame, truth: pl.DataFrame) -> tuple[int, int]:
        """Return how many rows are matched and how many masked values are right."""
        matched = (answer[PERSON].cast(pl.Int64) == truth[PERSON].cast(pl.Int64)).sum()
        return int(matched), int((answer[VALUE] == truth[VALUE]).sum())

    def draw_test(self, original: pl.DataFrame, *, masked: tuple[str, ...] = (), rng: np.random.Generator) -> MatchTest:
        """Draw rows, their two orders and what is masked.

        Args:
            original: the table.
            masked: the column masked in each row of b; drawn if empty.
            rng: of the referee.

        Raises:
            ParameterError: the original has too few rows, or the masked columns are not one for each row.
        """
        others = [name for name in original.columns if name not in self.known]
        if original.height < self.rows:
            raise ParameterError("original", Said("have at least {rows:,} rows", rows=self.rows), original.height)
        if masked and (len(masked) != self.rows or not set(masked) <= set(others)):
            raise ParameterError("masked", Said("be one column for each drawn row"), masked)
        chosen = masked or tuple(others[place] for place in rng.integers(len(others), size=self.rows).tolist())
        drawn = rng.choice(original.height, size=self.rows, replace=False)
        order = rng.permutation(self.rows)
        shown = original.select(others)[drawn[order]]
        hidden = [shown[name][row] for row, name in enumerate(chosen)]
        masks = np.array(chosen)
        cells = [shown[name].zip_with(pl.Series(masks != name), pl.Series([MASK])) for name in others]
        return MatchTest(
            known=original.select(self.known)[drawn],
            masked=pl.DataFrame(cells),
            truth=pl.DataFrame({PERSON: order.astype(str), VALUE: hidden}),
        )

    def draw(self, *, rng: np.random.Generator) -> pl.DataFrame:
        """Return an answer drawn at random: the baseline."""
        values = np.array(self.values)[rng.integers(len(self.values), size=self.rows)]
        return pl.DataFrame({PERSON: rng.integers(self.rows, size=self.rows).astype(str), VALUE: values})
