"""A file counts if it was whole in time; nothing enters a phase after what follows has begun, in any order of events."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.contest.contest_machine import DIGEST, RULES, moment
from tests.contest.contest_model import Model
from tests.laws import try_examples

from sekisho.contest.event import (
    Adopted,
    Attacked,
    ClockSet,
    Closed,
    Created,
    Event,
    Faulted,
    Opened,
    Published,
    Registered,
    RejudgeClosed,
    Requeued,
    Scored,
    SetAside,
    Submitted,
    Withdrawn,
)
from sekisho.contest.ledger import read_ledger, write_ledger
from sekisho.contest.referee import replay, step
from sekisho.contest.rules import PhaseKind
from sekisho.contest.rulings.deadline import EDITION
from sekisho.contest.rulings.disclosure import is_revealed
from sekisho.contest.rulings.refusal import Ruling
from sekisho.contest.scoring import AttackScore, ReleaseScore
from sekisho.contest.standing import gather_round, rank_round
from sekisho.contest.state import ContestState, PhaseWindow

BREAKS = AttackScore(claimed=9, hits=9, effective=True)
USEFUL = ReleaseScore(utility=0.1)
FILES = {"released": DIGEST}


def begin(*, grace: int = 2, edition: int | None = EDITION) -> list[Event]:
    """Return a contest of three teams in which registration is over."""
    contest, originals = replace(RULES, grace=grace), {"one": DIGEST, "two": DIGEST}
    created = Created(at=moment(0), name="x", rules=DIGEST, contest=contest, originals=originals, edition=edition)
    teams = [Registered(at=moment(1), team=team) for team in ("ann", "bob", "cat")]
    return [created, Opened(at=moment(1), phase=PhaseKind.REGISTER), *teams]


def publish_one(events: list[Event]) -> list[Event]:
    """Go on until the releases of ann and bob are published in the first round."""
    events = [*events, Opened(at=moment(2), phase=PhaseKind.ANONYMISE, round="one")]
    for number, team in enumerate(("ann", "bob"), 1):
        events += [
            Submitted(at=moment(3), team=team, round="one", files=FILES),
            Scored(at=moment(4), entry=number, scorer="s", release=USEFUL),
        ]
    files = {"ann": DIGEST, "bob": DIGEST}
    return [
        *events,
        Opened(at=moment(5), phase=PhaseKind.PUBLISH, round="one"),
        Published(at=moment(6), round="one", files=files, commitment=DIGEST),
    ]


def attack(*, begun: int, whole: int | None = None, team: str = "cat") -> Attacked:
    arrived = None if whole is None else moment(whole)
    return Attacked(at=moment(begun), team=team, target="ann", round="one", files={"guess": DIGEST}, whole=arrived)


def rule_on(events: list[Event], event: Event) -> Ruling:
    return step(replay(events), event)


def refused(events: list[Event], event: Event) -> str:
    refusal = rule_on(events, event).refusal
    return "" if refusal is None else refusal.rule


def stand(state: ContestState) -> object:
    return rank_round(gather_round(state, "one"), state.contest.ranking)


Act = tuple[type[Event], PhaseKind, str]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What may happen next."""

    act: Act = (Closed, PhaseKind.ATTACK, "one")
    sending: tuple[int, int, str] = (8, 0, "cat")
    result: str = "valid"


# A round is attacked until moment 20; then the referee does some things, in an order and at moments that are drawn.
ACTS = st.sampled_from(
    [
        (Opened, PhaseKind.EVALUATE, "one"),
        (Opened, PhaseKind.REVEAL, "one"),
        (Opened, PhaseKind.REVEAL, ""),
        (Opened, PhaseKind.ANONYMISE, "two"),
        (Opened, PhaseKind.ATTACK, "one"),
        (Opened, PhaseKind.PRACTICE, ""),
        (Closed, PhaseKind.ATTACK, "one"),
        (Withdrawn, PhaseKind.REVEAL, "one"),
        (Withdrawn, PhaseKind.PUBLISH, "one"),
    ]
)
RESULTS = st.sampled_from(["valid", "invalid", "fault", "requeue", "aside"])
SENDINGS = st.tuples(st.integers(8, 30), st.integers(0, 12), st.sampled_from(["cat", "bob"]))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["act", "send", "score"]),
        st.builds(Drawn, act=ACTS, sending=SENDINGS, result=RESULTS),
        st.integers(0, 4),
    ),
    max_size=12,
)


def make_act(act: Act, at: str) -> Event:
    kind, phase, name = act
    if kind is Withdrawn:
        return Withdrawn(at=at, phase=phase, round=name, reason="a mistake")
    made = Opened if kind is Opened else Closed
    return made(at=at, phase=phase, round=name)


def make_result(state: ContestState, what: str, at: str) -> Event | None:
    if what in ("requeue", "aside"):
        number = state.faulted[-1].number if state.faulted else 0
        return Requeued(at=at, entry=number) if what == "requeue" else SetAside(at=at, entry=number, reason="again")
    if not state.pending:
        return None
    number = state.pending[0].number
    if what == "fault":
        return Faulted(at=at, entry=number, reason="disk")
    faults = 0 if what == "valid" else 1
    return Scored(at=at, entry=number, scorer="s", faults=faults, attack=None if faults else BREAKS)


@try_examples(300)
@given(steps=STEPS, grace=st.integers(0, 5), limited=st.booleans(), edition=st.sampled_from([None, 2, 2, 2]))
@example(  # an attack that began in time and was whole after the reveal
    steps=[
        ("act", Drawn(act=(Opened, PhaseKind.REVEAL, "one")), 2),
        ("send", Drawn(sending=(10, 12, "cat")), 0),
        ("score", Drawn(), 0),
    ],
    grace=0,
    limited=False,
    edition=2,
)
@example(  # the same file with all moments before the reveal, which nobody ruled on before it
    steps=[("act", Drawn(act=(Opened, PhaseKind.REVEAL, "")), 2), ("send", Drawn(), 0), ("score", Drawn(), 0)],
    grace=5,
    limited=True,
    edition=2,
)
def test_what_is_revealed_does_not_change_and_late_files_do_not_count(
    *, steps: list[tuple[str, Drawn, int]], grace: int, limited: bool, edition: int | None
) -> None:
    closes = moment(20) if limited else ""
    events = [
        *publish_one(begin(grace=grace, edition=edition)),
        Opened(at=moment(8), phase=PhaseKind.ATTACK, round="one", closes=closes),
    ]
    model, state, now, shown = Model(list(events)), replay(events), 10, None
    for verb, what, wait in steps:
        now += wait
        at = moment(now)
        if verb == "act":
            event = make_act(what.act, at)
        elif verb == "score":
            event = make_result(state, what.result, at)
        else:
            begun, lag, team = what.sending
            event = attack(begun=min(begun, now), whole=min(begun, now) + lag, team=team)
        if event is None:
            continue
        ruling = step(state, event)
        assert (ruling.refusal is None) == model.allows(event), (event, ruling.refusal)
        if ruling.refusal is not None:
            continue
        model.events.append(event)
        state = ruling.state
        if edition is None:
            continue
        if isinstance(event, Withdrawn | RejudgeClosed):
            shown = None
        elif is_revealed(state, "one", at):
            shown = stand(state) if shown is None else shown
            assert stand(state) == shown, event
    data = write_ledger(model.events)
    assert replay(read_ledger(data, "ledger")[0]) == state


def test_the_moment_that_counts_is_when_the_file_is_whole() -> None:
    events = [
        *publish_one(begin(grace=2)),
        Opened(at=moment(10), phase=PhaseKind.ATTACK, round="one", closes=moment(20)),
    ]
    assert refused(events, attack(begun=19)) == ""
    assert refused(events, attack(begun=19, whole=21)) == ""
    assert refused(events, attack(begun=19, whole=22)) == "late"  # the grace is two seconds, and its end is over
    assert refused(events, attack(begun=20, whole=20)) == "phase"  # who begins after the deadline is late at once
    assert refused(events, attack(begun=19, whole=18)) == "whole"


def test_the_first_edition_counts_the_beginning_as_it_did() -> None:
    events = [
        *publish_one(begin(edition=None)),
        Opened(at=moment(10), phase=PhaseKind.ATTACK, round="one", closes=moment(20)),
    ]
    late = [*events, Opened(at=moment(30), phase=PhaseKind.REVEAL)]
    assert refused(events, attack(begun=19, whole=600)) == ""
    assert refused(late, attack(begun=19, whole=600)) == ""
    assert refused([*late, Adopted(at=moment(30), edition=2)], attack(begun=19, whole=600)) == "late"


@pytest.mark.parametrize("grace", [0, 3])
def test_a_planned_publication_waits_for_what_is_still_arriving(grace: int) -> None:
    events = [*begin(grace=grace), Opened(at=moment(2), phase=PhaseKind.ANONYMISE, round="one", closes=moment(20))]
    events += [
        Submitted(at=moment(3), team="ann", round="one", files=FILES),
        Scored(at=moment(4), entry=1, scorer="s", release=USEFUL),
    ]
    state = replay(events)
    # a schedule opens publication when anonymisation ends; nobody has ended that by hand
    windows = {**state.windows, (PhaseKind.PUBLISH, "one"): replace(state.windows[PhaseKind.ANONYMISE, "one"])}
    windows[PhaseKind.PUBLISH, "one"] = replace(windows[PhaseKind.PUBLISH, "one"], opens=moment(20), closes="")
    state = replace(state, windows=windows)
    for at in range(20, 25):
        event = Published(at=moment(at), round="one", files={"ann": DIGEST}, commitment=DIGEST)
        refusal = step(state, event).refusal
        assert (None if refusal is None else refusal.rule) == ("grace" if at < 20 + grace else None)


def test_nothing_is_published_or_revealed_while_a_file_is_faulted() -> None:
    events = [*begin(), Opened(at=moment(2), phase=PhaseKind.ANONYMISE, round="one")]
    events += [Submitted(at=moment(3), team=team, round="one", files=FILES) for team in ("ann", "bob")]
    events += [
        Scored(at=moment(4), entry=1, scorer="s", release=USEFUL),
        Faulted(at=moment(4), entry=2, reason="the store was away"),
        Opened(at=moment(5), phase=PhaseKind.PUBLISH, round="one"),
    ]
    event = Published(at=moment(6), round="one", files={"ann": DIGEST}, commitment=DIGEST)
    assert refused(events, event) == "faulted"
    assert refused(events, Opened(at=moment(6), phase=PhaseKind.EVALUATE, round="one")) == "faulted"
    aside = [*events, SetAside(at=moment(6), entry=2, reason="handed in again")]
    assert refused(aside, event) == ""
    again = [
        *events,
        Requeued(at=moment(6), entry=2),
        Scored(at=moment(6), entry=2, scorer="s", release=USEFUL),
    ]
    assert refused(again, event) == "entries"  # bob's release is there, and must be published too
    assert refused([*aside, event], Requeued(at=moment(7), entry=2)) == "published"


def test_a_round_without_a_release_is_not_published() -> None:
    events = [*begin(), Opened(at=moment(2), phase=PhaseKind.ANONYMISE, round="one")]
    opening = Opened(at=moment(5), phase=PhaseKind.PUBLISH, round="one")
    assert refused(events, opening) == "empty"
    invalid = [
        *events,
        Submitted(at=moment(3), team="ann", round="one", files=FILES),
    ]
    assert refused(invalid, opening) == ""  # it may turn out valid
    judged = [*invalid, opening, Scored(at=moment(6), entry=1, scorer="s", faults=3)]
    publication = Published(at=moment(6), round="one", files={}, commitment=DIGEST)
    assert refused(judged, publication) == "empty"
    # the round is not lost: anonymisation opens again
    assert refused(judged, Opened(at=moment(7), phase=PhaseKind.ANONYMISE, round="one")) == ""
    assert refused(begin(edition=None), Opened(at=moment(5), phase=PhaseKind.PUBLISH, round="one")) == ""


def test_a_round_is_revealed_while_the_next_goes_on() -> None:
    events = [*publish_one(begin()), Opened(at=moment(8), phase=PhaseKind.ANONYMISE, round="two")]
    state = replay([*events, Opened(at=moment(9), phase=PhaseKind.REVEAL, round="one")])
    assert is_revealed(state, "one", moment(9))
    assert not is_revealed(state, "two", moment(9))
    assert not is_revealed(state, "", moment(9))
    assert state.is_open(PhaseKind.ANONYMISE, "two", moment(10))
    assert refused(events, Opened(at=moment(9), phase=PhaseKind.REVEAL, round="two")) == "published"


def test_what_is_withdrawn_stays_written_and_can_be_done_again() -> None:
    events = publish_one(begin())
    withdrawn = Withdrawn(at=moment(7), phase=PhaseKind.PUBLISH, round="one", reason="a file was missing")
    state = replay([*events, withdrawn])
    assert (state.published, state.withdrawn) == ({}, {"one": 1})
    again = Opened(at=moment(8), phase=PhaseKind.ANONYMISE, round="one")
    assert step(state, again).refusal is None
    attacked = [*events, Opened(at=moment(7), phase=PhaseKind.ATTACK, round="one"), attack(begun=8)]
    assert refused(attacked, replace(withdrawn, at=moment(9))) == "attacked"
    assert refused(events, replace(withdrawn, reason=" ")) == "reason"
    assert refused(events, replace(withdrawn, phase=PhaseKind.REVEAL)) == "nothing"


def test_a_clock_that_was_ahead_can_be_set_back() -> None:
    ahead = 5000
    events = [
        *begin(),
        Opened(at=moment(ahead), phase=PhaseKind.ANONYMISE, round="one", closes=moment(ahead + 50)),
    ]
    late = Submitted(at=moment(10), team="ann", round="one", files=FILES)
    assert refused(events, late) == "phase"
    assert refused(events, Opened(at=moment(10), phase=PhaseKind.PRACTICE)) == "clock"
    right = [*events, ClockSet(at=moment(10))]
    assert refused(right, late) == ""  # the phase was opened, and is open
    assert refused(right, Opened(at=moment(11), phase=PhaseKind.PRACTICE)) == ""
    assert refused(right, ClockSet(at=moment(12))) == "clock"
    # what was ended stays ended, although the clock says that it is earlier now
    ended = [*events, Closed(at=moment(ahead + 1), phase=PhaseKind.ANONYMISE, round="one"), ClockSet(at=moment(10))]
    assert refused(ended, late) in ("late", "phase")


def test_no_grace_reaches_into_a_planned_reveal() -> None:
    events = [
        *publish_one(begin(grace=5)),
        Opened(at=moment(10), phase=PhaseKind.ATTACK, round="one", closes=moment(20)),
    ]
    state = replay(events)
    planned = {**state.windows, (PhaseKind.REVEAL, ""): PhaseWindow(opens=moment(22))}
    for whole, rule in ((21, ""), (22, "late")):
        refusal = step(replace(state, windows=planned), attack(begun=19, whole=whole)).refusal
        assert ("" if refusal is None else refusal.rule) == rule


def test_a_planned_reveal_waits_until_everything_is_scored() -> None:
    events = [
        *publish_one(begin()),
        Opened(at=moment(10), phase=PhaseKind.ATTACK, round="one", closes=moment(20)),
        attack(begun=12),
    ]
    planned = {(PhaseKind.REVEAL, ""): PhaseWindow(opens=moment(30))}
    state = replay(events)
    state = replace(state, windows={**state.windows, **planned})
    assert not is_revealed(state, "one", moment(31))
    state = step(state, Faulted(at=moment(32), entry=3, reason="disk")).state
    assert not is_revealed(state, "", moment(33))
    state = step(state, SetAside(at=moment(33), entry=3, reason="nobody has it")).state
    assert is_revealed(state, "", moment(34))
