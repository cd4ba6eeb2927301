"""The certificate of a suppression: all that a stranger needs to check it.

He need not trust the optimiser or any solver. It holds the table with its true values (so it is as confidential as they
are), the pattern, tables that the attacker cannot exclude (points), which of them speak for each primary and which of
them each coalition of insiders cannot exclude either, if these were considered, and for the bound trees of cases whose
leaves are sums of cuts. Points and the multipliers of cuts and of sums are whole numbers over a denominator, so the
checker (:mod:`sekisho.tables.check.checker`) computes exactly. What it proves is set out in
docs/proofs/cell-suppression.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import inf, isfinite
from time import monotonic

import numpy as np

from sekisho.provenance import Provenance
from sekisho.tables.audit.coalitions import given_of
from sekisho.tables.certificate.proof import Part, prove_bound
from sekisho.tables.certificate.witness import find_evidence
from sekisho.tables.model.table import Status, Table
from sekisho.tables.suppress.cuts import Cut, Multipliers
from sekisho.tables.suppress.optimiser import Suppression
from sekisho.tables.suppress.safety import Safety

CLOSE = 1e-6
FORMAT = "sekisho cell suppression 5"
NODES = 1000
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
    """
    table, last = answer.table, answer.last
    insiders = Safety(table, answer.insiders)
    found = find_evidence(table, seconds=witness_seconds, coalitions=insiders.coalitions)
    parts = _proof(answer, nodes, seconds)
    used = sorted(set[int]().union(*(part.tree.used() for part in parts)))
    place = {old: new for new, old in enumerate(used)}
    proven = min(sum(part.bound for part in parts), last.cost)
    held: Json = {
        "format": FORMAT,
        "versions": {"sekisho": Provenance(name="certificate").version, "solver": ", ".join(answer.last.solvers)},
        "provenance": None if provenance is None else provenance.as_dict(),
        "status": "optimal" if proven >= last.cost - CLOSE * max(1.0, last.cost) else "feasible",
        "cost": _number(last.cost),
        "bound": _number(proven),
        "solver_status": "optimal" if answer.optimal else "feasible",
        "solver_bound": _number(last.bound),
        "dims": list(table.dims),
        "margins": list(table.margins),
        "joint": table.joint.cover.value,
        "limit": table.joint.limit,
        "insiders": answer.insiders,
        "cells": _cells(table, answer.insiders),
        "frozen": np.flatnonzero(answer.frozen).tolist(),
        "kept": np.flatnonzero(answer.kept).tolist(),
        "files": [each.as_dict() for each in files],
        "equations": _equations(table),
        "points": [point.as_dict() for point in found.points],
        "witnesses": [{"cell": each.cell, "down": each.down, "up": each.up} for each in found.witnesses],
        "inside": [{"cell": cell, "points": list(points)} for cell, points in found.inside],
        "cuts": [_cut(last.cuts[at]) for at in used],
        "parts": [part.as_dict(place) for part in parts],
    }
    return {**held, "digest": sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode()).hexdigest()}


def _number(value: float) -> int | float | None:
    if not isfinite(value):
        return None
    return int(value) if value == int(value) else value


def _cells(table: Table, insiders: int) -> Json:
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
        **{name: [_number(value) for value in column.tolist()] for name, column in columns.items()},
    }


def _equations(table: Table) -> list[list[list[int]]]:
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


def _proof(answer: Suppression, nodes: int, seconds: float | None) -> list[Part]:
    """Return the parts that prove the bound, as much of it as can be."""
    last = answer.last
    if not last.cuts or last.secondary is None:
        return []
    until = inf if seconds is None else monotonic() + seconds
    return prove_bound(last.cuts, answer.table.weight, last.secondary, last.bound, nodes=nodes, until=until)
