"""What may be read by whom, and from when on: one table, which every door asks.

The referee reads everything but what stays in the vault; nobody reads that. A round's original is handed out when the
round opens (practice is on the data of the first round, so that one's already with practice); what is published, when
the round is published; results, when the round, or for the standings of all the contest, is revealed and everything is
scored. What is published of practice reaches all teams as soon as it is valid.

What a team is told of its own files before the reveal: nothing of the score, a band, rounded figures, or all.

Exact scores let teams infer the answers from many small trials. Whether a file is valid, and what is wrong with it, is
always told in full: that follows from the file and from what its team holds anyway.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sekisho.contest.rules import OF_A_ROUND, PRACTICE_ROUND, ContestRules, Feedback, PhaseKind
from sekisho.contest.rulings.deadline import is_strict
from sekisho.contest.rulings.refusal import RefusedError
from sekisho.contest.scoring import AttackScore, ReleaseScore
from sekisho.contest.state import ContestEntry, ContestState
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


Shown = dict[str, object]


def find_feedback(state: ContestState, entry: ContestEntry, moment: str) -> Feedback:
    """Return how much the team of an entry is told of it: all after the reveal, before as its phase says."""
    if is_revealed(state, entry.round, moment):
        return Feedback.FULL
    if entry.round == PRACTICE_ROUND:
        phase = state.contest.find_phase(PhaseKind.PRACTICE)
    else:
        kind = PhaseKind.ATTACK if entry.is_attack else PhaseKind.ANONYMISE
        phase = state.contest.find_phase(kind, entry.round)
    return Feedback.NONE if phase is None else phase.feedback


def show_entry(state: ContestState, entry: ContestEntry, moment: str) -> Shown:
    """Return what the team of an entry is told of it at a moment."""
    shown: Shown = {"entry": entry.number, "at": entry.at, "round": entry.round, "status": str(entry.status)}
    shown |= {"target": entry.target} if entry.is_attack else {}
    shown |= {"faults": entry.faults} if entry.faults else {}
    worth = entry.worth
    if worth is None:
        return shown
    showing = SHOWING[find_feedback(state, entry, moment)]
    if isinstance(worth, AttackScore):
        return shown | {"claimed": worth.claimed} | showing(_list_attack(worth, state.contest), state.contest)
    return shown | showing(_list_release(worth, state.contest), state.contest)


def _list_release(score: ReleaseScore, contest: ContestRules) -> Shown:
    """Return the figures of a release; where totals rank it nothing disqualifies it."""
    figures: Shown = {} if score.utility is None else {"utility": score.utility}
    figures |= {} if contest.board is not None else {"qualified": score.qualified, "broken": list(score.broken)}
    return figures | dict(score.detail)


def _list_attack(score: AttackScore, contest: ContestRules) -> Shown:
    """Return the figures of an attack; where totals rank releases none breaks one."""
    figures: Shown = {"hits": score.hits}
    figures |= {} if contest.board is not None else {"effective": score.effective}
    figures |= {} if score.threshold is None else {"threshold": score.threshold}
    figures |= {} if score.risk is None else {"risk": score.risk}
    return figures | dict(score.detail)


def _show_nothing(figures: Shown, contest: ContestRules) -> Shown:
    del figures, contest
    return {}


def _show_band(figures: Shown, contest: ContestRules) -> Shown:
    """Show in which band the first real figure lies; of an attack on a history, its share of right guesses has none."""
    value = figures.get("utility", figures.get("risk"))
    if not isinstance(value, float | int):
        return {}
    place = (bisect_left if contest.upper_inside else bisect_right)(contest.bands, value)
    low = None if place == 0 else contest.bands[place - 1]
    high = None if place == len(contest.bands) else contest.bands[place]
    return {"band": [low, high]}


def _show_rounded(figures: Shown, contest: ContestRules) -> Shown:
    """Show the figures rounded; counts of hits, which cannot be rounded away, are left out.

    Where totals rank releases the parts of an attack are such counts, too.
    """
    whole = "hits" in figures and contest.board is not None
    kept = ("risk",) if whole else tuple(name for name in figures if name not in ("hits", "effective"))
    shown = {name: value for name, value in figures.items() if name in kept}
    return {
        name: round(value, contest.digits) + 0.0 if isinstance(value, float) else value for name, value in shown.items()
    }


def _show_all(figures: Shown, contest: ContestRules) -> Shown:
    del contest
    return figures


SHOWING: dict[Feedback, Callable[[Shown, ContestRules], Shown]] = {
    Feedback.NONE: _show_nothing,
    Feedback.BAND: _show_band,
    Feedback.ROUNDED: _show_rounded,
    Feedback.FULL: _show_all,
}
