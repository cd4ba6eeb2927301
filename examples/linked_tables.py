"""Two tables of the same people, each protected well, give a cell away together.

Protected as one system they do not.
"""

from __future__ import annotations

import numpy as np

from sekisho.tables.audit.intervals import Audit, audit
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.join import join_tables, part_tables, view_tables
from sekisho.tables.model.table import Table
from sekisho.tables.rules.primary import MinimumFrequency, primaries
from sekisho.tables.suppress.optimiser import Optimiser

REGION = Dimension.flat("region", ["east", "north", "west"])
# 60 people in the east, 15 in the north, 40 in the west, counted by job and by age. The 3 old people of the north can
# be hidden cheaply only with the total of the north, which the table of jobs shows.
JOBS = [[2, 28, 30], [5, 5, 5], [15, 13, 12]]
AGES = [[20, 25, 15], [3, 6, 6], [10, 16, 14]]


def make_table(name: str, codes: list[str], counts: list[list[int]]) -> Table:
    """Return the table of some counts, cells below five flagged as unsafe: to be left in an interval of ten."""
    other = Dimension.flat(name, codes)
    keys = [(region, code) for region in REGION.leaves for code in other.leaves]
    table = from_inner((REGION, other), keys, np.array(counts, dtype=np.float64).ravel())
    return primaries(table, [MinimumFrequency(count=5, width=10)])


def print_audit(name: str, result: Audit) -> None:
    """Print what an attacker can learn of the unsafe cells."""
    table = result.table
    print(f"{name}: {int(table.suppressed.sum())} of {len(table)} cells suppressed")
    for cell in np.flatnonzero(table.primary):
        at = int(np.searchsorted(result.cells, cell))
        verdict = "TOO NARROW" if cell in result.narrow else "safe"
        print(f"  {table.named(cell)}: [{result.low[at]:g}, {result.high[at]:g}] {verdict}")


def main() -> None:
    """Protect two linked tables apart and together."""
    jobs, ages = make_table("job", ["A", "B", "C"], JOBS), make_table("age", ["old", "young", "middle"], AGES)
    apart = [Optimiser().suppress(table).table for table in (jobs, ages)]
    print_audit("jobs, protected alone", audit(apart[0]))
    print_audit("ages, protected alone", audit(apart[1]))
    leaking = audit(view_tables(apart).table)
    print_audit("both, as an attacker reads them", leaking)
    together = Optimiser().suppress(join_tables([jobs, ages]))
    safe = audit(view_tables(part_tables(together.table, [jobs, ages])).table)
    print_audit("both, protected together", safe)
    assert leaking.narrow.size > 0
    assert safe.narrow.size == 0


if __name__ == "__main__":
    main()
