"""An explanation counts who would fit without a column, by a column alone, and by a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.attack.histories import make_history, make_release, make_shop, pseudonymise

from sekisho.attack.guess import Guess
from sekisho.attack.history.explain import TellingRow, explain_claims
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.data.frame.cells import MISSING_NUMBER, RangeCells
from sekisho.seeds import Seed

ORIGINAL = make_history(
    [
        ("a", 0, "x", 150, 1),
        ("a", 1, "y", 150, 1),
        ("b", 0, "x", 150, 9),
        ("b", 1, "y", 150, 9),
        ("c", 0, "x", 150, 9),
        ("c", 5, "x", 150, 9),
    ]
)
TABLE = make_release(
    ORIGINAL,
    [(8, (0, 9), ("x",), None, None), (7, (0, 1), ("x", "y"), (100, 150), None), (7, (1, 1), ("y",), None, (1, 8))],
)
GUESS = Guess(published=np.array([7, 8]), person=("a", "b"), chance=np.array([1.0, 1 / 3]))


def test_golden() -> None:
    # Pseudonym 7: only a bought a y in a quantity below 9. Without the quantity b fits too, c has no y. By the item
    # alone a and b fit; by the date c does not (day 5); by the quantity alone only a has a row of 1 to 8 and another.
    (explanation,) = explain_claims(GUESS, TABLE, ORIGINAL, claims=[0], rows=1)
    assert (explanation.pseudonym, explanation.customer, explanation.chance, explanation.candidates) == (7, "a", 1.0, 1)
    assert explanation.without == {"date": 1, "item": 1, "price": 1, "quantity": 2}
    assert explanation.alone == {"date": 2, "item": 2, "price": 3, "quantity": 1}
    assert explanation.rows == (
        TellingRow(
            row=2,
            cells={"date": "2010/12/2", "item": "y", "price": "*", "quantity": "[1;8]"},
            customers=1,
            alone={"date": 2, "item": 2, "price": 3, "quantity": 1},
        ),
    )


def test_the_surest_come_first_and_rows_are_few_at_most() -> None:
    explanations = explain_claims(GUESS, TABLE, ORIGINAL, rows=2)
    assert [(one.pseudonym, len(one.rows), one.candidates) for one in explanations] == [(7, 2, 1), (8, 1, 3)]


def test_missing_cells_are_told_as_empty() -> None:
    gaps = RangeCells.exact(np.full(3, MISSING_NUMBER))
    table = replace(TABLE, columns={**TABLE.columns, "date": gaps, "quantity": gaps})
    (explanation,) = explain_claims(GUESS, table, ORIGINAL, claims=[0], rows=1)
    assert {name: explanation.rows[0].cells[name] for name in ("date", "quantity")} == {"date": "", "quantity": ""}


def test_a_guess_of_nobody_needs_no_explanation() -> None:
    empty = Guess(published=np.zeros(0, np.int64), person=(), chance=np.zeros(0))
    assert explain_claims(empty, TABLE, ORIGINAL) == ()


@pytest.mark.parametrize("seed", range(3))
def test_less_published_never_leaves_fewer(seed: int) -> None:
    original = make_shop(20, rng=Seed(seed).rng(), longest=6)
    table, _ = pseudonymise(original, rng=Seed(seed).rng())
    guess = MaximumKnowledge(everyone=True).guess(table, original, rng=Seed(seed).rng())
    for explanation in explain_claims(guess, table, original, claims=range(len(guess))):
        assert min(explanation.without.values()) >= explanation.candidates >= 1
        assert min(explanation.alone.values()) >= explanation.candidates
        assert all(row.customers <= min(row.alone.values()) for row in explanation.rows)
        assert explanation.rows[0].customers >= explanation.candidates
