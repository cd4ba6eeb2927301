"""Results: the standings and the matrix of attacks; everybody's after the reveal, the referee's always."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from sekisho.contest.rulebook import Rulebook
from sekisho.contest.rules import PRACTICE_ROUND
from sekisho.contest.standing import gather_round, rank_round_of
from sekisho.contest.state import ContestState
from sekisho.server.contest.pages.evidence import Drawing, draw_figures, grade
from sekisho.server.contest.pages.render import render
from sekisho.server.contest.routes.access import Anybody, Moment, TheSite
from sekisho.server.contest.routes.entries import RoundName
from sekisho.server.contest.routes.models import Plain
from sekisho.server.contest.routes.public import read_matrix, read_standings
from sekisho.server.web.language import choose_language
from sekisho.words import Language

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)


@router.get("/standings")
def show_standings(request: Request, site: TheSite, who: Anybody, at: Moment) -> HTMLResponse:
    """Show how the contest stands: as a whole, and each round with its figures."""
    answer = read_standings(site, who, at)
    state, language = site.book.read().state, choose_language(request)
    figures = {
        each.round: draw_round(site.rules, state, each.round, language) for each in answer.rounds if each.standings
    }
    rows = [row for each in answer.rounds for row in each.standings] + answer.standings
    measured = any(row.get("risk") is not None for row in rows)
    return render(
        request,
        "public/standings.html",
        answer=answer,
        figures=figures,
        measured=measured,
        attackers=_list_attackers(answer.standings),
    )


def _list_attackers(standings: list[Plain]) -> list[Plain]:
    """Return the board of attackers of the whole contest, where totals rank."""
    lines: list[Plain] = [
        {"team": each["team"], "rank": each["attack_rank"], "value": each["attack"]}
        for each in standings
        if each.get("attack_rank") is not None
    ]
    return sorted(lines, key=lambda line: (cast("int", line["rank"]), cast("str", line["team"])))


def draw_round(rules: Rulebook, state: ContestState, name: str, language: Language) -> list[Drawing]:
    """Return the figures of a round: utility against safety, the matrix, the curve."""
    results = gather_round(state, name)
    return draw_figures(rules, name, results, rank_round_of(state.contest, results, name), language)


@router.get("/matrix")
def show_matrix(
    request: Request, site: TheSite, who: Anybody, at: Moment, round: Annotated[RoundName, Query()] = ""
) -> HTMLResponse:
    """Show what attacks came to, attacker by attacker, release by release."""
    state = site.book.read().state
    answer = read_matrix(site, who, at, round or find_shown_round(state))
    reached = {target for row in answer.matrix.values() for target in row}
    return render(
        request,
        "public/matrix.html",
        answer=answer,
        rounds=(PRACTICE_ROUND, *state.contest.round_names),
        attackers=sorted({*answer.matrix, *(pair[0] for pair in answer.missing)}),
        targets=sorted(reached | {pair[1] for pair in answer.missing}),
        grade=grade,
    )


def find_shown_round(state: ContestState) -> str:
    """Return the round whose attacks are looked at first: the last one that is published, else practice."""
    return next((name for name in reversed(state.contest.round_names) if name in state.published), PRACTICE_ROUND)
