"""The key of a record: what decisions about it depend on, wherever its row stands."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import polars as pl

from sekisho.data.frame.dataset import Dataset
from sekisho.errors import ParameterError
from sekisho.seeds import Words


def compute_record_keys(data: Dataset) -> Words:
    """Return a number for each record: its id, a digest of an id that is no number, or its row where there is no id."""
    holder = data.schema.identifier
    if holder is None:
        return np.arange(len(data), dtype=np.uint64)
    ids = data.frame[holder.name]
    if ids.n_unique() < len(ids):
        raise ParameterError(f"identifier {holder.name}", "differ from record to record", "a doubled one")
    numbers = ids.cast(pl.UInt64, strict=False)
    if numbers.null_count() == 0 and bool((numbers.cast(pl.String) == ids.cast(pl.String)).all()):
        return numbers.to_numpy().astype(np.uint64)
    return digest_texts(ids.cast(pl.String))


def digest_texts(texts: pl.Series) -> Words:
    """Return the 64-bit BLAKE2b digest of each text."""
    digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)
