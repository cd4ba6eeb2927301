"""Rejudgings: files scored again, the differences shown before anything changes, then applied or dropped."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from sekisho.server.contest.pages.forms import FROM_OUR_PAGES
from sekisho.server.contest.pages.render import render
from sekisho.server.contest.routes.access import Moment, Referee, TheSite
from sekisho.server.contest.routes.models import NewRejudging
from sekisho.server.contest.routes.referee import apply_rejudging, drop_rejudging, list_rejudgings, open_rejudging
from sekisho.server.web.forms import SENT_ON, Field, go_to, read_form

router = APIRouter(tags=["pages"], prefix="/referee/rejudgings", default_response_class=HTMLResponse)


@router.get("")
def show_rejudgings(request: Request, site: TheSite, who: Referee) -> HTMLResponse:
    """Show every rejudging with what it would change."""
    rejudgings = list(reversed(list_rejudgings(site, who)))
    return render(request, "referee/rejudgings.html", rejudgings=rejudgings)


@router.post("", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_rejudging(site: TheSite, who: Referee, at: Moment, name: Field = "") -> Response:
    """Have every file scored again."""
    open_rejudging(read_form(NewRejudging, {"name": name}), site, who, at)
    return go_to("/referee/rejudgings")


@router.post("/{name}/apply", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_application(name: str, site: TheSite, who: Referee, at: Moment) -> Response:
    """Apply a rejudging."""
    apply_rejudging(name, site, who, at)
    return go_to("/referee/rejudgings")


@router.post("/{name}/drop", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_drop(name: str, site: TheSite, who: Referee, at: Moment) -> Response:
    """Drop a rejudging."""
    drop_rejudging(name, site, who, at)
    return go_to("/referee/rejudgings")
