"""The application. It is given a database and a store, and no place where the referee's truth would lie."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI

from sekisho.contest.scoring import SCORER
from sekisho.server.middleware.answers import ANSWERS
from sekisho.server.middleware.headers import SecurityHeaders
from sekisho.server.middleware.identify import Gate
from sekisho.server.middleware.logs import RequestLog
from sekisho.server.pages import accounts, attacks, home, people, rejudgings, releases, results
from sekisho.server.pages import referee as referee_pages
from sekisho.server.pages.kit import assets
from sekisho.server.pages.kit.refusals import PageRefusals
from sekisho.server.routes import checks, entries, exports, health, phases, public, referee, sessions, targets, teams
from sekisho.server.routes.documented import describe_refusal_pages, describe_refusals
from sekisho.server.settings import WebSettings
from sekisho.server.site import Site, read_clock

PAGES = (home, accounts, people, releases, attacks, results, referee_pages, rejudgings)
ROUTERS = (health, public, sessions, teams, checks, entries, targets, phases, referee, exports, assets)


def create_app(settings: WebSettings, clock: Callable[[], str] = read_clock) -> FastAPI:
    """Return the application.

    Args:
        settings: the database, the store, limits.
        clock: what tells the moment; tests have their own.

    Raises:
        InputError: the database holds no contest of that name.
    """
    site = Site(settings=settings, clock=clock)
    app = FastAPI(
        title="Sekisho",
        version=SCORER.rpartition(" ")[2],
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        redirect_slashes=False,  # such a redirection would bear whatever name of a host the request brought
    )
    app.state.site = site
    for each in ROUTERS:
        app.include_router(each.router, responses=describe_refusals())
    for each in PAGES:
        app.include_router(each.router, responses=describe_refusal_pages())
    for error, answer in ANSWERS.items():
        app.add_exception_handler(error, answer)
    app.add_middleware(Gate, site=site)
    app.add_middleware(RequestLog, metrics=site.metrics)
    app.add_middleware(PageRefusals, site=site)
    app.add_middleware(SecurityHeaders, secure=settings.secure)
    return app
