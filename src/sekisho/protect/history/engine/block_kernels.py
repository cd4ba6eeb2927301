"""What is done to the rows of a block, on whichever machine: they are searched for groups, and published.

Rows come in any order; people stand in the order that the plan of the pass gives them, so the answer is that of memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.names import ArrowSchema, Table
from sekisho.data.files.grammar import FieldRules, Grammar, write_cells
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.distance import cell_errors
from sekisho.data.frame.release import MaskedTable
from sekisho.data.frame.spread import Spread
from sekisho.data.history.arrays import find_starts, stack_columns
from sekisho.protect.history.block import group_block
from sekisho.protect.history.block_passes import PassTerms, begin_task, continue_task, sort_rows
from sekisho.protect.history.engine.cell_reading import OWNER, HistoryColumn, name_value
from sekisho.protect.history.grouping.rows import Scales
from sekisho.protect.history.shared_cells import cover_slots

BLOCK, RANK, GROUP, COST, SLOT = "block", "rank", "group", "cost", "slot"
PSEUDONYM = "pseudonym"
SLOTS = 32
"""Bits of a slot's number within its block."""


def name_error(place: int) -> str:
    """Return what the errors of an attribute are called on their way."""
    return f"error{place}"


class SearchedRows(NamedTuple):
    """The rows of a block, one person after another, with what was found.

    Attributes:
        order: where each stood in the table.
        values: the attributes, a line each.
        group: each row's group, from 0.
        slot: each row's slot, from 0; -1 where it is deleted.
        cost: what each row's group costs.
    """

    order: NDArray[np.int64]
    values: list[NDArray[np.int64]]
    group: NDArray[np.int64]
    slot: NDArray[np.int64]
    cost: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchKernel:
    """Groups the people of a block.

    Attributes:
        terms: of the pass.
        numeric: which attributes are numbers.
        scales: of the numbers.
        max_set: how many values a set may hold.
    """

    terms: PassTerms
    numeric: tuple[bool, ...]
    scales: Scales
    max_set: int

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        kinds = [(name_value(place), pa.int64() if number else pa.int32()) for place, number in enumerate(self.numeric)]
        found = [(GROUP, pa.int64()), (SLOT, pa.int64()), (COST, pa.float64())]
        return pa.schema([(OWNER, pa.int64()), *kinds, *found])

    def __call__(self, table: Table) -> Table:
        """Return the rows with their groups and slots; slots of a later block have larger numbers."""
        rows = self.search(table)
        block = int(table[BLOCK][0].as_py())
        slot = np.where(rows.slot >= 0, (block << SLOTS) + rows.slot, -1)
        owner = table[OWNER].to_numpy()[rows.order]
        return pa.table([owner, *rows.values, rows.group, slot, rows.cost], names=self.schema.names)

    def search(self, table: Table) -> SearchedRows:
        """Return the rows of a block with what the search finds."""
        rank = table[RANK].to_numpy().astype(np.int64)
        values = [table[name_value(place)].to_numpy() for place in range(len(self.numeric))]
        numbers = stack_columns(
            [each for each, number in zip(values, self.numeric, strict=True) if number], len(rank), np.int64
        )
        codes = stack_columns(
            [each for each, number in zip(values, self.numeric, strict=True) if not number], len(rank), np.int32
        )
        order = sort_rows(rank, self.scales.scale(numbers).T, codes.T)
        starts = find_starts(rank, int(rank.max()) + 1)
        rows = self.scales.lay_out(starts, numbers[order], codes[order], max_set=self.max_set)
        task = begin_task(rows, self.terms, int(table[BLOCK][0].as_py()))
        if self.terms.number:
            group, slot, cost = (table[name].to_numpy()[order] for name in (GROUP, SLOT, COST))
            task = continue_task(task, group[starts[:-1]], slot, cost[starts[:-1]])
        answer = group_block(task)
        group = np.repeat(answer.group, np.diff(starts))
        return SearchedRows(order, [each[order] for each in values], group, answer.slot, answer.cost[group])


@dataclass(frozen=True, slots=True, kw_only=True)
class Publishing:
    """How cells are written: by column, and with which marks."""

    fields: Mapping[str, FieldRules]
    grammar: Grammar

    def write(self, table: MaskedTable) -> list[pl.Series]:
        """Return the attributes as texts."""
        return [write_cells(cells, self.fields[name], self.grammar) for name, cells in table.columns.items()]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishKernel:
    """Groups the people of a block, and makes what is published of their rows.

    Attributes:
        search: finds the groups.
        schema_of_data: the history's columns.
        columns: the attributes; only their kinds and domains are used.
        spreads: of the numbers.
        publishing: how cells are written.
    """

    search: SearchKernel
    schema_of_data: Schema
    columns: tuple[HistoryColumn, ...]
    spreads: Mapping[str, Spread]
    publishing: Publishing

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        texts = [(name_value(place), pa.large_string()) for place in range(len(self.columns))]
        errors = [(name_error(place), pa.float64()) for place in range(len(self.columns))]
        return pa.schema([(PSEUDONYM, pa.int64()), *texts, *errors, (COST, pa.float64())])

    def __call__(self, table: Table) -> Table:
        """Return a line for each row: what is published of it, and what it lost; a deleted one has pseudonym 0."""
        rows = self.search.search(table)
        values = {
            each.column.name: each.decode(numbers) for each, numbers in zip(self.columns, rows.values, strict=True)
        }
        holder = pl.Series([""] * len(rows.order))
        schema = self.schema_of_data
        data = Dataset(pl.DataFrame([values.get(name, holder.alias(name)) for name in schema.names]), schema)
        deleted = rows.slot < 0
        cells = cover_slots(data, rows.slot, max_set=self.search.max_set, widen=True, spreads=self.spreads)
        pseudonym = np.where(deleted, 0, table[PSEUDONYM].to_numpy()[rows.order])
        masked = MaskedTable(
            schema=schema,
            columns={name: each.suppress(deleted) for name, each in cells.items()},
            pseudonym=pseudonym,
        )
        found = cell_errors(data, masked, self.spreads)
        errors = [found[each.column.name] for each in self.columns]
        first = np.unique(rows.group, return_index=True)[1]
        cost = np.zeros(len(rows.order))
        cost[first] = rows.cost[first]
        texts = self.publishing.write(masked)
        return pa.table([pseudonym, *(text.to_arrow() for text in texts), *errors, cost], names=self.schema.names)
