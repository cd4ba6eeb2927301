"""What is said of the joint table behind linked tables: not needed, covered, or a limit that every answer must name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sekisho.words import Said


class Cover(StrEnum):
    """Whether a system holds all that is known of the table behind linked tables.

    That is the counts by all their dimensions at once.
    """

    NONE_NEEDED = "none-needed"
    COVERED = "covered"
    NOT_COVERED = "not covered"


class CoverGap(StrEnum):
    """Why the joint table is not covered."""

    ASKED = "left out as asked"
    MANY = "it has too many cells"
    CODES = "the tables' lists of codes do not fit each other"
    ROUNDED = "no such table was found that adds up exactly enough"

    @property
    def words(self) -> Said:
        """It in words."""
        words = {
            CoverGap.ASKED: Said("left out as asked"),
            CoverGap.MANY: Said("it has too many cells"),
            CoverGap.CODES: Said("the tables' lists of codes do not fit each other"),
            CoverGap.ROUNDED: Said("no such table was found that adds up exactly enough"),
        }
        return words[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """What a system knows of the joint table behind its tables, whose cells are not below 0.

    See :mod:`sekisho.tables.model.linked.joint`.

    Attributes:
        cover: ``none-needed`` if its cells tell an attacker nothing more; ``covered`` if they are among the system's
            cells; ``not covered`` if an attacker who uses them may know more than the system says.
        dims: its dimensions; none where none is needed.
        cells: how many it has.
        gap: why it is not covered.
    """

    cover: Cover = Cover.NONE_NEEDED
    dims: tuple[str, ...] = ()
    cells: int = 0
    gap: CoverGap | None = None

    @property
    def overlooked(self) -> bool:
        """Whether it is not covered although nobody asked for that: a person must look at what was found."""
        return self.cover is Cover.NOT_COVERED and self.gap is not CoverGap.ASKED

    @property
    def limit(self) -> str:
        """What must be said beside every interval; empty if there is nothing to be said."""
        if self.cover is not Cover.NOT_COVERED:
            return ""
        dims, gap = ", ".join(self.dims), self.gap.words if self.gap else self.gap
        if not self.cells:
            return Said(
                "not used is that no cell of the joint table over {dims} is below 0 "
                "({gap}): an attacker who uses it may find narrower intervals",
                dims=dims,
                gap=gap,
            )
        return Said(
            "not used is that no cell of the joint table over {dims} ({cells:,} cells) is below 0 ({gap}): an attacker "
            "who uses it may find narrower intervals",
            dims=dims,
            cells=self.cells,
            gap=gap,
        )


NOTHING_MORE = Joint()
"""Of a single table, or of linked tables whose joint table would say nothing more."""
