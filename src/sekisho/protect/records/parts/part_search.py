"""One part of the records, finished: a pure function of its distinct records, fit to be sent to another machine.

What a part needs to know of the whole file is in :class:`PartTask`: the key space, what a class must keep, how long to
search. The randomness of a part depends on the seed and the part's name alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import process_time

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.large.arrow import Table
from sekisho.protect.records.parts.local_space import shrink_space
from sekisho.protect.records.recoding.class_rule import ClassRule
from sekisho.protect.records.recoding.key_space import KeySpace, Records
from sekisho.protect.records.recoding.search import Grouping, Problem, search_classes
from sekisho.protect.records.recoding.split import Pieces
from sekisho.seeds import Seed

COPIES, SENSITIVE = "copies", "sensitive"
PIECES = pa.schema([("record", pa.int64()), ("copies", pa.int64()), ("owner", pa.int64())])
"""What a part gives back: so many copies of a record, a row of the table, belong to a class; -1: they are left out."""


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

    def search(self, records: Records) -> Grouping:
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

    def name_part(self, name: str) -> PartTask:
        """Return the task of a part of this name: its randomness is its own."""
        return replace(self, seed=self.seed.child(name))


def search_part(part: tuple[PartTask, Records]) -> Grouping:
    """Return the classes of a part, given with its task."""
    task, records = part
    return task.search(records)


def search_table(table: Table, task: PartTask) -> Table:
    """Return the classes of a part as pieces.

    Args:
        table: distinct records: a column of codes for each key, in the order of the space, then ``copies`` and
            ``sensitive``.
        task: of the part.
    """
    pieces = task.search(read_records(table)).pieces
    return pa.Table.from_arrays([pa.array(each) for each in pieces], schema=PIECES)


def write_records(records: Records) -> Table:
    """Return distinct records as a table."""
    codes = {f"key_{column}": pa.array(records.codes[:, column]) for column in range(records.codes.shape[1])}
    return pa.table({**codes, COPIES: pa.array(records.copies), SENSITIVE: pa.array(records.sensitive)})


def read_records(table: Table) -> Records:
    """Return the distinct records of a table."""
    keys = [name for name in table.column_names if name not in (COPIES, SENSITIVE)]
    codes = np.stack([_read_numbers(table, name) for name in keys], axis=1, dtype=np.int32, casting="same_kind")
    return Records(
        codes=np.ascontiguousarray(codes),
        copies=_read_numbers(table, COPIES).astype(np.int64),
        sensitive=_read_numbers(table, SENSITIVE).astype(np.int32),
    )


def read_pieces(table: Table) -> Pieces:
    """Return the pieces of a table."""
    return Pieces(*(_read_numbers(table, name).astype(np.int64) for name in PIECES.names))


def _read_numbers(table: Table, name: str) -> NDArray[np.int64]:
    return table.column(name).to_numpy()
