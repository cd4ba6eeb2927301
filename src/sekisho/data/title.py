"""What data or a contest over them are called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """A name in both languages."""

    en: str
    ja: str
