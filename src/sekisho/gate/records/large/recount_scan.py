"""What a method promised about classes, counted again by an engine from the file that was written beyond memory.

Nothing that the method computed is used: rows whose cells in the keys are equal are one class. Of sensitive values the
engine counts pairs of class and value and hands them over sorted by class; the figures of some classes at a time are
then those of the in-memory recount. On a cluster the pairs stay there, and classes are measured in groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.data.files.grammar import FieldRules
from sekisho.data.large.names import list_plain, make_plain
from sekisho.data.large.scan import Scan
from sekisho.data.large.session import ClusterSession, Frame, Session
from sekisho.gate.records.large.cluster_recount import COUNT, PairShape, measure_groups
from sekisho.gate.records.recount import (
    Promise,
    Recount,
    measure_sensitive,
    refuse_broken,
)
from sekisho.safety.records.classes import CrossTable

ROWS = 1 << 18


def recount_scan(scan: Scan, promised: Mapping[str, object], fields: Mapping[str, FieldRules]) -> tuple[Recount, ...]:
    """Return every promise as a file keeps it.

    Args:
        scan: of the file; none of its cells is missing.
        promised: what the method told of its release.
        fields: how the cells of each column are written.

    Raises:
        BugError: the file does not keep one of them.
    """
    alike = cast("Mapping[str, object]", promised["alike"])
    keys, least = tuple(cast("list[str]", alike["keys"])), cast("int", alike["least"])
    classes = scan.frame.group_by(list_plain(keys)).agg(nw.len().alias(COUNT))
    k = int(scan.collect(classes.select(nw.col(COUNT).min()))[COUNT][0])
    counted = [Recount(promise=Promise.ALIKE, keys=keys, wanted=least, counted=k, kept=k >= least)]
    asked = cast("Mapping[str, object] | None", alike.get("sensitive"))
    if asked is not None:
        counted += _count_sensitive(scan, keys, asked, fields[str(asked["column"])])
    refuse_broken(counted)
    return tuple(counted)


def _count_sensitive(scan: Scan, keys: Sequence[str], asked: Mapping[str, object], rules: FieldRules) -> list[Recount]:
    name = rules.name
    totals = scan.collect(scan.frame.group_by(make_plain(name)).agg(nw.len().alias(COUNT)))
    texts = totals[name].cast(pl.String)
    if asked["ordered"]:
        numbers = _read_order(totals[name], rules)
        totals, texts = totals[np.argsort(numbers)], texts.gather(np.argsort(numbers))
    shape = PairShape(keys=tuple(keys), name=name, values=texts, totals=totals[COUNT].to_numpy().astype(np.int64))
    pairs = scan.frame.group_by(list_plain([*keys, name])).agg(nw.len().alias(COUNT))
    worst: list[Recount] = []
    for found in _measure_classes(scan.session, pairs, shape, asked):
        worst = [_choose_worse(*both) for both in zip(worst, found, strict=True)] if worst else found
    return worst


def _measure_classes(
    session: Session, pairs: Frame, shape: PairShape, asked: Mapping[str, object]
) -> Iterator[list[Recount]]:
    """Give the figures of some classes at a time, on one machine of those that follow each other."""
    if isinstance(session, ClusterSession):
        yield from measure_groups(session, pairs, shape, asked)
        return
    for table in _cross_tabulate(session, pairs.sort(list_plain(shape.keys)), shape):
        yield measure_sensitive(table, shape.keys, asked)


def _read_order(values: pl.Series, rules: FieldRules) -> np.ndarray:
    """Return numbers in the order of a column's values, whether a file has them as numbers, dates or texts."""
    if values.dtype == pl.String:
        return rules.read_values(values)[0]
    return values.to_physical().to_numpy()


def _choose_worse(one: Recount, other: Recount) -> Recount:
    falls_short = one.promise is Promise.DIVERSE and one.kind != "recursive"
    return min(one, other, key=lambda each: each.counted if falls_short else -each.counted)


def _cross_tabulate(session: Session, pairs: Frame, shape: PairShape) -> Iterator[CrossTable]:
    """Give tables of some classes at a time; a class is never cut."""
    rest = pl.DataFrame()
    for batch in session.stream(pairs, ROWS):
        frame = pl.DataFrame(pl.from_arrow(batch))
        whole = frame if rest.is_empty() else pl.concat([rest, frame])
        fresh = shape.find_starts(whole)
        last = int(np.flatnonzero(fresh)[-1])
        rest = whole[last:]
        if last:
            yield shape.tabulate(whole[:last], fresh[:last])
    if not rest.is_empty():
        yield shape.tabulate(rest, shape.find_starts(rest))
