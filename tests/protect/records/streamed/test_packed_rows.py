"""Rows as words are the rows, and counting them block by block is counting them at once."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.protect.records.streamed.packed_rows import Packing, RowCounter


@given(
    widths=st.lists(st.integers(1, 2**31), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
)
@example(widths=[2**31, 2**31, 2, 1], seed=0)  # the product is 2**63: one word still holds it
def test_unpacking_undoes_packing(widths: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, min(width, 2**31 - 1), 5).astype(np.int32) for width in widths]
    codes = [np.append(code, np.int32(min(width, 2**31) - 1)) for code, width in zip(codes, widths, strict=True)]
    packing = Packing.of(widths)
    assert (np.stack(codes) == packing.unpack(packing.pack(codes)).T).all()


def test_columns_share_words_as_long_as_they_fit() -> None:
    assert Packing.of([100] * 8).words == 1  # 100**8 = 10**16 is below 2**63, about 9.2 * 10**18
    assert Packing.of([2**31, 2**31, 2, 2]).groups == ((0, 1, 2), (3,))


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40),
    size=st.integers(1, 9),
)
def test_rows_are_counted_in_the_order_in_which_they_first_occur(rows: list[tuple[int, int]], size: int) -> None:
    packed, counter = np.array(rows, dtype=np.uint64), RowCounter(2)
    which = np.concatenate([counter.count(packed[start : start + size]) for start in range(0, len(rows), size)])
    assert list(map(tuple, counter.packed.tolist())) == list(dict.fromkeys(rows))
    assert counter.copies.tolist() == [Counter(rows)[row] for row in dict.fromkeys(rows)]
    assert (counter.packed[which] == packed).all()


def test_a_counter_grows_and_forgets() -> None:
    packed, counter = np.arange(20_000, dtype=np.uint64).reshape(-1, 1), RowCounter(1)
    counter.count(packed)
    counter.count(packed[::2])
    assert len(counter) == 20_000
    assert counter.copies.tolist() == [2, 1] * 10_000
    counter.keep(counter.packed[:, 0] % np.uint64(5) == 0)
    assert counter.count(packed[5:6]).tolist() == [1]
    assert (len(counter), counter.copies[:2].tolist()) == (4000, [2, 2])
