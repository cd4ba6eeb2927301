"""What one column becomes when it is coded, and how its cells are then written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.frame.cells import MISSING_NUMBER, Cells, RangeCells, SetCells, find_gaps, gather_sets
from sekisho.data.frame.dataset import Column, Kind
from sekisho.data.frame.release import MARKS, NO_LABEL, Labels, MarkedNumbers
from sekisho.errors import BugError
from sekisho.words import Said

PLAIN = OrdinaryWriting()
"""How options and reports write numbers and dates: ISO dates, a decimal point."""
FEW = 3
"""A coded value that fewer records bear still singles them out."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodingResult:
    """A column as it was coded.

    Attributes:
        cells: what each record's cell admits.
        labels: what is written instead of the cells; None where all are written as they are.
        report: by rule, what was coded and how many records, as plain data for JSON.
        changed: which records are written otherwise than they were.
        warnings: coded values that hardly anybody bears.
    """

    cells: Cells
    labels: Labels | None
    report: Mapping[str, object]
    changed: NDArray[np.bool_]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberCoding:
    """How a column of numbers is coded, on its grid; what is None is not asked for.

    Attributes:
        top: this and larger values are written ``>=top``.
        bottom: this and smaller values are written ``<=bottom``.
        step: other values are rounded to multiples of it, halves up.
        edges: other values are written as the interval between two of these, the lower included.
    """

    top: int | None = None
    bottom: int | None = None
    step: int | None = None
    edges: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RareCoding:
    """How rare categories are merged.

    Attributes:
        least: categories that fewer records bear are merged.
        label: what they are written as; None: as the set of them.
    """

    least: int = 1
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """Cells and labels that rules are written into, one after the other."""

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    mark: NDArray[np.int8]
    value: NDArray[np.int64]

    def put(self, mask: NDArray[np.bool_], low: ArrayLike, high: ArrayLike) -> None:
        """Write ends into the cells under a mask."""
        self.lower[mask], self.upper[mask] = low, high

    def label(self, mask: NDArray[np.bool_], mark: str, value: ArrayLike) -> None:
        """Write labels into the cells under a mask."""
        self.mark[mask], self.value[mask] = MARKS.index(mark), value


def code_numbers(
    column: Column, grid: NDArray[np.int64], coding: NumberCoding, weights: NDArray[np.int64] | None = None
) -> CodingResult:
    """Return a column of numbers with its tails cut, and what lies between rounded or put into intervals.

    Missing cells stay missing.

    Args:
        column: which.
        grid: its values.
        coding: what is asked.
        weights: how many records each row stands for; None: one each.
    """
    gaps = find_gaps(grid)
    if gaps.any():
        present = code_numbers(column, grid[~gaps], coding, None if weights is None else weights[~gaps])
        return _keep_gaps(present, gaps)
    cells = _Cells(
        lower=grid.copy(),
        upper=grid.copy(),
        mark=np.full(len(grid), NO_LABEL, dtype=np.int8),
        value=np.zeros_like(grid),
    )
    report: dict[str, object] = {}
    warnings: list[str] = []
    high = grid >= coding.top if coding.top is not None else np.zeros(len(grid), dtype=np.bool_)
    low = grid <= coding.bottom if coding.bottom is not None else np.zeros(len(grid), dtype=np.bool_)
    for rule, mask, end, mark in (("top", high, coding.top, ">="), ("bottom", low, coding.bottom, "<=")):
        if end is None:
            continue
        label = mark + _write(column, end)
        ends = (end, grid.max(initial=end)) if rule == "top" else (grid.min(initial=end), end)
        cells.put(mask, *ends)
        cells.label(mask, mark, end)
        count = _count(mask, weights)
        report[rule] = {"threshold": _write(column, end), "written": label, "records": count}
        warnings += _warn_few(column.name, label, count)
    middle = ~(high | low)
    if coding.step is not None:
        _round(grid, coding.step, middle, cells)
        step = f"{coding.step} days" if column.kind is Kind.DATE else _write(column, coding.step)
        report["round"] = {"multiple": step, "records": _count(middle, weights)}
    if coding.edges:
        counts = {label: _count(inside, weights) for label, inside in _cut(column, grid, coding, middle, cells).items()}
        report["intervals"] = counts
        for label, count in counts.items():
            warnings += _warn_few(column.name, label, count)
    changed = high | low | (middle if coding.step is not None or coding.edges else np.zeros_like(middle))
    ranges = RangeCells(lower=cells.lower, upper=cells.upper, suppressed=np.zeros(len(grid), dtype=np.bool_))
    return CodingResult(
        cells=ranges,
        labels=MarkedNumbers(mark=cells.mark, value=cells.value),
        report=report,
        changed=changed,
        warnings=tuple(warnings),
    )


def _keep_gaps(coded: CodingResult, gaps: NDArray[np.bool_]) -> CodingResult:
    """Return coded numbers among which the missing ones stand again, as they were."""
    cells, labels = coded.cells, coded.labels
    if not isinstance(cells, RangeCells) or not isinstance(labels, MarkedNumbers):
        raise BugError("numbers are coded as numbers")
    lower, upper, value = (np.full(len(gaps), MISSING_NUMBER) for _ in range(3))
    mark, changed = np.full(len(gaps), MARKS.index(""), dtype=np.int8), np.zeros(len(gaps), dtype=np.bool_)
    lower[~gaps], upper[~gaps], value[~gaps] = cells.lower, cells.upper, labels.value
    mark[~gaps], changed[~gaps] = labels.mark, coded.changed
    ranges = RangeCells(lower=lower, upper=upper, suppressed=np.zeros(len(gaps), dtype=np.bool_))
    return replace(coded, cells=ranges, labels=MarkedNumbers(mark=mark, value=value), changed=changed)


def _round(grid: NDArray[np.int64], step: int, middle: NDArray[np.bool_], cells: _Cells) -> None:
    half = step // 2
    rounded = (grid[middle] + half) // step * step
    cells.put(middle, rounded - half, rounded - half + step - 1)
    cells.label(middle, "", rounded)


def _cut(
    column: Column, grid: NDArray[np.int64], coding: NumberCoding, middle: NDArray[np.bool_], cells: _Cells
) -> dict[str, NDArray[np.bool_]]:
    """Put the values between the tails into intervals; return which rows each has."""
    edges = np.array(coding.edges, dtype=np.int64)
    place = np.searchsorted(edges, grid, side="right")
    rows: dict[str, NDArray[np.bool_]] = {}
    for part in range(len(edges) + 1):
        inside = middle & (place == part)
        low = grid.min(initial=edges[0]) if part == 0 else edges[part - 1]
        high = grid.max(initial=edges[-1]) if part == len(edges) else edges[part] - 1
        low = low if coding.bottom is None else max(low, coding.bottom + 1)
        high = high if coding.top is None else min(high, coding.top - 1)
        if not inside.any():
            continue
        cells.put(inside, low, high)
        label = _write(column, int(low)) if low == high else f"[{_write(column, int(low))};{_write(column, int(high))}]"
        if part in {0, len(edges)}:
            mark, end = ("<", int(edges[0])) if part == 0 else (">=", int(edges[-1]))
            cells.label(inside, mark, end)
            label = mark + _write(column, end)
        rows[label] = inside
    return rows


def _count(mask: NDArray[np.bool_], weights: NDArray[np.int64] | None) -> int:
    return int(mask.sum() if weights is None else weights[mask].sum())


def merge_rare(
    column: Column,
    codes: NDArray[np.int32],
    domain: tuple[str, ...],
    coding: RareCoding,
    weights: NDArray[np.int64] | None = None,
) -> CodingResult:
    """Return a column of categories whose rarest values are written as one.

    Values that fewer than ``least`` records bear are merged, and the next rarest with them until the merged ones have
    so many together (a value that is called like the label joins them); of equals, the first in the alphabet goes
    first.
    """
    least, label = coding.least, coding.label
    counts = np.bincount(codes, weights=weights, minlength=len(domain)).astype(np.int64)
    order = sorted(range(len(domain)), key=lambda code: (counts[code], domain[code]))
    rare = [code for code in order if counts[code] < least]
    others = [code for code in order if counts[code] >= least]
    if rare and label in domain and domain.index(label) not in rare:
        rare.append(domain.index(label))
        others.remove(domain.index(label))
    while rare and others and int(counts[rare].sum()) < least:
        rare.append(others.pop(0))
    mask = np.isin(codes, rare)
    report = {
        "least": least,
        "merged": sorted(domain[code] for code in rare),
        "written": label if label is not None else "the set of the merged values",
        "records": _count(mask, weights),
    }
    if not mask.any():
        return CodingResult(
            cells=SetCells.exact(codes, domain), labels=None, report={"rare": report}, changed=np.zeros_like(mask)
        )
    kept = np.flatnonzero(~mask)
    rows = np.concatenate([kept, np.repeat(np.flatnonzero(mask), len(rare))])
    values = np.concatenate([codes[kept], np.tile(np.array(sorted(rare), dtype=np.int32), int(mask.sum()))])
    cells = gather_sets(rows, values.astype(np.int32), len(codes), domain)
    texts = None
    if label is not None:
        texts = pl.Series(column.name, [None, label], dtype=pl.String).gather(mask.astype(np.int64))
        # an exact category is written as it stands, not with its marks in code as in a set
        texts = texts.fill_null(pl.Series(column.name, domain, dtype=pl.String).gather(codes))
    count = _count(mask, weights)
    warnings = _warn_few(column.name, label or Said("the merged values"), count) if count < min(least, FEW) else []
    if count < least:
        warnings.append(
            Said(
                "{name}: all values together have {count:,} records, fewer than {least:,}",
                name=column.name,
                count=count,
                least=least,
            )
        )
    return CodingResult(cells=cells, labels=texts, report={"rare": report}, changed=mask, warnings=tuple(warnings))


def _warn_few(name: str, label: str, count: int) -> list[str]:
    if not 0 < count < FEW:
        return []
    if count == 1:
        message = Said(
            "{name} {label} is borne by one record only: its value is hidden, not that it is rare",
            name=name,
            label=label,
        )
    else:
        message = Said(
            "{name} {label} is borne by {count} records only: its value is hidden, not that it is rare",
            name=name,
            label=label,
            count=count,
        )
    return [message]


def _write(column: Column, value: int) -> str:
    return str(PLAIN.write(np.array([value], dtype=np.int64), column.kind, column.decimals)[0])
