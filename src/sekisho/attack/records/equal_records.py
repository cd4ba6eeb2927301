"""Records of the original that stand in a release as they are: copies, counted beside people who are not in it.

Who attacks: anybody who has a person's whole record. A record that many share stands in a synthetic file by chance; how
often it does is counted on controls, people of the same population who are not in the original. What members have
beyond that is memorised: R = 1 - (1 - p_members)/(1 - p_controls), one minus a ratio of two failure rates.

Source: the share of exact copies is the usual first check of synthetic data; R and its intervals as for attributes,
Giomi et al., anonymeter, PETS 2023, with the intervals of :mod:`sekisho.safety.ratio_interval`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sekisho.attack.records.nearest_records import MeasuredRecords, find_equal
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.safety.ratio_interval import AddedSuccess


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualRecords:
    """How many records stand in a release as they are.

    Attributes:
        people: how many records the original has.
        equal: how many of them stand in it, every column alike.
        alone: how many of these no other record of the original is equal to.
        rows: how many rows of the release are equal to a record of the original.
        published: how many rows the release has.
        controls: how many people who are not in the original were looked for; None where there are none.
        control_equal: how many of them stand in it.
    """

    people: int
    equal: int
    alone: int
    rows: int
    published: int
    controls: int | None = None
    control_equal: int = 0

    @property
    def added(self) -> AddedSuccess | None:
        """What members have beyond controls; None where nobody is there to compare with."""
        if not self.controls or not self.people:
            return None
        return AddedSuccess(
            hits=self.equal, trials=self.people, control_hits=self.control_equal, control_trials=self.controls
        )

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        added = self.added
        interval = None if added is None else added.find_interval()
        return {
            "claimed": self.people,
            "hits": self.equal,
            "controls": self.controls,
            "control_hits": None if self.controls is None else self.control_equal,
            "R": None if added is None else added.value,
            "R_interval": None if interval is None else interval.as_list(),
            "R_method": None if interval is None else interval.method.value,
            "equal_rows": self.rows,
            "rows": self.published,
        }


def count_equal_records(published: MaskedTable, original: Dataset, controls: Dataset | None = None) -> EqualRecords:
    """Count the records that stand in a release as they are; a row with a hidden or generalised cell is nobody's."""
    columns = tuple(published.columns)
    exact = np.ones(len(published), dtype=np.bool_)
    for cells in published.columns.values():
        exact &= cells.is_exact()
    people = (original,) if controls is None else (original, controls)
    rows, members, *others = MeasuredRecords.measure(columns, published.take(exact).to_dataset(), *people)
    equal = find_equal(members, rows)
    return EqualRecords(
        people=len(original),
        equal=int(equal.sum()),
        alone=int((equal & members.find_alone()).sum()),
        rows=int(find_equal(rows, members).sum()),
        published=len(published),
        controls=None if controls is None else len(controls),
        control_equal=int(find_equal(others[0], rows).sum()) if others else 0,
    )
