"""Draw exactly so many records of a file that does not fit into memory, from the whole or from each stratum.

A record leaves if its word is among the smallest of its part. Records are counted by the leading bits of their words;
only in the one bucket in which the last place falls are words looked at one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import Frame
from sekisho.protect.records.engine.kernels import BUCKET, DRAWN, PART, PLACE
from sekisho.safety.sampling import Stratum

MOST_BUCKETS = 1 << 20
"""So many counts are held, of all parts together."""
MOST_BITS = 16
COUNT, LAST = "records", "last"


def choose_bits(parts: Sequence[Stratum]) -> int:
    """Return how many leading bits of a word name its bucket; 0 where every record leaves."""
    if all(part.sample == part.records for part in parts):
        return 0
    return max(1, min(MOST_BITS, (MOST_BUCKETS // len(parts)).bit_length() - 1))


def keep_drawn(scan: Scan, parts: Sequence[Stratum], bits: int) -> Frame:
    """Return the records that are drawn.

    Args:
        scan: the records with their parts, buckets and words.
        parts: how many are drawn from each.
        bits: of the buckets; 0 where every record leaves.
    """
    if not bits:
        return scan.frame
    last = scan.session.take(find_last_words(scan, parts, bits))
    return scan.frame.join(last, on=PART, how="inner").filter(nw.col(DRAWN) <= nw.col(LAST))


def find_last_words(scan: Scan, parts: Sequence[Stratum], bits: int) -> pl.DataFrame:
    """Return, for each part that is drawn from, the word of the last record that leaves."""
    counted = scan.collect(scan.frame.group_by(PART, BUCKET).agg(nw.len().alias(COUNT)))
    counts = np.zeros((len(parts), 1 << bits), dtype=np.int64)
    counts[counted[PART].to_numpy(), counted[BUCKET].to_numpy()] = counted[COUNT].to_numpy()
    drawn = [place for place, part in enumerate(parts) if part.sample]
    sums = counts.cumsum(axis=1)
    bucket = {place: int(np.searchsorted(sums[place], parts[place].sample)) for place in drawn}
    edges = scan.session.take(
        pl.DataFrame({PART: drawn, BUCKET: list(bucket.values())}, schema={PART: pl.Int32, BUCKET: pl.Int32})
    )
    words = scan.collect(scan.frame.join(edges, on=[PART, BUCKET], how="inner").select(PART, DRAWN))
    words = words.with_columns(pl.col(PART).cast(pl.Int32)).sort(PART, DRAWN).partition_by(PART, as_dict=True)
    last = [
        words[place,][DRAWN][parts[place].sample - int(sums[place][bucket[place]] - counts[place][bucket[place]]) - 1]
        for place in drawn
    ]
    return pl.DataFrame({PART: drawn, LAST: last}, schema={PART: pl.Int32, LAST: pl.Int64})


def sort_places(frame: Frame) -> Frame:
    """Return drawn records in the order in which they are published."""
    return frame.sort(PLACE)
