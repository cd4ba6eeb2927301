"""Local recoding of data that stream by in blocks: coarse cuts first, then each part by itself, in memory.

1. The blocks pass once: the values of keys are numbered, and each row is kept in a file as a few small numbers.
2. These rows pass: a sample of the distinct records is drawn, and the cuts are chosen on it. Where all distinct records
   are few enough, there is one part, and the classes are those that a search in memory finds.
3. The rows pass again and are dealt to files, one for each part.
4. Of each part equal records are counted once, and its classes are searched for. The class of each row is written to a
   file of whole numbers, in the order of the rows.

What is held in memory grows with the distinct records of a part and with the classes, not with the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.schema import Schema
from sekisho.data.large.tasks import find_cluster
from sekisho.errors import BugError
from sekisho.protect.records.partition import MILLION, Partition
from sekisho.protect.records.parts.class_texts import KeyTexts, begin_texts
from sekisho.protect.records.parts.cut_tree import CutTree, PartSize, grow_tree, join_parts
from sekisho.protect.records.parts.packed_rows import Packing, RowCounter
from sekisho.protect.records.parts.part_search import PartTask, search_part
from sekisho.protect.records.parts.record_sample import MOST, RecordSample
from sekisho.protect.records.parts.row_files import NumberFile, PartFiles
from sekisho.protect.records.parts.value_codes import ValueNumbers
from sekisho.protect.records.recoding.class_rule import ClassRule
from sekisho.protect.records.recoding.key_columns import KeyColumn, choose_keys, code_keys
from sekisho.protect.records.recoding.key_space import KeySpace, Records, join_columns
from sekisho.protect.records.recoding.recoded import ClassFigures, CodedClasses
from sekisho.protect.records.recoding.search import Grouping, Problem
from sekisho.protect.records.recoding.sensitive import code_sensitive
from sekisho.seeds import Seed

Blocks: TypeAlias = Callable[[], Iterator[Dataset]]
"""Gives data block by block, in their order."""
Rows: TypeAlias = Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]
"""Blocks of rows: where each stands in the data, and its words."""
Tell: TypeAlias = Callable[[str], None]
"""Is told how far the work is."""
USUAL = 300_000
"""So many distinct records a part has at most: of larger ones the search takes longer and hardly loses less."""
HELD = 450 * 1000**2
"""Bytes that Python, its libraries and a few blocks of rows hold."""
PER_RECORD = 520
"""Bytes that the search takes for each distinct record of a part, measured (bench/partition_scale.py), with reserve."""
LEAST = 10_000
"""Parts of fewer records lose more than they save."""


class PartLimit(NamedTuple):
    """How large a part may be.

    Attributes:
        records: the most distinct records.
        memory: the most bytes that the whole work may hold; None for no limit.
    """

    records: int = USUAL
    memory: int | None = None

    def fit(self, space: KeySpace, k: int) -> int:
        """Return how many distinct records a part may have; a class, of k or more, counts every value of sets."""
        if self.memory is None:
            return self.records
        sets, marked = space.marked.tolist()
        return min(self.records, max(LEAST, (self.memory - HELD) // (PER_RECORD + (4 * sets + marked // 8) // k)))


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
        lookup: by column, the code of each number.
        packing: of the codes: the keys', and the sensitive one's where it matters.
    """

    rows: int
    numbers: NumberFile
    lookup: tuple[NDArray[np.int32], ...]
    packing: Packing

    def read(self) -> Rows:
        """Give the rows in their order."""
        row = 0
        for columns in self.numbers.read(len(self.lookup)):
            packed = self.packing.pack([code[each] for code, each in zip(self.lookup, columns, strict=True)])
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
        names = choose_keys(schema, method.keys)
        name = method.rule.find_column(schema, names)
        values = {each: ValueNumbers(schema[each]) for each in (*names, *([] if name is None else [name]))}
        rows = 0
        for data in blocks():
            numbers.write([each.number(data) for each in values.values()])
            rows += len(data)
            tell(f"{rows:,} records read")
        keys = code_keys(schema, names, method.tree or {}, lambda each: values[each].list_values())
        coded, rule = _code_rows(method, rows, numbers, keys, None if name is None else values[name])
        task = PartTask(
            space=join_columns([key.codes for key in keys]),
            rule=rule,
            strict=method.strict,
            room=int(method.suppress * rows),
            looks=int(method.effort * MILLION),
            seconds=method.seconds,
            records=rows,
            seed=seed,
        )
        work = _Work(
            keys=keys, task=task, coded=coded, fields=fields, folder=folder, tell=tell, sensitive=name is not None
        )
        return work.run(schema, limit.fit(task.space, method.k))


def _code_rows(
    method: Partition, rows: int, numbers: NumberFile, keys: Sequence[KeyColumn], sensitive: ValueNumbers | None
) -> tuple[_Coded, ClassRule]:
    """Return what the numbers of values mean, and the rule that every class must keep."""
    lookup, widths = [key.codes.codes for key in keys], [key.codes.values for key in keys]
    counts, name = None, None
    if sensitive is not None:
        listed = sensitive.list_values()
        name = listed.schema.names[0]
        codes = code_sensitive(listed, name)
        counts = np.zeros(max(2, len(codes)), dtype=np.int64)
        counts[codes] = sensitive.counts
        lookup.append(codes)
        widths.append(len(counts))
    rule = method.rule.settle_counts(rows, name, counts)
    return _Coded(rows=rows, numbers=numbers, lookup=tuple(lookup), packing=Packing.of(widths)), rule


@dataclass(slots=True, kw_only=True, eq=False)
class _Work:
    """Classes of parts, one after another."""

    keys: tuple[KeyColumn, ...]
    task: PartTask
    coded: _Coded
    fields: Mapping[str, FieldRules]
    folder: Path
    tell: Tell
    sensitive: bool
    figures: ClassFigures = field(default_factory=ClassFigures)

    def run(self, schema: Schema, size: int) -> LargeRecoding:
        """Return all rows in classes."""
        owner = np.memmap(self.folder / "owners", dtype=np.int32, mode="w+", shape=(self.coded.rows,))
        texts = begin_texts([key.column.name for key in self.keys], self.fields)
        tree = self._choose_cuts(size)
        if tree.parts == 1:
            self._finish(self.task, self.coded.read, owner, texts)
            parts = 1
        else:
            parts = self._finish_parts(tree, owner, texts)
        if self.figures.records != self.coded.rows:
            raise BugError("parts hold another number of records than there are")
        return LargeRecoding(schema=schema, keys=self.keys, owner=owner, texts=texts, figures=self.figures, parts=parts)

    def _choose_cuts(self, size: int) -> CutTree:
        sample = RecordSample(self.coded.packing.words, most=min(MOST, 4 * size))
        for _, packed in self.coded.read():
            sample.add(packed)
        records = self._unpack(sample.packed, sample.copies)
        return grow_tree(self.task.space, records, self.task.rule, PartSize(records=size, scale=sample.scale))

    def _finish_parts(self, tree: CutTree, owner: NDArray[np.int32], texts: Mapping[str, KeyTexts]) -> int:
        values = len(self.task.rule.shares)
        counts = np.zeros((tree.parts, values), dtype=np.int64)
        files = PartFiles(self.folder, tree.parts, self.coded.packing.words)
        for rows, packed in self.coded.read():
            codes = self.coded.packing.unpack(packed)
            part = tree.find_parts(codes)
            sensitive = codes[:, -1] if self.sensitive else np.zeros(len(codes), dtype=np.int32)
            at = part.astype(np.int64) * values + sensitive
            counts += np.bincount(at, minlength=counts.size).reshape(counts.shape)
            files.write(int(rows[0]), packed, part)
        joined = join_parts(tree, self.task.rule, counts)
        parts = int(joined.max()) + 1
        members = [np.flatnonzero(joined == place).tolist() for place in range(parts)]
        reads = [partial(files.read, each) for each in members]
        found = self._search_elsewhere(reads)
        for place, read in enumerate(reads):
            self.tell(f"part {place + 1:,} of {parts:,}")
            task = self.task.name_part(f"part {place}")
            self._finish(task, read, owner, texts, None if found is None else next(found))
            files.remove(members[place])
        return parts

    def _search_elsewhere(self, reads: Sequence[Callable[[], Rows]]) -> Iterator[Grouping] | None:
        """Give the classes of each part, searched on the cluster that was opened for that; None if there is none."""
        cluster = find_cluster()
        if cluster is None:
            return None
        tasks = ((self.task.name_part(f"part {place}"), self._count(read)[1]) for place, read in enumerate(reads))
        return cluster.run_tasks(search_part, tasks)

    def _count(self, read: Callable[[], Rows]) -> tuple[list[NDArray[np.int32]], Records]:
        """Return which distinct record each row of a part has, and the distinct records."""
        counter, which = RowCounter(self.coded.packing.words), list[NDArray[np.int32]]()
        for _, packed in read():
            which.append(counter.count(packed))
        return which, self._unpack(counter.packed, counter.copies)

    def _finish(
        self,
        task: PartTask,
        read: Callable[[], Rows],
        owner: NDArray[np.int32],
        texts: Mapping[str, KeyTexts],
        found: Grouping | None = None,
    ) -> None:
        """Search for the classes of a part, unless they were found elsewhere; write the class of each of its rows."""
        which, records = self._count(read)
        grouping = found or task.search(records)
        problem = Problem(space=task.space, records=records, rule=task.rule)
        classes = CodedClasses(keys=self.keys, problem=problem, grouping=grouping)
        dealt = classes.deal_owners(np.concatenate(which))
        dealt[dealt >= 0] += self.figures.classes
        place = 0
        for rows, _ in read():
            owner[rows] = dealt[place : place + len(rows)]
            place += len(rows)
        for each in texts.values():
            each.add(classes)
        self.figures = self.figures.join(classes.measure(sensitive=self.sensitive))

    def _unpack(self, packed: NDArray[np.uint64], copies: NDArray[np.int64]) -> Records:
        codes = self.coded.packing.unpack(packed)
        if not self.sensitive:
            return Records(codes, copies.copy(), np.zeros(len(codes), dtype=np.int32))
        return Records(np.ascontiguousarray(codes[:, :-1]), copies.copy(), np.ascontiguousarray(codes[:, -1]))
