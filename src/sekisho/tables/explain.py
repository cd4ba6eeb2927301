"""Why a cell is suppressed.

For each secondary, the primaries that its publication would expose, and the equations that join them. The adversary is
the audit's: he sees what is published and knows all equations. A secondary that exposes nobody when it alone is
published stands for protection shared with others, or for none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.tables.audit.attacker import DOWN, UP, attacker_of
from sekisho.tables.audit.survey import AuditSurvey, Needs, settle_primary
from sekisho.tables.certificate.witness import find_evidence
from sekisho.tables.model.table import Mask, Status, Table

NONE = np.zeros(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A primary that a secondary protects, and the equations from one to the other.

    Attributes:
        primary: the place of the primary cell.
        equations: the places of the equations, from the secondary's to the primary's.
        through: the places of the hidden cells between them; one fewer than the equations.
    """

    primary: int
    equations: tuple[int, ...]
    through: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellReason:
    """Why one secondary cell is suppressed; without any chain it is needed only together with others, or not at all."""

    cell: int
    chains: tuple[Chain, ...]


def reasons(table: Table, *, among: Mask | None = None) -> Iterator[CellReason]:
    """Tell, secondary by secondary, which primaries lack protection once that one cell is published.

    ``among`` names the secondaries to look at, if not all. Primaries that lack it already are nobody's merit and are
    left out.
    """
    attacker = attacker_of(table)
    survey = AuditSurvey(Needs.of(table))
    for point in find_evidence(table).points:
        # the least deviations touch few cells, so that few of them are void without one cell
        moves = np.zeros(len(attacker.cells))
        moves[attacker.where[list(point.cells)]] = np.array(point.moves, dtype=np.float64) / point.denominator
        survey.see(attacker, moves)
    bare = {place for place in survey.open().tolist() if not settle_primary(attacker, survey, place)}
    graph = _Graph(table)
    asked = table.status == Status.SECONDARY
    for cell in np.flatnonzero(asked if among is None else asked & among).tolist():
        one = np.array([cell])
        trial = survey.without(one)
        attacker.hold(one, NONE, NONE)
        trial.spread(attacker)
        lost = [at for at in trial.open().tolist() if at not in bare and not settle_primary(attacker, trial, at)]
        attacker.release(one)
        yield CellReason(cell=cell, chains=tuple(graph.chains(cell, survey.needs.cells[lost].tolist())))


def conclude_if_shown(table: Table, cell: int, primaries: Sequence[int]) -> Iterator[tuple[float, float]]:
    """Give between which values an attacker would place each of some primaries if one hidden cell were published.

    Of whole numbers he would conclude no more; that they are whole is not used.
    """
    attacker = attacker_of(table)
    attacker.hold(np.array([cell]), NONE, NONE)
    for primary in primaries:
        value = float(table.value[primary])
        yield value - attacker.reach(primary, DOWN).far, value + attacker.reach(primary, UP).far


class _Graph:
    """Hidden cells and the equations between them."""

    def __init__(self, table: Table) -> None:
        hidden = np.flatnonzero(table.suppressed)
        columns = table.matrix.tocsc()
        self._rows_of = {
            cell: columns.indices[columns.indptr[cell] : columns.indptr[cell + 1]] for cell in hidden.tolist()
        }
        chosen = csr_array(table.matrix)
        mask = table.suppressed
        self._cells_of = [row[mask[row]] for row in np.split(chosen.indices, chosen.indptr[1:-1])]

    def chains(self, start: int, ends: list[int]) -> Iterator[Chain]:
        """Yield a shortest chain to each end that can be reached."""
        waiting, wanted = deque([start]), set(ends)
        came: dict[int, tuple[int, int]] = {start: (-1, -1)}
        crossed: set[int] = set()
        while waiting and wanted:
            cell = waiting.popleft()
            wanted.discard(cell)
            for row in self._rows_of[cell].tolist():
                if row in crossed:
                    continue
                crossed.add(row)
                fresh = [other for other in self._cells_of[row].tolist() if other not in came]
                came |= dict.fromkeys(fresh, (row, cell))
                waiting.extend(fresh)
        for end in ends:
            if end in came:
                yield _trace(end, came)


def _trace(end: int, came: dict[int, tuple[int, int]]) -> Chain:
    equations: list[int] = []
    cells: list[int] = []
    row, cell = came[end]
    while row >= 0:
        equations.append(row)
        cells.append(cell)
        row, cell = came[cell]
    return Chain(primary=end, equations=tuple(reversed(equations)), through=tuple(reversed(cells[:-1])))


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSummary:
    """What is hidden of the cells of one level: how many, and how much of their value and frequency.

    A level says for each dimension whether the code is a leaf, a node so many steps below the total, or the total.
    """

    level: tuple[str, ...]
    cells: int
    primary: int
    secondary: int
    value: float
    value_hidden: float
    frequency: int
    frequency_hidden: int


def summary(table: Table) -> list[LevelSummary]:
    """Return what is suppressed level by level, the inner cells first.

    Cells that stand in no published table do not count.
    """
    own = np.flatnonzero(~table.unpublished)
    depths = words_of_codes(table)
    levels = [tuple(depths[axis][code] for axis, code in enumerate(table.keys[cell])) for cell in own.tolist()]
    places = {level: at for at, level in enumerate(dict.fromkeys(levels))}
    at = np.array([places[level] for level in levels])

    def by_level(weights: NDArray[np.generic]) -> list[float]:
        return np.bincount(at, weights=weights[own].astype(np.float64), minlength=len(places)).tolist()

    hidden = table.suppressed
    columns = zip(
        places,
        by_level(np.ones(len(table))),
        by_level(table.primary),
        by_level(table.status == Status.SECONDARY),
        by_level(table.value),
        by_level(np.where(hidden, table.value, 0.0)),
        by_level(table.frequency),
        by_level(np.where(hidden, table.frequency, 0)),
        strict=True,
    )
    strata = [
        LevelSummary(
            level=level,
            cells=int(cells),
            primary=int(primary),
            secondary=int(secondary),
            value=value,
            value_hidden=value_hidden,
            frequency=int(frequency),
            frequency_hidden=int(frequency_hidden),
        )
        for level, cells, primary, secondary, value, value_hidden, frequency, frequency_hidden in columns
    ]
    return sorted(strata, key=lambda one: (sum(word != LEAF for word in one.level), one.level))


LEAF = "leaf"
TOP = "total"
GROUP = "group"


def words_of_codes(table: Table) -> list[dict[str, str]]:
    """Return, for each dimension, the word of each code's level.

    It is found from the equations: a total differs from its parts in one code.
    """
    above: list[dict[str, str]] = [{} for _ in table.dims]
    sums: list[set[str]] = [set() for _ in table.dims]
    matrix = table.matrix
    for row in range(matrix.shape[0]):
        cells = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        signs = matrix.data[matrix.indptr[row] : matrix.indptr[row + 1]]
        totals, parts = cells[signs < 0], cells[signs > 0]
        if len(totals) != 1 or not len(parts):
            continue
        total, part = table.keys[totals[0]], table.keys[parts[0]]
        axes = [axis for axis, (one, other) in enumerate(zip(total, part, strict=True)) if one != other]
        if len(axes) == 1:
            sums[axes[0]].add(total[axes[0]])
            for place in parts.tolist():
                above[axes[0]].setdefault(table.keys[place][axes[0]], total[axes[0]])
    return [
        {
            code: _word(code, above[axis], sums[axis], table.margins[axis])
            for code in dict.fromkeys(key[axis] for key in table.keys)
        }
        for axis in range(len(table.dims))
    ]


def _word(code: str, parents: dict[str, str], sums: set[str], margin: str) -> str:
    if code not in sums:
        return LEAF
    if code not in parents and code != margin and margin in sums:
        return GROUP  # a sum that is part of no other
    depth, seen = 0, {code}
    while code in parents and parents[code] not in seen:
        code = parents[code]
        seen.add(code)
        depth += 1
    return TOP if depth == 0 else f"level {depth}"
