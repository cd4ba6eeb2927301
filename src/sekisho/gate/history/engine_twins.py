"""How many pseudonyms of a release that lies with an engine publish the very same rows.

The engine sorts the rows by pseudonym and cells; here each pseudonym's rows become one digest, a block of them at a
time, and equal digests are a class of twins. A digest is SHA-256 of cells that are written with their lengths, so that
two pseudonyms share one only if they publish the same rows. What is kept here is one digest a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.engines.names import file_column
from sekisho.data.engines.scan import Scan

WHO, ROW = "who", "row"
ROWS = 1 << 18
"""So many rows come here at a time."""


def count_twin_classes(scan: Scan, holder: str) -> NDArray[np.int64]:
    """Return of each class of pseudonyms with the very same rows how many they are.

    Args:
        scan: the published rows.
        holder: the column of the pseudonyms.
    """
    digests = [digest for block in _give_people(scan, holder) for digest in _digest_people(block)]
    sizes = pl.Series(digests, dtype=pl.Binary).unique_counts()
    return np.sort(sizes.cast(pl.Int64).to_numpy())


def _give_people(scan: Scan, holder: str) -> Iterator[pl.DataFrame]:
    """Give the rows of some people at a time, all of each, sorted by their cells."""
    others = [name for name in scan.names if name != holder]
    cells = [file_column(name).alias(_name_cell(place)) for place, name in enumerate(others)]
    frame = scan.frame.select(file_column(holder).alias(WHO), *cells)
    waiting: list[pl.DataFrame] = []
    for piece in scan.give_pieces(frame.sort(WHO, *map(_name_cell, range(len(others)))), ROWS):
        ends = pl.col(WHO) == piece[WHO][-1]
        whole = piece.filter(~ends)
        if whole.height:
            yield pl.concat([*waiting, whole])
            waiting = []
        waiting.append(piece.filter(ends))
    if waiting:
        yield pl.concat(waiting)


def _name_cell(place: int) -> str:
    return f"cell{place}"


def _digest_people(rows: pl.DataFrame) -> Iterator[bytes]:
    """Give a digest of each person's rows: which rows, and how often each."""
    cells = [pl.col(name).cast(pl.String) for name in rows.columns if name != WHO]
    lengths = [cell.str.len_bytes().cast(pl.String).fill_null("-") for cell in cells]
    pairs = zip(lengths, cells, strict=True)
    parts = [part for length, cell in pairs for part in (length, pl.lit(":"), cell.fill_null(""))]
    people = rows.select(WHO, pl.concat_str(parts).alias(ROW)).group_by(WHO, maintain_order=True)
    for text in people.agg(pl.col(ROW).str.join("\n"))[ROW]:
        yield sha256(text.encode()).digest()
