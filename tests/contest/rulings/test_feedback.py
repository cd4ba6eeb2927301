"""A team must be told of its score what the phase allows, no more, and everything after the reveal."""

from __future__ import annotations

import pytest

from sekisho.contest.event import Attacked, Created, Event, Opened, Published, Registered, Scored, Submitted
from sekisho.contest.referee import replay
from sekisho.contest.rules import ContestRules, Feedback, PhaseKind, PhaseRules, RoundWeight
from sekisho.contest.rulings.disclosure import show_entry
from sekisho.contest.scoring import AttackScore, ReleaseScore
from sekisho.contest.state import ContestState

DIGEST = "ab" * 32
RELEASE = ReleaseScore(utility=0.23456, detail={"date": 0.5123})
ATTACK = AttackScore(claimed=24, hits=17, effective=False, threshold=18)
RISKY = AttackScore(claimed=24, hits=17, effective=True, risk=0.4567, detail={"recall": 0.98765})


def at(day: int) -> str:
    return f"2026-01-{day:02}T00:00:00.000000Z"


def play(feedback: Feedback, attack: AttackScore = ATTACK) -> ContestState:
    phases = (
        PhaseRules(kind=PhaseKind.REGISTER),
        PhaseRules(kind=PhaseKind.ANONYMISE, round="final", feedback=feedback),
        PhaseRules(kind=PhaseKind.PUBLISH, round="final"),
        PhaseRules(kind=PhaseKind.ATTACK, round="final", feedback=feedback),
        PhaseRules(kind=PhaseKind.REVEAL),
    )
    contest = ContestRules(rounds=(RoundWeight(name="final"),), phases=phases)
    files = {"released": DIGEST}
    events: tuple[Event, ...] = (
        Created(at=at(1), name="x", rules=DIGEST, contest=contest, originals={"final": DIGEST}),
        Opened(at=at(1), phase=PhaseKind.REGISTER),
        Registered(at=at(1), team="a"),
        Registered(at=at(1), team="b"),
        Opened(at=at(2), phase=PhaseKind.ANONYMISE, round="final"),
        Submitted(at=at(2), team="a", round="final", files=files),
        Scored(at=at(2), entry=1, scorer="s", release=RELEASE),
        Submitted(at=at(2), team="a", round="final", files=files),
        Scored(at=at(2), entry=2, scorer="s", faults=3),
        Opened(at=at(3), phase=PhaseKind.PUBLISH, round="final"),
        Published(at=at(3), round="final", files={"a": DIGEST}, commitment=DIGEST),
        Opened(at=at(4), phase=PhaseKind.ATTACK, round="final"),
        Attacked(at=at(4), team="b", target="a", round="final", files=files),
        Scored(at=at(4), entry=3, scorer="s", attack=attack),
        Opened(at=at(6), phase=PhaseKind.REVEAL),
    )
    return replay(events)


def shown(state: ContestState, number: int, day: int) -> dict[str, object]:
    entry = show_entry(state, state.entries[number - 1], at(day))
    return {name: value for name, value in entry.items() if name not in ("entry", "at", "round", "target")}


@pytest.mark.parametrize(
    ("feedback", "release", "attack"),
    [
        (Feedback.NONE, {}, {"claimed": 24}),
        (Feedback.BAND, {"band": [0.2, 0.3]}, {"claimed": 24}),
        (
            Feedback.ROUNDED,
            {"utility": 0.23, "date": 0.51, "qualified": True, "broken": []},
            {"claimed": 24, "threshold": 18},
        ),
        (
            Feedback.FULL,
            {"utility": 0.23456, "date": 0.5123, "qualified": True, "broken": []},
            {"claimed": 24, "threshold": 18, "hits": 17, "effective": False},
        ),
    ],
)
def test_a_team_is_told_what_the_phase_allows(
    feedback: Feedback, release: dict[str, object], attack: dict[str, object]
) -> None:
    state = play(feedback)
    assert shown(state, 1, 5) == {"status": "valid", **release}
    assert shown(state, 2, 5) == {"status": "invalid", "faults": 3}  # errors are told always
    assert shown(state, 3, 5) == {"status": "valid", **attack}
    full = {"status": "valid", "claimed": 24, "threshold": 18, "hits": 17, "effective": False}
    assert shown(state, 3, 6) == full  # from the reveal on


def test_a_risk_has_a_band_and_its_factors_are_rounded() -> None:
    assert shown(play(Feedback.BAND, RISKY), 3, 5)["band"] == [0.3, 0.5]
    rounded = shown(play(Feedback.ROUNDED, RISKY), 3, 5)
    assert rounded == {"status": "valid", "claimed": 24, "risk": 0.46, "recall": 0.99}
