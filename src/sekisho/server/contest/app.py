"""The application. It is given a database and a store, and no place where the referee's truth would lie."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI

from sekisho.contest.scoring import SCORER
from sekisho.server.contest.middleware.answers import CONTEST_ANSWERS
from sekisho.server.contest.middleware.identify import Gate, describe_role
from sekisho.server.contest.pages import accounts, attacks, home, people, rejudgings, releases, results
from sekisho.server.contest.pages import referee as referee_pages
from sekisho.server.contest.pages.render import ASSETS, write_refusal
from sekisho.server.contest.pages.words import CONTEST_REFUSALS
from sekisho.server.contest.routes import (
    checks,
    entries,
    exports,
    health,
    phases,
    public,
    referee,
    sessions,
    targets,
    teams,
    wide_attacks,
)
from sekisho.server.contest.routes.documented import describe_refusal_pages, describe_refusals
from sekisho.server.contest.settings import WebSettings
from sekisho.server.contest.site import Site, read_clock
from sekisho.server.web.assets import make_asset_router
from sekisho.server.web.headers import SecurityHeaders
from sekisho.server.web.logs import RequestLog
from sekisho.server.web.refusals import PageRefusals, RefusalPages

PAGES = (home, accounts, people, releases, attacks, results, referee_pages, rejudgings)
ROUTERS = (health, public, sessions, teams, checks, wide_attacks, entries, targets, phases, referee, exports)

PLAIN = ("/api/", "/health", "/ready", "/metrics", "/static/")
"""How addresses for programs begin."""


def create_app(settings: WebSettings, clock: Callable[[], str] = read_clock) -> FastAPI:
    """Return the application.

    Args:
        settings: the database, the store, limits.
        clock: what tells the moment; tests have their own.

    Raises:
        InputError: the database holds no contest of that name.
    """
    site = Site(settings=settings, clock=clock)
    refusals = RefusalPages(
        write=write_refusal(site),
        template="public/refusal.html",
        part="public/refusal_part.html",
        words=CONTEST_REFUSALS,
        plain=PLAIN,
    )
    app = FastAPI(
        title="Sekisho",
        version=SCORER.rpartition(" ")[2],
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        redirect_slashes=False,  # such a redirection would bear whatever name of a host the request brought
    )
    app.state.site = site
    app.state.secure = settings.secure
    for each in ROUTERS:
        app.include_router(each.router, responses=describe_refusals())
    app.include_router(make_asset_router(ASSETS), responses=describe_refusals())
    for each in PAGES:
        app.include_router(each.router, responses=describe_refusal_pages())
    for error, answer in CONTEST_ANSWERS.items():
        app.add_exception_handler(error, answer)
    app.add_middleware(Gate, site=site)
    app.add_middleware(RequestLog, count=site.metrics.count_request, describe=describe_role)
    app.add_middleware(PageRefusals, pages=refusals)
    app.add_middleware(SecurityHeaders, secure=settings.secure)
    return app
