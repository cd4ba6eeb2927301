"""How many secret values remain possible of everybody in a published history, counted again by the definition.

It shares nothing with the count of the gate (:mod:`sekisho.safety.secret_values`): texts, one person after another.
Columns of numbers, whose ranges are written by their ends, are not counted here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import polars as pl

HIDDEN = "*"
Rows = Sequence[tuple[tuple[str, ...], str]]
"""The rows of a person: the known cells, and the secret one."""


def count_least_possible(frame: pl.DataFrame, holder: str, secret: str, known: Sequence[str]) -> int | None:
    """Return how many values of a secret column remain possible of the worst person; None of a column of ranges.

    Args:
        frame: the published rows as texts.
        holder: the column of the pseudonyms.
        secret: the secret column.
        known: the columns that may be known of a person.
    """
    cells = frame[secret].to_list()
    if any(cell.startswith("[") and cell.endswith("]") for cell in cells):
        return None
    people: defaultdict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    for who, row, cell in zip(frame[holder].to_list(), frame.select(known).iter_rows(), cells, strict=True):
        people[who].append((row, cell))
    values = frozenset[str]().union(*(_read_cell(cell) for cell in set(cells)))
    classes: defaultdict[tuple[tuple[tuple[str, ...], int], ...], list[Rows]] = defaultdict(list)
    for rows in people.values():
        classes[tuple(sorted(Counter(row for row, _ in rows).items()))].append(rows)
    common = {who: _find_common(rows, values) for who, rows in people.items()}
    steady = all(common[who] or not _list_shown(rows) for who, rows in people.items())
    figures = [figure for members in classes.values() for figure in _list_figures(members, values, steady=steady)]
    return min((figure for figure in figures if figure), default=0)


def _read_cell(cell: str) -> frozenset[str]:
    """Return the values that a shown cell may stand for; a missing cell is the empty text."""
    if cell == HIDDEN:
        return frozenset()
    inside = cell[1:-1].split(";") if cell.startswith("{") and cell.endswith("}") else [cell]
    return frozenset(value for value in inside if value)


def _list_shown(rows: Rows) -> list[frozenset[str]]:
    return [admitted for _, cell in rows if (admitted := _read_cell(cell))]


def _find_common(rows: Rows, values: frozenset[str]) -> frozenset[str]:
    """Return the values that all cells of a person may stand for."""
    shown = _list_shown(rows)
    if shown:
        return frozenset.intersection(*shown)
    return values if any(cell == HIDDEN for _, cell in rows) else frozenset()


def _list_figures(members: Sequence[Rows], values: frozenset[str], *, steady: bool) -> Iterable[int]:
    """Give by row, by certainty and by person how many values remain possible of the people of one class."""
    alike: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for rows in members:
        for row, cell in rows:
            alike[row] |= values if cell == HIDDEN else _read_cell(cell)
    yield from (len(possible) for possible in alike.values())
    alone = [{cell for _, cell in rows if cell and cell[0] not in "{*"} for rows in members]
    yield 1 if set.intersection(*alone) else 0
    if steady:
        yield len(frozenset[str]().union(*(_find_common(rows, values) for rows in members)))
