"""The referee of a whole contest: ``step(state, event)`` gives the new state, or says why the event is refused.

Pure: the clock is inside the event, files are their digests, what a file is worth comes as an event of its own. So the
events of a ledger, taken one after another, give the same contest every time and everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

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
from sekisho.contest.rulings import deadline, entries, phases
from sekisho.contest.rulings.refusal import RefusedError, Ruling
from sekisho.contest.state import ContestState
from sekisho.errors import InputError
from sekisho.words import Said


def step(state: ContestState, event: Event) -> Ruling:
    """Return what becomes of a contest by an event."""
    try:
        _check_order(state, event)
        ruling = HANDLERS[type(event)](state, event)
    except RefusedError as error:
        return Ruling(state=state, refusal=error.refusal)
    if event.by_referee and not ruling.repeated:
        ruling = replace(ruling, state=replace(ruling.state, moved=event.at))
    return ruling


def replay(events: Iterable[Event], source: object = "the ledger") -> ContestState:
    """Return where a contest stands after some events, all of which must have been accepted.

    Raises:
        InputError: one of them is refused, or says nothing new: no referee wrote this ledger.
    """
    state = ContestState()
    for number, event in enumerate(events, 1):
        ruling = step(state, event)
        if ruling.refusal is not None:
            raise InputError(
                source,
                Said(
                    "line {number}: the referee refuses the event: {reason}",
                    number=number,
                    reason=ruling.refusal.reason,
                ),
            )
        if ruling.repeated:
            raise InputError(
                source, Said("line {number}: the event was sent before and is not written down twice", number=number)
            )
        state = ruling.state
    return state


def _check_order(state: ContestState, event: Event) -> None:
    if isinstance(event, Created):
        if state.created is not None:
            raise RefusedError("created", Said("the contest has begun already"))
        return
    if state.created is None:
        raise RefusedError("created", Said("there is no contest yet"))
    if isinstance(event, ClockSet):
        return
    if event.at < state.begun or (event.by_referee and event.at < state.moved):
        raise RefusedError(
            "clock",
            Said("{at} lies before what the referee did last, {moved}", at=event.at, moved=state.moved),
        )


HANDLERS: dict[type[Event], Callable[[ContestState, Any], Ruling]] = {
    Created: phases.create_contest,
    Registered: phases.register_team,
    Opened: phases.open_phase,
    Closed: phases.close_phase,
    Published: phases.publish_round,
    Announced: phases.announce,
    Submitted: entries.submit_release,
    Attacked: entries.submit_attack,
    Chosen: entries.choose_entry,
    Scored: entries.score_entry,
    Faulted: entries.excuse_entry,
    Requeued: entries.requeue_entry,
    SetAside: entries.set_entry_aside,
    Withdrawn: phases.withdraw,
    ClockSet: phases.set_clock,
    Adopted: deadline.adopt_edition,
    RejudgeOpened: entries.open_rejudging,
    RejudgeScored: entries.score_again,
    RejudgeClosed: entries.close_rejudging,
}
"""What the referee does with each kind of event."""
