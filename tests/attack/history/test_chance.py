"""The baseline names everybody, nobody twice, and says how little that is worth."""

from __future__ import annotations

import pytest
from tests.attack.histories import make_history, make_release, make_shop, pseudonymise

from sekisho.attack.history.chance import Chance
from sekisho.errors import ParameterError
from sekisho.seeds import Seed


def test_everybody_is_named_once() -> None:
    original = make_shop(30, rng=Seed(1).rng())
    table, truth = pseudonymise(original, rng=Seed(2).rng())
    guess = Chance().guess(table, original, rng=Seed(3).rng())
    assert sorted(guess.published.tolist()) == sorted(truth)
    assert sorted(guess.person) == sorted(truth.values())
    assert guess.expected_hits == pytest.approx(1)


def test_on_average_one_hit() -> None:
    # The hits of a random permutation have mean 1 and variance 1: the mean of 2,000 lies within 5 / sqrt(2000) = 0.11.
    original = make_shop(10, rng=Seed(1).rng(), longest=2)
    table, truth = pseudonymise(original, rng=Seed(2).rng())
    rng = Seed(3).rng()
    guesses = [Chance().guess(table, original, rng=rng) for _ in range(2000)]
    hits = [
        truth[name] == customer
        for guess in guesses
        for name, customer in zip(guess.published.tolist(), guess.person, strict=True)
    ]
    assert sum(hits) / 2000 == pytest.approx(1, abs=0.11)


def test_more_pseudonyms_than_customers_are_refused() -> None:
    original = make_history([("a", 1, "x", 100, 1)])
    table = make_release(original, [(1, (1, 1), ("x",), None, None), (2, (1, 1), ("x",), None, None)])
    with pytest.raises(ParameterError, match="at most 1 pseudonyms"):
        Chance().guess(table, original, rng=Seed(1).rng())
