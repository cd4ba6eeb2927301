"""Kernels on blocks of rows: what an engine's expressions cannot say is done by compiled code, block by block.

A kernel is a pure function of a block, fit to be sent to another machine; what it gives may not depend on where a block
begins or ends.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from sekisho.data.large.arrow import ArrowSchema, Batch, Kernel
from sekisho.data.large.scan import Scan
from sekisho.data.large.session import BLOCK, Frame


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

    def _keep(self) -> Frame:
        path = self.session.folder / f"mapped-{sum(1 for _ in self.session.folder.iterdir())}.parquet"
        texts = any(not pa.types.is_primitive(kind) for kind in self._schema.types)  # numbers gain nothing by it
        with pq.ParquetWriter(path, self._schema, compression="lz4", use_dictionary=texts) as writer:
            for block in self.batches():
                writer.write_batch(block)
        return self.session.scan_parquet([path])


def map_blocks(scan: Scan, kernel: Kernel, schema: ArrowSchema) -> Scan:
    """Return the rows that a kernel makes of others, in their order.

    Args:
        scan: the others.
        kernel: pure and picklable; one block in, one block out.
        schema: of what it makes.
    """
    frame = scan.session.map_blocks(scan.frame, kernel, schema)
    return MappedScan(scan, kernel, schema) if frame is None else scan.ask(frame)
