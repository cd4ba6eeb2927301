"""The largest distance of a class beyond memory from the whole (t), by each of the three distances of ``closeness``."""

from __future__ import annotations

from functools import partial

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.large.arrow import Batch
from sekisho.data.large.blocks import map_blocks
from sekisho.data.large.session import Frame
from sekisho.data.trees.hierarchy import Tree
from sekisho.safety.records.closeness import check_leaves, measure_heights
from sekisho.safety.records.large.pairs import FAR, PAIR, PLACE, SIZE, TOTAL, LargePairs

NODE, PARENT, NODE_SHARE, PARENT_SHARE, HEIGHT = "node", "parent", "node share", "parent share", "height"
REACHED, NEXT = "sekisho reached", "sekisho next"


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
