"""What a team is told of its own files before the reveal: nothing of the score, a band, rounded figures, or all.

Exact scores let teams infer the answers from many small trials. Whether a file is valid, and what is wrong with it, is
always told in full: that follows from the file and from what its team holds anyway.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from sekisho.contest.result import AttackScore, ReleaseScore
from sekisho.contest.rules.contest_rules import PRACTICE_ROUND, ContestRules, Feedback, PhaseKind
from sekisho.contest.rulings.disclosure import is_revealed
from sekisho.contest.state import ContestEntry, ContestState

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
        return shown | {"claimed": worth.claimed} | showing(_list_attack(worth), state.contest)
    return shown | showing(_list_release(worth), state.contest)


def _list_release(score: ReleaseScore) -> Shown:
    utility: Shown = {} if score.utility is None else {"utility": score.utility}
    return utility | {"qualified": score.qualified, "broken": list(score.broken), **score.detail}


def _list_attack(score: AttackScore) -> Shown:
    figures: Shown = {"hits": score.hits, "effective": score.effective}
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
    place = bisect_right(contest.bands, value)
    low = None if place == 0 else contest.bands[place - 1]
    high = None if place == len(contest.bands) else contest.bands[place]
    return {"band": [low, high]}


def _show_rounded(figures: Shown, contest: ContestRules) -> Shown:
    """Show the figures rounded; counts of hits, which cannot be rounded away, are left out."""
    shown = {name: value for name, value in figures.items() if name not in ("hits", "effective")}
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
