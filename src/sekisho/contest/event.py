"""What happens in a contest, each event a frozen value with its moment inside.

Events of the referee open and close phases, publish, rejudge, announce; events of teams hand files in; events of the
platform say what a file was worth, or that the platform failed. No event holds truth: of secret files there are only
digests, salted, so that nobody can try out what they might hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import ClassVar

from sekisho.contest.rules import ContestRules, PhaseKind, parse_moment
from sekisho.contest.scoring import AttackScore, ReleaseScore, Worth
from sekisho.errors import ParameterError
from sekisho.words import Said

DIGEST = re.compile(r"[0-9a-f]{64}")
LONGEST_TEXT = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened.

    Attributes:
        at: when; of a request, when it began.
    """

    kind: ClassVar[str]
    by_referee: ClassVar[bool] = True

    at: str

    def __post_init__(self) -> None:
        parse_moment(self.at)
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, str) and not _is_text(value):
                raise ParameterError(item.name, Said("be text that UTF-8 can write"), value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Created(Event):
    """A contest begins.

    Attributes:
        name: of the rules.
        rules: the digest of their file.
        contest: the contest's own rules, so that a ledger stands alone.
        originals: by round, the digest of the original.
        first_day: of a planned contest, such as ``2018-08-24``; empty where phases are opened by hand.
        commitment: the digest of the referee's secret.
        files: the digests of the rules' file and of those that it names; None in ledgers of earlier versions.
        edition: of the referee's rulings, under which the contest begins; None for the first.
    """

    kind: ClassVar[str] = "created"

    name: str
    rules: str
    contest: ContestRules
    originals: Mapping[str, str]
    first_day: str = ""
    commitment: str = ""
    files: Mapping[str, str] | None = None
    edition: int | None = None

    def __post_init__(self) -> None:
        super(Created, self).__post_init__()
        if not self.contest.rounds:
            raise ParameterError("contest", Said("list its rounds"), [])
        check_digests(self.originals)
        check_digests(self.files or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered(Event):
    """A team takes part."""

    kind: ClassVar[str] = "registered"
    by_referee: ClassVar[bool] = False

    team: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Event):
    """The referee opens a phase; other phases that are open end, practice aside.

    Attributes:
        closes: when it ends; empty for until the next one opens.
    """

    kind: ClassVar[str] = "opened"

    phase: PhaseKind
    round: str = ""
    closes: str = ""

    def __post_init__(self) -> None:
        super(Opened, self).__post_init__()
        if self.closes:
            parse_moment(self.closes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed(Event):
    """The referee ends a phase."""

    kind: ClassVar[str] = "closed"

    phase: PhaseKind
    round: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted(Event):
    """A team hands a release in.

    Attributes:
        round: or ``practice``.
        files: digest by what the file is: ``released``, ``deleted``.
        key: the same request sent twice bears the same key and counts once.
        whole: when the last byte had arrived; None where that is the moment of the event itself.
    """

    kind: ClassVar[str] = "submitted"
    by_referee: ClassVar[bool] = False

    team: str
    round: str
    files: Mapping[str, str]
    key: str = ""
    whole: str | None = None

    def __post_init__(self) -> None:
        super(Submitted, self).__post_init__()
        check_digests(self.files)
        if self.whole is not None:
            parse_moment(self.whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked(Event):
    """A team hands an attack on another one's release in."""

    kind: ClassVar[str] = "attacked"
    by_referee: ClassVar[bool] = False

    team: str
    target: str
    round: str
    files: Mapping[str, str]
    key: str = ""
    whole: str | None = None

    def __post_init__(self) -> None:
        super(Attacked, self).__post_init__()
        check_digests(self.files)
        if self.whole is not None:
            parse_moment(self.whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen(Event):
    """A team says which of its valid releases counts."""

    kind: ClassVar[str] = "chosen"
    by_referee: ClassVar[bool] = False

    team: str
    round: str
    entry: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(Event):
    """The platform says what a file was worth.

    Attributes:
        entry: its number.
        scorer: which version of the scorer said so.
        truth: the digest of what it was judged against.
        faults: how many errors an invalid file has.
        release: of a valid release.
        attack: of a valid attack.
    """

    kind: ClassVar[str] = "scored"
    by_referee: ClassVar[bool] = False

    entry: int
    scorer: str
    truth: str = ""
    faults: int = 0
    release: ReleaseScore | None = None
    attack: AttackScore | None = None

    def __post_init__(self) -> None:
        super(Scored, self).__post_init__()
        given = (self.release is not None) + (self.attack is not None) + (self.faults > 0)
        if given != 1 or self.faults < 0:
            raise ParameterError(
                "score", Said("be of a release, of an attack, or a number of errors: one of them"), given
            )

    @property
    def worth(self) -> Worth | None:
        """What the file was worth; None if it was invalid."""
        return self.release if self.release is not None else self.attack


@dataclass(frozen=True, slots=True, kw_only=True)
class Faulted(Event):
    """The platform failed; the file costs its team nothing."""

    kind: ClassVar[str] = "faulted"
    by_referee: ClassVar[bool] = False

    entry: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Requeued(Event):
    """The referee has a file on which the platform failed scored after all."""

    kind: ClassVar[str] = "requeued"

    entry: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside(Event):
    """The referee gives a file up on which the platform failed: nothing waits for it any more."""

    kind: ClassVar[str] = "set-aside"

    entry: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published(Event):
    """The referee publishes the releases of a round.

    Attributes:
        files: by team, the digest of what is published of its release.
        commitment: the salted digest of the secret maps and answers.
        kept: by its place in the folder the salted digest of each map, test set and answer; None in ledgers of earlier
            versions.
    """

    kind: ClassVar[str] = "published"

    round: str
    files: Mapping[str, str]
    commitment: str
    kept: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        super(Published, self).__post_init__()
        check_digests(self.files)
        check_digests(self.kept or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class RejudgeOpened(Event):
    """Every file that was scored is to be scored again."""

    kind: ClassVar[str] = "rejudge-opened"

    name: str
    scorer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RejudgeScored(Scored):
    """What a file is worth in a rejudging."""

    kind: ClassVar[str] = "rejudge-scored"

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RejudgeClosed(Event):
    """A rejudging is applied as a whole, or dropped."""

    kind: ClassVar[str] = "rejudge-closed"

    name: str
    applied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced(Event):
    """The referee tells everybody something."""

    kind: ClassVar[str] = "announced"

    en: str
    ja: str = field(default="")

    def __post_init__(self) -> None:
        super(Announced, self).__post_init__()
        for name, text in (("en", self.en), ("ja", self.ja)):
            if len(text) > LONGEST_TEXT:
                raise ParameterError(
                    name,
                    Said("have at most {longest_text:,} characters", longest_text=LONGEST_TEXT),
                    f"{len(text):,} characters",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn(Event):
    """The referee takes a publication or a reveal back; that it was there, for how long and why, stays written.

    Attributes:
        phase: ``publish`` or ``reveal``.
        round: whose; empty for the reveal of the whole contest.
        reason: what everybody is told.
    """

    kind: ClassVar[str] = "withdrawn"

    phase: PhaseKind
    round: str = ""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSet(Event):
    """The clock had been ahead and was set back: what the referee did after this moment counts as done at it."""

    kind: ClassVar[str] = "clock-set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted(Event):
    """A contest that began under an earlier edition of the referee's rulings goes on under a later one."""

    kind: ClassVar[str] = "adopted"

    edition: int


def _is_text(value: str) -> bool:
    """Tell whether a string can be written down; words of a command line that are no text have lone surrogates."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_digests(files: Mapping[str, str]) -> None:
    """Refuse what is no SHA-256."""
    wrong = sorted(name for name, digest in files.items() if DIGEST.fullmatch(digest) is None)
    if wrong:
        raise ParameterError("files", Said("each have their SHA-256 in small letters"), wrong)
