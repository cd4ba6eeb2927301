"""Intervals in place of numbers as a way to publish a table: what is shown, what it says, what proves the widths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.data.shape import Shape
from sekisho.parameters import checked
from sekisho.tables.certificate.seal_release import Dual, ReleaseProof, ShownRelease, WidthProof
from sekisho.tables.files.records import RecordsBehind
from sekisho.tables.intervals.publish import SCALE, IntervalTable, list_multipliers, publish_intervals
from sekisho.tables.methods import MadeRelease
from sekisho.tables.model.table import Table
from sekisho.tables.suppress.cuts import Multipliers
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class IntervalMethod:
    """The narrowest intervals for positions of true values that are drawn in secret.

    Attributes:
        seconds: after which the best so far is taken; None for no limit.
    """

    seconds: float | None = None
    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    needs_records: ClassVar[bool] = False

    @property
    def usual_width(self) -> float:
        """As wide as levels ask."""
        return float("inf")

    def make(self, table: Table, *, rng: np.random.Generator, records: RecordsBehind | None = None) -> MadeRelease:
        """Return the table as intervals.

        Raises:
            InfeasibleError: no intervals protect every unsafe cell.
        """
        del records  # the cells say it all
        made = publish_intervals(table, rng=rng, seconds=self.seconds)
        drawn = made.positions
        bound = max(0.0, float(made.proof.bound) * (1 - 1e-9))
        release = ShownRelease(
            table=table,
            method="intervals",
            parameters={},
            shown=np.column_stack([made.low, made.high]),
            statements=made.statements,
            cost=made.width,
            bound=bound,
            solver_bound=made.step.bound,
            weight=table.weight,
            down=None if drawn is None else np.where(table.primary, drawn.down, np.nan),
            up=None if drawn is None else np.where(table.primary, drawn.up, np.nan),
        )
        return MadeRelease(
            release=release, proof=_prove(made), figures=describe_intervals(made, bound), remarks=tuple(_remark(made))
        )


def _prove(made: IntervalTable) -> ReleaseProof:
    equations = made.table.matrix.shape[0]

    def dual(multipliers: Multipliers | None) -> Dual | None:
        if multipliers is None:
            return None
        numbers, denominator = list_multipliers(multipliers, equations)
        return Dual(numbers=numbers, denominator=denominator)

    cuts = [
        WidthProof(cell=cut.primary, up=dual(cut.up), down=dual(cut.down), part=part) for cut, part in made.proof.cuts
    ]
    return ReleaseProof(cuts=cuts, scale=SCALE)


def describe_intervals(made: IntervalTable, certified: float) -> dict[str, object]:
    """Return what is told of a table as intervals, by key."""
    return {
        "cells": made.table.own,
        "shown": made.table.own - made.intervals,
        "intervals": made.intervals,
        "width": made.width,
        "status": "optimal" if made.step.optimal else "feasible",
        "bound": made.step.bound,
        "gap": (made.width - made.step.bound) / made.width if made.width else 0.0,
        "against": ["rule"],
        "certified": certified,
        "seconds": round(made.seconds, 3),
    }


def _remark(made: IntervalTable) -> Iterator[Said]:
    yield Said(
        "Positions of true values in their intervals were drawn in secret before the widths were made least. It is "
        "promised against whoever knows the rule."
    )
    if not made.step.optimal:
        yield Said("The widths are not proven the least: the gap is {gap:.1f} %.", gap=100 * made.step.gap)
