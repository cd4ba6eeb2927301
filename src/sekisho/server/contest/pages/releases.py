"""A team's releases: checked at once, handed in, followed; everything that it handed in.

What was handed in when: a point for each file, in lines by team or by what it is, drawn without scripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from starlette.responses import Response

from sekisho.contest.rules import FinalEntry, PhaseKind, find_zone, parse_moment
from sekisho.contest.state import EntryStatus
from sekisho.contest.tables.rules import TablesRules
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Tone
from sekisho.report.kit.words import Words
from sekisho.seeds import draw_token
from sekisho.server.contest.auth.principal import Principal
from sekisho.server.contest.pages.checked_uploads import render_check, show_check
from sekisho.server.contest.pages.evidence import Drawing
from sekisho.server.contest.pages.forms import FROM_OUR_PAGES
from sekisho.server.contest.pages.render import render
from sekisho.server.contest.pages.tasks import list_rounds
from sekisho.server.contest.routes.access import Arriving, Member, Moment, Number, TakingPart, TheSite
from sekisho.server.contest.routes.checks import check_release
from sekisho.server.contest.routes.entries import (
    RoundName,
    TeamName,
    Uploads,
    choose_entry,
    list_attacks,
    list_releases,
    read_entry,
    read_receipt,
    settle_round,
    show_left,
    submit_release,
)
from sekisho.server.contest.routes.models import CheckAnswer, EntryAnswer, Plain
from sekisho.server.contest.routes.numbering import number_entries
from sekisho.server.contest.site import Site
from sekisho.server.web.faults import translate_faults
from sekisho.server.web.forms import (
    SENT_ON,
    Field,
    come_back_to,
    go_to,
    is_from_script,
)
from sekisho.server.web.language import choose_language
from sekisho.words import Language, Said, translate

TONES = {
    EntryStatus.VALID: Tone.GOOD,
    EntryStatus.INVALID: Tone.BAD,
    EntryStatus.FAULTED: Tone.WARN,
    EntryStatus.PENDING: Tone.PLAIN,
}
MOST_TICKS = 4
STEPS = (60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400, 30 * 86400, 365 * 86400)
DAY = 86400
RELEASE = Said("release")
WITHOUT_TOTALS = ("qualified", "broken", "effective", "threshold", "struck")
"""What a score says only where releases survive or are broken, and bits that nobody reads."""


def draw_timeline(entries: Sequence[EntryAnswer], zone: str, language: Language, *, by_team: bool) -> Drawing | None:
    """Return the files as points over time: for the referee a line for each team, for a team one for each kind.

    Args:
        entries: the files.
        zone: of the contest; its days and hours are shown.
        language: of the page.
        by_team: whether lines are teams.
    """
    if not entries:
        return None
    lines = _name_lines(entries, by_team=by_team)
    moments = [parse_moment(each.at).timestamp() for each in entries]
    margin = 1 + (max(moments) - min(moments)) / 20
    places = [lines.index(_name_line(each, by_team=by_team)) for each in entries]
    picture = Scatter(
        title=Said("When files were handed in"),
        desc=Said(
            "{entries} {entries:file|files} in {lines} {lines:line|lines}.", entries=len(entries), lines=len(lines)
        ),
        x=Axis(
            label=Said("received, in the contest's zone"),
            ticks=list_ticks(min(moments), max(moments), zone),
            low=min(moments) - margin,
            high=max(moments) + margin,
        ),
        y=Axis(
            label="",
            low=-0.5,
            high=len(lines) - 0.5,
            ticks=tuple((float(place), _show_line(name, by_team=by_team)) for place, name in enumerate(lines)),
        ),
        points=tuple(
            Mark(name="", x=moment, y=float(place), tone=TONES[EntryStatus(each.status)])
            for each, moment, place in zip(entries, moments, places, strict=True)
        ),
    )
    caption = Said("Each point is a file: green valid, red invalid, grey not scored yet.")
    return Drawing(
        title=translate(picture.title, language), svg=picture.draw(language), caption=translate(caption, language)
    )


def _name_lines(entries: Sequence[EntryAnswer], *, by_team: bool) -> list[str]:
    """Return the names of the lines from below: the first name stands on top, releases above attacks."""
    return sorted({_name_line(each, by_team=by_team) for each in entries}, reverse=True)


def _name_line(entry: EntryAnswer, *, by_team: bool) -> str:
    return entry.team if by_team else entry.target


def _show_line(name: str, *, by_team: bool) -> Words:
    return name if by_team or name else RELEASE


def list_ticks(first: float, last: float, zone: str) -> tuple[tuple[float, Words], ...]:
    """Return round moments between two, with words: days, or hours where all lies within two days."""
    step = next((each for each in STEPS if (last - first) / each <= MOST_TICKS), STEPS[-1])
    place = find_zone(zone)
    begun = datetime.fromtimestamp(first, place)
    midnight = begun.replace(hour=0, minute=0, second=0, microsecond=0)
    if step < DAY:
        passed = int((begun - midnight).total_seconds()) // step
        start, form = midnight + timedelta(seconds=passed * step), "%m-%d %H:%M"
    else:
        start, form = midnight, "%Y-%m-%d"
    count = int((last - start.timestamp()) // step) + 1
    moments = [start + timedelta(seconds=step * each) for each in range(count)]
    inside = [each for each in moments if first <= each.timestamp() <= last]
    shown = inside or [begun]
    return tuple((each.timestamp(), each.strftime(form if inside else "%m-%d %H:%M")) for each in shown)


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
    sent: Uploads,
    round: Field = "",
    key: Field = "",
) -> Response:
    """Hand a release in, and go to where its state is shown."""
    come_back_to(request, f"/release?{urlencode({'round': round})}")
    receipt = submit_release(site, who, arrival, Response(), sent, round, key[:200])
    return go_to(f"/entries/{receipt.entry}", request)


@router.post("/release/check", dependencies=FROM_OUR_PAGES)
def take_check(
    request: Request, site: TheSite, who: Member, at: Moment, sent: Uploads, round: Field = ""
) -> HTMLResponse:
    """Tell everything that is wrong with a release, without handing it in."""
    come_back_to(request, f"/release?{urlencode({'round': round})}")
    answer = check_release(site, who, at, sent, round)
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


@router.post("/entries/{number}/choose", dependencies=FROM_OUR_PAGES, responses=SENT_ON)
def take_choice(number: Number, site: TheSite, who: Member, at: Moment) -> Response:
    """Say that this release is the one that counts."""
    choose_entry(number, site, who, at)
    return go_to(f"/entries/{number}")


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
        scored_at_home=not isinstance(site.rules, TablesRules) or not site.rules.original.members,
        key=draw_token(),
        checked=None if answer is None else show_check(request, answer),
    )


def _show_entry(request: Request, site: Site, who: Principal, at: str, number: int, template: str) -> HTMLResponse:
    entry = read_entry(number, site, who, at)
    errors = translate_faults(entry.errors, choose_language(request))
    receipt = read_receipt(number, site, who)
    pending = entry.status == EntryStatus.PENDING
    state = site.book.read().state
    choosable = (
        state.contest.final_entry is FinalEntry.CHOSEN
        and who.is_of(entry.team)
        and not entry.target
        and entry.status == EntryStatus.VALID
        and state.is_open(PhaseKind.ANONYMISE, entry.round, at)
        and entry.counts_now != entry.entry
    )
    return render(
        request,
        template,
        entry=entry,
        figures=list_figures(entry.score, totals=state.contest.board is not None),
        is_choosable=choosable,
        errors=errors,
        count=entry.count,
        receipt=receipt,
        is_pending=pending,
    )


def list_figures(score: Plain, *, totals: bool = False) -> dict[str, object]:
    """Return the figures of a score, the parts of it beside the others; where totals rank, only what they hang on."""
    figures: dict[str, object] = {}
    for name, value in score.items():
        figures |= value if isinstance(value, dict) else {name: value}
    return {name: value for name, value in figures.items() if not totals or name not in WITHOUT_TOTALS}
