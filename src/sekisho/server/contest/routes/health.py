"""For those who keep the server running: is it alive, is it ready, how busy is it."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from sqlalchemy import func, select

from sekisho.server.contest.database.jobs import JobState
from sekisho.server.contest.database.migrate import is_current
from sekisho.server.contest.database.rows import JobRow
from sekisho.server.contest.routes.access import Referee, TheSite
from sekisho.server.web.documented import describe_file

router = APIRouter(tags=["health"])


@router.get("/health")
def tell_alive() -> dict[str, str]:
    """Tell that the process lives."""
    return {"status": "alive"}


@router.get("/ready", responses={status: {"model": dict[str, str]} for status in (200, 503)})
def tell_ready(site: TheSite) -> JSONResponse:
    """Tell whether the database answers, its tables are those of this version, and an upload has room."""
    status = "ready"
    if not is_current(site.database):
        status = "tables are of another version"
    elif not site.store.has_room(site.settings.limits.upload_bytes):
        status = "there is no room left for files"
    return JSONResponse({"status": status}, 200 if status == "ready" else 503)


@router.get("/metrics", response_class=Response, responses=describe_file("text/plain"))
def write_metrics(site: TheSite, who: Referee) -> PlainTextResponse:
    """Return counts in the form of Prometheus."""
    del who
    counted = select(JobRow.state, func.count()).where(JobRow.contest == site.book.contest).group_by(JobRow.state)
    with site.database.read() as session:
        jobs = {row[0]: row[1] for row in session.execute(counted)}
    snapshot = site.book.read()
    gauges = {f'sekisho_jobs{{state="{state}"}}': float(jobs.get(state, 0)) for state in JobState}
    gauges |= {
        "sekisho_teams": float(len(snapshot.state.teams)),
        "sekisho_entries": float(len(snapshot.state.entries)),
        "sekisho_entries_pending": float(len(snapshot.state.pending)),
        "sekisho_ledger_lines": float(snapshot.head.count),
    }
    return PlainTextResponse(site.metrics.write(gauges))
