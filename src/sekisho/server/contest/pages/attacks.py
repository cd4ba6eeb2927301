"""Releases of others: downloaded, attacked."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from sekisho.contest.rules import PhaseKind
from sekisho.contest.tables.rules import TablesRules
from sekisho.seeds import draw_token
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.pages.checked_uploads import render_check, show_check
from sekisho.server.contest.pages.evidence import draw_own_curve, show_attacks
from sekisho.server.contest.pages.forms import FROM_OUR_PAGES
from sekisho.server.contest.pages.render import render
from sekisho.server.contest.pages.tasks import list_rounds
from sekisho.server.contest.routes.access import Arriving, Member, Moment, TakingPart, TheSite
from sekisho.server.contest.routes.checks import check_attack
from sekisho.server.contest.routes.entries import RoundName, Sent, settle_round, submit_attack
from sekisho.server.contest.routes.models import AttackReceipts, CheckAnswer, Target
from sekisho.server.contest.routes.numbering import number_entries
from sekisho.server.contest.routes.targets import list_targets
from sekisho.server.contest.routes.wide_attacks import check_attacks, find_columns, submit_attacks
from sekisho.server.contest.site import Site
from sekisho.server.web.forms import (
    SENT_ON,
    Field,
    come_back_to,
    go_to,
    is_from_script,
    take_file,
)
from sekisho.server.web.language import choose_language

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)


class AttackForm:
    """What a form of an attack bears: a file of answers, or a zip of several; an empty field is no file."""

    def __init__(self, guess: Sent = None, archive: Sent = None) -> None:
        self.guess, self.archive = take_file(guess), take_file(archive)


SentAttack = Annotated[AttackForm, Depends()]


@router.get("/targets")
def show_targets(
    request: Request, site: TheSite, who: TakingPart, at: Moment, round: Annotated[RoundName, Query()] = ""
) -> HTMLResponse:
    """Show the releases that may be attacked, what one's own attacks came to, and the curve that they must reach."""
    return _show_targets(request, site, who, at, round)


@router.post("/attacks", status_code=201, dependencies=FROM_OUR_PAGES)
def take_attacks(
    request: Request,
    site: TheSite,
    who: Member,
    arrival: Arriving,
    sent: SentAttack,
    round: Field = "",
    key: Field = "",
) -> HTMLResponse:
    """Hand one file about all releases in, and tell what was taken of it."""
    come_back_to(request, f"/targets?{urlencode({'round': round})}")
    taken = submit_attacks(site, who, arrival, round, sent.guess, sent.archive, key[:200])
    if is_from_script(request):
        return render(request, "team/taken_part.html", status=201, taken=taken)
    return _show_targets(request, site, who, arrival.whole, round, taken=taken, status=201)


@router.post("/attacks/check", dependencies=FROM_OUR_PAGES)
def take_attacks_check(
    request: Request,
    site: TheSite,
    who: Member,
    at: Moment,
    sent: SentAttack,
    round: Field = "",
) -> HTMLResponse:
    """Tell everything that is wrong with one file about all releases, without handing it in."""
    come_back_to(request, f"/targets?{urlencode({'round': round})}")
    answer = check_attacks(site, who, at, round, sent.guess, sent.archive)
    if is_from_script(request):
        return render_check(request, answer)
    return _show_targets(request, site, who, at, round, answer=answer)


@router.get("/targets/{round}/{team}")
def show_target(round: str, team: str, request: Request, site: TheSite, who: Member, at: Moment) -> HTMLResponse:
    """Show the form to hand an attack in."""
    return _show_target(request, site, who, at, find_target(site, who, at, round, team), None)


@router.post("/targets/{round}/{team}", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_attack(
    round: str,
    team: str,
    request: Request,
    site: TheSite,
    who: Member,
    arrival: Arriving,
    sent: SentAttack,
    key: Field = "",
) -> Response:
    """Hand an attack in, and go to where its state is shown."""
    come_back_to(request, f"/targets/{quote(round)}/{quote(team)}")
    receipt = submit_attack(site, who, arrival, Response(), team, round, sent.guess, sent.archive, key[:200])
    return go_to(f"/entries/{receipt.entry}", request)


@router.post("/targets/{round}/{team}/check", dependencies=FROM_OUR_PAGES)
def take_attack_check(
    round: str,
    team: str,
    request: Request,
    site: TheSite,
    who: Member,
    at: Moment,
    sent: SentAttack,
) -> HTMLResponse:
    """Tell everything that is wrong with an attack, without handing it in."""
    come_back_to(request, f"/targets/{quote(round)}/{quote(team)}")
    answer = check_attack(site, who, at, team, round, sent.guess, sent.archive)
    if is_from_script(request):
        return render_check(request, answer)
    return _show_target(request, site, who, at, find_target(site, who, at, round, team), answer)


def find_target(site: Site, who: Principal, at: str, round_name: str, team: str) -> Target:
    """Return a release that may be attacked."""
    for target in list_targets(site, who, at, round_name):
        if target.team == team:
            return target
    raise HTTPException(404)


def _show_targets(
    request: Request,
    site: Site,
    who: Principal,
    at: str,
    asked: str,
    *,
    answer: CheckAnswer | None = None,
    taken: AttackReceipts | None = None,
    status: int = 200,
) -> HTMLResponse:
    state = site.book.read().state
    rounds = list_rounds(state, PhaseKind.ATTACK, at)
    name = asked or (rounds[0] if rounds else settle_round(site, PhaseKind.ATTACK, ""))
    attacks = show_attacks(state, name, who.team, at)
    targets = list_targets(site, who, at, name)
    together = isinstance(site.rules, TablesRules) and bool(who.team) and any(not each.own for each in targets)
    return render(
        request,
        "team/targets.html",
        status=status,
        rounds=rounds,
        round_name=name,
        targets=targets,
        attacks=attacks,
        curve=draw_own_curve(site.rules, who.team, attacks, choose_language(request)),
        columns=find_columns(site, who, at, name) if together else None,
        checked=None if answer is None else show_check(request, answer),
        taken=taken,
        key=draw_token(),
    )


def _show_target(
    request: Request, site: Site, who: Principal, at: str, target: Target, answer: CheckAnswer | None
) -> HTMLResponse:
    state = site.book.read().state
    numbering = number_entries(state, who)
    own = list(state.find_entries(target.round, who.team, target.team))
    return render(
        request,
        "team/attack.html",
        target=target,
        grace=state.contest.grace_seconds,
        is_open=target.round in list_rounds(state, PhaseKind.ATTACK, at) and not target.own,
        own_entries=[(numbering.show(entry), entry) for entry in reversed(own)],
        key=draw_token(),
        checked=None if answer is None else show_check(request, answer),
    )
