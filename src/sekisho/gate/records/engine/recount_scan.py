"""What a method promised about classes, counted again by an engine from the file that was written beyond memory.

Nothing that the method computed is used: rows whose cells in the keys are equal are one class. Of sensitive values the
engine counts pairs of class and value and hands them over sorted by class; the figures of some classes at a time are
then those of the in-memory recount. On a cluster the pairs stay there, and classes are measured in groups: a group has
whole classes, those whose keys mix to the same number, so that what is told of a group is told of each of its classes;
only the worst figures of a group come here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.names import ArrowSchema, Batch, Table, list_plain
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import ClusterSession, Frame, Session
from sekisho.data.files.grammar import FieldRules
from sekisho.gate.records.recount import Promise, Recount, count_fewest_matches, measure_sensitive
from sekisho.kernels import njit
from sekisho.safety.records.classes import UNKNOWN_CELLS, CrossTable, KnownTable, drop_unknown

ROWS = 1 << 18
COUNT, GROUP, TOLD = "sekisho_rows", "sekisho_group", "told"
PAIRS = 1 << 18
"""So many rows of the release, about, are looked at in a group."""
BEGIN, STEP = 0xCBF29CE484222325, 0x100000001B3
BETWEEN = "\x1f"


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

    def count_below(self, keys: Sequence[str], k: int) -> int:
        """Return how many rows stand in classes that are smaller than k."""
        small = self._count(keys).filter(nw.col(COUNT) < k).select(nw.col(COUNT).sum())
        return int(self.scan.collect(small)[COUNT][0] or 0)

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


def _cross_tabulate(session: Session, pairs: Frame, shape: PairShape) -> Iterator[KnownTable]:
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairShape:
    """Pairs of class and sensitive value, sorted by class.

    Attributes:
        keys: the columns that make a class.
        name: the sensitive column.
        values: of it, as texts; in their order where that matters.
        totals: how often each occurs in all classes.
    """

    keys: tuple[str, ...]
    name: str
    values: pl.Series
    totals: NDArray[np.int64]

    def find_starts(self, frame: pl.DataFrame) -> NDArray[np.bool_]:
        """Tell which pairs begin a class."""
        differ = pl.any_horizontal([pl.col(key).ne_missing(pl.col(key).shift(1)) for key in self.keys])
        starts = frame.select(differ).to_series().to_numpy().astype(np.bool_)
        starts[:1] = True
        return starts

    def tabulate(self, frame: pl.DataFrame, fresh: NDArray[np.bool_]) -> KnownTable:
        """Return which known values the classes of whole ones have."""
        owner = np.cumsum(fresh) - 1
        value = frame[self.name].cast(pl.String).cast(pl.Enum(self.values)).to_physical().to_numpy().astype(np.int64)
        count = frame[COUNT].to_numpy().astype(np.int64)
        order = np.lexsort((value, owner))
        starts = np.append(np.flatnonzero(fresh), len(owner)).astype(np.int64)
        table = CrossTable(
            owner=owner,
            value=value[order],
            count=count[order],
            starts=starts,
            sizes=np.add.reduceat(count, starts[:-1]),
            totals=self.totals,
        )
        return drop_unknown(table, self.values.is_in(UNKNOWN_CELLS).to_numpy())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupMarker:
    """Says of pairs in which group their class is looked at; all cells become texts."""

    keys: tuple[str, ...]
    name: str
    groups: int

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        texts = [(name, pa.string()) for name in (*self.keys, self.name)]
        return pa.schema([*texts, (COUNT, pa.int64()), (GROUP, pa.int64())])

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        frame = pl.DataFrame(pl.from_arrow(batch))
        texts = frame.select([pl.col(name).cast(pl.String) for name in (*self.keys, self.name)])
        words = mix_texts(texts.select(pl.concat_str(self.keys, separator=BETWEEN)).to_series())
        group = pl.Series(GROUP, (words % np.uint64(self.groups)).astype(np.int64))
        made = texts.with_columns(frame[COUNT].cast(pl.Int64), group).to_arrow().cast(self.schema)
        return pa.record_batch([each.combine_chunks() for each in made.columns], self.schema)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupMeasure:
    """Measures the classes of a group.

    Attributes:
        shape: of the pairs.
        asked: what was promised of their sensitive values.
    """

    shape: PairShape
    asked: Mapping[str, object]
    schema = pa.schema([(TOLD, pa.string())])

    def __call__(self, table: Table) -> Table:
        """Return the worst figures."""
        frame = pl.DataFrame(pl.from_arrow(table)).sort(self.shape.keys)
        counted = measure_sensitive(
            self.shape.tabulate(frame, self.shape.find_starts(frame)), self.shape.keys, self.asked
        )
        return pa.table([pa.array([json.dumps([asdict(each) for each in counted])])], schema=self.schema)


def measure_groups(
    session: ClusterSession, pairs: Frame, shape: PairShape, asked: Mapping[str, object]
) -> list[list[Recount]]:
    """Return what was promised of sensitive values as the classes of each group keep it.

    Args:
        session: the cluster.
        pairs: of class and sensitive value, with how many rows there are of each.
        shape: of them.
        asked: the promise, as plain data.
    """
    mark = GroupMarker(keys=shape.keys, name=shape.name, groups=1 + int(shape.totals.sum()) // PAIRS)
    measure = GroupMeasure(shape=shape, asked=asked)
    told = session.map_groups(session.map_blocks(pairs, mark, mark.schema), GROUP, measure, measure.schema)
    return [[read_recount(each) for each in json.loads(text)] for text in session.collect(told)[TOLD]]


def read_recount(told: dict[str, Any]) -> Recount:
    """Return what plain data say."""
    recount = Recount(**told)
    return replace(recount, promise=Promise(recount.promise), keys=tuple(recount.keys))


def mix_texts(texts: pl.Series) -> NDArray[np.uint64]:
    """Return a number for each text, the same for equal ones on every machine.

    Source: Fowler, Noll, Vo, the hash FNV-1a of 64 bits, RFC 9923.
    """
    array = texts.rechunk().to_arrow().cast(pa.large_string())
    mixed = np.empty(len(texts), dtype=np.uint64)
    _, ends, letters = array.buffers()
    if len(texts):
        places = np.frombuffer(ends, dtype=np.int64)[array.offset : array.offset + len(texts) + 1]
        _mix_letters(np.frombuffer(letters or b"", dtype=np.uint8), places, mixed)
    return mixed


@njit(cache=True, nogil=True)
def _mix_letters(letters: NDArray[np.uint8], places: NDArray[np.int64], into: NDArray[np.uint64]) -> None:
    for text in range(len(into)):
        word = np.uint64(BEGIN)
        for place in range(places[text], places[text + 1]):
            word = (word ^ np.uint64(letters[place])) * np.uint64(STEP)
        into[text] = word
