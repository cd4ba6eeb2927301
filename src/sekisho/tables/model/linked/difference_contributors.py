"""Who may stand behind a difference of two sums, told from the largest contributions to each of them.

The holder of two tables without their microdata knows of each cell how many contribute and the m largest contributions.
If each contributor stands wholly in a part or wholly beside it, the contributions to the whole are those to the parts
and those to the difference, one by one. So above t, the least contribution that every table lists for sure, those to
the difference are what the lists of the parts leave of the whole's list. Of all others it is known that they are at
most t each, how many they are and what they sum up to: the most concentrated way to have that, as many of t as fit and
the rest in one, has the largest sums of the first 1, 2, 3, … contributions of all ways. Every concentration rule asks
such sums, so a difference that is safe by these is safe whoever contributes; the levels are at least the true ones.

The records of a population that are none of its parts': the difference of two populations, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.tables.model.limits import RELATIVE_SLACK
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.words import Said, name_setting

EXACT = 1e-9


def bound_contributors(difference: Table, whole: Table, parts: Sequence[Table]) -> Table:
    """Return a difference of sums with its number of contributors and the most concentrated largest contributions.

    Args:
        difference: its values; the tables have the same cells.
        whole: the population.
        parts: those that are subtracted, which have no contributor in common.

    Raises:
        ParameterError: values may be below 0: then the sizes of contributions cannot be subtracted.
        FaultsError: a part has more contributors than the whole, or one who is not among the whole's, or the rest does
            not fit: these are no parts, or somebody stands in a part and beside it.
    """
    counted = all(map(_tells_number, (whole, *parts)))
    left = whole.frequency - np.sum([part.frequency for part in parts], axis=0)
    value = difference.value
    faults = _name_cells(
        difference, counted & (left < 0), "contributors", Said("has more contributors in the parts than in the whole")
    )
    if not whole.largest.shape[1]:
        faults += _name_cells(
            difference, counted & (left == 0) & (value > 0), "contributors", Said("is left without a contributor")
        )
        _refuse(faults)
        return replace(difference, frequency=left if counted else np.zeros_like(left))
    if bool(np.any(difference.lower < 0)):
        hint = Said("give the records of each population with {microdata}", microdata=name_setting("microdata"))
        raise ParameterError(
            "contributors", Said("be told one by one where values are below 0"), "largest contributions", hint=hint
        )
    listed = np.max([_least_listed(table) for table in (whole, *parts)], axis=0)
    known, strange = _take_away(whole.largest, parts, listed)
    rest = value - known.sum(axis=1)
    rest = np.where(np.abs(rest) <= EXACT * np.maximum(1.0, np.abs(value)), 0.0, rest)
    others = left - np.count_nonzero(known, axis=1)
    faults += _name_cells(
        difference, strange, "contributors", Said("has a contribution in a part that is not among the whole's")
    )
    fits = (rest >= 0) & ((rest == 0) | (listed > 0)) & ((not counted) | (others >= 0))
    fits &= (not counted) | (rest <= others * listed * (1 + RELATIVE_SLACK) + EXACT)
    faults += _name_cells(
        difference, ~strange & ~fits, "contributors", Said("is no sum of what the contributors may have given")
    )
    _refuse(faults)
    places = whole.largest.shape[1]
    filled = np.column_stack([known, *(np.clip(rest - place * listed, 0.0, listed) for place in range(places))])
    largest = -np.sort(-filled, axis=1)[:, :places]
    return replace(difference, frequency=left if counted else np.zeros_like(left), largest=largest)


def _tells_number(table: Table) -> bool:
    """Tell whether it is known how many contribute: a table of sums alone has 0 everywhere."""
    return bool(table.frequency.any()) or not bool(table.value.any())


def _least_listed(table: Table) -> Floats:
    """Return the least contribution to each cell that is listed for sure: 0 where all of them are."""
    places = table.largest.shape[1]
    if not places:
        return np.full(len(table), np.inf)
    complete = (table.frequency <= places) & _tells_number(table)
    return np.where(complete, 0.0, table.largest[:, -1])


def _take_away(whole: Floats, parts: Sequence[Table], listed: Floats) -> tuple[Floats, Mask]:
    """Return which contributions of the whole above a limit are no part's, and where a part's is not the whole's."""
    left = np.where(whole > listed[:, None] * (1 + EXACT), whole, 0.0)
    strange = np.zeros(len(whole), dtype=np.bool_)
    for part in parts:
        for amount in part.largest.T:
            due = amount > listed * (1 + EXACT)
            close = np.abs(left - amount[:, None]) <= EXACT * np.maximum(1.0, amount[:, None])
            hit = due & close.any(axis=1)
            rows = np.flatnonzero(hit)
            left[rows, np.argmax(close[rows], axis=1)] = 0.0
            strange |= due & ~hit
    return left, strange


def _name_cells(table: Table, mask: Mask, rule: str, message: str) -> list[Fault]:
    return [
        Fault(
            row=int(cell) + 1,
            column="",
            rule=rule,
            value=f"{table.value[cell]:g}",
            message=Said("cell {cell} {message}", cell=table.named(cell), message=message),
        )
        for cell in np.flatnonzero(mask)
    ]


def _refuse(faults: list[Fault]) -> None:
    if faults:
        raise FaultsError(Said("populations"), faults)


TIMES = "which of the equal rows this is"


def subtract_records(
    whole: pl.DataFrame, part: pl.DataFrame, *, texts: Sequence[str], numbers: Sequence[str], source: object = "part"
) -> pl.DataFrame:
    """Return the rows of a population that a part of it lacks; of equal rows as many as the part has are taken away.

    Args:
        whole: the records of the population.
        part: those of the part.
        texts: the columns of codes and names that make rows equal.
        numbers: the columns of numbers that do.
        source: of the part, to be named in faults.

    Raises:
        FaultsError: a row of the part is not among the population's; all at once.
    """
    larger, smaller = (_number_equals(frame, texts, numbers) for frame in (whole, part))
    shared = list(larger.columns)
    strange = smaller.with_row_index("row").join(larger, on=shared, how="anti")
    if strange.height:
        rows = np.sort(strange["row"].to_numpy()) + 1
        raise FaultsError(source, [_name_row(part, int(row), (*texts, *numbers)) for row in rows])
    left = larger.with_row_index("row").join(smaller, on=shared, how="anti")["row"].sort()
    return whole[left]


def _number_equals(frame: pl.DataFrame, texts: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """Return what makes rows equal, and of equal rows which one each is."""
    columns = [frame[name].cast(pl.String).fill_null("").str.strip_chars() for name in texts]
    columns += [frame[name].cast(pl.Float64, strict=False).fill_null(np.nan) for name in numbers]
    made = pl.DataFrame(columns)
    return made.with_columns(pl.int_range(pl.len()).over(made.columns).alias(TIMES))


def _name_row(part: pl.DataFrame, row: int, names: Sequence[str]) -> Fault:
    value = ", ".join(f"{name}={part[name][row - 1]}" for name in names)
    return Fault(
        row=row,
        column="",
        rule="part",
        value=value,
        message=Said("{value} is not among the larger population's rows", value=value),
    )
