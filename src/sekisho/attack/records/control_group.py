"""People in a file and people of the same population who are not: what every attack against controls begins with.

Members are drawn before anything of the release is looked at. Nobody stands on both sides: a control who is in the file
is refused, and so is one whose household is. Where the files name people, that is seen by their names; elsewhere by
whole records: a file whose own records hardly ever equal each other cannot equal many of other people's.

Of a household at most one person is attacked, since its members are no independent trials.

The plainest of them counts *copies*, records of the original that stand in a release as they are. Who attacks: anybody
who has a person's whole record. A record that many share stands in a synthetic file by chance; how often it does is
counted on controls. What members have beyond that is memorised: R = 1 - (1 - p_members)/(1 - p_controls), one minus a
ratio of two failure rates.

Source: the share of exact copies is the usual first check of synthetic data; R and its intervals as for attributes,
Giomi et al., anonymeter, PETS 2023, with the intervals of :mod:`sekisho.safety.ratio_interval`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.records.nearest_records import MeasuredRecords, find_equal
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.space import number_equal_rows, require_one_row
from sekisho.errors import ParameterError
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.ratio_interval import AddedSuccess
from sekisho.seeds import RecordWords, choose_words
from sekisho.words import Said

MOST_PEOPLE = 5000
"""So many members, and so many controls, are attacked at most."""
SURE = 0.999
"""With this confidence more controls equal records of the file than chance explains."""
SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ControlGroup:
    """Who is attacked.

    Attributes:
        members: people of the file, drawn by chance.
        controls: people who are not in it.
        equal: how many controls have a record that also stands in the file; by chance, as far as can be seen.
        words: decides what chance decides, keyed by person.
    """

    members: Dataset
    controls: Dataset
    equal: int
    words: RecordWords

    @classmethod
    def draw(
        cls,
        original: Dataset,
        controls: Dataset,
        *,
        rng: np.random.Generator,
        household: str = "",
        most: int = MOST_PEOPLE,
    ) -> ControlGroup:
        """Draw members and controls, at most so many of each; who lives together, the schema says if nobody else does.

        Raises:
            ParameterError: a control is in the file, his household is, or the two files have other columns.
        """
        for data in (original, controls):
            require_one_row(data)
        if original.schema != controls.schema:
            raise ParameterError(
                "controls", Said("have the columns {names}", names=", ".join(original.schema.names)), controls.schema
            )
        equal = refuse_overlap("controls", controls, original, household=household)
        words, homes = choose_words(rng), household or original.schema.household
        return cls(
            members=_draw_people(original, most, homes, words, "members"),
            controls=_draw_people(controls, most, homes, words, "controls"),
            equal=equal,
            words=words,
        )

    def join(self) -> Dataset:
        """Return members and then controls as one."""
        return Dataset(pl.concat([self.members.frame, self.controls.frame]), self.members.schema)

    def draw_words(self, purpose: str) -> NDArray[np.uint64]:
        """Return a word for each of the people, members first."""
        return self.words.draw(purpose, np.arange(len(self.members) + len(self.controls), dtype=np.uint64))


def refuse_overlap(name: str, others: Dataset, people: Dataset, *, household: str = "") -> int:
    """Refuse people who also stand in another file; return how many records are equal, which may be by chance.

    Raises:
        ParameterError: by their names, or their household's, they stand in both; or, where nobody is named, more of
            them are equal than records of the file are equal to each other.
    """
    holder, homes = people.schema.identifier, household or people.schema.household
    for column in (*(() if holder is None else (holder.name,)), *((homes,) if homes else ())):
        both = _list_common(others.frame[column], people.frame[column])
        if both:
            rule = Said("hold nobody who is in the other file, nor his household: {column} names them", column=column)
            raise ParameterError(name, rule, ", ".join(map(str, both[:SHOWN])))
    names = tuple(column.name for column in people.schema.attributes)
    own, strange = number_equal_rows(people, others, columns=names)
    equal = int(np.isin(strange, own).sum())
    if holder is None and equal and len(others):
        twice = int((np.bincount(own)[own] > 1).sum())
        chance = HitRate(hits=twice, trials=len(people), confidence=SURE).high
        if HitRate(hits=equal, trials=len(others), confidence=SURE).low > chance:
            rule = Said(
                "hold other people than the other file: more records are equal than its own are to each other "
                "({twice:,} of {rows:,})",
                twice=twice,
                rows=len(people),
            )
            raise ParameterError(name, rule, f"{equal} of {len(others)}")
    return equal


def _list_common(first: pl.Series, second: pl.Series) -> Sequence[object]:
    there = first.cast(pl.String).unique().drop_nulls()
    there = there.filter(there != "")
    return there.filter(there.is_in(second.cast(pl.String).unique().implode())).sort().to_list()


def _draw_people(data: Dataset, most: int, household: str, words: RecordWords, purpose: str) -> Dataset:
    """Return so many people at most, one of a household, in their order; who, does not depend on the others."""
    word = words.draw(purpose, np.arange(len(data), dtype=np.uint64))
    order = np.argsort(word)
    if household:
        homes = data.text(household).gather(order)
        first = homes.is_first_distinct() | (homes == "")
        order = order[first.to_numpy()]
    return Dataset(data.frame[np.sort(order[:most])], data.schema)


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
