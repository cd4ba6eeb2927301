"""A sample of distinct records holds all copies of each, whatever the order of the rows, and tells how many there are."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sekisho.protect.records.streamed.packed_rows import RecordSample, choose_depth, measure_depth, mix_rows


def draw(values: list[int], size: int, most: int) -> tuple[dict[int, int], int]:
    sample = RecordSample(1, most=most)
    packed = np.array(values, dtype=np.uint64).reshape(-1, 1)
    for start in range(0, len(values), size):
        sample.add(packed[start : start + size])
    return dict(zip(sample.packed[:, 0].tolist(), sample.copies.tolist(), strict=True)), sample.scale


@given(values=st.lists(st.integers(0, 30), min_size=1, max_size=60), size=st.integers(1, 20), most=st.integers(1, 40))
def test_all_copies_of_what_is_drawn_whatever_the_order(values: list[int], size: int, most: int) -> None:
    drawn, scale = draw(values, size, most)
    assert all(Counter(values)[value] == copies for value, copies in drawn.items())
    assert len(drawn) <= most
    assert (drawn, scale) == draw(sorted(values), 7, most)
    if len(set(values)) <= most:
        assert (len(drawn), scale) == (len(set(values)), 1)


def test_the_number_of_distinct_records_is_told() -> None:
    # of 100,000 about 780 are drawn, each for 128: 3.6 in a hundred is one standard deviation
    drawn, scale = draw(list(range(100_000)) * 2, 10_000, 1000)
    assert set(drawn.values()) == {2}
    assert abs(len(drawn) * scale - 100_000) < 15_000


def test_the_depth_of_a_word_is_the_number_of_its_leading_zeros() -> None:
    words = [0, 1, 2**31, 2**32 - 1, 2**62, 2**63, 2**64 - 1]
    assert measure_depth(np.array(words, dtype=np.uint64)).tolist() == [64 - word.bit_length() for word in words]


@given(values=st.lists(st.integers(0, 60), min_size=1, max_size=60), most=st.integers(1, 40))
def test_a_sample_that_is_drawn_at_once_is_the_one_that_streams_by(values: list[int], most: int) -> None:
    distinct = np.unique(np.array(values, dtype=np.uint64))
    depth = measure_depth(mix_rows(distinct.reshape(-1, 1)))
    halved = choose_depth(Counter(depth.tolist()), most)
    drawn, scale = draw(values, 7, most)
    assert (set(drawn), scale) == (set(distinct[depth >= halved].tolist()), 1 << halved)
