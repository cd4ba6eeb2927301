"""The file of a release beyond memory: rows streamed, in an order that tells nothing.

The rows of the original pass once more. Each is given a random word, keyed by where it stands; rows go to as many
temporary files as it takes for one of them to fit in memory, by the first bits of their words, and each of these is
then sorted. So the order is the one that the in-memory path gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from sekisho.data.engines.sink import FrameSink
from sekisho.data.files.plain_table import is_parquet
from sekisho.data.files.published_frame import publish_unchanged
from sekisho.data.files.schema_files.blocks import OwnBlocks
from sekisho.data.frame.dataset import Column
from sekisho.protect.records.streamed.class_texts import PublishedKey
from sekisho.protect.records.streamed.streamed_recoding import LargeRecoding
from sekisho.seeds import RecordWords

BUCKET = 1 << 18
"""So many rows, about, are sorted at once."""
MOST_BITS = 8
"""A process may hold only so many files open: of very many rows more are sorted at once."""
WORD, OWNER = "order", "class"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StreamedRelease:
    """Rows in classes, and how they are written.

    Attributes:
        recoding: the class of each row.
        blocks: of the original.
        out: the file; its ending says whether it is Parquet.
        folder: for temporary files.
    """

    recoding: LargeRecoding
    blocks: OwnBlocks
    out: Path
    folder: Path

    def write(self, words: RecordWords | None) -> Path:
        """Write the rows that are left; return where they stand, among the temporary files.

        Args:
            words: put the rows in a random order; None leaves them in the original's.
        """
        place = self.folder / f"release{self.out.suffix}"
        keys = {name: texts.publish(as_values=is_parquet(self.out)) for name, texts in self.recoding.texts.items()}
        with FrameSink(place, self.blocks.schema.form) as sink:
            rows = self._read_rows() if words is None else self._shuffle(words)
            for frame in rows:
                sink.write(self._complete(frame, keys))
        return place

    def list_deleted(self) -> Iterator[NDArray[np.int64]]:
        """Give the places of the rows that are left out, some at a time."""
        owner = self.recoding.owner
        for start in range(0, len(owner), BUCKET):
            yield np.flatnonzero(owner[start : start + BUCKET] < 0) + start

    def _complete(self, frame: pl.DataFrame, keys: Mapping[str, PublishedKey]) -> pl.DataFrame:
        owner = frame[OWNER].to_numpy()
        parts = [
            keys[column.name].take(owner) if column.name in keys else frame[column.name]
            for column in self.recoding.schema.attributes
        ]
        return pl.DataFrame(parts)

    def _read_rows(self) -> Iterator[pl.DataFrame]:
        """Give the rows that are left: their class, and all columns that are no keys as they are written."""
        row, names, fields = 0, self._list_others(), {each.name: each for each in self.blocks.schema.fields()}
        for data in self.blocks.read():
            owner = np.array(self.recoding.owner[row : row + len(data)])
            columns = publish_unchanged(data, names, fields, as_values=is_parquet(self.out))
            frame = pl.DataFrame(
                [pl.Series(OWNER, owner), pl.Series(WORD, np.arange(row, row + len(data), dtype=np.uint64)), *columns]
            )
            row += len(data)
            yield frame.filter(pl.Series(owner >= 0)) if bool((owner < 0).any()) else frame

    def _list_others(self) -> tuple[Column, ...]:
        return tuple(each for each in self.recoding.schema.attributes if each.name not in self.recoding.texts)

    def _shuffle(self, words: RecordWords) -> Iterator[pl.DataFrame]:
        """Give the rows that are left in a random order."""
        bits = min(MOST_BITS, (len(self.recoding.owner) // BUCKET).bit_length())
        paths = [self.folder / f"rows-{place:05}" for place in range(1 << bits)]
        with ExitStack() as stack:
            writers = list[Any]()
            for frame in self._read_rows():
                word = words.draw("order", frame[WORD].to_numpy())
                bucket = (word >> np.uint64(63 - bits)) >> np.uint64(1)
                order = np.argsort(bucket, kind="stable")
                table = frame.with_columns(pl.Series(WORD, word))[order].to_arrow()
                writers = writers or [stack.enter_context(pa.ipc.new_stream(path, table.schema)) for path in paths]
                ends = np.searchsorted(bucket[order], np.arange(len(paths) + 1, dtype=np.uint64))
                for place in np.flatnonzero(np.diff(ends)).tolist():
                    writers[place].write_table(table.slice(ends[place], ends[place + 1] - ends[place]))
        for path in paths:
            with path.open("rb") as source, pa.ipc.open_stream(source) as stream:
                rows = pl.DataFrame(stream.read_all())
            path.unlink()
            yield rows[rows[WORD].arg_sort()]
