"""Whole files: the ledger, tables of the results, and the contest as one archive without the referee's truth."""

from __future__ import annotations

import shutil

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from sekisho.contest.folder.evaluation import write_matrix, write_standings, write_standings_table
from sekisho.contest.ledger import digest_bytes
from sekisho.contest.rulings.disclosure import is_revealed
from sekisho.contest.standing import TeamStanding, gather_round, rank_contest, rank_round_of
from sekisho.provenance import digest_file
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.contest_archive import write_public
from sekisho.server.contest.routes.access import Anybody, Moment, Referee, TheSite
from sekisho.server.contest.routes.documented import CSV_FILE
from sekisho.server.contest.routes.entries import RoundName
from sekisho.server.contest.routes.models import StandingsFile
from sekisho.server.contest.routes.public import settle_matrix_round
from sekisho.server.contest.site import Site
from sekisho.server.web.documented import describe_file

router = APIRouter(prefix="/api/v1/exports", tags=["exports"])


@router.get("/standings.json", response_class=Response, responses={200: {"model": StandingsFile}})
def export_standings(site: TheSite, who: Anybody, at: Moment, round: RoundName = "") -> Response:
    """Return the standings of the contest or of a round, byte for byte as `sekisho contest standings` writes them."""
    return _send(write_standings(_rank(site, who, at, round)), "standings.json", "application/json")


@router.get("/standings.csv", response_class=Response, responses=CSV_FILE)
def export_standings_table(site: TheSite, who: Anybody, at: Moment, round: RoundName = "") -> Response:
    """Return the standings of the contest or of a round as a table for spreadsheets."""
    return _send(write_standings_table(_rank(site, who, at, round)), "standings.csv", "text/csv")


def _rank(site: Site, who: Principal, at: str, round_name: str) -> tuple[TeamStanding, ...]:
    state = site.book.read().state
    if round_name and round_name not in state.contest.round_names:
        raise HTTPException(404)
    if not (who.is_referee or is_revealed(state, round_name, at)):
        raise HTTPException(403)
    return (
        rank_round_of(state.contest, gather_round(state, round_name), round_name) if round_name else rank_contest(state)
    )


@router.get("/matrix.csv", response_class=Response, responses=CSV_FILE)
def export_matrix(site: TheSite, who: Anybody, at: Moment, round: RoundName = "") -> Response:
    """Return every attack of a round as a table for spreadsheets."""
    state = site.book.read().state
    name = settle_matrix_round(state, round)
    if not (who.is_referee or is_revealed(state, name, at)):
        raise HTTPException(403)
    return _send(write_matrix(gather_round(state, name)), f"matrix-{name}.csv", "text/csv")


@router.get("/ledger.jsonl", response_class=Response, responses=describe_file("application/jsonl"))
def export_ledger(site: TheSite, who: Referee) -> Response:
    """Return the ledger."""
    del who
    return _send(site.book.export_lines(), "ledger.jsonl", "application/jsonl")


@router.get("/contest.zip", response_class=Response, responses=describe_file("application/zip"))
def export_contest(site: TheSite, who: Referee) -> Response:
    """Return the contest as `sekisho contest export --public` writes it; what is in the vault, a worker exports."""
    del who
    path = write_public(site.book, site.store)
    return FileResponse(
        path,
        media_type="application/zip",
        filename=f"{site.book.name}.zip",
        headers={"X-Content-SHA256": digest_file(path)},
        background=BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True),
    )


def _send(data: bytes, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-SHA256": digest_bytes(data)}
    return Response(data, media_type=kind, headers=headers)
