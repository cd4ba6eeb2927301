"""A guess must say the same whether it is written as claims or as lines of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack.guess import Guess
from sekisho.errors import ParameterError

lines = st.lists(st.one_of(st.just([-1, -1, -1]), st.permutations(range(6)).map(lambda line: line[:3])), max_size=8)


@given(lines)
def test_lines_of_rows_come_back_as_they_were(answers: list[list[int]]) -> None:
    rows = np.array(answers, dtype=np.int64).reshape(len(answers), 3)
    guess = Guess.of_rows(rows)
    assert guess.rows(len(answers), 3).tolist() == answers
    assert guess.people() == sum(line[0] >= 0 for line in answers)
    assert len(guess) == 3 * guess.people()
    assert np.isnan(guess.chance).all()


def test_a_row_named_again_says_nothing_new_and_the_last_one_fills_the_line() -> None:
    guess = Guess.of_rows(np.array([[4, 4, 2], [-1, -1, -1], [7, 7, 7]]))
    assert (guess.published.tolist(), guess.person) == ([4, 2, 7], ("0", "0", "2"))
    assert guess.rows(3, 3).tolist() == [[4, 2, 2], [-1, -1, -1], [7, 7, 7]]


def test_more_rows_than_answers_count_the_likeliest_first() -> None:
    guess = Guess.of_rows(np.array([[5, 1, 3]]))
    assert guess.rows(1, 2).tolist() == [[5, 1]]


@pytest.mark.parametrize("answers", [[[0, -1, -1]], [[-2, -2, -2]], [[-1, 3, 4]]])
def test_a_mixture_of_rows_and_minus_one_is_refused(answers: list[list[int]]) -> None:
    with pytest.raises(ParameterError, match="rows must hold rows from 0, or -1 throughout a line"):
        Guess.of_rows(np.array(answers))


def test_rows_without_lines_are_refused() -> None:
    with pytest.raises(ParameterError, match="rows must have one line of rows per record"):
        Guess.of_rows(np.array([1, 2, 3]))


@pytest.mark.parametrize("person", ["3", "-1", "anna", "²"])
def test_a_person_who_is_no_known_record_is_refused(person: str) -> None:
    guess = Guess(published=np.array([1]), person=(person,), chance=np.ones(1))
    with pytest.raises(ParameterError, match="guess must name known records by their rows, 0 to 2"):
        guess.rows(3, 3)


def test_claims_of_unequal_length_and_doubled_ones_are_refused() -> None:
    with pytest.raises(ParameterError, match="one person and one chance for each"):
        Guess(published=np.array([1, 2]), person=("a",), chance=np.ones(2))
    with pytest.raises(ParameterError, match="make each claim once"):
        Guess(published=np.array([1, 1]), person=("a", "a"), chance=np.ones(2))
    assert len(Guess(published=np.array([1, 1]), person=("a", "b"), chance=np.ones(2))) == 2
