"""A release taken apart from each of those that left before: who stands among the rows that two files do not share.

What is counted, and against whom, :mod:`sekisho.safety.records.joint.taken_apart` says. People are known again by their
digests; where they are not, the classes of the rows are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sekisho.data.files.layout import HasLayout
from sekisho.data.frame.release import Release, SyntheticRelease
from sekisho.data.records.files import lay_out_rows
from sekisho.gate.output_files import RELEASE
from sekisho.gate.records.candidate import leave_out_hidden
from sekisho.gate.records.together.earlier_releases import THIS
from sekisho.gate.register.joined_records import EarlierRecords, JoinedRecords, PlacedPeople
from sekisho.safety.records.joint.differences import USUAL_ROWS, ReleaseDifference
from sekisho.safety.records.joint.taken_apart import FittingPeople, PublishedTexts, take_apart
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """What a release and each earlier one give away by the rows that they do not share.

    Attributes:
        found: by the number of the earlier release.
    """

    found: Mapping[int, ReleaseDifference] = field(default_factory=dict[int, ReleaseDifference])

    def list_unsafe(self) -> Iterator[Said]:
        """Give why it must not leave after an earlier one."""
        for number, difference in self.found.items():
            if (words := difference.tell_unsafe(_name_release(number), THIS)) is not None:
                yield words

    def list_pinned(self) -> Iterator[Said]:
        """Give who is known by the rows that it does not share with an earlier one after which it may leave."""
        for number, difference in self.found.items():
            if difference.is_safe and (words := difference.tell_pinned(_name_release(number), THIS)) is not None:
                yield words

    def to_list(self) -> list[dict[str, object]]:
        """Return it as plain data."""
        return [{"release": number, **difference.to_dict()} for number, difference in self.found.items()]


def take_release_apart(records: JoinedRecords, release: Release, rules: HasLayout, *, k: int | None) -> Differences:
    """Return what a candidate gives away beside each earlier release.

    Args:
        records: of today, and what left before.
        release: the candidate.
        rules: how it is written.
        k: of the recipe; as usual where none is asked for.
    """
    if isinstance(release, SyntheticRelease) or not records.earlier:
        return Differences()
    kept = np.flatnonzero(~release.deleted)
    rows, people = records.place(release)
    written = PublishedTexts(
        texts=lay_out_rows(leave_out_hidden(release.take(kept)), rules, Path(RELEASE)).frame,
        keys=records.keys,
        classes=rows.classes,
        people=_name_people(people),
    )
    return Differences(
        found={
            earlier.entry.number: take_apart(
                _describe_earlier(earlier), written, sensitive=records.sensitive, wanted=k or USUAL_ROWS
            )
            for earlier in records.earlier
        }
    )


def _describe_earlier(earlier: EarlierRecords) -> PublishedTexts:
    return PublishedTexts(
        texts=earlier.texts,
        keys=earlier.entry.columns.keys,
        classes=earlier.rows.classes,
        people=None if earlier.people is None else _name_people(earlier.people),
    )


def _name_people(people: PlacedPeople) -> FittingPeople | None:
    return None if people.digests is None else FittingPeople(names=people.digests, fits=people.fits)


def _name_release(number: int) -> Said:
    return Said("release {number}", number=number)
