"""Who stands out, and why: the records that the fewest columns single out, with the values that do it."""

from __future__ import annotations

import numpy as np

from sekisho.errors import BugError
from sekisho.safety.records.assessment import KeyedRecords
from sekisho.safety.records.record_risk import SpecialFigures, StandOut
from sekisho.safety.records.uniques.special_uniques import SpecialUniques


def list_stand_outs(special: SpecialFigures, records: KeyedRecords, count: int) -> tuple[StandOut, ...]:
    """Return the records with the highest scores, highest first."""
    if not isinstance(special, SpecialUniques):
        raise BugError("special uniques that were counted beyond memory have no list of all records")
    scores = special.compute_scores()
    order = np.lexsort((special.rows, -scores))[:count]
    names, columns = tuple(records.keys), tuple(records.keys.values())
    found = list[StandOut]()
    for place in order.tolist():
        row = int(special.rows[place])
        first, last = np.searchsorted(special.minimal_rows, [row, row + 1]).tolist()
        if first == last:  # no set that was looked at singles it out
            continue
        bits = int(special.minimal_sets[first])
        chosen = [key for key in range(len(names)) if bits >> key & 1]
        found.append(
            StandOut(
                row=row if records.rows is None else int(records.rows[row]),
                score=float(scores[place]),
                minimal=last - first,
                columns=tuple(names[key] for key in chosen),
                values=tuple(columns[key].values[int(columns[key].codes[row])] for key in chosen),
            )
        )
    return tuple(found)
