"""Why a cell is suppressed, or shown as it is, and what follows.

For each secondary, the primaries that its publication would expose, and the equations that join them. The adversary is
the audit's: he sees what is published and knows all equations. A secondary that gives him nothing when it alone is
published may be there against contributors, who know what they gave as well; else it stands for protection shared with
others, or for none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.tables.audit.attacker import DOWN, UP, attacker_of
from sekisho.tables.audit.coalitions import find_coalitions, leaks
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.audit.statement_audit import find_inner
from sekisho.tables.audit.statements import StatementKind, Statements
from sekisho.tables.audit.survey import AuditSurvey, Needs, settle_primary
from sekisho.tables.audit.witness import Evidence, find_evidence
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.words import Said

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


@dataclass(frozen=True, slots=True, kw_only=True)
class InsideReason:
    """A primary that a secondary protects from contributors who know what they gave.

    Attributes:
        primary: the place of the primary cell.
        insider: the place of the contributors' own cell.
        low: the least that they could conclude of the primary if the secondary were published.
        high: the most.
    """

    primary: int
    insider: int
    low: float
    high: float


def list_inside_reasons(table: Table, cell: int, *, coalition: int) -> tuple[InsideReason, ...]:
    """Return what contributors could conclude if one secondary were published, too closely; each primary once.

    Asked of a table that no coalition of this size breaks as it is: else it tells what they break already, too.
    """
    status = table.status.copy()
    status[cell] = Status.SAFE
    shown = replace(table, status=status)
    known = {each.cell: each for each in find_coalitions(shown, coalition)}
    found: dict[int, InsideReason] = {}
    for leak in leaks(shown, coalition=coalition):
        theirs, own = known[leak.insider], np.array([leak.insider])
        attacker = attacker_of(shown)
        attacker.hold(own, np.array([theirs.down]), np.array([theirs.up]))
        for primary in leak.exposed:
            if primary not in found:
                value = float(table.value[primary])
                ends = value - attacker.reach(primary, DOWN).far, value + attacker.reach(primary, UP).far
                found[primary] = InsideReason(primary=primary, insider=leak.insider, low=ends[0], high=ends[1])
    return tuple(found.values())


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReason:
    """Why a cell is shown as it is, where none is hidden, and what follows for a reader.

    Attributes:
        cell: its place.
        why: in words.
        alone: between which values its number places it by the rule; None where the rule says nothing of it.
        together: between which values all numbers and equations place it.
        protects: the unsafe cells that stay open because this one does, by the certificate's witnesses.
    """

    cell: int
    why: Said
    alone: tuple[float, float] | None
    together: tuple[float, float]
    protects: tuple[int, ...] = ()

    @property
    def narrowed(self) -> bool:
        """Whether the equations tell more than the number alone."""
        return self.alone is not None and self.together != self.alone


def explain_shown(
    release: ShownRelease, audit: Audit, cells: Sequence[int], witnesses: Evidence | None = None
) -> Iterator[ShownReason]:
    """Tell of some cells of a release why they are shown so, and what a reader concludes; no true value is told.

    Args:
        release: what is shown.
        audit: the reader's interval of each cell that is not shown as it is.
        cells: those that are asked for.
        witnesses: of the certificate: tables that a reader cannot exclude.
    """
    said, inner = release.statements, find_inner(release.table)
    protected = _list_protected(witnesses)
    ends = zip(audit.low.tolist(), audit.high.tolist(), strict=True)
    found = dict(zip(audit.cells.tolist(), ends, strict=True))
    for cell in cells:
        alone = None if said is None or said.kind[cell] == StatementKind.SUM else _find_ends(said, cell)
        together = found.get(cell, alone or (float(release.table.lower[cell]), float(release.table.upper[cell])))
        yield ShownReason(
            cell=cell,
            why=_say_why(release, cell, inner=bool(inner[cell])),
            alone=alone,
            together=together,
            protects=tuple(each for each in protected.get(cell, ()) if each != cell),
        )


def _find_ends(said: Statements, cell: int) -> tuple[float, float]:
    return float(said.low[cell]), float(said.high[cell])


def _list_protected(witnesses: Evidence | None) -> dict[int, list[int]]:
    """Return by cell the unsafe cells whose witnesses move it."""
    protected: dict[int, list[int]] = {}
    for each in () if witnesses is None else witnesses.witnesses:
        points = [witnesses.points[at] for at in (each.down, each.up) if at is not None] if witnesses else []
        for cell in sorted({cell for point in points for cell in point.cells}):
            protected.setdefault(cell, []).append(each.cell)
    return protected


def _say_why(release: ShownRelease, cell: int, *, inner: bool) -> Said:
    method, unsafe = release.method, bool(release.table.primary[cell])
    if method in {"round", "small", "perturb"}:
        return _say_why_counted(method, release.parameters, inner=inner)
    if method == "adjust":
        return (
            Said("unsafe: moved away from its value by a level drawn in secret")
            if unsafe
            else Said("as it is, or moved so that sums hold")
        )
    if release.shown.ndim == 2 and release.shown[cell, 0] < release.shown[cell, 1]:
        return (
            Said("unsafe: as wide as its levels ask, the place of its value drawn in secret")
            if unsafe
            else Said("open so that unsafe cells cannot be worked out from it")
        )
    return Said("as it is: no unsafe cell needs it open")


def _say_why_counted(method: str, parameters: Mapping[str, object], *, inner: bool) -> Said:
    base, additive = str(parameters.get("base", "")), parameters.get("additive")
    if method == "round":
        return Said("a multiple of {base} near its count, chosen so that all sums hold", base=base)
    if not inner and (method == "small" or additive == "sum"):
        return Said("the sum of what the cells below it show")
    if method == "small":
        return Said("a count below {base} becomes 0 or {base}; a larger one is shown as it is", base=base)
    if additive == "closest":
        return Said("noise by the key of its records, then moved so that sums hold")
    return Said("noise by the key of its records: the same people show the same number in every table")
