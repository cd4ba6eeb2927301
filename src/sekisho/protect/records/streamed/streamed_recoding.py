"""Local recoding of data that stream by in blocks: coarse cuts first, then each part by itself, in memory.

1. The blocks pass once: the values of keys are numbered, and each row is kept in a file as a few small numbers.
2. These rows pass: a sample of the distinct records is drawn, and the cuts are chosen on it. Where all distinct records
   are few enough, there is one part, and the classes are those that a search in memory finds.
3. The rows pass again and are dealt to files, one for each part.
4. Of each part equal records are counted once, and its classes are searched for. The class of each row is written to a
   file of whole numbers, in the order of the rows.

What is held in memory grows with the distinct records of a part and with the classes, not with the rows.

The values of columns numbered as they first occur, while blocks of data stream by.

Only when all have passed is it known which values there are; then every number is told its code.

Rows of small numbers in files: written block by block, read again in the same blocks.

They are temporary, and hold people's values as codes: the folder they lie in is removed with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules
from sekisho.data.frame.dataset import TYPES, Column, Dataset, Kind, Schema, encode_texts, grid_series
from sekisho.data.trees.tree_column import number_values
from sekisho.errors import BugError
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.recoding.key_columns import KeyColumn
from sekisho.protect.records.recoding.recoded import ClassFigures
from sekisho.protect.records.streamed.class_texts import KeyTexts, begin_texts
from sekisho.protect.records.streamed.cut_tree import CutTree, PartSize, grow_tree, join_parts
from sekisho.protect.records.streamed.packed_rows import RecordSample, RowCounter, choose_sample_size
from sekisho.protect.records.streamed.recoding_plan import (
    ListedValues,
    PartLimit,
    PartTask,
    RecodingPlan,
    choose_columns,
    plan_recoding,
)
from sekisho.seeds import Seed
from sekisho.words import Said

BLOCK = 1 << 20
"""So many rows of a file of words are read at a time."""


class NumberFile:
    """Blocks of columns of numbers, each in the narrowest type that holds it; removed at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream = path.open("wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._path.unlink(missing_ok=True)

    def write(self, columns: Sequence[NDArray[np.int32]]) -> None:
        """Add a block."""
        for column in columns:
            np.save(self._stream, column.astype(np.min_scalar_type(int(column.max(initial=0)))), allow_pickle=False)

    def read(self, columns: int) -> Iterator[list[NDArray[np.unsignedinteger]]]:
        """Give the blocks, each with so many columns."""
        self._stream.close()
        with self._path.open("rb") as stream:
            size = self._path.stat().st_size
            while stream.tell() < size:
                yield [np.load(stream, allow_pickle=False) for _ in range(columns)]


class PartFiles:
    """For each part a file with the rows that belong to it: where each stands in the data, and its words.

    A file is open only while something is added to it: there may be more parts than a process may hold files open.
    """

    def __init__(self, folder: Path, parts: int, words: int) -> None:
        self._paths = [folder / f"part-{part:05}" for part in range(parts)]
        self._kind = np.dtype([("row", np.int64), ("words", np.uint64, (words,))])
        for path in self._paths:
            path.touch()

    def write(self, first: int, packed: NDArray[np.uint64], part: NDArray[np.int32]) -> None:
        """Deal rows, the first of which stands at a place, to their parts."""
        order = np.argsort(part, kind="stable")
        rows = np.empty(len(order), dtype=self._kind)
        rows["row"], rows["words"] = first + order, packed[order]
        ends = np.searchsorted(part[order], np.arange(len(self._paths) + 1))
        for place in np.flatnonzero(np.diff(ends)).tolist():
            with self._paths[place].open("ab") as stream:
                rows[ends[place] : ends[place + 1]].tofile(stream)

    def read(self, parts: Sequence[int]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """Give the rows of some parts, block by block: where they stand, and their words."""
        for part in parts:
            with self._paths[part].open("rb") as stream:
                while len(rows := np.fromfile(stream, dtype=self._kind, count=BLOCK)):
                    yield np.ascontiguousarray(rows["row"]), np.ascontiguousarray(rows["words"])

    def remove(self, parts: Sequence[int]) -> None:
        """Delete the files of some parts."""
        for part in parts:
            self._paths[part].unlink(missing_ok=True)


class ValueNumbers:
    """The distinct values of one column, numbered from 0 in the order in which they are met."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._texts: dict[str, int] = {}
        self._grid = np.zeros(0, dtype=np.int64)
        self._place = np.zeros(0, dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each value has occurred."""
        return self._counts

    def number(self, data: Dataset) -> NDArray[np.int32]:
        """Return the number of the value of each row of a block."""
        name = self._column.name
        if self._column.kind.numeric:
            values, place = number_values(data.grid(name))
            numbers = self._number_grid(values)
        else:
            place, texts = encode_texts(data.frame[name])
            numbers = np.array([self._texts.setdefault(text, len(self._texts)) for text in texts], dtype=np.int64)
        size = max(len(self._texts), len(self._grid))
        self._counts = np.concatenate([self._counts, np.zeros(size - len(self._counts), dtype=np.int64)])
        self._counts[numbers] += np.bincount(place, minlength=len(numbers))
        return numbers[place].astype(np.int32)

    def _number_grid(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of distinct values in their order; the grid stays sorted, with the number of each."""
        at = np.searchsorted(self._grid, values)
        seen = np.zeros(len(values), dtype=np.bool_)
        within = at < len(self._grid)
        seen[within] = self._grid[at[within]] == values[within]
        if not seen.all():
            fresh = values[~seen]
            numbers = len(self._grid) + np.arange(len(fresh))
            self._grid = np.insert(self._grid, at[~seen], fresh)
            self._place = np.insert(self._place, at[~seen], numbers)
            at = np.searchsorted(self._grid, values)
        return self._place[at]

    def list_values(self) -> Dataset:
        """Return all values as a column of data, in the order of their numbers."""
        column = self._column
        if not column.kind.numeric:
            values = pl.Series(column.name, list(self._texts), dtype=pl.String)
        else:
            grid = np.empty(len(self._grid), dtype=np.int64)
            grid[self._place] = self._grid
            values = grid_series(column.name, grid)
            values = values.cast(pl.Int32).cast(pl.Date) if column.kind is Kind.DATE else values
        return Dataset(pl.DataFrame([values.cast(TYPES[column.kind])]), Schema((column,)))


Blocks: TypeAlias = Callable[[], Iterator[Dataset]]
"""Gives data block by block, in their order."""
Rows: TypeAlias = Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]
"""Blocks of rows: where each stands in the data, and its words."""
Tell: TypeAlias = Callable[[str], None]
"""Is told how far the work is."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeRecoding:
    """Rows in classes.

    Attributes:
        schema: of the data.
        keys: the columns that are written alike in a class.
        owner: a file of whole numbers: the class of each row; -1 of one that is left out.
        texts: what each class is written as, by key.
        figures: what the classes came to.
        parts: how many parts were searched by themselves.
    """

    schema: Schema
    keys: tuple[KeyColumn, ...]
    owner: NDArray[np.int32]
    texts: Mapping[str, KeyTexts]
    figures: ClassFigures
    parts: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Coded:
    """Rows as numbers of values, and what these mean.

    Attributes:
        rows: how many there are.
        numbers: of the values of each row.
        plan: tells the code of each number.
    """

    rows: int
    numbers: NumberFile
    plan: RecodingPlan

    def read(self) -> Rows:
        """Give the rows in their order."""
        row, lookup = 0, self.plan.lookup
        for columns in self.numbers.read(len(lookup)):
            packed = self.plan.packing.pack([code[each] for code, each in zip(lookup, columns, strict=True)])
            yield np.arange(row, row + len(packed)), packed
            row += len(packed)


def recode_blocks(
    method: Partition,
    blocks: Blocks,
    schema: Schema,
    fields: Mapping[str, FieldRules],
    *,
    folder: Path,
    limit: PartLimit,
    seed: Seed,
    tell: Tell = lambda _: None,
) -> LargeRecoding:
    """Return rows in classes.

    Args:
        method: local recoding, with its keys, rule and effort.
        blocks: of the data.
        schema: of the data.
        fields: how the cells of each key are written.
        folder: for temporary files; the class of each row stays there.
        limit: how large a part may be.
        seed: of the search.
        tell: is told how far it is.

    Raises:
        InfeasibleError: there are fewer than k records, or not even all together are diverse enough.
        ParameterError: a key is unknown, or is the identifier.
        FaultsError: trees are none, or lack values; all faults at once.
    """
    with NumberFile(folder / "numbers") as numbers:
        values = {each: ValueNumbers(schema[each]) for each in choose_columns(method, schema)}
        rows = 0
        for data in blocks():
            numbers.write([each.number(data) for each in values.values()])
            rows += len(data)
            tell(Said("{rows:,} records read", rows=rows))
        listed = {name: ListedValues(each.list_values(), each.counts) for name, each in values.items()}
        plan = plan_recoding(method, schema, listed, rows, seed, fields=fields)
        coded = _Coded(rows=rows, numbers=numbers, plan=plan)
        work = _Work(plan=plan, coded=coded, fields=fields, folder=folder, tell=tell)
        return work.run(schema, limit.fit(plan.task.space, method.k))


@dataclass(slots=True, kw_only=True, eq=False)
class _Work:
    """Classes of parts, one after another."""

    plan: RecodingPlan
    coded: _Coded
    fields: Mapping[str, FieldRules]
    folder: Path
    tell: Tell
    figures: ClassFigures = field(default_factory=ClassFigures)

    def run(self, schema: Schema, size: int) -> LargeRecoding:
        """Return all rows in classes."""
        keys = self.plan.keys
        owner = np.memmap(self.folder / "owners", dtype=np.int32, mode="w+", shape=(self.coded.rows,))
        texts = begin_texts([key.column.name for key in keys], self.fields)
        tree = self._choose_cuts(size)
        if tree.parts == 1:
            self.tell(Said("searching for classes"))
            self._finish(self.plan.task, self.coded.read, owner, texts)
            parts = 1
        else:
            parts = self._finish_parts(tree, owner, texts)
        if self.figures.records != self.coded.rows:
            raise BugError("parts hold another number of records than there are")
        return LargeRecoding(schema=schema, keys=keys, owner=owner, texts=texts, figures=self.figures, parts=parts)

    def _choose_cuts(self, size: int) -> CutTree:
        sample = RecordSample(self.plan.packing.words, most=choose_sample_size(size))
        for _, packed in self.coded.read():
            sample.add(packed)
        self.tell(Said("choosing cuts"))
        records = self.plan.unpack(sample.packed, sample.copies)
        task = self.plan.task
        return grow_tree(task.space, records, task.rule, PartSize(records=size, scale=sample.scale))

    def _finish_parts(self, tree: CutTree, owner: NDArray[np.int32], texts: Mapping[str, KeyTexts]) -> int:
        task, packing = self.plan.task, self.plan.packing
        values = len(task.rule.shares)
        counts = np.zeros((tree.parts, values), dtype=np.int64)
        files = PartFiles(self.folder, tree.parts, packing.words)
        for rows, packed in self.coded.read():
            codes = packing.unpack(packed)
            part = tree.find_parts(codes)
            sensitive = codes[:, -1] if self.plan.sensitive else np.zeros(len(codes), dtype=np.int32)
            at = part.astype(np.int64) * values + sensitive
            counts += np.bincount(at, minlength=counts.size).reshape(counts.shape)
            files.write(int(rows[0]), packed, part)
        joined = join_parts(tree, task.rule, counts)
        parts = int(joined.max()) + 1
        for place in range(parts):
            self.tell(Said("part {place:,} of {parts:,}", place=place + 1, parts=parts))
            members = np.flatnonzero(joined == place).tolist()
            self._finish(task.name_part(place), partial(files.read, members), owner, texts)
            files.remove(members)
        return parts

    def _finish(
        self, task: PartTask, read: Callable[[], Rows], owner: NDArray[np.int32], texts: Mapping[str, KeyTexts]
    ) -> None:
        """Search for the classes of a part and write the class of each of its rows."""
        counter, which = RowCounter(self.plan.packing.words), list[NDArray[np.int32]]()
        for _, packed in read():
            which.append(counter.count(packed))
        records = self.plan.unpack(counter.packed, counter.copies)
        classes = task.find_classes(records, self.plan.keys)
        dealt = classes.deal_owners(np.concatenate(which))
        dealt[dealt >= 0] += self.figures.classes
        place = 0
        for rows, _ in read():
            owner[rows] = dealt[place : place + len(rows)]
            place += len(rows)
        for each in texts.values():
            each.add(classes)
        self.figures = self.figures.join(classes.measure(sensitive=self.plan.sensitive))
