"""A recipe read as far as it goes: what is wrong is noted, and the rest is looked at all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from sekisho.data.files.settings import build_settings
from sekisho.errors import Fault, SettingsError

T = TypeVar("T")


def build_leniently(settings: Mapping[str, object], cls: type[T], *, source: str) -> tuple[T, list[Fault]]:
    """Return settings without the keys at the top that are wrong, or hold something wrong, and all these faults.

    Every field of the class must have a default. Where keys do not go together, nothing else is looked at.
    """
    faults: list[Fault] = []
    left = dict(settings)
    while True:
        try:
            return build_settings(left, cls, source=source), faults
        except SettingsError as error:
            faults += error.faults
            wrong = {
                key
                for key in left
                for fault in error.faults
                if fault.column == key or fault.column.startswith(f"{key}.")
            }
            left = {key: value for key, value in left.items() if key not in wrong} if wrong else {}
