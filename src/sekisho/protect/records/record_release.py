"""Releases of records as the methods on records hand them over: deleted rows have no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, add_suppressed, take_cells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import ByClass, Labels, MaskedTable, Release, exact_cells, exact_table, gather_labels
from sekisho.provenance import Provenance, list_parameters


@dataclass(frozen=True, slots=True)
class ReleaseMaker:
    """Which method made a release, and what it reports beside it."""

    name: str
    method: object
    detail: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassedCells:
    """Cells that all records of a class share.

    Attributes:
        owner: the class of each record; -1 of one that is left out.
        cells: of each class, by key.
        labels: what is written instead, where a key has such texts; one for each class.
    """

    owner: NDArray[np.int64]
    cells: Mapping[str, Cells]
    labels: Mapping[str, pl.Series] = field(default_factory=dict[str, pl.Series])


def release_classes(data: Dataset, classed: ClassedCells, maker: ReleaseMaker) -> Release:
    """Return the release in which the keys are as their classes have them, and all else is as it was.

    Every class must have a record.
    """
    deleted = classed.owner < 0
    cells, labels = dict(classed.cells), dict(classed.labels)
    owner = classed.owner.astype(np.int32)
    if deleted.any():  # those left out are a class of their own, without values
        owner[deleted] = owner.max() + 1
        cells = {name: add_suppressed(each) for name, each in cells.items()}
        labels = {name: texts.extend_constant(None, 1) for name, texts in labels.items()}
    names = tuple(column.name for column in data.schema.attributes)
    whole = {name: exact_cells(data, name).suppress(deleted) for name in names if name not in cells}
    columns = ByClass[Cells](names=names, whole=whole, shared=cells, owner=owner, select=take_cells)
    return Release(
        table=MaskedTable(schema=data.schema, columns=columns),
        deleted=deleted,
        provenance=Provenance(name=maker.name, parameters=list_parameters(maker.method)),
        detail=maker.detail,
        labels=ByClass[Labels](names=tuple(labels), whole={}, shared=labels, owner=owner, select=gather_labels)
        if labels
        else {},
    )


def build_record_release(table: MaskedTable, deleted: NDArray[np.bool_], maker: ReleaseMaker) -> Release:
    """Return a table as a release, its deleted rows suppressed."""
    columns = {name: cells.suppress(deleted) for name, cells in table.columns.items()}
    return Release(
        table=MaskedTable(schema=table.schema, columns=columns),
        deleted=deleted,
        provenance=Provenance(name=maker.name, parameters=list_parameters(maker.method)),
        detail=maker.detail,
    )


def release_borrowed(
    data: Dataset, source: NDArray[np.int64], deleted: NDArray[np.bool_], maker: ReleaseMaker
) -> Release:
    """Return the release in which record i has the values of record ``source[i]``."""
    return build_record_release(exact_table(data).take(source.astype(np.intp)), deleted, maker)


def release_unchanged(data: Dataset, deleted: NDArray[np.bool_], maker: ReleaseMaker) -> Release:
    """Return the release that changes nothing but deletes some rows."""
    return build_record_release(exact_table(data), deleted, maker)
