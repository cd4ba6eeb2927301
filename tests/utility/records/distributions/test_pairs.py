"""Two-way tables: by hand, and against a sum over every pair of values of every record."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from tests.recodings import TEXTS, Case, cases

from sekisho.utility.records.distributions import PairTables

TWO = Case(
    numbers={"age": [0, 0, 1, 1], "pay": [0, 0, 0, 0]},
    texts={"town": ["a", "a", "b", "b"], "job": ["x", "x", "y", "z"]},
    ranges={"age": [(0, 0), (0, 1), (1, 1), (1, 1)], "pay": [None] * 4},
    sets={"town": [frozenset("a")] * 2 + [frozenset("b")] * 2, "job": [frozenset("xy")] * 2 + [frozenset("y"), None]},
    deleted=[False, False, False, True],
)


def test_pairs_by_hand() -> None:
    # town x job: three records are told: (a, {x;y}) twice, (b, y) once: a,x 1/3, a,y 1/3, b,y 1/3;
    # before a,x 1/2, b,y 1/4, b,z 1/4: (1/6 + 1/3 + 1/12 + 1/4) / 2 = 5/12
    # age x town: (0, a) once, ([0;1], a) once, (1, b) once: 0,a 1/2, 1,a 1/6, 1,b 1/3; before 0,a 1/2, 1,b 1/2: 1/6
    score = PairTables(columns=("age", "town", "job")).compare(TWO.data, TWO.release)
    assert score.detail["town x job"] == pytest.approx(5 / 12)
    assert score.detail["age x town"] == pytest.approx(1 / 6)
    assert list(score.detail) == ["age x town", "age x job", "town x job"]
    assert score.value == pytest.approx(sum(score.detail.values()) / 3)


def test_a_pair_of_which_nothing_is_told_counts_1_and_a_single_column_has_none() -> None:
    assert PairTables(columns=("pay", "town")).compare(TWO.data, TWO.release).value == 1.0
    assert PairTables(columns=("town",)).compare(TWO.data, TWO.release).detail == {}


@given(cases())
def test_the_table_is_the_sum_over_all_records_and_pairs_of_values(case: Case) -> None:
    table: defaultdict[tuple[str, str], float] = defaultdict(float)
    told = [set(case.texts[name]) for name in TEXTS]
    for cells in zip(*(case.text_cells(name) for name in TEXTS), strict=True):
        first, second = cells
        if not first or not second:
            continue
        if any(len(cell) > 1 and cell == values for cell, values in zip((first, second), told, strict=True)):
            continue
        for one in first:
            for two in second:
                table[one, two] += 1 / (len(first) * len(second))
    whole = sum(table.values())
    score = PairTables(columns=TEXTS).compare(case.data, case.release)
    if not whole:
        assert score.value == 1.0
        return
    before = Counter(zip(*(case.texts[name] for name in TEXTS), strict=True))
    pairs = set(before) | set(table)
    expected = sum(abs(before[pair] / case.rows - table[pair] / whole) for pair in pairs) / 2
    assert score.value == pytest.approx(expected, abs=1e-12)
