"""What everybody sees: the contest, its phases, its rules; what is to do now."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from sekisho.contest.rules import PRACTICE_ROUND
from sekisho.contest.rulings.disclosure import Thing, may_read
from sekisho.server.contest.pages.render import render
from sekisho.server.contest.pages.tasks import find_next, list_tasks
from sekisho.server.contest.routes.access import Anybody, Member, Moment, TheSite
from sekisho.server.contest.routes.entries import list_attacks, list_releases
from sekisho.server.contest.routes.public import (
    list_announcements,
    list_commitments,
    list_samples,
    list_teams,
    read_rules,
    read_schedule,
)

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)
NEWEST = 5


@router.get("/")
def show_home(request: Request, site: TheSite, who: Anybody, at: Moment) -> HTMLResponse:
    """Show the contest: what can be done now, the schedule, announcements, samples."""
    state = site.book.read().state
    return render(
        request,
        "public/home.html",
        tasks=list_tasks(state, who, at),
        coming=find_next(state, at),
        schedule=read_schedule(site, at),
        announcements=list_announcements(site),
        samples=list_samples(site),
        teams=list_teams(site),
    )


@router.get("/rules")
def show_rules(request: Request, site: TheSite) -> HTMLResponse:
    """Show the rules."""
    rules = read_rules(site)
    contest = site.book.read().state.contest
    return render(request, "public/rules.html", rules=rules, contest_rules=contest, commitments=list_commitments(site))


@router.get("/team")
def show_team_home(request: Request, site: TheSite, who: Member, at: Moment) -> HTMLResponse:
    """Show a team what to do now, and its newest files."""
    state = site.book.read().state
    releases, attacks = (listing(site, who, at)[:NEWEST] for listing in (list_releases, list_attacks))
    rounds = [
        name for name in (*state.contest.round_names, PRACTICE_ROUND) if may_read(state, Thing.ORIGINAL, name, at)
    ]
    return render(
        request,
        "team/home.html",
        tasks=list_tasks(state, who, at),
        coming=find_next(state, at),
        announcements=list_announcements(site)[:NEWEST],
        entries=sorted([*releases, *attacks], key=lambda entry: -entry.entry)[:NEWEST],
        originals=rounds,
        samples=list_samples(site),
    )
