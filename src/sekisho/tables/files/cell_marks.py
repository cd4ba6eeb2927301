"""What a file of cells tells beside values and contributors: statuses, costs, protection levels, bounds.

They stand in columns of these names, a row per cell:

=================================================  =======================================================
column                                             holds; empty
=================================================  =======================================================
``status``                                         ``safe``, ``primary``, ``secondary``, ``publish``; safe
``cost``                                           of the cell's suppression; 1
``lower_level``, ``upper_level``, ``sliding_level``  how far an attacker must stay from an unsafe cell; 0
``lower_bound``, ``upper_bound``                   what an attacker knows of the cell beforehand; none
=================================================  =======================================================

A column in which every cell has what is usual (cost 1, no level, no bound but 0 for what is not negative) is not
written.

What a file format has no place for, told of every table written in it: nothing is dropped in silence.

====================  =========  ======  =====  ======
of a table            CSV        .tab    .jj    .hst
====================  =========  ======  =====  ======
values                yes        yes     yes    no
codes                 yes        yes     no     yes
equations             by codes   by codes yes   no
frequency, largest    yes        yes     no     no
cost, status          yes        yes     yes    yes
lower, upper level    yes        unsafe  yes    unsafe
sliding level         yes        no      yes    no
attacker's bounds     yes        no      yes    no
====================  =========  ======  =====  ======

"By codes" are the equations that margins, trees and groupings make; those of a table whose cells are only numbered (a
``.jj`` file) stand in a ``.jj`` file alone. "Unsafe" are the levels of unsafe cells: nobody else's are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables.files.rows import fault
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.table import Floats, Key, Mask, Status, Table
from sekisho.words import Said, name_setting

STATUS = "status"
WORDS = {each.word: each for each in Status if each is not Status.UNPUBLISHED}
LEVELS = ("lower_level", "upper_level", "sliding_level")
FIELDS = {"cost": "weight", **{name: name for name in LEVELS}, "lower_bound": "lower", "upper_bound": "upper"}
"""Columns of numbers, each with the field of a table that it holds."""
EMPTY = {"cost": 1.0, **dict.fromkeys(LEVELS, 0.0), "lower_bound": -np.inf, "upper_bound": np.inf}
MARKS = (STATUS, *FIELDS)
FREQUENCY = "frequency"


def usual_bounds(table: Table) -> tuple[Floats, Floats]:
    """Return the bounds that a table of these values has if nobody says others."""
    return np.where(table.value < 0, -np.inf, 0.0), np.full(len(table), np.inf)


def unusual_bounds(table: Table) -> NDArray[np.bool_]:
    """Tell which cells have other bounds than the usual ones."""
    lower, upper = usual_bounds(table)
    return (table.lower != lower) | (table.upper != upper)


def cells_frame(table: Table, *, value: str = "value") -> pl.DataFrame:
    """Return all cells with their true values, what is known of their contributors, and their marks.

    Frequencies that are not known are left out, as are marks where all have the usual, and columns whose name a
    dimension or the value has (:func:`taken_names` tells them).

    Raises:
        ParameterError: the table has cells that stand in no published table: their values are not the true ones.
    """
    if table.unpublished.any():
        raise ParameterError(
            "table", Said("have published cells only"), f"{int(table.unpublished.sum())} unpublished ones"
        )
    if value in table.dims:
        raise ParameterError("value", Said("not be named like a dimension"), value)
    first = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    first.append(pl.Series(value, table.value.astype(np.int64) if table.whole else table.value))
    taken = frozenset(one.name for one in first)
    return pl.DataFrame([*first, *(one for one in _further(table) if one.name not in taken)])


def taken_names(table: Table, value: str) -> list[str]:
    """Return the columns that cannot be written, a dimension or the value having their names."""
    taken = frozenset((*table.dims, value))
    return [one.name for one in _further(table) if one.name in taken]


def _further(table: Table) -> list[pl.Series]:
    columns = [pl.Series(FREQUENCY, table.frequency)] if table.frequency.any() else []
    columns += [pl.Series(f"x{place + 1}", table.largest[:, place]) for place in range(table.largest.shape[1])]
    columns.append(pl.Series(STATUS, [Status(code).word for code in table.status.tolist()]))
    bounded = bool(unusual_bounds(table).any())
    for name, field in FIELDS.items():
        numbers: Floats = getattr(table, field)
        told = bounded if name.endswith("bound") else bool(np.any(numbers != EMPTY[name]))
        if told:
            # no bound is an empty cell
            columns.append(pl.Series(name, np.where(np.isinf(numbers), np.nan, numbers)).fill_nan(None))
    return columns


def apply_marks(
    table: Table, keys: Sequence[Key], frame: pl.DataFrame, names: Sequence[str], *, source: object = "cells"
) -> Table:
    """Return a table with what the columns of these names tell of its cells.

    Args:
        table: the table of the frame.
        keys: the cell of each row; cells without a row keep what they have.
        frame: the rows.
        names: those of ``MARKS`` that are columns of the frame and marks.
        source: to be named in faults.

    Raises:
        FaultsError: statuses that are none, costs and levels that are no numbers of at least 0, bounds that are no
            numbers, all at once; then bounds that exclude the cell's value.
    """
    at = np.array([table.position[key] for key in keys], dtype=np.int64)
    faults: list[Fault] = []
    fields: dict[str, Floats] = {}
    for name in names:
        if name != STATUS:
            numbers: Floats = np.array(getattr(table, FIELDS[name]), dtype=np.float64)
            numbers[at] = _read_numbers(frame[name], name, faults)
            fields[FIELDS[name]] = numbers
    status = table.status.copy()
    if STATUS in names:
        status[at] = read_statuses(frame[STATUS], faults)
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda each: each.row))
    levels = {name.removesuffix("_level"): fields.pop(name) for name in LEVELS if name in fields}
    return _name_source(lambda: replace(table, **fields).mark_cells(status, **levels), source)


def _name_source(build: Callable[[], Table], source: object) -> Table:
    try:
        return build()
    except FaultsError as error:
        raise FaultsError(source, error.faults, count=error.count) from error


def _read_numbers(column: pl.Series, name: str, faults: list[Fault]) -> Floats:
    text = column.cast(pl.String).fill_null("").str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    empty = (text == "").to_numpy()
    free = name.endswith("bound")
    bad = ~empty & ~(np.isfinite(numbers) & (numbers >= (-np.inf if free else 0.0)))
    for row in np.flatnonzero(bad).tolist():
        any_number, positive = (
            Said("{text!r} is no number", text=text[row]),
            Said("{text!r} is no number of at least 0", text=text[row]),
        )
        faults.append(fault(row + 1, name, "number", text[row], any_number if free else positive))
    return np.where(empty, EMPTY[name], numbers)


def read_statuses(column: pl.Series, faults: list[Fault]) -> list[Status]:
    """Return the statuses of a column; what is none becomes a fault."""
    words = column.cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase().to_list()
    known: Mapping[str, Status] = {**WORDS, "": Status.SAFE}
    faults += [
        fault(
            row,
            STATUS,
            "status",
            word,
            Said("{word!r} is no status; known are {words}", word=word, words=", ".join(WORDS)),
        )
        for row, word in enumerate(words, start=1)
        if word not in known
    ]
    return [known.get(word, Status.SAFE) for word in words]


class TableFormat(StrEnum):
    """A file format of tables."""

    CELLS = "CSV or Parquet"
    ARGUS = ".tab"
    JJ = ".jj"
    APRIORI = ".hst"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something of a table that a file does not hold.

    Attributes:
        what: it is.
        cells: those it is lost of; none where it belongs to no cell.
        why: a sentence.
    """

    what: str
    cells: tuple[int, ...]
    why: str


def find_losses(table: Table, form: TableFormat) -> list[Loss]:
    """Return what of a table a format has no place for, each with the cells concerned."""
    return [
        Loss(what=what, cells=tuple(np.flatnonzero(lost).tolist()), why=why)
        for what, lost, why in _ask(table, form)
        if lost.any()
    ]


def _ask(table: Table, form: TableFormat) -> Iterator[tuple[str, Mask, str]]:
    everywhere, nowhere = np.ones(len(table), dtype=np.bool_), np.zeros(len(table), dtype=np.bool_)
    if form is TableFormat.APRIORI:
        yield (
            Said("loss|values"),
            everywhere,
            Said("an a-priori file tells statuses, costs and levels only: keep the table beside it"),
        )
    if form is TableFormat.JJ:
        numbered = Said("its cells are numbered, in the order of the table")
        yield Said("codes"), nowhere if _numbered(table) else everywhere, numbered
        yield Said("status"), table.unpublished, Said("cells of no published table are written as secondary")
    elif _numbered(table) and table.equations and form is not TableFormat.APRIORI:
        yield (
            Said("equations"),
            everywhere,
            Said("cells that are only numbered have no margins: only a .jj file holds their equations"),
        )
    if form in (TableFormat.JJ, TableFormat.APRIORI):
        yield Said("frequency"), table.frequency > 0, Said("it has no place for the number of contributors")
        yield (
            Said("loss|largest"),
            np.any(table.largest > 0, axis=1),
            Said("it has no place for the largest contributions"),
        )
    if form in (TableFormat.ARGUS, TableFormat.APRIORI):
        yield (
            Said("sliding_level"),
            _lost_widths(table, form),
            Said("it has no place for a width: give it again with {width}", width=name_setting("width")),
        )
        levels = np.max([getattr(table, name) for name in LEVELS], axis=0)
        yield Said("levels"), ~table.primary & (levels > 0), Said("only unsafe cells have levels there")
        yield Said("bounds"), unusual_bounds(table), Said("it has no place for what an attacker knows beforehand")


def _numbered(table: Table) -> bool:
    """Tell whether a table's cells are only numbered: it comes from a ``.jj`` file."""
    return table.dims == ("cell",) and table.margins not in table.position


def _lost_widths(table: Table, form: TableFormat) -> Mask:
    """Return the unsafe cells whose width is lost.

    The least width is what a ``.tab`` file without levels is read as.
    """
    bare = (table.lower_level == 0) & (table.upper_level == 0) & (table.sliding_level == LEAST)
    return table.primary & (table.sliding_level > 0) & ~(bare & (form is TableFormat.ARGUS))


def count_unlevelled(table: Table) -> int:
    """Return how many unsafe cells nobody gave a level: they have the least there is."""
    bare = (table.lower_level == 0) & (table.upper_level == 0) & (table.sliding_level <= LEAST)
    return int(((table.status == Status.PRIMARY) & bare).sum())
