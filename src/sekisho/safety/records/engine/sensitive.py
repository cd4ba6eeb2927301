"""What classes beyond memory tell about a sensitive column: l, t and their kin, counted by an engine.

A pair is a class and one of the known values that it has: a missing or suppressed cell is no value. Figures that are
the largest of a pair's are found over all pairs; those that are sums over a class's pairs are added up class by class.
The formulas are those of ``diversity``, ``closeness`` and ``likeness``.

The largest distance of a class beyond memory from the whole (t), by each of the three distances of ``closeness``.

Pairs of a class and a sensitive value that it has, as an engine counts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.names import Batch, list_plain, make_plain
from sekisho.data.engines.session import Frame
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.safety.records.assessment import RiskQuestion
from sekisho.safety.records.classes import UNKNOWN_CELLS
from sekisho.safety.records.closeness import Distance, check_leaves, measure_heights
from sekisho.safety.records.engine.records import COUNT, EngineRecords
from sekisho.safety.records.likeness import SLACK
from sekisho.safety.records.record_risk import SensitiveRisk
from sekisho.words import Said

PAIR, SIZE, TOTAL, PLACE = "sekisho_pair", "sekisho_size", "sekisho_total", "sekisho_place"
SHARE, FAR = "sekisho_share", "sekisho_far"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargePairs:
    """The pairs of one sensitive column.

    Attributes:
        records: whose.
        name: of the sensitive column.
        domain: its known values, with how often each stands anywhere (``TOTAL``) and its ``place``.
        complete: whether it has no other cells.
    """

    records: EngineRecords
    name: str
    domain: pl.DataFrame
    complete: bool

    @property
    def rows(self) -> int:
        """How many records have a known value."""
        return int(self.domain[TOTAL].sum())

    @property
    def known(self) -> Frame:
        """The records with a known value."""
        if self.complete:
            return self.records.frame
        column = nw.col(make_plain(self.name))
        present = self.records.frame.filter(~column.is_null())
        if self.domain[self.name].dtype != pl.String:
            return present
        return present.filter(~column.is_in(UNKNOWN_CELLS))

    def count_unknown_classes(self) -> int:
        """Return how many classes have no known value."""
        if self.complete:
            return 0
        classes = [frame.select(*self.plain_keys).unique() for frame in (self.records.frame, self.known)]
        whole, known = (int(self.records.ask(part.select(nw.len().alias(COUNT)))[COUNT][0]) for part in classes)
        return whole - known

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that make the classes."""
        return self.records.keys

    @property
    def plain_keys(self) -> list[str]:
        """Their plain names."""
        return list_plain(self.keys)

    def count(self) -> Frame:
        """Return every pair, and in ``PAIR`` how many records have it."""
        return self.known.group_by(*self.plain_keys, make_plain(self.name)).agg(nw.len().cast(nw.Int64).alias(PAIR))

    def describe(self) -> Frame:
        """Return every pair with the size of its class, and the total and the place of its value."""
        sized = self.count().with_columns(nw.col(PAIR).sum().over(*self.plain_keys).cast(nw.Int64).alias(SIZE))
        return self.add_from_domain(sized, {TOTAL: TOTAL, "place": PLACE})

    def add_from_domain(self, frame: Frame, columns: dict[str, str]) -> Frame:
        """Return a frame with columns of the domain beside the value of each row, under new names."""
        side = self.records.scan.session.take(self.domain.select(self.name, *columns).rename(columns))
        return frame.join(side, on=make_plain(self.name), how="left")


NODE, PARENT, NODE_SHARE, PARENT_SHARE, HEIGHT = "node", "parent", "node_share", "parent_share", "height"
REACHED, NEXT = "sekisho_reached", "sekisho_next"


def add_equal(pairs: LargePairs) -> float:
    """Return the largest distance where every two values are 1 apart: sum of max(q - p, 0)."""
    share = nw.col(PAIR) / nw.col(SIZE).cast(nw.Float64)
    extra = share - nw.col(TOTAL) / float(pairs.rows)
    return _find_farthest(pairs, pairs.describe().with_columns(_clip(extra).alias(FAR)))


def add_ordered(pairs: LargePairs) -> float:
    """Return the largest distance where values stand in their order.

    Between two values of a class its cumulated share does not change: such a stretch of values is summed at once, by a
    compiled kernel that knows the whole's cumulated shares.
    """
    values = pairs.domain.height
    if values == 1:
        return 0.0
    within = pairs.describe().with_columns(
        nw.col(PAIR).cum_sum().over(*pairs.plain_keys, order_by=PLACE).cast(nw.Int64).alias(REACHED),
        nw.col(PLACE).shift(-1).over(*pairs.plain_keys, order_by=PLACE).cast(nw.Int64).alias(NEXT),
    )
    scan = pairs.records.scan.ask(within.select(*pairs.plain_keys, PAIR, SIZE, PLACE, REACHED, NEXT))
    block = scan.probe()
    kept = [block.schema.field(name) for name in pairs.keys]
    schema = pa.schema([*kept, pa.field(FAR, pa.float64())])
    whole = np.cumsum(pairs.domain[TOTAL].to_numpy()) / pairs.rows
    far = map_blocks(scan, partial(sum_stretches, whole=whole, keys=pairs.keys), schema)
    return _find_farthest(pairs, far.frame) / (values - 1)


def sum_stretches(block: Batch, *, whole: NDArray[np.float64], keys: tuple[str, ...]) -> Batch:
    """Return for each pair how far the class is from the whole over the values from its own to the class's next one."""
    frame = pl.DataFrame(block.select([PAIR, SIZE, PLACE, REACHED, NEXT]))
    count, size, begins, running = (frame[name].to_numpy().astype(np.int64) for name in (PAIR, SIZE, PLACE, REACHED))
    ends = frame[NEXT].fill_null(len(whole)).to_numpy().astype(np.int64)
    before = np.concatenate([[0.0], np.cumsum(whole)])
    reached = running / size
    split = np.clip(np.searchsorted(whole, reached), begins, ends)
    below = reached * (split - begins) - (before[split] - before[begins])
    above = (before[ends] - before[split]) - reached * (ends - split)
    # up to the first value of a class nothing of it is reached
    far = below + above + np.where(running == count, before[begins], 0.0)
    return pa.RecordBatch.from_arrays([*(block.column(name) for name in keys), pa.array(far)], names=[*keys, FAR])


def add_hierarchical(pairs: LargePairs, tree: Tree, texts: tuple[str | None, ...]) -> float:
    """Return the largest distance where values are leaves of a tree.

    A code's children that a class has too much of are among those that it has; where it has nothing under a code,
    nothing is to be moved there.

    Raises:
        FaultsError: values are no leaves of the tree.
    """
    check_leaves(tree, texts)
    paths = _list_paths(tree, texts, pairs.domain, pairs.rows)
    side = pairs.records.scan.session.take(paths)
    steps = pairs.describe().select(*pairs.plain_keys, PLACE, PAIR, SIZE).join(side, left_on=PLACE, right_on="leaf")
    nodes = steps.group_by(*pairs.plain_keys, NODE, PARENT).agg(
        nw.col(PAIR).sum().cast(nw.Int64).alias(PAIR),
        *[nw.col(name).max().alias(name) for name in (SIZE, NODE_SHARE, PARENT_SHARE, HEIGHT)],
    )
    share = nw.col(PAIR) / nw.col(SIZE).cast(nw.Float64)
    nodes = nodes.with_columns(_clip(share - nw.col(NODE_SHARE)).alias("surplus"), share.alias("share"))
    parents = nodes.group_by(*pairs.plain_keys, PARENT).agg(
        nw.col("surplus").sum().alias("surplus"),
        nw.col("share").sum().alias("share"),
        nw.col(PARENT_SHARE).max().alias(PARENT_SHARE),
        nw.col(HEIGHT).max().alias(HEIGHT),
    )
    lack = _clip(nw.col("surplus") - (nw.col("share") - nw.col(PARENT_SHARE)))
    smaller = nw.when(nw.col("surplus") < lack).then(nw.col("surplus")).otherwise(lack)
    return _find_farthest(pairs, parents.with_columns((nw.col(HEIGHT) * smaller).alias(FAR)))


def _list_paths(tree: Tree, texts: tuple[str | None, ...], domain: pl.DataFrame, rows: int) -> pl.DataFrame:
    """Return for each value every step from a code to its parent on its way to the root, with their shares."""
    shares = np.zeros(len(tree.codes))
    places = [tree.position[str(text)] for text in texts]
    np.add.at(shares, places, domain[TOTAL].to_numpy() / rows)
    for place in range(len(tree.codes) - 1, 0, -1):  # children stand behind their parents
        shares[tree.parents[place]] += shares[place]
    heights = measure_heights(tree)
    steps = list[tuple[int, int, int, float, float, float]]()
    for leaf, place in enumerate(places):
        node = place
        while tree.parents[node] >= 0:
            parent = int(tree.parents[node])
            steps.append((leaf, node, parent, shares[node], shares[parent], heights[parent]))
            node = parent
    kinds = {"leaf": pl.Int64, NODE: pl.Int64, PARENT: pl.Int64}
    return pl.DataFrame(
        steps, schema=kinds | dict.fromkeys((NODE_SHARE, PARENT_SHARE, HEIGHT), pl.Float64), orient="row"
    )


def _clip(figure: nw.Expr) -> nw.Expr:
    return nw.when(figure > 0).then(figure).otherwise(nw.lit(0.0))


def _find_farthest(pairs: LargePairs, frame: Frame) -> float:
    """Return the largest sum of ``FAR`` over a class."""
    classes = frame.group_by(*pairs.plain_keys).agg(nw.col(FAR).sum().alias(FAR))
    return float(pairs.records.ask(classes.select(nw.col(FAR).max().alias(FAR)))[FAR][0] or 0.0)


MOST_VALUES = 5_000_000
"""So many values a sensitive column may have: they are looked at one by one."""
DISTINCT, SPREAD, FIRST = "sekisho_distinct", "sekisho_spread", "sekisho_first"


def assess_large_sensitive(records: EngineRecords, question: RiskQuestion, name: str) -> SensitiveRisk:
    """Return what the classes tell about one sensitive column.

    Raises:
        ParameterError: the column has too many values, or not what a distance needs.
    """
    domain = read_domain(records, name)
    distance = question.choose_distance(name, ordered=domain.ordered, tree=name in records.trees)
    pairs = LargePairs(records=records, name=name, domain=domain.table, complete=domain.complete)
    unknown = pairs.count_unknown_classes()
    if domain.table.is_empty():
        return SensitiveRisk.of_nothing(name, distance, unknown)
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
        unknown=unknown,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Domain:
    """The known values of a sensitive column.

    Attributes:
        table: each value, how often it stands anywhere, and its place; of numbers in their order.
        texts: as they show.
        ordered: whether all cells are numbers.
        complete: whether no cell is missing or suppressed.
    """

    table: pl.DataFrame
    texts: tuple[str | None, ...]
    ordered: bool
    complete: bool


def read_domain(records: EngineRecords, name: str) -> Domain:
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
    known = found.filter(pl.col("text").is_not_null() & ~pl.col("text").is_in(UNKNOWN_CELLS))
    complete, found = known.height == found.height, known
    table = found.drop("text").with_columns(pl.int_range(found.height, dtype=pl.Int64, eager=True).alias("place"))
    return Domain(table=table, texts=tuple(found["text"].to_list()), ordered=ordered, complete=complete)


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
