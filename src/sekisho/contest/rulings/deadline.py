"""Deadlines: which phase takes a file in, and until when.

A file is taken if its request began while the phase was open and the file was whole before the deadline, or within the
contest's grace after it. Where the referee ends a phase himself, by closing it or by opening what comes next, there is
no grace: what was not ruled on by then is late, whatever its moments say. Nothing is added to what is revealed.

Editions of the referee's rulings: a ledger is ruled on by the edition that it names, so that old contests replay.

The first edition took a file by the moment at which its request began, and let rounds be published empty or while the
platform had failed on files. The second goes by the moment at which a file is whole, lets nothing enter a phase after
what follows has begun, publishes and reveals nothing while a file is faulted, and registers no team whose name looks
like another's.
"""

from __future__ import annotations

from dataclasses import replace

from sekisho.contest.event import Adopted, Attacked, Submitted
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind, add_seconds
from sekisho.contest.rulings.refusal import RefusedError, Ruling, require_open
from sekisho.contest.state import ContestEntry, ContestState, EntryStatus, PhaseWindow
from sekisho.words import Said

FIRST_EDITION, EDITION = 1, 2


def is_strict(state: ContestState) -> bool:
    """Tell whether the next event is ruled on by the second edition."""
    return state.edition >= EDITION


def require_edition(edition: int | None) -> int:
    """Return the edition that a contest names; refuse one that this program does not know."""
    asked = FIRST_EDITION if edition is None else edition
    if not FIRST_EDITION <= asked <= EDITION:
        raise RefusedError(
            "edition",
            Said(
                "the contest is held under edition {asked} of the rulings; this program knows editions up to {edition}",
                asked=asked,
                edition=EDITION,
            ),
        )
    return asked


def adopt_edition(state: ContestState, event: Adopted) -> Ruling:
    """Go on under a later edition; files on which the platform failed and for which nothing waits are set aside."""
    edition = require_edition(event.edition)
    if edition <= state.edition:
        raise RefusedError(
            "edition",
            Said("the contest is held under edition {edition} already", edition=state.edition),
        )
    entries = tuple(
        replace(entry, set_aside=True) if _is_past(state, entry, event.at) else entry for entry in state.entries
    )
    return Ruling(state=replace(state, edition=edition, entries=entries))


def _is_past(state: ContestState, entry: ContestEntry, moment: str) -> bool:
    if entry.status is not EntryStatus.FAULTED or entry.round == PRACTICE_ROUND:
        return False
    return state.is_final(entry.round, moment) or (not entry.is_attack and entry.round in state.published)


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
