"""What a reader of a release by local suppression works out must be neither more nor less than what is possible.

A value that is called impossible though an original has it accuses a release falsely; one that is missed calls safe what
is known. So the reading is held against a list of all originals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.red_team_cases import read_cases

from sekisho.attack.records.downcode.answer import Knows
from sekisho.attack.records.downcode.suppressed import HiddenCells, downcode_suppressed, rule_out_values

HIDDEN = -1


def make_cells(
    release: Sequence[Sequence[object]],
    domains: Sequence[int],
    k: int,
    *,
    alike: bool = False,
    truth: Sequence[Sequence[int]] | None = None,
) -> HiddenCells:
    return HiddenCells(
        names=tuple("abcdefgh"[: len(domains)]),
        codes=np.array([[HIDDEN if cell == "*" else cell for cell in row] for row in release], dtype=np.int32),
        domains=tuple(domains),
        k=k,
        alike=alike,
        truth=None if truth is None else np.array(truth, dtype=np.int32),
    )


def list_left(cells: HiddenCells) -> dict[tuple[int, int], list[int]]:
    return {
        (int(row), part.key): np.flatnonzero(~marks).tolist()
        for part in rule_out_values(cells)
        for row, marks in zip(part.rows, part.marks, strict=True)
    }


def is_safe(codes: NDArray[np.int32], k: int, *, alike: bool) -> bool:
    """Tell whether every record has k matches, row by row."""
    if alike:
        return all(int((codes == row).all(axis=1).sum()) >= k for row in codes)
    return all(int(((codes == row) | (codes == HIDDEN) | (row == HIDDEN)).all(axis=1).sum()) >= k for row in codes)


def list_minimal_originals(cells: HiddenCells) -> list[NDArray[np.int32]]:
    """Return every original of which no single hidden cell could be shown, by trying each."""
    places = np.argwhere(cells.codes == HIDDEN)
    originals: list[NDArray[np.int32]] = []
    for values in product(*(range(cells.domains[key]) for _, key in places)):
        shown = [(cells.codes.copy(), place, value) for place, value in zip(places, values, strict=True)]
        for codes, (row, key), value in shown:
            codes[row, key] = value
        if not any(is_safe(codes, cells.k, alike=cells.alike) for codes, _, _ in shown):
            original = cells.codes.copy()
            original[tuple(places.T)] = values
            originals.append(original)
    return originals


def test_the_star_beside_two_that_show_a_one_is_no_one() -> None:
    # (a,1) (a,1) (a,*), k = 2: shown as 1 everybody would have three matches, so it was hidden for another value.
    cells = make_cells([[0, 1], [0, 1], [0, "*"]], (1, 2), 2)
    assert list_left(cells) == {(2, 1): [0]}
    # k = 3: with a 1 shown all three match; with a 0 nobody has three. So it is 0, too.
    assert list_left(make_cells([[0, 1], [0, 1], [0, "*"]], (1, 2), 3)) == {(2, 1): [0]}


@pytest.mark.parametrize(
    ("release", "domains", "k", "matching", "left"),
    [  # by listing all originals
        ([["*", "*"], [0, 0], [0, 1]], (2, 3), 2, "any", {(0, 0): [1], (0, 1): [0, 1, 2]}),
        ([["*", 0], ["*", 1], [0, 0], [1, 1]], (2, 3), 2, "any", {(0, 0): [1], (1, 0): [0]}),
        ([["*"], [0], [1]], (4,), 2, "any", {(0, 0): [0, 1, 2, 3]}),
        ([["*"], [0], [0], [1], [1]], (3,), 2, "any", {(0, 0): [2]}),
        ([["*"], ["*"], [0], [0]], (3,), 2, "alike", {(0, 0): [0, 1, 2], (1, 0): [0, 1, 2]}),
        ([["*"], ["*"], ["*"], [1], [1]], (3,), 2, "alike", {(0, 0): [0, 2], (1, 0): [0, 2], (2, 0): [0, 2]}),
    ],
)
def test_what_is_left_of_small_releases(
    release: Sequence[Sequence[object]],
    domains: tuple[int, ...],
    k: int,
    matching: str,
    left: Mapping[tuple[int, int], list[int]],
) -> None:
    assert list_left(make_cells(release, domains, k, alike=matching == "alike")) == left


def test_every_listed_release_of_the_golden_cases(shared: Callable[[str], Path]) -> None:
    for case in read_cases(shared, "downcode-suppress", "one"):
        left = list_left(make_cells(case["release"], case["domains"], case["k"], alike=case["matching"] == "alike"))
        assert left == {(cell["row"], cell["column"]): cell["minimal"] for cell in case["cells"]}, case["id"]
        assert prod(map(len, left.values())) == case["tables"]["minimal"], case["id"]


@given(st.data())
def test_the_originals_left_are_the_product_of_the_values_left(data: st.DataObject) -> None:
    rows, keys = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 2))
    domains = tuple(data.draw(st.integers(1, 3)) for _ in range(keys))
    grid = [[data.draw(st.sampled_from([HIDDEN, *range(size)])) for size in domains] for _ in range(rows)]
    alike, k = data.draw(st.booleans()), data.draw(st.integers(2, 3))
    codes = np.array(grid, dtype=np.int32)
    if not is_safe(codes, k, alike=alike) or (codes == HIDDEN).sum() > 5:
        return
    cells = make_cells([["*" if cell == HIDDEN else cell for cell in row] for row in grid], domains, k, alike=alike)
    originals, left = list_minimal_originals(cells), list_left(cells)
    assert len(originals) == prod(map(len, left.values()))
    for (row, key), values in left.items():
        if originals:
            assert sorted({int(one[row, key]) for one in originals}) == values


def test_counts_hits_and_the_chance_of_the_best_guess() -> None:
    # Of two hidden cells of four values one is narrowed to 2, 3 (0 and 1 shown twice each), k = 2; the other is known.
    release = [["*", 0], [0, 0], [0, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, "*"]]
    truth = [[2, 0], [0, 0], [0, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 2]]
    answer = downcode_suppressed(make_cells(release, (4, 3), 2, truth=truth))
    assert (answer.cells, answer.narrowed, answer.known, answer.hits, answer.excluded) == (2, 2, 1, 1, 0)
    assert (answer.people, answer.touched, answer.certain) == (2, 2, True)
    assert Fraction(answer.guess or 0).limit_denominator(100) == Fraction(1, 2) * (Fraction(1, 2) + 1)
    assert Fraction(answer.guess_rule or 0).limit_denominator(100) == Fraction(1, 2) * (Fraction(1, 4) + Fraction(1, 3))
    assert answer.chance == pytest.approx(1 / 3)
    told = answer.to_dict()
    assert (told["claimed"], told["against"]) == (1, {"knows": "least", "people": "one"})


def test_who_knows_the_rule_alone_narrows_nothing_and_an_excluded_truth_makes_nothing_certain() -> None:
    release, truth = [[0, 1], [0, 1], [0, "*"]], [[0, 1], [0, 1], [0, 1]]
    cells = make_cells(release, (1, 2), 2, truth=truth)
    by_rule = downcode_suppressed(cells, knows=Knows.RULE)
    assert (by_rule.narrowed, by_rule.guess, by_rule.certain) == (0, 0.5, True)
    wrong = downcode_suppressed(cells)  # the star could be shown: the method was not the one he takes it for
    assert (wrong.known, wrong.hits, wrong.excluded, wrong.certain) == (1, 0, 1, False)
