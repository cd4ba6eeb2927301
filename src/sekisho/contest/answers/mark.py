"""Answer ``mark``: which candidate rows are members, exactly as many as there are.

    hits = members that are marked

A release is as anonymous as its most successful attacker leaves it, less a penalty for the member whom most attackers
hit: with L of them it is L - 1. So the rows that were hit are kept, not only their number.

A candidate is a member if a row of the member table has the same text in every cell.

Source: PWS Cup 2025, guidebook of the final v1.2, attack and anonymity; programs gen_ans and check_ans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.contest.answers.wide_file import WideFile
from sekisho.data.files.part_table import CellRules, PartTable
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

MARK = "mark"
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class MarkAnswer:
    """Answers about so many candidates, of whom so many are marked."""

    rows: int
    marked: int

    def __post_init__(self) -> None:
        if not 0 < self.marked <= self.rows:
            raise ParameterError("marked", Said("lie from 1 to the number of rows"), self.marked)

    @property
    def form(self) -> PartTable:
        """The file of an answer about one release."""
        return PartTable(columns=(MARK,), rows=self.rows, header=False, others=CellRules(values=("0", "1")))

    def read(self, path: Path) -> Flags:
        """Return which rows are marked.

        Raises:
            FaultsError: it breaks the rules; all faults at once.
        """
        answer = self._settle(path, self.form.read(path))
        if isinstance(answer, FaultsError):
            raise answer
        return answer

    def read_all(self, path: Path, targets: tuple[str, ...]) -> dict[str, Flags | FaultsError]:
        """Return the answers of one file about several releases, or what is wrong with each; none where no 1 stands.

        Raises:
            FaultsError: the file has other rows or columns than it must have.
        """
        answers: dict[str, Flags | FaultsError] = {}
        for target, cells in WideFile(targets=targets, part=self.form).read(path).items():
            if isinstance(cells, FaultsError):
                answers[target] = cells
            elif (cells[MARK] == "1").any():
                answers[target] = self._settle(path, cells)
        return answers

    def score(self, answer: Flags, truth: Flags) -> Flags:
        """Return which rows are hit: marked, and members."""
        return answer & truth

    def draw(self, *, rng: np.random.Generator) -> Flags:
        """Return an answer drawn at random: the baseline."""
        answer = np.zeros(self.rows, dtype=np.bool_)
        answer[rng.choice(self.rows, size=self.marked, replace=False)] = True
        return answer

    def _settle(self, path: Path, cells: pl.DataFrame) -> Flags | FaultsError:
        marked = (cells[MARK] == "1").to_numpy().astype(np.bool_)
        count = int(marked.sum())
        if count == self.marked:
            return marked
        message = Said("{count:,} rows are marked, not {marked:,}", count=count, marked=self.marked)
        return FaultsError(path, [Fault(row=0, column="", rule="marked", value=str(count), message=message)])


def find_members(candidates: pl.DataFrame, members: pl.DataFrame) -> Flags:
    """Return which candidates occur among the members, equal in every cell as text."""
    texts = [table.select(pl.all().cast(pl.String)) for table in (candidates, members.select(candidates.columns))]
    inside = texts[1].unique().with_columns(pl.lit(True).alias(""))
    found = texts[0].join(inside, on=candidates.columns, how="left", maintain_order="left")
    return found[""].fill_null(False).to_numpy().astype(np.bool_)


def count_most_hit(hits: Sequence[Flags]) -> int:
    """Return L: by how many attackers the member was hit who was hit by most."""
    return int(np.sum(hits, axis=0).max(initial=0)) if hits else 0
