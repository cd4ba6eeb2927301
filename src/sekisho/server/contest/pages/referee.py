"""The referee's pages: phases, faulted files, announcements, tokens, teams, exports, the audit."""

from __future__ import annotations

from collections import Counter

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from sekisho.contest.rules import PhaseKind
from sekisho.server.contest.pages.forms import FROM_OUR_PAGES
from sekisho.server.contest.pages.render import render
from sekisho.server.contest.routes.access import Moment, Number, Referee, TheSite
from sekisho.server.contest.routes.models import GivenUp, NewAnnouncement, NewRefereeToken, PhaseChange, Withdrawal
from sekisho.server.contest.routes.phases import ASKED, close_phase, name_to_confirm, open_phase, withdraw_phase
from sekisho.server.contest.routes.public import list_announcements, read_schedule
from sekisho.server.contest.routes.referee import (
    announce,
    check_audit,
    list_audit,
    list_jobs,
    list_referee_tokens,
    make_referee_token,
    requeue_entry,
    requeue_failed_job,
    revoke_referee_token,
    set_entry_aside,
)
from sekisho.server.web.forms import SENT_ON, Field, go_to, read_form

router = APIRouter(tags=["pages"], prefix="/referee", default_response_class=HTMLResponse)
NEWEST = 200


@router.get("")
def show_desk(request: Request, site: TheSite, who: Referee, at: Moment) -> HTMLResponse:
    """Show phases, announcements, the work that is going on, and what can be exported."""
    return _show_desk(request, site, who, at)


@router.post("/phases", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_phase(
    site: TheSite,
    who: Referee,
    at: Moment,
    verb: Field = "",
    phase: Field = "",
    round: Field = "",
    until: Field = "",
    confirm: Field = "",
) -> Response:
    """Open or close a phase; what shows something to others is confirmed by its name."""
    change = read_form(PhaseChange, {"phase": phase, "round": round, "until": until, "confirm": confirm.strip()})
    move = close_phase if verb == "close" else open_phase
    move(change, site, who, at)
    return go_to("/referee")


@router.post("/withdrawals", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_withdrawal(
    site: TheSite,
    who: Referee,
    at: Moment,
    phase: Field = "",
    round: Field = "",
    confirm: Field = "",
    en: Field = "",
    ja: Field = "",
) -> Response:
    """Take a publication or a reveal back."""
    values = {"phase": phase, "round": round, "confirm": confirm.strip(), "en": en, "ja": ja}
    withdraw_phase(read_form(Withdrawal, values), site, who, at)
    return go_to("/referee")


@router.post("/jobs/{number}/requeue", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_job_again(number: Number, site: TheSite, who: Referee, at: Moment) -> Response:
    """Have a job that failed done after all."""
    requeue_failed_job(number, site, who, at)
    return go_to("/referee")


@router.post("/entries/{number}/requeue", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_entry_again(number: Number, site: TheSite, who: Referee, at: Moment) -> Response:
    """Have a file scored after all on which the platform failed."""
    requeue_entry(number, site, who, at)
    return go_to("/referee")


@router.post("/entries/{number}/set-aside", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_aside(number: Number, site: TheSite, who: Referee, at: Moment, reason: Field = "") -> Response:
    """Give a file up on which the platform failed."""
    set_entry_aside(number, read_form(GivenUp, {"reason": reason}), site, who, at)
    return go_to("/referee")


@router.post("/announcements", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_announcement(site: TheSite, who: Referee, at: Moment, en: Field = "", ja: Field = "") -> Response:
    """Tell everybody something."""
    announce(read_form(NewAnnouncement, {"en": en, "ja": ja}), site, who, at)
    return go_to("/referee")


@router.post("/tokens", status_code=201, dependencies=FROM_OUR_PAGES)
def take_referee_token(
    request: Request, site: TheSite, who: Referee, at: Moment, label: Field = "", days: Field = ""
) -> HTMLResponse:
    """Make a token of the referee, and tell it this once."""
    given = {"label": label} | ({"days": int(days) if days.isdecimal() else days} if days else {})
    token = make_referee_token(read_form(NewRefereeToken, given), site, who, at)
    return _show_desk(request, site, who, at, status=201, fresh=token)


@router.post("/tokens/{number}/revoke", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_token_revocation(number: Number, site: TheSite, who: Referee, at: Moment) -> Response:
    """Revoke a token of the referee."""
    revoke_referee_token(number, site, who, at)
    return go_to("/referee")


@router.get("/teams")
def show_teams(request: Request, site: TheSite, who: Referee) -> HTMLResponse:
    """Show the teams, and how much each has handed in."""
    del who
    state = site.book.read().state
    counts = Counter((entry.team, entry.is_attack) for entry in state.entries)
    rows = [(team, state.teams[team], counts[team, False], counts[team, True]) for team in sorted(state.teams)]
    return render(request, "referee/teams.html", rows=rows)


@router.get("/audit")
def show_audit(request: Request, site: TheSite, who: Referee) -> HTMLResponse:
    """Show the newest lines of the audit, and whether its chain is whole."""
    lines = list(reversed(list_audit(site, who)))
    return render(request, "referee/audit.html", lines=lines[:NEWEST], total=len(lines), chain=check_audit(site, who))


def _show_desk(
    request: Request, site: TheSite, who: Referee, at: str, *, status: int = 200, fresh: object = None
) -> HTMLResponse:
    jobs, state, schedule = list_jobs(site, who), site.book.read().state, read_schedule(site, at)
    shown = [
        each
        for each in schedule.phases
        if (each.kind == PhaseKind.PUBLISH and each.round in state.published)
        or (each.kind == PhaseKind.REVEAL and state.has_begun(PhaseKind.REVEAL, at, each.round))
    ]
    return render(
        request,
        "referee/desk.html",
        status=status,
        schedule=schedule,
        confirmations={each.phase: name_to_confirm(site, PhaseKind(each.kind), each.round) for each in schedule.phases},
        asked=tuple(map(str, ASKED)),
        shown=shown,
        faulted=state.faulted,
        tokens=list_referee_tokens(site, who, at),
        announcements=list_announcements(site),
        jobs=[job for job in jobs if job["state"] != "done"],
        done=sum(job["state"] == "done" for job in jobs),
        pending=len(state.pending),
        fresh=fresh,
    )
