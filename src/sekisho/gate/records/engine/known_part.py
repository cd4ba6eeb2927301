"""The attack of somebody who knows a part of the records, on a sample beyond memory: the same claims as in memory.

Who is single in his part and single in the sample is found by the engine, for all parts at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.engines.session import Frame
from sekisho.protect.records.engine.records import ROW
from sekisho.protect.records.engine.release import EngineSampleRelease
from sekisho.safety.hit_rate import HitRate

DRAW, COUNT, PUBLISHED = "draw", "records", "published_row"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineSampled:
    """A sample of rows that lie with an engine."""

    release: EngineSampleRelease

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.release.records

    def count_claims(self, parts: Iterable[NDArray[np.intp]]) -> HitRate:
        """Return how often he is right who claims whoever is single in the rows that he knows and in the sample."""
        everybody, codes = self.release.everybody, list(self.release.codes)
        columns = [ROW, *codes]
        known_cells = self._write_parts(parts).join(everybody.frame.select(*columns), on=ROW, how="inner")
        single_known = _keep_single(known_cells, [DRAW, *codes])
        single_drawn = _keep_single(self.release.selected.frame.select(*columns), codes).rename({ROW: PUBLISHED})
        claims = single_known.join(single_drawn, on=codes, how="inner")
        right = claims.filter(nw.col(ROW) == nw.col(PUBLISHED))
        trials, hits = (int(everybody.collect(one.select(nw.len().alias(COUNT))).item()) for one in (claims, right))
        return HitRate(hits=hits, trials=trials)

    def _write_parts(self, parts: Iterable[NDArray[np.intp]]) -> Frame:
        """Write which rows he knows in each draw, as they may be many; return them."""
        session = self.release.everybody.session
        folder, files = session.folder / "known parts", list[Path]()
        folder.mkdir()
        for number, rows in enumerate(parts):
            files.append(folder / f"part-{number:03}.parquet")
            frame = pl.DataFrame({ROW: rows}).with_columns(pl.lit(number, dtype=pl.Int32).alias(DRAW))
            frame.write_parquet(files[-1])
        return session.take_files(files)


def _keep_single(frame: Frame, columns: list[str]) -> Frame:
    """Return the rows whose values no other row has."""
    groups = frame.group_by(*columns).agg(nw.len().alias(COUNT), nw.col(ROW).min().alias(ROW))
    return groups.filter(nw.col(COUNT) == 1).drop(COUNT)
