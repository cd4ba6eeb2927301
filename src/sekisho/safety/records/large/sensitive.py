"""What classes beyond memory tell about a sensitive column: l, t and their kin, counted by an engine.

A pair is a class and one of the values that it has. Figures that are the largest of a pair's are found over all pairs;
those that are sums over a class's pairs are added up class by class. The formulas are those of ``diversity``,
``closeness`` and ``likeness``.
"""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.errors import ParameterError
from sekisho.safety.records.assessment import RiskQuestion
from sekisho.safety.records.closeness import Distance
from sekisho.safety.records.large.distances import add_equal, add_hierarchical, add_ordered
from sekisho.safety.records.large.pairs import PAIR, SHARE, SIZE, TOTAL, LargePairs
from sekisho.safety.records.large.records import COUNT, LargeRecords
from sekisho.safety.records.likeness import SLACK
from sekisho.safety.records.record_risk import SensitiveRisk
from sekisho.words import Said

MOST_VALUES = 5_000_000
"""So many values a sensitive column may have: they are looked at one by one."""
DISTINCT, SPREAD, FIRST = "sekisho distinct", "sekisho spread", "sekisho first"


def assess_large_sensitive(records: LargeRecords, question: RiskQuestion, name: str, rows: int) -> SensitiveRisk:
    """Return what the classes tell about one sensitive column.

    Raises:
        ParameterError: the column has too many values, or not what a distance needs.
    """
    domain = read_domain(records, name)
    distance = question.choose_distance(name, ordered=domain.ordered, tree=name in records.trees)
    pairs = LargePairs(records=records, name=name, domain=domain.table, rows=rows)
    if distance is Distance.HIERARCHICAL:
        far = add_hierarchical(pairs, records.trees[name], domain.texts)
    else:
        far = add_ordered(pairs) if distance is Distance.ORDERED else add_equal(pairs)
    spreads, lifts = _ask_classes(pairs), _ask_pairs(pairs)
    recursive = spreads["recursive"]
    return SensitiveRisk(
        column=name,
        values=domain.table.height,
        distinct=int(spreads["distinct"]),
        entropy=float(np.exp(max(spreads["spread"], 0.0))),
        recursive=float(recursive) if spreads["distinct"] > 1 else None,
        distance=distance,
        t=far,
        beta=max(float(lifts["highest"]) - 1.0, 0.0),
        enhanced=not lifts["overgained"],
        delta=max(abs(float(np.log2(lifts["highest"]))), abs(float(np.log2(lifts["lowest"])))),
        disclosed=int(spreads["disclosed"] or 0),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Domain:
    """The values of a sensitive column.

    Attributes:
        table: each value, how often it stands anywhere, and its place; of numbers in their order.
        texts: as they show; None is missing.
        ordered: whether all are numbers.
    """

    table: pl.DataFrame
    texts: tuple[str | None, ...]
    ordered: bool


def read_domain(records: LargeRecords, name: str) -> Domain:
    """Return the values of a sensitive column.

    Raises:
        ParameterError: they are too many.
    """
    values = records.ask(records.group(name).select(nw.len().alias(COUNT)))[COUNT][0]
    if values > MOST_VALUES:
        raise ParameterError(
            "sensitive",
            Said("have at most {most_texts:,} different values beyond memory", most_texts=MOST_VALUES),
            name,
        )
    found = records.ask(records.group(name)).rename({COUNT: TOTAL})
    texts = records.scan.show(found[name]).alias("text")
    found = found.with_columns(texts).sort("text", nulls_last=True)
    numbers = found["text"].cast(pl.Float64, strict=False)
    ordered = not numbers.null_count() and bool(numbers.is_finite().all())
    if ordered:
        found = found[numbers.to_numpy().argsort(kind="stable")]
    table = found.drop("text").with_columns(pl.int_range(found.height, dtype=pl.Int64, eager=True).alias("place"))
    return Domain(table=table, texts=tuple(found["text"].to_list()), ordered=ordered)


def _ask_classes(pairs: LargePairs) -> dict[str, float]:
    """Return the figures of the worst class: fewest values, least entropy, largest share of the first value."""
    count = nw.col(PAIR).cast(nw.Float64)
    logs = pairs.count().with_columns((count * count.log()).alias(SPREAD))
    classes = logs.group_by(*pairs.plain_keys).agg(
        nw.len().cast(nw.Int64).alias(DISTINCT),
        nw.col(PAIR).sum().cast(nw.Int64).alias(SIZE),
        nw.col(PAIR).max().cast(nw.Int64).alias(FIRST),
        nw.col(SPREAD).sum().alias(SPREAD),
    )
    size, first = nw.col(SIZE).cast(nw.Float64), nw.col(FIRST).cast(nw.Float64)
    several = nw.col(DISTINCT) > 1
    figures = classes.select(
        nw.col(DISTINCT),
        (size.log() - nw.col(SPREAD) / size).alias(SPREAD),
        nw.when(several).then(first / (size - first)).alias("ratio"),
        nw.when(~several).then(nw.col(SIZE)).alias("single"),
    )
    answer = figures.select(
        nw.col(DISTINCT).min().alias("distinct"),
        nw.col(SPREAD).min().alias("spread"),
        nw.col("ratio").max().alias("recursive"),
        nw.col("single").sum().alias("disclosed"),
    )
    return pairs.records.ask(answer).row(0, named=True)


def _ask_pairs(pairs: LargePairs) -> dict[str, float]:
    """Return the largest and the smallest lift q / p of a pair, and whether one gains more than -ln p."""
    lift = nw.col(PAIR).cast(nw.Float64) * float(pairs.rows) / (nw.col(SIZE) * nw.col(TOTAL))
    lifts = pairs.describe().select(lift.alias("lift"), (nw.col(TOTAL) / float(pairs.rows)).alias(SHARE))
    gain = nw.col("lift") - 1.0
    over = (gain > SLACK) & (gain + nw.col(SHARE).log() > SLACK)
    return pairs.records.ask(
        lifts.select(nw.col("lift"), over.cast(nw.Int64).alias("over")).select(
            nw.col("lift").max().alias("highest"),
            nw.col("lift").min().alias("lowest"),
            nw.col("over").max().alias("overgained"),
        )
    ).row(0, named=True)
