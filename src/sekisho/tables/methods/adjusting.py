"""Controlled adjustment as a way to publish a table: what is shown, what it costs, what the multipliers prove."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sekisho.data.shape import Shape
from sekisho.parameters import checked
from sekisho.tables.adjust.adjustment import AdjustCost, AdjustedTable, adjust_table
from sekisho.tables.certificate.seal_release import Dual, ReleaseProof, ShownRelease
from sekisho.tables.files.records import RecordsBehind
from sekisho.tables.methods import MadeRelease
from sekisho.tables.model.table import Floats, Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class AdjustMethod:
    """The least adjustment by which every unsafe cell moves by a level drawn in secret.

    Attributes:
        cost: what a change costs: ``relative`` to the value, or ``one``.
        seconds: after which the best so far is taken; None for no limit.
    """

    cost: AdjustCost = AdjustCost.RELATIVE
    seconds: float | None = None
    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    needs_records: ClassVar[bool] = False

    @property
    def usual_width(self) -> float:
        """As wide as levels ask."""
        return float("inf")

    def make(self, table: Table, *, rng: np.random.Generator, records: RecordsBehind | None = None) -> MadeRelease:
        """Return the adjusted table.

        Raises:
            ParameterError: no cell is unsafe.
            InfeasibleError: there is no adjustment.
        """
        del records  # the cells say it all
        made = adjust_table(table, rng=rng, cost=self.cost, seconds=self.seconds)
        numbers, denominator, certified = made.certified
        release = ShownRelease(
            table=table,
            method="adjust",
            parameters={},
            shown=made.shown,
            statements=None,
            cost=made.cost,
            bound=certified,
            solver_bound=made.step.bound,
            weight=made.problem.weight,
            down=_spread(made, made.problem.down),
            up=_spread(made, made.problem.up),
        )
        return MadeRelease(
            release=release,
            proof=ReleaseProof(dual=Dual(numbers=numbers, denominator=denominator)),
            figures=describe_adjustment(made),
            remarks=tuple(_remark(made)),
        )


def _spread(made: AdjustedTable, levels: Floats) -> Floats:
    """Return levels of unsafe cells as an entry for every cell, NaN for none."""
    spread = np.full(len(made.table), np.nan)
    spread[made.problem.unsafe] = levels
    return spread


def describe_adjustment(made: AdjustedTable) -> dict[str, object]:
    """Return what is told of an adjusted table, by key."""
    names = [made.table.named(cell) for cell in made.problem.unsafe.tolist()]
    return {
        "cells": made.table.own,
        "changed": made.changed,
        "deviation": float(np.abs(made.moves).sum()),
        "largest_change": float(np.abs(made.moves).max(initial=0.0)),
        "sensitive": len(names),
        "at_level": made.at_level,
        "candidates": [
            {"cell": name, "ranges": [[low, high if np.isfinite(high) else None] for low, high in ranges]}
            for name, ranges in zip(names, made.list_candidates(), strict=True)
        ],
        "cost": made.cost,
        "status": "optimal" if made.step.optimal else "feasible",
        "bound": made.step.bound,
        "gap": made.step.gap,
        "against": ["rule"],
        "certified": made.certified[2],
        "seconds": round(made.seconds, 3),
    }


def _remark(made: AdjustedTable) -> Iterator[Said]:
    yield Said(
        "It is promised against whoever knows the rule. Who also knows that the change is least finds each unsafe "
        "value in one of two ranges: prefer suppression or intervals where they can be had."
    )
    if not made.step.optimal:
        yield Said("The change is not proven the least: the gap is {gap:.2f} %.", gap=100 * made.step.gap)
