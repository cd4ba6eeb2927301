"""What the referee does: announcements, tokens of his own, rejudgings, jobs, the audit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from fastapi import APIRouter, HTTPException
from sqlalchemy import select

from sekisho.contest.event import Announced, RejudgeClosed, RejudgeOpened, Requeued, SetAside
from sekisho.contest.rulings.entries import find_differences
from sekisho.contest.scoring import SCORER
from sekisho.contest.state import ContestEntry, ContestState, EntryStatus
from sekisho.server.contest.auth.accounts import add_token, list_tokens, revoke_token
from sekisho.server.contest.auth.principal import AccountRole, Principal
from sekisho.server.contest.database.audit import AuditNote, add_note, find_break, read_audit
from sekisho.server.contest.database.book import Pen
from sekisho.server.contest.database.jobs import JobKind, JobState, add_job, requeue_job
from sekisho.server.contest.database.rows import JobRow
from sekisho.server.contest.routes.access import Moment, Number, Referee, TheSite
from sekisho.server.contest.routes.models import (
    Accepted,
    GivenUp,
    NewAnnouncement,
    NewRefereeToken,
    NewRejudging,
    Plain,
    RejudgingAnswer,
    TokenAnswer,
)
from sekisho.server.contest.site import Site

router = APIRouter(prefix="/api/v1", tags=["referee"])


@router.post("/announcements", status_code=201)
def announce(announcement: NewAnnouncement, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Tell everybody something."""
    with site.book.write() as pen:
        at = pen.settle_moment(at)
        pen.send(Announced(at=at, en=announcement.en, ja=announcement.ja))
        note(pen, who, at, "announce", {"line": pen.head.count})
    return Accepted(head=pen.head.digest)


@router.post("/referee/tokens", status_code=201)
def make_referee_token(token: NewRefereeToken, site: TheSite, who: Referee, at: Moment) -> TokenAnswer:
    """Make a token with which a program acts as the referee; it is told this once, and expires."""
    with site.book.write() as pen:
        number, secret = add_token(
            pen.session, pen.contest, role=AccountRole.REFEREE, label=token.label, at=at, days=token.days
        )
        note(pen, who, at, "make-token", {"token": number, "role": str(AccountRole.REFEREE), "days": token.days})
    return TokenAnswer(id=number, token=secret, team="")


@router.get("/referee/tokens")
def list_referee_tokens(site: TheSite, who: Referee, at: Moment) -> list[Plain]:
    """Return the tokens that belong to no team, without any secret: when each was made, expires, or was revoked."""
    del who
    with site.database.read() as session:
        return cast("list[Plain]", list_tokens(session, site.book.contest, team="", now=at))


@router.delete("/referee/tokens/{number}", status_code=204)
def revoke_referee_token(number: Number, site: TheSite, who: Referee, at: Moment) -> None:
    """Revoke a token of the referee."""
    with site.book.write() as pen:
        if not revoke_token(pen.session, pen.contest, number, team="", at=at):
            raise HTTPException(404)
        note(pen, who, at, "revoke-token", {"token": number, "role": str(AccountRole.REFEREE)})


@router.get("/jobs")
def list_jobs(site: TheSite, who: Referee, state: JobState | None = None) -> list[Plain]:
    """Return the newest jobs with their attempts and leases."""
    del who
    wanted = select(JobRow).where(JobRow.contest == site.book.contest).order_by(JobRow.id.desc()).limit(1000)
    with site.database.read() as session:
        rows = session.scalars(wanted if state is None else wanted.where(JobRow.state == state)).all()
    return [_show_job(row) for row in rows]


@router.post("/jobs/{number}/requeue")
def requeue_failed_job(number: Number, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Have a job that failed done after all; if it was to score a file, that file is pending again."""
    with site.book.write() as pen:
        row = pen.session.get(JobRow, number)
        if row is None or row.contest != pen.contest or row.state != JobState.FAILED:
            raise HTTPException(404)
        if row.kind == JobKind.SCORE and pen.state.entries[row.entry - 1].status is EntryStatus.FAULTED:
            pen.send(Requeued(at=pen.settle_moment(at), entry=row.entry))
        requeue_job(row)
        note(pen, who, at, "requeue-job", {"job": number, "kind": row.kind, "entry": row.entry})
    return Accepted(head=pen.head.digest)


@router.post("/submissions/{number}/requeue")
def requeue_entry(number: Number, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Have a file scored after all on which the platform failed."""
    with site.book.write() as pen:
        pen.send(Requeued(at=pen.settle_moment(at), entry=number))
        add_job(pen.session, pen.contest, JobKind.SCORE, at=at, entry=number, again=True)
        note(pen, who, at, "requeue-entry", {"entry": number})
    return Accepted(head=pen.head.digest)


@router.post("/submissions/{number}/set-aside")
def set_entry_aside(number: Number, given_up: GivenUp, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Give a file up on which the platform failed: it costs its team nothing, and nothing waits for it any more."""
    with site.book.write() as pen:
        pen.send(SetAside(at=pen.settle_moment(at), entry=number, reason=given_up.reason))
        note(pen, who, at, "set-aside", {"entry": number})
    return Accepted(head=pen.head.digest)


@router.post("/rejudgings", status_code=201)
def open_rejudging(rejudging: NewRejudging, site: TheSite, who: Referee, at: Moment) -> RejudgingAnswer:
    """Have every file that was scored scored again; nothing changes before it is applied."""
    with site.book.write() as pen:
        at = pen.settle_moment(at)
        pen.send(RejudgeOpened(at=at, name=rejudging.name, scorer=SCORER))
        for entry in sorted(pen.state.rejudgings[rejudging.name].wanted):
            add_job(pen.session, pen.contest, JobKind.REJUDGE, at=at, entry=entry, name=rejudging.name)
        note(pen, who, at, "open-rejudging", {"name": rejudging.name})
    return show_rejudging(site, rejudging.name)


@router.get("/rejudgings")
def list_rejudgings(site: TheSite, who: Referee) -> list[RejudgingAnswer]:
    """Return every rejudging."""
    del who
    return [show_rejudging(site, name) for name in site.book.read().state.rejudgings]


@router.get("/rejudgings/{name}")
def read_rejudging(name: str, site: TheSite, who: Referee) -> RejudgingAnswer:
    """Return how far a rejudging is, and what it would change."""
    del who
    return show_rejudging(site, name)


@router.post("/rejudgings/{name}/apply")
def apply_rejudging(name: str, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Apply a rejudging, all at once."""
    return _close_rejudging(site, who, at, name, applied=True)


@router.post("/rejudgings/{name}/drop")
def drop_rejudging(name: str, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Drop a rejudging."""
    return _close_rejudging(site, who, at, name, applied=False)


@router.get("/audit")
def list_audit(site: TheSite, who: Referee) -> list[Plain]:
    """Return every line of the audit."""
    del who
    with site.database.read() as session:
        return cast("list[Plain]", read_audit(session, site.book.contest))


@router.get("/audit/check")
def check_audit(site: TheSite, who: Referee) -> dict[str, int | bool | None]:
    """Tell whether the audit's chain is whole, and the first line that breaks it."""
    del who
    with site.database.read() as session:
        broken = find_break(session, site.book.contest)
    return {"whole": broken is None, "line": broken}


def note(pen: Pen, who: Principal, at: str, action: str, detail: Mapping[str, object]) -> None:
    """Write into the audit what somebody did."""
    add_note(pen.session, pen.contest, AuditNote(at=at, actor=who.actor, action=action, detail=detail))


def _close_rejudging(site: Site, who: Principal, at: str, name: str, *, applied: bool) -> Accepted:
    with site.book.write() as pen:
        at = pen.settle_moment(at)
        pen.send(RejudgeClosed(at=at, name=name, applied=applied))
        note(pen, who, at, "apply-rejudging" if applied else "drop-rejudging", {"name": name})
    return Accepted(head=pen.head.digest)


def show_rejudging(site: Site, name: str) -> RejudgingAnswer:
    """Return a rejudging with its differences, and the files on which the platform failed."""
    state = site.book.read().state
    rejudging = state.rejudgings.get(name)
    if rejudging is None:
        raise HTTPException(404)
    with site.database.read() as session:
        failed = session.scalars(
            select(JobRow).where(
                JobRow.contest == site.book.contest,
                JobRow.kind == JobKind.REJUDGE,
                JobRow.name == name,
                JobRow.state == JobState.FAILED,
            )
        ).all()
    return RejudgingAnswer(
        name=name,
        scorer=rejudging.scorer,
        wanted=len(rejudging.wanted),
        scored=len(rejudging.entries),
        applied=rejudging.applied,
        differences=[] if rejudging.applied else _list_differences(state, name),
        failed=[_show_job(row) for row in failed],
    )


def _list_differences(state: ContestState, name: str) -> list[Plain]:
    return [
        {"entry": now.number, "team": now.team, "target": now.target, "now": _show(now), "then": _show(then)}
        for now, then in find_differences(state, name)
    ]


def _show(entry: ContestEntry) -> Plain:
    release, attack = entry.release, entry.attack
    figures: Plain = {"status": str(entry.status), "faults": entry.faults}
    figures |= {} if release is None else {"utility": release.utility, "qualified": release.qualified}
    return figures | ({} if attack is None else {"hits": attack.hits, "effective": attack.effective})


def _show_job(row: JobRow) -> Plain:
    return {
        "id": row.id,
        "kind": row.kind,
        "entry": row.entry,
        "name": row.name,
        "state": row.state,
        "attempt": row.attempt,
        "lease_until": row.lease_until,
        "note": row.note,
    }
