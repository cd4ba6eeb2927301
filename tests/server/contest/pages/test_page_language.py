"""A page is in the language that is asked for, else in the kept one; never in two."""

from __future__ import annotations

from tests.server.contest.api_client import ApiClient
from tests.server.contest.cup_site import CupSite


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
