"""Every word of the pages is used, is there in both languages, and every word that a template asks for is there."""

from __future__ import annotations

import re
from pathlib import Path

import sekisho.server
from sekisho.contest.rules.contest_rules import Feedback, FinalEntry, PhaseKind, RankBy
from sekisho.contest.state import Status
from sekisho.server.auth.principal import Role
from sekisho.server.database.jobs import JobKind, JobState
from sekisho.server.pages.kit.assets import read_assets
from sekisho.server.pages.kit.words import PHRASES, read_words

ROOM = Path(sekisho.server.__file__).parent


def read_sources() -> str:
    templates = "\n".join(path.read_text() for path in (ROOM / "templates").rglob("*.html"))
    return templates + "\n".join(path.read_text() for path in (ROOM / "pages").rglob("*.py"))


def test_phrases_are_those_of_the_templates() -> None:
    asked = set(re.findall(r"\b(?:t|phrases)\.([a-z_]+)", read_sources()))
    assert asked == set(read_words()[PHRASES])


def test_groups_are_those_of_the_templates() -> None:
    asked = set(re.findall(r'(?:say|knows)\("([a-z]+)"', read_sources()))
    assert asked == set(read_words()) - {PHRASES}


def test_every_name_of_ours_has_its_words() -> None:
    words = read_words()
    for group, names in {
        "phase": PhaseKind,
        "do": PhaseKind,
        "status": Status,
        "tell": Status,
        "role": Role,
        "feedback": Feedback,
        "final": FinalEntry,
        "ranking": RankBy,
        "job": JobState,
        "work": JobKind,
    }.items():
        assert set(map(str, names)) == set(words[group]), group


def test_every_text_is_there_in_both_languages() -> None:
    for group, texts in read_words().items():
        for name, text in texts.items():
            assert text.en.strip(), (group, name)
            assert text.ja.strip(), (group, name)
            assert set(re.findall(r"\{\w*\}", text.en)) == set(re.findall(r"\{\w*\}", text.ja)), (group, name)


def test_colours_are_those_of_the_reports() -> None:
    # their contrasts are measured with the reports; a page's own style sheet brings no colour of its own
    own = (ROOM / "static" / "site.css").read_text()
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsl", own)
    assert set(re.findall(r"var\((--[a-z-]+)\)", own)) <= set(
        re.findall(r"(--[a-z-]+):", read_assets()["site.css"].content.decode())
    )


def test_scripts_are_the_pinned_ones() -> None:
    assert b'version:"2.0.11"' in read_assets()["htmx.min.js"].content
    assert "eval(" not in read_assets()["countdown.js"].content.decode()
