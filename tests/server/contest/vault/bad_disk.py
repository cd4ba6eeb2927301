"""A disk on a bad day: files under some folders cannot be opened, are missing, break off, or give other bytes, at random."""

from __future__ import annotations

import errno
import io
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

OPEN: Any = io.open
FAILURES = ("missing", "refused", "broken", "short", "other")
"""The last two are of the store alone: what the vault holds has no name that would tell."""


class BrokenFile(io.BytesIO):
    """A file whose reading fails after some bytes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise OSError(errno.EIO, "Input/output error")
        return super().read(max(1, len(self.getvalue()) // 2) if size is None or size < 0 else size // 2 or 1)

    def readall(self) -> bytes:
        return self.read()


@dataclass(kw_only=True)
class BadDisk:
    """Fails some of the readings of files.

    Attributes:
        store: whose files are known by their digests.
        vault: the other folder.
        rate: of readings that fail.
        counts: what failed, by kind.
    """

    store: Path
    vault: Path
    rng: np.random.Generator
    rate: float
    counts: Counter[str] = field(default_factory=Counter[str])

    def open(self, file: object, mode: str = "r", *arguments: object, **options: object) -> object:
        """Open a file, or fail."""
        path = Path(file) if isinstance(file, str | Path) else None
        ours = path is not None and any(each in path.parents for each in (self.store, self.vault))
        if path is None or not ours or mode not in ("r", "rb") or self.rng.random() >= self.rate:
            return OPEN(file, mode, *arguments, **options)
        known = self.store / "files" in path.parents
        kind = str(self.rng.choice(FAILURES if known else FAILURES[:3]))
        self.counts[kind] += 1
        if kind == "missing":
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))
        if kind == "refused":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        with OPEN(path, "rb") as stream:
            data = stream.read()
        if kind == "broken":
            return BrokenFile(data)
        return io.BytesIO(data[: len(data) // 2] if kind == "short" else b"1,2\n" + data)


@contextmanager
def spoil_readings(disk: BadDisk) -> Generator[None]:
    """Have readings go through a bad disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(io, "open", disk.open)
        yield
