"""Releases to attack, and the files that teams are handed: their original, what is published, their test sets."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse
from sqlalchemy import select

from sekisho.contest.handed_original import list_numbers
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind
from sekisho.contest.rulings.disclosure import Thing, may_read
from sekisho.errors import ParameterError
from sekisho.server.contest.database.rows import HandoutRow
from sekisho.server.contest.routes.access import Member, Moment, TakingPart, TheSite
from sekisho.server.contest.routes.documented import CSV_FILE, PUBLISHED_FILE
from sekisho.server.contest.routes.entries import RoundName, settle_round, show_left
from sekisho.server.contest.routes.models import Target
from sekisho.server.contest.routes.public import send_handout
from sekisho.words import Said

router = APIRouter(prefix="/api/v1", tags=["targets"])


@router.get("/targets")
def list_targets(site: TheSite, who: TakingPart, at: Moment, round: Annotated[RoundName, Query()] = "") -> list[Target]:
    """Return the releases of a round that are published, or of practice, with the digests of their files."""
    name = settle_round(site, PhaseKind.ATTACK, round)
    state = site.book.read().state
    if not may_read(state, Thing.PUBLISHED, name, at):
        return []
    with site.database.read() as session:
        rows = session.scalars(
            select(HandoutRow).where(HandoutRow.contest == site.book.contest, HandoutRow.round == name)
        ).all()
    tests = {row.about: row.digest for row in rows if row.kind == Thing.TEST and who.is_of(row.team)}
    return [
        Target(
            team=row.about,
            round=name,
            published=row.digest,
            test=tests.get(row.about),
            own=who.is_of(row.about),
            left=show_left(state, name, who.team, row.about),
        )
        for row in sorted(rows, key=lambda each: each.about)
        if row.kind == Thing.PUBLISHED and state.find_target(name, row.about) is not None
    ]


@router.get("/targets/{round}/{team}/published", response_class=FileResponse, responses=PUBLISHED_FILE)
def read_published(round: str, team: str, site: TheSite, who: TakingPart, at: Moment) -> FileResponse:
    """Return what is published of a team's release."""
    return send_handout(site, at, kind=Thing.PUBLISHED, round_name=round, about=team, team=who.team)


@router.get("/targets/{round}/{team}/test", response_class=FileResponse, responses=CSV_FILE)
def read_test(round: str, team: str, site: TheSite, who: Member, at: Moment) -> FileResponse:
    """Return one's own test set for an attack on a team's release."""
    return send_handout(site, at, kind=Thing.TEST, round_name=round, about=team, team=who.team)


@router.get("/rounds/{round}/original", response_class=FileResponse, responses=CSV_FILE)
def read_original(
    round: str, site: TheSite, who: Member, at: Moment, number: Annotated[str, Query(max_length=4)] = ""
) -> FileResponse:
    """Return the original that one's team works on, once its round has opened; practice is on that of the first.

    Where a team picks one of several, `number` says which.
    """
    names = site.book.read().state.contest.round_names
    name = names[0] if round == PRACTICE_ROUND else round
    if name not in names:
        raise HTTPException(404)
    numbers = list_numbers(site.rules)
    if number not in numbers and numbers != ("",):
        raise ParameterError("number", Said("be one of {choices}", choices=", ".join(numbers)), number)
    return send_handout(site, at, kind=Thing.ORIGINAL, round_name=name, about=number, team=who.team)
