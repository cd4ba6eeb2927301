"""Deadlines: which phase takes a file in, and until when.

A file is taken if its request began while the phase was open and the file was whole before the deadline, or within the
contest's grace after it. Where the referee ends a phase himself, by closing it or by opening what comes next, there is
no grace: what was not ruled on by then is late, whatever its moments say. Nothing is added to what is revealed.
"""

from __future__ import annotations

from sekisho.contest.event import Attacked, Submitted
from sekisho.contest.moment import add_seconds
from sekisho.contest.rules.contest_rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.edition import is_strict
from sekisho.contest.rulings.refusal import RefusedError, require_open
from sekisho.contest.state import ContestState, PhaseWindow
from sekisho.words import Said


def require_in_time(state: ContestState, kind: PhaseKind, event: Submitted | Attacked) -> None:
    """Refuse a file that comes while its phase does not take it."""
    round_name = "" if kind is PhaseKind.PRACTICE else event.round
    require_open(state, kind, round_name, event.at)
    if not is_strict(state):
        return
    window, whole = state.windows[kind, round_name], event.whole or event.at
    if whole < event.at:
        raise RefusedError(
            "whole",
            Said("the file cannot be whole at {whole}, before its request began at {at}", whole=whole, at=event.at),
        )
    if window.ended:
        raise _refuse_late(kind, round_name)
    end = find_last_moment(state, window)
    if end and whole >= end:
        raise RefusedError(
            "late",
            Said("the file was whole at {whole}; the last moment was {end}, the grace included", whole=whole, end=end),
        )
    if event.round != PRACTICE_ROUND and state.is_final(event.round, whole):
        raise _refuse_late(kind, round_name)


def find_last_moment(state: ContestState, window: PhaseWindow) -> str:
    """Return the moment before which a file must be whole; empty without a deadline."""
    if not window.closes or window.ended:
        return window.closes
    return add_seconds(window.closes, state.contest.grace_seconds)


def is_still_arriving(state: ContestState, kind: PhaseKind, round_name: str, moment: str) -> bool:
    """Tell whether files that began in time may still arrive at a moment."""
    window = state.windows.get((kind, round_name))
    if window is None or window.ended or not window.closes or window.opens > moment:
        return False
    return moment < find_last_moment(state, window)


def _refuse_late(kind: PhaseKind, round_name: str) -> RefusedError:
    name = f"{kind} {round_name}".strip()
    return RefusedError(
        "late",
        Said("the phase {name!r} was ended before the file was whole: what follows has begun", name=name),
    )
