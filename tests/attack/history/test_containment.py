"""Items and row counts alone: what they rule out, what they leave, and how the rest is chosen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.attack.histories import MaskedRow, Row, make_history, make_release

from sekisho.attack.history.containment import Containment
from sekisho.seeds import Seed

ORIGINAL = make_history(
    [
        ("a", 1, "x", 100, 1),
        ("b", 1, "x", 100, 1),
        ("b", 1, "y", 100, 1),
        ("c", 1, "x", 100, 1),
        ("c", 2, "x", 100, 1),
        ("c", 3, "z", 100, 1),
    ]
)
originals = st.lists(
    st.tuples(st.sampled_from("abcd"), st.just(0), st.sampled_from("wxyz"), st.just(1), st.just(1)),
    min_size=1,
    max_size=12,
)
released = st.lists(st.tuples(st.integers(1, 3), st.sets(st.sampled_from("wxyz"))), min_size=1, max_size=8)


def mask_row(name: int, items: str) -> MaskedRow:
    return (name, None, tuple(items), None, None)


def test_golden() -> None:
    table = make_release(
        ORIGINAL,
        [
            mask_row(1, "x"),  # all three have an x: the shortest is named, one in three
            *(mask_row(2, "x"), mask_row(2, "yz")),  # a is too short; b and c account for both rows: the shorter is b
            *(mask_row(3, "z"), mask_row(3, "x"), mask_row(3, "")),  # only c is long enough
            *(mask_row(4, "x"), mask_row(4, "x"), mask_row(4, "x"), mask_row(4, "x")),  # nobody is
        ],
    )
    guess = Containment().guess(table, ORIGINAL, rng=Seed(1).rng())
    assert guess.published.tolist() == [1, 2, 3]
    assert guess.person == ("a", "b", "c")
    assert guess.chance.tolist() == [1 / 3, 1 / 2, 1]


@given(originals, released, st.integers(0, 99))
def test_against_the_plain_version(rows: list[Row], blurred: list[tuple[int, set[str]]], seed: int) -> None:
    original = make_history(rows)
    here = {row[2] for row in rows}
    table = make_release(original, [mask_row(name, "".join(items & here)) for name, items in blurred])
    guess = Containment().guess(table, original, rng=Seed(seed).rng())
    named = dict(zip(guess.published.tolist(), zip(guess.person, guess.chance.tolist(), strict=True), strict=True))
    for name in {name for name, _ in blurred}:
        cells = [items & here for other, items in blurred if other == name]
        history_of = {row[0]: [other[2] for other in rows if other[0] == row[0]] for row in rows}
        score = {
            who: sum(not cell or bool(cell & set(bought)) for cell in cells)
            for who, bought in history_of.items()
            if len(bought) >= len(cells)
        }
        best = [who for who, value in score.items() if value == max(score.values())]
        least = min((len(history_of[who]) for who in best), default=0)
        assert (name in named) == bool(best)
        if best:
            assert named[name][0] in {who for who in best if len(history_of[who]) == least}
            assert named[name][1] == 1 / len(best)
