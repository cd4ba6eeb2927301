"""What may be read by whom, and from when on: one table, which every door asks.

The referee reads everything but what stays in the vault; nobody reads that. A round's original is handed out when the
round opens (practice is on the data of the first round, so that one's already with practice); what is published, when
the round is published; results, when the round, or for the standings of all the contest, is revealed and everything is
scored. What is published of practice reaches all teams as soon as it is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sekisho.contest.rules.contest_rules import OF_A_ROUND, PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.edition import is_strict
from sekisho.contest.rulings.refusal import RefusedError
from sekisho.contest.state import ContestState
from sekisho.words import Said

WHOLE_CONTEST = ""


class Thing(StrEnum):
    """What somebody may want to read."""

    SAMPLE = "sample"
    ORIGINAL = "original"
    PUBLISHED = "published"
    TEST = "test"
    RESULTS = "results"
    OWN_FILES = "own files"
    RECORDS = "records"
    TRUTH = "truth"


class Audience(StrEnum):
    """Who may, once the time has come; the referee is in all of them but the last."""

    EVERYBODY = "everybody"
    TEAMS = "teams"
    OWNER = "owner"
    REFEREE = "referee"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """Whom a thing is for, and since when: a question about the state, a round and a moment."""

    to: Audience
    since: Callable[[ContestState, str, str], bool]


def may_read(state: ContestState, thing: Thing, round_name: str, moment: str) -> bool:
    """Tell whether the time of a thing of a round has come."""
    return DISCLOSURES[thing].since(state, round_name, moment)


def require_disclosed(state: ContestState, thing: Thing, round_name: str, moment: str) -> None:
    """Refuse what is asked for before its time."""
    if not may_read(state, thing, round_name, moment):
        raise RefusedError(
            "not-yet",
            Said("what is asked for of round {round_name} is not handed out yet", round_name=round_name),
        )


def is_revealed(state: ContestState, round_name: str, moment: str) -> bool:
    """Tell whether the results of a round are everybody's; of the whole contest, if none is named.

    A planned reveal waits until everything is scored: results that were shown do not change by what came before.
    """
    if round_name in (WHOLE_CONTEST, PRACTICE_ROUND):
        begun = state.has_begun(PhaseKind.REVEAL, moment)
    else:
        begun = state.is_final(round_name, moment)
    if not begun or not is_strict(state):
        return begun
    waiting = {entry.round for entry in (*state.pending, *state.faulted)} - {PRACTICE_ROUND}
    return round_name not in waiting and not (round_name == WHOLE_CONTEST and waiting)


def _always(state: ContestState, round_name: str, moment: str) -> bool:
    del state, round_name, moment
    return True


def _never(state: ContestState, round_name: str, moment: str) -> bool:
    del state, round_name, moment
    return False


def _has_opened(state: ContestState, round_name: str, moment: str) -> bool:
    first = state.contest.round_names[0]
    if round_name in (first, PRACTICE_ROUND) and state.has_begun(PhaseKind.PRACTICE, moment):
        return True
    return any(state.has_begun(kind, moment, round_name) for kind in OF_A_ROUND) or round_name in state.published


def _is_published(state: ContestState, round_name: str, moment: str) -> bool:
    del moment
    return round_name == PRACTICE_ROUND or round_name in state.published


DISCLOSURES: Mapping[Thing, Disclosure] = {
    Thing.SAMPLE: Disclosure(to=Audience.EVERYBODY, since=_always),
    Thing.ORIGINAL: Disclosure(to=Audience.TEAMS, since=_has_opened),
    Thing.PUBLISHED: Disclosure(to=Audience.TEAMS, since=_is_published),
    Thing.TEST: Disclosure(to=Audience.OWNER, since=_is_published),
    Thing.RESULTS: Disclosure(to=Audience.EVERYBODY, since=is_revealed),
    Thing.OWN_FILES: Disclosure(to=Audience.OWNER, since=_always),
    Thing.RECORDS: Disclosure(to=Audience.REFEREE, since=_always),
    Thing.TRUTH: Disclosure(to=Audience.NOBODY, since=_never),
}
