"""Local recoding of rows that stay on a cluster: the classes are those that one machine finds.

1. The values of each key are counted, and every row becomes a few words by a kernel.
2. Equal records are counted once, by a group-by; those of them that a sample on one machine would hold come here, and
   the cuts are chosen on them.
3. Each distinct record is told its part. How often a part has each sensitive value comes here, and parts that do not
   keep the rule are joined.
4. Each part is searched on an executor. What it gives is written down once, so that whoever asks for it again, also
   after a machine has died, gets the same classes.
5. The rows of a record are numbered in their order, and take the cells of the piece that their number falls into.

What comes here grows with the values, the sample and the number of parts, not with the rows or the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa

from sekisho.data.engines.names import ArrowSchema
from sekisho.data.engines.session import ClusterSession, Frame, Stage
from sekisho.data.files.grammar import FieldRules
from sekisho.data.frame.dataset import TYPES, Column, Dataset, Kind, Schema
from sekisho.errors import BugError, ParameterError
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.recoding.key_columns import KeyColumn
from sekisho.protect.records.recoding.recoded import ClassFigures
from sekisho.protect.records.streamed.cut_tree import CutTree, PartSize, grow_tree, join_parts
from sekisho.protect.records.streamed.packed_rows import choose_depth, choose_sample_size
from sekisho.protect.records.streamed.recoding_plan import (
    ListedValues,
    PartLimit,
    RecodingPlan,
    choose_columns,
    plan_recoding,
)
from sekisho.protect.records.streamed.remote_kernels import (
    BUCKET,
    COPIES,
    DEPTH,
    END,
    FIRST,
    LEAF,
    ORDER,
    OWNER,
    PART,
    PLACE,
    RESULT,
    SENSITIVE,
    START,
    STEP,
    CellKernel,
    PartKernel,
    PartResult,
    RemoteCodeKernel,
    RemoteSearchKernel,
    RemoteValueCodes,
    name_key,
    name_value,
    name_word,
    read_words,
)
from sekisho.seeds import RecordWords, Seed
from sekisho.words import Said

Tell: TypeAlias = Callable[[str], None]
MOST_VALUES = 5_000_000
"""So many values of a column come here."""
RECORDS = "records"
NONE = pa.schema([])
COUNT, RANK = "sekisho_count", "sekisho_rank"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusterRows:
    """Rows of a file, read.

    Attributes:
        session: the cluster.
        frame: where each row stands among those that are kept (PLACE), its values in the columns that are counted
            (:func:`name_value`; numbers and days on their grid), and all columns that are published as they are.
        rows: how many there are.
        others: the types of the latter, by what they are called on their way.
    """

    session: ClusterSession
    frame: Frame
    rows: int
    others: ArrowSchema

    def list_values(self, place: int, column: Column) -> ListedValues:
        """Return the distinct values of a counted column, sorted.

        Raises:
            ParameterError: there are too many.
        """
        name = name_value(place)
        counted = self.session.collect(self.frame.group_by(name).agg(nw.len().alias(COUNT)).head(MOST_VALUES + 1)).sort(
            name
        )
        if counted.height > MOST_VALUES:
            rule = Said("have at most {most_values:,} values on a cluster", most_values=MOST_VALUES)
            raise ParameterError(Said("column {name}", name=column.name), rule, f"more than {MOST_VALUES:,}")
        values = counted[name].alias(column.name)
        values = values.cast(pl.Int32).cast(pl.Date) if column.kind is Kind.DATE else values
        data = Dataset(pl.DataFrame([values.cast(TYPES[column.kind])]), Schema((column,)))
        return ListedValues(data, counted[COUNT].to_numpy())


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterRecoding:
    """Rows in classes.

    Attributes:
        source: the rows.
        plan: what their words mean.
        coding: packs them.
        pieces: which rows of each record belong to which class.
        results: of the parts, in their order.
        fields: how the cells of the keys are written.
    """

    source: ClusterRows
    plan: RecodingPlan
    coding: RemoteCodeKernel
    pieces: Frame
    results: tuple[PartResult, ...]
    fields: Mapping[str, FieldRules]

    @property
    def keys(self) -> tuple[KeyColumn, ...]:
        """The columns that are written alike in a class."""
        return self.plan.keys

    @property
    def parts(self) -> int:
        """How many parts were searched by themselves."""
        return len(self.results)

    @cached_property
    def figures(self) -> ClassFigures:
        """What the classes came to."""
        figures = ClassFigures()
        for result in self.results:
            figures = figures.join(result.figures)
        return figures

    def publish(self, schema: Schema, others: Mapping[str, str], words: RecordWords | None) -> Frame:
        """Return the rows that are left, as they are published.

        Args:
            schema: of the data.
            others: what the columns that are no keys are called on their way.
            words: put the rows in a random order; None leaves them in the original's.
        """
        rules = tuple(self.fields[key.column.name] for key in self.keys)
        exact = tuple(all(each) for each in zip(*(result.exact for result in self.results), strict=True))
        kernel = CellKernel(fields=rules, exact=exact, words=self.plan.packing.words)
        pieces = self.source.session.map_blocks(self.pieces.filter(nw.col(OWNER) >= 0), kernel, kernel.schema)
        rows = self._deal(self._pack(words, self.source.others), pieces).sort(ORDER)
        keys = {key.column.name: name_key(place) for place, key in enumerate(self.keys)}
        names = [column.name for column in schema.attributes]
        return rows.select(*[nw.col(keys[name] if name in keys else others[name]).alias(name) for name in names])

    def list_deleted(self) -> Frame | None:
        """Return the places of the rows that are left out, in their order; None where none is."""
        if self.figures.kept == self.figures.records:
            return None
        words = [name_word(place) for place in range(self.plan.packing.words)]
        gone = self.pieces.filter(nw.col(OWNER) < 0).select(*words, BUCKET, START, END)
        rows = self._pack(None, NONE).join(gone.select(*words).unique(), on=words, how="semi")
        return self._deal(rows, gone).select(PLACE).sort(PLACE)

    def _pack(self, words: RecordWords | None, carried: ArrowSchema) -> Frame:
        values = [name_value(place) for place in range(len(self.coding.columns))]
        kernel = RemoteCodeKernel(
            columns=self.coding.columns, packing=self.coding.packing, carried=carried, words=words
        )
        rows = self.source.frame.select(PLACE, *values, *carried.names)
        return self.source.session.map_blocks(rows, kernel, kernel.schema)

    def _deal(self, rows: Frame, pieces: Frame) -> Frame:
        """Return rows with what the piece has that each of them falls into; rows of no piece are left out."""
        words = [name_word(place) for place in range(self.plan.packing.words)]
        split = any(result.split for result in self.results)
        # where no record is split its first piece has all its rows, and they need no numbers
        rank = nw.col(PLACE).cum_count().over(*words, order_by=PLACE) - 1 if split else nw.col(PLACE) * 0
        numbered = rows.with_columns(rank.alias(RANK)).with_columns((nw.col(RANK) // STEP).alias(BUCKET))
        dealt = numbered.join(pieces, on=[*words, BUCKET], how="inner")
        return dealt.filter((nw.col(RANK) >= nw.col(START)) & (nw.col(RANK) < nw.col(END)))


def recode_rows(
    method: Partition,
    source: ClusterRows,
    schema: Schema,
    fields: Mapping[str, FieldRules],
    *,
    stage: Stage,
    limit: PartLimit,
    seed: Seed,
    tell: Tell = lambda _: None,
) -> ClusterRecoding:
    """Return rows in classes.

    Args:
        method: local recoding, with its keys, rule and effort.
        source: the rows.
        schema: of the data.
        fields: how the cells of each key are written.
        stage: where the classes are written down.
        limit: how large a part may be.
        seed: of the search.
        tell: is told how far it is.

    Raises:
        InfeasibleError: there are fewer than k records, or not even all together are diverse enough.
        ParameterError: a key is unknown, is the identifier, or has too many values.
        FaultsError: trees are none, or lack values; all faults at once.
    """
    names = choose_columns(method, schema)
    tell(Said("counting values"))
    listed = {name: source.list_values(place, schema[name]) for place, name in enumerate(names)}
    plan = plan_recoding(method, schema, listed, source.rows, seed, fields=fields)
    columns = tuple(
        RemoteValueCodes(values=listed[name].data, codes=codes) for name, codes in zip(names, plan.lookup, strict=True)
    )
    work = _Work(source=source, plan=plan, coding=RemoteCodeKernel(columns=columns, packing=plan.packing, carried=NONE))
    tell(Said("counting equal records"))
    records = work.count_records()
    tree = work.choose_cuts(records, limit.fit(plan.task.space, method.k))
    joined = work.join_parts(records, tree)
    parts = int(joined.max()) + 1
    tell(Said("parts to search: {parts:,}", parts=parts))
    search = RemoteSearchKernel(plan=plan, fields=fields, alone=tree.parts == 1)
    classes = source.session.map_groups(
        work.find_parts(records, tree, joined), PART, search, search.schema, groups=parts
    )
    pieces = stage.write(classes, "classes")
    results = read_results(source.session.collect(pieces.filter(~nw.col(RESULT).is_null()).select(RESULT)))
    source.session.drop(RECORDS)
    recoding = ClusterRecoding(
        source=source, plan=plan, coding=work.coding, pieces=pieces.drop(RESULT), results=results, fields=fields
    )
    if recoding.figures.records != source.rows or recoding.parts != parts:
        raise BugError("parts hold another number of records than there are")
    return recoding


def read_results(told: pl.DataFrame) -> tuple[PartResult, ...]:
    """Return what was told of the parts, in their order."""
    return tuple(sorted(map(PartResult.read, told[RESULT]), key=lambda result: result.part))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Work:
    """Distinct records on their way to classes."""

    source: ClusterRows
    plan: RecodingPlan
    coding: RemoteCodeKernel

    @property
    def word_names(self) -> list[str]:
        """What the words of a record are called."""
        return [name_word(place) for place in range(self.plan.packing.words)]

    def count_records(self) -> Frame:
        """Return the distinct records: how often each occurs, where first, and how deep it lies in the sample."""
        values = [name_value(place) for place in range(len(self.coding.columns))]
        rows = self.source.session.map_blocks(self.source.frame.select(PLACE, *values), self.coding, self.coding.schema)
        counted = rows.group_by(*self.word_names).agg(
            nw.len().alias(COPIES), nw.col(PLACE).min().alias(FIRST), nw.col(DEPTH).min().alias(DEPTH)
        )
        return self.source.session.keep(counted, RECORDS)

    def choose_cuts(self, records: Frame, size: int) -> CutTree:
        """Return the cuts that leave small parts, chosen on a sample."""
        session, task = self.source.session, self.plan.task
        depths = session.collect(records.group_by(DEPTH).agg(nw.len().alias(COUNT)))
        halved = choose_depth(dict(depths.select(DEPTH, COUNT).iter_rows()), choose_sample_size(size))
        drawn = session.collect(records.filter(nw.col(DEPTH) >= halved)).sort(FIRST)
        sample = self.plan.unpack(read_words(drawn, self.plan.packing.words), drawn[COPIES].to_numpy())
        return grow_tree(task.space, sample, task.rule, PartSize(records=size, scale=1 << halved))

    def find_parts(self, records: Frame, tree: CutTree, joined: np.ndarray) -> Frame:
        """Return distinct records with their parts."""
        kernel = PartKernel(plan=self.plan, tree=tree, joined=joined)
        return self.source.session.map_blocks(records.drop(DEPTH), kernel, kernel.schema)

    def join_parts(self, records: Frame, tree: CutTree) -> np.ndarray:
        """Return the part that each leaf of the tree becomes, so that every part keeps the rule."""
        if tree.parts == 1:
            return np.zeros(1, dtype=np.int32)
        parted = self.find_parts(records, tree, np.arange(tree.parts, dtype=np.int32))
        sums = self.source.session.collect(parted.group_by(LEAF, SENSITIVE).agg(nw.col(COPIES).sum().alias(COUNT)))
        counts = np.zeros((tree.parts, len(self.plan.task.rule.shares)), dtype=np.int64)
        counts[sums[LEAF].to_numpy(), sums[SENSITIVE].to_numpy()] = sums[COUNT].to_numpy()
        return join_parts(tree, self.plan.task.rule, counts)
