"""Rows of small numbers in files: written block by block, read again in the same blocks.

They are temporary, and hold people's values as codes: the folder they lie in is removed with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 20
"""So many rows of a file of words are read at a time."""


class NumberFile:
    """Blocks of columns of numbers, each in the narrowest type that holds it; removed at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream = path.open("wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._path.unlink(missing_ok=True)

    def write(self, columns: Sequence[NDArray[np.int32]]) -> None:
        """Add a block."""
        for column in columns:
            np.save(self._stream, column.astype(np.min_scalar_type(int(column.max(initial=0)))), allow_pickle=False)

    def read(self, columns: int) -> Iterator[list[NDArray[np.unsignedinteger]]]:
        """Give the blocks, each with so many columns."""
        self._stream.close()
        with self._path.open("rb") as stream:
            size = self._path.stat().st_size
            while stream.tell() < size:
                yield [np.load(stream, allow_pickle=False) for _ in range(columns)]


class PartFiles:
    """For each part a file with the rows that belong to it: where each stands in the data, and its words.

    A file is open only while something is added to it: there may be more parts than a process may hold files open.
    """

    def __init__(self, folder: Path, parts: int, words: int) -> None:
        self._paths = [folder / f"part-{part:05}" for part in range(parts)]
        self._kind = np.dtype([("row", np.int64), ("words", np.uint64, (words,))])
        for path in self._paths:
            path.touch()

    def write(self, first: int, packed: NDArray[np.uint64], part: NDArray[np.int32]) -> None:
        """Deal rows, the first of which stands at a place, to their parts."""
        order = np.argsort(part, kind="stable")
        rows = np.empty(len(order), dtype=self._kind)
        rows["row"], rows["words"] = first + order, packed[order]
        ends = np.searchsorted(part[order], np.arange(len(self._paths) + 1))
        for place in np.flatnonzero(np.diff(ends)).tolist():
            with self._paths[place].open("ab") as stream:
                rows[ends[place] : ends[place + 1]].tofile(stream)

    def read(self, parts: Sequence[int]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """Give the rows of some parts, block by block: where they stand, and their words."""
        for part in parts:
            with self._paths[part].open("rb") as stream:
                while len(rows := np.fromfile(stream, dtype=self._kind, count=BLOCK)):
                    yield np.ascontiguousarray(rows["row"]), np.ascontiguousarray(rows["words"])

    def remove(self, parts: Sequence[int]) -> None:
        """Delete the files of some parts."""
        for part in parts:
            self._paths[part].unlink(missing_ok=True)
