"""Before and after of every column of a release: one card each.

The released distribution is what a reader of the release would expect: a range counts evenly at each of its grid
points, a set evenly at each of its values; suppressed cells and deleted rows are missing, and seen to be missing, as
are numbers that the original lacks.

What became of the cells of each column, for readers who may not see how the original is distributed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, SetCells, drop_gaps
from sekisho.data.frame.dataset import Column, Dataset, Kind
from sekisho.data.frame.release import Release, compare_missing
from sekisho.gate.names import translate_name
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.columns import FATES, ColumnCard, Counts, Fates, Histogram
from sekisho.report.kit.blocks import Block, Heading, TableBlock
from sekisho.report.kit.words import Words, format_count, format_percent
from sekisho.words import Said, join_words

ORIGINAL, RELEASED = Said("original"), Said("released")
ROWS = Said("rows")
MOST_BINS = 24
FEW_VALUES = 20
"""Up to so many values of a column have a bin each."""
FEW_NUMBERS = 12
"""Up to so many neighbouring numbers have a bin each, which bears its number below its middle."""

Floats = NDArray[np.float64]
Counted = NDArray[np.int64]


def count_fates(cells: Cells, deleted: NDArray[np.bool_]) -> Fates:
    """Return what became of a column's cells."""
    return _sum_fates(cells, (~deleted).astype(np.int64), int(np.count_nonzero(deleted)))


def _sum_fates(cells: Cells, rows: Counted, deleted: int) -> Fates:
    """Return what became of cells of which each stands for some rows."""
    exact, gone = (int(rows[mask].sum()) for mask in (cells.is_exact(), cells.suppressed))
    wider = int(rows.sum()) - exact - gone
    ranges, sets = (wider, 0) if isinstance(cells, RangeCells) else (0, wider)
    return Fates(exact=exact, range=ranges, set=sets, suppressed=gone, deleted=deleted)


def missing_facts(original: Dataset, release: Release) -> tuple[tuple[Words, Words], ...]:
    """Return how many cells are missing before and after, by column, as a line of facts; none where none is."""
    counts = compare_missing(original, release)
    if not counts:
        return ()
    columns = [join_words((translate_name(name), f" {was:,} → {now:,}")) for name, (was, now) in counts.items()]
    return ((Said("missing cells, before and after"), join_words(columns, ", ")),)


def column_card(original: Dataset, release: Release, name: str) -> ColumnCard:
    """Return the card of one column."""
    kept = (~release.deleted).astype(np.int64)
    return counted_card(original, name, release.table.columns[name], (np.ones(len(original), dtype=np.int64), kept))


def counted_card(original: Dataset, name: str, cells: Cells, rows: tuple[Counted, Counted]) -> ColumnCard:
    """Return the card of one column of which each value before and each cell after stands for some rows.

    Args:
        original: the values.
        name: of the column.
        cells: of the release.
        rows: how many rows each value, and each cell, stands for.
    """
    column, (whole, left) = original.schema[name], rows
    if isinstance(cells, RangeCells):
        values = original.grid(name)
        there = drop_gaps(values) if len(drop_gaps(values)) else np.zeros(1, dtype=np.int64)
        bins = _date_bins(there) if column.kind is Kind.DATE else _number_bins(column, there)
        before, after = (
            _count_rows(each, count, bins.edges) for each, count in ((RangeCells.exact(values), whole), (cells, left))
        )
    else:
        bins, before, after = _rank_values(original.codes(name), cells, len(original.domain(name)), rows)
    counts = (_counts(ORIGINAL, before), _counts(RELEASED, after))
    what = _sum_fates(cells, left, max(0, int(whole.sum()) - int(left.sum())))  # a synthetic file may have more rows
    axis = Axis(
        label=join_words((translate_name(name), bins.unit)),
        log=bins.log,
        ticks=bins.ticks,
        low=bins.low,
        high=bins.high,
    )
    histogram = Histogram(
        title=join_words((translate_name(name), Said(": before and after"))),
        desc=_describe_fates(what),
        x=axis,
        y=Axis(label=ROWS, low=0.0),
        edges=tuple(bins.shown.tolist()),
        counts=counts,
        height=200.0,
    )
    return ColumnCard(histogram=histogram, fates=what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """Bins of a column: edges on its grid, the same edges as shown, and how the axis is written."""

    edges: NDArray[np.int64]
    shown: Floats
    unit: Words = ""
    log: bool = False
    ticks: tuple[tuple[float, Words], ...] = ()
    low: float | None = None
    high: float | None = None


def _date_bins(values: NDArray[np.int64]) -> Bins:
    """Return a bin for each month, or for each year where the months are too many."""
    first, last = (np.datetime64(int(end), "D") for end in (values.min(), values.max()))
    unit = "M" if (last - first).astype(np.int64) < 31 * MOST_BINS else "Y"
    starts = np.arange(first.astype(f"datetime64[{unit}]"), last.astype(f"datetime64[{unit}]") + 2)
    edges = starts.astype("datetime64[D]").astype(np.int64)
    ticks = tuple((float(edge), _tick(start.item(), unit)) for edge, start in zip(edges, starts, strict=True))
    ends = f"{first.item():%Y/%m} – {last.item():%Y/%m}"
    return Bins(
        edges=edges,
        shown=edges.astype(np.float64),
        unit=f" ({ends})",
        ticks=ticks,
        low=float(edges[0]),
        high=float(edges[-1]),
    )


def _tick(start: date, unit: str) -> Words:
    return str(start.year if unit == "Y" else start.month)


def _number_bins(column: Column, values: NDArray[np.int64]) -> Bins:
    """Return a bin for each of a few numbers, else even bins, or growing ones over more than two powers of ten."""
    low, high = int(values.min()), int(values.max())
    scale = 10.0**column.decimals
    log = low > 0 and high > 100 * low
    if high - low < FEW_NUMBERS:
        edges = np.arange(low, high + 2)
        ticks = tuple(((value + 0.5) / scale, f"{value / scale:.{column.decimals}f}") for value in range(low, high + 1))
        ends = float(low / scale), float((high + 1) / scale)
        return Bins(edges=edges, shown=edges / scale, ticks=ticks, low=ends[0], high=ends[1])
    if log:
        edges = np.unique(np.ceil(np.geomspace(low, high + 1, MOST_BINS + 1)).astype(np.int64))
    else:
        step = max(1, -(-(high + 1 - low) // MOST_BINS))
        edges = np.arange(low, high + 1 + step, step)
    return Bins(edges=edges, shown=edges / scale, log=log, low=float(edges[0] / scale), high=float(edges[-1] / scale))


def _count_rows(cells: RangeCells, rows: Counted, edges: NDArray[np.int64]) -> Floats:
    """Return how many rows fall in each bin, a range spread evenly over its grid points."""
    seen = ~cells.suppressed & ~cells.is_missing() & (rows > 0)
    visible, count = cells.take(seen), rows[seen]
    width = (visible.upper - visible.lower + 1).astype(np.float64)
    below = [float((count * np.clip(edge - visible.lower, 0, width) / width).sum()) for edge in edges]
    return np.diff(below)


def _rank_values(
    codes: NDArray[np.int32], cells: SetCells, size: int, rows: tuple[Counted, Counted]
) -> tuple[Bins, Floats, Floats]:
    """Return bins of values from the most to the least frequent in the original, and the counts before and after."""
    before = np.bincount(codes, weights=rows[0], minlength=size)
    weight = np.repeat(rows[1] / np.maximum(cells.sizes(), 1), cells.sizes())
    after = np.bincount(cells.codes, weights=weight, minlength=size)
    order = np.argsort(-before, kind="stable")
    few = size <= FEW_VALUES
    edges = np.arange(1, size + 2) if few else np.unique(np.ceil(np.geomspace(1, size + 1, 15)).astype(np.int64))
    starts = edges[:-1] - 1
    bins = Bins(
        edges=edges,
        shown=edges.astype(np.float64),
        unit=Said(", from the most frequent (1st) to the least"),
        log=not few,
        ticks=tuple((rank + 0.5, str(rank)) for rank in range(1, size + 1)) if few else (),
        low=1.0,
        high=float(edges[-1]),
    )
    return bins, np.add.reduceat(before[order], starts), np.add.reduceat(after[order], starts)


def _counts(name: Words, values: Floats) -> Counts:
    return Counts(name=name, values=tuple(np.round(values, 6).tolist()))


def _describe_fates(what: Fates) -> Said:
    shares = [(words, format_percent(cells / what.whole)) for words, _, cells in what.parts()]
    parts = [join_words((words, f" {share}")) for words, share in shares]
    fates = join_words(parts, ", ", ", ")
    return Said("Of {whole:,} {whole:cell|cells}: {fates}.", whole=what.whole, fates=fates)


def fates_table(release: Release, names: Sequence[str]) -> tuple[Block, ...]:
    """Return how many cells of each column were kept exactly, widened, suppressed or deleted."""
    kinds = [words for _, words, _ in FATES]
    rows = tuple(
        (translate_name(name), *map(format_count, count_fates(release.table.columns[name], release.deleted).counts))
        for name in names
    )
    table = TableBlock(
        head=(Said("column"), *kinds),
        rows=rows,
        caption=Said("What became of the cells of each column"),
        numeric=tuple(range(1, len(kinds) + 1)),
    )
    return (Heading(text=Said("columns|What became of the cells")), table)
