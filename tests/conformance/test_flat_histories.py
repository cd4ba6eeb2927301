"""Columns of one value and customers with equal rows have no spread to divide by: methods and measures must answer
all the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.shopping import Line, shop

from sekisho.attack import ADVERSARIES
from sekisho.data.frame.dataset import Dataset
from sekisho.data.shape import Shape
from sekisho.gate.history.study import Study
from sekisho.protect import METHODS
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed
from sekisho.utility import MEASURES

FLAT = (3, "x", 100, 1)


@st.composite
def flat_histories(draw: st.DrawFn) -> Dataset:
    """Return a history of a few customers in which any column may have one value only, and customers may be equal."""
    flat = draw(st.lists(st.booleans(), min_size=4, max_size=4))
    cells = st.tuples(st.integers(0, 6), st.sampled_from("xyz"), st.integers(1, 400), st.integers(1, 40))
    kinds = draw(st.lists(st.lists(cells, min_size=1, max_size=3), min_size=1, max_size=3))
    lines: list[Line] = []
    for person in range(draw(st.integers(3, 15))):
        for drawn in draw(st.sampled_from(kinds)):
            day, item, price, units = (
                one if alike else other for alike, one, other in zip(flat, FLAT, drawn, strict=True)
            )
            lines.append((f"c{person:02d}", int(day), str(item), int(price), int(units)))
    return shop(lines)


@pytest.mark.parametrize("name", tuple(METHODS.find_names(Shape.HISTORY)))
@try_examples(10)
@given(data=flat_histories())
def test_every_method_protects_a_flat_history_and_its_loss_is_a_number(name: str, data: Dataset) -> None:
    release = METHODS.make(name, **({"effort": 1.0} if name == "groups" else {})).apply(data, rng=Seed(1).rng())
    score = MEASURES.make("cell-error").compare(data, release)
    assert 0 <= score.value <= 3
    assert all(np.isfinite(value) for value in score.detail.values())


@pytest.mark.parametrize("name", tuple(ADVERSARIES.find_names(Shape.HISTORY)))
@try_examples(10)
@given(data=flat_histories())
def test_every_adversary_attacks_a_flat_history(name: str, data: Dataset) -> None:
    release = SimilarLength(k=2).apply(data, rng=Seed(1).rng())
    guess = ADVERSARIES.make(name).guess(release.table.take(~release.deleted), data, rng=Seed(2).rng())
    assert not np.isnan(guess.chance).any()


@try_examples(10)
@given(data=flat_histories())
def test_every_use_case_of_a_flat_history_is_a_number(data: Dataset) -> None:
    release = SimilarLength(k=2).apply(data, rng=Seed(1).rng())
    findings = replace(Study(), samples=2).run(data, {"a": release}, seed=Seed(1))
    assert all(np.isfinite(values).all() for values in findings.releases[0].errors.values())


@pytest.mark.parametrize("people", [6, 24])
def test_two_kinds_of_customers_three_or_more_of_each_lose_nothing(people: int) -> None:
    lines: list[Line] = [
        (f"c{one:02d}", 5 * (one % 2), "xy"[one % 2], 100 + one % 2, 1 + one % 2) for one in range(people)
    ]
    data = shop(lines)
    for k in (2, 3):
        release = Groups(k=k, effort=1).apply(data, rng=Seed(1).rng())
        assert MEASURES.make("cell-error").compare(data, release).value == 0
        assert not release.deleted.any()
