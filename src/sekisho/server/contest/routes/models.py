"""What requests and answers look like. Requests are strict: an unknown key or a value of another type is refused."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from sekisho.contest.rules import PhaseKind

Name = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[\w.-]+$")]
Login = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[\w.@+-]+$")]
Password = Annotated[str, StringConstraints(min_length=12, max_length=200)]
Label = Annotated[str, StringConstraints(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")]
Text = Annotated[str, StringConstraints(max_length=10_000, pattern=r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$")]
Written = Annotated[str, StringConstraints(max_length=40, pattern=r"^[0-9T:.+Z -]*$")]
Plain = dict[str, JsonValue]


class Strict(BaseModel):
    """A model that takes nothing else."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Credentials(Strict):
    """A name and a password."""

    login: Login
    password: Annotated[str, StringConstraints(max_length=200)]


class PasswordChange(Strict):
    """The password that an account has, and the one that it shall have."""

    current: Annotated[str, StringConstraints(max_length=200)]
    password: Password


class Registration(Strict):
    """A new team and its captain."""

    team: Name
    login: Login
    password: Password


class NewMember(Strict):
    """A new member of a team."""

    login: Login
    password: Password
    captain: bool = False


class NewToken(Strict):
    """A token that is asked for, and how many days it is worth something; without an end if none are named."""

    label: Label = ""
    days: Annotated[int, Field(ge=1, le=366)] | None = None


class NewRefereeToken(Strict):
    """A token of the referee that is asked for; it always expires."""

    label: Label = ""
    days: Annotated[int, Field(ge=1, le=366)] = 30


class PhaseChange(Strict):
    """A phase that opens or closes."""

    phase: Annotated[PhaseKind, Field(strict=False)]
    round: Annotated[str, StringConstraints(max_length=60)] = ""
    until: Written = ""
    confirm: Annotated[str, StringConstraints(max_length=60)] = ""


class Withdrawal(Strict):
    """A publication or a reveal that is taken back, and why; everybody is told."""

    phase: Annotated[PhaseKind, Field(strict=False)]
    round: Annotated[str, StringConstraints(max_length=60)] = ""
    confirm: Annotated[str, StringConstraints(max_length=60)] = ""
    en: Annotated[Text, StringConstraints(min_length=1, max_length=1000)]
    ja: Annotated[Text, StringConstraints(max_length=1000)] = ""


class GivenUp(Strict):
    """Why a file is set aside on which the platform failed."""

    reason: Annotated[Text, StringConstraints(min_length=1, max_length=1000)]


class NewAnnouncement(Strict):
    """What everybody is told."""

    en: Annotated[Text, StringConstraints(min_length=1)]
    ja: Text = ""


class NewRejudging(Strict):
    """A rejudging that is asked for."""

    name: Name


class ErrorAnswer(BaseModel):
    """A refusal."""

    error: str
    rule: str
    errors: list[Plain]
    error_ja: str = ""


class Identity(BaseModel):
    """Who asks."""

    role: str
    team: str
    csrf: str
    now: str


class LoggedIn(Identity):
    """Somebody who has just logged in."""

    expires: str


class Window(BaseModel):
    """When a phase is open."""

    phase: str
    kind: str
    round: str
    opens: str | None
    closes: str | None
    opens_local: str
    closes_local: str
    open: bool
    scored: int | None
    attempted: int | None
    feedback: str


class Schedule(BaseModel):
    """All phases."""

    zone: str
    now: str
    grace: int
    revealed: bool
    phases: list[Window]


class RulesAnswer(BaseModel):
    """The rules."""

    name: str
    title: dict[str, str]
    shape: str
    rounds: list[str]
    files: list[str]
    final_entry: str
    digest: str
    text: str


class TeamAnswer(BaseModel):
    """A team as its own people and the referee see it."""

    team: str
    registered: str
    members: list[Plain]
    tokens: list[Plain]


class TokenAnswer(BaseModel):
    """A new token; it is told once."""

    id: int
    token: str
    team: str


class Left(BaseModel):
    """How many files a team may still hand in; null without a limit."""

    scored: int | None
    attempted: int | None


class JobAnswer(BaseModel):
    """How far the work on a file is."""

    state: str
    attempt: int
    lease_until: str


class EntryAnswer(BaseModel):
    """A file that was handed in, as its own team and the referee see it."""

    entry: int
    at: str
    team: str
    round: str
    target: str
    status: str
    valid: bool | None
    files: dict[str, str]
    score: Plain
    errors: list[Plain]
    count: int
    counts_now: int | None
    job: JobAnswer | None


class Receipt(BaseModel):
    """What a team gets for a file: its digest and the server's time, and where it stands in the ledger.

    ``entry`` and ``counts_now`` are the team's own count, for the referee the ledger's numbers. ``ledger_head`` is the
    digest of the ledger up to the file, and names its line; which line that is, ``ledger_lines``, the referee alone is
    told, for it counts what others do.
    """

    entry: int
    at: str
    team: str
    round: str
    target: str
    files: dict[str, str]
    repeated: bool
    counts_now: int | None
    left: Left
    ledger_lines: int | None
    ledger_head: str


class AttackReceipts(BaseModel):
    """What a team gets for one file about all releases: a receipt for each target that is attacked by it.

    ``refused`` names targets whose attack the referee does not take, and why; ``missing`` those that were left empty.
    """

    round: str
    receipts: list[Receipt]
    refused: list[Plain]
    missing: list[str]


class WideForm(BaseModel):
    """The form of one file about all releases: so many columns for each team, in this order; 0 where there is none."""

    round: str
    width: int
    teams: list[str]
    wanted: list[str]


class CheckAnswer(BaseModel):
    """Whether a file is valid, and everything that is wrong with it; ``count`` has also what is not listed."""

    valid: bool
    errors: list[Plain]
    count: int


class Target(BaseModel):
    """A release that may be attacked."""

    team: str
    round: str
    published: str
    test: str | None
    own: bool
    left: Left


class Boards(BaseModel):
    """The boards of releases and of attackers, where totals rank; attackers of the house have no rank."""

    releases: list[Plain]
    attackers: list[Plain]


class RoundStandings(BaseModel):
    """How a round stands, and how much it counts."""

    round: str
    weight: float
    revealed: bool
    standings: list[Plain]
    boards: Boards | None = None


class Commitment(BaseModel):
    """A salted digest of something that the referee keeps: his secret, an original, what he keeps of a publication."""

    round: str
    of: str
    digest: str


class StandingsAnswer(BaseModel):
    """How the contest stands: as a whole, with its digest, and each round that is revealed."""

    revealed: bool
    standings: list[Plain]
    digest: str
    rounds: list[RoundStandings]


class StandingsFile(BaseModel):
    """The standings as a file."""

    standings: list[Plain]
    digest: str


class MatrixAnswer(BaseModel):
    """What attacks came to, by attacker, by target; attacks that are missing."""

    round: str
    revealed: bool
    matrix: dict[str, dict[str, Plain]]
    missing: list[list[str]]
    house: dict[str, dict[str, Plain]] = {}


class RejudgingAnswer(BaseModel):
    """A rejudging, and what it would change."""

    name: str
    scorer: str
    wanted: int
    scored: int
    applied: bool | None
    differences: list[Plain]
    failed: list[Plain]


class Accepted(BaseModel):
    """What was asked for is done."""

    accepted: bool = True
    head: str
