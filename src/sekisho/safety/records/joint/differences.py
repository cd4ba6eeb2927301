"""What two releases give away by the rows that they do not share: the figures, and their words.

:mod:`sekisho.safety.records.joint.taken_apart` counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sekisho.words import Said, join_words

USUAL_ROWS = 3
"""So many rows a side must have where no k is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceSide:
    """The rows that stand in one file and not in the other.

    Attributes:
        rows: how many they are.
        settled: the secret columns of which they show one known value.
        people: how many people are in this release only; None where nobody says so.
        told_by_values: the secret columns whose values by themselves differ by no more rows than these few people.
    """

    rows: int = 0
    settled: tuple[str, ...] = ()
    people: int | None = None
    told_by_values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDifference:
    """What two releases give away by the rows that they do not share.

    Attributes:
        gone: the rows of the earlier one only.
        come: the rows of the later one only.
        wanted: so many rows a side must have.
        few: how many people have fewer fitting rows than wanted on a side that must hold theirs; where nobody says who
            is in the releases, how many classes of a side are smaller.
        settled: how many people have enough of them, with one known value; or how many classes have.
        least: the fewest fitting rows of one of them, or of a class; None where nobody is asked about.
        by_people: whether people are counted, and not classes.
    """

    gone: DifferenceSide = field(default_factory=DifferenceSide)
    come: DifferenceSide = field(default_factory=DifferenceSide)
    wanted: int = USUAL_ROWS
    few: int = 0
    settled: int = 0
    least: int | None = None
    by_people: bool = False

    @property
    def is_safe(self) -> bool:
        """Whether no side is small, settled, or told by the values of a secret column alone."""
        return not any(_is_bad(side, self.wanted) for side in (self.gone, self.come))

    @property
    def pins_people(self) -> bool:
        """Whether somebody has few fitting rows on a side, or rows of one value."""
        return bool(self.few or self.settled)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "rows_gone": self.gone.rows,
            "rows_come": self.come.rows,
            "people_gone": self.gone.people,
            "people_come": self.come.people,
            "settled_gone": list(self.gone.settled),
            "settled_come": list(self.come.settled),
            "wanted": self.wanted,
            "few": self.few,
            "settled": self.settled,
            "least": self.least,
        }

    def tell_unsafe(self, earlier: str, later: str) -> Said | None:
        """Return why the two files must not both be read; None where they may be.

        Args:
            earlier: the first release, in words.
            later: the second one.
        """
        parts = [
            *_tell_side(self.gone, self.wanted, (earlier, later)),
            *_tell_side(self.come, self.wanted, (later, earlier)),
        ]
        return join_words(parts, "; ") if parts else None

    def tell_pinned(self, earlier: str, later: str) -> Said | None:
        """Return who is known by the rows that the two files do not share; None where nobody is."""
        parts = _tell_people(self, earlier, later) if self.by_people else _tell_classes(self, earlier, later)
        return join_words(parts, "; ") if self.pins_people else None


def _is_bad(side: DifferenceSide, wanted: int) -> bool:
    return bool(0 < side.rows < wanted or side.settled or side.told_by_values)


def _tell_side(side: DifferenceSide, wanted: int, releases: tuple[str, str]) -> Iterator[Said]:
    inside, outside = releases
    if 0 < side.rows < wanted:
        yield Said(
            "{rows:,} {rows:row stands|rows stand} in {inside} and not in {outside}, fewer than {wanted}: whoever "
            "reads both has the {rows:row of one person|rows of so few people}",
            rows=side.rows,
            inside=inside,
            outside=outside,
            wanted=wanted,
        )
        return
    if side.settled:
        yield Said(
            "the {rows:,} {rows:row|rows} that {rows:stands|stand} in {inside} and not in {outside} "
            "{rows:shows|show} one value of {columns}",
            rows=side.rows,
            inside=inside,
            outside=outside,
            columns=", ".join(side.settled),
        )
    if side.told_by_values and side.people is not None:
        yield Said(
            "{people:,} {people:person is|people are} in {inside} and not in {outside}, fewer than {wanted}: the "
            "values of {columns} differ by theirs alone",
            people=side.people,
            inside=inside,
            outside=outside,
            wanted=wanted,
            columns=", ".join(side.told_by_values),
        )


def _tell_people(difference: ReleaseDifference, earlier: str, later: str) -> Iterator[Said]:
    if difference.few:
        yield Said(
            "{few:,} {few:person|people} who left, came or changed between {earlier} and {later} {few:has|have} fewer "
            "than {wanted} fitting rows among those that the two do not share, the least {least}",
            few=difference.few,
            wanted=difference.wanted,
            least=difference.least,
            earlier=earlier,
            later=later,
        )
    if difference.settled:
        yield Said(
            "the rows that {earlier} and {later} do not share show one value for {settled:,} {settled:person|people} "
            "who left, came or changed",
            settled=difference.settled,
            earlier=earlier,
            later=later,
        )


def _tell_classes(difference: ReleaseDifference, earlier: str, later: str) -> Iterator[Said]:
    if difference.few:
        yield Said(
            "the rows that {earlier} and {later} do not share make {few:,} {few:class|classes} of fewer than {wanted}, "
            "the least {least}",
            few=difference.few,
            wanted=difference.wanted,
            least=difference.least,
            earlier=earlier,
            later=later,
        )
    if difference.settled:
        yield Said(
            "the rows that {earlier} and {later} do not share make {settled:,} {settled:class|classes} of one value",
            settled=difference.settled,
            earlier=earlier,
            later=later,
        )
