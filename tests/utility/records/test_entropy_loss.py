"""Bits that are lost: by hand, and against the definition cell by cell."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from tests.recodings import NUMBERS, TEXTS, Case, NumberCell, TextCell, cases

from sekisho.errors import ParameterError
from sekisho.utility.records.information_loss import EntropyLoss

FOUR = Case(
    numbers={"age": [1, 2, 3, 4], "pay": [0, 0, 0, 0]},
    texts={"town": ["a", "a", "a", "b"], "job": ["x"] * 4},
    ranges={"age": [(1, 2), (1, 2), (3, 3), None], "pay": [(0, 0)] * 4},
    sets={"town": [frozenset("ab")] * 2 + [frozenset("a"), frozenset("a")], "job": [frozenset("x")] * 4},
    deleted=[False] * 4,
)


def test_bits_by_hand() -> None:
    # age: 1 + 1 + 0 + 2 of 4 * 2 bits. town: -log2(3/4) twice, 0, and the changed value costs all of b, 2 bits;
    # of 3 * -log2(3/4) + 2.
    bits = -log2(3 / 4)
    score = EntropyLoss(keys=("age", "town")).compare(FOUR.data, FOUR.release)
    assert score.detail["age"] == pytest.approx(4 / 8)
    assert score.detail["town"] == pytest.approx((2 * bits + 2) / (3 * bits + 2))
    assert score.value == pytest.approx((4 + 2 * bits + 2) / (8 + 3 * bits + 2))


def test_expected_bits_by_hand() -> None:
    # {a;b} hides 3 a and 1 b: 3/4 bits + 1/4 * 2 each; exact cells nothing; all: the same entropy four times
    score = EntropyLoss(keys=("town",), expected=True).compare(FOUR.data, FOUR.release)
    assert score.value == pytest.approx(1 / 2)


def test_one_value_has_no_bits_to_lose() -> None:
    assert EntropyLoss(keys=("pay", "job")).compare(FOUR.data, FOUR.release).value == 0.0


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(ParameterError, match=r"column must be one of age, pay, town, job, not 'height'"):
        EntropyLoss(keys=("height",)).compare(FOUR.data, FOUR.release)


def admits(cell: NumberCell | TextCell, value: object) -> bool:
    if isinstance(cell, frozenset):
        return value in cell
    return cell is not None and isinstance(value, int) and cell[0] <= value <= cell[1]


def slow_bits(values: list[int] | list[str], cells: list[NumberCell] | list[TextCell]) -> tuple[float, float]:
    lost = most = 0.0
    for value, cell in zip(values, cells, strict=True):
        own = sum(other == value for other in values)
        alike = sum(admits(cell, other) for other in values) if admits(cell, value) else len(values)
        lost += log2(alike / own)
        most += log2(len(values) / own)
    return lost, most


@given(cases())
def test_the_loss_is_that_of_the_definition(case: Case) -> None:
    score = EntropyLoss().compare(case.data, case.release)
    pairs = {name: slow_bits(case.numbers[name], case.number_cells(name)) for name in NUMBERS}
    pairs |= {name: slow_bits(case.texts[name], case.text_cells(name)) for name in TEXTS}
    lost, most = (sum(pair[place] for pair in pairs.values()) for place in (0, 1))
    assert score.value == pytest.approx(lost / most if most else 0.0, abs=1e-12)
    for name, (part, whole) in pairs.items():
        assert score.detail[name] == pytest.approx(part / whole if whole else 0.0, abs=1e-12)


def slow_expected(values: list[int] | list[str], cell: NumberCell | TextCell) -> float:
    inside = [value for value in values if cell is None or admits(cell, value)]
    return sum(log2(len(inside) / inside.count(value)) for value in inside) / len(inside) if inside else 0.0


@given(cases())
def test_the_expected_loss_is_the_entropy_within_each_cell(case: Case) -> None:
    score = EntropyLoss(keys=("age", "town"), expected=True).compare(case.data, case.release)
    columns = (
        (case.numbers["age"], case.number_cells("age"), "age"),
        (case.texts["town"], case.text_cells("town"), "town"),
    )
    for values, cells, name in columns:
        lost, most = sum(slow_expected(values, cell) for cell in cells), case.rows * slow_expected(values, None)
        assert score.detail[name] == pytest.approx(lost / most if most else 0.0, abs=1e-9)
