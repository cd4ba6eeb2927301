"""Jobs that workers hold by leases: rows of the main database, so that nothing can be lost between two stores.

A worker claims a job for some seconds and says from time to time that it is still at it. A lease that ran out is taken
by whoever comes next; who held it before can no longer finish the job. A job that failed too often is given up, and
the file costs its team nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from sqlalchemy import CursorResult, Select, or_, select, update
from sqlalchemy.orm import Session

from sekisho.contest.rules import add_seconds
from sekisho.seeds import draw_token
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.rows import JobRow

MOST_ATTEMPTS = 5
LONGEST_NOTE = 300


class JobKind(StrEnum):
    """What is to be done."""

    SCORE = "score"
    PUBLISH = "publish"
    REJUDGE = "rejudge"


class JobState(StrEnum):
    """How far it is."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A job in a worker's hands.

    Attributes:
        secret: which tells this lease from any other of the same job.
    """

    job: int
    contest: int
    kind: JobKind
    entry: int
    name: str
    attempt: int
    secret: str
    until: str


def add_job(
    session: Session, contest: int, kind: JobKind, *, at: str, entry: int = 0, name: str = "", again: bool = False
) -> None:
    """Queue a job; the same one, if it failed before, is queued anew; if it is asked for again, also if it was done."""
    row = session.scalar(
        select(JobRow).where(JobRow.contest == contest, JobRow.kind == kind, JobRow.entry == entry, JobRow.name == name)
    )
    if row is None:
        session.add(
            JobRow(contest=contest, kind=str(kind), entry=entry, name=name, state=str(JobState.QUEUED), created=at)
        )
    elif row.state == JobState.FAILED or (again and row.state == JobState.DONE):
        requeue_job(row)
    session.flush()


def requeue_job(row: JobRow) -> None:
    """Put a job that is over back into the queue, with all its attempts."""
    row.state, row.attempt, row.note, row.finished, row.not_before = str(JobState.QUEUED), 0, "", "", ""


def claim_job(database: Database, *, owner: str, now: str, seconds: float) -> Lease | None:
    """Take the oldest job that waits, or whose lease ran out; None if there is none."""
    with database.write() as session:
        row = session.scalar(
            select(JobRow)
            .where(
                or_(
                    (JobRow.state == JobState.QUEUED) & (JobRow.not_before <= now),
                    (JobRow.state == JobState.LEASED) & (JobRow.lease_until < now),
                ),
                JobRow.attempt < MOST_ATTEMPTS,
            )
            .order_by(JobRow.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        if row is None:
            return None
        row.state, row.attempt, row.owner = str(JobState.LEASED), row.attempt + 1, owner
        row.lease, row.lease_until = draw_token(), add_seconds(now, seconds)
        return Lease(
            job=row.id,
            contest=row.contest,
            kind=JobKind(row.kind),
            entry=row.entry,
            name=row.name,
            attempt=row.attempt,
            secret=row.lease,
            until=row.lease_until,
        )


def renew_lease(database: Database, lease: Lease, *, now: str, seconds: float) -> bool:
    """Say that one is still at a job; False if it is no longer one's own."""
    with database.write() as session:
        return _change(session, lease, lease_until=add_seconds(now, seconds))


def finish_job(session: Session, lease: Lease, *, now: str) -> bool:
    """Mark a job as done within the transaction that writes its result; False if the lease is no longer ours."""
    return _change(session, lease, state=str(JobState.DONE), finished=now, note="")


def fail_job(session: Session, lease: Lease, *, now: str, note: str) -> bool:
    """Give a job up; False if the lease is no longer ours."""
    return _change(session, lease, state=str(JobState.FAILED), finished=now, note=note[:LONGEST_NOTE])


def postpone_job(session: Session, lease: Lease, *, until: str, note: str, counts: bool) -> bool:
    """Put a job back into the queue until a moment; False if the lease is no longer ours."""
    attempt = lease.attempt if counts else lease.attempt - 1
    state = str(JobState.QUEUED)
    return _change(session, lease, state=state, attempt=attempt, not_before=until, note=note[:LONGEST_NOTE])


def list_exhausted(session: Session, *, now: str) -> list[JobRow]:
    """Return the jobs that were tried as often as they may be, and whose last lease ran out; none is taken by this."""
    return list(session.scalars(_select_exhausted(now)))


def take_exhausted(session: Session, *, now: str) -> list[JobRow]:
    """Return those jobs and hold their rows until the transaction ends, except those that somebody else holds."""
    return list(session.scalars(_select_exhausted(now).with_for_update(skip_locked=True)))


def _select_exhausted(now: str) -> Select[JobRow]:
    return (
        select(JobRow)
        .where(
            JobRow.attempt >= MOST_ATTEMPTS,
            or_(
                JobRow.state == JobState.QUEUED,
                (JobRow.state == JobState.LEASED) & (JobRow.lease_until < now),
            ),
        )
        .order_by(JobRow.id)
    )


def _change(session: Session, lease: Lease, **values: object) -> bool:
    ours = (JobRow.id == lease.job) & (JobRow.lease == lease.secret) & (JobRow.state == JobState.LEASED)
    result = cast("CursorResult[object]", session.execute(update(JobRow).where(ours).values(**values)))
    return result.rowcount == 1
