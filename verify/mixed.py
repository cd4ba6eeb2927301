"""Releases between safe and raw, for the experiments: a grouped release of which some whole groups are left raw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.candidate_search import number_twins
from sekisho.attack.history.histories import gather_published
from sekisho.data.frame.cells import Cells, RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.provenance import Provenance


def leave_raw(original: Dataset, grouped: Release, people: int) -> Release:
    """Return the release with whole groups of twins, ``people`` persons in all, left raw under their pseudonyms."""
    owner = original.codes("customer")
    name = pseudonyms(original, grouped)
    raw = np.isin(name[owner], _choose_groups(original, grouped, people))
    exact = exact_table(original)
    columns = {
        column: _merge_cells(raw, exact.columns[column], cells) for column, cells in grouped.table.columns.items()
    }
    table = MaskedTable(
        schema=original.schema, columns=columns, pseudonym=np.where(grouped.deleted & ~raw, 0, name[owner])
    )
    provenance = Provenance(name="left-raw", parameters={"people": people, "grouped": grouped.provenance.as_dict()})
    return Release(table=table, deleted=grouped.deleted & ~raw, provenance=provenance)


def pseudonyms(original: Dataset, release: Release) -> NDArray[np.int64]:
    """Return each customer's pseudonym, 0 for one whose rows are all deleted."""
    assert release.table.pseudonym is not None
    name = np.zeros(len(original.domain("customer")), np.int64)
    np.maximum.at(name, original.codes("customer"), release.table.pseudonym)
    return name


def _choose_groups(original: Dataset, grouped: Release, people: int) -> NDArray[np.int64]:
    rows = gather_published(grouped.table, original)
    kind = number_twins(rows)
    order = np.lexsort((kind, np.bincount(kind)[kind]))
    assert kind[order[people - 1]] != kind[order[people]], "the groups do not sum to so many people"
    return rows.pseudonyms[order[:people]]


def _merge_cells(raw: NDArray[np.bool_], exact: Cells, masked: Cells) -> Cells:
    if isinstance(exact, RangeCells) and isinstance(masked, RangeCells):
        return RangeCells(
            lower=np.where(raw, exact.lower, masked.lower),
            upper=np.where(raw, exact.upper, masked.upper),
            suppressed=masked.suppressed & ~raw,
        )
    assert isinstance(exact, SetCells)
    assert isinstance(masked, SetCells)
    kept = ~raw[masked.owners()]
    rows = np.concatenate([np.flatnonzero(raw), masked.owners()[kept]])
    return gather_sets(rows, np.concatenate([exact.codes[raw], masked.codes[kept]]), len(raw), exact.domain)
