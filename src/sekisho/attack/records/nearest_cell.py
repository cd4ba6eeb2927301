"""The nearest row, whatever its cells: for releases that change values as well as for those that blur them.

He knows that values may have been changed, and so names a row at the least distance: 0 from a cell that admits the
value, else the gap to the range over the width of what he knows of the column, 1 from another set (``cell_linkage``).
Of c rows as near he is right with chance 1/c at most; how often the person's own row is among them only who knows the
truth can say.

Source: Pagliuca, Seri, "Some results of individual ranking method on the system of enterprise accounts annual survey",
1999 (distance-based record linkage); Gower, Biometrics 27 (1971), for mixed columns. For cells that are ranges and
sets: ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sekisho.attack.records.cell_adversary import CellAdversary
from sekisho.attack.records.cell_linkage import ANY
from sekisho.parameters import checked


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class NearestCell(CellAdversary):
    """Names one of the nearest rows for everybody he knows; distance 0 inside a range, set or label.

    Example: `sekisho attack nearest-cell --original people.csv --published R.csv --keys age,sex --out G.csv`

    Source: Pagliuca, Seri, 1999; Gower, Biometrics 27 (1971).
    """

    reach: ClassVar[float] = ANY
