"""A contest's pages: what every one shows, whoever reads it, and how moments and figures are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from fastapi import Request
from starlette.responses import HTMLResponse

from sekisho.contest.folder.desk import name_part
from sekisho.contest.handed_original import list_numbers
from sekisho.contest.rules import PRACTICE_ROUND, parse_moment, show_moment
from sekisho.contest.state import ContestState
from sekisho.contest.tables.rules import TablesRules
from sekisho.server.contest.auth.accounts import NOBODY
from sekisho.server.contest.auth.principal import AccountRole, Principal
from sekisho.server.contest.pages.words import knows_name, say_figure, say_file, say_name
from sekisho.server.contest.routes.numbering import number_entries
from sekisho.server.contest.routes.sessions import show_csrf
from sekisho.server.contest.site import Site
from sekisho.server.web.assets import name_assets, read_assets
from sekisho.server.web.language import choose_language, keep_language
from sekisho.server.web.refusals import WritePage
from sekisho.server.web.render import write_page
from sekisho.words import Language, Said, join_words

ASSETS = read_assets("sekisho.server.contest", ["countdown.js"])
KEPT = ("round", "team")
"""What is kept of a query when the reader chooses another language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """Writes moments, figures and names for the reader of one page."""

    zone: str
    now: str

    def when(self, moment: str) -> str:
        """Write a moment as people in the contest's zone read it."""
        return show_moment(moment, self.zone) if moment else "–"

    def remaining(self, until: str) -> str:
        """Write how long it is until a moment."""
        seconds = max(0, int((parse_moment(until) - parse_moment(self.now)).total_seconds()))
        days, rest = divmod(seconds, 86400)
        hours, rest = divmod(rest, 3600)
        minutes, rest = divmod(rest, 60)
        return _count_down(days, hours, minutes, rest)

    def countdown(self) -> str:
        """Write how the script says how long it still is, with a hole for each figure."""
        return _count_down("{d}", "{h}", "{m}", "{s}")

    def phase(self, kind: str, round_name: str) -> str:
        """Write the name of a phase."""
        name = say_name("phase", kind)
        return join_words((name, " (", self.round(round_name), ")")) if round_name else name

    def round(self, name: str) -> str:
        """Write the name of a round."""
        return say_name("round", name)

    def figure(self, value: object) -> str:
        """Write a figure of a score."""
        if value is None:
            return "–"
        if isinstance(value, bool):
            return Said("yes") if value else Said("no")
        if isinstance(value, float):
            return f"{value:.6g}"
        if isinstance(value, list):
            parts = cast("list[object]", value)
            return " … ".join(self.figure(each) for each in parts) if parts else "–"
        return f"{value:,}" if isinstance(value, int) else str(value)

    def left(self, count: int | None) -> str:
        """Write how many files are left."""
        return Said("unlimited") if count is None else f"{count:,}"


def _count_down(days: object, hours: object, minutes: object, seconds: object) -> Said:
    return Said("{d} {d:day|days} {h} h {m} min {s} s left", d=days, h=hours, m=minutes, s=seconds)


def find_site(request: Request) -> Site:
    """Return the site that a request is sent to."""
    return cast("Site", request.app.state.site)


def render(request: Request, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
    """Return a page."""
    site = find_site(request)
    state = site.book.read().state
    who = cast("Principal", request.state.principal)
    shown = {"entries_now": list_entries_now(state, who), "zone": state.contest.zone, **values}
    response = HTMLResponse(write_contest_page(request, site, template, who=who, values=shown), status_code=status)
    keep_language(request, response, secure=site.settings.secure)
    return response


def write_contest_page(
    request: Request, site: Site, template: str, *, who: Principal = NOBODY, values: Mapping[str, object]
) -> str:
    """Return a page's text; the database is not asked for anything here."""
    zone = str(values.get("zone", "UTC"))
    now = str(getattr(request.state, "at", "")) or site.clock()
    title = site.rules.title
    shown: dict[str, object] = {
        "say": say_name,
        "knows": knows_name,
        "say_file": say_file,
        "say_figure": say_figure,
        "name_part": name_part,
        "original_numbers": list_numbers(site.rules),
        "totals": isinstance(site.rules, TablesRules),
        "contest": title.ja if choose_language(request) is Language.JA else title.en,
        "who": who,
        "is_captain": who.role is AccountRole.CAPTAIN,
        "csrf": show_csrf(who),
        "now": now,
        "write": Writer(zone=zone, now=now),
        "assets": name_assets(ASSETS),
        **values,
    }
    return write_page(request, template, kept=KEPT, values=shown)


def write_refusal(site: Site) -> WritePage:
    """Return what writes the page of a refusal; nobody is asked for, so that a silent database keeps nobody waiting."""

    def write(request: Request, template: str, values: Mapping[str, object]) -> str:
        return write_contest_page(request, site, template, values={"entries_now": [], **values})

    return write


def list_entries_now(state: ContestState, who: Principal) -> list[tuple[str, int | None]]:
    """Return by round which entry of a team counts now; rounds in which it has handed nothing in are left out."""
    if not who.team:
        return []
    numbering = number_entries(state, who)
    pairs: list[tuple[str, int | None]] = []
    for name in (PRACTICE_ROUND, *state.contest.round_names):
        number = numbering.show_final(state, name, who.team)
        if number is not None or any(state.find_entries(name, who.team, "")):
            pairs.append((name, number))
    return pairs
