"""What is done to a block of records: each decision depends on the record alone, so any block of them may be worked on.

Categories travel as codes, which sort and move cheaply; what is written is put in their place at the end.

Draw exactly so many records of a file that does not fit into memory, from the whole or from each stratum.

A record leaves if its word is among the smallest of its part. Records are counted by the leading bits of their words;
only in the one bucket in which the last place falls are words looked at one by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.names import ArrowSchema, ArrowType, Batch
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import Frame
from sekisho.protect.records.draw import ColumnWords, Draw, draw_codes
from sekisho.protect.records.engine.records import ROW, RecordKey, show_cells
from sekisho.safety.sampling import Stratum
from sekisho.seeds import RecordWords, Words, order_signed

PART, BUCKET, DRAWN, PLACE = "part", "bucket", "drawn", "place"
NARROW = 1 << 15
"""Codes below this fit 16 bits."""
INTEGER = re.compile("-?[0-9]{1,18}")
WIDEST = 1 << 20
"""So many whole numbers in a row are looked up by a table."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedColumn:
    """A column of categories as codes.

    Attributes:
        name: of the column.
        values: its distinct values, sorted.
        released: the values that it may be released as.
        draw: how a code becomes another by chance; None where it stays.
        place: which column of those that are changed it is.
    """

    name: str
    values: tuple[str, ...]
    released: tuple[str, ...]
    draw: Draw | None = None
    place: int = 0

    @cached_property
    def _domain(self) -> pl.Enum:
        return pl.Enum(pl.Series(self.values, dtype=pl.String))

    @cached_property
    def _places(self) -> NDArray[np.int32]:
        places = {value: place for place, value in enumerate(self.released)}
        return np.array([places[value] for value in self.values], dtype=np.int32)

    @cached_property
    def _by_number(self) -> tuple[int, NDArray[np.int32]] | None:
        """The least of whole numbers and the places from it on; None where they are none, or lie far apart."""
        if not all(INTEGER.fullmatch(value) for value in self.values):
            return None
        numbers = np.array([int(value) for value in self.values], dtype=np.int64)
        least, span = int(numbers.min()), int(numbers.max()) - int(numbers.min()) + 1
        if span > WIDEST:
            return None
        places = np.zeros(span, dtype=np.int32)
        places[numbers - least] = self._places
        return least, places

    @property
    def kind(self) -> ArrowType:
        """The type of its codes."""
        return pa.int16() if len(self.released) < NARROW else pa.int32()

    def encode(self, block: pl.DataFrame) -> NDArray[np.int32]:
        """Return what stands in a block, as codes of the released values."""
        cells = block[self.name]
        if self._by_number is not None and cells.dtype.is_integer() and not cells.null_count():
            least, places = self._by_number
            return places[cells.cast(pl.Int64).to_numpy() - least]
        codes = cells.cast(self._domain, strict=False) if cells.dtype == pl.String else None
        if codes is None or codes.null_count():  # texts mostly show what they are, and so need not be looked through
            codes = show_cells(cells).cast(self._domain)
        return self._places[codes.to_physical().cast(pl.Int32).to_numpy()]

    def change(self, codes: NDArray[np.int32], keys: Words, words: RecordWords) -> NDArray[np.int32]:
        """Return what the records' values are released as."""
        if self.draw is None:
            return codes
        return draw_codes(codes, keys, self.draw, words=ColumnWords(words=words, place=self.place))


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseKernel:
    """Makes of a block of records what they are released as, with the words that say which leave and where they stand.

    Attributes:
        keys: what tells the records apart.
        words: where the chance comes from.
        columns: what is released.
        strata: the column of the parts that are drawn from; None if there is one part.
        bits: how many leading bits of a record's word name its bucket; 0 where every record leaves.
        rows: whether each record's row is told.
    """

    keys: RecordKey
    words: RecordWords
    columns: tuple[CodedColumn, ...]
    strata: CodedColumn | None = None
    bits: int = 0
    rows: bool = False

    @property
    def schema(self) -> ArrowSchema:
        """The names and types of what is made."""
        fields = [(code_name(place), column.kind) for place, column in enumerate(self.columns)]
        fields.append((PLACE, pa.int64()))
        if self.bits:
            fields += [(PART, pa.int32()), (BUCKET, pa.int32()), (DRAWN, pa.int64())]
        return pa.schema([*fields, *([(ROW, pa.int64())] if self.rows else [])])

    def __call__(self, batch: Batch) -> Batch:
        """Return what a block becomes."""
        block = pl.DataFrame(pl.from_arrow(batch))
        keys = self.keys.compute(block)
        made: dict[str, NDArray[np.int16 | np.int32 | np.int64]] = {
            code_name(place): column.change(column.encode(block), keys, self.words)
            for place, column in enumerate(self.columns)
        }
        made[PLACE] = order_signed(self.words.draw(PLACE, keys))
        if self.bits:
            made |= self._choose(block, keys)
        if self.rows:
            made[ROW] = block[ROW].to_numpy()
        schema = self.schema
        arrays = [pa.array(made[field.name].astype(field.type.to_pandas_dtype(), copy=False)) for field in schema]
        return pa.record_batch(arrays, schema=schema)

    def _choose(self, block: pl.DataFrame, keys: Words) -> Mapping[str, NDArray[np.int32 | np.int64]]:
        word = self.words.draw(DRAWN, keys)
        part = np.zeros(len(keys), dtype=np.int32) if self.strata is None else self.strata.encode(block)
        bucket = (word >> np.uint64(64 - self.bits)).astype(np.int32)
        return {PART: part, BUCKET: bucket, DRAWN: order_signed(word)}


def code_name(place: int) -> str:
    """Return what the codes of a column are called on their way."""
    return f"c{place}"


MOST_BUCKETS = 1 << 20
"""So many counts are held, of all parts together."""
MOST_BITS = 16
COUNT, LAST = "records", "last"


def choose_bits(parts: Sequence[Stratum]) -> int:
    """Return how many leading bits of a word name its bucket; 0 where every record leaves."""
    if all(part.sample == part.records for part in parts):
        return 0
    return max(1, min(MOST_BITS, (MOST_BUCKETS // len(parts)).bit_length() - 1))


def keep_drawn(scan: Scan, parts: Sequence[Stratum], bits: int) -> Frame:
    """Return the records that are drawn.

    Args:
        scan: the records with their parts, buckets and words.
        parts: how many are drawn from each.
        bits: of the buckets; 0 where every record leaves.
    """
    if not bits:
        return scan.frame
    last = scan.session.take(find_last_words(scan, parts, bits))
    return scan.frame.join(last, on=PART, how="inner").filter(nw.col(DRAWN) <= nw.col(LAST))


def find_last_words(scan: Scan, parts: Sequence[Stratum], bits: int) -> pl.DataFrame:
    """Return, for each part that is drawn from, the word of the last record that leaves."""
    counted = scan.collect(scan.frame.group_by(PART, BUCKET).agg(nw.len().alias(COUNT)))
    counts = np.zeros((len(parts), 1 << bits), dtype=np.int64)
    counts[counted[PART].to_numpy(), counted[BUCKET].to_numpy()] = counted[COUNT].to_numpy()
    drawn = [place for place, part in enumerate(parts) if part.sample]
    sums = counts.cumsum(axis=1)
    bucket = {place: int(np.searchsorted(sums[place], parts[place].sample)) for place in drawn}
    edges = scan.session.take(
        pl.DataFrame({PART: drawn, BUCKET: list(bucket.values())}, schema={PART: pl.Int32, BUCKET: pl.Int32})
    )
    words = scan.collect(scan.frame.join(edges, on=[PART, BUCKET], how="inner").select(PART, DRAWN))
    words = words.with_columns(pl.col(PART).cast(pl.Int32)).sort(PART, DRAWN).partition_by(PART, as_dict=True)
    last = [
        words[place,][DRAWN][parts[place].sample - int(sums[place][bucket[place]] - counts[place][bucket[place]]) - 1]
        for place in drawn
    ]
    return pl.DataFrame({PART: drawn, LAST: last}, schema={PART: pl.Int32, LAST: pl.Int64})


def sort_places(frame: Frame) -> Frame:
    """Return drawn records in the order in which they are published."""
    return frame.sort(PLACE)
