"""Protect a table of counts, audit the result, and have its certificate checked by independent code."""

from __future__ import annotations

import json

import numpy as np

from sekisho.seeds import Seed
from sekisho.tables.audit.intervals import audit
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.suppress.optimiser import Optimiser

rng = Seed(7).rng()
regions = Dimension(
    name="region",
    parent={"north": "Total", "south": "Total", "n1": "north", "n2": "north", "s1": "south", "s2": "south"},
)
jobs = Dimension.flat("job", ["farm", "shop", "mill", "port"])
keys = [(region, job) for region in regions.leaves for job in jobs.leaves]
table = from_inner([regions, jobs], keys, rng.integers(1, 30, len(keys)).astype(np.float64))

unsafe = table.flag_cells((table.value > 0) & (table.value < 5), sliding=10.0)
answer = Optimiser().suppress(unsafe)
print(answer.table, "optimal" if answer.optimal else f"gap {answer.last.gap:.0%}")

found = audit(answer.table)
for cell, low, high in zip(found.cells.tolist(), found.low, found.high, strict=True):
    print(f"{answer.table.named(cell):<28} lies in [{low:g}, {high:g}]")
assert not found.narrow.size

checked = check(json.dumps(make_certificate(answer)))
print("certificate", "valid" if checked.valid else checked.errors)
assert checked.valid
