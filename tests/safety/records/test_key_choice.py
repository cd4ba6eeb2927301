"""Which columns can be keys: everything wrong at once, and a word where a key is odd."""

from __future__ import annotations

import polars as pl
import pytest

from sekisho.errors import FaultsError
from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.key_choice import KeyChoice, Oddity, find_remarks


def test_all_unknown_columns_are_named_at_once() -> None:
    choice = KeyChoice(keys=("age", "sx", "twn"), sensitive=("ill",), weights="w", identifier="nr")
    with pytest.raises(FaultsError, match="there is no column 'sx'; there are age, sex") as refused:
        choice.check(["age", "sex"], source="people.csv")
    assert [fault.column for fault in refused.value.faults] == ["sx", "twn", "ill", "w", "nr"]


def test_a_column_is_one_thing_only() -> None:
    choice = KeyChoice(keys=("a", "b", "c", "d", "d"), sensitive=("a", "e", "e"), weights="b", identifier="c")
    with pytest.raises(FaultsError, match="'d' is named twice as a key") as refused:
        choice.check("abcde", source="file")
    assert [str(fault) for fault in refused.value.faults] == [
        "file, d: 'd' is named twice as a key",
        "file, e: 'e' is named twice as a sensitive column",
        "file, a: 'a' is sensitive and cannot be a key as well",
        "file, b: 'b' is the weights and cannot be a key as well",
        "file, c: 'c' is the identifier and cannot be a key as well",
    ]


def test_the_identifier_is_nothing_else() -> None:
    choice = KeyChoice(keys=("a",), sensitive=("b", "c"), weights="c", identifier="c")
    with pytest.raises(FaultsError, match="cannot be") as refused:
        choice.check("abc", source="file")
    assert [str(fault) for fault in refused.value.faults] == [
        "file, c: 'c' is the identifier and cannot be sensitive as well",
        "file, c: 'c' is the identifier and cannot be the weights as well",
    ]


def test_no_key_is_no_question() -> None:
    with pytest.raises(FaultsError, match="no key is named"):
        KeyChoice(keys=()).check(["a"], source="file")
    KeyChoice(keys=("a",)).check(["a"], source="file")


def remark(values: list[str | None]) -> list[Oddity]:
    return [each.oddity for each in find_remarks({"x": ColumnCodes.of(pl.Series(values, dtype=pl.String))})]


def test_odd_keys_get_a_word() -> None:
    assert remark(["a"] * 30) == [Oddity.CONSTANT]
    assert remark([None] * 30) == [Oddity.MISSING]
    assert remark([str(row) for row in range(100)]) == [Oddity.IDENTIFIER]
    assert remark([str(min(row, 94)) for row in range(100)]) == [Oddity.IDENTIFIER]  # 95 of 100
    assert remark([str(min(row, 93)) for row in range(100)]) == []
    assert remark([str(row) for row in range(19)]) == []  # too few to tell
    assert remark(["a", None] * 15) == []
    sentences = [str(each) for each in find_remarks({"nr": ColumnCodes.of(pl.Series(map(str, range(50))))})]
    assert "nr has 50 different values, almost one a record: it looks like an identifier" in sentences[0]
