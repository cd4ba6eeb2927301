"""An append-only ledger: one line of canonical JSON for each event, each line chained to the one before by its digest.

A changed, dropped, doubled or moved line breaks the chain. What the chain cannot show is that lines are missing at its
end, or that all of it was written anew: whoever wants to be sure notes the last digest (the head) somewhere else.

Events as plain data and back; what is None is left out, so that a ledger keeps its bytes when events learn more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from typing import NoReturn, cast

from sekisho.contest.event import (
    Adopted,
    Announced,
    Attacked,
    Chosen,
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
        Chosen,
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


START = "0" * 64
KEYS = {"n", "previous", "event", "hash"}


@dataclass(frozen=True, slots=True)
class Head:
    """Where a ledger ends: how many lines it has, and the last one's digest."""

    count: int = 0
    digest: str = START


def write_canonical(value: object) -> str:
    """Return plain data as JSON in one way only: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_text(text: str) -> str:
    """Return the SHA-256 of a text."""
    return digest_bytes(text.encode())


def digest_bytes(data: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return sha256(data).hexdigest()


def chain_event(head: Head, event: Event) -> tuple[bytes, Head]:
    """Return the line of an event behind a head, and the new head."""
    body = {"n": head.count + 1, "previous": head.digest, "event": write_event(event)}
    digest = digest_text(write_canonical(body))
    return (write_canonical(body | {"hash": digest}) + "\n").encode(), Head(head.count + 1, digest)


def write_ledger(events: Iterable[Event]) -> bytes:
    """Return the whole ledger of some events."""
    head, lines = Head(), list[bytes]()
    for event in events:
        line, head = chain_event(head, event)
        lines.append(line)
    return b"".join(lines)


def read_ledger(data: bytes, source: object) -> tuple[tuple[Event, ...], Head]:
    """Return the events of a ledger, and its head, having checked the chain and that every line is canonical.

    Raises:
        InputError: a line is damaged or does not belong where it stands; the first such line is named.
    """
    if data and not data.endswith(b"\n"):
        lines = data.count(b"\n") + 1
        raise InputError(source, Said("line {lines} is incomplete: the ledger was cut", lines=lines))
    head, events = Head(), list[Event]()
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        event = _read_line(line, number, source)
        expected, head = chain_event(head, event)
        if expected != line + b"\n":
            raise InputError(
                source,
                Said("line {number} does not continue the chain: it was changed, or lines are missing", number=number),
            )
        events.append(event)
    return tuple(events), head


def _read_line(line: bytes, number: int, source: object) -> Event:
    place = f"{source}, line {number}"
    try:
        entry: object = json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(source, Said("line {number} is not JSON", number=number)) from error
    if not isinstance(entry, dict) or set(entry) != KEYS or not isinstance(entry["event"], dict):
        raise InputError(
            source,
            Said(
                "line {number} is no line of a ledger: it must have {keys}", number=number, keys=", ".join(sorted(KEYS))
            ),
        )
    return read_event(cast("Mapping[str, object]", entry["event"]), place)


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(word)
