"""People left out of a history altogether: those whose histories tell most, and who are therefore hardest to hide.

A person's history tells, for each of its cells, as many bits as the cell is rare among all rows::

    bits(person) = sum over his rows and their attributes of -log2(share of the rows with the same value)

Numbers and dates are compared by twenty steps of equal width, so that far ends are rare. Long histories and histories
of rare things come first: whoever shares a group with them loses most. Only how many are left out is said in a recipe;
who they are follows from the data and stands in confidential files alone.

Nothing is promised by it: the adversary still knows everybody's rows, and those left out count as lost.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, SetCells, add_suppressed, find_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.history.arrays import find_owners
from sekisho.errors import ParameterError
from sekisho.protect.coarser_columns import OF_METHOD
from sekisho.words import Said

STEPS = 20
"""Numbers that fall into the same of so many steps between the least and the largest count as alike."""


def measure_bits(data: Dataset) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return how many bits each person's history tells, and the people, sorted."""
    owner, names = find_owners(data)
    bits = np.zeros(len(data))
    for column in data.schema.attributes:
        values = _find_steps(data.grid(column.name)) if column.kind.numeric else data.codes(column.name)
        _, kind, rows = np.unique(values, return_inverse=True, return_counts=True)
        bits -= np.log2(rows[kind] / max(1, len(data)))
    return np.bincount(owner, weights=bits, minlength=len(names)).astype(np.float64), names


def _find_steps(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return by value its step; a missing number has one of its own."""
    gaps = find_gaps(values)
    there = values[~gaps]
    low, high = (int(there.min()), int(there.max())) if len(there) else (0, 0)
    width = max(1.0, (high - low) / STEPS)
    return np.where(gaps, -1, np.floor((values - low) / width)).astype(np.int64)


def find_hardest(data: Dataset, count: int) -> tuple[str, ...]:
    """Return the people whose histories tell most, the hardest to hide first; of equal ones the first by name."""
    bits, names = measure_bits(data)
    return tuple(names[place] for place in np.argsort(-bits, kind="stable")[:count].tolist())


def check_left_out(data: Dataset, count: int) -> None:
    """Refuse to leave out a number of people that is none, or everybody.

    Raises:
        ParameterError: it is below 0, or nobody would be left.
    """
    people = len(find_owners(data)[1]) if count else 1
    if not 0 <= count < max(1, people):
        rule = Said("lie between 0 and {most:,}: somebody must be left", most=max(0, people - 1))
        raise ParameterError("leave_out", rule, count)


def mark_left_out(data: Dataset, count: int) -> NDArray[np.bool_]:
    """Return which rows belong to the people who are left out."""
    if not count:
        return np.zeros(len(data), dtype=np.bool_)
    bits, _ = measure_bits(data)
    gone = np.zeros(len(bits), dtype=np.bool_)
    gone[np.argsort(-bits, kind="stable")[:count]] = True
    return gone[find_owners(data)[0]]


def put_back_rows(release: Release, data: Dataset, gone: NDArray[np.bool_]) -> Release:
    """Return a release of some rows of a history as one of all of them, the others deleted.

    Args:
        release: of the rows that are not gone.
        data: all rows.
        gone: those that the method did not see.
    """
    deleted, place = gone.copy(), np.where(gone, len(release.deleted), np.cumsum(~gone) - 1)
    deleted[~gone] = release.deleted
    columns = {
        name: _put_back_cells(cells, data.domain(name) if isinstance(cells, SetCells) else (), place)
        for name, cells in release.table.columns.items()
    }
    pseudonym = np.zeros(len(data), dtype=np.int64)
    if release.table.pseudonym is not None:
        pseudonym[~gone] = release.table.pseudonym
    people = len(np.unique(find_owners(data)[0][gone]))
    return replace(
        release,
        table=MaskedTable(
            schema=release.table.schema,
            columns=columns,
            pseudonym=None if release.table.pseudonym is None else pseudonym,
        ),
        deleted=deleted,
        detail={name: value for name, value in release.detail.items() if name not in OF_METHOD},
        provenance=replace(release.provenance, parameters={**release.provenance.parameters, "leave_out": people}),
    )


def _put_back_cells(cells: Cells, domain: tuple[str, ...], place: NDArray[np.int64]) -> Cells:
    """Return the cells of all rows, by where each stands among those that were seen; behind the last, it is hidden."""
    if isinstance(cells, SetCells):
        positions = {text: at for at, text in enumerate(domain)}
        whole = np.array([positions[text] for text in cells.domain], dtype=np.int32)
        cells = replace(cells, codes=whole[cells.codes], domain=domain)
    return add_suppressed(cells).take(place)
