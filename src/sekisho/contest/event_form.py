"""Events as plain data and back; what is None is left out, so that a ledger keeps its bytes when events learn more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import cast

from sekisho.contest.event import (
    Adopted,
    Announced,
    Attacked,
    ClockSet,
    Closed,
    Created,
    Event,
    Faulted,
    Opened,
    Published,
    Registered,
    RejudgeClosed,
    RejudgeOpened,
    RejudgeScored,
    Requeued,
    Scored,
    SetAside,
    Submitted,
    Withdrawn,
)
from sekisho.data.files.settings import build_settings
from sekisho.errors import InputError
from sekisho.words import Said

KINDS: dict[str, type[Event]] = {
    each.kind: each
    for each in (
        Created,
        Registered,
        Opened,
        Closed,
        Submitted,
        Attacked,
        Scored,
        Faulted,
        Requeued,
        SetAside,
        Published,
        RejudgeOpened,
        RejudgeScored,
        RejudgeClosed,
        Announced,
        Withdrawn,
        ClockSet,
        Adopted,
    )
}


def write_event(event: Event) -> dict[str, object]:
    """Return an event as plain data; what is None is left out."""
    return {"kind": event.kind} | cast("dict[str, object]", _make_plain(event))


def read_event(table: Mapping[str, object], source: str) -> Event:
    """Return the event that plain data say.

    Raises:
        SettingsError: keys or values are wrong; all of them at once.
        InputError: there is no such kind.
    """
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(source, Said("there is no event of the kind {kind!r}", kind=kind))
    rest = {name: value for name, value in table.items() if name != "kind"}
    return build_settings(rest, KINDS[kind], source=source)


def _make_plain(value: object, *, real: bool = False) -> object:
    """Return plain data; a whole number where a real one may stand is written as one, as it will be read."""
    if is_dataclass(value) and not isinstance(value, type):
        items = [(item, getattr(value, item.name)) for item in fields(value)]
        return {
            item.name: _make_plain(part, real="float" in str(item.type)) for item, part in items if part is not None
        }
    if isinstance(value, Mapping):
        return {str(name): _make_plain(item, real=real) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_make_plain(item, real=real) for item in value]
    if isinstance(value, str):
        return str(value)
    return float(value) if real and isinstance(value, int) and not isinstance(value, bool) else value
