"""Ranges of a release end on a grid where nearly everybody bears a value of their own: every door passes here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from sekisho.data.files.grammar import FieldRules
from sekisho.data.frame.cells import Cells, RangeCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.range_ends import EndsGrid, choose_grid, count_bearers, describe_grids
from sekisho.data.frame.release import ByClass, Release, SyntheticRelease


def widen_ranges(
    release: Release, original: Dataset, fields: Mapping[str, FieldRules], *, spared: frozenset[str] = frozenset()
) -> Release:
    """Return a release whose ranges end on a grid where an end is the value of few people; its detail tells the grids.

    Equal ranges stay equal and each holds what it held, so that k stays what it is or grows, and every original value
    stays admitted. Cells with labels stay: a label says what it says.

    Args:
        release: as a method made it.
        original: the people.
        fields: by column the limits that no end passes.
        spared: columns that stay as they are.
    """
    if isinstance(release, SyntheticRelease) or len(release.table) != len(original):
        return release
    shared = release.table.columns.shared if isinstance(release.table.columns, ByClass) else {}
    grids: dict[str, EndsGrid] = {}
    widened: dict[str, RangeCells] = {}
    for name in release.table.columns:
        column = release.table.schema[name]
        if not column.kind.numeric or name in release.labels or name in spared:
            continue
        cells = shared.get(name) or release.table.columns[name]
        if not isinstance(cells, RangeCells) or not bool(((cells.lower < cells.upper) & ~cells.suppressed).any()):
            continue
        values, people = count_bearers(original.grid(name))
        low, high = fields[name].limits() if name in fields else (int(np.iinfo(np.int64).min), np.iinfo(np.int64).max)
        grid = choose_grid(column, values, people, low=low, high=int(high))
        if grid is not None:
            grids[name], widened[name] = grid, grid.widen(cells)
    return _replace_columns(release, grids, widened) if grids else release


def _replace_columns(release: Release, grids: Mapping[str, EndsGrid], widened: Mapping[str, RangeCells]) -> Release:
    """Return a release with some columns replaced, its losses measured anew."""
    columns = release.table.columns
    if isinstance(columns, ByClass):
        shared = {name: widened.get(name, cells) for name, cells in columns.shared.items()}
        whole = {name: widened.get(name, cells) for name, cells in columns.whole.items()}
        columns = ByClass[Cells](
            names=columns.names, whole=whole, shared=shared, owner=columns.owner, select=columns.select
        )
    else:
        columns = {name: widened.get(name, cells) for name, cells in columns.items()}
    made = replace(release, table=replace(release.table, columns=columns))
    return replace(made, detail={**release.detail, **_measure_losses(made, grids), **describe_grids(grids)})


def _measure_losses(release: Release, grids: Mapping[str, EndsGrid]) -> dict[str, object]:
    """Return the certainty penalty of the keys anew, where the method told it."""
    before = cast("Mapping[str, float] | None", release.detail.get("ncp_by_key"))
    if not before:
        return {}
    columns = release.table.columns
    losses = dict(before)
    for name in losses.keys() & grids.keys():
        if isinstance(columns, ByClass) and name in columns.shared:
            cells, rows = cast("RangeCells", columns.shared[name]), np.bincount(columns.owner)
            losses[name] = float((grids[name].measure_loss(cells) * rows).sum()) / max(1, int(rows.sum()))
        else:
            losses[name] = float(grids[name].measure_loss(cast("RangeCells", columns[name])).mean())
    return {"ncp": sum(losses.values()) / len(losses), "ncp_by_key": losses}
