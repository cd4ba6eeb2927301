"""Coding of columns of records beyond memory: what is written depends on the value alone, so distinct values are coded.

The records pass once to count the values of the columns that are coded. Then what each value is written as is known,
and rows bear the numbers of what they are written as until they are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.names import ArrowSchema, ArrowType, Batch
from sekisho.data.engines.schema_files.survey import DistinctValues, Survey, place_name, take_block
from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import publish_texts, publish_unchanged, publish_values
from sekisho.data.files.schema_files.block_reader import BlockReader
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.protect.records.coding.code import Code
from sekisho.protect.records.coding.coded_column import CodingResult
from sekisho.protect.records.coding.column_plan import ColumnValues
from sekisho.provenance import Provenance
from sekisho.seeds import RecordWords, order_signed

MOST_VALUES = 5_000_000
"""So many distinct values a coded column may have: they are held in memory."""
ORDER, CHANGED = "place_of_the_row", "written_otherwise"
NARROW = 1 << 15
"""Codes below this fit 16 bits."""
WIDEST = 1 << 20
"""So many whole numbers in a row are looked up by a table."""
NARROW_TYPES: dict[object, ArrowType] = {nw.Int8: pa.int8(), nw.Int16: pa.int16(), nw.Int32: pa.int32()}
"""Whole numbers that the file has so narrow stay so on their way."""
VALUE_TYPES: dict[Kind, ArrowType] = {
    Kind.CATEGORY: pa.large_string(),
    Kind.DATE: pa.date32(),
    Kind.DECIMAL: pa.float64(),
    Kind.INTEGER: pa.int64(),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueCodes:
    """What the values of one column are written as.

    Attributes:
        values: the distinct values, sorted: numbers on their grid, or texts.
        codes: of what each of them is written as.
        written: what is written, by code.
        changed: which values are written otherwise than they were.
    """

    values: pl.Series
    codes: NDArray[np.int32]
    written: pl.Series
    changed: NDArray[np.bool_]

    @property
    def kind(self) -> ArrowType:
        """The type of its codes."""
        return pa.int16() if len(self.written) < NARROW else pa.int32()

    @cached_property
    def _grid(self) -> NDArray[np.int64]:
        return self.values.to_numpy()

    @cached_property
    def _by_number(self) -> tuple[int, NDArray[np.int64]] | None:
        """The least number and the places from it on; None where numbers lie far apart."""
        least, span = int(self._grid[0]), int(self._grid[-1]) - int(self._grid[0]) + 1  # far, if one is missing
        if span > WIDEST:
            return None
        places = np.zeros(span, dtype=np.int64)
        places[self._grid - least] = np.arange(len(self._grid))
        return least, places

    @cached_property
    def _domain(self) -> pl.Enum:
        return pl.Enum(self.values)

    def find_places(self, data: Dataset, column: Column) -> NDArray[np.int64]:
        """Return the place of each row's value among the distinct ones."""
        if column.kind.numeric:
            grid = data.grid(column.name)
            if self._by_number is None:
                return np.searchsorted(self._grid, grid)
            least, places = self._by_number
            return places[grid - least]
        return data.frame[column.name].cast(self._domain).to_physical().cast(pl.Int64).to_numpy()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeCoding:
    """How columns are coded, value by value.

    Attributes:
        coded: by column, the coded values.
        codes: by column, what they are written as.
    """

    coded: Mapping[str, CodingResult]
    codes: Mapping[str, ValueCodes]


def code_values(method: Code, survey: Survey, reader: BlockReader, *, as_values: bool) -> LargeCoding:
    """Return how the columns of records are coded.

    Args:
        method: what is asked.
        survey: the values of the columns that are coded.
        reader: of the records.
        as_values: whether numbers that were only rounded stay numbers, as in Parquet.

    Raises:
        FaultsError: values cannot be read, borders do not ascend; all at once.
    """
    values = {name: ColumnValues(data=each.data, weights=each.counts) for name, each in survey.values.items()}
    coded = method.code_columns(reader.data_schema, values)
    fields = {each.name: each for each in reader.schema.fields()}
    codes = {
        name: _write_values(survey.values[name], column, fields[name], as_values=as_values)
        for name, column in coded.items()
    }
    return LargeCoding(coded=coded, codes=codes)


def _write_values(values: DistinctValues, coded: CodingResult, field: FieldRules, *, as_values: bool) -> ValueCodes:
    name = field.name
    release = Release(
        table=MaskedTable(schema=Schema((field.column,)), columns={name: coded.cells}),
        deleted=np.zeros(len(coded.changed), dtype=np.bool_),
        provenance=Provenance(name="code", parameters={}),
        labels={} if coded.labels is None else {name: coded.labels},
    )
    rows = publish_values(release, writing=field.writing) if as_values else publish_texts(release, {name: field})
    texts = rows.frame[name]
    written = texts.unique(maintain_order=True)
    places = texts.to_frame().join(
        written.to_frame().with_row_index("code"), on=name, how="left", maintain_order="left", nulls_equal=True
    )
    numeric = field.column.kind.numeric
    return ValueCodes(
        values=pl.Series(values.data.grid(name)) if numeric else values.data.frame[name],
        codes=places["code"].cast(pl.Int32).to_numpy(),
        written=written,
        changed=coded.changed,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class CodeKernel:
    """Makes of a block of records what is published of them, coded values as numbers, with the words of their order.

    Attributes:
        reader: of a block.
        names: what the file calls its columns.
        kinds: what its cells are.
        codes: by column, those that are coded.
        gone: the places of all rows of the file that are left out, ascending.
        words: where the order comes from; None leaves the rows in the original's.
        as_values: whether other columns are written as values, as in Parquet.
    """

    reader: BlockReader
    names: tuple[str, ...]
    kinds: tuple[nw.dtypes.DType, ...]
    codes: Mapping[str, ValueCodes]
    gone: NDArray[np.int64]
    words: RecordWords | None
    as_values: bool

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are published."""
        return self.reader.data_schema.attributes

    @cached_property
    def _fields(self) -> dict[str, FieldRules]:
        return {each.name: each for each in self.reader.schema.fields()}

    @cached_property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        kinds = [
            self.codes[each.name].kind if each.name in self.codes else self._choose_type(each) for each in self.columns
        ]
        parts = [(place_name(place), kind) for place, kind in enumerate(kinds)]
        return pa.schema([*parts, (CHANGED, pa.int8()), (ORDER, pa.int64())])

    def _choose_type(self, column: Column) -> ArrowType:
        kind = VALUE_TYPES[column.kind if self.as_values else Kind.CATEGORY]
        if kind != pa.int64():
            return kind
        sources = {rules.output_name: name for name, rules in self.reader.columns.items()}
        return NARROW_TYPES.get(type(self.kinds[self.names.index(sources[column.name])]), kind)

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        cells, rows = take_block(batch, self.names)
        own = self.reader.read(cells)
        rows = rows[own.rows]
        changed = np.zeros(len(own.data), dtype=np.bool_)
        parts = dict[str, pl.Series]()
        for name, codes in self.codes.items():
            places = codes.find_places(own.data, own.data.schema[name])
            changed |= codes.changed[places]
            parts[name] = pl.Series(codes.codes[places])
        others = [each for each in self.columns if each.name not in self.codes]
        published = publish_unchanged(own.data, others, self._fields, as_values=self.as_values)
        parts |= {each.name: values for each, values in zip(others, published, strict=True)}
        made = [parts[each.name].alias(place_name(place)) for place, each in enumerate(self.columns)]
        made += [pl.Series(CHANGED, changed.astype(np.int8)), pl.Series(ORDER, self._find_order(rows))]
        table = pl.DataFrame(made).to_arrow().cast(self.schema).combine_chunks()
        return table.to_batches()[0] if len(rows) else pa.RecordBatch.from_pylist([], self.schema)

    def _find_order(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where rows are published: by their places among those that are left, as in memory."""
        left = rows - np.searchsorted(self.gone, rows)
        return left if self.words is None else order_signed(self.words.draw("order", left.astype(np.uint64)))


@dataclass(frozen=True, kw_only=True, eq=False)
class WriteKernel:
    """Puts what is written in the place of numbers.

    Attributes:
        names: of the columns that are published.
        written: by the places of those that are coded, what is written.
        kinds: of all of them.
    """

    names: tuple[str, ...]
    written: Mapping[int, pl.Series]
    kinds: tuple[ArrowType, ...]

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        return pa.schema(list(zip(self.names, self.kinds, strict=True)))

    def __call__(self, batch: Batch) -> Batch:
        """Return a block as it is published."""
        block = pl.DataFrame(pl.from_arrow(batch))
        columns = [
            self.written[place].gather(block[place_name(place)]) if place in self.written else block[place_name(place)]
            for place in range(len(self.names))
        ]
        arrays = [each.to_arrow().cast(kind) for each, kind in zip(columns, self.kinds, strict=True)]
        return pa.record_batch(arrays, self.schema)


def prepare_writing(kernel: CodeKernel) -> WriteKernel:
    """Return the kernel that puts what is written in the place of a release's numbers."""
    names = tuple(each.name for each in kernel.columns)
    written = {place: kernel.codes[name].written for place, name in enumerate(names) if name in kernel.codes}
    kinds = [
        written[place].to_arrow().type
        if place in written
        else VALUE_TYPES[each.kind if kernel.as_values else Kind.CATEGORY]
        for place, each in enumerate(kernel.columns)
    ]
    return WriteKernel(names=names, written=written, kinds=tuple(kinds))
