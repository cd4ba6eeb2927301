"""Releases of records as the methods on records hand them over: deleted rows have no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.provenance import Provenance, list_parameters


@dataclass(frozen=True, slots=True)
class Maker:
    """Which method made a release, and what it reports beside it."""

    name: str
    method: object
    detail: Mapping[str, object] = field(default_factory=dict[str, object])


def build_record_release(table: MaskedTable, deleted: NDArray[np.bool_], maker: Maker) -> Release:
    """Return a table as a release, its deleted rows suppressed."""
    columns = {name: cells.suppress(deleted) for name, cells in table.columns.items()}
    return Release(
        table=MaskedTable(schema=table.schema, columns=columns),
        deleted=deleted,
        provenance=Provenance(name=maker.name, parameters=list_parameters(maker.method)),
        detail=maker.detail,
    )


def release_borrowed(data: Dataset, source: NDArray[np.int64], deleted: NDArray[np.bool_], maker: Maker) -> Release:
    """Return the release in which record i has the values of record ``source[i]``."""
    return build_record_release(exact_table(data).take(source.astype(np.intp)), deleted, maker)


def release_unchanged(data: Dataset, deleted: NDArray[np.bool_], maker: Maker) -> Release:
    """Return the release that changes nothing but deletes some rows."""
    return build_record_release(exact_table(data), deleted, maker)
