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
from numba import njit
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.attack.history.candidates import candidates
from sekisho.attack.history.histories import LEAST, MOST, Known, Published, known, published
from sekisho.attack.history.row_fit import Sides, fits, sides
from sekisho.data.files.grammar import FieldRules, Grammar, write_cells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable


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
class Explanation:
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


def explain(
    guess: Guess, release: MaskedTable, knowledge: Dataset, *, claims: Sequence[int] | None = None, rows: int = 8
) -> tuple[Explanation, ...]:
    """Return explanations of some claims (positions in the guess.

    By default the five surest), each with a few telling rows.
    """
    places = list(np.argsort(-guess.chance, kind="stable")[:5]) if claims is None else list(claims)
    if not places or release.pseudonym is None:
        return ()
    order = np.flatnonzero(np.isin(release.pseudonym, guess.published[places]))
    order = order[np.argsort(release.pseudonym[order], kind="stable")]
    table, facts = release.take(order), known(knowledge)
    told = published(table, knowledge)
    names = [column.name for column in release.schema.attributes]
    with_all, without = _counts(told, facts), {name: _counts(opened(told, table, {name}), facts) for name in names}
    alone = {name: _counts(opened(told, table, {*names} - {name}), facts) for name in names}
    telling = _Telling.of(told, table, facts)
    found: list[Explanation] = []
    for place in places:
        at = int(np.searchsorted(told.pseudonyms, guess.published[place]))
        found.append(
            Explanation(
                pseudonym=int(guess.published[place]),
                customer=guess.person[place],
                chance=float(guess.chance[place]),
                candidates=int(with_all[at]),
                without={name: int(count[at]) for name, count in without.items()},
                alone={name: int(count[at]) for name, count in alone.items()},
                rows=telling.rows(np.arange(told.offsets[at], told.offsets[at + 1]), rows, order),
            )
        )
    return tuple(found)


def opened(rows: Published, table: MaskedTable, columns: set[str]) -> Published:
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


def _counts(rows: Published, facts: Known) -> NDArray[np.int64]:
    return candidates(rows, facts).counts()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Telling:
    """How many customers each row leaves, by all its cells and by each cell alone."""

    table: MaskedTable
    customers: NDArray[np.int64]
    alone: Mapping[str, Sides]
    owners: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Published, table: MaskedTable, facts: Known) -> _Telling:
        names = {column.name for column in table.schema.attributes}
        owners = facts.owners()
        return cls(
            table=table,
            customers=_reach(sides(rows, facts), np.arange(len(rows.lower)), owners),
            alone={name: sides(opened(rows, table, names - {name}), facts) for name in names},
            owners=owners,
        )

    def rows(self, places: NDArray[np.int64], count: int, order: NDArray[np.int64]) -> tuple[TellingRow, ...]:
        """Return the most telling of some rows; ``order`` gives their positions in the release."""
        chosen = places[np.argsort(self.customers[places], kind="stable")[:count]]
        alone = {name: _reach(both, chosen, self.owners) for name, both in self.alone.items()}
        cells = {
            column.name: write_cells(
                self.table.columns[column.name].take(chosen),
                FieldRules(name=column.name, kind=column.kind, decimals=column.decimals),
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
def _reach(both: Sides, rows: NDArray[np.int64], owners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each row how many customers have a known row that it fits."""
    result = np.zeros(len(rows), np.int64)
    for at, row in enumerate(rows):
        fact = 0
        while fact < len(owners):
            if fits(both, row, fact):
                result[at] += 1
                fact = both.bounds[owners[fact] + 1]
            else:
                fact += 1
    return result
