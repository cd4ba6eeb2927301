"""What every way of recoding beyond memory begins with: codes of values, the rule, and how large a part may be.

The key space of some of the records: only values that occur have codes, what they cost stays as in the whole file.

Sorting and walking over the values of a column takes as long as there are values; of a part there are fewer. The codes
of a tree stay as they are, since its labels speak of them.

One part of the records, finished: a pure function of its distinct records, fit to be sent to another machine.

What a part needs to know of the whole file is in :class:`PartTask`: the key space, what a class must keep, how long to
search. The randomness of a part depends on the seed and the part's name alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules
from sekisho.data.frame.cells import find_gaps
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.range_ends import choose_grid
from sekisho.errors import ParameterError
from sekisho.protect.records.partition import MILLION, Partition
from sekisho.protect.records.recoding.classed_method import code_sensitive, lacks_values
from sekisho.protect.records.recoding.key_columns import KeyColumn, choose_keys, code_keys
from sekisho.protect.records.recoding.key_space import SET, TREE, CellKind, KeySpace, Records, join_columns
from sekisho.protect.records.recoding.recoded import CodedClasses
from sekisho.protect.records.recoding.search import Problem, RecodedClasses, search_classes
from sekisho.protect.records.recoding.value_sums import ClassRule
from sekisho.protect.records.streamed.packed_rows import Packing
from sekisho.seeds import Seed
from sekisho.words import Said


class LocalSpace(NamedTuple):
    """A key space, codes in it, and the code of the whole file that each of its codes is, by column."""

    space: KeySpace
    codes: NDArray[np.int32]
    values: tuple[NDArray[np.int32], ...]


def shrink_space(space: KeySpace, codes: NDArray[np.int32]) -> LocalSpace:
    """Return the space of the values that occur in some records by columns."""
    columns = len(space.kinds)
    widths = np.diff(space.starts)
    values = [_list_values(codes[:, column], int(widths[column])) for column in range(columns)]
    for column in np.flatnonzero(space.kinds == TREE).tolist():
        values[column] = np.arange(widths[column], dtype=np.int32)
    local = np.empty_like(codes)
    for column, present in enumerate(values):
        place = np.zeros(int(widths[column]), dtype=np.int32)
        place[present] = np.arange(len(present), dtype=np.int32)
        local[:, column] = place[codes[:, column]]
    chosen = np.concatenate([present + space.starts[column] for column, present in enumerate(values)])
    counts = np.array([len(present) for present in values], dtype=np.int64)
    sets, trees = counts * (space.kinds == SET), counts * (space.kinds == TREE)
    marks = np.where(space.kinds == TREE, sets.sum() + np.cumsum(trees) - trees, np.cumsum(sets) - sets)
    smaller = space._replace(
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        place=space.place[chosen],
        leaf=space.leaf[chosen],
        marks=marks.astype(np.int64),
        marked=np.array([sets.sum(), sets.sum() + trees.sum()], dtype=np.int64),
    )
    return LocalSpace(smaller, local, tuple(values))


def _list_values(codes: NDArray[np.int32], width: int) -> NDArray[np.int32]:
    occurs = np.zeros(width, dtype=np.bool_)
    occurs[codes] = True
    return np.flatnonzero(occurs).astype(np.int32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartTask:
    """What the search of a part needs to know of the whole file.

    Attributes:
        space: of the keys.
        rule: what a class must keep.
        strict: whether cuts lie between different values alone.
        room: how many records of the whole file may be left out.
        looks: how many looks at a class the whole file may take.
        seconds: how many CPU seconds; None for no limit.
        records: how many there are in the whole file.
        seed: of the search.
    """

    space: KeySpace
    rule: ClassRule
    strict: bool
    room: int
    looks: int
    seconds: float | None
    records: int
    seed: Seed

    def search(self, records: Records) -> RecodedClasses:
        """Return the classes of a part: with its share of the looks, the seconds and the room to leave records out."""
        rows = int(records.copies.sum())
        local = shrink_space(self.space, records.codes)
        problem = Problem(
            space=local.space,
            records=records._replace(codes=local.codes),
            rule=self.rule,
            room=self.room * rows // self.records,
            strict=self.strict,
        )
        start, looks = process_time(), self.looks * rows // self.records
        limit = None if self.seconds is None else self.seconds * rows / self.records
        steps = search_classes(problem, looks=looks, rng=self.seed.rng())
        grouping = next(steps)
        while limit is None or process_time() - start <= limit:
            better = next(steps, None)
            if better is None:
                break
            grouping = better
        return grouping

    def find_classes(self, records: Records, keys: tuple[KeyColumn, ...]) -> CodedClasses:
        """Return the same with what the members of a class share in the keys."""
        problem = Problem(space=self.space, records=records, rule=self.rule)
        return CodedClasses(keys=keys, problem=problem, grouping=self.search(records))

    def name_part(self, place: int) -> PartTask:
        """Return the task of one part of several: its randomness is its own."""
        return replace(self, seed=self.seed.child(f"part {place}"))


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


class ListedValues(NamedTuple):
    """The distinct values of a column, as data of one column, and how often each occurs."""

    data: Dataset
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecodingPlan:
    """What is known of a file when all its values are.

    Attributes:
        keys: the columns that are written alike in a class.
        task: of every part.
        lookup: by column, the code of each listed value: the keys', and the sensitive one's where it matters.
        packing: of these codes.
        sensitive: whether the sensitive column matters.
    """

    keys: tuple[KeyColumn, ...]
    task: PartTask
    lookup: tuple[NDArray[np.int32], ...]
    packing: Packing
    sensitive: bool

    def unpack(self, packed: NDArray[np.uint64], copies: NDArray[np.int64]) -> Records:
        """Return distinct records from their words."""
        codes = self.packing.unpack(packed)
        if not self.sensitive:
            return Records(codes, copies.copy(), np.zeros(len(codes), dtype=np.int32))
        return Records(np.ascontiguousarray(codes[:, :-1]), copies.copy(), np.ascontiguousarray(codes[:, -1]))


def choose_columns(method: Partition, schema: Schema) -> tuple[str, ...]:
    """Return the columns whose values are counted: the keys, and the sensitive one where it matters.

    Raises:
        ParameterError: a key is unknown, or is the identifier; or the sensitive column is none.
    """
    if method.household:
        rule = Said("not be given where the work is done beyond memory")
        raise ParameterError("household", rule, method.household)
    names = choose_keys(schema, method.keys)
    sensitive = method.rule.find_column(schema, names)
    return (*names, *([] if sensitive is None else [sensitive]))


def plan_recoding(
    method: Partition,
    schema: Schema,
    listed: Mapping[str, ListedValues],
    rows: int,
    seed: Seed,
    *,
    fields: Mapping[str, FieldRules],
) -> RecodingPlan:
    """Return what a file is recoded by.

    Args:
        method: with its keys, rule and effort.
        schema: of the data.
        listed: the values of the columns that are counted.
        rows: how many there are.
        seed: of the search.
        fields: how the cells of the keys are written, and between which limits.

    Raises:
        InfeasibleError: there are fewer than k records, or not even all together are diverse enough.
        FaultsError: trees are none, or lack values; all faults at once.
    """
    names = choose_keys(schema, method.keys)
    keys = tuple(
        _end_on_grid(key, listed[key.column.name], fields[key.column.name])
        for key in code_keys(schema, names, method.tree or {}, lambda name: listed[name].data)
    )
    lookup, widths = [key.codes.codes for key in keys], [key.codes.values for key in keys]
    counts, name = None, method.rule.find_column(schema, names)
    if name is not None:
        method.rule.refuse_gaps(listed[name].data, name)
        codes = code_sensitive(listed[name].data, name)
        counts = np.zeros(max(2, len(codes)), dtype=np.int64)
        np.add.at(counts, codes, listed[name].counts)
        lookup.append(codes)
        widths.append(len(counts))
    task = PartTask(
        space=join_columns([key.codes for key in keys]),
        rule=method.rule.settle_counts(
            rows, name, counts, lacks=name is not None and lacks_values(listed[name].data, name)
        ),
        strict=method.strict,
        room=int(method.suppress * rows),
        looks=int(method.effort * MILLION),
        seconds=method.seconds,
        records=rows,
        seed=seed,
    )
    return RecodingPlan(
        keys=keys, task=task, lookup=tuple(lookup), packing=Packing.of(widths), sensitive=name is not None
    )


def _end_on_grid(key: KeyColumn, listed: ListedValues, rules: FieldRules) -> KeyColumn:
    """Return a key whose ranges end on a grid where nearly everybody bears a value of their own."""
    if key.codes.kind is not CellKind.RANGE:
        return key
    values = listed.data.grid(key.column.name)
    known = ~find_gaps(values)
    order = np.argsort(values[known])
    low, high = rules.limits()
    grid = choose_grid(key.column, values[known][order], listed.counts[known][order], low=low, high=high)
    return key if grid is None else replace(key, ends=grid)
