"""A page is in the language that is asked for, else in the kept one, else in the browser's; never in two."""

from __future__ import annotations

import pytest
from tests.server.api_client import ApiClient
from tests.server.cup_site import CupSite

from sekisho.server.pages.kit.language import read_preference


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ja", "ja"),
        ("ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("en-GB,en;q=0.9,ja;q=0.8", "en"),
        ("fr,ja;q=0.5,en;q=0.4", "ja"),
        ("fr", "en"),
        ("ja;q=0,en;q=0", "en"),
        ("ja;q=nonsense", "en"),
        ("," * 5000, "en"),
    ],
)
def test_the_browser_says_what_it_prefers(header: str, language: str) -> None:
    assert read_preference(header) == language


def test_a_language_that_was_asked_for_is_kept(shared_cup: CupSite) -> None:
    client = ApiClient(shared_cup.client.app)
    client.keeps = True
    assert '<html lang="en">' in client.request("GET", "/rules").text
    assert '<html lang="ja">' in client.request("GET", "/rules?language=ja").text
    assert '<html lang="ja">' in client.request("GET", "/rules").text
    assert '<html lang="ja">' in client.request("GET", "/rules?language=fr").text


def test_the_links_to_languages_stay_on_the_page(shared_cup: CupSite) -> None:
    page = shared_cup.call("", "GET", "/matrix?round=final&junk=%22%3E").text
    assert 'href="/matrix?round=final&amp;language=ja"' in page
    assert "junk" not in page
