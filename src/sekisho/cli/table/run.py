"""What the table commands share: a run of the optimiser that can be watched, and how they tell an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from math import inf, isfinite
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import say, say_interrupted
from sekisho.cli.kit.progress import watch, watch_counted
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.tables.audit.intervals import Audit, steps
from sekisho.tables.certificate.seal import certificate
from sekisho.tables.check.checker import check
from sekisho.tables.check.claims import Claims
from sekisho.tables.model.table import Status, Table
from sekisho.tables.suppress.optimiser import Optimiser, Step, Suppression, finished


class Solver(StrEnum):
    """Who solves the whole-number problem."""

    HIGHS = "highs"
    SCIP = "scip"


Seconds = Annotated[float | None, typer.Option("--time", help="Seconds after which the best so far is taken.")]
Engine = Annotated[
    Solver, typer.Option("--solver", help="highs, or scip: branch and cut, with the extra sekisho[scip].")
]


AuditTime = Annotated[
    float | None,
    typer.Option("--time", help="Seconds after which cells are left unsettled; the answer is then no."),
]


def audited(table: Table, *, whole: bool = False, seconds: float | None = None) -> Audit:
    """Audit a pattern, showing how far it is; an interruption or the end of the time keeps what is certain, and says so."""
    found = watch_counted(steps(table, whole=whole, seconds=seconds), doing="auditing").found
    if found.unsettled.size:
        say(f"the audit is not finished: the intervals of {found.unsettled.size} cells are only what was seen possible")
    return found


def run_optimiser(table: Table, optimiser: Optimiser) -> Suppression:
    """Run the optimiser, showing how it goes; an interruption keeps the best pattern so far."""
    last = watch(
        optimiser.steps(table),
        doing="looking for the cheapest safe pattern",
        tell=_step_words,
        keep=lambda step: None if step.secondary is None else "the best pattern so far is kept",
    )
    return finished(table, last)


def _step_words(step: Step) -> str:
    best = "none yet" if step.secondary is None else f"{step.cost:g}"
    return f"{step.stage}: best {best}, none below {step.bound:g}, {len(step.cuts)} cuts"


WITNESSES = 0.1
"""The part of the time asked for that the certificate's witnesses may take: without them it proves no safety."""
LEAST = 5.0
"""So many seconds they may take however short the time."""
PROOF = 0.1
"""The part that its proof may take."""


def searching(seconds: float | None, solver: Solver) -> Optimiser:
    """Return the optimiser for a time limit that is to hold for the certificate as well."""
    if seconds is not None and not 0 < seconds < inf:
        raise ParameterError("time", "be a number of seconds above 0", seconds)
    return Optimiser(seconds=_part(1 - WITNESSES - PROOF, seconds), solver=solver.value)


def _part(part: float, seconds: float | None) -> float | None:
    return None if seconds is None else part * seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A certificate.

    Attributes:
        data: its bytes; None if it was not finished.
        bound: the bound that it proves; None if it is not finished or not valid.
        errors: what its checker finds wrong: nearly always primaries for which no exact witness was found, or not in time.
    """

    data: bytes | None = None
    bound: float | None = None
    errors: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether it is there and valid."""
        return self.data is not None and not self.errors

    def figures(self, where: Path) -> dict[str, object]:
        """Return what an answer tells of it: what is certified, False if it is not valid, None if there is no certificate."""
        keys: dict[str, object] = {"certified": False if self.errors else self.bound}
        if self.errors:
            keys["unproven"] = list(self.errors)
        return {**keys, "certificate": None if self.data is None else str(where)}


def sealed(answer: Suppression, made: Provenance, seconds: float | None) -> Sealed:
    """Return an answer's certificate, checked; an interruption leaves it out, and the pattern stands."""
    witnessing = None if seconds is None else max(LEAST, WITNESSES * seconds)
    try:
        held = certificate(answer, provenance=made, seconds=_part(PROOF, seconds), witness_seconds=witnessing)
        text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
        wrong = check(text).errors
    except KeyboardInterrupt:
        say_interrupted("the pattern is kept, without a certificate")
        return Sealed()
    if wrong:
        more = f", and {len(wrong) - 1} more" if wrong[1:] else ""
        say(f"the pattern has passed its audit, but the certificate is NOT VALID: {wrong[0]}{more}")
    bound = held["bound"]
    return Sealed(
        data=text.encode(), bound=float(bound) if isinstance(bound, int | float) and not wrong else None, errors=wrong
    )


def figures(answer: Suppression) -> dict[str, object]:
    """Return the figures of an answer."""
    table, last = answer.table, answer.last
    return {
        "cells": table.own,
        "primary": int(table.primary.sum()),
        "secondary": int((table.status == Status.SECONDARY).sum()),
        "status": "optimal" if answer.optimal else "feasible",
        "cost": last.cost,
        "bound": last.bound,
        "gap": last.gap,
        "seconds": round(last.seconds, 3),
        "solver": ", ".join(last.solvers),
    }


def worded(keys: Mapping[str, object]) -> str:
    """Return figures as lines of words; of a list its length."""
    return "\n".join(f"{key:<12}{len(said) if isinstance(said, list) else said}" for key, said in keys.items())


def counted(table: Table, target: Path) -> dict[str, object]:
    """Return the figures of one pattern among several."""
    return {
        "out": str(target),
        "cells": len(table),
        "primary": int(table.primary.sum()),
        "secondary": int((table.status == Status.SECONDARY).sum()),
    }


def placed(found: Audit, name: str, cells: Iterable[int]) -> Iterator[str]:
    """Yield what is wrong with the first of some cells: where an attacker can place each."""
    for cell in islice(cells, 20):
        at = int(np.searchsorted(found.cells, cell))
        yield f"{name}: {found.table.named(cell)} lies in [{found.low[at]:g}, {found.high[at]:g}]"


def interval(found: Audit, at: int) -> dict[str, object]:
    """Return the interval of one suppressed cell."""
    table, cell = found.table, int(found.cells[at])
    low, high = float(found.low[at]), float(found.high[at])
    return {
        **dict(zip(table.dims, table.keys[cell], strict=True)),
        "status": Status(int(table.status[cell])).word,
        "low": low if isfinite(low) else None,
        "high": high if isfinite(high) else None,
        **({} if found.certain[at] else {"settled": False}),
    }


def certified(claimed: Claims) -> dict[str, object]:
    """Return what a valid certificate proves, and what the optimiser said beside it."""
    primary = sum(word == Status.PRIMARY.word for word in claimed.cells.status)
    said = None if claimed.solver_bound is None else float(claimed.solver_bound)
    return {
        "primary": primary,
        "status": claimed.status,
        "cost": float(claimed.cost),
        "bound": float(claimed.bound),
        "solver_bound": said,
        "joint": claimed.joint,
        **({"limit": claimed.limit} if claimed.limit else {}),
    }


def proven_words(keys: Mapping[str, object]) -> Iterator[str]:
    """Yield what a valid certificate proves, in words."""
    yield "valid"
    yield f"each of the {keys['primary']} unsafe cells keeps its protection"
    if keys.get("limit"):
        yield f"limit: {keys['limit']}"
    if keys.get("joint") == "covered":
        yield "also against whoever uses that no cell of the joint table is below 0"
    best = "optimal: " if keys["status"] == "optimal" else ""
    yield f"{best}the pattern costs {keys['cost']:g}, and no safe pattern costs less than {keys['bound']:g}"
    said = keys["solver_bound"]
    if isinstance(said, float) and isinstance(keys["bound"], float) and said > keys["bound"]:
        yield f"the optimiser says that none costs less than {said:g}: that is its word, which the certificate does not prove"
