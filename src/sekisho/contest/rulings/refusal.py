"""A ruling on an event: the new state, or a refusal with its rule and its reason."""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.state import ContestState, PhaseKey
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why an event is refused: the rule it breaks, and the sentence that says so."""

    rule: str
    reason: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What the referee says to an event.

    Attributes:
        state: the new one; the old one where the event is refused or says nothing new.
        refusal: why the event is refused; None if it is accepted.
        entry: the number of the entry that the event made, or had made when it was first sent.
        repeated: whether the event was sent before, so that nothing is to be written down.
    """

    state: ContestState
    refusal: Refusal | None = None
    entry: int = 0
    repeated: bool = False


class RefusedEventError(Exception):
    """The referee refuses an event."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(refusal.reason)


class RefusedError(Exception):
    """Carries a refusal out of the depth of a rule."""

    def __init__(self, rule: str, reason: Said) -> None:
        self.refusal = Refusal(rule=rule, reason=reason)
        super().__init__(reason)


def require_team(state: ContestState, team: str) -> None:
    """Refuse what names no team."""
    if team not in state.teams:
        raise RefusedError("team", Said("there is no team {team!r}", team=team))


def require_phase(state: ContestState, key: PhaseKey) -> None:
    """Refuse what names no phase of the contest."""
    if state.contest.find_phase(*key) is None:
        name = " ".join(key).strip()
        raise RefusedError("phase", Said("the contest has no phase {name!r}", name=name))


def require_open(state: ContestState, kind: PhaseKind, round_name: str, moment: str) -> None:
    """Refuse what comes while a phase is not open."""
    require_phase(state, (kind, round_name))
    if not state.is_open(kind, round_name, moment):
        name = f"{kind} {round_name}".strip()
        raise RefusedError("phase", Said("the phase {name!r} is not open at {moment}", name=name, moment=moment))


def require_nothing_faulted(state: ContestState, round_name: str = "") -> None:
    """Refuse what must wait until the referee has said what becomes of files on which the platform failed."""
    left = [each.number for each in state.faulted if round_name in ("", each.round) and each.round != PRACTICE_ROUND]
    if left:
        numbers = ", ".join(f"#{number}" for number in left)
        raise RefusedError(
            "faulted",
            Said("the platform failed on {numbers}: requeue these files, or set them aside", numbers=numbers),
        )


def require_nothing_pending(state: ContestState, round_name: str = "") -> None:
    """Refuse what must wait until every file is scored; of one round, if it is named."""
    left = [each.number for each in state.pending if round_name in ("", each.round) and each.round != PRACTICE_ROUND]
    if left:
        raise RefusedError("pending", Said("{left} files are not scored yet", left=len(left)))
