"""What the engines of one machine do alike: files are those of this machine, kernels work on their stream of blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.large.arrow import ArrowSchema, GroupKernel, Kernel
from sekisho.data.large.session import Frame
from sekisho.data.large.source import Source


class LocalSession(ABC):
    """An engine of one machine, its temporary files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def scan_parquet(self, files: Sequence[Path], *, row: str = "") -> Frame:
        """Return Parquet files, one after another, as a frame."""

    @abstractmethod
    def write_parquet(self, frame: Frame, path: Path) -> None:
        """Write a frame, in its order."""

    def find_source(self, path: Path, rules: FileRules, *, row: str = "") -> Source | None:
        """Leave files to whoever asks: they are on this machine."""
        del path, rules, row

    def take_files(self, files: Sequence[Path]) -> Frame:
        """Return temporary files as a frame."""
        return self.scan_parquet(files)

    def map_blocks(self, frame: Frame, kernel: Kernel, schema: ArrowSchema) -> Frame | None:
        """Leave kernels to the stream."""
        del frame, kernel, schema

    def map_groups(
        self, frame: Frame, by: str, kernel: GroupKernel, schema: ArrowSchema, *, groups: int | None = None
    ) -> Frame | None:
        """Leave kernels to the stream."""
        del frame, by, kernel, schema, groups

    def keep(self, frame: Frame, name: str) -> Frame:
        """Return the same rows, from a temporary file."""
        self.write_parquet(frame, self._place_kept(name))
        return self.scan_parquet([self._place_kept(name)])

    def drop(self, name: str) -> None:
        """Remove the file of rows that were kept."""
        self._place_kept(name).unlink()

    def check_place(self, path: Path) -> None:
        """Leave places to whoever asks: they are on this machine."""
        del path

    def put_whole(self, frame: Frame, path: Path) -> bool:
        """Leave the last step to whoever asks."""
        del frame, path
        return False

    def _place_kept(self, name: str) -> Path:
        return self.folder / f"kept-{name}.parquet"
