"""A settings file is read into frozen types, or refused with every error at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from tests.data.files.settings_text import parse_settings

from sekisho.data.frame.dataset import Kind
from sekisho.errors import InputError, ParameterError, SettingsError
from sekisho.words import quote_words


@dataclass(frozen=True, kw_only=True)
class Part:
    kind: Kind
    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ParameterError("size", quote_words("be at least 1"), self.size)


@dataclass(frozen=True, kw_only=True)
class Whole:
    name: str
    p: Fraction = Fraction(1, 2)
    rate: float = 0.5
    strict: bool = False
    seed: int | None = None
    parts: tuple[Part, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    made: int = field(default=0, metadata={"derived": True})


def test_every_kind_of_value_is_read() -> None:
    lines = ('name = "x"', 'p = "1/3"', "rate = 1", "strict = true", "seed = 4", "weights = { a = 2 }")
    text = "\n".join((*lines, "[[parts]]", 'kind = "date"', "size = 2"))
    part = Part(kind=Kind.DATE, size=2)
    whole = Whole(name="x", p=Fraction(1, 3), rate=1.0, strict=True, seed=4, parts=(part,), weights={"a": 2.0})
    assert parse_settings(text, Whole, source="f") == whole


def test_all_errors_come_at_once_with_their_places() -> None:
    text = (
        'p = "a/b"\nrate = "fast"\nstrict = 1\nseed = true\nmade = 3\nextra = 1\n'
        '[[parts]]\nkind = "colour"\n[[parts]]\nkind = "date"\nsize = 0\n[weights]\na = "heavy"'
    )
    with pytest.raises(SettingsError) as caught:
        parse_settings(text, Whole, source="f")
    places = {fault.column for fault in caught.value.faults}
    expected = {"name", "p", "rate", "strict", "seed", "made", "extra", "parts.1.kind", "parts.2.size", "weights.a"}
    assert places == expected


@pytest.mark.parametrize(
    "text", ["parts = 3\nname = ''", "parts = [3]\nname = ''", "weights = 3\nname = ''", "name = 3"]
)
def test_the_wrong_shape_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="must be"):
        parse_settings(text, Whole, source="f")


def test_what_is_not_toml_is_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match="f: is not TOML"):
        parse_settings("= 3", Whole, source="f")
