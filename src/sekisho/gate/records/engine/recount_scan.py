"""What a method promised about classes, counted again by an engine from the file that was written beyond memory.

Nothing that the method computed is used: rows whose cells in the keys are equal are one class. Of sensitive values the
engine counts pairs of class and value and hands them over sorted by class; the figures of some classes at a time are
then those of the in-memory recount. On a cluster the pairs stay there, and classes are measured in groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.data.engines.names import list_plain
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import ClusterSession, Frame, Session
from sekisho.data.files.grammar import FieldRules
from sekisho.gate.records.engine.group_recount import COUNT, PairShape, measure_groups
from sekisho.gate.records.recount import Recount, count_fewest_matches, measure_sensitive
from sekisho.safety.records.classes import CrossTable

ROWS = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScanClasses:
    """Classes of rows that lie with an engine.

    Attributes:
        scan: the rows, none of whose cells is missing.
        fields: how the cells of each column are written.
    """

    scan: Scan
    fields: Mapping[str, FieldRules]

    def __len__(self) -> int:
        return self.scan.count_rows()

    def _count(self, names: Sequence[str]) -> Frame:
        return self.scan.frame.group_by(list_plain(names)).agg(nw.len().alias(COUNT))

    def find_smallest(self, keys: Sequence[str]) -> int:
        """Return how many rows the smallest class has."""
        return int(self.scan.collect(self._count(keys).select(nw.col(COUNT).min()))[COUNT][0])

    def find_fewest_matches(self, keys: Sequence[str], hidden_in: Sequence[str]) -> int:
        """Return the fewest rows that match one; the distinct rows come here."""
        distinct = self.scan.collect(self._count(keys))
        texts = [distinct[name].cast(pl.String) for name in keys]
        return count_fewest_matches(texts, keys, hidden_in, distinct[COUNT].to_numpy().astype(np.float64))

    def measure(self, keys: Sequence[str], asked: Mapping[str, object]) -> Iterator[list[Recount]]:
        """Give what some classes at a time keep."""
        rules = self.fields[str(asked["column"])]
        totals = self.scan.collect(self._count([rules.name]))
        if asked["ordered"]:
            totals = totals[np.argsort(_read_order(totals[rules.name], rules))]
        shape = PairShape(
            keys=tuple(keys),
            name=rules.name,
            values=totals[rules.name].cast(pl.String),
            totals=totals[COUNT].to_numpy().astype(np.int64),
        )
        return _measure_classes(self.scan.session, self._count([*keys, rules.name]), shape, asked)


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
