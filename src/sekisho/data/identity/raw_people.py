"""Who is published as he was: counted from the release itself, whoever made it.

A person is raw if every cell that is published of him is exact and nobody else publishes the same rows. Whoever knows
one of his rows knows that it is his: nothing protects him, whatever a method promises of the others. Deleted rows do
not help those that are left.

Source: PWS Cup 2018 report, table 5 ("two people raw, the rest 2-anonymous").
"""

from __future__ import annotations

import numpy as np
import polars as pl

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.release import Release


def count_raw_people(release: Release) -> int:
    """Return how many people of a release of a history are published as they were, each alone with his rows."""
    table = release.table
    if table.pseudonym is None:
        return 0
    exact = ~release.deleted
    for cells in table.columns.values():
        exact = exact & cells.is_exact()
    touched = np.unique(table.pseudonym[~release.deleted & ~exact])
    rows = np.flatnonzero(exact & ~np.isin(table.pseudonym, touched))
    if not len(rows):
        return 0
    plain = table.take(rows)
    values = [
        pl.Series(name, cells.lower if isinstance(cells, RangeCells) else cells.codes)
        for name, cells in plain.columns.items()
    ]
    kinds = pl.DataFrame(values).select(pl.struct(pl.all()).rank("dense").alias("kind"))
    histories = (
        kinds.with_columns(pl.Series("person", table.pseudonym[rows]))
        .group_by("person")
        .agg(pl.col("kind").sort().cast(pl.String).str.join(" ").alias("history"))
    )
    shared = histories.group_by("history").len()
    return int((shared["len"] == 1).sum())
