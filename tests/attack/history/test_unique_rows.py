"""A row that one customer alone has gives him away; a row that two have, or a blurred one, gives nobody away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.attack.histories import Row, make_history, make_release, pseudonymise

from sekisho.attack.history.unique_rows import UniqueRows
from sekisho.seeds import Seed

ORIGINAL = make_history([("a", 1, "x", 100, 1), ("a", 2, "y", 200, 2), ("b", 1, "x", 100, 1), ("b", 3, "x", 100, 1)])

rows = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 2), st.sampled_from("xy"), st.just(100), st.integers(1, 2)),
    min_size=1,
    max_size=12,
)


def test_only_exact_rows_of_one_customer_count() -> None:
    # Pseudonym 7 bears a's own row; 8 bears the row both have; 9 bears b's own row, but with a date that is two days
    # wide.
    table = make_release(
        ORIGINAL,
        [
            (7, (2, 2), ("y",), (200, 200), (2, 2)),
            (8, (1, 1), ("x",), (100, 100), (1, 1)),
            (9, (3, 4), ("x",), (100, 100), (1, 1)),
        ],
    )
    guess = UniqueRows().guess(table, ORIGINAL, rng=Seed(1).rng())
    assert (guess.published.tolist(), guess.person, guess.chance.tolist()) == ([7], ("a",), [1.0])


def test_the_majority_wins_and_the_chance_is_its_share() -> None:
    # Against the rules: one pseudonym for two customers. Two of its three telling rows are b's.
    table = make_release(
        ORIGINAL,
        [(5, (2, 2), ("y",), (200, 200), (2, 2))] + [(5, (3, 3), ("x",), (100, 100), (1, 1))] * 2,
    )
    guess = UniqueRows().guess(table, ORIGINAL, rng=Seed(1).rng())
    assert (guess.person, guess.chance.tolist()) == (("b",), [2 / 3])


@given(rows)
def test_on_a_raw_history_all_and_only_those_with_an_own_row_are_named_rightly(rows: list[Row]) -> None:
    original = make_history(rows)
    table, truth = pseudonymise(original, rng=Seed(1).rng())
    holders = {row[1:]: {other[0] for other in rows if other[1:] == row[1:]} for row in rows}
    own = {min(people) for people in holders.values() if len(people) == 1}
    guess = UniqueRows().guess(table, original, rng=Seed(2).rng())
    assert set(guess.person) == own
    assert all(truth[name] == who for name, who in zip(guess.published.tolist(), guess.person, strict=True))
