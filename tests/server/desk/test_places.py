"""Addresses bear numbers: what pages lead to is found again, and nothing of the data stands in them."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.server.desk.places import NAMED, HiddenNames


@given(st.lists(st.text(min_size=1)))
def test_every_name_is_found_again_and_has_one_number(names: list[str]) -> None:
    places = HiddenNames()
    hidden = [places.hide(name) for name in names]
    assert [places.read(value) for value in hidden] == names
    assert [places.hide(name) for name in names] == hidden
    assert len(set(hidden)) == len(set(names))


def test_a_query_hides_what_names_something_and_keeps_numbers() -> None:
    places = HiddenNames()
    pairs = [("v", "3"), ("layer", "1"), *((name, f"氏名 {name}") for name in NAMED)]
    query = places.write_query(pairs)
    assert "%" not in query.replace("%7E", "")
    assert [(key, places.read(value)) for key, value in parse_qsl(query)] == pairs


@pytest.mark.parametrize("value", ["~7", "~99999999999999999999", "~x", "~", "~-1", "~１", ""])
def test_a_number_that_was_never_given_is_no_name_of_anybody(value: str) -> None:
    places = HiddenNames()
    places.hide("income")
    assert places.read(value) != "income"


def test_a_name_that_is_typed_is_itself() -> None:
    assert HiddenNames().read("income") == "income"
    assert HiddenNames().hide("") == ""
