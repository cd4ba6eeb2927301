"""Whoever adds a guarantee gets these tests with it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from inspect import getdoc, getmodule
from typing import Any, cast

import pytest

from sekisho.data.shape import Shape
from sekisho.safety import GUARANTEES

NAMES = tuple(GUARANTEES)


@pytest.mark.parametrize("name", NAMES)
def test_a_guarantee_is_a_frozen_value_that_says_whom_it_is_kept_against_and_names_its_source(name: str) -> None:
    kind: Any = GUARANTEES[name]
    assert is_dataclass(kind)
    assert cast("Any", kind).__dataclass_params__.frozen
    assert all(item.kw_only and item.metadata.get("help") for item in fields(kind))
    assert GUARANTEES.make(name) == GUARANTEES.make(name)
    about = getdoc(getmodule(kind)) or ""
    assert "Against whom:" in about
    assert "Source:" in about


@pytest.mark.parametrize("name", NAMES)
def test_a_guarantee_says_which_shapes_it_suits(name: str) -> None:
    shapes = GUARANTEES.shapes(name)
    assert shapes
    assert shapes <= set(Shape)
