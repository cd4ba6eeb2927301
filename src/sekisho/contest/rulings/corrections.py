"""What the referee takes back or sets right; each is an event of its own, so that what was stays written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sekisho.contest.event import ClockSet, Withdrawn
from sekisho.contest.rules.contest_rules import PhaseKind
from sekisho.contest.rulings.phases import plan_windows
from sekisho.contest.rulings.refusal import RefusedError, Ruling, require_phase
from sekisho.contest.state import ContestState, PhaseKey, PhaseWindow
from sekisho.words import Said


def withdraw(state: ContestState, event: Withdrawn) -> Ruling:
    """Take a publication back while nobody has attacked it, or a reveal."""
    require_phase(state, (event.phase, event.round))
    if not event.reason.strip():
        raise RefusedError("reason", Said("a withdrawal says why"))
    if event.phase is PhaseKind.PUBLISH:
        return _withdraw_publication(state, event)
    if event.phase is PhaseKind.REVEAL and state.has_begun(PhaseKind.REVEAL, event.at, event.round):
        windows = {key: window for key, window in state.windows.items() if key != (event.phase, event.round)}
        return Ruling(state=replace(state, windows=windows))
    raise _refuse_nothing(event)


def _withdraw_publication(state: ContestState, event: Withdrawn) -> Ruling:
    if event.round not in state.published:
        raise _refuse_nothing(event)
    if any(entry.is_attack for entry in state.find_entries(event.round)) or state.is_final(event.round, event.at):
        raise RefusedError(
            "attacked",
            Said(
                "round {round} has been attacked: its publication stands, a rejudging can set results right",
                round=event.round,
            ),
        )
    published = {name: numbers for name, numbers in state.published.items() if name != event.round}
    counts = {**state.withdrawn, event.round: state.withdrawn.get(event.round, 0) + 1}
    windows = {
        key: window.end(event.at)
        if key in ((PhaseKind.PUBLISH, event.round), (PhaseKind.ATTACK, event.round)) and window.opens <= event.at
        else window
        for key, window in state.windows.items()
    }
    return Ruling(state=replace(state, published=published, withdrawn=counts, windows=windows))


def _refuse_nothing(event: Withdrawn) -> RefusedError:
    name = f"{event.phase} {event.round}".strip()
    return RefusedError("nothing", Said("there is nothing of {name!r} to take back", name=name))


def set_clock(state: ContestState, event: ClockSet) -> Ruling:
    """Move what the referee did under a clock that was ahead to the moment that it really is; plans stay plans."""
    if event.at >= state.moved:
        raise RefusedError("clock", Said("the clock is not behind {moved}: there is nothing to set", moved=state.moved))
    planned = {} if state.created is None else plan_windows(state.created)
    windows = {key: _shift(state, planned, key, window, event.at) for key, window in state.windows.items()}
    return Ruling(state=replace(state, windows=windows, begun=min(state.begun, event.at), moved=event.at))


def _shift(
    state: ContestState, planned: Mapping[PhaseKey, PhaseWindow], key: PhaseKey, window: PhaseWindow, now: str
) -> PhaseWindow:
    plan = planned.get(key)
    kept = () if plan is None else (plan.opens, plan.closes)

    def shift(moment: str) -> str:
        return now if now < moment <= state.moved and moment not in kept else moment

    return replace(window, opens=shift(window.opens), closes=shift(window.closes))
