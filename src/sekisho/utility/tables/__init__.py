"""What is still good about tables that are released without links between rows.

A measure of tables compares cells of text, as a file holds them: the original, the release, and what the rules give
beside them (a background table, for instance). It names no column of its own; its parameters do. A new one is one file
here, one line in ``TABLE_MEASURES`` and a page in docs/methods.

Measures of data whose rows and roles are known, which a recipe may ask for, are those of :mod:`sekisho.utility`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

import polars as pl

from sekisho.registry import Registry
from sekisho.utility.score import Score

Given: TypeAlias = Mapping[str, pl.DataFrame]
"""Tables that the rules give beside the original, by what they are for: ``background``, for instance."""


class TableMeasure(Protocol):
    """A way to compare a released table with its original."""

    def compare(self, original: pl.DataFrame, released: pl.DataFrame, given: Given) -> Score:
        """Return how good the release is, with its direction."""
        ...


TABLE_MEASURES: Registry[TableMeasure] = Registry(
    kind="measure",
    group="sekisho.table_measures",
    builtin={
        "censoring": "sekisho.utility.tables.validity:CensoringFit",
        "cox": "sekisho.utility.tables.survival:HazardFit",
        "equal-cells": "sekisho.utility.tables.equal_cells:EqualCells",
        "km": "sekisho.utility.tables.survival:CurveFit",
        "kw-diff": "sekisho.utility.tables.rank_tests:RankTestDifference",
        "lr-diff": "sekisho.utility.tables.odds_difference:OddsDifference",
        "marginal": "sekisho.utility.tables.cohort_shape:MarginalFit",
        "no-duplicates": "sekisho.utility.tables.validity:DistinctRows",
        "no-fabrication": "sekisho.utility.tables.validity:FabricationFit",
        "novelty": "sekisho.utility.tables.validity:Novelty",
        "pair-tables": "sekisho.utility.tables.pair_tables:WorstPairTable",
        "pmse": "sekisho.utility.tables.cohort_shape:PropensityFit",
        "rare": "sekisho.utility.tables.rare_records:RareFit",
        "spearman": "sekisho.utility.tables.cohort_shape:RankCorrelationFit",
        "stats-diff": "sekisho.utility.tables.summary_statistics:StatisticsDifference",
        "tails": "sekisho.utility.tables.tails:TailFit",
        "trace-distance": "sekisho.utility.tables.trace_distance:TraceDistance",
    },
)
