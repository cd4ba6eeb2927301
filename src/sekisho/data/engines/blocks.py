"""Kernels on blocks of rows: what an engine's expressions cannot say is done by compiled code, block by block.

A kernel is a pure function of a block, fit to be sent to another machine; what it gives may not depend on where a block
begins or ends.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sekisho.data.engines.names import ArrowSchema, Batch, GroupKernel, Kernel, Table, make_plain
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import BLOCK, Frame, Session


class MappedScan(Scan):
    """Rows that a kernel makes of others as they pass; kept in temporary files once a question is asked of them."""

    def __init__(self, source: Scan, kernel: Kernel, schema: ArrowSchema) -> None:
        super().__init__(source.session, source.frame, form=source.form, csv=source.csv)
        self._source, self._kernel, self._schema = source, kernel, schema
        self._kept: Frame | None = None

    @property
    def frame(self) -> Frame:
        """The rows, as a lazy frame of the files in which they are kept."""
        if self._kept is None:
            self._kept = self._keep()
        return self._kept

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(self._schema.names)

    def batches(self, rows: int = BLOCK) -> Iterator[Batch]:
        """Give the rows block by block, in their order."""
        if self._kept is not None:
            yield from self.session.stream(self._kept, rows)
            return
        for block in self._source.batches(rows):
            yield self._kernel(block).cast(self._schema)

    def probe(self) -> Batch:
        """Return the first row as a block."""
        return self._kernel(self._source.probe()).cast(self._schema)

    def _keep(self) -> Frame:
        return _keep_blocks(self.session, self.batches(), self._schema)


def map_blocks(scan: Scan, kernel: Kernel, schema: ArrowSchema) -> Scan:
    """Return the rows that a kernel makes of others, in their order.

    Args:
        scan: the others.
        kernel: pure and picklable; one block in, one block out.
        schema: of what it makes.
    """
    frame = scan.session.map_blocks(scan.frame, kernel, schema)
    return MappedScan(scan, kernel, schema) if frame is None else scan.ask(frame)


def map_groups(scan: Scan, by: str, kernel: GroupKernel, schema: ArrowSchema) -> Scan:
    """Return the rows that a kernel makes of all rows of each group.

    Args:
        scan: the others.
        by: the column whose equal values make a group; none is null.
        kernel: pure and picklable; a group's rows, in whatever order, in, any rows out.
        schema: of what it makes.
    """
    frame = scan.session.map_groups(scan.frame, by, kernel, schema)
    if frame is None:
        groups = gather_groups(scan.session.stream(scan.frame.sort(make_plain(by))), by)
        made = (block for group in groups for block in kernel(group).cast(schema).to_batches())
        frame = _keep_blocks(scan.session, made, schema)
    return scan.ask(frame)


def gather_groups(blocks: Iterator[Batch], by: str) -> Iterator[Table]:
    """Give the rows of each group, of blocks that are sorted by it."""
    parts, last = list[Batch](), None
    for block in blocks:
        keys = block.column(by).to_numpy(zero_copy_only=False)
        ends = [*(np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist(), len(keys)] if len(keys) else []
        start = 0
        for end in ends:
            if parts and keys[start] != last:
                yield pa.Table.from_batches(parts)
                parts = []
            parts.append(block.slice(start, end - start))
            last, start = keys[start], end
    if parts:
        yield pa.Table.from_batches(parts)


def _keep_blocks(session: Session, blocks: Iterator[Batch], schema: ArrowSchema) -> Frame:
    """Return blocks as a frame of a temporary file."""
    path = session.folder / f"mapped-{sum(1 for _ in session.folder.iterdir())}.parquet"
    texts = any(not pa.types.is_primitive(kind) for kind in schema.types)  # numbers gain nothing by it
    with pq.ParquetWriter(path, schema, compression="lz4", use_dictionary=texts) as writer:
        for block in blocks:
            writer.write_batch(block)
    return session.scan_parquet([path])
