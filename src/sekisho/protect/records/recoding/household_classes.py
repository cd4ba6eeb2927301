"""Households as records: members side by side, so that what hides a record hides a household.

Households of one size are laid out as rows of their own, one for each: the keys of the first member, of the second, and
so on, members sorted by their keys. A method that writes such rows alike in classes of k writes k households alike:
whoever links the rows of a household, by whatever they share, is left with k households, each of whose members stands
in the same cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_TEXT, Cells, RangeCells, gather_sets
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import MaskedTable, Release, exact_cells
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.protect.records.record_release import ReleaseMaker
from sekisho.provenance import Provenance, list_parameters
from sekisho.safety.records.classes import ColumnCodes, count_classes, number_classes, rank_dense
from sekisho.safety.records.households import check_members, number_patterns
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HouseholdRows:
    """The households of one size.

    Attributes:
        rows: of each household the rows of its members, sorted by their keys.
        keys: what an adversary may know of a member.
    """

    rows: NDArray[np.int64]
    keys: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def size(self) -> int:
        """How many members each has."""
        return self.rows.shape[1]

    def name_key(self, key: str, place: int) -> str:
        """Return what the key of a member is called."""
        return f"{place}:{key}"

    def name_trees(self, trees: Mapping[str, Path | Tree]) -> Mapping[str, Path | Tree] | None:
        """Return the trees of keys as those of members."""
        named = {self.name_key(key, place): tree for key, tree in trees.items() for place in range(self.size)}
        return named or None

    @property
    def names(self) -> tuple[str, ...]:
        """The keys of all members."""
        return tuple(self.name_key(key, place) for place in range(self.size) for key in self.keys)

    def lay_out(self, data: Dataset) -> Dataset:
        """Return the households as records."""
        columns, parts = [], list[pl.Series]()
        for place in range(self.size):
            for key in self.keys:
                name = self.name_key(key, place)
                columns.append(replace(data.schema[key], name=name, role=Role.QUASI))
                parts.append(data.frame[key].gather(self.rows[:, place]).alias(name))
        return Dataset(pl.DataFrame(parts), Schema(tuple(columns)))


def number_households(data: Dataset, column: str) -> NDArray[np.int64]:
    """Return the household of each record, numbered from 0.

    Raises:
        ParameterError: there is no such column, it is the identifier, or it is missing somewhere.
    """
    if data.schema[column].role is Role.IDENTIFIER:
        raise ParameterError("household", Said("not be the identifier"), column)
    codes = ColumnCodes.of(data.text(column).replace(MISSING_TEXT, None))
    check_members(codes)
    return rank_dense(codes.codes)


def read_households(data: Dataset, column: str, keys: Sequence[str]) -> tuple[HouseholdRows, ...]:
    """Return the households, size by size, the smallest first."""
    homes = number_households(data, column)
    values = [data.grid(key) if data.schema[key].kind.numeric else data.codes(key) for key in keys]
    order = np.lexsort((*reversed(values), homes)).astype(np.int64)
    sizes = np.bincount(homes)
    starts = np.cumsum(sizes) - sizes
    return tuple(
        HouseholdRows(rows=order[starts[sizes == size][:, None] + np.arange(size)], keys=tuple(keys))
        for size in np.unique(sizes).tolist()
    )


def join_households(
    data: Dataset, column: str, parts: Sequence[tuple[HouseholdRows, Release]], maker: ReleaseMaker
) -> Release:
    """Return the release of all members from those of their households; whoever stands in none is left out.

    The column that says who lives together is withheld.
    """
    deleted = np.ones(len(data), dtype=np.bool_)
    for homes, release in parts:
        deleted[homes.rows] = release.deleted[:, None]
    keys = parts[0][0].keys
    columns: dict[str, Cells] = {}
    for each in data.schema.attributes:
        if each.name in keys:
            columns[each.name] = _join_cells(data, each.name, parts).suppress(deleted)
        else:
            hidden = np.ones(len(data), dtype=np.bool_) if each.name == column else deleted
            columns[each.name] = exact_cells(data, each.name).suppress(hidden)
    return Release(
        table=MaskedTable(schema=data.schema, columns=columns),
        deleted=deleted,
        provenance=Provenance(name=maker.name, parameters=list_parameters(maker.method)),
        detail=maker.detail,
        labels={key: _join_labels(len(data), key, parts) for key in keys if _has_labels(key, parts)},
    )


def _join_cells(data: Dataset, key: str, parts: Sequence[tuple[HouseholdRows, Release]]) -> Cells:
    rows, cells = list[NDArray[np.int64]](), list[Cells]()
    for homes, release in parts:
        for place in range(homes.size):
            rows.append(homes.rows[:, place])
            cells.append(release.table.columns[homes.name_key(key, place)])
    if data.schema[key].kind.numeric:
        return _join_ranges(len(data), rows, [each for each in cells if isinstance(each, RangeCells)])
    domain = data.domain(key)
    places = {value: place for place, value in enumerate(domain)}
    owners, codes = list[NDArray[np.int64]](), list[NDArray[np.int32]]()
    for own, each in zip(rows, cells, strict=True):
        if not isinstance(each, RangeCells):
            owners.append(own[each.owners()])
            codes.append(np.array([places[value] for value in each.domain], dtype=np.int32)[each.codes])
    return gather_sets(np.concatenate(owners), np.concatenate(codes), len(data), domain)


def _join_ranges(count: int, rows: Sequence[NDArray[np.int64]], cells: Sequence[RangeCells]) -> RangeCells:
    lower, upper = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    suppressed = np.ones(count, dtype=np.bool_)
    for own, each in zip(rows, cells, strict=True):
        lower[own], upper[own], suppressed[own] = each.lower, each.upper, each.suppressed
    return RangeCells(lower=lower, upper=upper, suppressed=suppressed)


def _has_labels(key: str, parts: Sequence[tuple[HouseholdRows, Release]]) -> bool:
    homes, release = parts[0]
    return homes.name_key(key, 0) in release.labels


def _join_labels(count: int, key: str, parts: Sequence[tuple[HouseholdRows, Release]]) -> pl.Series:
    texts = np.full(count, None, dtype=object)
    for homes, release in parts:
        for place in range(homes.size):
            labels = release.labels[homes.name_key(key, place)]
            if isinstance(labels, pl.Series):
                texts[homes.rows[:, place]] = labels.to_numpy()
    return pl.Series(key, texts.tolist(), dtype=pl.String)


def recount_households(frame: pl.DataFrame, homes: NDArray[np.int64], keys: Sequence[str]) -> int:
    """Return the fewest households that are written alike, counted from what would be published.

    Args:
        frame: the rows as they would be published.
        homes: the household of each of them.
        keys: what an adversary may know of a member.
    """
    columns: Mapping[str, ColumnCodes] = {key: ColumnCodes.of(frame[key].cast(pl.String)) for key in keys}
    classes = number_classes(tuple(columns.values()), frame.height)
    patterns = number_patterns(rank_dense(homes), classes)
    return int(count_classes(patterns).min())
