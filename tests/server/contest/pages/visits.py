"""A contest that every page can be visited of, and what a reader sees of a page."""

from __future__ import annotations

import re
from html import unescape

from tests.server.contest.cup_site import CupSite

PUBLIC = ("/", "/rules", "/login", "/register", "/standings", "/matrix", "/matrix?round=preliminary")
TEAM = (
    "/team",
    "/release",
    "/release?round=practice",
    "/entries",
    "/entries/1",
    "/entries/1/status",
    "/entries/2",
    "/entries/3",
    "/targets",
    "/targets?round=practice",
    "/targets/practice/pairs",
    "/targets/practice/raw",
    "/teams/raw",
    "/password",
)
REFEREE = (
    "/referee",
    "/referee/teams",
    "/referee/rejudgings",
    "/referee/audit",
    "/entries",
    "/entries/1",
    "/teams/raw",
    "/password",
)
PAGES = {"": PUBLIC, "raw": (*PUBLIC, *TEAM), "raw-captain": (*PUBLIC, *TEAM), "referee": (*PUBLIC, *REFEREE)}


def practise(cup: CupSite) -> None:
    """Open practice; raw and pairs hand a release in, raw attacks pairs (its entry 2) and hands errors in (3)."""
    cup.open("practice")
    for team in ("raw", "pairs"):
        assert cup.submit(team, cup.materials[team], round_name="practice").status_code == 201
    cup.worker.drain()
    assert cup.attack("raw", "pairs", cup.materials["attack on pairs"], round_name="practice").status_code == 201
    assert cup.submit("raw", b"1,2010/1/1,A,1,1\n", round_name="practice").status_code == 201
    cup.worker.drain()
    text = {"en": "Practice is open.", "ja": "練習を開始しました。"}
    cup.call("referee", "POST", "/api/v1/announcements", json=text)


def read_page(cup: CupSite, who: str, path: str, language: str) -> str:
    """Return a page."""
    answer = cup.call(who, "GET", path, headers={"Accept-Language": language})
    assert answer.status_code == 200, (who, path, answer.text[:500])
    return answer.text


def read_words(page: str) -> str:
    """Return what a reader reads, hears or fills in of a page, names and codes aside."""
    for hidden in (
        r"<title>.*?</title>",
        r"<code.*?</code>",
        r'<bdi class="name">.*?</bdi>',
        r'<a href="[^"]*" hreflang.*?</a>',
        r"<pre.*?</pre>",
        r'<p class="said" lang="en">.*?</p>',
    ):
        page = re.sub(hidden, "\n", page, flags=re.DOTALL)
    spoken = re.findall(r'(?:aria-label|placeholder|alt|title)="([^"]*)"', page)
    return unescape(re.sub(r"<[^>]+>", "\n", page)) + "\n".join(spoken)
