"""Settings from a text, for tests."""

from __future__ import annotations

from typing import TypeVar

from sekisho.data.files.settings import build_settings, parse_toml

T = TypeVar("T")


def parse_settings(text: str, cls: type[T], *, source: str) -> T:
    """Return the settings in a TOML text as a frozen dataclass."""
    return build_settings(parse_toml(text, source), cls, source=source)
