"""Whole files: the ledger, tables of the results, and the contest as one archive without the referee's truth."""

from __future__ import annotations

from tempfile import TemporaryDirectory

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from sekisho.contest.folder.tables import write_matrix, write_standings, write_standings_table
from sekisho.contest.ledger import digest_bytes
from sekisho.contest.standing import gather_round, rank_contest
from sekisho.server.contest_archive import pack_public
from sekisho.server.routes.access import Anybody, Moment, Referee, TheSite
from sekisho.server.routes.documented import CSV_FILE, describe_file
from sekisho.server.routes.entries import RoundName
from sekisho.server.routes.models import StandingsFile
from sekisho.server.routes.public import is_revealed, settle_matrix_round

router = APIRouter(prefix="/api/v1/exports", tags=["exports"])


@router.get("/standings.json", response_class=Response, responses={200: {"model": StandingsFile}})
def export_standings(site: TheSite, who: Anybody, at: Moment) -> Response:
    """Return the standings, byte for byte as `sekisho contest standings` writes them."""
    state = site.book.read().state
    if not (who.is_referee or is_revealed(state, at)):
        raise HTTPException(403)
    return _send(write_standings(rank_contest(state)), "standings.json", "application/json")


@router.get("/standings.csv", response_class=Response, responses=CSV_FILE)
def export_standings_table(site: TheSite, who: Anybody, at: Moment) -> Response:
    """Return the standings as a table for spreadsheets."""
    state = site.book.read().state
    if not (who.is_referee or is_revealed(state, at)):
        raise HTTPException(403)
    return _send(write_standings_table(rank_contest(state)), "standings.csv", "text/csv")


@router.get("/matrix.csv", response_class=Response, responses=CSV_FILE)
def export_matrix(site: TheSite, who: Anybody, at: Moment, round: RoundName = "") -> Response:
    """Return every attack of a round as a table for spreadsheets."""
    state = site.book.read().state
    if not (who.is_referee or is_revealed(state, at)):
        raise HTTPException(403)
    name = settle_matrix_round(state, round)
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
    with TemporaryDirectory(prefix="sekisho-export-") as folder:
        data = pack_public(site.book, site.store, folder)
    return _send(data, f"{site.book.name}.zip", "application/zip")


def _send(data: bytes, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-SHA256": digest_bytes(data)}
    return Response(data, media_type=kind, headers=headers)
