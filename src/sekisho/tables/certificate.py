"""The certificate of a suppression: all that a stranger needs to check it, without trusting the optimiser or any solver.

It holds the table with its true values (so it is as confidential as they are), the pattern, for every primary a pair of tables that
the attacker cannot exclude (one for each end of the interval), and for the bound a tree of cases whose leaves are sums of cuts.
Witnesses, multipliers of cuts and of sums are whole numbers over a denominator, so the checker (:mod:`sekisho.tables.verify`) computes
exactly. What it proves is set out in docs/proofs/cell-suppression.md.
"""

from __future__ import annotations

import json
from fractions import Fraction
from hashlib import sha256
from math import inf, isfinite, lcm
from time import monotonic

import numpy as np

from sekisho.provenance import Provenance
from sekisho.tables.attacker import DOWN, UP, Attacker, attacker_of
from sekisho.tables.cuts import Cut, Multipliers
from sekisho.tables.proof import Branch, Leaf, Prover
from sekisho.tables.suppress import Suppression
from sekisho.tables.survey import Needs
from sekisho.tables.table import Floats, Status, Table

FORMAT = "sekisho cell suppression 1"
NODES = 300
FINEST = 5040
Json = dict[str, object]


def certificate(
    answer: Suppression, *, provenance: Provenance | None = None, nodes: int = NODES, seconds: float | None = None
) -> Json:
    """Return the certificate of an answer as plain data for JSON.

    ``nodes`` limits the tree of the bound's proof: if it does not suffice, the certificate claims the bound that one sum of cuts
    proves, and names the optimiser's as the solver's word only. So it does after ``seconds``; the witnesses are made whatever the time.
    """
    table = answer.table
    tree, cuts, proven = _proof(answer, nodes, seconds)
    place = {old: new for new, old in enumerate(sorted(tree.used()))}
    held: Json = {
        "format": FORMAT,
        "versions": {"sekisho": Provenance(name="certificate").version, "solver": ", ".join(answer.last.solvers)},
        "provenance": None if provenance is None else provenance.as_dict(),
        "status": "optimal" if answer.optimal else "feasible",
        "cost": _number(answer.last.cost),
        "bound": _number(proven),
        "solver_bound": _number(answer.last.bound),
        "dims": list(table.dims),
        "cells": _cells(table),
        "frozen": _frozen(answer),
        "equations": _equations(table),
        "witnesses": witnesses(table),
        "cuts": [_cut(cut) for cut in cuts],
        "tree": tree.as_dict(place),
    }
    return {**held, "digest": sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode()).hexdigest()}


def _number(value: float) -> int | float | None:
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else value


def _cells(table: Table) -> Json:
    columns = {
        "value": table.value,
        "weight": table.weight,
        "lower": table.lower,
        "upper": table.upper,
        "lower_level": table.lower_level,
        "upper_level": table.upper_level,
        "sliding_level": table.sliding_level,
    }
    return {
        "keys": [list(key) for key in table.keys],
        "status": [Status(code).word for code in table.status.tolist()],
        **{name: [_number(value) for value in column.tolist()] for name, column in columns.items()},
    }


def _frozen(answer: Suppression) -> list[int]:
    """Return the cells that were suppressed before and had to stay so: they count as given, not as chosen."""
    chosen = answer.last.secondary
    secondary = answer.table.status == Status.SECONDARY
    return np.flatnonzero(secondary if chosen is None else secondary & ~chosen).tolist()


def _equations(table: Table) -> list[list[list[int]]]:
    matrix = table.matrix
    return [
        [[int(column), int(sign)] for column, sign in zip(columns.tolist(), signs.tolist(), strict=True)]
        for columns, signs in zip(
            np.split(matrix.indices, matrix.indptr[1:-1]), np.split(matrix.data, matrix.indptr[1:-1]), strict=True
        )
    ]


def witnesses(table: Table) -> list[Json]:
    """Return, for every primary, deviations that the attacker cannot exclude, one for each end of its interval."""
    attacker, needs = attacker_of(table), Needs.of(table)
    decimals = _decimals(table)
    return [
        {
            "cell": cell,
            **{word: _witness(attacker, cell, way, most, decimals) for word, way in (("down", DOWN), ("up", UP))},
        }
        for cell, most in zip(needs.cells.tolist(), needs.most.tolist(), strict=True)
    ]


def _witness(attacker: Attacker, cell: int, way: int, most: float, decimals: int) -> Json:
    reach = attacker.reach_of_level(cell, way, most)
    moved = np.flatnonzero(np.abs(reach.point) > 1e-9)
    wholes, denominator = _rational(reach.point[moved], decimals)
    return {"denominator": denominator, "cells": attacker.cells[moved].tolist(), "moves": wholes}


def _decimals(table: Table) -> int:
    """Return how many decimals the values have, at most six."""
    for places in range(6):
        scaled = table.value * 10**places
        if np.all(np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(1.0, np.abs(scaled))):
            return places
    return 6


def _rational(values: Floats, decimals: int) -> tuple[list[int], int]:
    """Return values as whole numbers over a common denominator: the corners of a table's polytope are simple fractions."""
    unit = 10**decimals
    near = [Fraction(value * unit).limit_denominator(FINEST) for value in values.tolist()]
    denominator = lcm(*(each.denominator for each in near)) if near else 1
    return [int(each * denominator) for each in near], denominator * unit


def _cut(cut: Cut) -> Json:
    return {"primary": cut.primary, "up": _multipliers(cut.up), "down": _multipliers(cut.down)}


def _multipliers(some: Multipliers | None) -> Json | None:
    if some is None:
        return None
    return {"denominator": some.denominator, "rows": some.rows.tolist(), "values": some.values.tolist()}


def _proof(answer: Suppression, nodes: int, seconds: float | None) -> tuple[Leaf | Branch, list[Cut], float]:
    """Return a tree of cases, the cuts that it uses, and the bound that it proves."""
    cuts = answer.last.cuts
    if not cuts:
        return Leaf(parts={}), [], 0.0
    prover = Prover(cuts, answer.table.weight)
    half, end = (inf, inf) if seconds is None else (monotonic() + seconds / 2, monotonic() + seconds)
    tree, proven = prover.tree(answer.last.bound, nodes, until=half), answer.last.bound
    if tree is None:
        tree, proven = prover.root(until=end)
    return tree, [cuts[at] for at in sorted(tree.used())], min(proven, answer.last.cost)
