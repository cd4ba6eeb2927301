"""The tables.

The ledger is the contest. Teams, submissions, results and announcements follow from it and are kept beside it for
queries and constraints; accounts, tokens, sessions, jobs, handouts and the audit are the platform's own. Moments are
text, UTC, all of the same length; structured values are canonical JSON.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, LargeBinary, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Row(DeclarativeBase):
    """A row of any table."""

    type_annotation_map: ClassVar[dict[type, type[Text]]] = {str: Text}


class ContestRow(Row):
    """A contest; whoever writes to its ledger holds this row."""

    __tablename__ = "contests"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created: Mapped[str]


class LedgerRow(Row):
    """A line of a contest's ledger, as its bytes."""

    __tablename__ = "ledger"

    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    n: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    line: Mapped[bytes] = mapped_column(LargeBinary)


class TeamRow(Row):
    """A registered team."""

    __tablename__ = "teams"

    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    registered: Mapped[str]


class AccountRow(Row):
    """A person who logs in: a name, a role, of a team or none."""

    __tablename__ = "accounts"
    __table_args__ = (UniqueConstraint("contest", "login"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"))
    login: Mapped[str]
    password: Mapped[str]
    role: Mapped[str]
    team: Mapped[str] = mapped_column(default="")
    created: Mapped[str]


class TokenRow(Row):
    """A token for programs, of which only the digest is kept.

    Attributes:
        expires: from when on it is worth nothing; empty for never.
    """

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"))
    digest: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str]
    team: Mapped[str] = mapped_column(default="")
    label: Mapped[str] = mapped_column(default="")
    created: Mapped[str]
    revoked: Mapped[str] = mapped_column(default="")
    expires: Mapped[str] = mapped_column(default="", server_default="")


class SessionRow(Row):
    """Somebody who has logged in; of the cookie only the digest is kept."""

    __tablename__ = "sessions"

    digest: Mapped[str] = mapped_column(primary_key=True)
    account: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    created: Mapped[str]
    expires: Mapped[str]


class ThrottleRow(Row):
    """How often something was tried since a moment."""

    __tablename__ = "throttles"

    key: Mapped[str] = mapped_column(primary_key=True)
    since: Mapped[str]
    count: Mapped[int]


class SubmissionRow(Row):
    """An entry of the ledger: a release or an attack; its line there, and the digest of that line."""

    __tablename__ = "submissions"

    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[str]
    team: Mapped[str]
    round: Mapped[str]
    target: Mapped[str] = mapped_column(default="")
    key: Mapped[str] = mapped_column(default="")
    files: Mapped[str]
    line: Mapped[int]
    head: Mapped[str]


class ResultRow(Row):
    """What a submission was worth: at most once for each scorer and each truth, in each judging.

    Attributes:
        rejudging: which one said so; empty for the first judgement. A rejudging may overrule it.
    """

    __tablename__ = "results"
    __table_args__ = (
        UniqueConstraint("contest", "submission", "scorer", "truth", "rejudging", name="results_once"),
        ForeignKeyConstraint(["contest", "submission"], ["submissions.contest", "submissions.number"]),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"))
    submission: Mapped[int]
    scorer: Mapped[str]
    truth: Mapped[str]
    rejudging: Mapped[str] = mapped_column(default="", server_default="")
    at: Mapped[str]
    worth: Mapped[str]
    faults: Mapped[str] = mapped_column(default="[]")
    count: Mapped[int] = mapped_column(default=0)


class JobRow(Row):
    """Work for a worker, which holds it by a lease."""

    __tablename__ = "jobs"
    __table_args__ = (Index("jobs_waiting", "state", "id"), UniqueConstraint("contest", "kind", "entry", "name"))

    id: Mapped[int] = mapped_column(primary_key=True)
    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"))
    kind: Mapped[str]
    entry: Mapped[int] = mapped_column(default=0)
    name: Mapped[str] = mapped_column(default="")
    state: Mapped[str]
    attempt: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str] = mapped_column(default="")
    lease: Mapped[str] = mapped_column(default="")
    lease_until: Mapped[str] = mapped_column(default="")
    not_before: Mapped[str] = mapped_column(default="")
    created: Mapped[str]
    finished: Mapped[str] = mapped_column(default="")
    note: Mapped[str] = mapped_column(default="")


class AnnouncementRow(Row):
    """What the referee told everybody."""

    __tablename__ = "announcements"

    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    n: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[str]
    en: Mapped[str]
    ja: Mapped[str]


COMMITMENT = "commitment"
"""What kind of row tells a salted digest that everybody may read."""


class HandoutRow(Row):
    """A file that may be downloaded: by everybody, by all teams, or by one.

    Attributes:
        kind: ``sample``, ``original``, ``published`` or ``test``; ``commitment`` for a salted digest without a file.
        about: the team whose release it is of, a sample's name, an original's number; else empty.
        team: who may have it; empty for all teams (of samples, for everybody).
    """

    __tablename__ = "handouts"

    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    round: Mapped[str] = mapped_column(primary_key=True)
    about: Mapped[str] = mapped_column(primary_key=True)
    team: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str]


class AuditRow(Row):
    """A line of the audit, chained as the ledger is."""

    __tablename__ = "audit"

    contest: Mapped[int] = mapped_column(ForeignKey("contests.id"), primary_key=True)
    n: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    line: Mapped[str]
    digest: Mapped[str]
