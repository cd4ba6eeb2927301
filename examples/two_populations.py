"""Two tables in which nobody stands alone give a child away: whoever reads both subtracts them.

Protected together they do not.
"""

from __future__ import annotations

import numpy as np

from sekisho.tables.audit.intervals import Audit, audit
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.linked.populations import difference_tables
from sekisho.tables.model.table import Table
from sekisho.tables.rules.primary import MinimumFrequency, primaries
from sekisho.tables.suppress.optimiser import Optimiser

ALL = [[21, 45], [40, 60]]
ADULTS = [[20, 30], [25, 40]]
RULE = MinimumFrequency(count=5, width=10)


def make_table(counts: list[list[int]]) -> Table:
    """Return the table of some counts, by district and by house."""
    district, house = Dimension.flat("district", ["north", "south"]), Dimension.flat("house", ["own", "rented"])
    keys = [(one, two) for one in district.leaves for two in house.leaves]
    return from_inner((district, house), keys, np.array(counts, dtype=np.float64).ravel())


def print_audit(name: str, result: Audit) -> None:
    """Print what an attacker can learn of the unsafe differences."""
    table = result.table
    published = [key[0] != "children" for key in table.keys]
    print(f"{name}: {int((table.suppressed & published).sum())} of {sum(published)} published cells suppressed")
    for cell in np.flatnonzero(table.primary):
        at = int(np.searchsorted(result.cells, cell))
        verdict = "TOO NARROW" if cell in result.narrow else "safe"
        print(f"  {table.named(cell)}: [{result.low[at]:g}, {result.high[at]:g}] {verdict}")


def main() -> None:
    """Subtract the adults from all, then protect both tables so that this tells nothing."""
    everybody, adults = make_table(ALL), make_table(ADULTS)
    for name, table in (("all", everybody), ("adults", adults)):
        print(f"{name}: {int(RULE.flag(table).sum())} unsafe cells")
    both = primaries(difference_tables(everybody, adults, names=("all", "adults", "children")), [RULE])
    leaking = audit(both)
    print_audit("published as they are", leaking)
    safe = audit(Optimiser().suppress(both).table)
    print_audit("protected together", safe)
    assert leaking.narrow.size == 1
    assert safe.narrow.size == 0


if __name__ == "__main__":
    main()
