"""An explanation counts who would fit without a column, by a column alone, and by a row."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attack.histories import history, pseudonymised, release, shop

from sekisho.attack.guess import Guess
from sekisho.attack.history.explain import TellingRow, explain
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.seeds import Seed

ORIGINAL = history(
    [
        ("a", 0, "x", 150, 1),
        ("a", 1, "y", 150, 1),
        ("b", 0, "x", 150, 9),
        ("b", 1, "y", 150, 9),
        ("c", 0, "x", 150, 9),
        ("c", 5, "x", 150, 9),
    ]
)
TABLE = release(
    ORIGINAL,
    [(8, (0, 9), ("x",), None, None), (7, (0, 1), ("x", "y"), (100, 150), None), (7, (1, 1), ("y",), None, (1, 8))],
)
GUESS = Guess(published=np.array([7, 8]), person=("a", "b"), chance=np.array([1.0, 1 / 3]))


def test_golden() -> None:
    # Pseudonym 7: only a bought a y in a quantity below 9. Without the quantity b fits too, c has no y. By the item
    # alone a and b fit; by the date c does not (day 5); by the quantity alone only a has a row of 1 to 8 and another.
    (found,) = explain(GUESS, TABLE, ORIGINAL, claims=[0], rows=1)
    assert (found.pseudonym, found.customer, found.chance, found.candidates) == (7, "a", 1.0, 1)
    assert found.without == {"date": 1, "item": 1, "price": 1, "quantity": 2}
    assert found.alone == {"date": 2, "item": 2, "price": 3, "quantity": 1}
    assert found.rows == (
        TellingRow(
            row=2,
            cells={"date": "2010/12/2", "item": "y", "price": "*", "quantity": "[1;8]"},
            customers=1,
            alone={"date": 2, "item": 2, "price": 3, "quantity": 1},
        ),
    )


def test_the_surest_come_first_and_rows_are_few_at_most() -> None:
    found = explain(GUESS, TABLE, ORIGINAL, rows=2)
    assert [(one.pseudonym, len(one.rows), one.candidates) for one in found] == [(7, 2, 1), (8, 1, 3)]


def test_a_guess_of_nobody_needs_no_explanation() -> None:
    empty = Guess(published=np.zeros(0, np.int64), person=(), chance=np.zeros(0))
    assert explain(empty, TABLE, ORIGINAL) == ()


@pytest.mark.parametrize("seed", range(3))
def test_less_published_never_leaves_fewer(seed: int) -> None:
    original = shop(20, rng=Seed(seed).rng(), longest=6)
    table, _ = pseudonymised(original, rng=Seed(seed).rng())
    guess = MaximumKnowledge(everyone=True).guess(table, original, rng=Seed(seed).rng())
    for found in explain(guess, table, original, claims=range(len(guess))):
        assert min(found.without.values()) >= found.candidates >= 1
        assert min(found.alone.values()) >= found.candidates
        assert all(row.customers <= min(row.alone.values()) for row in found.rows)
        assert found.rows[0].customers >= found.candidates
