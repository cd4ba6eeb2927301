"""Whatever is refused to a person is told on a page, in their language; programs get their JSON."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError
from tests.server.contest.conftest import OpenCup
from tests.server.contest.cup_site import CupSite

from sekisho.server.contest.settings import RequestLimits


@pytest.mark.parametrize(
    ("who", "path", "status", "japanese"),
    [
        ("", "/team", 401, "ログインしてください。"),
        ("raw", "/referee", 403, "権限がない"),
        ("", "/none", 404, "ページが見つかりません。"),
        ("raw", "/targets/final/none", 404, "ページが見つかりません。"),
        ("raw", "/entries/99", 403, "権限がない"),
    ],
)
def test_a_refusal_is_a_page(shared_cup: CupSite, who: str, path: str, status: int, japanese: str) -> None:
    answer = shared_cup.call(who, "GET", path, headers={"Accept-Language": "ja"})
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert japanese in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_programs_get_json(shared_cup: CupSite) -> None:
    assert shared_cup.call("", "GET", "/api/v1/none").json()["rule"] == "404"


def test_the_login_form_is_at_hand_where_one_must_log_in(shared_cup: CupSite) -> None:
    assert 'name="password"' in shared_cup.call("", "GET", "/team").text


def test_everything_that_is_wrong_with_a_form_is_listed(cup: CupSite) -> None:
    fields = {"team": "not a name", "login": "", "password": "short"}
    answer = cup.call("", "POST", "/register?language=ja", data=fields)
    assert answer.status_code == 422
    for words in ("使えない文字", "短すぎます"):
        assert words in answer.text
    assert answer.text.count('class="sentence"') == 3
    assert "short" not in answer.text.partition("<main")[2].replace("string_too_short", "")


def test_the_referees_reasons_are_told_in_both_languages(cup: CupSite) -> None:
    answer = cup.call("raw", "POST", "/release?language=ja", data={"round": "final"}, files={"released": b"1\n"})
    assert answer.status_code == 409
    assert "開いていません" in answer.text


def test_too_many_requests_are_told_on_a_page(open_cup: OpenCup) -> None:
    with open_cup(RequestLimits(address_requests=1)) as cup:
        cup.call("", "GET", "/")
        answer = cup.call("", "GET", "/")
        assert answer.status_code == 429
        assert "Too many requests" in answer.text
        assert int(answer.headers["retry-after"]) >= 1


def test_a_database_that_does_not_answer_is_told_on_a_page(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("select", {}, Exception("gone"))

    monkeypatch.setattr(cup.site.book, "read", fail)
    answer = cup.call("", "GET", "/")
    assert answer.status_code == 503
    assert "The database does not answer" in answer.text
    assert "select" not in answer.text


def test_a_fault_of_ours_is_told_on_a_page(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(cup.site.book, "read", fail)
    answer = cup.call("", "GET", "/")
    assert answer.status_code == 500
    assert "A fault of ours" in answer.text
    assert "secret" not in answer.text
