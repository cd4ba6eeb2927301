"""The referee's pages: phases, announcements, teams, exports, the audit."""

from __future__ import annotations

from collections import Counter

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from sekisho.server.pages.kit.forms import FROM_OUR_PAGES, SENT_ON, Field, go_to, read_form
from sekisho.server.pages.kit.render import render
from sekisho.server.routes.access import Moment, Referee, TheSite
from sekisho.server.routes.models import NewAnnouncement, NewToken, PhaseChange
from sekisho.server.routes.public import list_announcements, read_schedule
from sekisho.server.routes.referee import (
    announce,
    check_audit,
    close_phase,
    list_audit,
    list_jobs,
    make_referee_token,
    open_phase,
)

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
) -> Response:
    """Open or close a phase."""
    change = read_form(PhaseChange, {"phase": phase, "round": round, "until": until})
    move = close_phase if verb == "close" else open_phase
    move(change, site, who, at)
    return go_to("/referee")


@router.post("/announcements", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_announcement(site: TheSite, who: Referee, at: Moment, en: Field = "", ja: Field = "") -> Response:
    """Tell everybody something."""
    announce(read_form(NewAnnouncement, {"en": en, "ja": ja}), site, who, at)
    return go_to("/referee")


@router.post("/tokens", status_code=201, dependencies=FROM_OUR_PAGES)
def take_referee_token(request: Request, site: TheSite, who: Referee, at: Moment, label: Field = "") -> HTMLResponse:
    """Make a token of the referee, and tell it this once."""
    token = make_referee_token(read_form(NewToken, {"label": label}), site, who, at)
    return _show_desk(request, site, who, at, status=201, fresh=token)


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
    jobs = list_jobs(site, who)
    return render(
        request,
        "referee/desk.html",
        status=status,
        schedule=read_schedule(site, at),
        announcements=list_announcements(site),
        jobs=[job for job in jobs if job["state"] != "done"],
        done=sum(job["state"] == "done" for job in jobs),
        pending=len(site.book.read().state.pending),
        fresh=fresh,
    )
