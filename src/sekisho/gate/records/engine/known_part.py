"""The attack of somebody who knows a part of the records, on a sample beyond memory: the same claims as in memory.

The parts that he knows are drawn as in memory, row by row; who is single in his part and single in the sample is found
by the engine, for all parts at once.
"""

from __future__ import annotations

import narwhals as nw
import polars as pl

from sekisho.attack.records.single_match import draw_known_rows
from sekisho.data.engines.session import Frame
from sekisho.gate.records.known_part import DRAWS, KnownPartAttack
from sekisho.protect.records.engine.records import ROW
from sekisho.protect.records.engine.release import LargeSampleRelease
from sekisho.safety.hit_rate import HitRate
from sekisho.seeds import Seed

DRAW, COUNT, PUBLISHED = "draw", "records", "published_row"


def attack_large_sample(release: LargeSampleRelease, known: int, *, seed: Seed, draws: int = DRAWS) -> KnownPartAttack:
    """Let the adversary who knows so many records, drawn by chance, attack a sample of the file; count all draws."""
    everybody, codes, records = release.everybody, list(release.codes), release.mechanism.records
    columns = [ROW, *codes]
    parts = _write_known_parts(release, min(known, records), seed, draws)
    known_cells = parts.join(everybody.frame.select(*columns), on=ROW, how="inner")
    single_known = _keep_single(known_cells, [DRAW, *codes])
    single_drawn = _keep_single(release.drawn.frame.select(*columns), codes).rename({ROW: PUBLISHED})
    claims = single_known.join(single_drawn, on=codes, how="inner")
    right = claims.filter(nw.col(ROW) == nw.col(PUBLISHED))
    trials, hits = (int(everybody.collect(each.select(nw.len().alias(COUNT))).item()) for each in (claims, right))
    return KnownPartAttack(
        known=min(known, records), draws=draws, records=records, rate=HitRate(hits=hits, trials=trials)
    )


def _write_known_parts(release: LargeSampleRelease, known: int, seed: Seed, draws: int) -> Frame:
    """Write which rows he knows in each draw, as they may be many; return them."""
    session = release.everybody.session
    folder = session.folder / "known parts"
    folder.mkdir()
    files = [folder / f"part-{number:03}.parquet" for number in range(draws)]
    for number, file in enumerate(files):
        rows = draw_known_rows(release.mechanism.records, known, rng=seed.child(f"known part {number}").rng())
        pl.DataFrame({ROW: rows}).with_columns(pl.lit(number, dtype=pl.Int32).alias(DRAW)).write_parquet(file)
    return session.take_files(files)


def _keep_single(frame: Frame, columns: list[str]) -> Frame:
    """Return the rows whose values no other row has."""
    groups = frame.group_by(*columns).agg(nw.len().alias(COUNT), nw.col(ROW).min().alias(ROW))
    return groups.filter(nw.col(COUNT) == 1).drop(COUNT)
