"""What the desk asks of coded columns, against plain counting of a few records."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.dataset import Kind
from sekisho.safety.records.classes import ColumnCodes
from sekisho.seeds import Seed
from sekisho.server.desk.questions import (
    count_alone,
    count_found_by_rows,
    draw_bins,
    find_stand_outs,
    list_worst_classes,
)

RECORDS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from("12")), min_size=1)


def code(records: list[tuple[str, ...]], names: str = "pqr") -> dict[str, ColumnCodes]:
    return {name: ColumnCodes.of(pl.Series([one[at] for one in records])) for at, name in enumerate(names)}


def alone(records: list[tuple[str, ...]]) -> int:
    return sum(count == 1 for count in Counter(records).values())


@given(RECORDS)
def test_alone_and_without_each_key_as_counted_one_by_one(records: list[tuple[str, ...]]) -> None:
    answer = count_alone(code(records))
    assert answer["alone"] == alone(records)
    for at, name in enumerate("pqr"):
        assert answer["without"][name] == alone([one[:at] + one[at + 1 :] for one in records])
    assert answer["classes"] == len(set(records)) == sum(one["classes"] for one in answer["sizes"])
    assert sum(one["records"] for one in answer["sizes"]) == len(records)
    counts = Counter(records)
    for one in answer["worst"]:
        assert counts[tuple(one["values"].values())] == one["size"]
        assert records[one["row"] - 1] == tuple(one["values"].values())
    assert [one["size"] for one in answer["worst"]] == sorted(counts.values())[:10]


@given(RECORDS)
def test_who_is_found_by_at_most_so_many_things(records: list[tuple[str, ...]]) -> None:
    sets = {1: ((0,), (1,), (2,)), 2: ((0, 1), (0, 2), (1, 2)), 3: ((0, 1, 2),)}
    found = set[int]()
    for known in find_stand_outs(code(records))["known"]:
        for chosen in sets[known["things"]]:
            seen = [tuple(one[at] for at in chosen) for one in records]
            found |= {row for row, one in enumerate(seen) if seen.count(one) == 1}
        assert known["found"] == len(found)


def test_no_keys_find_nobody() -> None:
    assert count_alone({})["alone"] == 0
    assert list_worst_classes({}) == []


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("xy"), st.sampled_from("12")), min_size=1))
def test_whoever_is_known_whole_is_found_unless_another_has_all_his_rows(rows: list[tuple[str, ...]]) -> None:
    coded = code(rows, "wpq")
    answer = count_found_by_rows(coded.pop("w"), coded, seed=Seed(1))
    own = {person: [one[1:] for one in rows if one[0] == person] for person in {one[0] for one in rows}}
    assert answer["people"] == answer["drawn"] == len(own)
    counts = [one["found"] for one in answer["known"]]
    assert counts == sorted(counts)
    if all(len(mine) <= 3 for mine in own.values()):
        whole = sum(
            not any(set(mine) <= set(other) for name, other in own.items() if name != person)
            for person, mine in own.items()
        )
        assert counts[-1] == whole


def test_small_pictures() -> None:
    ones = np.ones(24, dtype=np.int64)
    numbers = pl.Series([str(number) for number in range(24)])
    assert draw_bins(numbers, ones, Kind.INTEGER) == [2] * 12
    assert draw_bins(numbers, ones, Kind.CATEGORY) == [1] * 12
    assert draw_bins(numbers, 25 - np.cumsum(ones), Kind.CATEGORY)[:2] == [24, 22]  # the means of 24, 23 and 22, 21
    assert draw_bins(pl.Series(["2024-01-01", "2024-12-31"]), ones[:2], Kind.DATE) == [1, *[0] * 10, 1]
    assert draw_bins(pl.Series([], dtype=pl.String), ones[:0], Kind.DATE) == []
