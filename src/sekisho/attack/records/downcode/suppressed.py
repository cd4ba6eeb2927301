"""Hidden cells of local suppression, read off the release: which values they cannot have.

Who attacks: anybody who reads the release, knows the method, its parameters and the values of each key, and that no
hidden cell could be shown again (``least``). He needs no person's keys and no chance.

*any*, a hidden cell matches everything. Let m(r) be the number of records that match r. Show v in the hidden cell (r,
c): r loses the matches that show another value in c, and each of them loses r. If r keeps k and each loser had more
than k, the cell could have been shown; so it does not hold v. *alike*, written alike. Show v: r leaves its class. If
the class keeps k without r and a class is written as r is now, the cell could have been shown.

Both tests look at the release alone, never at what other hidden cells hold. So the originals that are left are exactly
the product of the values left in each cell: the count is complete, and the chance of the best guess over uniform
originals is one over the values left (docs/proofs/downcoding.md). It is certain where no single cell of the release
could be shown again; whoever has the original can count that: then no cell holds a value that was ruled out.

Source: the attack is ours; of the same kind: Cohen, "Attacks on deidentification's defenses", USENIX Security 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.downcode.answer import Downcoded, KeyCells, Knows, Roster
from sekisho.data.frame.cells import Cells, RangeCells, number_cells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.records.suppressed_matches import count_matches
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.words import Said

HIDDEN = -1
"""The code of a hidden cell."""
MOST_MARKS = 1 << 24
"""So many marks of values, cells by values, are held at a time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HiddenCells:
    """A release by local suppression.

    Attributes:
        names: of the keys.
        codes: records by keys, the code of each shown value; -1 where hidden.
        domains: how many values each key has, those that are nowhere shown too.
        k: how many records match, or are written alike.
        alike: whether a hidden cell is like a hidden cell only.
        truth: records by keys, the true codes; None where nobody knows them.
    """

    names: tuple[str, ...]
    codes: NDArray[np.int32]
    domains: tuple[int, ...]
    k: int
    alike: bool
    truth: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        if self.k < 2:  # nothing need be hidden then, and what is says nothing
            raise ParameterError("k", Said("be at least 2: a class of one is a person"), self.k)


def read_hidden_cells(
    table: MaskedTable, known: Dataset, keys: Sequence[str], *, k: int, alike: bool, rows: NDArray[np.int64] | None
) -> HiddenCells:
    """Return the keys of a release as one reads them who knows what values there are.

    A cell that is coarser than a value, such as a range, is taken as a value of its own; of such a column nobody says
    what the truth is.

    Args:
        table: what is published.
        known: the original, or the values that the release itself names.
        keys: which columns.
        k: how many records match.
        alike: whether a hidden cell is like a hidden cell only.
        rows: the row of the original that each published one was; None where nobody knows.
    """
    coded = [_code_column(table.columns[name], known, name, rows) for name in keys]
    truths = [truth for _, _, truth in coded if truth is not None]
    return HiddenCells(
        names=tuple(keys),
        codes=np.ascontiguousarray(np.stack([codes for codes, _, _ in coded], axis=1).astype(np.int32)),
        domains=tuple(domain for _, domain, _ in coded),
        k=k,
        alike=alike,
        truth=np.stack(truths, axis=1).astype(np.int32) if len(truths) == len(coded) and rows is not None else None,
    )


def _code_column(
    cells: Cells, known: Dataset, name: str, rows: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], int, NDArray[np.int64] | None]:
    """Return the code of each shown cell, -1 where hidden, how many values there are, and the true codes."""
    if bool((cells.suppressed | cells.is_exact()).all()):
        if isinstance(cells, RangeCells):
            values = known.grid(name)
            grid = np.unique(np.concatenate([values, cells.lower[~cells.suppressed]]))
            codes, true, domain = np.searchsorted(grid, cells.lower), np.searchsorted(grid, values), len(grid)
        else:
            codes, true, domain = np.zeros(len(cells), dtype=np.int64), known.codes(name), len(cells.domain)
            codes[~cells.suppressed] = cells.codes
        truth = None if rows is None else true[rows].astype(np.int64)
        return np.where(cells.suppressed, HIDDEN, codes).astype(np.int64), domain, truth
    place, _ = number_cells(cells)
    distinct, codes = np.unique(place[~cells.suppressed], return_inverse=True)
    shown = np.full(len(cells), HIDDEN, dtype=np.int64)
    shown[~cells.suppressed] = codes.reshape(-1)
    return shown, len(distinct), None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RuledOut:
    """What some hidden cells of one key cannot hold.

    Attributes:
        key: its place.
        rows: of the cells.
        marks: cells by values, whether the cell cannot hold the value.
    """

    key: int
    rows: NDArray[np.int64]
    marks: NDArray[np.bool_]


def downcode_suppressed(cells: HiddenCells, *, knows: Knows = Knows.LEAST) -> Downcoded:
    """Return what the hidden cells still can be.

    One who knows every other record learns no more than one who knows nobody: the originals left are a product.
    """
    parts = {name: _Tally(cells, place) for place, name in enumerate(cells.names)}
    touched = (cells.codes == HIDDEN).any(axis=1)
    concerned = np.zeros(len(cells.codes), dtype=np.bool_)
    if knows is not Knows.RULE:
        for part in rule_out_values(cells):
            parts[cells.names[part.key]].add(part, concerned)
    return _sum_up(cells, knows, tuple(parts.values()), people=int(concerned.sum()), touched=int(touched.sum()))


class _Tally:
    """Sums over the hidden cells of one key."""

    __slots__ = ("cells", "chance", "domain", "excluded", "hits", "known", "left", "name", "narrowed", "truth")

    def __init__(self, cells: HiddenCells, place: int) -> None:
        self.name, self.domain = cells.names[place], cells.domains[place]
        self.cells = int((cells.codes[:, place] == HIDDEN).sum())
        self.left = self.cells / self.domain if self.domain else 0.0
        self.truth = None if cells.truth is None else cells.truth[:, place]
        self.narrowed = self.known = self.hits = self.excluded = 0
        self.chance = 0.0

    def add(self, part: RuledOut, concerned: NDArray[np.bool_]) -> None:
        """Count what some cells cannot hold; mark whose they are."""
        left = self.domain - part.marks.sum(axis=1)
        narrowed, known = left < self.domain, left == 1
        self.narrowed += int(narrowed.sum())
        self.known += int(known.sum())
        self.chance += int(known.sum()) / self.domain
        # a cell that has no value left refutes what he takes the method for: it tells nothing
        self.left += float((1.0 / np.where(left > 0, left, self.domain) - 1.0 / self.domain).sum())
        concerned[part.rows[narrowed]] = True
        if self.truth is not None:
            gone = part.marks[np.arange(len(part.rows)), self.truth[part.rows]]
            self.excluded += int(gone.sum())
            self.hits += int((known & ~gone).sum())


def _sum_up(cells: HiddenCells, knows: Knows, parts: Sequence[_Tally], *, people: int, touched: int) -> Downcoded:
    hidden = sum(part.cells for part in parts)
    checked = cells.truth is not None
    excluded = sum(part.excluded for part in parts) if checked else None
    return Downcoded(
        method="suppress",
        knows=knows,
        roster=Roster.ONE,
        keys={part.name: KeyCells(cells=part.cells, narrowed=part.narrowed, known=part.known) for part in parts},
        people=people,
        touched=touched,
        hits=sum(part.hits for part in parts) if checked else None,
        excluded=excluded,
        chance=sum(part.chance for part in parts),
        guess=sum(part.left for part in parts) / hidden if hidden else None,
        guess_rule=sum(part.cells / part.domain for part in parts if part.cells) / hidden if hidden else None,
        certain=knows is Knows.RULE or excluded == 0,
    )


def sum_listed(cells: HiddenCells, gaps: NDArray[np.int64], left: Sequence[NDArray[np.int64]]) -> Downcoded:
    """Return what is left where all originals were listed.

    Args:
        cells: the release.
        gaps: row and key of each hidden cell.
        left: of each hidden cell, how many originals give it each value.
    """
    marks = [np.flatnonzero(counts == 0) for counts in left]
    parts = {place: _Tally(cells, place) for place in range(len(cells.names))}
    concerned = np.zeros(len(cells.codes), dtype=np.bool_)
    best = 0.0
    for (row, key), gone, counts in zip(gaps.tolist(), marks, left, strict=True):
        mark = np.zeros((1, cells.domains[key]), dtype=np.bool_)
        mark[0, gone] = bool(counts.any())  # a release that no original gives tells nothing
        parts[key].add(RuledOut(key=key, rows=np.array([row]), marks=mark), concerned)
        best += counts.max() / counts.sum() if counts.any() else 1 / cells.domains[key]
    touched = int((cells.codes == HIDDEN).any(axis=1).sum())
    answer = _sum_up(cells, Knows.TIE, tuple(parts.values()), people=int(concerned.sum()), touched=touched)
    return replace(answer, guess=best / len(gaps) if len(gaps) else None)


def rule_out_values(cells: HiddenCells) -> Iterator[RuledOut]:
    """Give what the hidden cells cannot hold, as many cells at a time as memory allows."""
    if not cells.codes.size:
        return
    rule_out = _AlikeReader(cells) if cells.alike else _AnyReader(cells)
    for key, domain in enumerate(cells.domains):
        rows = np.flatnonzero(cells.codes[:, key] == HIDDEN)
        step = max(1, MOST_MARKS // max(1, domain))
        for begin in range(0, len(rows), step):
            some = rows[begin : begin + step]
            yield RuledOut(key=key, rows=some, marks=rule_out.read(key, some, domain))


class _AnyReader:
    """Reads hidden cells that match everything."""

    def __init__(self, cells: HiddenCells) -> None:
        self.codes = np.ascontiguousarray(cells.codes)
        self.hidden = self.codes == HIDDEN
        self.spare = count_matches(self.codes, self.hidden) - cells.k
        self.begins, self.members = _list_members(self.codes, cells.domains)

    def read(self, key: int, rows: NDArray[np.int64], domain: int) -> NDArray[np.bool_]:
        """Return which values the cells of a key cannot hold."""
        marks = np.zeros((len(rows), domain), dtype=np.bool_)
        _mark_matched(self.codes, self.spare, self.begins, self.members, key, rows, marks)
        return marks


def _list_members(codes: NDArray[np.int32], domains: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, key after key, the rows that show each value, the hidden ones first, and where each such list begins."""
    width = max(domains) + 2
    begins = np.zeros((len(domains), width), dtype=np.int64)
    members = np.empty((len(domains), len(codes)), dtype=np.int64)
    for key in range(len(domains)):
        members[key] = np.argsort(codes[:, key], kind="stable")
        begins[key, 1:] = np.cumsum(np.bincount(codes[:, key] + 1, minlength=width - 1))
    return begins, members


@njit(cache=True, nogil=True)
def _matches(codes: NDArray[np.int32], one: int, other: int) -> bool:
    for key in range(codes.shape[1]):
        first, second = codes[one, key], codes[other, key]
        if first != second and first >= 0 and second >= 0:
            return False
    return True


@njit(cache=True, nogil=True)
def _choose_key(codes: NDArray[np.int32], begins: NDArray[np.int64], row: int) -> int:
    """Return the shown key of a row with the fewest rows that can match in it; -1 where all are hidden."""
    best, fewest = -1, len(codes) + 1
    for key in range(codes.shape[1]):
        code = codes[row, key]
        if code < 0:
            continue
        many = begins[key, 1] + begins[key, code + 2] - begins[key, code + 1]
        if many < fewest:
            best, fewest = key, many
    return best


@njit(cache=True, nogil=True)
def _mark_matched(
    codes: NDArray[np.int32],
    spare: NDArray[np.int64],
    begins: NDArray[np.int64],
    members: NDArray[np.int64],
    key: int,
    rows: NDArray[np.int64],
    marks: NDArray[np.bool_],
) -> None:
    """Mark the values whose showing would leave everybody enough matches."""
    shown, scarce = np.zeros(marks.shape[1], np.int64), np.zeros(marks.shape[1], np.int64)
    for place in range(len(rows)):
        row = rows[place]
        shown[:] = 0
        scarce[:] = 0
        near = _choose_key(codes, begins, row)
        for part in range(2):  # those that hide the chosen key, then those that show the row's value of it
            if near < 0:
                begin, end = (0, len(codes)) if part == 0 else (0, 0)
            else:
                slot = 0 if part == 0 else codes[row, near] + 1
                begin, end = begins[near, slot], begins[near, slot + 1]
            for at in range(begin, end):
                other = members[max(near, 0), at]
                code = codes[other, key]
                if code >= 0 and _matches(codes, row, other):
                    shown[code] += 1
                    scarce[code] += spare[other] < 1
        lost, short = shown.sum(), scarce.sum()
        for value in range(marks.shape[1]):
            marks[place, value] = spare[row] >= lost - shown[value] and short == scarce[value]


class _AlikeReader:
    """Reads hidden cells that are like hidden cells only."""

    def __init__(self, cells: HiddenCells) -> None:
        self.codes, self.k = cells.codes, cells.k
        self.written, self.owner, self.sizes = np.unique(cells.codes, axis=0, return_inverse=True, return_counts=True)
        self.owner = self.owner.reshape(-1)

    def read(self, key: int, rows: NDArray[np.int64], domain: int) -> NDArray[np.bool_]:
        """Return which values the cells of a key cannot hold: those that would put the record into another class."""
        marks = np.zeros((len(rows), domain), dtype=np.bool_)
        others = np.delete(np.arange(self.codes.shape[1]), key)
        _, rest = np.unique(self.written[:, others], axis=0, return_inverse=True)
        rest = rest.reshape(-1)
        own = self.owner[rows]
        spares = self.sizes[own] > self.k
        asked, which = np.unique(rest[own[spares]], return_inverse=True)
        near = np.flatnonzero((self.written[:, key] >= 0) & np.isin(rest, asked))
        joined = np.zeros((len(asked), domain), dtype=np.bool_)
        joined[np.searchsorted(asked, rest[near]), self.written[near, key]] = True
        marks[spares] = joined[which.reshape(-1)]
        return marks
