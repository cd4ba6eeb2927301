"""How much likelier a release is with a person in the file than without him: the exact likelihood ratio.

The others are n - 1 people drawn from the shares p of a reference. Each row is changed on its own: a record x is
released as y with chance A[x, y]; m of the n rows are kept, drawn evenly, and shuffled. Then

    ratio(x) = P(Y | in) / P(Y | out) = 1 - m/n + (1/n) sum over released rows y of A[x, y] / (p A)[y]

(docs/proofs/membership.md). Columns are changed independently, so that A is a product of one table for each column:

- a column that is not changed, or recoded by a fixed rule: A = 1 where the cell admits the value, else 0;
- PRAM: the column's matrix;
- Laplace noise on a number: the chance of the whole number, or of the last decimal, that was released.

(p A)[y] comes from the reference: sum over its records of A[r, y], and half a record that fits y best, over their
number and 1. With ``independent`` it is the product of the columns' own.

Classes that were chosen by looking at the data are no fixed rule: there the ratio is a score like others, calibrated on
controls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.cell_linkage import settle_columns
from sekisho.data.frame.cells import RangeCells, SetCells, find_gaps, number_cells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.safety.mechanism import Mechanism
from sekisho.words import Said

HALF = 0.5
"""So much of a record is added to the reference for what it has not seen (Krichevsky, Trofimov 1981)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceMechanism:
    """How rows were changed by chance, as far as that is public.

    Attributes:
        records: n, the people the release was made from.
        pram: matrices by column, or None.
        noise: by column of numbers the inverse of the scale of Laplace noise.
    """

    records: int
    pram: Mechanism | None = None
    noise: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.records < 1:
            raise ParameterError("records", Said("be at least 1"), self.records)
        if self.pram is not None and self.pram.units is not None:
            rule = Said("not change households as one: the likelihood ratio is of rows that are changed one by one")
            raise ParameterError("mechanism", rule, ", ".join(self.pram.units.shared))
        if self.pram is not None and self.pram.strata:
            rule = Said("not be stratified: the likelihood ratio of stratified samples is not known here")
            raise ParameterError("mechanism", rule, self.pram.stratum)

    @property
    def truthful(self) -> bool:
        """Whether every cell admits the truth: nothing was changed, only recoded or left out."""
        return self.pram is None and not self.noise

    def make_table(self, name: str, cells: ColumnCells) -> NDArray[np.float64]:
        """Return A of a column: a line for each value, a column for each distinct cell."""
        if self.noise and name in self.noise:
            return cells.spread_noise(self.noise[name], name)
        if self.pram is not None and name in self.pram.domains:
            return cells.change_texts(self.pram.domains[name], self.pram.transitions[name].matrix(), name)
        return cells.admit()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnCells:
    """A column of people and of a release, each distinct value and cell once.

    Attributes:
        numbers: the distinct values of a column of numbers; None of categories.
        texts: the distinct values of categories.
        value: of each person the place of his value.
        cells: the distinct cells.
        cell: of each row the place of its cell.
        unit: how many steps of the grid make 1.
    """

    numbers: NDArray[np.int64] | None
    texts: tuple[str, ...]
    value: NDArray[np.int64]
    cells: RangeCells | SetCells
    cell: NDArray[np.int64]
    unit: int

    @classmethod
    def of(cls, release: MaskedTable, people: Sequence[Dataset], name: str) -> ColumnCells:
        """Number the values of people and the cells of a release."""
        column, cells = release.schema[name], release.columns[name]
        place, first = number_cells(cells)
        numbers, texts = None, tuple[str, ...]()
        if column.kind.numeric:
            every, value = np.unique(np.concatenate([each.grid(name) for each in people]), return_inverse=True)
            numbers = every.astype(np.int64)
        else:
            words = np.concatenate([each.text(name).to_numpy() for each in people]).astype(str)
            every, value = np.unique(words, return_inverse=True)
            texts = tuple(every.tolist())
        return cls(
            numbers=numbers,
            texts=texts,
            value=value.reshape(-1).astype(np.int64),
            cells=cells.take(first.astype(np.intp)),
            cell=place.astype(np.int64),
            unit=10**column.decimals,
        )

    def admit(self) -> NDArray[np.float64]:
        """Return 1 where a cell admits a value, else 0."""
        if self.numbers is not None and isinstance(self.cells, RangeCells):
            inside = (self.numbers[:, None] >= self.cells.lower) & (self.numbers[:, None] <= self.cells.upper)
            return (inside | self.cells.suppressed).astype(np.float64)
        if not isinstance(self.cells, SetCells):
            raise ParameterError("release", Said("have columns of the kinds that are known"), self.texts[:1])
        at = {text: place for place, text in enumerate(self.texts)}
        codes = np.array([at.get(text, -1) for text in self.cells.domain], dtype=np.int64)[self.cells.codes]
        table = np.zeros((len(self.texts), len(self.cells)))
        there = codes >= 0
        table[codes[there], self.cells.owners()[there]] = 1.0
        table[:, self.cells.suppressed] = 1.0
        return table

    def change_texts(self, domain: Sequence[str], matrix: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        """Return the chance that PRAM makes each cell of each value.

        Raises:
            ParameterError: a cell is none of the mechanism's values.
        """
        values: Sequence[object] = self.texts if self.numbers is None else self.numbers.tolist()
        at = {self._read_value(text): place for place, text in enumerate(domain)}
        rows = np.array([at.get(value, -1) for value in values], dtype=np.int64)
        columns = np.array([at.get(value, -1) for value in self._list_cells()], dtype=np.int64)
        if bool((columns < 0).any()):
            rule = Said("hold values of the mechanism only in column {name}", name=name)
            raise ParameterError("release", rule, str(self._list_cells()[int(np.argmax(columns < 0))]))
        return np.where((rows >= 0)[:, None], matrix[rows][:, columns], 0.0)

    def _read_value(self, text: str) -> object:
        """Return a value of the mechanism as the column has it."""
        if self.numbers is None:
            return text
        try:
            return int(Fraction(text) * self.unit)
        except ValueError:
            return None

    def _list_cells(self) -> list[object]:
        """Return the values of the distinct cells, None where one is no single value."""
        exact = self.cells.is_exact()
        if isinstance(self.cells, RangeCells):
            return [low if sure else None for low, sure in zip(self.cells.lower.tolist(), exact.tolist(), strict=True)]
        starts = np.minimum(self.cells.offsets[:-1], max(0, len(self.cells.codes) - 1))
        texts = [self.cells.domain[code] for code in self.cells.codes[starts].tolist()]
        return [text if sure else None for text, sure in zip(texts, exact.tolist(), strict=True)]

    def spread_noise(self, epsilon: float, name: str) -> NDArray[np.float64]:
        """Return the chance that Laplace noise, rounded to the grid and cut towards zero, makes each number of each.

        A column whose released numbers are all whole has lost its decimals; the chance is that of all steps which do.

        Raises:
            ParameterError: the column has no numbers, or cells that are no single ones.
        """
        if self.numbers is None or not isinstance(self.cells, RangeCells) or not bool(self.cells.is_exact().all()):
            raise ParameterError("mechanism", Said("have noise on columns of single numbers only"), name)
        shown = self.cells.lower
        width = self.unit if self.unit > 1 and not bool((shown % self.unit).any()) else 1
        low = np.where(shown > 0, shown, shown - (width - 1)).astype(np.float64)
        high = np.where(shown < 0, shown, shown + (width - 1)).astype(np.float64)
        truth = self.numbers.astype(np.float64)[:, None]
        scale = epsilon / self.unit
        table = _compute_laplace(scale * (low - 0.5 - truth), scale * (high + 0.5 - truth))
        missing, gone = find_gaps(self.numbers), find_gaps(shown)
        table[missing] = gone.astype(np.float64)
        table[:, gone] = missing[:, None].astype(np.float64)
        return table


def _compute_laplace(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chance that standard Laplace noise lies between two numbers; far out nothing cancels."""
    below, above = 0.5 * np.exp(-np.abs(low)), 0.5 * np.exp(-np.abs(high))
    return np.where(low > 0, below - above, np.where(high < 0, above - below, 1.0 - below - above))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MembershipRatios:
    """The ratio of each person, and how many rows could be his.

    Attributes:
        ratio: P(release | in) / P(release | out).
        possible: rows that his record can have become.
    """

    ratio: NDArray[np.float64]
    possible: NDArray[np.int64]


def compute_ratios(
    release: MaskedTable,
    people: Dataset,
    reference: Dataset,
    mechanism: ChanceMechanism,
    *,
    columns: Sequence[str] = (),
    independent: bool = False,
    added: float = HALF,
) -> MembershipRatios:
    """Return the likelihood ratio of each person.

    Args:
        release: what is published, m rows.
        people: of whom it is asked.
        reference: other people of the same population.
        mechanism: what was done.
        columns: that are known of people; all that are published if none.
        independent: whether the columns are said to be independent in the population.
        added: how much of a record that fits best is added to the reference; 0 takes it as the population itself.

    Raises:
        ParameterError: a column is unknown, or more rows are released than there were records.
    """
    if len(release) > mechanism.records:
        rule = Said("be at least the released rows ({rows:,})", rows=len(release))
        raise ParameterError("records", rule, mechanism.records)
    names = settle_columns(release, people, columns)
    parts = [ColumnCells.of(release, (people, reference), name) for name in names]
    tables = [mechanism.make_table(name, part) for name, part in zip(names, parts, strict=True)]
    row, weight = find_distinct([part.cell for part in parts])
    cells = np.stack([part.cell[row] for part in parts], axis=1)
    split = len(people)
    who, again = _find_distinct_of([part.value[:split] for part in parts])
    known = np.stack([part.value[:split][who] for part in parts], axis=1)
    others, times = find_distinct([part.value[split:] for part in parts])
    drawn = np.stack([part.value[split:][others] for part in parts], axis=1)
    flat, first, width = _flatten(tables)
    if independent:
        mixture = _multiply_columns(tables, [part.value[split:] for part in parts], cells, added)
    else:
        best = np.prod([table.max(axis=0)[cells[:, at]] for at, table in enumerate(tables)], axis=0)
        mixture = (_sum_reference(flat, first, width, drawn, times, cells) + added * best) / (
            len(reference) + 2 * added
        )
    ratio, possible = _sum_rows(flat, first, width, known, cells, weight, weight / np.maximum(mixture, 1e-300))
    left_out = 1 - len(release) / mechanism.records
    return MembershipRatios(ratio=left_out + ratio[again] / mechanism.records, possible=possible[again])


def find_distinct(columns: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return a row of each distinct tuple, and how many rows have it."""
    first, place = _find_distinct_of(columns)
    return first, np.bincount(place, minlength=len(first)).astype(np.float64)


def _find_distinct_of(columns: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return a row of each distinct tuple, and which one each row has."""
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        number = number * (int(column.max(initial=0)) + 1) + column
        number = np.unique(number, return_inverse=True)[1].reshape(-1)
    _, first = np.unique(number, return_index=True)
    return first, number


def _flatten(
    tables: Sequence[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    sizes = [table.size for table in tables]
    return (
        np.concatenate([np.ascontiguousarray(table).reshape(-1) for table in tables]),
        np.cumsum([0, *sizes])[:-1].astype(np.int64),
        np.array([table.shape[1] for table in tables], dtype=np.int64),
    )


def _multiply_columns(
    tables: Sequence[NDArray[np.float64]], values: Sequence[NDArray[np.int64]], cells: NDArray[np.int64], added: float
) -> NDArray[np.float64]:
    """Return (p A)[y] of columns that are independent, each from the reference and what is added to it."""
    product = np.ones(len(cells))
    for at, (table, value) in enumerate(zip(tables, values, strict=True)):
        count = np.bincount(value, minlength=len(table))
        mixed = (count @ table + added * table.max(axis=0)) / (len(value) + 2 * added)
        product *= mixed[cells[:, at]]
    return product


@njit(cache=True, nogil=True)
def _compute_chance(
    flat: NDArray[np.float64],
    first: NDArray[np.int64],
    width: NDArray[np.int64],
    record: NDArray[np.int64],
    row: NDArray[np.int64],
) -> float:
    """Return A[x, y], the product over the columns."""
    chance = 1.0
    for column in range(len(first)):
        chance *= float(flat[first[column] + record[column] * width[column] + row[column]])
        if chance == 0.0:
            return 0.0
    return chance


@njit(cache=True, nogil=True)
def _sum_reference(
    flat: NDArray[np.float64],
    first: NDArray[np.int64],
    width: NDArray[np.int64],
    reference: NDArray[np.int64],
    times: NDArray[np.float64],
    cells: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return for each distinct row how many records of the reference become it, in expectation."""
    total = np.zeros(len(cells))
    for row in range(len(cells)):
        for record in range(len(reference)):
            total[row] += times[record] * _compute_chance(flat, first, width, reference[record], cells[row])
    return total


@njit(cache=True, nogil=True)
def _sum_rows(
    flat: NDArray[np.float64],
    first: NDArray[np.int64],
    width: NDArray[np.int64],
    people: NDArray[np.int64],
    cells: NDArray[np.int64],
    rows: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return for each distinct person the weighted chances of all rows, and how many rows can be his."""
    total, possible = np.zeros(len(people)), np.zeros(len(people), np.int64)
    for person in range(len(people)):
        for row in range(len(cells)):
            chance = _compute_chance(flat, first, width, people[person], cells[row])
            if chance > 0.0:
                total[person] += chance * weight[row]
                possible[person] += int(rows[row])
    return total, possible
