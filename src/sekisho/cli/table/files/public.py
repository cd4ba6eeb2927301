"""``--public``: tables as they may be published, written beside their patterns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sekisho.cli.table.options import PublicFile, PublicFolder
from sekisho.data.files.frames import frame_bytes
from sekisho.errors import ParameterError
from sekisho.tables.files.public import MARK, public_frame, refuse_mark
from sekisho.tables.model.table import Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTables:
    """Where tables are written as they may be published, and what stands for each hidden cell.

    Attributes:
        place: the file, or the folder of several; None if nobody asks.
        mark: of hidden cells.
    """

    place: Path | None = None
    mark: str = MARK

    def write(self, table: Table, path: Path, value: str) -> bytes:
        """Return a suppressed table as the bytes of a file."""
        return frame_bytes(public_frame(table, value=value, mark=self.mark), path)


def read_public(options: PublicFile | PublicFolder) -> PublicTables:
    """Return what options ask to publish.

    Raises:
        ParameterError: a mark that could be taken for a value, or one without anything to write it to.
    """
    if options.mark is not None and options.public is None:
        raise ParameterError("mark", Said("be given with --public"), options.mark)
    mark = MARK if options.mark is None else options.mark
    refuse_mark(mark)
    return PublicTables(place=options.public, mark=mark)
