"""What executors do with rows of a file that is recoded on a cluster: codes, parts, and the search of a part.

Each kernel is a pure function of its block or its part. The codes are those that one machine gives, equal records are
found in the order in which they first stand in the file, and the randomness of a part is its own: so are the classes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.names import ArrowSchema, Batch, Table
from sekisho.data.files.grammar import FieldRules
from sekisho.data.frame.dataset import Dataset
from sekisho.protect.records.recoding.recoded import ClassFigures
from sekisho.protect.records.streamed.class_texts import publish_classes, write_classes
from sekisho.protect.records.streamed.cut_tree import CutTree
from sekisho.protect.records.streamed.packed_rows import Packing, measure_depth, mix_rows
from sekisho.protect.records.streamed.recoding_plan import RecodingPlan
from sekisho.seeds import RecordWords, order_signed

PLACE, ORDER, DEPTH = "sekisho_place", "sekisho_order", "sekisho_depth"
FIRST, COPIES, LEAF, PART, SENSITIVE = (f"sekisho_{name}" for name in ("first", "copies", "leaf", "part", "sensitive"))
BUCKET, START, END, OWNER, RESULT = (f"sekisho_{name}" for name in ("bucket", "start", "end", "owner", "result"))
STEP = 1 << 12
"""So many rows of one record look for their class among the same pieces."""


def name_value(place: int) -> str:
    """Return what the values of a counted column are called on their way."""
    return f"sekisho_value_{place}"


def name_word(place: int) -> str:
    """Return what a word of packed codes is called on its way."""
    return f"sekisho_word_{place}"


def name_key(place: int) -> str:
    """Return what the cells of a key are called on their way."""
    return f"sekisho_key_{place}"


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteValueCodes:
    """The code of each value of a column.

    Attributes:
        values: all of them, as data of one column.
        codes: of each.
    """

    values: Dataset
    codes: NDArray[np.int32]

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        grid = self.values.grid(self.values.schema.names[0])
        order = np.argsort(grid)
        return grid[order], self.codes[order]

    @cached_property
    def _domain(self) -> pl.Enum:
        return pl.Enum(self.values.frame.to_series())

    def encode(self, values: pl.Series) -> NDArray[np.int32]:
        """Return the codes of some values: texts, or whole numbers of a grid."""
        if values.dtype == pl.String:
            return self.codes[values.cast(self._domain).to_physical().to_numpy()]
        grid, codes = self._sorted
        return codes[np.searchsorted(grid, values.to_numpy())]


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteCodeKernel:
    """Packs the values of rows into words.

    Attributes:
        columns: those whose values are counted.
        packing: of their codes.
        carried: further columns that stay as they are.
        words: say where a row is published; None: in the place where it stands.
    """

    columns: tuple[RemoteValueCodes, ...]
    packing: Packing
    carried: ArrowSchema
    words: RecordWords | None = None

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        numbers = [PLACE, ORDER, *(name_word(place) for place in range(self.packing.words)), DEPTH]
        return pa.schema([*((name, pa.int64()) for name in numbers), *self.carried])

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        block = pl.DataFrame(pl.from_arrow(batch))
        codes = [each.encode(block[name_value(place)]) for place, each in enumerate(self.columns)]
        packed = self.packing.pack(codes)
        places = block[PLACE].to_numpy()
        order = places if self.words is None else order_signed(self.words.draw("order", places.astype(np.uint64)))
        numbers = [places, order, *packed.view(np.int64).T, measure_depth(mix_rows(packed))]
        carried = [batch.column(name) for name in self.carried.names]
        return pa.record_batch([*(pa.array(np.ascontiguousarray(each)) for each in numbers), *carried], self.schema)


@dataclass(frozen=True, kw_only=True, eq=False)
class PartKernel:
    """Says of distinct records to which part they belong.

    Attributes:
        plan: what their words mean.
        tree: the cuts.
        joined: the part that each leaf of the tree becomes.
    """

    plan: RecodingPlan
    tree: CutTree
    joined: NDArray[np.int32]

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        words = [name_word(place) for place in range(self.plan.packing.words)]
        return pa.schema([(name, pa.int64()) for name in (*words, COPIES, FIRST, LEAF, PART, SENSITIVE)])

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        block = pl.DataFrame(pl.from_arrow(batch))
        packed = read_words(block, self.plan.packing.words)
        codes = self.plan.packing.unpack(packed)
        leaf = self.tree.find_parts(codes)
        sensitive = codes[:, -1] if self.plan.sensitive else np.zeros(len(codes), dtype=np.int32)
        numbers = [*packed.T, block[COPIES].to_numpy(), block[FIRST].to_numpy(), leaf, self.joined[leaf], sensitive]
        return pa.record_batch([pa.array(each.astype(np.int64)) for each in numbers], self.schema)


class PartResult(NamedTuple):
    """What the driver is told of a part.

    Attributes:
        part: its number.
        figures: what its classes came to.
        exact: of each key, whether all its classes are written as exact values.
        split: whether copies of one record belong to several classes.
    """

    part: int
    figures: ClassFigures
    exact: tuple[bool, ...]
    split: bool

    def write(self) -> str:
        """Return the same as a text."""
        return json.dumps({**self._asdict(), "figures": asdict(self.figures)})

    @classmethod
    def read(cls, text: str) -> PartResult:
        """Return what a text says."""
        told = json.loads(text)
        return cls(told["part"], ClassFigures(**told["figures"]), tuple(told["exact"]), told["split"])


@dataclass(frozen=True, kw_only=True, eq=False)
class RemoteSearchKernel:
    """Finds the classes of a part and writes what they are written as, piece by piece.

    Attributes:
        plan: of the file.
        fields: how the cells of the keys are written.
        alone: whether there is one part only.
    """

    plan: RecodingPlan
    fields: Mapping[str, FieldRules]
    alone: bool

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        words = [name_word(place) for place in range(self.plan.packing.words)]
        numbers = [(name, pa.int64()) for name in (*words, BUCKET, START, END, OWNER)]
        texts = [(name_key(place), pa.string()) for place in range(len(self.plan.keys))]
        return pa.schema([*numbers, *texts, (RESULT, pa.string())])

    def __call__(self, table: Table) -> Table:
        """Return the pieces of a part: of a record, its rows from START to END belong to a class."""
        frame = pl.DataFrame(pl.from_arrow(table)).sort(LEAF, FIRST)
        packed = read_words(frame, self.plan.packing.words)
        part = int(frame[PART][0])
        task = self.plan.task if self.alone else self.plan.task.name_part(part)
        records = self.plan.unpack(packed, frame[COPIES].to_numpy())
        classes = task.find_classes(records, self.plan.keys)
        pieces = classes.order_pieces()
        end = np.cumsum(pieces.copies)
        end -= (np.cumsum(records.copies) - records.copies)[pieces.record]
        start = end - pieces.copies
        split, exact = bool((start > 0).any()), list[bool]()
        times = (end - 1) // STEP - start // STEP + 1
        row = np.repeat(np.arange(len(times)), times)
        bucket = (start // STEP)[row] + np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
        owner = pieces.owner[row]
        numbers = [*packed[pieces.record[row]].T, bucket, start[row], end[row], owner]
        at, texts = pl.Series(np.where(owner < 0, -1, owner)).replace(-1, None), list[pl.Series]()
        for key in self.plan.keys:
            written, is_exact = write_classes(classes, self.fields[key.column.name])
            texts.append(written.gather(at))
            exact.append(is_exact)
        result = PartResult(part, classes.measure(sensitive=self.plan.sensitive), tuple(exact), split)
        told = [result.write(), *[None] * (len(row) - 1)]
        arrays = [pa.array(np.ascontiguousarray(each.astype(np.int64))) for each in numbers]
        arrays += [each.cast(pl.String).to_arrow().cast(pa.string()) for each in texts]
        return pa.table([*arrays, pa.array(told, pa.string())], schema=self.schema)


@dataclass(frozen=True, kw_only=True, eq=False)
class CellKernel:
    """Makes of the texts of pieces what is published.

    Attributes:
        fields: how the cells of the keys are written.
        exact: of each key, whether all cells of the file are exact values.
        words: how many words a record has.
    """

    fields: tuple[FieldRules, ...]
    exact: tuple[bool, ...]
    words: int

    @property
    def _numbers(self) -> list[str]:
        return [*(name_word(place) for place in range(self.words)), BUCKET, START, END]

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        none = pl.Series([], dtype=pl.String)
        cells = [self._publish(place, none).to_frame().to_arrow().schema.field(0) for place in range(len(self.fields))]
        return pa.schema([*((name, pa.int64()) for name in self._numbers), *cells])

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        block = pl.DataFrame(pl.from_arrow(batch))
        cells = [self._publish(place, block[name_key(place)]).to_arrow() for place in range(len(self.fields))]
        arrays = [*(batch.column(name) for name in self._numbers), *cells]
        kinds = self.schema.types
        return pa.record_batch([each.cast(kind) for each, kind in zip(arrays, kinds, strict=True)], self.schema)

    def _publish(self, place: int, texts: pl.Series) -> pl.Series:
        published = publish_classes(texts, self.fields[place], exact=self.exact[place], as_values=True)
        return published.alias(name_key(place))


def read_words(frame: pl.DataFrame, words: int) -> NDArray[np.uint64]:
    """Return the packed codes of some records."""
    columns = [frame[name_word(place)].to_numpy() for place in range(words)]
    return np.ascontiguousarray(np.stack(columns, axis=1).astype(np.int64).view(np.uint64))
