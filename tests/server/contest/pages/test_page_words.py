"""Every name of ours has its words on the pages, which say what they say in the reader's language."""

from __future__ import annotations

import re
from pathlib import Path

import sekisho.server
from sekisho.contest.rules import Feedback, FinalEntry, PhaseKind, RankBy
from sekisho.contest.state import EntryStatus
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.database.jobs import JobKind, JobState
from sekisho.server.contest.pages.render import ASSETS
from sekisho.server.contest.pages.words import NAMES
from sekisho.server.web.render import open_templates
from sekisho.words import Language, Said

ROOM = Path(sekisho.server.__file__).parent


def read_sources() -> str:
    templates = "\n".join(
        path.read_text() for path in (ROOM / "templates").rglob("*.html") if path.parent.name != "desk"
    )
    return templates + "\n".join(path.read_text() for path in (ROOM / "contest" / "pages").rglob("*.py"))


def test_groups_are_those_of_the_templates() -> None:
    asked = set(re.findall(r'(?:say|knows|say_name|knows_name)\("([a-z]+)"', read_sources()))
    assert asked == set(NAMES)


def test_every_name_of_ours_has_its_words() -> None:
    for group, names in {
        "phase": PhaseKind,
        "do": PhaseKind,
        "status": EntryStatus,
        "tell": EntryStatus,
        "role": AccountRole,
        "feedback": Feedback,
        "final": FinalEntry,
        "ranking": RankBy,
        "job": JobState,
        "work": JobKind,
    }.items():
        assert set(map(str, names)) == set(NAMES[group]), group


def test_a_page_says_a_sentence_in_its_readers_language() -> None:
    for language, words in ((Language.EN, "yes &lt;b&gt;"), (Language.JA, "はい &lt;b&gt;")):
        page = open_templates().from_string("{{ said('yes') }} {{ '<b>' }}").render(said=Said, language=language)
        assert page == words


def test_colours_are_those_of_the_reports() -> None:
    # their contrasts are measured with the reports; a page's own style sheet brings no colour of its own
    own = (ROOM / "web" / "static" / "site.css").read_text()
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsl", own)
    assert set(re.findall(r"var\((--[a-z-]+)\)", own)) <= set(
        re.findall(r"(--[a-z-]+):", ASSETS["site.css"].content.decode())
    )


def test_scripts_are_the_pinned_ones() -> None:
    assert b'version:"2.0.11"' in ASSETS["htmx.min.js"].content
    assert "eval(" not in ASSETS["countdown.js"].content.decode()
