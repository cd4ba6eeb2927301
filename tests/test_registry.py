"""Things are found by name, ours before strangers', and a wrong name is answered kindly."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from importlib.metadata import EntryPoint

import pytest

from sekisho import registry
from sekisho.errors import UnknownNameError
from sekisho.registry import Registry

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


def test_two_registries_together_know_both_names_and_the_first_ones_prevail() -> None:
    one: Registry[object] = Registry(kind="thing", group="none.a", builtin={"a": "fractions:Fraction", "b": "m:x"})
    other: Registry[object] = Registry(kind="other", group="none.b", builtin={"a": "m:y", "c": "datetime:date"})
    both = one | other
    assert list(both) == ["a", "b", "c"]
    assert (both["a"], both["c"], both.kind) == (Fraction, date, "thing")
