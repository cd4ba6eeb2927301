"""Random contests: a Hypothesis state machine that sends the referee events, lawful and not, and compares him with the model."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.contest.contest_model import Model

from sekisho.contest.event import (
    Adopted,
    Announced,
    Attacked,
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
from sekisho.contest.ledger import read_ledger, write_ledger
from sekisho.contest.referee import replay, step
from sekisho.contest.rules import (
    PRACTICE_ROUND,
    ContestRules,
    Feedback,
    PhaseKind,
    PhaseRules,
    RoundWeight,
)
from sekisho.contest.scoring import AttackScore, ReleaseScore
from sekisho.contest.standing import gather_round, rank_round
from sekisho.contest.state import ContestState
from sekisho.words import Language

ROUNDS: tuple[str, ...] = ("one", "two")
PHASES = (
    PhaseRules(kind=PhaseKind.REGISTER),
    PhaseRules(kind=PhaseKind.PRACTICE, attempted=2),
    *(
        PhaseRules(kind=kind, round=name, scored=scored, attempted=attempted, feedback=Feedback.FULL)
        for name, scored, attempted in (("one", 1, 2), ("two", None, 3))
        for kind in (PhaseKind.ANONYMISE, PhaseKind.PUBLISH, PhaseKind.ATTACK, PhaseKind.EVALUATE)
    ),
    PhaseRules(kind=PhaseKind.REVEAL),
)
RULES = ContestRules(
    grace=2, rounds=(RoundWeight(name="one", weight=1), RoundWeight(name="two", weight=9)), phases=PHASES
)
KEYS = [(phase.kind, phase.round) for phase in RULES.every_phase]
FLOW = [key for key in KEYS if key[0] is not PhaseKind.PRACTICE]
DIGEST = "0123456789abcdef" * 4


def moment(tick: int) -> str:
    return f"2026-01-01T{tick // 3600:02}:{tick // 60 % 60:02}:{tick % 60:02}.000000Z"


TEAMS = st.sampled_from(["ann", "bob", "cat"])
NAMES = st.sampled_from(["ann", "bob", "cat", "dan", "a-on-b", ""])
ROUND = st.sampled_from([*ROUNDS, PRACTICE_ROUND, "three"])
LAG = st.sampled_from([None, None, 0, 1, 2, 3, 5, -1])
DRIFT = st.sampled_from([0, 0, 0, 1, 1, 1, 2, -1, -3])
FILES = st.sampled_from([{"released": DIGEST}, {"released": DIGEST[::-1]}])
SENT = st.sampled_from(["", "", "", "k1", "k2"])
RELEASES = st.builds(
    ReleaseScore, utility=st.sampled_from([0.1, 0.2, 0.3]), qualified=st.sampled_from([True, True, False])
)
ATTACKS = st.builds(AttackScore, claimed=st.just(9), hits=st.just(7), effective=st.booleans())


class Contest(RuleBasedStateMachine):
    """The referee beside the model."""

    def __init__(self) -> None:
        super().__init__()
        self.model, self.state, self.tick = Model(), ContestState(), 1000

    def send(self, event: Event) -> None:
        repeated = bool(self.model.events) and self.model.repeats(event) == "same"
        allowed = self.model.allows(event)
        ruling = step(self.state, event)
        assert (ruling.refusal is None) == (allowed or repeated), (event, ruling.refusal)
        if ruling.refusal is not None:
            assert ruling.refusal.rule
            assert ruling.refusal.reason
            assert ruling.refusal.reason.say(Language.JA)
        assert ruling.repeated == repeated
        if not allowed:
            assert ruling.state == self.state
            return
        self.model.events.append(event)
        self.state = ruling.state
        if isinstance(event, Submitted | Attacked):
            assert ruling.entry == len(self.model.files())

    def at(self, drift: int) -> str:
        self.tick = max(self.tick, self.tick + drift)
        return moment(self.tick + min(0, drift))

    def whole(self, lag: int | None) -> str | None:
        return None if lag is None else moment(self.tick + lag)

    @initialize(stage=st.integers(0, 4), release=RELEASES, edition=st.sampled_from([None, 2, 2]))
    def create(self, stage: int, release: ReleaseScore, edition: int | None) -> None:
        originals = dict.fromkeys(ROUNDS, DIGEST)
        self.send(Created(at=moment(1000), name="x", rules=DIGEST, contest=RULES, originals=originals, edition=edition))
        self.send(Opened(at=moment(1000), phase=PhaseKind.REGISTER))
        if stage > 0:
            for team in ("ann", "bob", "cat"):
                self.send(Registered(at=self.at(0), team=team))
            self.move_on()
        if stage > 2:
            for team in ("ann", "bob"):
                self.hand_in(team, ["one"])
                number = len(self.state.entries)
                self.send(Scored(at=self.at(0), entry=number, scorer="s1", release=release))
            self.move_on()
            self.publish("one", "", 0)
            self.move_on()

    @precondition(lambda self: len(self.state.teams) < 3 or self.tick % 3 == 2)
    @rule(team=NAMES, drift=DRIFT)
    def register(self, team: str, drift: int) -> None:
        self.send(Registered(at=self.at(drift), team=team))

    @precondition(lambda self: self.tick % 3 == 0)
    @rule(key=st.sampled_from([*KEYS, (PhaseKind.ATTACK, "three")]), drift=DRIFT, length=st.integers(-1, 6))
    def open(self, key: tuple[PhaseKind, str], drift: int, length: int) -> None:
        closes = moment(self.tick + length) if length > 1 or length < 0 else ""
        self.send(Opened(at=self.at(drift), phase=key[0], round=key[1], closes=closes))

    @precondition(lambda self: len(self.model.events) % 4 == 0)
    @rule()
    def move_on_at_times(self) -> None:
        self.move_on()

    def move_on(self) -> None:
        """Open the phase that comes next, so that whole contests come about."""
        begun = [key for key in self.state.windows if key in FLOW]
        place = max((FLOW.index(key) for key in begun), default=-1)
        kind, name = FLOW[min(place + 1, len(FLOW) - 1)]
        self.send(Opened(at=self.at(1), phase=kind, round=name))

    @precondition(lambda self: self.tick % 3 == 1)
    @rule(key=st.sampled_from(KEYS), drift=DRIFT)
    def close(self, key: tuple[PhaseKind, str], drift: int) -> None:
        self.send(Closed(at=self.at(drift), phase=key[0], round=key[1]))

    @rule(team=NAMES, name=ROUND, files=FILES, key=SENT, drift=DRIFT, lag=LAG)
    def submit(self, team: str, name: str, files: dict[str, str], key: str, drift: int, lag: int | None) -> None:
        at = self.at(drift)
        self.send(Submitted(at=at, team=team, round=name, files=files, key=key, whole=self.whole(lag)))

    def open_rounds(self, kind: PhaseKind) -> list[str]:
        """Return the rounds whose phase is open now; practice where none is."""
        names = [name for name in ROUNDS if self.state.is_open(kind, name, moment(self.tick))]
        return names or [PRACTICE_ROUND]

    def hand_in(self, team: str, names: list[str]) -> None:
        self.send(Submitted(at=self.at(0), team=team, round=names[0], files={"released": DIGEST}))

    @rule(team=TEAMS)
    def submit_now(self, team: str) -> None:
        self.hand_in(team, self.open_rounds(PhaseKind.ANONYMISE))

    @rule(team=TEAMS, on=TEAMS, lag=LAG)
    def attack_now(self, team: str, on: str, lag: int | None) -> None:
        name, whole = self.open_rounds(PhaseKind.ATTACK)[0], self.whole(lag)
        self.send(Attacked(at=self.at(0), team=team, target=on, round=name, files={"guess": DIGEST}, whole=whole))

    @precondition(lambda self: self.state.entries)
    @rule(team=TEAMS, on=TEAMS, back=st.integers(1, 6), lag=st.integers(0, 8))
    def attack_late(self, team: str, on: str, back: int, lag: int) -> None:
        """Send an attack that began some time ago, and was whole some time after that."""
        begun = self.tick - back
        for name in ROUNDS:
            files, whole = {"guess": DIGEST}, moment(begun + lag)
            self.send(Attacked(at=moment(begun), team=team, target=on, round=name, files=files, whole=whole))

    @precondition(lambda self: self.state.faulted)
    @rule(place=st.integers(0, 9), drift=DRIFT, aside=st.sampled_from(["", "handed in again"]))
    def settle_fault(self, place: int, drift: int, aside: str) -> None:
        number = self.state.faulted[place % len(self.state.faulted)].number
        event = SetAside(at=self.at(drift), entry=number, reason=aside) if aside else None
        self.send(event or Requeued(at=self.at(drift), entry=number))

    @precondition(lambda self: self.tick % 7 == 0)
    @rule(entry=st.integers(0, 8), reason=st.sampled_from([" ", "why not"]), drift=DRIFT)
    def set_anything_aside(self, entry: int, reason: str, drift: int) -> None:
        self.send(SetAside(at=self.at(drift), entry=entry, reason=reason))
        self.send(Requeued(at=self.at(drift), entry=entry))

    @precondition(lambda self: self.tick % 5 == 3)
    @rule(key=st.sampled_from(KEYS), reason=st.sampled_from(["", "a mistake"]), drift=DRIFT)
    def withdraw(self, key: tuple[PhaseKind, str], reason: str, drift: int) -> None:
        self.send(Withdrawn(at=self.at(drift), phase=key[0], round=key[1], reason=reason))

    @precondition(lambda self: len(self.model.events) % 11 == 0)
    @rule(edition=st.integers(1, 3), drift=DRIFT)
    def adopt(self, edition: int, drift: int) -> None:
        self.send(Adopted(at=self.at(drift), edition=edition))

    @rule()
    def publish_now(self) -> None:
        self.publish(self.open_rounds(PhaseKind.PUBLISH)[0], "", 0)

    @rule(team=TEAMS, on=NAMES, name=ROUND, files=FILES, key=SENT, drift=DRIFT)
    def attack(self, team: str, on: str, name: str, files: dict[str, str], key: str, drift: int) -> None:
        target = on or "eve"
        self.send(Attacked(at=self.at(drift), team=team, target=target, round=name, files=files, key=key))

    @precondition(lambda self: self.state.pending)
    @rule(place=st.integers(0, 50), valid=st.sampled_from([True, True, False]), release=RELEASES, attack=ATTACKS)
    def score(self, *, place: int, valid: bool, release: ReleaseScore, attack: AttackScore) -> None:
        entry = self.state.pending[place % len(self.state.pending)]
        self.send(
            Scored(
                at=self.at(0),
                entry=entry.number,
                scorer="s1",
                faults=0 if valid else 2,
                release=release if valid and not entry.is_attack else None,
                attack=attack if valid and entry.is_attack else None,
            )
        )

    @rule(entry=st.integers(0, 8), attack=ATTACKS)
    def score_anything(self, entry: int, attack: AttackScore) -> None:
        self.send(Scored(at=self.at(0), entry=entry, scorer="s1", attack=attack))

    @precondition(lambda self: len(self.model.events) % 3 == 0)
    @rule(entry=st.integers(0, 8))
    def fail(self, entry: int) -> None:
        self.send(Faulted(at=self.at(0), entry=entry, reason="the disk was full"))

    @rule(name=st.sampled_from([*ROUNDS, "three"]), other=st.sampled_from(["", "", "", "ann"]), drift=DRIFT)
    def publish(self, name: str, other: str, drift: int) -> None:
        teams = {team for team in self.state.teams if self.state.find_final(name, team) is not None}
        files = dict.fromkeys(teams ^ ({other} if other else set()), DIGEST)
        self.send(Published(at=self.at(drift), round=name, files=files, commitment=DIGEST))

    @rule(name=st.sampled_from(["", "first", "second"]), drift=DRIFT)
    def open_rejudging(self, name: str, drift: int) -> None:
        self.send(RejudgeOpened(at=self.at(drift), name=name, scorer="s2"))

    @rule(name=st.sampled_from(["first", "second"]), entry=st.integers(0, 8), release=RELEASES, attack=ATTACKS)
    def rejudge(self, name: str, entry: int, release: ReleaseScore, attack: AttackScore) -> None:
        of_attack = 0 < entry <= len(self.state.entries) and self.state.entries[entry - 1].is_attack
        self.send(
            RejudgeScored(
                at=self.at(0),
                name=name,
                entry=entry,
                scorer="s2",
                release=None if of_attack else release,
                attack=attack if of_attack else None,
            )
        )

    @precondition(lambda self: self.state.rejudgings)
    @rule(release=RELEASES)
    def rejudge_all(self, release: ReleaseScore) -> None:
        for name, each in self.state.rejudgings.items():
            for number in sorted(each.wanted):
                of_attack = self.state.entries[number - 1].is_attack
                self.send(
                    RejudgeScored(
                        at=self.at(0),
                        name=name,
                        entry=number,
                        scorer="s2",
                        faults=1 if of_attack else 0,
                        release=None if of_attack else release,
                    )
                )

    @rule(name=st.sampled_from(["first", "second"]), applied=st.booleans())
    def close_rejudging(self, *, name: str, applied: bool) -> None:
        self.send(RejudgeClosed(at=self.at(0), name=name, applied=applied))

    @precondition(lambda self: self.tick % 5 == 0)
    @rule(text=st.sampled_from(["", " ", "The phase is longer by a day."]))
    def announce(self, text: str) -> None:
        self.send(Announced(at=self.at(0), en=text))

    @invariant()
    def standings_are_the_models(self) -> None:
        if not self.model.events:
            return
        for name in ROUNDS:
            standings = rank_round(gather_round(self.state, name), RULES.ranking)
            ranks = {each.team: (each.rank, each.survives, list(each.broken_by)) for each in standings}
            assert ranks == self.model.ranks(name)

    def teardown(self) -> None:
        data = write_ledger(self.model.events)
        events, head = read_ledger(data, "ledger")
        assert head.count == len(self.model.events)
        assert replay(events) == self.state
        assert write_ledger(events) == data
