"""What a promise about drawn records rests on, counted again from the file that would leave.

Pk, epsilon and the risk of a sample follow from how many records there are, how many of them leave, of which parts, and
as which values they may. Nothing that the method computed is used: rows, parts and values are counted as written.
"""

from __future__ import annotations

import narwhals as nw

from sekisho.data.engines.names import make_plain
from sekisho.data.engines.scan import Scan
from sekisho.errors import BugError
from sekisho.protect.beyond_memory import EngineRelease
from sekisho.protect.records.sample import Drawn

COUNT = "sekisho_rows"


def recount_drawn(release: EngineRelease) -> None:
    """Refuse a file of drawn records that is not what its promise speaks of; other releases promise otherwise.

    Raises:
        BugError: it has other rows, parts or more values than it may.
    """
    if not isinstance(release, Drawn):
        return
    mechanism, published = release.mechanism, release.published
    rows = published.count_rows()
    if rows != mechanism.sample:
        raise BugError(f"the file to be written has {rows:,} rows, {mechanism.sample:,} are drawn")
    if mechanism.strata and mechanism.visible:
        written = sorted(_count_texts(published, mechanism.stratum))
        drawn = sorted(part.sample for part in mechanism.strata if part.sample)
        if written != drawn:
            raise BugError(f"the file to be written has {written} rows of the strata, {drawn} are drawn")
    for name, values in mechanism.domains.items():
        if name in published.names and (distinct := len(_count_texts(published, name))) > len(values):
            raise BugError(f"the file to be written has {distinct:,} values of {name}, {len(values):,} may leave")


def _count_texts(scan: Scan, name: str) -> list[int]:
    """Return how many rows have each text of a column."""
    return scan.collect(scan.frame.group_by(make_plain(name)).agg(nw.len().alias(COUNT)))[COUNT].to_list()
