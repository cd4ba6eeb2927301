"""The key of a record: what decisions about it depend on, wherever its row stands."""

from __future__ import annotations

from hashlib import blake2b
from typing import NoReturn

import numpy as np
import polars as pl

from sekisho.data.frame.dataset import Dataset
from sekisho.errors import ParameterError
from sekisho.seeds import Words
from sekisho.words import Said

NUMERAL = r"^(0|[1-9][0-9]{0,18})\z"
"""An id that is its own key: a whole number as one writes it, of at most 19 digits."""


def compute_record_keys(data: Dataset) -> Words:
    """Return a number for each record: its id, a digest of an id that is no number, or its row where there is no id."""
    holder = data.schema.identifier
    if holder is None:
        return np.arange(len(data), dtype=np.uint64)
    ids = data.frame[holder.name].cast(pl.String)
    if ids.n_unique() < len(ids):
        raise_doubled(holder.name)
    return compute_text_keys(ids, numbers=bool(ids.str.contains(NUMERAL).all()))


def raise_doubled(name: str) -> NoReturn:
    """Refuse ids that do not tell the records apart."""
    raise ParameterError(Said("identifier {name}", name=name), Said("differ from record to record"), "a doubled one")


def compute_text_keys(ids: pl.Series, *, numbers: bool) -> Words:
    """Return the keys of ids: the numbers that they are, if all of the file are, else their 64-bit BLAKE2b digests."""
    if numbers:
        return ids.cast(pl.UInt64).to_numpy().astype(np.uint64)
    digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in ids)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)
