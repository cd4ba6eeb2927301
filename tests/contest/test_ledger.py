"""A ledger must show every change to its lines, and be read and written to the same bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.contest.event import Announced, Created, Event, Registered, Scored
from sekisho.contest.ledger import START, Head, chain_event, read_event, read_ledger, write_event, write_ledger
from sekisho.contest.rules import ContestRules
from sekisho.contest.scoring import AttackScore, ReleaseScore
from sekisho.errors import InputError, ParameterError, SettingsError

AT = "2026-01-01T00:00:00.000000Z"
DIGEST = "ab" * 32
EVENTS: tuple[Event, ...] = (
    Created(at=AT, name="x", rules=DIGEST, contest=ContestRules().settle_rounds("final"), originals={"final": DIGEST}),
    Registered(at=AT, team="チーム1"),
    Scored(at=AT, entry=1, scorer="s", release=ReleaseScore(utility=1, detail={"date": 0.1})),
    Scored(at=AT, entry=2, scorer="s", attack=AttackScore(claimed=3, hits=1, effective=False, risk=0.25)),
    Announced(at=AT, en="a\nb", ja="あ"),
)


def test_a_ledger_is_read_back_and_written_to_the_same_bytes() -> None:
    data = write_ledger(EVENTS)
    events, head = read_ledger(data, "ledger")
    assert write_ledger(events) == data
    assert head.count == len(EVENTS)
    assert data.decode().splitlines()[-1].find(head.digest) > 0
    assert read_ledger(b"", "ledger") == ((), Head(0, START))


def test_a_line_goes_behind_the_one_before() -> None:
    first, head = chain_event(Head(), EVENTS[0])
    second, _ = chain_event(head, EVENTS[1])
    assert write_ledger(EVENTS[:2]) == first + second
    assert b'"previous":"' + START.encode() in first
    assert f'"previous":"{head.digest}"'.encode() in second


@given(place=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_no_byte_can_be_changed(place: int, byte: int) -> None:
    data = bytearray(write_ledger(EVENTS))
    place %= len(data)
    if data[place] == byte:
        return
    data[place] = byte
    with pytest.raises((InputError, SettingsError)):
        read_ledger(bytes(data), "ledger")


@given(st.permutations(range(len(EVENTS))), st.integers(0, len(EVENTS)))
def test_lines_cannot_be_moved_or_left_out(order: list[int], kept: int) -> None:
    lines = write_ledger(EVENTS).splitlines(keepends=True)
    chosen = order[:kept]
    if chosen == list(range(kept)):  # a beginning is a ledger of its own
        assert read_ledger(b"".join(lines[:kept]), "ledger")[0] == EVENTS[:kept]
        return
    with pytest.raises(InputError, match="does not continue the chain"):
        read_ledger(b"".join(lines[place] for place in chosen), "ledger")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"{", "line 1 is incomplete"),
        (b"{\n", "line 1 is not JSON"),
        (b"[]\n", "no line of a ledger"),
        (b'{"n":1,"previous":"","hash":"","event":{"kind":"won"}}\n', "no event of the kind 'won'"),
        (b'{"n":1,"previous":"","hash":"","event":NaN}\n', "is not JSON"),
        (b"\xff\n", "is not JSON"),
    ],
)
def test_what_is_no_line_is_named(line: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_ledger(line, "ledger")


def test_an_event_with_a_wrong_key_is_refused_with_all_its_faults() -> None:
    with pytest.raises(SettingsError) as caught:
        read_event({"kind": "registered", "at": 3, "tem": "a"}, "ledger")
    assert [fault.column for fault in caught.value.faults] == ["tem", "at", "team"]
    assert read_event(write_event(EVENTS[2]), "ledger") == EVENTS[2]


@pytest.mark.parametrize("at", ["2026-01-01", "2026-13-01T00:00:00.000000Z", "2026-01-01T00:00:00Z", "x"])
def test_a_moment_has_one_form(at: str) -> None:
    with pytest.raises(ParameterError, match="moment must"):
        Registered(at=at, team="a")


def test_what_no_ledger_can_hold_is_no_event() -> None:
    with pytest.raises(ParameterError, match="en must be text"):
        Announced(at=AT, en="\udcff")
    with pytest.raises(ParameterError, match="team must be text"):
        Registered(at=AT, team="a\udcff")
