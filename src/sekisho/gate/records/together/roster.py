"""What several releases tell one who knows everybody's keys and who is in which release: the state, the other hospital.

He explains all rows at once. Let a kind of people be those whom the same classes fit, and a unit of a release the rows
of one class that look alike. With x the number of people of a kind who are a linked tuple of units, one of each release
that they are in, the explanations are the whole x >= 0 with

    sum of x over a kind = its people,   sum of x through a unit = its rows,

of two releases a three-way table with its three two-way margins; each x stands for a number of explanations that is
proportional to the product of 1/x!. A value is excluded for a kind if every x that has it is 0 in all of them. Whether
any x exists is NP-complete (Irving, Jerrum, SIAM J. Comput. 23, 1994), so the exact audit of tables is asked, which
proves both ends of each x or says that it did not; what is not settled counts as unsafe. Chances are given where all
tables can be listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.attack.records.composition import Composition, KnownKeys
from sekisho.errors import InfeasibleError, InputError, ParameterError
from sekisho.safety.records.joint.candidates import JointCandidates, JointReleases, Presence, find_kinds
from sekisho.safety.records.joint.chance import LargestChance
from sekisho.safety.records.joint.known import KnownPeople
from sekisho.safety.records.joint.links import ENDLESS, ColumnAtoms, RowLinks, meet_states
from sekisho.tables.audit.intervals import audit
from sekisho.tables.files.published import fill_hidden
from sekisho.tables.model.table import Table
from sekisho.words import Said

MOST_TUPLES = 100_000
"""So many tuples of units at most are asked about."""
MOST_TABLES = 50_000
"""So many tables at most are listed for chances."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RosterAnswer:
    """What is possible for everybody, everything explained at once.

    Attributes:
        joint: of each person.
        unsettled: people of whom it is not settled what is possible.
        explanations: how many assignments of people to rows there are; None where they were not listed.
        chance: the largest chances; None where tables were not listed.
        values: of each person the chance of each sensitive value left; empty where tables were not listed.
        best_tuple: of each person the chance of his likeliest tuple of rows; empty likewise.
    """

    joint: JointCandidates
    unsettled: int
    explanations: int | None = None
    chance: LargestChance | None = None
    values: tuple[dict[int, Fraction], ...] = ()
    best_tuple: tuple[Fraction, ...] = ()


def attack_everybody(
    answer: Composition, question: JointReleases, people: KnownPeople, *, seconds: float | None = None
) -> Composition:
    """Return the answer to one who knows everybody's keys and presence instead of one person's.

    Raises:
        ParameterError: presence is not known, people and rows are not as many, or there are too many tuples.
        InfeasibleError: nothing explains the releases.
    """
    if answer.presence is not Presence.ALL:
        raise ParameterError("present", Said("be all for one who knows everybody: he knows who is where"), "some")
    roster = audit_roster(question, people, answer.joint, seconds=seconds)
    return replace(answer, joint=roster.joint, people=KnownKeys.ALL, unsettled=roster.unsettled, chance=roster.chance)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Units:
    """The units of one release: class, link, state, sensitive cell and rows of each."""

    classes: NDArray[np.int64]
    link: NDArray[np.int64]
    state: NDArray[np.int64]
    cell: NDArray[np.int64]
    rows: NDArray[np.int64]


def audit_roster(
    question: JointReleases, people: KnownPeople, alone: JointCandidates, *, seconds: float | None = None
) -> RosterAnswer:
    """Return what several releases tell one who knows everybody.

    Args:
        question: the releases.
        people: everybody who is in one of them.
        alone: what each release tells alone.
        seconds: how long the audit may take; what it has not settled then counts as unsafe.

    Raises:
        ParameterError: people and rows are not as many, or there are too many tuples.
        InfeasibleError: nothing explains the releases.
    """
    for place, release in enumerate(question.releases):
        there = int(people.present[:, place].sum())
        if there != len(release.classes):
            rule = Said(
                "be everybody of every release: {rows:,} rows in release {number}",
                rows=len(release.classes),
                number=place + 1,
            )
            raise ParameterError("people", rule, there)
    return _Roster.of(question, people).answer(alone, seconds)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Roster:
    """Kinds of people, units of rows, and the tuples of units that each kind may be.

    Attributes:
        kind: of each person.
        people: how many there are of each kind.
        units: of each release.
        tuples: a line of units for each, -1 of a release that the kind is not in.
        owner: the kind of each tuple.
        values: the sensitive values that each tuple leaves at the time of each release.
        size: how many values each atom of the sensitive column is.
    """

    kind: NDArray[np.int64]
    people: NDArray[np.int64]
    units: tuple[_Units, ...]
    tuples: NDArray[np.int64]
    owner: NDArray[np.int64]
    values: tuple[tuple[frozenset[int], ...], ...]
    size: NDArray[np.int64]

    @classmethod
    def of(cls, question: JointReleases, people: KnownPeople) -> _Roster:
        """Gather them."""
        links, cells = question.link(), question.split_values()
        units = tuple(_list_units(question, links, cells, place) for place in range(len(question.releases)))
        sets = [fit.number_sets(release.size) for fit, release in zip(people.fits, question.releases, strict=True)]
        lines = np.stack(
            [owner * 2 + fit.present for (owner, _, _), fit in zip(sets, people.fits, strict=True)], axis=1
        )
        kind, first = find_kinds(lines)
        tuples: list[list[int]] = []
        owners: list[int] = []
        values: list[tuple[frozenset[int], ...]] = []
        for number, person in enumerate(first.tolist()):
            fitting = [
                set(fit.classes[fit.first[person] : fit.first[person + 1]].tolist()) if fit.present[person] else None
                for fit in people.fits
            ]
            for line in _list_tuples(units, fitting, links):
                tuples.append(line)
                owners.append(number)
                values.append(_list_values(question, cells, units, line))
                if len(tuples) > MOST_TUPLES:
                    rule = Said("be one: everybody at once is more than {most:,} tuples of rows", most=MOST_TUPLES)
                    raise ParameterError("people", rule, "all")
        return cls(
            kind=kind,
            people=np.bincount(kind) * people.present[first].any(axis=1),
            units=units,
            tuples=np.array(tuples, dtype=np.int64).reshape(-1, len(units)),
            owner=np.array(owners, dtype=np.int64),
            values=tuple(values),
            size=np.ones(1, dtype=np.int64) if cells is None else cells.size,
        )

    def answer(self, alone: JointCandidates, seconds: float | None) -> RosterAnswer:
        """Ask the audit which tuples are possible, and count."""
        found = audit(self._make_table(), whole=True, seconds=seconds)
        tuples = slice(0, len(self.tuples))  # the tuples are the hidden cells, and come first
        possible, certain = found.high[tuples] >= 1, found.certain[tuples]
        open_kinds = np.unique(self.owner[~certain & ~possible])
        kinds = [self._count_kind(number, possible) for number in range(len(self.people))]
        pairs = np.array([tuples for tuples, _, _ in kinds], dtype=np.int64)
        rows = np.array([each for _, each, _ in kinds], dtype=np.int64).reshape(len(kinds), -1)
        values = np.array([each for _, _, each in kinds], dtype=np.int64).reshape(len(kinds), -1)
        away = alone.rows_alone < 0
        joint = JointCandidates(
            pairs=pairs[self.kind],
            rows=np.where(away, -1, rows[self.kind]),
            values=np.where(away, -1, values[self.kind]),
            rows_alone=alone.rows_alone,
            values_alone=alone.values_alone,
            lasting=alone.lasting,
            linked_by=alone.linked_by,
        )
        unsettled = int(self.people[open_kinds].sum())
        tables = self._list_tables()
        return (
            RosterAnswer(joint=joint, unsettled=unsettled) if tables is None else self._weigh(joint, unsettled, tables)
        )

    def _make_table(self) -> Table:
        """Return the system as a table: tuples hidden, people of kinds and rows of units shown."""
        starts = np.concatenate([[0], np.cumsum([len(each.rows) for each in self.units])])
        count, kinds = len(self.tuples), len(self.people)
        lines = [
            self.owner,
            *(
                np.where(self.tuples[:, at] < 0, -1, self.tuples[:, at] + kinds + starts[at])
                for at in range(len(self.units))
            ),
        ]
        row, column = np.concatenate(lines), np.tile(np.arange(count), len(lines))
        sums = kinds + int(starts[-1])
        shown = np.concatenate([self.people, *(each.rows for each in self.units)]).astype(np.float64)
        matrix = csr_array(
            (
                np.concatenate([np.ones(int((row >= 0).sum())), -np.ones(sums)]),
                (
                    np.concatenate([row[row >= 0], np.arange(sums)]),
                    np.concatenate([column[row >= 0], count + np.arange(sums)]),
                ),
            ),
            shape=(sums, count + sums),
        )
        table = Table.of(
            dims=("cell",),
            keys=tuple((f"c{place}",) for place in range(count + sums)),
            value=np.zeros(count + sums),
            matrix=matrix,
            equations=tuple(f"e{place}" for place in range(sums)),
        )
        hidden = np.arange(count + sums) < count
        value = np.concatenate([np.zeros(count), shown])
        least, most = np.zeros(count + sums), np.full(count + sums, np.inf)
        try:
            return fill_hidden(table, value, hidden, least, most, source="roster").suppress_cells(hidden)
        except InputError as error:
            raise InfeasibleError(
                Said(
                    "no assignment of the people to the rows explains the releases: a stable column changed, or a cell "
                    "does not admit the truth"
                )
            ) from error

    def _count_kind(self, number: int, possible: NDArray[np.bool_]) -> tuple[int, list[int], list[int]]:
        mine = np.flatnonzero((self.owner == number) & possible)
        pairs = sum(self._count_rows(at) for at in mine.tolist())
        rows, values = list[int](), list[int]()
        for place, units in enumerate(self.units):
            rows.append(int(units.rows[np.unique(self.tuples[mine, place])].sum()) if len(mine) else 0)
            left = frozenset[int]().union(*(self.values[at][place] for at in mine.tolist()))
            values.append(min(ENDLESS, int(self.size[sorted(left)].sum())) if left else 0)
        return pairs, rows, values

    def _count_rows(self, at: int) -> int:
        line = self.tuples[at].tolist()
        return prod(int(units.rows[unit]) for units, unit in zip(self.units, line, strict=True) if unit >= 0)

    def _list_tables(self) -> list[tuple[list[int], Fraction]] | None:
        """Return every table with its weight, the product of 1/x!; None where there are too many."""
        left = [units.rows.tolist() for units in self.units]
        line = [0] * len(self.tuples)
        tables: list[tuple[list[int], Fraction]] = []
        steps = 0

        def fill(at: int, people: int) -> Iterator[None]:
            nonlocal steps
            steps += 1
            if at == len(line):
                weight = Fraction(1, prod(map(factorial, line)))
                tables.append((line.copy(), weight))
                yield
                return
            last = at + 1 == len(line) or self.owner[at + 1] != self.owner[at]
            places = [(place, unit) for place, unit in enumerate(self.tuples[at].tolist()) if unit >= 0]
            most = min(people, *(left[place][unit] for place, unit in places))
            for amount in range(people if last else 0, most + 1):
                for place, unit in places:
                    left[place][unit] -= amount
                line[at] = amount
                following = int(self.people[self.owner[at + 1]]) if last and at + 1 < len(line) else people - amount
                yield from fill(at + 1, following)
                line[at] = 0
                for place, unit in places:
                    left[place][unit] += amount

        for _ in fill(0, int(self.people[self.owner[0]])) if len(line) else ():
            if len(tables) > MOST_TABLES:
                return None
        return tables

    def _weigh(
        self, joint: JointCandidates, unsettled: int, tables: Sequence[tuple[list[int], Fraction]]
    ) -> RosterAnswer:
        total = sum((weight for _, weight in tables), Fraction(0))
        means = [
            sum((weight * line[at] for line, weight in tables), Fraction(0)) / total for at in range(len(self.tuples))
        ]
        shares = [mean / int(self.people[kind]) for mean, kind in zip(means, self.owner.tolist(), strict=True)]
        ways = prod(factorial(int(count)) for count in self.people) * prod(
            factorial(int(rows)) for units in self.units for rows in units.rows
        )
        kinds = [np.flatnonzero(self.owner == number).tolist() for number in range(len(self.people))]
        rows = [self._find_row_chance(mine, shares) for mine in kinds]
        values = [self._sum_values(mine, shares) for mine in kinds]
        tuples = [max((shares[at] / self._count_rows(at) for at in mine), default=Fraction(0)) for mine in kinds]
        largest_value = max((share for each in values for share in each.values()), default=None)
        chance = LargestChance(
            row=float(max(rows)),
            value=None if largest_value is None else float(largest_value),
            overlap=None,
            exact=True,
        )
        return RosterAnswer(
            joint=joint,
            unsettled=unsettled,
            explanations=int(total * ways),
            chance=chance,
            values=tuple(values[kind] for kind in self.kind.tolist()),
            best_tuple=tuple(tuples[kind] for kind in self.kind.tolist()),
        )

    def _find_row_chance(self, mine: Sequence[int], shares: Sequence[Fraction]) -> Fraction:
        largest = Fraction(0)
        for place, units in enumerate(self.units):
            sums: dict[int, Fraction] = {}
            for at in mine:
                unit = int(self.tuples[at, place])
                if unit >= 0:
                    sums[unit] = sums.get(unit, Fraction(0)) + shares[at]
            largest = max([largest, *(share / int(units.rows[unit]) for unit, share in sums.items())])
        return largest

    def _sum_values(self, mine: Sequence[int], shares: Sequence[Fraction]) -> dict[int, Fraction]:
        """Return the chance of each value at the last release of a kind; none where a cell is no exact value."""
        sums: dict[int, Fraction] = {}
        for at in mine:
            place = max(place for place in range(len(self.units)) if self.tuples[at, place] >= 0)
            left = self.values[at][place]
            if len(left) != 1:
                return {}
            value = next(iter(left))
            sums[value] = sums.get(value, Fraction(0)) + shares[at]
        return {value: share for value, share in sums.items() if share}


def _list_units(question: JointReleases, links: RowLinks, cells: ColumnAtoms | None, place: int) -> _Units:
    classes, link, state = question.releases[place].classes, links.link[place], links.state[place]
    cell = np.zeros(len(classes), dtype=np.int64) if cells is None else cells.cell[place]
    lines = np.column_stack([classes, link, cell, state])
    _, first, rows = np.unique(lines, axis=0, return_index=True, return_counts=True)
    return _Units(
        classes=classes[first], link=link[first], state=state[first], cell=cell[first], rows=rows.astype(np.int64)
    )


def _list_tuples(units: Sequence[_Units], fitting: Sequence[set[int] | None], links: RowLinks) -> Iterator[list[int]]:
    """Yield the linked tuples of units that fit."""

    def extend(place: int, line: list[int], link: int | None, met: NDArray[np.int64] | None) -> Iterator[list[int]]:
        if place == len(units):
            if any(unit >= 0 for unit in line):
                yield line
            return
        classes = fitting[place]
        if classes is None:
            yield from extend(place + 1, [*line, -1], link, met)
            return
        for unit in np.flatnonzero(np.isin(units[place].classes, list(classes))).tolist():
            if link is not None and units[place].link[unit] != link:
                continue
            state = units[place].state[unit]
            common = state if met is None else meet_states(links, met, state)
            if common is not None:
                yield from extend(place + 1, [*line, unit], int(units[place].link[unit]), common)

    yield from extend(0, [], None, None)


def _list_values(
    question: JointReleases, cells: ColumnAtoms | None, units: Sequence[_Units], line: Sequence[int]
) -> tuple[frozenset[int], ...]:
    """Return the sensitive values that a tuple leaves at the time of each release."""
    if cells is None:
        return tuple(frozenset() for _ in units)
    admitted = [
        frozenset[int]() if unit < 0 else cells.list_atoms(place, int(units[place].cell[unit]))
        for place, unit in enumerate(line)
    ]
    if question.sensitive not in question.stable:
        return tuple(admitted)
    common = frozenset.intersection(*(each for each, unit in zip(admitted, line, strict=True) if unit >= 0))
    return tuple(common if unit >= 0 else frozenset() for unit in line)
