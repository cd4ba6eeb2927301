"""Things are found by name, ours before strangers', and a wrong name is answered kindly."""

from __future__ import annotations

from fractions import Fraction
from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from sekisho import registry
from sekisho.errors import ParameterError, UnknownNameError
from sekisho.registry import Registry


class One:
    shapes: ClassVar[frozenset[str]] = frozenset({"round"})


class Two:
    shapes: ClassVar[frozenset[str]] = frozenset({"round", "square"})


NUMBERS: Registry[object] = Registry(kind="number", group="test.numbers", builtin={"exact": "fractions:Fraction"})


def test_a_built_in_is_made_by_name_with_its_parameters() -> None:
    assert NUMBERS.make("exact", numerator=1, denominator=3) == Fraction(1, 3)
    assert list(NUMBERS) == ["exact"]
    assert "exact" in NUMBERS


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="no number named 'exakt'; did you mean 'exact'"):
        _ = NUMBERS["exakt"]


def test_a_stranger_is_found_by_entry_point_but_cannot_take_our_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def points(*, group: str) -> list[EntryPoint]:
        taken = [("decimal", "decimal:Decimal"), ("exact", "decimal:Decimal")]
        return [EntryPoint(name=name, value=value, group=group) for name, value in taken]

    monkeypatch.setattr(registry, "entry_points", points)
    numbers: Registry[object] = Registry(kind="number", group="test.numbers", builtin=NUMBERS.builtin)
    assert list(numbers) == ["decimal", "exact"]
    assert numbers["exact"] is Fraction


def test_what_suits_a_shape_is_listed_and_what_does_not_is_refused_with_what_it_suits() -> None:
    things: Registry[object] = Registry(
        kind="thing",
        group="test.things",
        builtin={"one": f"{__name__}:One", "two": f"{__name__}:Two"},
    )
    assert list(things.find_names("round")) == ["one", "two"]
    assert list(things.find_names("square")) == ["two"]
    assert things.find_class("two", "square") is things["two"]
    with pytest.raises(ParameterError, match=r"thing must suit square, not 'one' \(one suits round\)"):
        things.find_class("one", "square")


def test_a_stranger_that_does_not_say_its_shapes_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="number exact must say in a frozenset `shapes`"):
        NUMBERS.shapes("exact")
