"""Results: the standings and the matrix of attacks; everybody's after the reveal, the referee's always."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from sekisho.contest.standing import gather_round, rank_contest, rank_round
from sekisho.server.pages.evidence import draw_figures, grade
from sekisho.server.pages.kit.language import choose_language
from sekisho.server.pages.kit.render import render
from sekisho.server.routes.access import Anybody, Moment, TheSite
from sekisho.server.routes.entries import RoundName
from sekisho.server.routes.public import read_matrix, read_standings

router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)


@router.get("/standings")
def show_standings(request: Request, site: TheSite, who: Anybody, at: Moment) -> HTMLResponse:
    """Show how the contest stands."""
    answer = read_standings(site, who, at)
    state = site.book.read().state
    figures = []
    if answer.digest:
        name = state.contest.round_names[-1]
        results = gather_round(state, name)
        figures = draw_figures(
            site.rules, name, results, rank_round(results, state.contest.ranking), choose_language(request)
        )
    measured = bool(answer.digest) and any(each.risk is not None for each in rank_contest(state))
    return render(request, "public/standings.html", answer=answer, figures=figures, measured=measured)


@router.get("/matrix")
def show_matrix(
    request: Request, site: TheSite, who: Anybody, at: Moment, round: Annotated[RoundName, Query()] = ""
) -> HTMLResponse:
    """Show what attacks came to, attacker by attacker, release by release."""
    answer = read_matrix(site, who, at, round)
    state = site.book.read().state
    reached = {target for row in answer.matrix.values() for target in row}
    return render(
        request,
        "public/matrix.html",
        answer=answer,
        rounds=state.contest.round_names,
        attackers=sorted({*answer.matrix, *(pair[0] for pair in answer.missing)}),
        targets=sorted(reached | {pair[1] for pair in answer.missing}),
        grade=grade,
    )
