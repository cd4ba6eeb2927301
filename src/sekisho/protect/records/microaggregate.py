"""Microaggregation: records form groups of k to 2k - 1 like ones, and all of a group bear one value in each key.

Numbers become the group's mean (rounded to the column's last decimal) or median, ordered categories its median, other
categories its most frequent value.

Against whom: one who knows a person's values of the keys and looks for his record: k or more records have the same
keys, and none has exactly the person's own. That a record's group is the one nearest to the person's values is likely,
so nothing is promised about what the members of a group have in common in other columns, nor against one who knows
those.

Missing cells: records that lack the same numbers are grouped among themselves, and what is missing stays missing. Those
whose pattern fewer than k records share are grouped together, with the rarest other pattern where they are fewer than k
still; a number that only some of a group lack is suppressed for all of it. So the k of what is written holds, and no
number is invented. A missing category is a category.

Source: Domingo-Ferrer, Mateo-Sanz, "Practical data-oriented microaggregation for statistical disclosure control", TKDE
14(1), 2002; Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", DMKD
11(2), 2005.

The one value that all records of a group bear.

Two faster ways to group records: halving along the widest direction, and the best cuts of a line.

- tree: records are cut in two where they stand, in the order of the number that varies most among them, again and again
  while both halves keep k; the cut is the one near the middle that leaves multiples of k (a k-d tree whose leaves have
  k to 2k - 1 records). Time n log n.
- line: records are put in the order of their first principal component, and the line is cut into runs of k to 2k - 1
  whose sum of squares is the least possible (Hansen and Mukherjee). Of one column these are the best groups of all.

Sources: Hansen, Mukherjee, "A polynomial algorithm for optimal univariate microaggregation", TKDE 15(4), 2003;
Domingo-Ferrer, Martinez-Balleste, Mateo-Sanz, Sebe, "Efficient multivariate data-oriented microaggregation", VLDB J.
15(4), 2006.

MDAV: the record farthest from the mean takes its k - 1 nearest, then the record farthest from that one does.

While 3k or more records are left: r is the one farthest from their mean, s the one farthest from r; r with its k - 1
nearest is a group, then s with its nearest among the rest. With 2k or more left, r with its nearest is a group and the
rest is the last; with fewer the rest is. Of equally far records the first counts. Groups have k to 2k - 1 records.

Source: Domingo-Ferrer, Mateo-Sanz, "Practical data-oriented microaggregation", TKDE 14(1), 2002; Domingo-Ferrer, Torra,
"Ordinal, continuous and heterogeneous k-anonymity through microaggregation", DMKD 11(2), 2005, algorithm 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_NUMBER, MISSING_TEXT, Cells, RangeCells, SetCells, find_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import BugError, Fault, FaultsError, InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.points import (
    MixedPoints,
    group_along_line,
    group_by_distance,
    group_by_halving,
    standardise,
)
from sekisho.protect.records.recoding.key_columns import KeyColumn, read_keys
from sekisho.protect.records.record_release import ClassedCells, ReleaseMaker, release_classes
from sekisho.words import Said


def find_means(grid: NDArray[np.int64], owner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the mean of each group, rounded to the grid, halves up."""
    least = int(grid.min())
    sums = np.bincount(owner, weights=(grid - least).astype(np.float64))
    return least + np.floor(sums / np.bincount(owner) + 0.5).astype(np.int64)


def find_medians(grid: NDArray[np.int64], owner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the median of each group; of an even number of records the lower of the middle two."""
    order = np.lexsort((grid, owner))
    sizes = np.bincount(owner)
    return grid[order][np.cumsum(sizes) - sizes + (sizes - 1) // 2]


def find_modes(codes: NDArray[np.int32], owner: NDArray[np.int64], values: int) -> NDArray[np.int64]:
    """Return the most frequent code of each group; of equals the first."""
    pairs, counts = np.unique(owner * values + codes, return_counts=True)
    group, code = np.divmod(pairs, values)
    order = np.lexsort((code, -counts, group))
    first = np.searchsorted(group[order], np.arange(int(owner.max()) + 1))
    return code[order][first]


class GroupingWay(StrEnum):
    """How groups are made: MDAV, a k-d tree, or the best cuts of a line."""

    MDAV = "mdav"
    TREE = "tree"
    LINE = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Microaggregate:
    """Let groups of k to 2k - 1 like records bear their mean, median or most frequent value (microaggregation).

    The keys are then k-anonymous. What is lost is told as SSE / SST of the numbers in units of their deviation.

    Example: `sekisho protect microaggregate people.csv --keys age,income --k 5 --out R.csv`

    Source: Domingo-Ferrer, Mateo-Sanz, TKDE 2002 (MDAV); Hansen, Mukherjee, TKDE 2003 (line).
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that are aggregated, a,b,c; all quasi-identifiers if none."}
    )
    k: int = field(default=5, metadata={"help": "Least number of records in a group."})
    how: GroupingWay = field(
        default=GroupingWay.MDAV, metadata={"help": "MDAV; or faster: a k-d tree, or the best cuts of a line."}
    )
    order: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]],
        metadata={"help": "Categories with an order, which become the median: size=small,medium,large."},
    )
    median: tuple[str, ...] = field(default=(), metadata={"help": "Numbers that become the median, not the mean."})

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", Said("be 1 or more"), self.k)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the aggregated records; none is deleted and no chance plays a part.

        Raises:
            InfeasibleError: there are fewer than k records.
            ParameterError: a key is unknown or the identifier.
            FaultsError: an order or a median is asked of what has none, or an order lacks values; all at once.
        """
        del rng
        require_one_row(data)
        keys = read_keys(data, self.keys, {})
        self._refuse_misuse(data, keys)
        if len(data) < self.k:
            raise InfeasibleError(Said("{records} records cannot form a group of {k}", records=len(data), k=self.k))
        ranks = {name: _rank_values(data, name, values) for name, values in self.order.items()}
        scales = [ranks.get(key.column.name, key.grid[key.codes.codes] if len(key.grid) else None) for key in keys]
        measured = [scale for scale in scales if scale is not None]
        labels = [key.codes.codes for key, scale in zip(keys, scales, strict=True) if scale is None]
        owner = self._group_patterns(standardise(measured, len(data)), labels, [find_gaps(scale) for scale in measured])
        sizes = np.bincount(owner)
        if int(sizes.min()) < self.k or int(sizes.max()) >= max(2, 2 * self.k):
            raise BugError(f"groups of {int(sizes.min())} to {int(sizes.max())} records, {self.k} are promised")
        names = [key.column.name for key in keys]
        classed = ClassedCells(
            owner=owner, cells={name: self._aggregate(data, name, owner, ranks.get(name)) for name in names}
        )
        return release_classes(
            data, classed, ReleaseMaker("microaggregate", self, self._describe(data, classed, ranks, sizes))
        )

    def _refuse_misuse(self, data: Dataset, keys: Sequence[KeyColumn]) -> None:
        names = {key.column.name: key for key in keys}
        faults: list[Fault] = []
        for option, asked, numeric in (("order", tuple(self.order), False), ("median", self.median, True)):
            for name in asked:
                if name not in names:
                    faults.append(
                        _make_fault(option, name, Said("{name} is no key ({names})", name=name, names=", ".join(names)))
                    )
                elif names[name].column.kind.numeric is not numeric:
                    numbers, categories = (
                        Said("{name} is no column of numbers", name=name),
                        Said("{name} is no column of categories", name=name),
                    )
                    faults.append(_make_fault(option, name, numbers if numeric else categories))
        for name, values in self.order.items():
            if name not in names or names[name].column.kind.numeric:
                continue
            lacking = [value for value in data.domain(name) if value not in {*values, MISSING_TEXT}]
            twice = sorted({value for value in values if values.count(value) > 1})
            faults += [
                _make_fault(
                    "order", value, Said("{value!r} of {name} has no place in the order", value=value, name=name)
                )
                for value in lacking
            ]
            faults += [
                _make_fault(
                    "order", value, Said("{value!r} of {name} has two places in the order", value=value, name=name)
                )
                for value in twice
            ]
        if faults:
            raise FaultsError(Said("options"), faults)

    def _group_patterns(
        self, numbers: NDArray[np.float64], labels: Sequence[NDArray[np.int32]], gaps: Sequence[NDArray[np.bool_]]
    ) -> NDArray[np.int64]:
        """Return the group of each record; records that lack the same numbers are grouped among themselves."""
        if not any(lacking.any() for lacking in gaps):
            return self._group(numbers, labels)
        owner, groups = np.zeros(len(numbers), dtype=np.int64), 0
        marks = [*labels, *(lacking.astype(np.int32) for lacking in gaps)]
        for rows in _split_patterns(np.stack(gaps, axis=1), self.k):
            own = self._group(numbers[rows], [codes[rows] for codes in marks])
            owner[rows] = groups + own
            groups += int(own.max()) + 1
        return owner

    def _group(self, numbers: NDArray[np.float64], labels: Sequence[NDArray[np.int32]]) -> NDArray[np.int64]:
        if self.how is GroupingWay.MDAV:
            starts = np.cumsum([0, *(int(codes.max()) + 1 for codes in labels)]).astype(np.int64)
            together = np.stack(labels, axis=1) if labels else np.zeros((len(numbers), 0), dtype=np.int32)
            points = MixedPoints(np.ascontiguousarray(numbers), np.ascontiguousarray(together.astype(np.int32)), starts)
            return group_by_distance(points, self.k)
        marks = [(codes[:, None] == np.arange(int(codes.max()) + 1)) / np.sqrt(2.0) for codes in labels]
        spread = np.concatenate([numbers, *marks], axis=1)
        return (group_by_halving if self.how is GroupingWay.TREE else group_along_line)(spread, self.k)

    def _aggregate(self, data: Dataset, name: str, owner: NDArray[np.int64], ranks: NDArray[np.int64] | None) -> Cells:
        if data.schema[name].kind.numeric:
            return _aggregate_numbers(data.grid(name), owner, find_medians if name in self.median else find_means)
        domain = data.domain(name)
        if ranks is None:
            return SetCells.exact(find_modes(data.codes(name), owner, len(domain)).astype(np.int32), domain)
        place = {value: code for code, value in enumerate(domain)}
        code_of = np.array([place.get(value, 0) for value in self.order[name]], dtype=np.int32)
        middle = _aggregate_numbers(ranks, owner, find_medians)
        gaps = middle.is_missing()
        codes = np.where(gaps, place.get(MISSING_TEXT, 0), code_of[np.where(gaps, 0, middle.lower)])
        return SetCells.exact(codes.astype(np.int32), domain).suppress(middle.suppressed)

    def _describe(
        self,
        data: Dataset,
        classed: ClassedCells,
        ranks: Mapping[str, NDArray[np.int64]],
        sizes: NDArray[np.int64],
    ) -> dict[str, object]:
        """Return groups and losses as plain data for JSON: SSE / SST of numbers, the share of categories changed."""
        errors: dict[str, float] = {}
        changed: dict[str, float] = {}
        for name, cells in classed.cells.items():
            if isinstance(cells, RangeCells):
                whole = (~cells.suppressed & ~cells.is_missing())[classed.owner]
                errors[name] = _compare_squares(data.grid(name)[whole], cells.lower[classed.owner][whole])
            elif name in ranks:
                rank_of = {value: rank for rank, value in enumerate(self.order[name])}
                by_code = np.array([rank_of.get(value, MISSING_NUMBER) for value in data.domain(name)], dtype=np.int64)
                whole = (cells.is_exact() & ~cells.is_missing())[classed.owner]
                after = by_code[cells.take(classed.owner[whole]).codes]
                errors[name] = _compare_squares(ranks[name][whole], after)
            else:
                changed[name] = float((cells.codes[classed.owner] != data.codes(name)).mean())
        return {
            "k": int(sizes.min()),
            "wanted_k": self.k,
            "groups": len(sizes),
            "largest": int(sizes.max()),
            "records": len(data),
            "sse_over_sst": sum(errors.values()) / len(errors) if errors else None,
            "sse_over_sst_by_key": errors,
            "changed_by_key": changed,
            "alike": {"keys": list(classed.cells), "least": self.k},
        }


def _make_fault(option: str, value: str, message: Said) -> Fault:
    return Fault(row=0, column=f"--{option}", rule=option, value=value, message=message)


def _rank_values(data: Dataset, name: str, values: Sequence[str]) -> NDArray[np.int64]:
    rank_of = {MISSING_TEXT: MISSING_NUMBER} | {value: rank for rank, value in enumerate(values)}
    return np.array([rank_of[value] for value in data.domain(name)], dtype=np.int64)[data.codes(name)]


def _split_patterns(gaps: NDArray[np.bool_], k: int) -> list[NDArray[np.intp]]:
    """Return sets of k or more records to be grouped by themselves: those that lack the same, and the rare together."""
    _, which, counts = np.unique(gaps, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(counts, kind="stable")
    rare = int(np.searchsorted(counts[order], k))
    while 0 < rare < len(order) and int(counts[order[:rare]].sum()) < k:
        rare += 1
    together = np.isin(which.reshape(-1), order[:rare])
    parts = [np.flatnonzero(which.reshape(-1) == pattern) for pattern in np.sort(order[rare:]).tolist()]
    return [np.flatnonzero(together), *parts] if rare else parts


def _aggregate_numbers(
    grid: NDArray[np.int64],
    owner: NDArray[np.int64],
    find: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]],
) -> RangeCells:
    """Return the number that each group bears: missing where all lack it, suppressed where only some do."""
    gaps = find_gaps(grid)
    if not gaps.any():
        return RangeCells.exact(find(grid, owner))
    sizes, lacking = np.bincount(owner), np.bincount(owner, weights=gaps)
    found = np.where(lacking == sizes, MISSING_NUMBER, 0)
    groups, among = np.unique(owner[~gaps], return_inverse=True)
    if len(groups):
        found[groups] = find(grid[~gaps], among.reshape(-1))
    return RangeCells.exact(found).suppress((lacking > 0) & (lacking < sizes))


def _compare_squares(before: NDArray[np.int64], after: NDArray[np.int64]) -> float:
    """Return the sum of squared changes over the sum of squared distances from the mean; 0 of a constant column."""
    if not len(before):
        return 0.0
    apart = before.astype(np.float64) - before.mean()
    moved = (after - before).astype(np.float64)
    whole = float(apart @ apart)
    return float(moved @ moved) / whole if whole > 0 else 0.0
