"""Releases of records as the methods on records hand them over: deleted rows bear no values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.provenance import Provenance, list_parameters


@dataclass(frozen=True, slots=True)
class Made:
    """Which method made a release, and what it has to tell."""

    name: str
    method: object
    detail: Mapping[str, object] = field(default_factory=dict[str, object])


def finished(table: MaskedTable, deleted: NDArray[np.bool_], made: Made) -> Release:
    """Return a table as a release, its deleted rows suppressed."""
    columns = {name: cells.suppress(deleted) for name, cells in table.columns.items()}
    return Release(
        table=MaskedTable(schema=table.schema, columns=columns),
        deleted=deleted,
        provenance=Provenance(name=made.name, parameters=list_parameters(made.method)),
        detail=made.detail,
    )


def borrowed(data: Dataset, source: NDArray[np.int64], deleted: NDArray[np.bool_], made: Made) -> Release:
    """Return the release in which record i bears the values of record ``source[i]``."""
    return finished(exact_table(data).take(source.astype(np.intp)), deleted, made)


def unchanged(data: Dataset, deleted: NDArray[np.bool_], made: Made) -> Release:
    """Return the release that changes nothing but deletes some rows."""
    return finished(exact_table(data), deleted, made)
