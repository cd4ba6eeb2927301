"""The shared cases of rounding as tables."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import SHARED

from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import TOTAL, Table
from sekisho.tables.round.rounding import RoundedTable, Rounder

TABLES = SHARED / "tables"
CASES = TABLES / "beyond"
RNG = np.random.default_rng(0)
GROUPS = {"g1": TOTAL, "g2": TOTAL, "1": "g1", "2": "g1", "3": "g2", "4": "g2"}


def read_cases(name: str) -> list[dict[str, Any]]:
    path = CASES / f"{name}.json"
    return json.loads(path.read_text())["cases"] if path.exists() else []


def lay_out(inner: list[int], shape: tuple[int, ...]) -> Table:
    """Return the table of a row-major inner grid."""
    dimensions = [Dimension.flat(f"v{at}", [str(i) for i in range(size)]) for at, size in enumerate(shape)]
    keys = [tuple(map(str, place)) for place in np.ndindex(*shape)]
    return from_inner(dimensions, keys, np.array(inner, dtype=np.float64))


def read_table(case: dict[str, Any]) -> Table:
    if "trees" in case:
        dimensions = [Dimension(name=name, parent=GROUPS) for name in ("r", "c")]
        keys = [(row, column) for row in "1234" for column in "1234"]
        return from_inner(dimensions, keys, np.array(case["inner"], dtype=np.float64))
    if "file" not in case:
        return lay_out(case["inner"], tuple(case["shape"]))
    with (TABLES / Path(case["file"]).name).open() as stream:
        rows = list(csv.reader(stream))[1:]
    dimensions = [make_dimension(Path(case["file"]).stem, f"v{at + 1}", rows, at) for at in range(len(rows[0]) - 1)]
    return from_inner(dimensions, [tuple(row[:-1]) for row in rows], np.array([float(row[-1]) for row in rows]))


def make_dimension(table: str, name: str, rows: list[list[str]], at: int) -> Dimension:
    tree = TABLES / f"{table}_{name}.csv"
    if not tree.exists():
        return Dimension.flat(name, sorted({row[at] for row in rows}))
    with tree.open() as stream:
        return Dimension(name=name, parent={row[0]: row[1] for row in list(csv.reader(stream))[1:]})


def round_table(table: Table, rounder: Rounder) -> RoundedTable:
    return rounder.round(table, rng=RNG)


needs_cases = pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")
