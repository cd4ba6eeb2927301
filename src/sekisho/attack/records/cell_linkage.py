"""Known people against published rows, whatever the cells: which rows fit a person, and which are nearest.

In a column a person is at distance 0 from a cell that admits his value; from another range at its gap over the width of
the known people's values, at most 1; from another set at distance 1. A suppressed cell admits everything. The distance
of a person from a row is the sum over the columns (Gower's, for cells). A row *fits* a person at distance 0.

Equal rows and equal people are compared once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.fitting_rows import FittingRows, LinkageSides
from sekisho.data.frame.cells import RangeCells, SetCells, drop_gaps, number_cells, number_values
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.space import require_one_row
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.words import Said

FITS = 0.0
ANY = float("inf")
MANY_ROWS = 1 << 13
"""Of so many distinct rows those that fit are looked up by value; fewer are compared with everybody sooner."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellCandidates:
    """For each known person: how far the nearest rows are, how many are as near, and one of them, drawn evenly.

    Attributes:
        distance: of the nearest rows; infinite where none is within reach.
        count: how many rows are at that distance.
        row: one of them; -1 where there is none.
    """

    distance: NDArray[np.float64]
    count: NDArray[np.int64]
    row: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearestLists:
    """For each distinct person the distinct rows that are nearest.

    Attributes:
        distance: of them; infinite where none is within reach.
        offsets: where each person's rows begin; one more says where the last ones end.
        rows: of all of them, one after the other.
    """

    distance: NDArray[np.float64]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellLinkage:
    """People and rows, joined by some columns.

    Attributes:
        sides: the distinct ones.
        person: the distinct person of each known record.
        row: the distinct row of each published row.
    """

    sides: LinkageSides
    person: NDArray[np.int64]
    row: NDArray[np.int64]

    @classmethod
    def of(cls, release: MaskedTable, knowledge: Dataset, columns: Sequence[str] = ()) -> CellLinkage:
        """Join by the columns named, by all of the release that are known if none is.

        Raises:
            ParameterError: a column is unknown to one of them, is no attribute, or is of another kind.
        """
        require_one_row(knowledge)
        if release.pseudonym is not None:
            raise ParameterError("release", Said("be of records, one row a person"), "a history")
        names = settle_columns(release, knowledge, columns)
        held, owner = release.hold_once(names)
        ranges = {name: cells for name, cells in held.items() if isinstance(cells, RangeCells)}
        others = {name: cells for name, cells in held.items() if isinstance(cells, SetCells)}
        numbers = [knowledge.grid(name) for name in ranges]
        ends = [_open_ends(cells) for cells in ranges.values()]
        sets = [_number_sets(cells) for cells in others.values()]
        codes = [_find_codes(knowledge, name, cells.domain) for name, cells in others.items()]
        person, people = _find_distinct([*numbers, *codes], len(knowledge))
        bare = [*(end for pair in ends for end in pair), *(each for each, _ in sets)]
        row, rows = _find_distinct(bare, len(release) if owner is None else int(owner.max(initial=-1)) + 1)
        tables = [table for _, table in sets]
        sides = LinkageSides(
            numbers=_stack(numbers, people),
            lower=_stack([low for low, _ in ends], rows),
            upper=_stack([high for _, high in ends], rows),
            scale=np.array([float(np.ptp(each)) if len(each) else 0.0 for each in map(drop_gaps, numbers)]),
            codes=_stack(codes, people),
            sets=_stack([each for each, _ in sets], rows),
            first=np.cumsum([0, *(table.size for table in tables)])[:-1].astype(np.int64),
            width=np.array([table.shape[1] for table in tables], dtype=np.int64),
            admits=np.concatenate([np.zeros(0, dtype=np.bool_), *(table.reshape(-1) for table in tables)]),
        )
        return cls(sides=sides, person=person, row=row if owner is None else row[owner])

    def find_nearest(self, *, rng: np.random.Generator, reach: float = ANY) -> CellCandidates:
        """Return for each person the nearest rows within reach; ``FITS`` asks for those that fit."""
        weights = np.bincount(self.row, minlength=len(self.sides.lower)).astype(np.int64)
        fitting = FittingRows(sides=self.sides).list_rows() if len(weights) >= MANY_ROWS else None
        distance, count = self._measure_nearest(weights, reach, fitting)
        draw = (rng.random(len(self.person)) * count[self.person]).astype(np.int64)
        order = np.argsort(self.row, kind="stable")
        starts = np.concatenate([[0], np.cumsum(weights)[:-1]]).astype(np.int64)
        if fitting is None:
            place = _pick_rows(self.sides, weights, starts, self.person, distance, draw)
        else:
            place = self._pick_fitting(weights, starts, distance, draw, fitting)
        row = np.where(place < 0, -1, order[np.maximum(place, 0)] if len(order) else -1)
        return CellCandidates(distance=distance[self.person], count=count[self.person], row=row.astype(np.int64))

    def _measure_nearest(
        self, weights: NDArray[np.int64], reach: float, fitting: list[NDArray[np.intp]] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return for each distinct person the least distance within reach and how many rows are that near.

        Args:
            weights: how many rows each distinct one stands for.
            reach: how far is within it.
            fitting: the rows that fit each person, where these were looked up.
        """
        if fitting is None:
            return _find_best(self.sides, weights, reach)
        count = np.array([weights[rows].sum() for rows in fitting], dtype=np.int64)
        distance = np.where(count > 0, FITS, np.inf)
        others = np.flatnonzero(count == 0)
        if reach > FITS and len(others):
            distance[others], count[others] = _find_best(self.sides.take_people(others), weights, reach)
        return distance, count

    def _pick_fitting(
        self,
        weights: NDArray[np.int64],
        starts: NDArray[np.int64],
        distance: NDArray[np.float64],
        draw: NDArray[np.int64],
        fitting: list[NDArray[np.intp]],
    ) -> NDArray[np.int64]:
        """Return what ``_pick_rows`` does; where rows fit, from them alone."""
        place = np.full(len(self.person), -1, dtype=np.int64)
        far = np.flatnonzero(distance[self.person] > FITS)
        place[far] = _pick_rows(self.sides, weights, starts, self.person[far], distance, draw[far])
        for record in np.flatnonzero(distance[self.person] == FITS).tolist():
            rows = fitting[self.person[record]]
            ends = np.cumsum(weights[rows])
            at = int(np.searchsorted(ends, draw[record], side="right"))
            place[record] = starts[rows[at]] + draw[record] - (ends[at] - weights[rows[at]])
        return place

    def list_nearest(self, *, reach: float = ANY) -> NearestLists:
        """Return for each distinct person all distinct rows that are nearest within reach."""
        weights = np.ones(len(self.sides.lower), dtype=np.int64)
        distance, count = _find_best(self.sides, weights, reach)
        offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        return NearestLists(distance=distance, offsets=offsets, rows=_list_rows(self.sides, distance, offsets))

    def measure(self, people: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how far each person is from the row beside him."""
        return _measure_pairs(self.sides, self.person[people], self.row[rows])

    def match_single(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs (person, row) that fit each other and nobody else."""
        people = np.bincount(self.person, minlength=len(self.sides.numbers)).astype(np.int64)
        rows = np.bincount(self.row, minlength=len(self.sides.lower)).astype(np.int64)
        if len(rows) >= MANY_ROWS:
            pairs = _pair_single(FittingRows(sides=self.sides).list_rows(), people, rows)
        else:
            pairs = _match_single(self.sides, people, rows)
        first_person, first_row = _find_first(self.person, len(people)), _find_first(self.row, len(rows))
        return first_person[pairs[:, 0]], first_row[pairs[:, 1]]


def settle_columns(release: MaskedTable, knowledge: Dataset, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that people and rows are compared in."""
    known = {column.name: column.kind.numeric for column in knowledge.schema.attributes}
    names = tuple(columns) or tuple(name for name in release.columns if name in known)
    both = [name for name in release.columns if known.get(name) is release.schema[name].kind.numeric]
    wrong = [name for name in names if name not in both]
    if wrong or not names:
        rule = Said("be known and published, of one kind ({both})", both=", ".join(both))
        raise ParameterError("keys", rule if both else Said("be known and published, of one kind (none is)"), wrong)
    return names


def _open_ends(cells: RangeCells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    farthest = np.iinfo(np.int64)
    lower = np.where(cells.suppressed, farthest.min, cells.lower)
    return lower, np.where(cells.suppressed, farthest.max, cells.upper)


def _number_sets(cells: SetCells) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the number of each row's set, and what each distinct set admits; number 0 is the suppressed cell."""
    place, first = number_cells(cells)
    distinct = cells.take(first)
    admits = np.zeros((len(first) + 1, max(1, len(cells.domain))), dtype=np.bool_)
    admits[distinct.owners() + 1, distinct.codes] = True
    admits[0] = True
    return np.where(cells.suppressed, 0, place + 1), admits


def _find_codes(knowledge: Dataset, name: str, domain: tuple[str, ...]) -> NDArray[np.int64]:
    at = {value: code for code, value in enumerate(domain)}
    places = np.array([at.get(value, -1) for value in knowledge.domain(name)], dtype=np.int64)
    return places[knowledge.codes(name)]


def _find_distinct(columns: Sequence[NDArray[np.int64]], length: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return which distinct tuple each row has, and a row that has each."""
    number = np.zeros(length, dtype=np.int64)
    for column in columns:
        place, first = number_values(column)
        number = number_values(number * len(first) + place)[0]
    return number, number_values(number)[1]


def _find_first(number: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    first = np.zeros(count, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first


def _stack(columns: Sequence[NDArray[np.int64]], rows: NDArray[np.intp]) -> NDArray[np.int64]:
    if not columns:
        return np.zeros((len(rows), 0), dtype=np.int64)
    return np.ascontiguousarray(np.stack([column[rows] for column in columns], axis=1))


@njit(cache=True, nogil=True)
def _measure_distance(sides: LinkageSides, person: int, row: int, limit: float) -> float:
    """Return how far a person is from a row; more than the limit as soon as that is sure."""
    distance = 0.0
    for column in range(sides.codes.shape[1]):
        code = sides.codes[person, column]
        at = sides.first[column] + sides.sets[row, column] * sides.width[column]
        if (code < 0 and sides.sets[row, column] != 0) or (code >= 0 and not sides.admits[at + code]):
            distance += 1.0
            if distance > limit:
                return distance
    for column in range(sides.numbers.shape[1]):
        value = sides.numbers[person, column]
        if value < sides.lower[row, column]:
            gap = float(sides.lower[row, column]) - float(value)
        elif value > sides.upper[row, column]:
            gap = float(value) - float(sides.upper[row, column])
        else:
            continue
        distance += min(1.0, gap / sides.scale[column]) if sides.scale[column] > 0 else 1.0
        if distance > limit:
            return distance
    return distance


@njit(cache=True, nogil=True)
def _find_best(
    sides: LinkageSides, weights: NDArray[np.int64], reach: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return for each distinct person the least distance within reach and how many rows are that near."""
    people = sides.numbers.shape[0]
    distances, counts = np.full(people, np.inf), np.zeros(people, np.int64)
    for person in range(people):
        best, count = reach, 0
        for row in range(sides.lower.shape[0]):
            distance = _measure_distance(sides, person, row, best)
            if distance < best:
                best, count = distance, 0
            if distance == best:
                count += weights[row]
        if count > 0:
            distances[person], counts[person] = best, count
    return distances, counts


@njit(cache=True, nogil=True)
def _pick_rows(
    sides: LinkageSides,
    weights: NDArray[np.int64],
    starts: NDArray[np.int64],
    person: NDArray[np.int64],
    distance: NDArray[np.float64],
    draw: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return for each known record the row of that number among the nearest, a place in the order by distinct row."""
    picked = np.full(len(person), -1, np.int64)
    for record in range(len(person)):
        who, left = person[record], draw[record]
        limit = float(distance[who])
        if limit == np.inf:
            continue
        for row in range(sides.lower.shape[0]):
            if _measure_distance(sides, who, row, limit) != limit:
                continue
            if left < weights[row]:
                picked[record] = starts[row] + left
                break
            left -= weights[row]
    return picked


@njit(cache=True, nogil=True)
def _list_rows(sides: LinkageSides, distance: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct rows at each distinct person's least distance."""
    rows = np.empty(offsets[-1], np.int64)
    for person in range(len(distance)):
        place, limit = offsets[person], distance[person]
        if limit == np.inf:
            continue
        for row in range(sides.lower.shape[0]):
            if _measure_distance(sides, person, row, limit) == limit:
                rows[place] = row
                place += 1
    return rows


@njit(cache=True, nogil=True)
def _measure_pairs(sides: LinkageSides, people: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    distances = np.empty(len(people), np.float64)
    for place in range(len(people)):
        distances[place] = _measure_distance(sides, people[place], rows[place], np.inf)
    return distances


def _pair_single(
    fitting: list[NDArray[np.intp]], people: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return what ``_match_single`` does, from the rows that fit each person."""
    by_row = np.zeros(len(rows), dtype=np.int64)
    for person, fits in enumerate(fitting):
        by_row[fits] += people[person]
    single = [person for person, fits in enumerate(fitting) if len(fits) == 1 and rows[fits[0]] == 1]
    pairs = [(person, fitting[person][0]) for person in single if by_row[fitting[person][0]] == 1]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


@njit(cache=True, nogil=True)
def _match_single(sides: LinkageSides, people: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pairs of distinct people and rows, each once there, that fit each other and no other."""
    by_person, by_row = np.zeros(len(people), np.int64), np.zeros(len(rows), np.int64)
    row_of = np.full(len(people), -1, np.int64)
    for person in range(len(people)):
        for row in range(len(rows)):
            if _measure_distance(sides, person, row, 0.0) == 0.0:
                by_person[person] += rows[row]
                by_row[row] += people[person]
                row_of[person] = row
    pairs = np.empty((len(people), 2), np.int64)
    count = 0
    for person in range(len(people)):
        if by_person[person] == 1 and by_row[row_of[person]] == 1:
            pairs[count, 0], pairs[count, 1] = person, row_of[person]
            count += 1
    return pairs[:count]
