"""Every page is whole in both languages for whoever may read it, works without scripts, and says what its parts are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise

import pytest
from tests.server.contest.cup_site import CupSite
from tests.server.contest.pages.visits import PAGES, practise, read_page, read_words

from sekisho.words import CATALOGUE

NAMES = frozenset({"JST", "UTC", "CSV", "ZIP", "SHA-", "PWS", "Cup", "raw", "pairs", "triples", "more", "item"})
PLAIN_ENDING = re.compile(r"[るただうくつぬむすい]$")
POLITE = ("です", "ます", "ました", "でした", "ください", "ません")


@pytest.fixture(scope="module")
def pages(shared_cup: CupSite) -> Mapping[tuple[str, str, str, str], str]:
    """Every page before the contest has begun in earnest, while teams attack and are told nothing, and at the end."""
    practise(shared_cup)
    shown = visit(shared_cup, "practice")
    shared_cup.play_until_attacks()
    shown |= visit(shared_cup, "attack")
    shared_cup.reveal()
    shared_cup.call("referee", "POST", "/api/v1/rejudgings", json={"name": "again"})
    return shown | visit(shared_cup, "reveal")


def visit(cup: CupSite, stage: str) -> dict[tuple[str, str, str, str], str]:
    return {
        (stage, who, path, language): read_page(cup, who, path, language)
        for who, paths in PAGES.items()
        for path in paths
        for language in ("en", "ja")
    }


def test_japanese_pages_have_no_english_words(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    left = {
        key: set(re.findall(r"[A-Za-z][A-Za-z'-]{2,}", read_words(page))) - NAMES
        for key, page in pages.items()
        if key[3] == "ja"
    }
    assert {key: words for key, words in left.items() if words} == {}


def test_english_pages_have_no_japanese_words(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    left = {
        key: re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]+", read_words(page))
        for key, page in pages.items()
        if key[3] == "en"
    }
    assert {key: words for key, words in left.items() if words} == {}


def test_pages_are_in_the_language_that_they_say(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    for key, page in pages.items():
        if page.startswith("<!DOCTYPE"):
            assert f'<html lang="{key[3]}">' in page, key


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    for key, page in pages.items():
        assert set(re.findall(r"https?://[^\s\"'<)]+", page)) <= {"http://www.w3.org/2000/svg"}, key
        assert all(
            re.fullmatch(r'<script src="/static/[^"]+" defer>', tag) for tag in re.findall(r"<script[^>]*>", page)
        ), key
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|hx-on|javascript:|<iframe|<object", page), key


def test_every_field_has_its_label(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    for key, page in pages.items():
        for field in re.findall(r"<(?:input|textarea|select)[^>]*>", page):
            if 'type="hidden"' in field:
                continue
            name = re.search(r'\sid="([^"]+)"', field)
            assert name is not None, (key, field)
            assert f'for="{name[1]}"' in page, (key, field)


def test_ids_are_there_once(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    for key, page in pages.items():
        ids = re.findall(r'\sid="([^"]+)"', page)
        assert len(set(ids)) == len(ids), key
        for name in re.findall(r'(?:aria-labelledby|aria-describedby)="([^"]+)"', page):
            assert name in ids, (key, name)


def test_tables_and_figures_say_what_they_are(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    tables = figures = 0
    for key, page in pages.items():
        assert not re.search(r"<th(?! scope=)[ >]", page.replace("<thead", "")), key
        assert page.count("<table") == page.count("<caption"), key
        drawn = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
        assert all(re.search(r"<title>[^<]+</title><desc>[^<]+</desc>", each) for each in drawn), key
        tables, figures = tables + page.count("<table"), figures + len(drawn)
    assert min(tables, figures) > 10


def test_every_form_that_changes_something_bears_its_token(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    forms = [form for page in pages.values() for form in re.findall(r"<form.*?</form>", page, flags=re.DOTALL)]
    assert len(forms) > 50
    assert all('method="post"' in form and 'name="csrf"' in form for form in forms)


def test_headings_begin_with_one_of_the_first_level(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    for key, page in pages.items():
        levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
        if page.startswith("<!DOCTYPE"):
            assert levels[0] == 1, key
            assert levels.count(1) == 1, key
            assert all(after - before <= 1 for before, after in pairwise(levels)), key


def test_a_teams_pages_say_which_entry_counts(pages: Mapping[tuple[str, str, str, str], str]) -> None:
    for (stage, who, path, language), page in pages.items():
        if who.startswith("raw") and page.startswith("<!DOCTYPE"):
            said = "your entry now is #1" if language == "en" else "現在の提出は #1 です"
            assert said in page, (stage, path)


def test_japanese_sentences_are_of_one_style() -> None:
    rude = {
        sentence
        for text in json.loads((CATALOGUE / "server_pages.json").read_bytes()).values()
        for sentence in text.split("。")[:-1]
        if PLAIN_ENDING.search(sentence.rstrip("）」")) and not sentence.rstrip("）」").endswith(POLITE)
    }
    assert rude == set()
