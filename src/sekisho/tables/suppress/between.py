"""A better pattern between the best one and a point of the relaxation: small whole-number problems, cut after cut.

Source: Danna, Rothberg and Le Pape (2005), relaxation induced neighbourhood search.
"""

from __future__ import annotations

from time import monotonic

import numpy as np

from sekisho.tables.model.table import Floats, Mask
from sekisho.tables.suppress.master import Master
from sekisho.tables.suppress.separation import Separator

CLOSE = 1e-6
ROUNDS, NODES = 10, 1
"""Small whole-number problems in one attempt, and the nodes of each."""


def search_between(
    master: Master, separator: Separator, best: Mask, point: Floats, *, batch: int, until: float
) -> Mask | None:
    """Return a pattern that satisfies the pool, costs less than the best and is safe or nearly so; None if none is met.

    First what both hide stays hidden; if that gives nothing better, all that either hides is open. What a problem
    answers need not be its optimum: each cheaper pattern is cut until one is safe, or the attempts are used up.
    """
    weight = separator.table.weight
    cost = float(weight[best].sum())
    held: Mask | None = (point > 1 - CLOSE) & best
    among = (point > CLOSE) | best
    near: Mask | None = None
    for _ in range(ROUNDS):
        whole = master.whole(seconds=until - monotonic(), start=best, nodes=NODES, among=among, held=held)
        if whole.y is None or float(weight @ whole.y) > cost - CLOSE:
            if held is None:
                break
            held = None
            continue
        near = whole.y > 0.5
        if not master.add(separator.cuts(np.rint(whole.y), limit=batch, until=until)) or monotonic() > until:
            break
    return near
