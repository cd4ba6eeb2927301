"""What of a file is looked at and counted: all of it, or its first rows where the whole would pass the memory.

A run on disk takes every row, whatever was looked at; pages say where their figures are of a part. The part is cut at
the end of a line outside quotation marks, and kept beside the coded columns; its digest is one of its own, so that
nothing that was counted of it is ever taken for the whole.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.engines.need import AT_LEAST, MemoryNeed
from sekisho.data.files.plain_table import is_parquet, is_text_file
from sekisho.server.desk.plain_data import Plain, read_plain, write_plain

PART = "part.json"
BYTES_A_LOOKED_CELL = 120
"""About what a look at a cell takes: a million rows of eight columns took 0.6 GB, of longer texts more."""
FEWEST, MOST = 10_000, 1_000_000
"""So many rows a part has at least and at most."""
SEPARATORS = (b",", b";", b"\t", b"|")
FIRST_LINES, CHUNK = 200, 1 << 23
LINE_END, QUOTE = ord("\n"), ord('"')
UNITS = {b"\xff\xfe": "<u2", b"\xfe\xff": ">u2"}
"""By how a file begins the units of its text; else they are bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedPart:
    """What is looked at.

    Attributes:
        path: of it.
        digest: the file's, or one of the part's own.
        rows: how many rows of the file the part has at most; 0 where it is the whole.
        whole: about how many rows the file has.
    """

    path: Path
    digest: str
    rows: int = 0
    whole: int = 0

    @classmethod
    def find(cls, path: Path, digest: str, folder: Path, allowed: int) -> LookedPart:
        """Return what of a file is looked at within so many bytes; its first rows are cut off where that is not all.

        Args:
            path: of the file.
            digest: of the file.
            folder: where a part is kept.
            allowed: bytes that a look may take; 0: as many as it likes.
        """
        columns = count_columns(path)
        need = MemoryNeed.estimate(path, columns, each=BYTES_A_LOOKED_CELL)
        if not allowed or not columns or need.bytes <= allowed or need.rows <= FEWEST:
            return cls(path=path, digest=digest)
        fitting = (allowed - AT_LEAST) // (columns * BYTES_A_LOOKED_CELL)
        rows = max(FEWEST, min(MOST, fitting))
        name = f"{digest[:32]}-{rows}"
        part = folder / f"part-{name}" / path.name
        if not part.exists():
            for old in folder.glob("part-*"):
                shutil.rmtree(old, ignore_errors=True)
            part.parent.mkdir(parents=True, mode=0o700)
            (cut_table if is_parquet(path) else cut_text)(path, part, rows)
        return cls(path=part, digest=name, rows=rows, whole=need.rows)

    @property
    def told(self) -> Plain | None:
        """What pages are told of it, about how many rows there are in three digits; None where it is the whole."""
        return {"rows": self.rows, "whole": int(float(f"{self.whole:.3g}"))} if self.rows else None

    def tell(self, folder: Path) -> None:
        """Leave for the pages what their figures are of."""
        if self.told is None:
            (folder / PART).unlink(missing_ok=True)
        elif read_plain(folder / PART) != self.told:
            write_plain({folder / PART: self.told})


def count_columns(path: Path) -> int:
    """Return about how many columns a file has of which a part can be cut; 0 of any other."""
    if is_parquet(path):
        try:
            return len(pl.scan_parquet(path).collect_schema())
        except (OSError, pl.exceptions.PolarsError):
            return 0
    if not is_text_file(path):
        return 0
    try:
        with path.open("rb") as stream:
            lines = stream.read(1 << 18).split(b"\n")[:FIRST_LINES]
    except OSError:
        return 0
    return 1 + max(max(line.count(one) for line in lines) for one in SEPARATORS)


def cut_table(path: Path, part: Path, rows: int) -> None:
    """Write the first rows of a Parquet file."""
    beside = part.with_name(f".{part.name}")
    pl.scan_parquet(path).head(rows).collect().write_parquet(beside)
    beside.replace(part)


def cut_text(path: Path, part: Path, rows: int) -> None:
    """Write the first lines of a text, cut where no quotation is open."""
    beside = part.with_name(f".{part.name}")
    with path.open("rb") as source, beside.open("wb") as target:
        units = np.dtype(UNITS.get(source.read(2), "u1"))
        source.seek(0)
        lines = quotes = 0
        while chunk := source.read(CHUNK):
            text = np.frombuffer(chunk, dtype=units, count=len(chunk) // units.itemsize)
            ends = np.flatnonzero(text == LINE_END)
            if lines + len(ends) < rows:
                target.write(chunk)
                lines, quotes = lines + len(ends), quotes + int((text == QUOTE).sum())
                continue
            ends = ends[: rows - lines]
            closed = ends[(quotes + np.cumsum(text == QUOTE)[ends]) % 2 == 0]
            last = int((closed if len(closed) else ends)[-1]) + 1
            target.write(chunk[: last * units.itemsize])
            break
    beside.replace(part)
