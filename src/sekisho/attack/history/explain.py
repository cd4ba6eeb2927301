"""What gave a customer away: the columns without which more customers would fit, and the rows that rule out most.

For each explained claim: how many customers explain all published rows of the pseudonym; how many would if a column
were suppressed throughout, or all the others; and its most telling rows, those that the fewest customers have a fitting
row for, each with how many customers have a row that fits the row's cell in one column alone. Plain data: counts, names
and cells as written.

Source: our own; the counts are those of the candidates' definition, PWS Cup 2018, details of the safety evaluation,
2.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.candidate_search import find_candidates
from sekisho.attack.history.histories import (
    LEAST,
    MOST,
    KnownHistories,
    PublishedHistories,
    gather_known,
    gather_published,
)
from sekisho.attack.history.row_fit import Sides, gather_sides, row_fits
from sekisho.data.files.grammar import FieldRules, Grammar, write_cells
from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.kernels import njit


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingRow:
    """A published row and how many customers it leaves.

    Attributes:
        row: its position in the release, from 0.
        cells: the cells as written, by column.
        customers: how many customers have a row that it could stem from.
        alone: by column, how many customers have a row that fits this one cell.
    """

    row: int
    cells: Mapping[str, str]
    customers: int
    alone: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimExplanation:
    """Why a pseudonym was claimed to be a customer.

    Attributes:
        pseudonym: the one claimed.
        customer: who it is claimed to be.
        chance: how likely the adversary holds that.
        candidates: how many customers explain all its rows.
        without: by column, how many would if the column were suppressed throughout.
        alone: by column, how many would if all other columns were.
        rows: its most telling rows, the most telling first.
    """

    pseudonym: int
    customer: str
    chance: float
    candidates: int
    without: Mapping[str, int]
    alone: Mapping[str, int]
    rows: tuple[TellingRow, ...]


def explain_claims(
    guess: Guess, release: MaskedTable, knowledge: Dataset, *, claims: Sequence[int] | None = None, rows: int = 8
) -> tuple[ClaimExplanation, ...]:
    """Return explanations of some claims, by default the five surest, each with a few telling rows.

    Args:
        guess: what was claimed.
        release: what was published.
        knowledge: the original.
        claims: positions in the guess.
        rows: how many telling rows each explanation has at most.
    """
    places = list(np.argsort(-guess.chance, kind="stable")[:5]) if claims is None else list(claims)
    if not places or release.pseudonym is None:
        return ()
    order = np.flatnonzero(np.isin(release.pseudonym, guess.published[places]))
    order = order[np.argsort(release.pseudonym[order], kind="stable")]
    table, facts = release.take(order), gather_known(knowledge)
    histories = gather_published(table, knowledge)
    names = [column.name for column in release.schema.attributes]
    with_all = _count_candidates(histories, facts)
    without = {name: _count_candidates(suppress_columns(histories, table, {name}), facts) for name in names}
    alone = {name: _count_candidates(suppress_columns(histories, table, {*names} - {name}), facts) for name in names}
    telling = _TellingCounts.of(histories, table, facts)
    explanations: list[ClaimExplanation] = []
    for place in places:
        at = int(np.searchsorted(histories.pseudonyms, guess.published[place]))
        explanations.append(
            ClaimExplanation(
                pseudonym=int(guess.published[place]),
                customer=guess.person[place],
                chance=float(guess.chance[place]),
                candidates=int(with_all[at]),
                without={name: int(count[at]) for name, count in without.items()},
                alone={name: int(count[at]) for name, count in alone.items()},
                rows=telling.rows(np.arange(histories.offsets[at], histories.offsets[at + 1]), rows, order),
            )
        )
    return tuple(explanations)


def suppress_columns(rows: PublishedHistories, table: MaskedTable, columns: set[str]) -> PublishedHistories:
    """Return the published rows with some columns suppressed throughout."""
    attributes = table.schema.attributes
    numeric = [column.name in columns for column in attributes if column.kind.numeric]
    category = [column.name in columns for column in attributes if not column.kind.numeric]
    return replace(
        rows,
        lower=np.where(numeric, LEAST, rows.lower),
        upper=np.where(numeric, MOST, rows.upper),
        ends=np.where(category, rows.starts, rows.ends),
    )


def _count_candidates(rows: PublishedHistories, facts: KnownHistories) -> NDArray[np.int64]:
    return find_candidates(rows, facts).counts()


WRITING = OrdinaryWriting(date_format="%Y/%-m/%-d")
"""Cells of data of one's own may be missing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _TellingCounts:
    """How many customers each row leaves, by all its cells and by each cell alone."""

    table: MaskedTable
    customers: NDArray[np.int64]
    alone: Mapping[str, Sides]
    owners: NDArray[np.int64]

    @classmethod
    def of(cls, rows: PublishedHistories, table: MaskedTable, facts: KnownHistories) -> _TellingCounts:
        names = {column.name for column in table.schema.attributes}
        owners = facts.owners()
        return cls(
            table=table,
            customers=_count_customers(gather_sides(rows, facts), np.arange(len(rows.lower)), owners),
            alone={name: gather_sides(suppress_columns(rows, table, names - {name}), facts) for name in names},
            owners=owners,
        )

    def rows(self, places: NDArray[np.int64], count: int, order: NDArray[np.int64]) -> tuple[TellingRow, ...]:
        """Return the most telling of some rows; ``order`` gives their positions in the release."""
        chosen = places[np.argsort(self.customers[places], kind="stable")[:count]]
        alone = {name: _count_customers(both, chosen, self.owners) for name, both in self.alone.items()}
        cells = {
            column.name: write_cells(
                self.table.columns[column.name].take(chosen),
                FieldRules(name=column.name, kind=column.kind, decimals=column.decimals, writing=WRITING),
                Grammar(),
            ).to_list()
            for column in self.table.schema.attributes
        }
        return tuple(
            TellingRow(
                row=int(order[place]),
                cells={name: str(text[at]) for name, text in cells.items()},
                customers=int(self.customers[place]),
                alone={name: int(alone[name][at]) for name in cells},
            )
            for at, place in enumerate(chosen)
        )


@njit(cache=True, nogil=True)
def _count_customers(both: Sides, rows: NDArray[np.int64], owners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row how many customers have a known row that it fits."""
    result = np.zeros(len(rows), np.int64)
    for at, row in enumerate(rows):
        fact = 0
        while fact < len(owners):
            if row_fits(both, row, fact):
                result[at] += 1
                fact = int(both.bounds[owners[fact] + 1])
            else:
                fact += 1
    return result
