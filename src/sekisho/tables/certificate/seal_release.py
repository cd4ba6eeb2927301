"""The certificate of a release of any method: all that a stranger needs to check it.

It holds the table with its true values (so it is as confidential as they are), method and parameters, what is shown,
tables that a reader cannot exclude, and multipliers that prove a bound on the cost; no statements, which the checker
(:mod:`sekisho.tables.check.release_checker`) derives itself, and no keys or draws, to which a digest commits.

A method calls :func:`seal_release` with what it made::

    proof = ReleaseProof(dual=Dual(numbers=..., denominator=...))          # rounding, adjustment: one an equation
    release = ShownRelease(table=table, method="round", parameters={"base": 5, "steps": 0, "objective": "least"},
                      shown=shown, cost=cost, bound=bound, solver_bound=bound)
    held = seal_release(release, find_release_evidence(release), proof)
    checked = check_release(json.dumps(held))

Parameters by method (all of them, no others):

- ``round``: ``base``, ``steps``, ``objective`` (``least`` or ``unbiased``); the dual prices what is shown.
- ``small``: ``base``, ``norm`` (``all``, ``margins``, ``greatest``); inner cells are those that are the total of none.
- ``perturb``: ``rows`` (by true count the pairs of number shown and chance in units), ``unit``, ``additive`` (``no``,
  ``sum``, ``closest``); of ``closest`` also ``before``, the numbers from which alone what is shown was made.
- ``intervals``: none; ``shown`` has two columns; cuts of widths prove the bound; secret levels are ``down``, ``up``.
- ``adjust``: none; secret levels as above.

The unsafe cells are the table's primaries, with its levels. A status ``drawn`` is that of a release by chance, of which
no least cost is claimed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.tables.audit.statement_audit import is_uniform
from sekisho.tables.audit.statements import ReaderKnowledge, Statements
from sekisho.tables.audit.witness import Evidence, find_evidence
from sekisho.tables.certificate.seal import CertifiedFile, Json, describe_cells, list_equations, write_number
from sekisho.tables.model.table import Floats, Status, Table
from sekisho.words import Said

RELEASE_FORMAT = "sekisho table release 1"
CLOSE = 1e-6
NO_EVIDENCE = Evidence(points=(), witnesses=(), lacking=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Dual:
    """Multipliers of the equations, one each, as whole numbers over a denominator."""

    numbers: Sequence[int]
    denominator: int

    def as_dict(self) -> Json:
        """Return it as plain data, without zeros."""
        kept = [(row, int(number)) for row, number in enumerate(self.numbers) if number]
        return {
            "denominator": self.denominator,
            "rows": [row for row, _ in kept],
            "values": [number for _, number in kept],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthProof:
    """A cut of widths and its part in the sum: how wide intervals must be together for one unsafe cell."""

    cell: int
    up: Dual | None = None
    down: Dual | None = None
    part: int

    def as_dict(self) -> Json:
        """Return it as plain data."""
        return {
            "cell": self.cell,
            "up": None if self.up is None else self.up.as_dict(),
            "down": None if self.down is None else self.down.as_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseProof:
    """What proves the bound: multipliers, or cuts of widths whose parts are over ``scale``; nothing proves 0."""

    dual: Dual | None = None
    cuts: Sequence[WidthProof] = ()
    scale: int = 1

    def as_dict(self) -> Json:
        """Return it as plain data."""
        return {
            "dual": None if self.dual is None else self.dual.as_dict(),
            "cuts": [cut.as_dict() for cut in self.cuts],
            "scale": self.scale,
            "parts": [cut.part for cut in self.cuts],
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class ShownRelease:
    """What a method made of a table.

    Attributes:
        table: with its true values; the primaries are the unsafe cells.
        method: ``round``, ``small``, ``perturb``, ``intervals`` or ``adjust``.
        parameters: of the method.
        shown: the number shown of each cell, or a row of two, the ends of its interval; of an unpublished cell what was
            chosen for it.
        statements: what a reader learns by the rule; None if nothing (an adjustment), or to be left to the checker.
        cost: what the release costs.
        bound: what no release of the method costs less than, as far as the proof reaches.
        solver_bound: the same by the optimiser's word.
        weight: what a change by one costs, or a width; 1 each if not said.
        down: secret levels, where the method draws them; NaN for none.
        up: the same upwards.
        drawn: whether chance, not an optimiser, chose what is shown.
        against: the knowledge that it is promised against.
        commitment: the SHA-256 of keys or draws, in hexadecimal; empty where chance plays no part.
    """

    table: Table
    method: str
    parameters: Mapping[str, object]
    shown: Floats
    statements: Statements | None = None
    cost: float
    bound: float = 0.0
    solver_bound: float | None = None
    weight: Floats | None = None
    down: Floats | None = None
    up: Floats | None = None
    drawn: bool = False
    against: Sequence[ReaderKnowledge] = (ReaderKnowledge.RULE,)
    commitment: str = ""

    def __post_init__(self) -> None:
        if len(self.shown) != len(self.table):
            rule = Said("have one entry for each of the {cells} cells", cells=len(self.table))
            raise ParameterError("shown", rule, len(self.shown))

    @property
    def theorem(self) -> bool:
        """Whether each cell's interval is known to be that of its own statement."""
        if self.method != "round" or self.statements is None or self.table.unpublished.any():
            return False
        return is_uniform(self.table, self.statements)


def find_release_evidence(release: ShownRelease, *, seconds: float | None = None) -> Evidence:
    """Return tables inside all statements that lie as far from the truth as the unsafe cells' levels ask.

    None are needed where a theorem speaks for all cells, or the method says nothing of any.
    """
    table, said = release.table, release.statements
    if said is None or release.theorem or not table.primary.any():
        return NO_EVIDENCE
    own = ~table.unpublished
    free = np.where(own & ~table.primary, np.int8(Status.SECONDARY), table.status)
    room = replace(
        table,
        status=free,
        lower=np.where(own, np.maximum(table.lower, said.low), table.lower),
        upper=np.where(own, np.minimum(table.upper, said.high), table.upper),
    )
    return find_evidence(room, seconds=seconds, whole=table.whole)


def seal_release(
    release: ShownRelease,
    evidence: Evidence = NO_EVIDENCE,
    proof: ReleaseProof | None = None,
    *,
    provenance: Provenance | None = None,
    files: Sequence[CertifiedFile] = (),
) -> Json:
    """Return the certificate of a release as plain data for JSON; its checker says whether it is valid."""
    table, count = release.table, len(release.table)
    best = release.bound >= release.cost - CLOSE * max(1.0, release.cost)
    weight = (~table.unpublished).astype(np.float64) if release.weight is None else release.weight
    shown_as = np.where(table.primary | table.unpublished, table.status, np.int8(Status.SAFE))
    cells = describe_cells(replace(table, weight=weight, status=shown_as), 0)
    held: Json = {
        "format": RELEASE_FORMAT,
        "versions": {"sekisho": Provenance(name="certificate").version},
        "provenance": None if provenance is None else provenance.as_dict(),
        "method": release.method,
        "parameters": dict(release.parameters),
        "against": [each.value for each in release.against],
        "status": "drawn" if release.drawn else "optimal" if best else "feasible",
        "cost": write_number(release.cost),
        "bound": write_number(release.bound),
        "solver_bound": None if release.solver_bound is None else write_number(release.solver_bound),
        "dims": list(table.dims),
        "margins": list(table.margins),
        "joint": table.joint.cover.value,
        "limit": table.joint.limit,
        "cells": cells,
        "shown": _list_shown(release.shown),
        "down": _list_levels(release.down, count),
        "up": _list_levels(release.up, count),
        "theorem": release.theorem,
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
        "files": [each.as_dict() for each in files],
        "equations": list_equations(table),
        "points": [point.as_dict() for point in evidence.points],
        "witnesses": [{"cell": each.cell, "down": each.down, "up": each.up} for each in evidence.witnesses],
        "proof": (proof or ReleaseProof()).as_dict(),
        "commitment": release.commitment,
    }
    return {**held, "digest": sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode()).hexdigest()}


def _list_shown(shown: Floats) -> list[object]:
    if shown.ndim == 1:
        return [write_number(value) for value in shown.tolist()]
    return [
        write_number(low) if low == high else [write_number(low), write_number(high)] for low, high in shown.tolist()
    ]


def _list_levels(levels: Floats | None, count: int) -> list[object]:
    return [None] * count if levels is None else [write_number(level) for level in levels.tolist()]
