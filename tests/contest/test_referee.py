"""The referee must accept exactly what the rules allow, in any order of events, and every contest must replay."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import Phase, settings
from tests.contest.contest_machine import DIGEST, Contest, moment
from tests.laws import scale_examples

from sekisho.contest.event import Closed, Created, Faulted, Opened, Registered, Scored, Submitted
from sekisho.contest.referee import replay, step
from sekisho.contest.rules import ContestRules, FinalEntry, PhaseKind, PhaseRules, RoundWeight
from sekisho.contest.rulings.entries import count_left
from sekisho.contest.rulings.refusal import Ruling
from sekisho.contest.scoring import ReleaseScore
from sekisho.contest.state import ContestState

TestContest = Contest.TestCase
TestContest.settings = settings(max_examples=scale_examples(60), stateful_step_count=50, phases=[Phase.generate])


def begin(*, scored: int = 1, attempted: int = 3) -> ContestState:
    """Return a contest of two teams whose anonymisation is open."""
    phases = (
        PhaseRules(kind=PhaseKind.REGISTER),
        PhaseRules(kind=PhaseKind.ANONYMISE, round="final", scored=scored, attempted=attempted),
    )
    contest = ContestRules(rounds=(RoundWeight(name="final"),), phases=phases)
    return replay(
        [
            Created(at=moment(0), name="x", rules=DIGEST, contest=contest, originals={"final": DIGEST}),
            Opened(at=moment(0), phase=PhaseKind.REGISTER),
            Registered(at=moment(0), team="ann"),
            Opened(at=moment(1), phase=PhaseKind.ANONYMISE, round="final", closes=moment(100)),
        ]
    )


def submit(state: ContestState, at: int = 2, key: str = "") -> Ruling:
    return step(state, Submitted(at=moment(at), team="ann", round="final", files={"released": DIGEST}, key=key))


def test_of_fifty_at_once_for_one_place_one_is_taken() -> None:
    state, taken = begin(attempted=50), 0
    for _ in range(50):
        ruling = submit(state)
        state, taken = ruling.state, taken + (ruling.refusal is None)
    assert taken == 1


def test_a_fault_of_the_platform_gives_the_place_and_the_key_back() -> None:
    state = submit(begin(), key="k").state
    assert submit(state, key="k").repeated
    refusal = submit(state).refusal
    assert refusal is not None
    assert refusal.rule == "scored-quota"
    state = step(state, Faulted(at=moment(3), entry=1, reason="disk")).state
    again = submit(state, key="k")
    assert (again.refusal, again.repeated, again.entry) == (None, False, 2)


def test_invalid_files_use_up_attempts_only() -> None:
    state = begin()
    for number in (1, 2):
        state = step(submit(state).state, Scored(at=moment(3), entry=number, scorer="s", faults=4)).state
    assert count_left(state, PhaseKind.ANONYMISE, "final", "ann", "") == {"scored": 1, "attempted": 1}
    state = step(submit(state).state, Scored(at=moment(3), entry=3, scorer="s", faults=4)).state
    refusal = submit(state).refusal
    assert refusal is not None
    assert refusal.rule == "attempted-quota"


def test_a_request_counts_by_when_it_began() -> None:
    state = begin()
    assert submit(state, at=99).refusal is None
    assert submit(state, at=100).refusal is not None  # the moment of closing is no longer open
    closed = step(state, Closed(at=moment(50), phase=PhaseKind.ANONYMISE, round="final")).state
    assert submit(closed, at=49).refusal is None  # it began before the referee closed the phase
    assert submit(closed, at=50).refusal is not None


def test_the_best_valid_entry_counts_where_the_rules_say_so() -> None:
    state = begin(scored=9, attempted=9)
    assert state.created is not None
    best = replace(state.created.contest, final_entry=FinalEntry.BEST_VALID)
    state = replace(state, created=replace(state.created, contest=best))
    for number, score in enumerate(
        (
            ReleaseScore(utility=0.2),
            ReleaseScore(utility=0.1),
            ReleaseScore(utility=0.3),
            ReleaseScore(utility=0.0, qualified=False),
        ),
        1,
    ):
        state = step(submit(state).state, Scored(at=moment(3), entry=number, scorer="s", release=score)).state
    final = state.find_final("final", "ann")
    assert final is not None
    assert final.number == 2
