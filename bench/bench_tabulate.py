"""Tabulation with contributors, beside pandas: one group-by per margin, sums, counts and the three largest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl

from sekisho.seeds import Seed
from sekisho.tables.model.tabulate import Tabulation, flat_dimensions
from spec import Case

ROWS = 1_000_000
DIMS = ["region", "industry", "size"]


def microdata(rows: int) -> pl.DataFrame:
    """Return enterprises with skewed turnovers, some rows of one contributor."""
    rng = Seed(1).rng()
    return pl.DataFrame(
        {
            "region": [f"r{code:02}" for code in rng.integers(0, 20, rows)],
            "industry": [f"i{code:02}" for code in rng.integers(0, 30, rows)],
            "size": [f"s{code}" for code in rng.integers(0, 6, rows)],
            "turnover": rng.lognormal(3, 2, rows).round(2),
            "who": rng.integers(0, rows * 9 // 10, rows),
        }
    )


def by_pandas(frame: pd.DataFrame, contributor: str | None) -> int:
    """Return the number of cells, having found the sum, the count and the three largest of each."""
    cells = 0
    for kept in range(len(DIMS) + 1):
        for dims in combinations(DIMS, kept):
            part = frame
            if contributor is not None:
                part = frame.groupby([*dims, contributor], as_index=False).agg({"turnover": "sum"})
            keys = [part[dim] for dim in dims] or np.zeros(len(part))
            cells += len(part.groupby(keys).agg({"turnover": ["sum", "count"]}))
            part.sort_values("turnover", ascending=False).groupby(keys).head(3)
    return cells


def cases() -> Iterator[Case]:
    """Yield the two ways to count contributors: every row its own, and several rows of one."""
    frame = microdata(ROWS)
    plain = frame.to_pandas()
    dimensions = flat_dimensions(frame, DIMS)
    for contributor in (None, "who"):
        tabulation = Tabulation(dimensions=dimensions, value="turnover", contributor=contributor)
        yield Case(
            work="tabulate, " + ("rows as contributors" if contributor is None else "contributors by name"),
            size=f"{ROWS:,} rows, 4,557 cells",
            ours=lambda tabulation=tabulation: tabulation.table(frame),
            reference="pandas, a group-by per margin",
            other=lambda contributor=contributor: by_pandas(plain, contributor),
            repeat=1,
        )
