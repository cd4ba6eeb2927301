"""A team's members and tokens, for its own people and for the referee."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from sekisho.server.contest.pages.forms import FROM_OUR_PAGES
from sekisho.server.contest.pages.render import render
from sekisho.server.contest.routes.access import Captain, Moment, Number, OwnTeam, TheSite
from sekisho.server.contest.routes.models import NewMember, NewToken
from sekisho.server.contest.routes.teams import add_member, make_token, read_team, revoke_team_token
from sekisho.server.web.forms import SENT_ON, Field, go_to, read_form

router = APIRouter(tags=["pages"], prefix="/teams", default_response_class=HTMLResponse)


@router.get("/{team}")
def show_people(team: str, request: Request, site: TheSite, who: OwnTeam, at: Moment) -> HTMLResponse:
    """Show a team's members and tokens."""
    return render(request, "team/people.html", people=read_team(team, site, who, at), fresh=None)


@router.post("/{team}/members", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_member(
    team: str,
    site: TheSite,
    who: Captain,
    at: Moment,
    login: Field = "",
    password: Field = "",
    captain: Field = "",
) -> Response:
    """Make an account for another member."""
    member = read_form(NewMember, {"login": login, "password": password, "captain": bool(captain)})
    add_member(team, member, site, who, at)
    return go_to(f"/teams/{team}")


@router.post("/{team}/tokens", status_code=201, dependencies=FROM_OUR_PAGES)
def take_token(team: str, request: Request, site: TheSite, who: Captain, at: Moment, label: Field = "") -> HTMLResponse:
    """Make a token, and tell it this once."""
    token = make_token(team, read_form(NewToken, {"label": label}), site, who, at)
    return render(request, "team/people.html", status=201, people=read_team(team, site, who, at), fresh=token)


@router.post("/{team}/tokens/{number}/revoke", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_revocation(team: str, number: Number, site: TheSite, who: Captain, at: Moment) -> Response:
    """Revoke a token."""
    revoke_team_token(team, number, site, who, at)
    return go_to(f"/teams/{team}")
