"""What the account of a release costs: one entry for each column, beside counting the classes of its keys alone.

``PYTHONPATH=. python bench/account.py --rows 1000000``: twelve columns as they are written, six keys, one sensitive
column, two harmless ones and three that nobody named. The reference is the count of the keys' classes by polars, which
any k-anonymity needs. CPU seconds; the ratio is what counts.
"""

from __future__ import annotations

import argparse
import json
from time import process_time

import numpy as np
import polars as pl

from sekisho.gate.account.account import Unit, UnitOrigin
from sekisho.gate.account.columns import FrameColumns
from sekisho.gate.account.records import CoverPromise, RecordsQuestion
from sekisho.safety.cover import Coverage
from sekisho.seeds import Seed
from sekisho.words import Said


def make_frame(rows: int) -> pl.DataFrame:
    """Return twelve columns as a release of records has them: ranges and sets of keys, values of the others."""
    rng = Seed(1).rng()
    keys = {
        f"key{place}": pl.Series(rng.integers(0, size, rows)).cast(pl.String)
        for place, size in enumerate((2, 4, 9, 9, 12, 17))
    }
    others = {
        "illness": pl.Series(rng.integers(0, 50, rows)).cast(pl.String),
        "ward": pl.Series(rng.integers(0, 12, rows)).cast(pl.String),
        "shift": pl.Series(rng.integers(0, 3, rows)).cast(pl.String),
        "income": pl.Series(rng.integers(10_000, 200_000, rows)),
        "score": pl.Series(np.round(rng.normal(0, 1, rows), 3)),
        "seen": pl.Series(rng.integers(0, 4_000, rows)).cast(pl.Int32).cast(pl.Date),
    }
    return pl.DataFrame({**keys, **others})


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    frame = make_frame(rows)
    keys = tuple(name for name in frame.columns if name.startswith("key"))
    reason = "the same for everybody who is admitted"
    question = RecordsQuestion(
        unit=Unit(origin=UnitOrigin.SAID, people=rows, rows=rows),
        columns=tuple(frame.columns),
        keys=keys,
        sensitive=("illness",),
        harmless={"ward": reason, "shift": reason},
        promises=(
            CoverPromise(cover=Coverage.KEYED, columns=keys, words=Said("k = {k:g}, counted", k=2), figure=2),
            CoverPromise(cover=Coverage.SECRET, columns=("illness",), words=Said("l = {l:g}, counted", l=2), figure=2),
        ),
    )
    start = process_time()
    account = question.account(FrameColumns(frame=frame))
    spent = process_time() - start
    start = process_time()
    frame.lazy().group_by(keys).len().select(pl.col("len").min()).collect()
    reference = process_time() - start
    figures = {"rows": rows, "columns": frame.width, "open": len(account.open_entries)}
    print(json.dumps({**figures, "account": spent, "classes": reference, "ratio": spent / reference}))


if __name__ == "__main__":
    main()
