"""Small cases of several releases of one population, and what is possible in them by listing every tuple of rows.

The plain reference of ``sekisho.safety.records.joint`` and of the fitting of people to classes: sets of values, loops,
nothing clever. A cell is the set of values that it admits; None is suppressed. Numbers are whole, 0 to 5, or missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import polars as pl

from sekisho.attack.records.class_fit import find_fitting_classes
from sekisho.data.frame.cells import MISSING_NUMBER, Cells, RangeCells, gather_sets
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import MaskedTable
from sekisho.safety.records.joint.candidates import JointCandidates, JointReleases, Presence
from sekisho.safety.records.joint.known import ClassedRows, FittingClasses, KnownPeople

Value = int | str
Cell = frozenset[Value] | None
Row = dict[str, Cell]
KEYS = ("age", "town")
KINDS = {"age": Kind.INTEGER, "town": Kind.CATEGORY, "s": Kind.CATEGORY, "year": Kind.INTEGER, "blood": Kind.CATEGORY}
TEXTS = ("a", "b", "c", "")
NUMBERS = (0, 1, 2, 3, 4, 5, MISSING_NUMBER)
OTHER = "any other number"


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationCase:
    """People, and rows of several releases.

    Attributes:
        people: their keys.
        present: for each person, the releases that he is in.
        releases: rows of each.
        stable: columns of one value for ever.
    """

    people: list[tuple[Value, ...]]
    present: list[tuple[bool, ...]]
    releases: list[list[Row]]
    stable: tuple[str, ...]

    def to_question(self) -> JointReleases:
        """Return the releases as the program takes them."""
        tables = [_make_table(rows) for rows in self.releases]
        releases = tuple(ClassedRows.of(table, KEYS) for table in tables)
        return JointReleases(releases=releases, stable=self.stable, sensitive="s")

    def fit_people(self, question: JointReleases) -> KnownPeople:
        """Return the people as the program finds them to fit."""
        frame = pl.DataFrame(
            {"age": [None if age == MISSING_NUMBER else age for age, _ in self.people]}, schema={"age": pl.Int64}
        ).with_columns(pl.Series("town", [town for _, town in self.people], dtype=pl.String))
        schema = Schema(tuple(Column(name=name, kind=KINDS[name]) for name in KEYS))
        data = Dataset(frame, schema)
        fits: list[FittingClasses] = []
        for place, release in enumerate(question.releases):
            there = np.array([present[place] for present in self.present], dtype=np.bool_)
            fits.append(find_fitting_classes(release, data, KEYS, present=there))
        return KnownPeople(fits=tuple(fits))


def _make_table(rows: list[Row]) -> MaskedTable:
    columns: dict[str, Cells] = {}
    for name, kind in KINDS.items():
        cells = [row[name] for row in rows]
        hidden = np.array([cell is None for cell in cells])
        if kind is Kind.INTEGER:
            low, high = (np.array([end(cell) if cell else 0 for cell in cells], dtype=np.int64) for end in (min, max))
            columns[name] = RangeCells(lower=low, upper=high, suppressed=hidden)
            continue
        pairs = [(row, TEXTS.index(str(value))) for row, cell in enumerate(cells) for value in cell or ()]
        owner = np.array([row for row, _ in pairs], dtype=np.int64)
        codes = np.array([code for _, code in pairs], dtype=np.int32)
        columns[name] = gather_sets(owner, codes, len(cells), TEXTS)
    schema = Schema(tuple(Column(name=name, kind=kind) for name, kind in KINDS.items()))
    return MaskedTable(schema=schema, columns=columns)


def draw_case(rng: np.random.Generator, *, releases: int, generalised: bool) -> PopulationCase:
    """Return a small case drawn by chance; cells that link are exact unless it is generalised."""
    blur = 0.5 if generalised else 0.0
    people = [(_draw_number(rng), str(rng.choice(TEXTS))) for _ in range(int(rng.integers(1, 5)))]
    present = [tuple((rng.random(releases) < 0.85).tolist()) for _ in people]
    rows = [
        [
            {name: _draw_cell(rng, kind, 0.8 if name in KEYS else blur) for name, kind in KINDS.items()}
            for _ in range(int(rng.integers(1, 7)))
        ]
        for _ in range(releases)
    ]
    stable = tuple(name for name in ("s", "year", "blood") if rng.random() < 0.5)
    return PopulationCase(people=people, present=present, releases=rows, stable=stable)


def _draw_number(rng: np.random.Generator) -> int:
    return MISSING_NUMBER if rng.random() < 0.1 else int(rng.integers(0, 4))


def _draw_cell(rng: np.random.Generator, kind: Kind, blur: float) -> Cell:
    if kind is Kind.INTEGER:
        number = _draw_number(rng)
        if number == MISSING_NUMBER or rng.random() >= blur:
            return frozenset({number})
        return None if rng.random() < 0.2 else frozenset(range(number, number + int(rng.integers(1, 4))))
    if rng.random() >= blur:
        return frozenset({str(rng.choice(TEXTS))})
    values = frozenset(value for value in TEXTS if rng.random() < 0.5)
    return values or None


def open_cell(cell: Cell, name: str) -> frozenset[Value]:
    """Return the values that a cell admits."""
    if cell is not None:
        return cell
    return frozenset((*NUMBERS, OTHER)) if KINDS[name] is Kind.INTEGER else frozenset(TEXTS)


def list_fitting(case: PopulationCase, person: int, release: int) -> list[int]:
    """Return the rows of a release that fit a person."""
    known = zip(KEYS, case.people[person], strict=True)
    pairs = list(known)
    rows = case.releases[release]
    return [at for at, row in enumerate(rows) if all(value in open_cell(row[name], name) for name, value in pairs)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPerson:
    """What is possible for a person, by listing: tuples, rows of each release, values at each release's time."""

    pairs: int
    rows: list[int]
    values: list[set[Value]]


def list_tuples(case: PopulationCase, person: int, places: tuple[int, ...]) -> ListedPerson:
    """Return what is possible in some releases together."""
    linked = [
        rows
        for rows in product(*(list_fitting(case, person, place) for place in places))
        if all(_share(case, places, rows, name) for name in case.stable)
    ]
    values: list[set[Value]] = [set() for _ in places]
    for rows in linked:
        for at, (place, row) in enumerate(zip(places, rows, strict=True)):
            mine = open_cell(case.releases[place][row]["s"], "s")
            values[at] |= _share(case, places, rows, "s") if "s" in case.stable else mine
    return ListedPerson(
        pairs=len(linked),
        rows=[len({rows[at] for rows in linked}) for at in range(len(places))],
        values=values,
    )


def _share(case: PopulationCase, places: tuple[int, ...], rows: tuple[int, ...], name: str) -> frozenset[Value]:
    cells = [open_cell(case.releases[place][row][name], name) for place, row in zip(places, rows, strict=True)]
    return frozenset.intersection(*cells)


def list_some(case: PopulationCase, person: int) -> ListedPerson:
    """Return what is possible where it is only known that a person is in some of his releases."""
    there = [place for place in range(len(case.releases)) if case.present[person][place]]
    subsets = [subset for size in range(1, len(there) + 1) for subset in combinations(there, size)]
    listed = [list_tuples(case, person, subset) for subset in subsets]
    union: set[Value] = set().union(*(value for each in listed for value in each.values))
    rows = [len(list_fitting(case, person, place)) for place in there]
    return ListedPerson(pairs=sum(each.pairs for each in listed), rows=rows, values=[union] * len(there))


def check_case(case: PopulationCase) -> None:
    """Compare what the program counts with what listing does, for everybody."""
    question = case.to_question()
    people = case.fit_people(question)
    joint, some = question.count(people), question.count(people, presence=Presence.SOME)
    for person in range(len(case.people)):
        there = tuple(place for place in range(len(case.releases)) if case.present[person][place])
        if not there:
            assert joint.pairs[person] == 0
            continue
        _compare(joint, person, there, list_tuples(case, person, there))
        _compare(some, person, there, list_some(case, person))
        for place in there:
            alone = list_tuples(case, person, (place,))
            assert joint.rows_alone[person, place] == alone.rows[0]
            assert joint.values_alone[person, place] == len(alone.values[0])


def _compare(counted: JointCandidates, person: int, there: tuple[int, ...], listed: ListedPerson) -> None:
    assert counted.pairs[person] == listed.pairs, (counted.pairs[person], listed)
    assert counted.rows[person, list(there)].tolist() == listed.rows
    assert counted.values[person, list(there)].tolist() == [len(each) for each in listed.values]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenCase:
    """A case of the file of golden cases of records."""

    name: str
    question: JointReleases
    people: KnownPeople
    expected: list[dict[str, Any]]
    summary: dict[str, object]


def read_golden(case: dict[str, Any], *, everybody: bool = False) -> GoldenCase:
    """Return a golden case as the program takes it: those who are in both releases, or everybody."""
    keys = tuple(case["keys"])
    others = tuple(name for name in case["releases"][0][0] if name != "cells")
    schema = Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in (*keys, *others)))
    lines = [
        [[*map(list, row["cells"]), *([row[name]] for name in others)] for row in rows] for rows in case["releases"]
    ]
    releases = tuple(ClassedRows.of(_make_texts(schema, rows), keys) for rows in lines)
    both = sorted(set(case["in"][0]) & set(case["in"][1]))
    who = range(len(case["people"])) if everybody else both
    frame = pl.DataFrame({key: [str(case["people"][one][at]) for one in who] for at, key in enumerate(keys)})
    data = Dataset(frame, Schema(schema.columns[: len(keys)]))
    there = [np.array([one in members for one in who]) for members in case["in"]]
    fits = [
        find_fitting_classes(release, data, keys, present=present)
        for release, present in zip(releases, there, strict=True)
    ]
    return GoldenCase(
        name=case["id"],
        question=JointReleases(releases=releases, stable=tuple(case["stable"]), sensitive="s"),
        people=KnownPeople(fits=tuple(fits)),
        expected=case["people_in_both"],
        summary={name: case[name] for name in ("least_candidates", "alone", "disclosed")},
    )


def _make_texts(schema: Schema, rows: list[list[list[Any]]]) -> MaskedTable:
    columns: dict[str, Cells] = {}
    for at, column in enumerate(schema.columns):
        domain = tuple(sorted({str(value) for row in rows for value in row[at]}))
        pairs = [(place, domain.index(str(value))) for place, row in enumerate(rows) for value in row[at]]
        owner = np.array([row for row, _ in pairs], dtype=np.int64)
        columns[column.name] = gather_sets(owner, np.array([c for _, c in pairs], dtype=np.int32), len(rows), domain)
    return MaskedTable(schema=schema, columns=columns)


def draw_roster(rng: np.random.Generator, *, releases: int) -> PopulationCase:
    """Return a small case with everybody of every release, drawn by chance; every row is somebody's."""
    count = int(rng.integers(2, 5))
    truth = [
        {
            name: _draw_number(rng) if kind is Kind.INTEGER else str(rng.choice(TEXTS[:2]))
            for name, kind in KINDS.items()
        }
        for _ in range(count)
    ]
    present = [tuple((rng.random(releases) < 0.8).tolist()) for _ in truth]
    present[0] = (True,) * releases
    rows: list[list[Row]] = []
    for place in range(releases):
        rows.append([_blur(rng, truth[who]) for who in range(count) if present[who][place]])
        rows[-1] = [rows[-1][at] for at in rng.permutation(len(rows[-1])).tolist()]
    stable = tuple(name for name in ("s", "year", "blood") if rng.random() < 0.5)
    people: list[tuple[Value, ...]] = [(each["age"], each["town"]) for each in truth]
    return PopulationCase(people=people, present=present, releases=rows, stable=stable)


def _blur(rng: np.random.Generator, person: dict[str, Any]) -> Row:
    """Return a row that admits a person."""
    row: Row = {}
    for name, kind in KINDS.items():
        value = person[name]
        if rng.random() < 0.3 or value == MISSING_NUMBER:
            row[name] = frozenset({value})
        elif rng.random() < 0.15:
            row[name] = None
        elif kind is Kind.INTEGER:
            row[name] = frozenset(range(value - int(rng.integers(0, 3)), value + int(rng.integers(1, 3))))
        else:
            row[name] = frozenset({value, str(rng.choice(TEXTS[:3]))})
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRoster:
    """Everything that explains all rows at once, by listing every assignment of people to rows."""

    explanations: int
    rows: list[list[int]]
    values: list[list[int]]
    row_chance: Fraction


def list_explanations(case: PopulationCase) -> ListedRoster:
    """Return what every assignment of people to rows, in all releases at once, leaves possible."""
    members = [
        [who for who in range(len(case.people)) if case.present[who][place]] for place in range(len(case.releases))
    ]
    orders = [
        [line for line in permutations(range(len(each))) if _fits_all(case, place, each, line)]
        for place, each in enumerate(members)
    ]
    seen: list[list[dict[int, int]]] = [[{} for _ in case.releases] for _ in case.people]
    left: list[list[set[Value]]] = [[set() for _ in case.releases] for _ in case.people]
    explanations = 0
    for choice in product(*orders):
        row_of = [dict(zip(each, line, strict=True)) for each, line in zip(members, choice, strict=True)]
        tuples = {
            who: tuple((place, rows[who]) for place, rows in enumerate(row_of) if who in rows)
            for who in range(len(case.people))
        }
        if not all(_agrees(case, pairs) for pairs in tuples.values() if pairs):
            continue
        explanations += 1
        for who, pairs in tuples.items():
            for place, row in pairs:
                seen[who][place][row] = seen[who][place].get(row, 0) + 1
                left[who][place] |= _list_left(case, pairs, place, row)
    shares = [Fraction(ways, explanations) for person in seen for each in person for ways in each.values()]
    there = case.present
    return ListedRoster(
        explanations=explanations,
        rows=[
            [len(each) if there[who][at] else -1 for at, each in enumerate(person)] for who, person in enumerate(seen)
        ],
        values=[
            [len(each) if there[who][at] else -1 for at, each in enumerate(person)] for who, person in enumerate(left)
        ],
        row_chance=max(shares),
    )


def _fits_all(case: PopulationCase, place: int, members: list[int], line: tuple[int, ...]) -> bool:
    return all(row in list_fitting(case, who, place) for who, row in zip(members, line, strict=True))


def _agrees(case: PopulationCase, pairs: tuple[tuple[int, int], ...]) -> bool:
    places, rows = tuple(place for place, _ in pairs), tuple(row for _, row in pairs)
    return all(_share(case, places, rows, name) for name in case.stable)


def _list_left(case: PopulationCase, pairs: tuple[tuple[int, int], ...], place: int, row: int) -> frozenset[Value]:
    if "s" not in case.stable:
        return open_cell(case.releases[place][row]["s"], "s")
    return _share(case, tuple(at for at, _ in pairs), tuple(each for _, each in pairs), "s")
