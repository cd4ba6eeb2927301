"""A part is a pure function of its records: it can be sent away, and of all records it is the search in memory."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.protect.records.recoding.plain_recoding import ask_k, number_codes, set_codes

from sekisho.protect.records.recoding.classed_method import count_distinct
from sekisho.protect.records.recoding.key_space import join_columns
from sekisho.protect.records.recoding.search import Problem, search_classes
from sekisho.protect.records.streamed.recoding_plan import PartTask
from sekisho.seeds import Seed


@try_examples(50)
@given(
    numbers=st.lists(st.integers(0, 30), min_size=6, max_size=40),
    k=st.integers(1, 3),
    room=st.integers(0, 3),
    seed=st.integers(0, 9),
)
def test_of_all_records_it_is_the_search_in_memory(numbers: list[int], k: int, room: int, seed: int) -> None:
    columns = [number_codes("n", numbers, 31), set_codes("s", [each % 3 for each in numbers], 3)]
    records, _ = count_distinct(columns, None)
    task = PartTask(
        space=join_columns(columns),
        rule=ask_k(k),
        strict=False,
        room=room,
        looks=1000,
        seconds=None,
        records=len(numbers),
        seed=Seed(seed),
    )
    pieces = pickle.loads(pickle.dumps(task)).search(records).pieces
    problem = Problem(space=task.space, records=records, rule=task.rule, room=room)
    *_, whole = search_classes(problem, looks=1000, rng=Seed(seed).rng())
    for mine, other in zip(pieces, whole.pieces, strict=True):
        assert mine.tolist() == other.tolist()


def test_a_part_has_its_share_and_its_own_randomness() -> None:
    columns = [number_codes("n", list(range(20)), 20)]
    records, _ = count_distinct(columns, None)
    task = PartTask(
        space=join_columns(columns),
        rule=ask_k(3),
        strict=False,
        room=4,
        looks=10,
        seconds=1e-9,
        records=40,
        seed=Seed(1),
    )
    assert int((task.search(records).pieces.owner < 0).sum()) == 0  # the seconds are over before anything is left out
    # half of the records may leave out half of what all may: 2
    left_out = replace(task, seconds=None, looks=10**6).search(records).pieces
    assert int(left_out.copies[left_out.owner < 0].sum()) <= 2
    assert pickle.dumps(task)
    assert task.name_part(1).seed == Seed(1).child("part 1")
    assert np.unique(task.search(records).pieces.record).tolist() == list(range(20))
