"""Logging in and out, and registering a team."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from sekisho.contest.rules import PhaseKind
from sekisho.errors import ParameterError
from sekisho.server.contest.pages.forms import FROM_OUR_PAGES
from sekisho.server.contest.pages.render import render
from sekisho.server.contest.routes.access import Address, Anybody, Moment, TakingPart, TheSite
from sekisho.server.contest.routes.models import Credentials, PasswordChange, Registration
from sekisho.server.contest.routes.sessions import change_password, log_in, log_out
from sekisho.server.contest.routes.teams import register_team
from sekisho.server.web.forms import SENT_ON, Field, go_to, read_form

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)


@router.get("/login")
def show_login(request: Request) -> HTMLResponse:
    """Show the form to log in."""
    return render(request, "public/login.html", wrong="")


@router.post("/login", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_login(
    request: Request,
    site: TheSite,
    who: Anybody,
    at: Moment,
    address: Address,
    login: Field = "",
    password: Field = "",
) -> Response:
    """Log in."""
    credentials = read_form(Credentials, {"login": login, "password": password})
    response = go_to("/")
    try:
        person = log_in(credentials, site, who, at, address, response)
    except HTTPException as error:
        if error.status_code != 401:
            raise
        return render(request, "public/login.html", status=401, wrong="login")
    response.headers["location"] = "/team" if person.team else "/referee" if person.role == "referee" else "/"
    return response


@router.post("/logout", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_logout(site: TheSite, who: Anybody) -> Response:
    """Log out."""
    response = go_to("/")
    log_out(site, who, response)
    return response


@router.get("/password")
def show_password(request: Request, who: TakingPart) -> HTMLResponse:
    """Show the form to change one's password."""
    del who
    return render(request, "public/password.html", wrong=False)


@router.post("/password", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_password(
    request: Request,
    site: TheSite,
    who: TakingPart,
    at: Moment,
    address: Address,
    current: Field = "",
    password: Field = "",
) -> Response:
    """Change one's password."""
    change = read_form(PasswordChange, {"current": current, "password": password})
    response = go_to("/team" if who.team else "/referee")
    try:
        change_password(change, site, who, at, address, response)
    except ParameterError:
        return render(request, "public/password.html", status=422, wrong=True)
    return response


@router.get("/register")
def show_registration(request: Request, site: TheSite, at: Moment) -> HTMLResponse:
    """Show the form to register a team."""
    is_open = site.book.read().state.is_open(PhaseKind.REGISTER, "", at)
    return render(request, "public/register.html", is_open=is_open)


@router.post("/register", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_registration(
    site: TheSite,
    who: Anybody,
    at: Moment,
    address: Address,
    team: Field = "",
    login: Field = "",
    password: Field = "",
) -> Response:
    """Register a team, and log its captain in."""
    registration = read_form(Registration, {"team": team, "login": login, "password": password})
    register_team(registration, site, who, at, address)
    response = go_to("/team")
    log_in(Credentials(login=registration.login, password=registration.password), site, who, at, address, response)
    return response
