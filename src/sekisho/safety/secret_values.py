"""Distinct secret values in a history: of everybody, at least l secret values remain possible.

Against whom: one who knows every cell of every person but the secret columns, and that a person is in the release, and
asks for that person's secret values. The claim H0 says that nobody is named; it says nothing about what all who could
be meant have in common.

Pseudonyms that publish the same rows in all columns but the secret ones form a class, and the rows of a class that
agree in these columns are alike. Whoever is published under one pseudonym of a class could be behind each of them, and
the secret cell of their row could be each of those of the rows alike. So the figure of a person is the least of

- by row: how many known values the secret cells of the rows alike admit. A set admits its values, of a range its two
  ends count, a hidden cell admits every value that the file shows, and a missing cell admits none;
- by certainty: 1 where one value stands alone in some row of every pseudonym of the class: the person has it;
- by person: where the rows of every pseudonym could all have one value, a reader may take it that people do not change
  it, and how many values are left that all rows of some pseudonym of the class admit is counted as well.

A person none of whose alike rows holds a known value has no figure. The proof that no smaller set of values can be
concluded is in docs/proofs/secret-values.md. It promises nothing about values that mean nearly the same, nor about how
likely each of them is.

Source: our own, of the distinct diversity of Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy
beyond k-anonymity", ACM TKDD 1 (1), 2007, section 4, for people of many rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_TEXT, Cells, RangeCells, number_cells
from sekisho.data.frame.dataset import Role, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.history.arrays import find_starts, number_rows, number_runs
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.safety.cover import Coverage
from sekisho.safety.guarantee import Finding
from sekisho.words import Said

MOST_ROWS_NAMED = 5
NO_VALUE = 0
"""The figure of a person of whom no known secret value is published."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PossibleValues:
    """How many secret values remain possible of each published person.

    Attributes:
        column: the secret column.
        pseudonyms: the published people, sorted.
        figures: of each how many values of the column remain possible; 0 where no known one is published.
        owners: of each published row its person, a position in the pseudonyms.
        rows: of each published row its row in the release.
        hidden: whether no cell of the column shows anything.
    """

    column: str
    pseudonyms: NDArray[np.int64]
    figures: NDArray[np.int64]
    owners: NDArray[np.int64]
    rows: NDArray[np.intp]
    hidden: bool

    @property
    def people(self) -> int:
        """How many people have a known secret value."""
        return int(np.count_nonzero(self.figures))

    @property
    def least(self) -> int:
        """The figure of the worst person; 0 where nobody has a known secret value."""
        return int(self.figures[self.figures > NO_VALUE].min(initial=np.iinfo(np.int64).max)) if self.people else 0

    def count_below(self, wanted: int) -> int:
        """Return of how many people fewer values than wanted remain possible."""
        return int(np.count_nonzero((self.figures > NO_VALUE) & (self.figures < wanted)))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class SecretValues:
    """Of every person of a history at least l values of a secret column remain possible, row by row."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.HISTORY})
    covers: ClassVar[Coverage] = Coverage.SECRET

    l: int = field(
        default=2, metadata={"help": "How many secret values must remain possible of everybody.", "recipe": "l"}
    )
    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that may be known of a person; all but the secret ones if none."}
    )
    sensitive: str = field(
        default="", metadata={"help": "The column that must stay hidden; the schema's if not named."}
    )

    def __post_init__(self) -> None:
        if not self.l >= 2:
            raise ParameterError("l", Said("be at least 2: one value is always possible"), self.l)

    def check(self, release: Release) -> Finding:
        """Return whether enough values remain possible of everybody, and of whom the fewest do.

        Raises:
            ParameterError: the release is of records, or has no such columns.
            InfeasibleError: nothing is published.
        """
        schema = release.table.schema
        values = count_possible_values(release, _settle_secret(schema, self.sensitive), self.keys)
        if not len(values.pseudonyms):
            raise InfeasibleError(Said("nothing is published: there is no person to count"))
        if values.hidden or not values.people:
            words = Said("no known value of {column} is published", column=values.column)
            return Finding(kept=True, worst=float(self.l), wanted=float(self.l), where=(), words=words)
        least = values.least
        worst = values.rows[values.figures[values.owners] == least][:MOST_ROWS_NAMED]
        return Finding(
            kept=least >= self.l,
            worst=float(least),
            wanted=float(self.l),
            where=tuple(worst.tolist()),
            words=tell_possible_values(values, self.l),
        )


def tell_possible_values(values: PossibleValues, wanted: int) -> Said:
    """Return in words how many values remain possible at least, and of how many people too few."""
    least, below, people = values.least, values.count_below(wanted), values.people
    if not below:
        return Said(
            "whoever knows all else of a person is left with at least {least} {least:value|values} of {column}; "
            "{wanted} are asked for",
            least=least,
            column=values.column,
            wanted=wanted,
        )
    return Said(
        "whoever knows all else of a person is left with {least} {least:value|values} of {column} at worst; {wanted} "
        "are asked for, which {below} of {people} {people:person|people} do not have",
        least=least,
        column=values.column,
        wanted=wanted,
        below=below,
        people=people,
    )


def list_known_columns(schema: Schema, sensitive: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of a history that may be known of a person: all that may leave but the secret ones."""
    return tuple(column.name for column in schema.attributes if column.name not in sensitive)


def count_possible_values(release: Release, sensitive: str, keys: tuple[str, ...] = ()) -> PossibleValues:
    """Return how many values of a secret column remain possible of each published person.

    Args:
        release: of a history.
        sensitive: the secret column.
        keys: the columns that may be known; all but those that the schema calls sensitive, and this one, if none.

    Raises:
        ParameterError: the release is of records, or has no such columns, or the secret column is a key.
    """
    table = release.table
    if table.pseudonym is None:
        raise ParameterError("release", Said("be of a history, with a pseudonym in each row"), "records")
    secrets = (*table.schema.with_role(Role.SENSITIVE), table.schema[sensitive].name)
    names = tuple(table.schema[name].name for name in keys) or list_known_columns(table.schema, secrets)
    if sensitive in names:
        raise ParameterError("keys", Said("not hold the secret column"), sensitive)
    rows = np.flatnonzero((table.pseudonym != 0) & ~release.deleted)
    return _count_values(table.take(rows), sensitive, names, rows)


def _count_values(table: MaskedTable, sensitive: str, keys: tuple[str, ...], rows: NDArray[np.intp]) -> PossibleValues:
    if table.pseudonym is None or not len(rows):
        nobody = np.zeros(0, dtype=np.int64)
        return PossibleValues(
            column=sensitive, pseudonyms=nobody, figures=nobody, owners=nobody, rows=rows, hidden=True
        )
    pseudonyms, owners = np.unique(table.pseudonym, return_inverse=True)
    owners = owners.reshape(-1).astype(np.int64)
    alike, classes = _number_classes(table, keys, owners, len(pseudonyms))
    cells = SecretCells.of(table.columns[sensitive])
    figures = np.minimum(_count_by_row(cells, owners, alike, len(pseudonyms)), _count_certain(cells, owners, classes))
    steady = _count_by_person(cells, owners, classes, len(pseudonyms))
    figures = figures if steady is None else np.minimum(figures, steady)
    return PossibleValues(
        column=sensitive,
        pseudonyms=pseudonyms.astype(np.int64),
        figures=np.where(figures == UNLIMITED, NO_VALUE, figures),
        owners=owners,
        rows=rows,
        hidden=not len(cells.value),
    )


UNLIMITED = np.iinfo(np.int64).max
"""The figure of what is not counted: it never is the least."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecretCells:
    """The cells of a secret column as pairs of a row and a known value that it admits.

    Attributes:
        row: of each pair the row.
        value: of each pair the value, a number from 0.
        hidden: which rows admit every value.
        alone: which rows admit one known value and nothing else.
        telling: which rows are shown and admit a known value; the others are hidden or missing cells.
        lower: of a column of numbers the least value that each row admits, where known; None of categories.
        upper: likewise the greatest.
        width: how many values there are.
    """

    row: NDArray[np.int64]
    value: NDArray[np.int64]
    hidden: NDArray[np.bool_]
    alone: NDArray[np.bool_]
    telling: NDArray[np.bool_]
    lower: NDArray[np.int64] | None
    upper: NDArray[np.int64] | None
    width: int

    @classmethod
    def of(cls, cells: Cells) -> SecretCells:
        """Return the pairs of a column; of a range its two ends are the values."""
        shown = np.flatnonzero(~cells.suppressed & ~cells.is_missing())
        if isinstance(cells, RangeCells):
            lower, upper = cells.lower, cells.upper
            row = np.concatenate([shown, shown[lower[shown] < upper[shown]]])
            codes = np.concatenate([lower[shown], upper[shown][lower[shown] < upper[shown]]])
        else:
            lower = upper = None
            row, codes = cells.owners(), cells.codes.astype(np.int64)
            if MISSING_TEXT in cells.domain:
                present = codes != cells.domain.index(MISSING_TEXT)
                row, codes = row[present], codes[present]
        distinct, value = np.unique(codes, return_inverse=True)
        telling = np.zeros(len(cells), dtype=np.bool_)
        telling[row] = True
        return cls(
            row=row.astype(np.int64),
            value=value.reshape(-1).astype(np.int64),
            hidden=cells.suppressed,
            alone=telling & cells.is_exact(),
            telling=telling,
            lower=lower,
            upper=upper,
            width=len(distinct),
        )


def _number_classes(
    table: MaskedTable, keys: tuple[str, ...], owners: NDArray[np.int64], people: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each row which rows of its class it agrees with in the keys, and for each person the class."""
    cells = [number_cells(table.columns[name])[0] for name in keys]
    row = number_rows(np.zeros(len(owners), dtype=np.int64), *cells)
    order = np.lexsort((row, owners))
    starts = find_starts(owners, people)
    history = number_runs(starts[:-1], starts[1:], row[order])
    classes = np.unique(history, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return number_rows(classes[owners], row), classes


def _count_distinct(group: NDArray[np.int64], value: NDArray[np.int64], groups: int, width: int) -> NDArray[np.int64]:
    """Return how many distinct values each group has."""
    pairs = np.unique(group * max(1, width) + value)
    return np.bincount(pairs // max(1, width), minlength=groups)


def _count_by_row(
    cells: SecretCells, owners: NDArray[np.int64], alike: NDArray[np.int64], people: int
) -> NDArray[np.int64]:
    """Return for each person the fewest values that rows alike with one of theirs admit."""
    groups = int(alike.max()) + 1
    counts = _count_distinct(alike[cells.row], cells.value, groups, cells.width)
    counts[alike[cells.hidden]] = cells.width
    least = np.full(people, UNLIMITED)
    np.minimum.at(least, owners, np.where(counts > 0, counts, UNLIMITED)[alike])
    return least


def _count_certain(cells: SecretCells, owners: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 1 for each person of a class in which one value stands alone in some row of every member."""
    alone = cells.alone[cells.row]
    pairs = np.unique(owners[cells.row[alone]] * max(1, cells.width) + cells.value[alone])
    person, value = np.divmod(pairs, max(1, cells.width))
    holders = np.unique(classes[person] * max(1, cells.width) + value, return_counts=True)
    sizes = np.bincount(classes)
    everyone = holders[1] == sizes[holders[0] // max(1, cells.width)]
    certain = np.zeros(len(sizes), dtype=np.bool_)
    certain[holders[0][everyone] // max(1, cells.width)] = True
    return np.where(certain[classes], 1, UNLIMITED)


def _count_by_person(
    cells: SecretCells, owners: NDArray[np.int64], classes: NDArray[np.int64], people: int
) -> NDArray[np.int64] | None:
    """Return for each person how many values all rows of some member of the class admit.

    None where the rows of some pseudonym admit no common value, so that people's values do change.
    """
    rows = np.bincount(owners[cells.telling], minlength=people)
    if cells.lower is None or cells.upper is None:
        person, value = _intersect_sets(cells, owners, rows)
    else:
        person, value = _intersect_ranges(cells.lower, cells.upper, cells.telling, owners, people)
    if np.count_nonzero(np.bincount(person, minlength=people)) < np.count_nonzero(rows):
        return None
    distinct, number = np.unique(value, return_inverse=True)
    counts = _count_distinct(classes[person], number.reshape(-1), int(classes.max()) + 1, len(distinct))
    bare = np.bincount(owners[cells.hidden], minlength=people).astype(np.bool_) & (rows == 0)
    counts[classes[bare]] = cells.width
    return np.where(counts > 0, counts, UNLIMITED)[classes]


def _intersect_sets(
    cells: SecretCells, owners: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of a person and a value that all of the person's shown cells admit."""
    pairs, times = np.unique(owners[cells.row] * max(1, cells.width) + cells.value, return_counts=True)
    person, value = np.divmod(pairs, max(1, cells.width))
    common = times == rows[person]
    return person[common], value[common]


def _intersect_ranges(
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    telling: NDArray[np.bool_],
    owners: NDArray[np.int64],
    people: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of a person and an end of the range that all of the person's shown cells admit."""
    low, high = np.full(people, np.iinfo(np.int64).min), np.full(people, UNLIMITED)
    np.maximum.at(low, owners[telling], lower[telling])
    np.minimum.at(high, owners[telling], upper[telling])
    whose = np.unique(owners[telling])
    whose = whose[low[whose] <= high[whose]]
    wide = whose[low[whose] < high[whose]]
    return np.concatenate([whose, wide]), np.concatenate([low[whose], high[wide]])


def _settle_secret(schema: Schema, sensitive: str) -> str:
    if sensitive:
        return schema[sensitive].name
    columns = schema.with_role(Role.SENSITIVE)
    if len(columns) != 1:
        raise ParameterError("sensitive", Said("be named: the schema does not say one"), columns)
    return columns[0]
