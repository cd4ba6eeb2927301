"""What there is to do now: the phases that are open, those that come next, and how much of each a team has done."""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.state import ContestState, EntryStatus
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.routes.entries import show_left
from sekisho.server.contest.routes.models import Left


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Something to do, or to wait for.

    Attributes:
        address: of the page where it is done; empty where there is nothing to do but wait.
        closes: the deadline; empty without one.
        left: how many releases may still be handed in.
        missing: releases that the team has not attacked yet.
    """

    kind: str
    round: str
    address: str = ""
    closes: str = ""
    left: Left | None = None
    missing: tuple[str, ...] = ()


def list_tasks(state: ContestState, who: Principal, at: str) -> list[Task]:
    """Return what somebody can do now, in the order of the phases."""
    tasks: list[Task] = []
    for phase in state.contest.every_phase:
        window = state.windows.get((phase.kind, phase.round))
        if window is None or not window.holds(at):
            continue
        if phase.kind is PhaseKind.REGISTER and (who.team or who.is_referee):
            continue
        tasks.append(_describe(state, who, phase.kind, phase.round, window.closes))
    return tasks


def _describe(state: ContestState, who: Principal, kind: PhaseKind, round_name: str, closes: str) -> Task:
    name = PRACTICE_ROUND if kind is PhaseKind.PRACTICE else round_name
    releasing = kind in (PhaseKind.PRACTICE, PhaseKind.ANONYMISE)
    attacking = kind in (PhaseKind.PRACTICE, PhaseKind.ATTACK)
    return Task(
        kind=str(kind),
        round=name if name != PRACTICE_ROUND else "",
        address=_find_address(kind, name, who),
        closes=closes,
        left=show_left(state, name, who.team, "") if releasing and who.team else None,
        missing=list_missing(state, name, who.team) if attacking and who.team else (),
    )


def _find_address(kind: PhaseKind, round_name: str, who: Principal) -> str:
    if kind is PhaseKind.REGISTER:
        return "/register"
    if kind is PhaseKind.REVEAL:
        return "/standings"
    if not who.team:
        return ""
    if kind in (PhaseKind.PRACTICE, PhaseKind.ANONYMISE):
        return f"/release?round={round_name}"
    return f"/targets?round={round_name}" if kind is PhaseKind.ATTACK else ""


def list_missing(state: ContestState, round_name: str, team: str) -> tuple[str, ...]:
    """Return the releases of a round that a team has not attacked with a valid file yet."""
    return tuple(
        target
        for target in sorted(state.teams)
        if target != team
        and state.find_target(round_name, target) is not None
        and not any(each.status is EntryStatus.VALID for each in state.find_entries(round_name, team, target))
    )


def find_next(state: ContestState, at: str) -> Task | None:
    """Return the phase that opens next, with the moment when it does as its deadline."""
    coming = [(window.opens, key) for key, window in state.windows.items() if window.opens > at]
    if not coming:
        return None
    opens, (kind, round_name) = min(coming)
    return Task(kind=str(kind), round=round_name, closes=opens)


def list_rounds(state: ContestState, kind: PhaseKind, at: str) -> list[str]:
    """Return the rounds in which something of a kind can be handed in now, practice last."""
    names = [name for name in state.contest.round_names if state.is_open(kind, name, at)]
    return [*names, PRACTICE_ROUND] if state.is_open(PhaseKind.PRACTICE, "", at) else names
