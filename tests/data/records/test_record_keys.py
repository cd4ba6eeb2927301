"""A record's key is its own, whatever its id looks like and wherever its row stands."""

from __future__ import annotations

import polars as pl
import pytest

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.records.microdata import compute_record_keys
from sekisho.errors import ParameterError


def key_of(*ids: str, role: Role = Role.IDENTIFIER) -> list[int]:
    schema = Schema((Column(name="id", kind=Kind.CATEGORY, role=role),))
    return compute_record_keys(Dataset(pl.DataFrame({"id": ids}), schema)).tolist()


def test_a_record_is_one_persons() -> None:
    with pytest.raises(ParameterError, match="identifier id must differ from record to record"):
        key_of("1", "1")
    # 007 is not the number 7, and stays its own person.
    assert len(set(key_of("7", "007"))) == 2


def test_numbers_are_their_own_keys_and_texts_give_digests() -> None:
    assert key_of("7", "3") == [7, 3]
    # printf x | b2sum -l 64 gives 4adf4367f96e584f; printf 7 | b2sum -l 64 gives e75017cace788f82; the lowest byte first
    assert key_of("x", "7") == [0x4F586EF96743DF4A, 0x828F78CECA1750E7]
    assert key_of("7", "3", role=Role.QUASI) == [0, 1]
