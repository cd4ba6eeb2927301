"""Whoever adds a primary rule gets these tests with it: it is a value that suits tables, and a word names it."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, cast

import pytest

from sekisho.data.shape import Shape
from sekisho.tables.rules import CELL_RULES
from sekisho.tables.rules.table_rules import rule

WORDS = {"min": "min:3", "nk": "nk:1,50", "p%": "p%:15", "pq": "pq:10,50", "request": "request:70,3", "zeros": "zeros"}
NAMES = tuple(CELL_RULES)


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_is_a_frozen_value_that_suits_tables_and_can_be_named(name: str) -> None:
    kind: Any = CELL_RULES[name]
    assert is_dataclass(kind)
    assert cast("Any", kind).__dataclass_params__.frozen
    assert CELL_RULES.shapes(name) == {Shape.TABLE}
    assert type(rule(WORDS[name])) is kind
    assert rule(WORDS[name]) == rule(WORDS[name].upper())
