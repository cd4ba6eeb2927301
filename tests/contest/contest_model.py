"""A plain model of a contest: every question is answered by looking through the list of accepted events, from the start.

Slow and obvious, and written without a look at the referee's code: what the referee's own tests compare it with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

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
from sekisho.contest.rules import PRACTICE_ROUND, ContestRules, PhaseKind, add_seconds

File = Submitted | Attacked
WITHDRAWN = (PhaseKind.PUBLISH, PhaseKind.ATTACK)


@dataclass
class Model:
    """A contest as the list of what was accepted."""

    events: list[Event] = field(default_factory=list[Event])

    @property
    def rules(self) -> ContestRules:
        assert isinstance(self.events[0], Created)
        return self.events[0].contest

    def files(self) -> list[File]:
        return [event for event in self.events if isinstance(event, Submitted | Attacked)]

    def teams(self) -> list[str]:
        return [event.team for event in self.events if isinstance(event, Registered)]

    def results(self) -> dict[int, Event]:
        """Return by number what was last said of a file: its score or its fault, rejudgings included once applied."""
        results: dict[int, Event] = {}
        for event in self.events:
            if isinstance(event, Faulted) or type(event) is Scored:
                results[event.entry] = event
            if isinstance(event, Requeued):
                del results[event.entry]
            if isinstance(event, RejudgeClosed) and event.applied:
                results |= {each.entry: each for each in self.again(event.name)}
        return results

    def again(self, name: str) -> list[RejudgeScored]:
        return [event for event in self.events if isinstance(event, RejudgeScored) and event.name == name]

    def is_valid(self, number: int) -> bool:
        said = self.results().get(number)
        return isinstance(said, Scored) and not said.faults

    def is_pending(self, number: int) -> bool:
        return number not in self.results()

    def window(self, kind: PhaseKind, round_name: str) -> tuple[str, str, bool]:
        """Walk through the referee's events: when a phase opens, when it closes, and whether he ended it himself."""
        opens, closes, ended = "", "", False
        for event in self.events:
            if isinstance(event, Opened) and (event.phase, event.round) == (kind, round_name):
                opens, closes, ended = event.at, event.closes, False
            elif opens and self.ends(event, kind, round_name):
                closes = closes if closes and closes <= event.at else event.at
                ended = True
            if isinstance(event, Withdrawn) and (kind, event.phase) == (PhaseKind.REVEAL, PhaseKind.REVEAL):
                opens = opens if event.round != round_name else ""
        return opens, closes, ended

    def ends(self, event: Event, kind: PhaseKind, round_name: str) -> bool:
        """Tell whether an event ends another phase."""
        if isinstance(event, Closed):
            return (event.phase, event.round) == (kind, round_name)
        if isinstance(event, Withdrawn):
            return event.phase is PhaseKind.PUBLISH and event.round == round_name and kind in WITHDRAWN
        if not isinstance(event, Opened) or PhaseKind.PRACTICE in (kind, event.phase):
            return False
        return event.phase is not PhaseKind.REVEAL or event.round in ("", round_name)

    def is_open(self, kind: PhaseKind, round_name: str, at: str) -> bool:
        opens, closes, _ = self.window(kind, round_name)
        return bool(opens) and opens <= at and not (closes and closes <= at)

    def is_revealed(self, round_name: str, at: str) -> bool:
        windows = [self.window(PhaseKind.REVEAL, name)[0] for name in {"", round_name}]
        return any(opens and opens <= at for opens in windows)

    def edition(self) -> int:
        created = self.events[0]
        assert isinstance(created, Created)
        return max([created.edition or 1, *(event.edition for event in self.events if isinstance(event, Adopted))])

    def aside(self) -> set[int]:
        """Return the files of which the referee said that nothing waits for them."""
        aside: set[int] = set()
        for place, event in enumerate(self.events):
            if isinstance(event, SetAside):
                aside.add(event.entry)
            if isinstance(event, Requeued):
                aside.discard(event.entry)
            if isinstance(event, Adopted):
                before = Model(self.events[:place])
                aside |= {n for n in before.faulted("") if before.is_past(n, event.at)}
        return aside

    def is_past(self, number: int, at: str) -> bool:
        file = self.files()[number - 1]
        return file.round != PRACTICE_ROUND and (
            self.is_revealed(file.round, at) or (isinstance(file, Submitted) and self.published(file.round) is not None)
        )

    def faulted(self, round_name: str) -> list[int]:
        results, aside = self.results(), self.aside()
        return [
            number
            for number, event in enumerate(self.files(), 1)
            if isinstance(results.get(number), Faulted)
            and number not in aside
            and event.round != PRACTICE_ROUND
            and round_name in ("", event.round)
        ]

    def published(self, round_name: str) -> dict[str, int] | None:
        published: dict[str, int] | None = None
        for place, event in enumerate(self.events):
            if isinstance(event, Published) and event.round == round_name:
                before = Model(self.events[:place])
                final = {team: before.last_valid(round_name, team, "") for team in before.teams()}
                published = {team: number for team, number in final.items() if number}
            if isinstance(event, Withdrawn) and (event.phase, event.round) == (PhaseKind.PUBLISH, round_name):
                published = None
        return published

    def last_valid(self, round_name: str, team: str, target: str) -> int:
        """Return the number of a team's last valid file of a kind; 0 if there is none."""
        numbers = [
            number
            for number, event in enumerate(self.files(), 1)
            if (event.team, event.round, target_of(event)) == (team, round_name, target) and self.is_valid(number)
        ]
        return numbers[-1] if numbers else 0

    def target(self, round_name: str, team: str) -> int:
        if round_name == PRACTICE_ROUND:
            return self.last_valid(round_name, team, "")
        return (self.published(round_name) or {}).get(team, 0)

    def waits(self, round_name: str = "") -> bool:
        return any(
            self.is_pending(number) and event.round != PRACTICE_ROUND and round_name in ("", event.round)
            for number, event in enumerate(self.files(), 1)
        )

    def repeats(self, event: Event) -> str:
        """Return whether a file was sent before: ``no``, ``same`` or ``other``."""
        if not isinstance(event, Submitted | Attacked) or not event.key or event.team not in self.teams():
            return "no"
        if isinstance(event, Attacked) and event.target not in self.teams():
            return "no"
        earlier = [
            each
            for number, each in enumerate(self.files(), 1)
            if each.team == event.team and each.key == event.key and not isinstance(self.results().get(number), Faulted)
        ]
        if not earlier:
            return "no"
        last = earlier[-1]
        same = (last.round, target_of(last), dict(last.files)) == (event.round, target_of(event), dict(event.files))
        return "same" if same else "other"

    def allows(self, event: Event) -> bool:
        """Tell whether an event keeps every rule of the contest."""
        if not self.events:
            return isinstance(event, Created)
        return not isinstance(event, Created) and all(self.reasons(event))

    def reasons(self, event: Event) -> Iterator[bool]:
        created, moved = self.events[0].at, [each.at for each in self.events if each.by_referee][-1]
        yield event.at >= created
        yield event.at >= moved or not event.by_referee
        match event:
            case Registered():
                yield self.is_open(PhaseKind.REGISTER, "", event.at)
                yield event.team not in self.teams() and event.team.isalpha()
            case Opened():
                yield from self.may_open(event)
            case Closed():
                yield self.is_open(event.phase, event.round, event.at)
            case Published():
                yield self.is_open(PhaseKind.PUBLISH, event.round, event.at)
                yield self.published(event.round) is None and not self.waits(event.round)
                yield self.edition() < 2 or (bool(event.files) and not self.faulted(event.round))
                yield self.edition() < 2 or not self.arrives(PhaseKind.ANONYMISE, event.round, event.at)
                yield {team for team in self.teams() if self.last_valid(event.round, team, "")} == set(event.files)
            case Announced():
                yield bool(event.en.strip())
            case Withdrawn():
                yield bool(event.reason.strip())
                yield from self.may_withdraw(event)
            case Adopted():
                yield self.edition() < event.edition <= 2
            case Requeued() | SetAside():
                yield 1 <= event.entry <= len(self.files())
                yield isinstance(self.results().get(event.entry), Faulted)
                if isinstance(event, Requeued):
                    yield not self.is_past(event.entry, event.at)
                else:
                    yield event.entry not in self.aside() and bool(event.reason.strip())
            case _:
                yield from self.may_hand_in(event)

    def may_open(self, event: Opened) -> Iterator[bool]:
        kind = event.phase
        names = {each.name for each in self.rules.rounds}
        yield (kind is PhaseKind.REVEAL and event.round in names) or any(
            (each.kind, each.round) == (kind, event.round) for each in self.rules.phases
        )
        yield not event.closes or event.closes > event.at
        yield not self.is_revealed("", event.at)
        yield not (event.round and self.is_revealed(event.round, event.at))
        yield kind is not PhaseKind.ANONYMISE or self.published(event.round) is None
        yield kind is not PhaseKind.ATTACK or self.published(event.round) is not None
        if self.edition() < 2:
            yield kind not in (PhaseKind.EVALUATE, PhaseKind.REVEAL) or not self.waits()
            return
        if kind in (PhaseKind.EVALUATE, PhaseKind.REVEAL):
            yield not self.waits(event.round) and not self.faulted(event.round)
        if kind is PhaseKind.REVEAL and event.round:
            yield self.published(event.round) is not None
        if kind is PhaseKind.PUBLISH:
            yield any(
                self.is_pending(number) or self.is_valid(number) or number in self.faulted(event.round)
                for number, each in enumerate(self.files(), 1)
                if isinstance(each, Submitted) and each.round == event.round
            )

    def may_withdraw(self, event: Withdrawn) -> Iterator[bool]:
        if event.phase is PhaseKind.PUBLISH:
            yield self.published(event.round) is not None and not self.is_revealed(event.round, event.at)
            yield not any(isinstance(each, Attacked) and each.round == event.round for each in self.files())
        else:
            opens = self.window(PhaseKind.REVEAL, event.round)[0]
            yield event.phase is PhaseKind.REVEAL and bool(opens) and opens <= event.at

    def arrives(self, kind: PhaseKind, round_name: str, at: str) -> bool:
        """Tell whether files may still arrive for a phase that closes by itself."""
        opens, closes, ended = self.window(kind, round_name)
        if not opens or opens > at or not closes or ended:
            return False
        return at < add_seconds(closes, self.rules.grace_seconds)

    def in_time(self, event: File, kind: PhaseKind) -> Iterator[bool]:
        """Tell whether a file was whole before its phase had ended, the grace included, and before any reveal."""
        whole = event.whole or event.at
        _, closes, ended = self.window(kind, "" if kind is PhaseKind.PRACTICE else event.round)
        yield whole >= event.at and not ended
        yield not closes or whole < add_seconds(closes, self.rules.grace_seconds)
        yield kind is PhaseKind.PRACTICE or not self.is_revealed(event.round, whole)

    def may_hand_in(self, event: Event) -> Iterator[bool]:
        match event:
            case Submitted() | Attacked():
                target = target_of(event)
                yield event.team in self.teams()
                yield not target or (target in self.teams() and target != event.team)
                yield self.repeats(event) == "no"
                practice = event.round == PRACTICE_ROUND
                kind = PhaseKind.PRACTICE if practice else PhaseKind.ATTACK if target else PhaseKind.ANONYMISE
                yield self.is_open(kind, "" if practice else event.round, event.at)
                if self.edition() > 1:
                    yield from self.in_time(event, kind)
                yield bool(self.target(event.round, target)) if target else self.published(event.round) is None
                yield from self.within_quota(event, kind, target)
            case RejudgeOpened():
                yield all(each.name != event.name for each in self.events if isinstance(each, RejudgeOpened))
                yield bool(event.name) and not self.waits()
            case RejudgeScored():
                yield self.is_rejudging(event.name) and event.entry in self.rejudged(event.name)
                yield all(each.entry != event.entry for each in self.again(event.name))
                yield self.fits(event)
            case RejudgeClosed():
                yield self.is_rejudging(event.name)
                yield not event.applied or {each.entry for each in self.again(event.name)} == self.rejudged(event.name)
            case Scored():
                yield 1 <= event.entry <= len(self.files()) and self.is_pending(event.entry) and self.fits(event)
            case Faulted():
                yield 1 <= event.entry <= len(self.files()) and self.is_pending(event.entry)
            case _:
                raise AssertionError(event)

    def fits(self, event: Scored) -> bool:
        return bool(event.faults) or (event.attack is not None) == isinstance(self.files()[event.entry - 1], Attacked)

    def is_rejudging(self, name: str) -> bool:
        opened = any(isinstance(each, RejudgeOpened) and each.name == name for each in self.events)
        return opened and not any(isinstance(each, RejudgeClosed) and each.name == name for each in self.events)

    def rejudged(self, name: str) -> set[int]:
        """Return the files that were scored when a rejudging began."""
        (place,) = [at for at, each in enumerate(self.events) if isinstance(each, RejudgeOpened) and each.name == name]
        before = Model(self.events[:place])
        return {
            number
            for number, event in enumerate(before.files(), 1)
            if event.round != PRACTICE_ROUND and isinstance(before.results().get(number), Scored)
        }

    def within_quota(self, event: File, kind: PhaseKind, target: str) -> Iterator[bool]:
        (phase,) = [
            each
            for each in self.rules.phases
            if each.kind is kind and each.round == ("" if kind is PhaseKind.PRACTICE else event.round)
        ]
        held = [
            number
            for number, each in enumerate(self.files(), 1)
            if (each.team, each.round, target_of(each)) == (event.team, event.round, target)
            and not isinstance(self.results().get(number), Faulted)
        ]
        maybe = [number for number in held if self.is_pending(number) or self.is_valid(number)]
        yield phase.attempted is None or len(held) < phase.attempted
        yield phase.scored is None or len(maybe) < phase.scored

    def ranks(self, round_name: str) -> dict[str, tuple[int | None, bool, list[str]]]:
        """Return by team its rank, whether its release survives, and who broke it."""
        final = self.published(round_name)
        if final is None:
            final = {team: self.last_valid(round_name, team, "") for team in self.teams()}
        broken: dict[str, list[str]] = {team: [] for team in self.teams()}
        for attacker in self.teams():
            for target, number in final.items():
                last = self.last_valid(round_name, attacker, target)
                said = self.results().get(last)
                if last and number and isinstance(said, Scored) and said.attack is not None and said.attack.effective:
                    broken[target].append(attacker)
        utility: dict[str, Fraction] = {}
        for team, number in final.items():
            said = self.results().get(number)
            if isinstance(said, Scored) and said.release is not None and said.release.qualified and not broken[team]:
                assert said.release.utility is not None
                utility[team] = Fraction(said.release.utility)
        return {
            team: (
                1 + sum(other < utility[team] for other in utility.values()) if team in utility else None,
                team in utility,
                sorted(broken[team]),
            )
            for team in self.teams()
        }


def target_of(event: File) -> str:
    return event.target if isinstance(event, Attacked) else ""
