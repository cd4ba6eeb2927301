"""What follows from an event, as rows beside the ledger: teams, submissions, results, announcements."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from sekisho.contest.event import Announced, Attacked, Event, Registered, RejudgeScored, Scored, Submitted
from sekisho.contest.event_form import write_event
from sekisho.contest.ledger import Head, write_canonical
from sekisho.contest.rulings.refusal import Ruling
from sekisho.errors import BugError, Fault
from sekisho.server.database.rows import AnnouncementRow, ResultRow, SubmissionRow, TeamRow


def project_event(
    session: Session, contest: int, head: Head, event: Event, ruling: Ruling, faults: Iterable[Fault]
) -> None:
    """Write what follows from an event that was accepted, and with which the ledger ends now."""
    n = head.count
    if isinstance(event, Registered):
        session.add(TeamRow(contest=contest, name=event.team, registered=event.at))
    elif isinstance(event, Submitted | Attacked):
        session.add(
            SubmissionRow(
                contest=contest,
                number=ruling.entry,
                at=event.at,
                team=event.team,
                round=event.round,
                target=event.target if isinstance(event, Attacked) else "",
                key=event.key,
                files=write_canonical(dict(event.files)),
                line=n,
                head=head.digest,
            )
        )
    elif isinstance(event, Scored):
        _project_result(session, contest, event, faults)
    elif isinstance(event, Announced):
        session.add(AnnouncementRow(contest=contest, n=n, at=event.at, en=event.en, ja=event.ja))
    session.flush()


def _project_result(session: Session, contest: int, event: Scored, faults: Iterable[Fault]) -> None:
    """Write a result; in one judging the same scorer and the same truth say the same of a file every time.

    A rejudging may say something else than what stands: what was judged on a bad day can be set right.
    """
    plain = write_event(event)
    worth = write_canonical({name: plain[name] for name in ("release", "attack") if name in plain})
    rejudging = event.name if isinstance(event, RejudgeScored) else ""
    earlier = session.scalar(
        select(ResultRow).where(
            ResultRow.contest == contest,
            ResultRow.submission == event.entry,
            ResultRow.scorer == event.scorer,
            ResultRow.truth == event.truth,
            ResultRow.rejudging == rejudging,
        )
    )
    if earlier is not None:
        if (earlier.worth, earlier.count) != (worth, event.faults):
            raise BugError(f"entry {event.entry} was worth something else to the same scorer before the same truth")
        return
    session.add(
        ResultRow(
            contest=contest,
            submission=event.entry,
            scorer=event.scorer,
            truth=event.truth,
            rejudging=rejudging,
            at=event.at,
            worth=worth,
            faults=write_canonical([fault.as_both() for fault in faults]),
            count=event.faults,
        )
    )
