"""Controlled rounding as a way to publish a table: what is shown, what it says, what proves that it is the least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError
from sekisho.tables.audit.statements import ReaderKnowledge
from sekisho.tables.certificate.seal_release import Dual, ReleaseProof, ShownRelease
from sekisho.tables.files.records import RecordsBehind
from sekisho.tables.methods import MadeRelease
from sekisho.tables.model.table import Table
from sekisho.tables.round.rounding import Objective, RoundedTable, Rounder
from sekisho.words import Said

LEAST_BASE = 3
"""A smaller base hardly hides anything."""
LEAST_KNOWN = Said(
    "It is promised against whoever knows the rule; who also knows that the change is least may learn more."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundMethod(Rounder):
    """Multiples of a base that add up (:class:`sekisho.tables.round.rounding.Rounder`)."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    needs_records: ClassVar[bool] = False

    @property
    def usual_width(self) -> float:
        """What a cell shown as 0 leaves open."""
        return float(self.reach)

    def make(self, table: Table, *, rng: np.random.Generator, records: RecordsBehind | None = None) -> MadeRelease:
        """Return the rounded table as a release.

        Raises:
            ParameterError: the table cannot be rounded so.
            InfeasibleError: no table of such multiples adds up; the error names the equations that conflict.
        """
        del records  # the cells say it all
        try:
            rounded = self.round(table, rng=rng)
        except InfeasibleError as error:
            raise InfeasibleError(self.explain_conflict(table).tell(table, str(error))) from error
        return MadeRelease(
            release=_release(rounded),
            proof=ReleaseProof(dual=Dual(numbers=rounded.proof.numbers, denominator=rounded.proof.denominator)),
            figures=describe_rounding(rounded),
            remarks=tuple(_list_remarks(rounded)),
            weakness=Said("of base {base}: a reader knows each cell to within 1", base=self.base)
            if self.base < LEAST_BASE
            else None,
        )

    def describe_conflict(self, table: Table) -> dict[str, object]:
        """Return why no table adds up, by key."""
        conflict = self.explain_conflict(table)
        names = [table.equations[row] for row in conflict.equations]
        return {"conflict": names, "irreducible": conflict.irreducible, "least_steps": conflict.steps}


def _release(rounded: RoundedTable) -> ShownRelease:
    rounder, small = rounded.rounder, rounded.rounder.objective is Objective.SMALL
    parameters: dict[str, object] = (
        {"base": rounder.base, "norm": rounder.norm.value}
        if small
        else {"base": rounder.base, "steps": rounder.steps, "objective": rounder.objective.value}
    )
    return ShownRelease(
        table=rounded.table,
        method="small" if small else "round",
        parameters=parameters,
        shown=rounded.shown.astype(np.float64),
        statements=rounded.statements,
        cost=float(rounded.step.cost),
        bound=float(rounded.certified),
        solver_bound=float(rounded.step.bound),
        weight=rounded.choices.weight.astype(np.float64),
        drawn=rounder.objective is Objective.UNBIASED,
        against=rounder.against,
        commitment=rounded.commitment,
    )


def describe_rounding(rounded: RoundedTable) -> dict[str, object]:
    """Return what is told of a rounded table, by key."""
    rounder, step = rounded.rounder, rounded.step
    small = rounder.objective is Objective.SMALL
    return {
        "cells": rounded.table.own,
        "changed": rounded.changed,
        "deviation": rounded.deviation,
        "largest_change": rounded.largest_change,
        **({"norm": rounder.norm.value, "cost": int(step.cost)} if small else {}),
        "status": rounded.status,
        "bound": step.bound,
        "gap": step.gap,
        "against": [each.value for each in rounder.against],
        "certified": rounded.certified,
        "seconds": round(rounded.seconds, 3),
    }


def _list_remarks(rounded: RoundedTable) -> Iterator[Said]:
    """Give what must not be overlooked: whom the promise leaves out, what is exact, what is not proven."""
    rounder = rounded.rounder
    if ReaderKnowledge.LEAST not in rounder.against:
        yield LEAST_KNOWN
    if rounder.objective is Objective.SMALL:
        yield Said("Counts of at least {base} are shown as they are.", base=rounder.base)
    elif not rounder.steps:
        yield Said(
            "A cell shown as {base} says that somebody is there; with one step more it does not.", base=rounder.base
        )
    if rounded.status == "feasible":
        yield Said("The change is not proven the least: the gap is {gap:.1f} %.", gap=100 * rounded.step.gap)
