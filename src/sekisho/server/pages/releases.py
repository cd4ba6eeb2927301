"""A team's releases: checked at once, handed in, followed; everything that it handed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from sekisho.contest.rules.contest_rules import PhaseKind
from sekisho.contest.state import Status
from sekisho.seeds import draw_token
from sekisho.server.auth.principal import Principal
from sekisho.server.pages.kit.faults import Shown, translate_faults
from sekisho.server.pages.kit.forms import (
    FROM_OUR_PAGES,
    SENT_ON,
    Field,
    come_back_to,
    go_to,
    is_from_script,
    take_file,
)
from sekisho.server.pages.kit.language import choose_language
from sekisho.server.pages.kit.render import render
from sekisho.server.pages.tasks import list_rounds
from sekisho.server.pages.timeline import draw_timeline
from sekisho.server.routes.access import Arriving, Member, Moment, Number, TakingPart, TheSite
from sekisho.server.routes.checks import check_release
from sekisho.server.routes.entries import (
    RoundName,
    Sent,
    TeamName,
    list_attacks,
    list_releases,
    read_entry,
    read_receipt,
    settle_round,
    show_left,
    submit_release,
)
from sekisho.server.routes.models import CheckAnswer, Plain
from sekisho.server.routes.numbering import number_entries
from sekisho.server.site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedUpload:
    """The validator's answer in the reader's language."""

    valid: bool
    errors: list[Shown]
    count: int


router = APIRouter(tags=["pages"], default_response_class=HTMLResponse)


@router.get("/release")
def show_upload(
    request: Request, site: TheSite, who: Member, at: Moment, round: Annotated[RoundName, Query()] = ""
) -> HTMLResponse:
    """Show the form to hand a release in."""
    return _show_upload(request, site, who, at, round, None)


@router.post("/release", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_release(
    request: Request,
    site: TheSite,
    who: Member,
    arrival: Arriving,
    round: Field = "",
    key: Field = "",
    released: Sent = None,
    deleted: Sent = None,
    archive: Sent = None,
) -> Response:
    """Hand a release in, and go to where its state is shown."""
    come_back_to(request, f"/release?{urlencode({'round': round})}")
    receipt = submit_release(
        site, who, arrival, Response(), round, take_file(released), take_file(deleted), take_file(archive), key[:200]
    )
    return go_to(f"/entries/{receipt.entry}", request)


@router.post("/release/check", dependencies=FROM_OUR_PAGES)
def take_check(
    request: Request,
    site: TheSite,
    who: Member,
    at: Moment,
    round: Field = "",
    released: Sent = None,
    deleted: Sent = None,
    archive: Sent = None,
) -> HTMLResponse:
    """Tell everything that is wrong with a release, without handing it in."""
    come_back_to(request, f"/release?{urlencode({'round': round})}")
    answer = check_release(site, who, at, round, take_file(released), take_file(deleted), take_file(archive))
    if is_from_script(request):
        return render_check(request, answer)
    return _show_upload(request, site, who, at, round, answer)


@router.get("/entries")
def show_entries(
    request: Request, site: TheSite, who: TakingPart, at: Moment, team: Annotated[TeamName, Query()] = ""
) -> HTMLResponse:
    """Show everything that a team handed in; to the referee what all did."""
    entries = [*list_releases(site, who, at, team), *list_attacks(site, who, at, team)]
    entries.sort(key=lambda entry: -entry.entry)
    zone, language = site.book.read().state.contest.zone, choose_language(request)
    timeline = draw_timeline(entries, zone, language, by_team=who.is_referee)
    return render(request, "team/entries.html", entries=entries, timeline=timeline)


@router.get("/entries/{number}")
def show_entry(number: Number, request: Request, site: TheSite, who: TakingPart, at: Moment) -> HTMLResponse:
    """Show what became of a file, and its receipt."""
    return _show_entry(request, site, who, at, number, "team/entry.html")


@router.get("/entries/{number}/status")
def show_status(number: Number, request: Request, site: TheSite, who: TakingPart, at: Moment) -> HTMLResponse:
    """Show the part of that page that changes."""
    return _show_entry(request, site, who, at, number, "team/status_part.html")


def render_check(request: Request, answer: CheckAnswer) -> HTMLResponse:
    """Return the validator's answer as a part of a page."""
    return render(request, "team/checked_part.html", checked=show_check(request, answer))


def show_check(request: Request, answer: CheckAnswer) -> CheckedUpload:
    """Return the validator's answer as a page shows it."""
    errors = translate_faults(answer.errors, choose_language(request))
    return CheckedUpload(valid=answer.valid, errors=errors, count=answer.count)


def _show_upload(
    request: Request, site: Site, who: Principal, at: str, asked: str, answer: CheckAnswer | None
) -> HTMLResponse:
    state = site.book.read().state
    rounds = list_rounds(state, PhaseKind.ANONYMISE, at)
    name = asked or (rounds[0] if rounds else settle_round(site, PhaseKind.ANONYMISE, ""))
    window = state.windows.get((PhaseKind.PRACTICE, "") if name == "practice" else (PhaseKind.ANONYMISE, name))
    return render(
        request,
        "team/release.html",
        rounds=rounds,
        round_name=name,
        is_open=name in rounds,
        closes="" if window is None else window.closes,
        grace=state.contest.grace_seconds,
        left=show_left(state, name, who.team, ""),
        counts_now=number_entries(state, who).show_final(state, name, who.team),
        files=site.release_files,
        key=draw_token(),
        checked=None if answer is None else show_check(request, answer),
    )


def _show_entry(request: Request, site: Site, who: Principal, at: str, number: int, template: str) -> HTMLResponse:
    entry = read_entry(number, site, who, at)
    errors = translate_faults(entry.errors, choose_language(request))
    receipt = read_receipt(number, site, who)
    pending = entry.status == Status.PENDING
    return render(
        request,
        template,
        entry=entry,
        figures=list_figures(entry.score),
        errors=errors,
        count=entry.count,
        receipt=receipt,
        is_pending=pending,
    )


def list_figures(score: Plain) -> dict[str, object]:
    """Return the figures of a score, the parts of it beside the others."""
    figures: dict[str, object] = {}
    for name, value in score.items():
        figures |= value if isinstance(value, dict) else {name: value}
    return figures
