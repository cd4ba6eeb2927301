"""A block holds people who are alike, enough of them for groups, and nobody is left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.history.arrays import History
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history import block as block_search
from sekisho.protect.history.block import Units, cut_blocks
from sekisho.protect.history.grouping.rows import lay_out_rows
from sekisho.seeds import Seed


def draw_units(people: int, seed: int) -> Units:
    rng = Seed(seed).rng()
    rows = rng.integers(1, 50, people)
    return Units(place=rng.normal(size=(people, 3)), people=np.ones(people, dtype=np.int64), rows=rows)


@given(st.integers(1, 200), st.integers(2, 5), st.integers(2, 8), st.sampled_from((None, 1 / 3)), st.integers(0, 99))
def test_everybody_is_in_one_block_of_k_or_more(
    people: int, k: int, groups: int, share: float | None, seed: int
) -> None:
    blocks = cut_blocks(draw_units(people, seed), size=groups * k, k=k, share=share)
    sizes = [len(block) for block in blocks]
    assert np.sort(np.concatenate(blocks)).tolist() == list(range(people))
    assert min(sizes) >= min(k, people)
    assert max(sizes) <= groups * k + k - 1
    assert sum(size % k != 0 for size in sizes) <= 1


@given(st.integers(6, 120), st.integers(0, 99))
def test_groups_stay_together_and_the_borders_move(people: int, seed: int) -> None:
    units = draw_units(people - people % 3, seed)
    group = Seed(seed).rng().permutation(len(units.people)) // 3
    joined = units.join(group)
    assert joined.people.tolist() == [3] * (len(units.people) // 3)
    assert joined.rows.sum() == units.rows.sum()
    assert joined.place[0] == pytest.approx(units.place[group == 0].mean(axis=0))
    blocks = cut_blocks(joined, size=12, k=3, share=1 / 3)
    assert np.sort(np.concatenate(blocks)).tolist() == list(range(len(joined.people)))
    assert max(len(block) for block in blocks) <= 4


def test_long_histories_make_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_search, "MOST_ROWS", 100)
    units = Units(
        place=np.arange(48.0)[:, None], people=np.ones(48, dtype=np.int64), rows=np.full(48, 50, dtype=np.int64)
    )
    assert [len(block) for block in cut_blocks(units, size=48, k=3, share=None)] == [24, 24]  # eight groups each


def test_a_length_and_the_sorted_numbers_tell_where_a_person_lies() -> None:
    # Two columns of one value each: level v after scaling, no differences; 8 quantiles of weight 1 / sqrt(8) make the
    # level sqrt(8) v / sqrt(8) = v. A person of twice the rows lies 4 log 2 further along the first axis.
    rows = lay_out_rows(History.of(SyntheticHistory(customers=30).draw(rng=Seed(1).rng())))
    flat = rows._replace(scaled=np.full_like(rows.scaled, 0.7))
    place = Units.of(flat).place
    lengths = np.diff(rows.starts)
    assert place.shape == (30, 1 + 3 * block_search.QUANTILES)
    assert place[:, 0] == pytest.approx(4 * np.log(lengths))
    assert place[:, 1] == pytest.approx(np.full(30, 0.7))
    assert np.abs(place[:, 2 : 1 + block_search.QUANTILES]).max() == pytest.approx(0.0, abs=1e-12)


def test_the_second_borders_lie_elsewhere() -> None:
    # Twelve people on a line, blocks of three: borders after 3, 6, 9. At thirds: 4 | 8, then 1 | 3 and 2 | 6, of which
    # 2 | 4 and 1 | 3.
    line = Units(
        place=np.arange(12.0)[:, None], people=np.ones(12, dtype=np.int64), rows=np.ones(12, dtype=np.int64)
    ).join(np.arange(12))
    first = {int(block.max()) for block in cut_blocks(line, size=3, k=1, share=None)}
    second = {int(block.max()) for block in cut_blocks(line, size=3, k=1, share=1 / 3)}
    assert first == {2, 5, 8, 11}
    assert second == {0, 3, 5, 7, 8, 11}
