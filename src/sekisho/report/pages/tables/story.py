"""What a page about one table tells, and how its lists are cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sekisho.report.kit.blocks import Block, Paragraph
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words
from sekisho.report.pages.tables.grid import Intervals
from sekisho.tables.explain import CellReason
from sekisho.tables.model.table import Table as Cells
from sekisho.tables.model.whole_numbers import WholeNumbers
from sekisho.words import Said

LONGEST = 400
"""So many rows of a list are shown."""
MOST_CELLS = 14_400
"""So many cells are drawn on a page: four times 60 × 60, about 1.5 MB."""
FEWEST_ROWS, FEWEST_CELLS = 10, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much of a page a table may take."""

    cells: int = MOST_CELLS
    rows: int = LONGEST


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Story:
    """What a page about one table tells.

    Attributes:
        audited: the table with its intervals.
        disclosed: the suppressed cells that an attacker can derive exactly.
        narrow: the primaries whose interval misses a level.
        name: of the table, where there are several.
        pictures: whether to draw it.
        reasons: why each secondary is suppressed; None leaves the explanation out.
        answer: what the optimiser said, as labels and values.
        unasked: of how many secondaries the reason was not asked.
        reasons_of: the table whose cells the reasons name, if it is another than the audited one.
        insiders: how many contributors of one cell were considered together; 0 for outsiders only.
        exposed: the primaries that contributors of another cell estimate too closely.
        room: how much of the page it may take.
        whole: what is known of attackers who know that cells are whole numbers; None where it is not asked.
        edition: who may read it; the public one tells unsafe cells from those suppressed for them nowhere.
    """

    audited: Intervals
    disclosed: NDArray[np.intp]
    narrow: NDArray[np.intp]
    name: Words = ""
    pictures: bool = True
    reasons: Sequence[CellReason] | None = None
    answer: tuple[tuple[Words, Words], ...] = ()
    reasons_of: Cells | None = None
    unasked: int = 0
    insiders: int = 0
    exposed: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    room: Room = field(default_factory=Room)
    whole: WholeNumbers | None = None
    edition: Edition = Edition.CONFIDENTIAL


def share_room(stories: Sequence[Story]) -> list[Story]:
    """Return the stories of one page, each with its share of it: it must open at once, however many they are."""
    drawn = max(1, sum(story.pictures for story in stories))
    room = Room(cells=max(FEWEST_CELLS, MOST_CELLS // drawn), rows=max(FEWEST_ROWS, LONGEST // max(1, len(stories))))
    return [replace(story, room=room) for story in stories] if len(stories) > 1 else list(stories)


def rest_blocks(length: int, shown: int = LONGEST) -> list[Block]:
    """Return how many rows of a list are not shown, if any."""
    left = length - shown
    if left <= 0:
        return []
    return [Paragraph(text=Said("{left:,} further {left:row is|rows are} not shown.", left=left))]
