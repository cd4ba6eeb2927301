"""The certificate of a suppression: all that a stranger needs to check it.

He need not trust the optimiser or any solver. It holds the table with its true values (so it is as confidential as they
are), the pattern, tables that the attacker cannot exclude (points), which of them speak for each primary and which of
them each coalition of insiders cannot exclude either, if these were considered, and for the bound trees of cases whose
leaves are sums of cuts. Points and the multipliers of cuts and of sums are whole numbers over a denominator, so the
checker (:mod:`sekisho.tables.check.checker`) computes exactly. What it proves is set out in
docs/proofs/cell-suppression.md.

Proof of a bound over some cuts.

For each group of cells that no cut joins, a tree of cases, each leaf a sum of cuts that says enough. In a leaf with
some cells fixed, non-negative parts ``u`` of the cuts prove for every safe pattern ``cost >= sum_k u_k + sum_i min over
the allowed y_i of (w_i - sum_k u_k c_ki) y_i``. Any parts are valid; the relaxation's multipliers, rounded, are the
best ones. A branch names a cell and proves both of its cases. What is proven for groups of cells that have none in
common adds up, each group's bound being rounded up on its own if the costs are whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from heapq import heappop, heappush
from math import ceil, inf, isfinite
from time import monotonic

import numpy as np
import scipy
from scipy.sparse import csr_array, eye_array, hstack

from sekisho.provenance import Provenance
from sekisho.tables.audit.coalitions import given_of
from sekisho.tables.audit.witness import Evidence, complete_evidence, find_evidence
from sekisho.tables.model.table import Floats, Mask, Status, Table
from sekisho.tables.model.whole_numbers import WholeNumbers, holds_whole_numbers
from sekisho.tables.solvers.highs import Program, Solution, SolveStatus
from sekisho.tables.suppress.boxes import list_box_points
from sekisho.tables.suppress.cuts import Cut, Multipliers
from sekisho.tables.suppress.optimiser import Suppression
from sekisho.tables.suppress.repair import PatternSafety

SCALE = 10**7
DEEPEST = 100
"""How many cases may stand inside one another: a reader of JSON goes no deeper than he must."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A sum of cuts: each cut's part, in units of 1 / SCALE."""

    parts: Mapping[int, int]

    def used(self) -> set[int]:
        """Return the cuts in the sum."""
        return set(self.parts)

    def as_dict(self, place: Mapping[int, int]) -> dict[str, object]:
        """Return the leaf as plain data, its cuts renumbered."""
        return {"scale": SCALE, "sum": [[place[cut], part] for cut, part in self.parts.items()]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A cell and the proofs of its two cases: published and suppressed."""

    cell: int
    zero: Leaf | Branch
    one: Leaf | Branch

    def used(self) -> set[int]:
        """Return the cuts below."""
        return self.zero.used() | self.one.used()

    def as_dict(self, place: Mapping[int, int]) -> dict[str, object]:
        """Return the branch as plain data, its cuts renumbered."""
        return {"cell": self.cell, "zero": self.zero.as_dict(place), "one": self.one.as_dict(place)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenPart:
    """What is proven of the cost of some cells: no safe pattern hides less than ``bound`` of them."""

    cells: tuple[int, ...]
    tree: Leaf | Branch
    bound: float

    def as_dict(self, place: Mapping[int, int]) -> dict[str, object]:
        """Return the part as plain data, its cuts renumbered."""
        return {"cells": list(self.cells), "tree": self.tree.as_dict(place)}


def prove_bound(
    cuts: Sequence[Cut], weight: Floats, secondary: Mask, target: float, *, nodes: int, until: float = inf
) -> list[ProvenPart]:
    """Prove as much of a bound as so many nodes, and the time, allow; the parts' bounds add up.

    ``secondary`` is the best pattern known: no part's bound can be above what it hides of the part's cells.
    """
    groups = _groups(cuts, len(weight))
    provers = [Prover([cuts[at] for at in group], weight, names=group) for group in groups]
    parts = [prover.root(until=until) for prover in provers]
    for at, prover in enumerate(provers):
        most = float(weight[[cell for cell in parts[at].cells if secondary[cell]]].sum())
        goal = min(most, parts[at].bound + target - sum(part.bound for part in parts))
        if parts[at].bound < goal - 1e-9:
            parts[at] = prover.tree(goal, nodes, until=until)
            nodes -= prover.spent
    return parts


def _groups(cuts: Sequence[Cut], cells: int) -> list[list[int]]:
    """Return the cuts' numbers by the groups of cells that they join."""
    rows = np.repeat(np.arange(len(cuts)), [len(cut.cells) for cut in cuts])
    columns = np.concatenate([cut.cells for cut in cuts]) + len(cuts)
    size = len(cuts) + cells
    joined = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    label = scipy.sparse.csgraph.connected_components(joined, directed=False)[1][: len(cuts)]
    found: dict[int, list[int]] = {}
    for at, group in enumerate(label.tolist()):
        found.setdefault(group, []).append(at)
    return list(found.values())


@dataclass(slots=True, kw_only=True, eq=False)
class _Case:
    """A case while its tree grows.

    What is fixed, what its sum proves, the relaxation's point, and its two sides once it is split.
    """

    fixed: dict[int, float]
    leaf: Leaf
    bound: float
    y: Floats
    sides: tuple[_Case, _Case] | None = None


class Prover:
    """Proves bounds over the cuts of one table.

    Every cut may also be broken at a high price, so that the relaxation always has an answer and so have its
    multipliers.
    """

    def __init__(self, cuts: Sequence[Cut], weight: Floats, names: Sequence[int] | None = None) -> None:
        self._names = range(len(cuts)) if names is None else names
        cells, place = np.unique(np.concatenate([cut.cells for cut in cuts]), return_inverse=True)
        self._cells = cells
        self._weight = weight[cells]
        self._steady = bool(np.all(self._weight == np.rint(self._weight)))
        data = np.concatenate([cut.coefficients for cut in cuts])
        starts = np.cumsum([0, *(len(cut.cells) for cut in cuts)])
        count = len(cuts)
        self._rows = csr_array((data, place, starts), shape=(count, len(cells)))
        price = 2.0 * float(self._weight.sum()) + 1.0
        self._program = Program(
            cost=np.concatenate([self._weight, np.full(count, price)]),
            lower=np.zeros(len(cells) + count),
            upper=np.concatenate([np.ones(len(cells)), np.full(count, np.inf)]),
            rows=csr_array(hstack([self._rows, eye_array(count)])),
            row_lower=np.ones(count),
            row_upper=np.full(count, np.inf),
        )
        self.spent, self._until = 0, inf

    def root(self, *, until: float = inf) -> ProvenPart:
        """Return one sum of cuts and the bound that it proves.

        The empty sum, which proves 0, if the time is over first.
        """
        self._until = until
        solution = self._solve({})
        tree, bound = self._leaf(solution, {}) if solution.status is SolveStatus.OPTIMAL else (Leaf(parts={}), 0.0)
        return ProvenPart(cells=tuple(self._cells.tolist()), tree=tree, bound=bound)

    def tree(self, target: float, nodes: int, *, until: float = inf) -> ProvenPart:
        """Return a tree that proves the target, or as much of it as so many cases, and the time, allow."""
        self._until, self.spent = until, 1
        top = self._case({})
        waiting = [(top.bound, 0, top)]
        while waiting[0][0] < target - 1e-9 and self.spent + 2 <= nodes and monotonic() <= until:
            # the weakest case decides what is proven, so it is the one to split
            _, _, case = heappop(waiting)
            sides = self._sides(case)
            if sides is None:
                heappush(waiting, (case.bound, -1, case))
                break
            case.sides = sides
            for each in sides:
                self.spent += 1
                heappush(waiting, (each.bound, self.spent, each))
        return ProvenPart(cells=tuple(self._cells.tolist()), tree=self._draw(top), bound=min(target, waiting[0][0]))

    def _sides(self, case: _Case) -> tuple[_Case, _Case] | None:
        """Return the two cases of the cell that is least decided.

        None if all are, or the time is over, or the tree too deep.
        """
        away = np.abs(case.y - np.rint(case.y))
        if len(case.fixed) >= DEEPEST or not len(away) or away.max() < 1e-6:
            return None
        cell = int(np.argmax(away))
        zero, one = (self._case({**case.fixed, cell: to}) for to in (0.0, 1.0))
        return None if zero.y.size == 0 or one.y.size == 0 else (zero, one)

    def _case(self, fixed: dict[int, float]) -> _Case:
        solution = self._solve(fixed)
        if solution.status is not SolveStatus.OPTIMAL:
            return _Case(fixed=fixed, leaf=Leaf(parts={}), bound=0.0, y=np.zeros(0))
        leaf, bound = self._leaf(solution, fixed)
        return _Case(fixed=fixed, leaf=leaf, bound=bound, y=solution.x[: len(self._weight)])

    def _draw(self, case: _Case) -> Leaf | Branch:
        if case.sides is None:
            return case.leaf
        zero, one = case.sides
        (cell,) = one.fixed.keys() - case.fixed.keys()
        return Branch(cell=int(self._cells[cell]), zero=self._draw(zero), one=self._draw(one))

    def _solve(self, fixed: Mapping[int, float]) -> Solution:
        places, to = np.array(list(fixed), dtype=np.int64), np.array(list(fixed.values()))
        self._program.bound(places, to, to)
        if self._until < inf:
            self._program.limit(seconds=self._until - monotonic())
        solution = self._program.solve()
        self._program.bound(places, np.zeros(len(places)), np.ones(len(places)))
        return solution

    def _leaf(self, solution: Solution, fixed: Mapping[int, float]) -> tuple[Leaf, float]:
        parts = np.rint(np.maximum(solution.dual, 0.0) * SCALE)
        lower, upper = np.zeros(len(self._weight)), np.ones(len(self._weight))
        for cell, to in fixed.items():
            lower[cell] = upper[cell] = to
        rest = self._weight - (parts / SCALE) @ self._rows
        proven = float(parts.sum() / SCALE + np.where(rest > 0, rest * lower, rest * upper).sum())
        leaf = Leaf(parts={self._names[at]: int(parts[at]) for at in np.flatnonzero(parts).tolist()})
        slack = 1e-6 * max(1.0, abs(proven))
        return leaf, max(0.0, float(ceil(proven - slack)) if self._steady else proven - slack)


CLOSE = 1e-6
FORMAT = "sekisho cell suppression 6"
REAL, WHOLE = "real", "whole"
"""Whom a certificate holds against: who computes with real numbers, and who knows that cells are whole."""
NODES = 1000
LARGE = 1_000
"""From so many cells on the time can be too short for witnesses; what lacks one is then given its box."""
Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedFile:
    """A file that is written of an answer.

    Attributes:
        role: ``pattern`` or ``public``.
        name: its name.
        data: its bytes.
        cells: the cell of each of its rows.
    """

    role: str
    name: str
    data: bytes
    cells: tuple[int, ...]

    def as_dict(self) -> Json:
        """Return it as plain data, its bytes by their digest."""
        digest = sha256(self.data).hexdigest()
        return {"role": self.role, "name": self.name, "digest": digest, "cells": list(self.cells)}


def make_certificate(
    answer: Suppression,
    *,
    provenance: Provenance | None = None,
    nodes: int = NODES,
    seconds: float | None = None,
    witness_seconds: float | None = None,
    files: Sequence[CertifiedFile] = (),
) -> Json:
    """Return the certificate of an answer as plain data for JSON.

    It claims the bound that it proves, and calls the pattern optimal only if that is its cost; the optimiser's own word
    stands beside it (``solver_status``, ``solver_bound``). ``files`` are what is written of the answer.
    ``nodes`` limits the trees of the proof and ``seconds`` its time, ``witness_seconds`` that of the witnesses. A
    certificate that lacks a witness is invalid, and its checker says so.

    ``against`` says whom it holds against: who computes with real numbers and, where all witnesses are whole tables,
    who knows that cells are whole.
    """
    table, last = answer.table, answer.last
    found = last.evidence
    if found is None:
        insiders, sought = PatternSafety(table, answer.insiders), last.whole is WholeNumbers.SAME_AS_REAL
        found = find_evidence(table, seconds=witness_seconds, coalitions=insiders.coalitions, whole=sought)
        if found.lacking and len(table) > LARGE:
            found = complete_evidence(table, found, list_box_points(table))
    parts = _proof(answer, nodes, seconds)
    used = sorted(set[int]().union(*(part.tree.used() for part in parts)))
    place = {old: new for new, old in enumerate(used)}
    proven = min(sum(part.bound for part in parts), last.cost)
    held: Json = {
        "format": FORMAT,
        "versions": {"sekisho": Provenance(name="certificate").version, "solver": ", ".join(answer.last.solvers)},
        "provenance": None if provenance is None else provenance.as_dict(),
        "status": "optimal" if proven >= last.cost - CLOSE * max(1.0, last.cost) else "feasible",
        "cost": write_number(last.cost),
        "bound": write_number(proven),
        "solver_status": "optimal" if answer.optimal else "feasible",
        "solver_bound": write_number(last.bound),
        "dims": list(table.dims),
        "margins": list(table.margins),
        "joint": table.joint.cover.value,
        "limit": table.joint.limit,
        "insiders": answer.insiders,
        "against": [REAL, WHOLE] if _speaks_of_whole_tables(table, found) else [REAL],
        "cells": describe_cells(table, answer.insiders),
        "tables": [
            {
                "name": one.name,
                "dims": list(one.dims),
                "margins": list(one.margins),
                "measure": one.measure,
                "cells": list(one.cells),
            }
            for one in table.linked
        ],
        "frozen": np.flatnonzero(answer.frozen).tolist(),
        "kept": np.flatnonzero(answer.kept).tolist(),
        "files": [each.as_dict() for each in files],
        "equations": list_equations(table),
        "points": [point.as_dict() for point in found.points],
        "witnesses": [{"cell": each.cell, "down": each.down, "up": each.up} for each in found.witnesses],
        "inside": [{"cell": cell, "points": list(points)} for cell, points in found.inside],
        "cuts": [_cut(last.cuts[at]) for at in used],
        "parts": [part.as_dict(place) for part in parts],
    }
    return {**held, "digest": sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode()).hexdigest()}


def _speaks_of_whole_tables(table: Table, found: Evidence) -> bool:
    """Return whether every witness is a whole table."""
    return holds_whole_numbers(table) and not any(
        by % point.denominator for point in found.points for by in point.moves
    )


def write_number(value: float) -> int | float | None:
    """Return a number for JSON; None where it is none or without end."""
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else value


def describe_cells(table: Table, insiders: int) -> Json:
    """Return the cells of a table, column by column."""
    columns = {
        "value": np.where(table.unpublished, 0.0, table.value),  # nobody need know them: points tell theirs in full
        "weight": table.weight,
        "lower": table.lower,
        "upper": table.upper,
        "lower_level": table.lower_level,
        "upper_level": table.upper_level,
        "sliding_level": table.sliding_level,
        "frequency": table.frequency,
        "gave": given_of(table, insiders),
    }
    return {
        "keys": [list(key) for key in table.keys],
        "status": [Status(code).word for code in table.status.tolist()],
        **{name: [write_number(value) for value in column.tolist()] for name, column in columns.items()},
    }


def list_equations(table: Table) -> list[list[list[int]]]:
    """Return the equations, each a list of cells and signs."""
    matrix = table.matrix
    return [
        [[int(column), int(sign)] for column, sign in zip(columns.tolist(), signs.tolist(), strict=True)]
        for columns, signs in zip(
            np.split(matrix.indices, matrix.indptr[1:-1]), np.split(matrix.data, matrix.indptr[1:-1]), strict=True
        )
    ]


def _cut(cut: Cut) -> Json:
    return {
        "primary": cut.primary,
        "up": _multipliers(cut.up),
        "down": _multipliers(cut.down),
        "counted": cut.counted,
        "insider": cut.insider,
    }


def _multipliers(some: Multipliers | None) -> Json | None:
    if some is None:
        return None
    return {"denominator": some.denominator, "rows": some.rows.tolist(), "values": some.values.tolist()}


def _proof(answer: Suppression, nodes: int, seconds: float | None) -> list[ProvenPart]:
    """Return the parts that prove the bound, as much of it as can be."""
    last = answer.last
    if not last.cuts or last.secondary is None:
        return []
    until = inf if seconds is None else monotonic() + seconds
    return prove_bound(last.cuts, answer.table.weight, last.secondary, last.bound, nodes=nodes, until=until)
