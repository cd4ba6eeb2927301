"""Moments as text: UTC to the microsecond, always as many characters, so that their order is that of time.

Windows are planned in the contest's own zone, by whole days; only here are zones and UTC turned into one another.

What rules say of the contest itself: rounds and phases, limits, which entry counts, what teams are told, who wins.

::

    [contest]
    zone = "Asia/Tokyo"
    final_entry = "last-valid"
    grace = 60           # seconds after a deadline in which a file that was begun in time may arrive
    [contest.ranking]
    by = "utility"
    [[contest.rounds]]
    name = "final"
    weight = 1
    [[contest.phases]]
    kind = "anonymise"
    round = "final"
    after = 34           # days after the contest's first day
    days = 13
    scored = 10          # valid files a team may hand in
    attempted = 30       # files it may hand in, valid or not
    feedback = "full"

All of it may be left out: then there is one round, the usual phases are opened by hand, nothing is limited.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from math import isfinite
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sekisho.contest.board.rules import AbsentRank, AttackerRules, BoardRules, RoundsBy, WeighBy
from sekisho.errors import ParameterError
from sekisho.safety.rejection import Bound
from sekisho.words import Said

FORM = "%Y-%m-%dT%H:%M:%S.%fZ"
PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
FIRST_YEAR = 1000  # years of four digits, so that text keeps the order


def write_moment(moment: datetime) -> str:
    """Return a moment as text; one without a zone is refused."""
    if moment.tzinfo is None:
        raise ParameterError("moment", Said("say its zone, such as +09:00 or Z"), moment.isoformat())
    try:
        return moment.astimezone(UTC).strftime(FORM)
    except OverflowError as error:
        raise ParameterError("moment", Said("lie in the years that a calendar has"), moment.isoformat()) from error


def parse_moment(text: str) -> datetime:
    """Return the moment that a text of this form says."""
    if PATTERN.fullmatch(text) is None or int(text[:4]) < FIRST_YEAR:
        raise ParameterError("moment", Said("be UTC of the form 2018-09-06T00:00:00.000000Z"), text)
    try:
        return datetime.strptime(text, FORM).replace(tzinfo=UTC)
    except ValueError as error:
        raise ParameterError("moment", Said("be a day and time that exist"), text) from error


def read_moment(text: str, zone: str) -> str:
    """Return a moment that people wrote, such as ``2018-09-06``, ``2018-09-06 12:00`` or ``2018-09-06T12:00+09:00``.

    One that says no zone is meant in the contest's.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ParameterError(
            "moment", Said("be a day or a time such as 2018-09-06 or 2018-09-06T12:00"), text
        ) from error
    if moment.year < FIRST_YEAR:
        raise ParameterError("moment", Said("lie after the year {first_year}", first_year=FIRST_YEAR), text)
    return write_moment(moment if moment.tzinfo is not None else moment.replace(tzinfo=find_zone(zone)))


def find_zone(name: str) -> ZoneInfo:
    """Return a zone by its name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ParameterError("zone", Said("be a zone that this machine knows, such as Asia/Tokyo"), name) from error


def begin_day(first: date, days: int, zone: str) -> str:
    """Return the first moment of the day that lies so many days after the first one, in a zone."""
    try:
        day = first + timedelta(days=days)
    except OverflowError as error:
        raise ParameterError("start", Said("leave room for every phase in the calendar"), first.isoformat()) from error
    return write_moment(datetime.combine(day, time(), tzinfo=find_zone(zone)))


def add_seconds(moment: str, seconds: float) -> str:
    """Return the moment that lies so many seconds later."""
    return write_moment(parse_moment(moment) + timedelta(seconds=seconds))


def show_moment(text: str, zone: str) -> str:
    """Return a moment as people in a zone read it."""
    return parse_moment(text).astimezone(find_zone(zone)).strftime("%Y-%m-%d %H:%M:%S %Z")


PRACTICE_ROUND = "practice"
LONGEST_DAYS = 3650
MOST_FILES = 1_000_000


class PhaseKind(StrEnum):
    """What teams and referee do in a phase."""

    REGISTER = "register"
    PRACTICE = "practice"
    ANONYMISE = "anonymise"
    PUBLISH = "publish"
    ATTACK = "attack"
    EVALUATE = "evaluate"
    REVEAL = "reveal"


OF_A_ROUND = (PhaseKind.ANONYMISE, PhaseKind.PUBLISH, PhaseKind.ATTACK, PhaseKind.EVALUATE)
"""Phases that every round has; the others the contest has once, but that a round may have a reveal of its own."""
USUAL_GRACE, LONGEST_GRACE = 60, 3600
"""Seconds."""


class Feedback(StrEnum):
    """How much of its score a team is told before the reveal."""

    NONE = "none"
    BAND = "band"
    ROUNDED = "rounded"
    FULL = "full"


class FinalEntry(StrEnum):
    """Which of a team's valid files counts."""

    LAST_VALID = "last-valid"
    BEST_VALID = "best-valid"
    CHOSEN = "chosen"
    """The one that the team chose; the last valid one where it chose none."""


class RankBy(StrEnum):
    """By which figure releases are ranked; of utility and risk less is better, of totals more."""

    UTILITY = "utility"
    RISK = "risk"
    TOTAL = "total"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRules:
    """One phase.

    Attributes:
        kind: what is done.
        round: in which round; empty for phases that the contest has once.
        after: how many days after the contest's first day it opens; None where it is opened by hand.
        days: how long it is open; None without an end.
        scored: how many valid files a team may hand in; of attacks, for each target. None without a limit.
        attempted: the same of all files, valid or not.
        feedback: how much a team is told of its score.
    """

    kind: PhaseKind
    round: str = ""
    after: int | None = None
    days: int | None = None
    scored: int | None = None
    attempted: int | None = None
    feedback: Feedback = Feedback.NONE

    def __post_init__(self) -> None:
        if (self.kind in OF_A_ROUND) != bool(self.round) and self.kind is not PhaseKind.REVEAL:
            rule = (
                Said("be named for the phase {kind}", kind=self.kind)
                if self.kind in OF_A_ROUND
                else Said("not be named for the phase {kind}", kind=self.kind)
            )
            raise ParameterError("round", rule, self.round)
        for name, value, least, most in (
            ("after", self.after, 0, LONGEST_DAYS),
            ("days", self.days, 1, LONGEST_DAYS),
            ("scored", self.scored, 1, MOST_FILES),
            ("attempted", self.attempted, 1, MOST_FILES),
        ):
            if value is not None and not least <= value <= most:
                raise ParameterError(name, Said("lie between {least} and {most:,}", least=least, most=most), value)

    @property
    def name(self) -> str:
        """What the phase is called: ``register``, ``anonymise final``."""
        return f"{self.kind} {self.round}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundWeight:
    """A round, and how much it counts."""

    name: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not self.name or self.name == PRACTICE_ROUND or not self.name.replace("-", "").replace("_", "").isalnum():
            raise ParameterError("name", Said("be a word other than {practice}", practice=PRACTICE_ROUND), self.name)
        if not (isfinite(self.weight) and 0 <= self.weight <= 1e6):
            raise ParameterError("weight", Said("lie between 0 and 1,000,000"), self.weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRules:
    """Who wins.

    Attributes:
        by: the figure that ranks releases.
        measure: of records, which of the conditions' measures is shown as utility.
        limit: of records, the highest risk that a release survives; None if none breaks it.
        best: over how many of the best releases of others an attacker's value is the mean.
        ties: of totals, the figures by which equal ones are told apart, more being better.
        absent: of totals, the rank of a team without a release in a round; the last one if not said.
    """

    by: RankBy = RankBy.UTILITY
    measure: str = ""
    limit: float | None = None
    best: int = 3
    ties: tuple[str, ...] | None = None
    absent: AbsentRank | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and not 0 <= self.limit <= 10:
            raise ParameterError("limit", Said("lie between 0 and 10"), self.limit)
        if not 1 <= self.best <= MOST_FILES:
            raise ParameterError("best", Said("lie between 1 and {most_files:,}", most_files=MOST_FILES), self.best)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestRules:
    """The contest's own rules.

    Attributes:
        zone: of its days.
        final_entry: which of a team's valid files counts.
        bound: of histories, which bound an effective attack must pass.
        digits: decimals of a rounded score.
        bands: where the bands of a banded score are cut, ascending.
        upper_inside: whether a score on a cut is in the band below it; else in the one above.
        grace: seconds after a deadline in which a file that was begun before it may arrive; None for the usual minute.
        rounds: in their order.
        phases: in their order.
        attackers: of totals, what an attacker's value is.
        rounds_by: of totals, how rounds become one.
        board: of totals, how figures become one; it comes from the rules' own scores and is not given here.
    """

    zone: str = "UTC"
    final_entry: FinalEntry = FinalEntry.LAST_VALID
    bound: Bound = Bound.UNION
    digits: int = 2
    bands: tuple[float, ...] = (0.1, 0.2, 0.3, 0.5)
    upper_inside: bool | None = None
    grace: int | None = None
    rounds: tuple[RoundWeight, ...] = ()
    phases: tuple[PhaseRules, ...] = ()
    ranking: RankingRules = field(default_factory=RankingRules)
    attackers: AttackerRules | None = None
    rounds_by: RoundsBy | None = None
    board: BoardRules | None = None

    def __post_init__(self) -> None:
        find_zone(self.zone)
        self._check_totals()
        if not 0 <= self.digits <= 12:
            raise ParameterError("digits", Said("lie between 0 and 12"), self.digits)
        if not all(map(isfinite, self.bands)) or list(self.bands) != sorted(set(self.bands)):
            raise ParameterError("bands", Said("be numbers that rise"), list(self.bands))
        if not 0 <= self.grace_seconds <= LONGEST_GRACE:
            raise ParameterError(
                "grace", Said("lie between 0 and {longest_grace:,}", longest_grace=LONGEST_GRACE), self.grace
            )
        names = [each.name for each in self.rounds]
        if len(set(names)) < len(names):
            raise ParameterError("rounds", Said("each have a name of their own"), names)
        if self.rounds and not any(each.weight for each in self.rounds):
            raise ParameterError("rounds", Said("have a weight above 0 somewhere"), names)
        unknown = sorted({each.round for each in self.phases if each.round} - set(names))
        if unknown:
            rule = Said("be of the rounds {round_names}", round_names=", ".join(names))
            raise ParameterError("phases", rule if names else Said("be of the rounds that are listed"), unknown)
        doubled = {each.name for each in self.phases if [other.name for other in self.phases].count(each.name) > 1}
        if doubled:
            raise ParameterError("phases", Said("each be listed once"), sorted(doubled))

    def _check_totals(self) -> None:
        by_rank = self.rounds_by is not None and self.rounds_by.weigh is WeighBy.RANK
        if by_rank and self.ranking.absent is AbsentRank.ZERO:
            raise ParameterError("ranking.absent", Said("be last where ranks are weighed"), self.ranking.absent)
        known = {each.name for each in self.rounds}
        for name, named in (
            ("rounds_by.attackers", {} if self.rounds_by is None else self.rounds_by.attackers),
            ("attackers.over_in", {} if self.attackers is None else self.attackers.over_in),
        ):
            if not named.keys() <= known:
                raise ParameterError(name, Said("be of the rounds that are listed"), sorted(named.keys() - known))

    def settle_rounds(self, usual: str) -> ContestRules:
        """Return the rules with rounds and phases as usual where none are listed."""
        rounds = self.rounds or (RoundWeight(name=usual),)
        return replace(self, rounds=rounds, phases=self.phases or _list_usual_phases(rounds))

    def take_round(self, name: str) -> ContestRules:
        """Return the rules of a contest that is only this round, with the usual phases."""
        attackers = None if self.attackers is None else self.attackers.in_round(name)
        alone = replace(self, rounds=(RoundWeight(name=name),), phases=(), attackers=attackers, rounds_by=None)
        return alone.settle_rounds(name)

    def find_phase(self, kind: PhaseKind, round_name: str = "") -> PhaseRules | None:
        """Return a phase, if the contest has it."""
        return next((each for each in self.every_phase if (each.kind, each.round) == (kind, round_name)), None)

    @property
    def every_phase(self) -> tuple[PhaseRules, ...]:
        """The phases in their order; where there are several rounds, each can be revealed before the whole contest."""
        listed = {each.round for each in self.phases if each.kind is PhaseKind.REVEAL}
        if "" not in listed or len(self.rounds) < 2:
            return self.phases
        place = [each.name for each in self.phases].index(PhaseKind.REVEAL)
        own = [PhaseRules(kind=PhaseKind.REVEAL, round=name) for name in self.round_names if name not in listed]
        return (*self.phases[:place], *own, *self.phases[place:])

    @property
    def grace_seconds(self) -> int:
        """How long after a deadline a file that was begun before it may arrive."""
        return USUAL_GRACE if self.grace is None else self.grace

    @property
    def round_names(self) -> tuple[str, ...]:
        """The rounds in their order."""
        return tuple(each.name for each in self.rounds)


def _list_usual_phases(rounds: tuple[RoundWeight, ...]) -> tuple[PhaseRules, ...]:
    return (
        PhaseRules(kind=PhaseKind.REGISTER),
        PhaseRules(kind=PhaseKind.PRACTICE, feedback=Feedback.FULL),
        *(
            PhaseRules(
                kind=kind,
                round=each.name,
                feedback=Feedback.FULL if kind is PhaseKind.ANONYMISE else Feedback.NONE,
            )
            for each in rounds
            for kind in OF_A_ROUND
        ),
        PhaseRules(kind=PhaseKind.REVEAL),
    )
