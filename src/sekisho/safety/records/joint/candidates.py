"""Joint candidates of people in several releases: how many rows each could be, and which values are left.

Who attacks: one who knows a person's keys at each time and which releases he is in (``present = all``), or only that he
is in one of them (``some``), and knows nothing of the others. A candidate is a tuple of rows, one of each release, that
fit the person and are linked (:mod:`sekisho.safety.records.joint.links`). Counted are the tuples, the rows of each
release that lie in some tuple, and the sensitive values left: of a stable column those that all rows of a tuple admit,
of a changing one those that the rows of that release do.

These are statements about what is possible. They are no chances: 1/candidates is one only where a single person is in
both releases (:mod:`sekisho.safety.records.joint.chance`).

Source: Ganta, Kasiviswanathan, Smith, KDD 2008 (intersection of releases); the joint count of tuples is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sekisho.errors import ParameterError
from sekisho.safety.records.joint.count import KindLists, count_kinds, count_union
from sekisho.safety.records.joint.known import ClassedRows, KnownPeople
from sekisho.safety.records.joint.links import ColumnAtoms, RowLinks, is_shared, link_rows, split_column
from sekisho.words import Said

MOST_SUBSETS = 10
"""So many releases at most where it is not known in which of them a person is."""


class Presence(StrEnum):
    """What the adversary knows of being there."""

    ALL = "all"
    SOME = "some"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointCandidates:
    """Of each person what is still possible; -1 of a release that he is not in.

    Attributes:
        pairs: linked tuples of fitting rows.
        rows: for each release, its rows in some tuple.
        values: for each release, the sensitive values left at its time; 0 where none is asked about.
        rows_alone: for each release, its fitting rows, whatever the others show.
        values_alone: for each release, the sensitive values of these.
        linked_by: the columns that link.
        lasting: whether a person has one sensitive value for ever: what a release tells alone is then told for good.
    """

    pairs: NDArray[np.int64]
    rows: NDArray[np.int64]
    values: NDArray[np.int64]
    rows_alone: NDArray[np.int64]
    values_alone: NDArray[np.int64]
    linked_by: tuple[str, ...]
    lasting: bool = False

    @property
    def explained(self) -> NDArray[np.bool_]:
        """Who has a candidate at all; who has none contradicts what is taken as known."""
        return self.pairs > 0

    @property
    def least(self) -> NDArray[np.int64]:
        """Of each person the least number of rows over the releases that he may be in; 0 of one without a candidate.

        Who is known to be in one of the releases only, and whom no row of another one fits, is not in that one.
        """
        rows = np.where(self.rows > 0, self.rows, np.iinfo(np.int64).max).min(axis=1)
        return np.where(self.explained, rows, 0)

    @property
    def disclosed(self) -> NDArray[np.bool_]:
        """Who has one value left, in the last release that he is in."""
        last = self.values.shape[1] - 1 - np.argmax(self.values[:, ::-1] >= 0, axis=1)
        return self.values[np.arange(len(self.values)), last] == 1

    @property
    def disclosed_anew(self) -> NDArray[np.bool_]:
        """Who has one value left in some release and had more there alone; of a lasting value, more in each alone."""
        told = self.values_alone == 1
        if self.lasting:
            return (self.values == 1).any(axis=1) & ~told.any(axis=1)
        return ((self.values == 1) & ~told).any(axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointReleases:
    """Several releases of one population, ready to be counted.

    Attributes:
        releases: in the order in which they left.
        stable: the columns of which a person has one value for ever, beside the keys, which a person's own values
            make agree.
        sensitive: the column whose values are counted; empty if none is.
    """

    releases: tuple[ClassedRows, ...]
    stable: tuple[str, ...] = ()
    sensitive: str = ""

    def __post_init__(self) -> None:
        names = {name for each in self.releases for name in each.table.columns}
        unknown = [name for name in (*self.stable, self.sensitive) if name and name not in names]
        if unknown:
            raise ParameterError("stable", Said("be columns of the releases"), unknown)
        if not self.releases:
            raise ParameterError("published", Said("be at least one release"), 0)

    def link(self) -> RowLinks:
        """Return how their rows agree."""
        return link_rows([each.table for each in self.releases], self.stable, asked=self.sensitive)

    @property
    def linked_by(self) -> tuple[str, ...]:
        """The columns that link rows of several releases."""
        tables = [each.table for each in self.releases]
        return tuple(name for name in self.stable if is_shared(tables, name))

    def split_values(self) -> ColumnAtoms | None:
        """Return the sensitive column over its values."""
        return split_column([each.table for each in self.releases], self.sensitive) if self.sensitive else None

    def count(self, people: KnownPeople, *, presence: Presence = Presence.ALL) -> JointCandidates:
        """Return what is still possible for people."""
        if len(people.fits) != len(self.releases):
            raise ParameterError("people", Said("be known for every release"), len(people.fits))
        lists, sets = gather_lists(self, people)
        _, rows, values = count_kinds(lists, np.arange(len(lists.first) - 1).reshape(-1, 1))
        rows_alone, values_alone = rows[sets, 0], values[sets, 0]
        away = ~people.present
        rows_alone[away] = values_alone[away] = -1
        counted = _count_some if presence is Presence.SOME else _count_present
        pairs, rows, values = counted(lists, sets, people.present, rows_alone)
        return JointCandidates(
            pairs=pairs,
            rows=rows,
            values=values,
            rows_alone=rows_alone,
            values_alone=values_alone,
            linked_by=self.linked_by,
            lasting=self.sensitive in self.stable,
        )


def _count_distinct(lists: KindLists, sets: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Return tuples, rows and values of people, each kind counted once."""
    kind, people = find_kinds(sets)
    return tuple(part[kind] for part in count_kinds(lists, np.ascontiguousarray(sets[people])))


def find_kinds(sets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the kind of each person, those with the same sets of classes being of one, and a person of each."""
    number = np.zeros(len(sets), dtype=np.int64)
    for column in sets.T:
        number = np.unique(number * (int(sets.max(initial=0)) + 1) + column, return_inverse=True)[1].reshape(-1)
    _, first, place = np.unique(number, return_index=True, return_inverse=True)
    return place.reshape(-1).astype(np.int64), first


def _count_present(
    lists: KindLists, sets: NDArray[np.int64], present: NDArray[np.bool_], rows_alone: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count each person in the releases that he is in."""
    pairs = np.zeros(len(sets), dtype=np.int64)
    rows, values = np.full_like(rows_alone, -1), np.full_like(rows_alone, -1)
    for pattern in np.unique(present, axis=0):
        people, places = np.flatnonzero((present == pattern).all(axis=1)), np.flatnonzero(pattern)
        if not len(places):
            continue
        chosen = np.ix_(people, places)
        pairs[people], rows[chosen], values[chosen] = _count_distinct(lists, np.ascontiguousarray(sets[chosen]))
    return pairs, rows, values


def _count_some(
    lists: KindLists, sets: NDArray[np.int64], present: NDArray[np.bool_], rows_alone: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the tuples of every subset of releases; each row may be his alone, and so may each value."""
    releases = sets.shape[1]
    if releases > MOST_SUBSETS:
        rule = Said("be at most {most} where it is not known in which of them a person is", most=MOST_SUBSETS)
        raise ParameterError("published", rule, releases)
    pairs = np.zeros(len(sets), dtype=np.int64)
    for size in range(1, releases + 1):
        for subset in combinations(range(releases), size):
            pairs += _count_distinct(lists, np.ascontiguousarray(sets[:, list(subset)]))[0]
    values = count_union(lists, sets)
    return pairs, rows_alone.copy(), np.where(present, values[:, None], -1)


def gather_lists(question: JointReleases, people: KnownPeople) -> tuple[KindLists, NDArray[np.int64]]:
    """Return what each set of classes holds, all releases in one, and each person's set in each release."""
    links, values = question.link(), question.split_values()
    parts: list[_SetEntries] = []
    owners: list[NDArray[np.int64]] = []
    sets_before = cells_before = 0
    for place, (release, fit) in enumerate(zip(question.releases, people.fits, strict=True)):
        owner, first, classes = fit.number_sets(release.size)
        cells = np.zeros(len(release.classes), dtype=np.int64) if values is None else values.cell[place]
        kind, rows = _number_kinds(links.link[place], links.state[place])
        entries = _list_entries(release.classes, kind, cells, (first, classes))
        parts.append(entries.place(links.link[place][rows], links.state[place][rows], cells_before=cells_before))
        owners.append(owner + sets_before)
        sets_before += len(first) - 1
        cells_before += 0 if values is None else len(values.first[place]) - 1
    return _join_parts(parts, links, values, question), np.stack(owners, axis=1)


def _number_kinds(link: NDArray[np.int64], state: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return for each row the number of its link and state, in the order of the links, and a row that has each."""
    number = np.unique(link, return_inverse=True)[1].reshape(-1).astype(np.int64)
    for word in state.T:
        distinct, place = np.unique(word, return_inverse=True)
        number = np.unique(number * len(distinct) + place.reshape(-1), return_inverse=True)[1].reshape(-1)
    return number, np.unique(number, return_index=True)[1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SetEntries:
    """Of the sets of classes of one release: entries, ascending by set and kind, and their sensitive cells."""

    first: NDArray[np.int64]
    kind: NDArray[np.int64]
    count: NDArray[np.int64]
    value_first: NDArray[np.int64]
    value: NDArray[np.int64]
    link: NDArray[np.int64]
    state: NDArray[np.int64]

    def place(self, link: NDArray[np.int64], state: NDArray[np.int64], *, cells_before: int) -> _SetEntries:
        """Return them with the link and state of each kind, and cells numbered over all releases."""
        return _SetEntries(
            first=self.first,
            kind=self.kind,
            count=self.count,
            value_first=self.value_first,
            value=self.value + cells_before,
            link=link[self.kind],
            state=state[self.kind],
        )


def _list_entries(
    classes: NDArray[np.int64],
    kind: NDArray[np.int64],
    cells: NDArray[np.int64],
    sets: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> _SetEntries:
    kinds, values = int(kind.max(initial=0)) + 1, int(cells.max(initial=0)) + 1
    key, count = np.unique((classes * kinds + kind) * values + cells, return_counts=True)
    first, members = sets
    if len(members) and not np.array_equal(members, np.arange(len(first) - 2)):  # else the sets are the classes
        key, count = _join_classes(key, count, sets, int(classes.max(initial=-1)) + 1, kinds * values)
    pair = key // values
    heads = np.flatnonzero(np.diff(pair, prepend=-1))
    return _SetEntries(
        first=np.searchsorted(pair[heads], np.arange(len(first)) * kinds).astype(np.int64),
        kind=(pair[heads] % kinds).astype(np.int64),
        count=np.add.reduceat(count, heads) if len(heads) else np.zeros(0, dtype=np.int64),
        value_first=np.append(heads, len(key)).astype(np.int64),
        value=(key % values).astype(np.int64),
        link=np.zeros(0, dtype=np.int64),
        state=np.zeros((0, 0), dtype=np.int64),
    )


def _join_classes(
    key: NDArray[np.int64],
    count: NDArray[np.int64],
    sets: tuple[NDArray[np.int64], NDArray[np.int64]],
    classes: int,
    width: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the entries of sets of classes from those of the classes, each entry being a number below a width."""
    first, members = sets
    starts = np.searchsorted(key, np.arange(classes + 1) * width)
    sizes = starts[members + 1] - starts[members]
    owner = np.repeat(np.repeat(np.arange(len(first) - 1), np.diff(first)), sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    source = np.repeat(starts[members], sizes) + within
    key, place = np.unique(owner * width + key[source] % width, return_inverse=True)
    count = np.bincount(place.reshape(-1), weights=count[source], minlength=len(key)).astype(np.int64)
    return key, count


def _join_parts(
    parts: Sequence[_SetEntries], links: RowLinks, values: ColumnAtoms | None, question: JointReleases
) -> KindLists:
    nothing = np.zeros(1, dtype=np.int64)
    words = np.array([-1, -1], dtype=np.int64)
    if question.sensitive in question.stable and question.sensitive in links.names:
        place = links.names.index(question.sensitive) - (len(links.names) - links.inexact)
        at = np.flatnonzero(links.column == place)
        words = np.array([at[0], at[-1]], dtype=np.int64) if place >= 0 else words
    return KindLists(
        first=_chain([each.first for each in parts]),
        link=np.concatenate([each.link for each in parts]),
        state=np.ascontiguousarray(np.concatenate([each.state for each in parts])),
        rows=np.concatenate([each.count for each in parts]),
        value_first=_chain([each.value_first for each in parts]),
        value=np.concatenate([each.value for each in parts]),
        run_first=np.array([0, 0], dtype=np.int64) if values is None else _chain(values.first),
        low=nothing if values is None else np.concatenate(values.low),
        high=nothing if values is None else np.concatenate(values.high),
        size=nothing if values is None else values.size,
        word_kind=links.kind,
        word_column=links.column,
        value_words=words,
    )


def _chain(starts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return where the runs of several lists begin, one list behind the other."""
    before = np.concatenate([[0], np.cumsum([int(each[-1]) for each in starts])])
    pieces = [each[:-1] + ahead for each, ahead in zip(starts, before[:-1].tolist(), strict=True)]
    return np.concatenate([*pieces, before[-1:]]).astype(np.int64)
