"""Whether the rows of a finished release stand in the original's order, as somebody says.

Every hit that is counted rests on it: row i of the release is what became of row i of the original. A cell that a
method made coarser still admits its own value; so the first cell that does not refutes the order. Values that were
changed by chance, swapped or averaged need not be the original's, so they refute nothing; there the order is seen where
rows agree far more often than rows that chance pairs, or where numbers go up and down together. Rows that all stand in
the original, each somewhere else, are the original in another order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.errors import Fault
from sekisho.words import Said

SURE = 5.0
"""So many standard deviations above what chance pairs, agreement is none of chance."""
NEARLY_ALL = 0.9
"""Where so many rows stand in the original as wholes, they are its own rows."""


def find_disorder(
    cells: Mapping[str, Cells],
    texts: Mapping[str, pl.Series],
    original: Dataset,
    rows: NDArray[np.intp],
    *,
    unsure: Collection[str] = (),
) -> Iterator[Fault]:
    """Give by column the first row of a release that cannot be what became of its row of the original.

    Args:
        cells: the columns of the release.
        texts: as they are written.
        original: what it was made of.
        rows: for each row of the release the row of the original that it is said to be.
        unsure: columns with labels of which it was only supposed what they mean.
    """
    faults = list(_find_excluded(cells, texts, original, rows, unsure))
    yield from faults or _find_moved(cells, texts, original, rows)


def is_order_seen(cells: Mapping[str, Cells], original: Dataset, rows: NDArray[np.intp]) -> bool:
    """Tell whether the data themselves show that the rows stand in the order that is said.

    A column shows it that agrees far more often than chance would; so do all columns together, where each cell admits
    its own value and would not in another order.
    """
    if len(rows) < 2 or any(_agrees(column, original, name, rows) for name, column in cells.items()):
        return True
    turned = _turn(rows)
    fits = all(bool(_admit(column, original, name, rows).all()) for name, column in cells.items())
    return fits and not all(bool(_admit(column, original, name, turned).all()) for name, column in cells.items())


def _find_excluded(
    cells: Mapping[str, Cells],
    texts: Mapping[str, pl.Series],
    original: Dataset,
    rows: NDArray[np.intp],
    unsure: Collection[str],
) -> Iterator[Fault]:
    """Give the first cell of each column that is made coarser and does not admit its own value."""
    for name, column in cells.items():
        shown = ~column.suppressed
        if name in unsure or bool(column.is_exact()[shown].all()):
            continue
        excluded = shown & ~_admit(column, original, name, rows)
        if excluded.any():
            yield _make_fault(name, excluded, texts, original, rows)


def _find_moved(
    cells: Mapping[str, Cells], texts: Mapping[str, pl.Series], original: Dataset, rows: NDArray[np.intp]
) -> Iterator[Fault]:
    """Give the first row that stands elsewhere, where the rows are the original's own and in no order that agrees."""
    exact = [name for name, column in cells.items() if bool(column.is_exact().all())]
    if len(exact) < 2 or is_order_seen({name: cells[name] for name in exact}, original, rows):
        return
    written = pl.DataFrame([_number(cells[name], name) for name in exact])
    own = pl.DataFrame([pl.Series(name, _read(original, name)) for name in exact])
    known = written.join(own.unique(), on=exact, how="semi", nulls_equal=True).height
    if known < NEARLY_ALL * len(rows):
        return
    for name in exact:
        differs = ~_admit(cells[name], original, name, rows)
        if differs.any():
            yield _make_fault(name, differs, texts, original, rows)


def _make_fault(
    name: str,
    wrong: NDArray[np.bool_],
    texts: Mapping[str, pl.Series],
    original: Dataset,
    rows: NDArray[np.intp],
) -> Fault:
    at = int(np.argmax(wrong))
    cell, value = str(texts[name][at]), str(original.text(name)[int(rows[at])])
    message = Said(
        "{column} is {cell!r}, which is not what became of {value!r} in row {row:,} of the original: the rows do not "
        "stand in its order, as somebody says ({count:,} such {count:cell|cells} in {column})",
        column=name,
        cell=cell,
        value=value,
        row=int(rows[at]) + 1,
        count=int(wrong.sum()),
    )
    return Fault(row=at + 1, column=name, rule="order", value=cell, message=message)


def _read(original: Dataset, name: str) -> NDArray[np.integer]:
    return original.grid(name) if original.schema[name].kind.numeric else original.codes(name)


def _admit(column: Cells, original: Dataset, name: str, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    if isinstance(column, RangeCells):
        return column.admits(original.grid(name)[rows])
    return column.admits(original.codes(name)[rows])


def _number(column: Cells, name: str) -> pl.Series:
    return pl.Series(name, column.lower if isinstance(column, RangeCells) else column.codes)


def _turn(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return rows of the original for the rows of a release in pairs that nobody claims."""
    return np.roll(rows, 1 + len(rows) // 3)


def _agrees(column: Cells, original: Dataset, name: str, rows: NDArray[np.intp]) -> bool:
    """Tell whether the cells of a column admit their own values more often than those of rows that chance pairs."""
    shown = np.flatnonzero(~column.suppressed)
    if len(shown) < 2:
        return False
    admitted = _admit(column, original, name, rows)[shown]
    chance = float(_admit(column, original, name, _turn(rows))[shown].mean())
    spread = max(np.sqrt(max(chance * (1 - chance), 1 / len(shown)) / len(shown)), 1e-12)
    if float(admitted.mean()) - chance > SURE * spread:
        return True
    return isinstance(column, RangeCells) and _goes_together(column, original.grid(name)[rows], shown)


def _goes_together(column: RangeCells, values: NDArray[np.int64], shown: NDArray[np.intp]) -> bool:
    """Tell whether numbers and those of the original go up and down together (rank correlation)."""
    pairs = pl.DataFrame({"written": column.lower[shown], "own": values[shown]})
    found = pairs.select(pl.corr("written", "own", method="spearman")).item()
    return found is not None and float(found) * np.sqrt(len(shown)) > SURE
