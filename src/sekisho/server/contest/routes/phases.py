"""Phases as the referee opens, closes and takes them back; what shows something to others asks before it does."""

from __future__ import annotations

from fastapi import APIRouter

from sekisho.contest.event import Announced, Closed, Opened, Withdrawn
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind, read_moment
from sekisho.contest.rulings.refusal import Refusal, RefusedEventError
from sekisho.server.contest.database.jobs import JobKind, add_job
from sekisho.server.contest.routes.access import Moment, Referee, TheSite
from sekisho.server.contest.routes.models import Accepted, PhaseChange, Withdrawal
from sekisho.server.contest.routes.referee import note
from sekisho.server.contest.site import Site
from sekisho.words import Said

router = APIRouter(prefix="/api/v1/phases", tags=["referee"])

ASKED: dict[PhaseKind, Said] = {
    PhaseKind.PRACTICE: Said(
        "practice hands the original of the first round to all teams, and each practice release to all of them at once"
    ),
    PhaseKind.PUBLISH: Said(
        "publication hands the releases of the round to all teams, and no release is taken any more"
    ),
    PhaseKind.REVEAL: Said("the reveal shows the results to everybody, and nothing is taken any more"),
}
"""What opening a phase brings about that cannot be made unseen."""


@router.post("/open")
def open_phase(change: PhaseChange, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Open a phase; opening publish has the final entries of the round published by a worker.

    Practice, publish and reveal show something to others: `confirm` must be the name of the round, of the contest for
    the reveal of all of it, `practice` for practice.
    """
    if change.phase in ASKED:
        require_confirmed(site, change, ASKED[change.phase])
    with site.book.write() as pen:
        at = pen.settle_moment(at)
        closes = read_moment(change.until, pen.state.contest.zone) if change.until else ""
        pen.send(Opened(at=at, phase=change.phase, round=change.round, closes=closes))
        if change.phase is PhaseKind.PUBLISH:
            add_job(pen.session, pen.contest, JobKind.PUBLISH, at=at, name=change.round, again=True)
        note(pen, who, at, "open-phase", {"phase": str(change.phase), "round": change.round, "closes": closes})
    return Accepted(head=pen.head.digest)


@router.post("/close")
def close_phase(change: PhaseChange, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Close a phase before its time."""
    with site.book.write() as pen:
        at = pen.settle_moment(at)
        pen.send(Closed(at=at, phase=change.phase, round=change.round))
        note(pen, who, at, "close-phase", {"phase": str(change.phase), "round": change.round})
    return Accepted(head=pen.head.digest)


@router.post("/withdraw")
def withdraw_phase(withdrawal: Withdrawal, site: TheSite, who: Referee, at: Moment) -> Accepted:
    """Take a publication back that nobody has attacked yet, or a reveal; that it was there stays in the ledger.

    `confirm` as for opening it. Everybody is told why.
    """
    taken_back = Said("what is taken back is no longer shown; who has seen it has seen it, and everybody is told why")
    require_confirmed(site, withdrawal, taken_back)
    name = f"{withdrawal.phase} {withdrawal.round}".strip()
    with site.book.write() as pen:
        at = pen.settle_moment(at)
        pen.send(Withdrawn(at=at, phase=withdrawal.phase, round=withdrawal.round, reason=withdrawal.en))
        told = withdrawal.ja or withdrawal.en
        pen.send(Announced(at=at, en=f"Taken back: {name}. {withdrawal.en}", ja=f"取り下げ：{name}。{told}"))
        note(pen, who, at, "withdraw", {"phase": str(withdrawal.phase), "round": withdrawal.round})
    return Accepted(head=pen.head.digest)


def require_confirmed(site: Site, change: PhaseChange | Withdrawal, consequence: Said) -> None:
    """Refuse what shows something to others unless its name is typed.

    Raises:
        RefusedEventError: it is not.
    """
    wanted = name_to_confirm(site, change.phase, change.round)
    if change.confirm != wanted:
        reason = Said("{consequence}: type the name {wanted!r} to confirm", consequence=consequence, wanted=wanted)
        raise RefusedEventError(Refusal(rule="confirm", reason=reason))


def name_to_confirm(site: Site, phase: PhaseKind, round_name: str) -> str:
    """Return what somebody types who means it."""
    return PRACTICE_ROUND if phase is PhaseKind.PRACTICE else round_name or site.book.name
