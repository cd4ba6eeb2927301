"""The desk's application: the way in around every route, then the pages, each a module with a ``router``."""

from __future__ import annotations

from fastapi import Depends, FastAPI
from starlette.types import Scope

from sekisho.server.desk.cases import DeskFolder
from sekisho.server.desk.counter import Counters
from sekisho.server.desk.entry import EntryGuard, check_token
from sekisho.server.desk.frame import ASSETS, find_program, write_framed
from sekisho.server.desk.pages import account, decide, disk, file, risk, run, start, table, taking, trees, versions
from sekisho.server.desk.settings import BringFile, Desk, DeskSettings
from sekisho.server.desk.words import DESK_REFUSALS
from sekisho.server.web.answers import ANSWERS
from sekisho.server.web.assets import make_asset_router
from sekisho.server.web.headers import SecurityHeaders
from sekisho.server.web.logs import RequestLog
from sekisho.server.web.refusals import PageRefusals, RefusalPages

PAGES = (start, file, risk, trees, run, account, disk, table, decide, versions, taking)
"""Modules with a ``router``; a page is added here and nowhere else."""


def create_desk(settings: DeskSettings, *, bring: BringFile | None = None) -> FastAPI:
    """Return the application.

    Args:
        settings: the folder, the way in, limits.
        bring: what opens a case for a file that the command line names; the first page if there is nothing.
    """
    app = FastAPI(
        title="Sekisho",
        version=find_program(),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        dependencies=[Depends(check_token)],
    )
    app.state.desk = Desk(
        settings=settings,
        bring=bring or (lambda _: "/"),
        cases=DeskFolder(settings.folder),
        counters=Counters(memory=settings.memory or 0),
    )
    app.state.secure = False
    app.include_router(make_asset_router(ASSETS))
    for page in PAGES:
        app.include_router(page.router)
    for error, answer in ANSWERS.items():
        app.add_exception_handler(error, answer)
    pages = RefusalPages(
        write=write_framed, template="desk/refusal.html", part="desk/refusal_part.html", words=DESK_REFUSALS
    )
    app.add_middleware(RequestLog, count=_count_nothing, describe=_describe_nothing)
    app.add_middleware(PageRefusals, pages=pages)
    app.add_middleware(EntryGuard, entrance=settings.entrance)
    app.add_middleware(SecurityHeaders, secure=False, referrer="same-origin")
    return app


def _count_nothing(method: str, route: str, status: int, seconds: float) -> None:
    del method, route, status, seconds


def _describe_nothing(scope: Scope) -> dict[str, str]:
    del scope
    return {}
