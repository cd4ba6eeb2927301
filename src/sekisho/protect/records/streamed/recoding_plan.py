"""What every way of recoding beyond memory begins with: codes of values, the rule, and how large a part may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.protect.records.partition import MILLION, Partition
from sekisho.protect.records.recoding.key_columns import KeyColumn, choose_keys, code_keys
from sekisho.protect.records.recoding.key_space import KeySpace, Records, join_columns
from sekisho.protect.records.recoding.sensitive import code_sensitive
from sekisho.protect.records.streamed.packed_rows import Packing
from sekisho.protect.records.streamed.part_search import PartTask
from sekisho.seeds import Seed

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
    names = choose_keys(schema, method.keys)
    sensitive = method.rule.find_column(schema, names)
    return (*names, *([] if sensitive is None else [sensitive]))


def plan_recoding(
    method: Partition, schema: Schema, listed: Mapping[str, ListedValues], rows: int, seed: Seed
) -> RecodingPlan:
    """Return what a file is recoded by.

    Args:
        method: with its keys, rule and effort.
        schema: of the data.
        listed: the values of the columns that are counted.
        rows: how many there are.
        seed: of the search.

    Raises:
        InfeasibleError: there are fewer than k records, or not even all together are diverse enough.
        FaultsError: trees are none, or lack values; all faults at once.
    """
    names = choose_keys(schema, method.keys)
    keys = code_keys(schema, names, method.tree or {}, lambda each: listed[each].data)
    lookup, widths = [key.codes.codes for key in keys], [key.codes.values for key in keys]
    counts, name = None, method.rule.find_column(schema, names)
    if name is not None:
        method.rule.refuse_gaps(listed[name].data, name)
        codes = code_sensitive(listed[name].data, name)
        counts = np.zeros(max(2, len(codes)), dtype=np.int64)
        counts[codes] = listed[name].counts
        lookup.append(codes)
        widths.append(len(counts))
    task = PartTask(
        space=join_columns([key.codes for key in keys]),
        rule=method.rule.settle_counts(rows, name, counts),
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
