"""Who logs in is who they say; passwords are tried slowly, cookies are out of scripts' reach, tokens are kept as digests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import BoundedSemaphore, Lock
from time import sleep

import pytest
from argon2 import PasswordHasher
from httpx import Response
from sqlalchemy import select
from tests.server.contest.api_client import ApiClient
from tests.server.contest.conftest import OpenCup
from tests.server.contest.cup_site import CHEAP, PHRASE, CupSite

from sekisho.contest.ledger import digest_text
from sekisho.errors import ParameterError
from sekisho.server.contest.app import create_app
from sekisho.server.contest.auth.passwords import Passwords
from sekisho.server.contest.auth.throttle import RateLimiter
from sekisho.server.contest.database.rows import AccountRow, SessionRow, ThrottleRow, TokenRow
from sekisho.server.contest.settings import PasswordCost, RequestLimits

WRONG, NEW = "not the phrase", "another phrase of mine"


@pytest.fixture
def visitor(cup: CupSite) -> CupSite:
    """The contest with a browser that keeps cookies."""
    cup.client.keeps = True
    return cup


def log_in(cup: CupSite, login: str = "raw-captain", password: str = PHRASE) -> Response:
    return cup.client.request("POST", "/api/v1/session", json={"login": login, "password": password})


def test_a_session_is_a_cookie_that_scripts_cannot_read(visitor: CupSite) -> None:
    answer = log_in(visitor)
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert answer.json()["team"] == "raw"
    me = visitor.client.request("GET", "/api/v1/me").json()
    assert (me["role"], me["team"], me["csrf"]) == ("captain", "raw", answer.json()["csrf"])


def test_what_changes_something_needs_the_sessions_token(visitor: CupSite) -> None:
    csrf = log_in(visitor).json()["csrf"]
    path, body = "/api/v1/teams/raw/tokens", {"label": "laptop"}
    assert visitor.client.request("POST", path, json=body).json()["rule"] == "csrf"
    wrong = {"X-CSRF-Token": digest_text("csrf guess")}
    assert visitor.client.request("POST", path, json=body, headers=wrong).status_code == 403
    assert visitor.client.request("POST", path, json=body, headers={"X-CSRF-Token": csrf}).status_code == 201


def test_who_logs_out_is_nobody(visitor: CupSite) -> None:
    csrf = log_in(visitor).json()["csrf"]
    stolen = dict(visitor.client.cookies)
    assert visitor.client.request("DELETE", "/api/v1/session", headers={"X-CSRF-Token": csrf}).status_code == 204
    visitor.client.cookies.update(stolen)
    assert visitor.client.request("GET", "/api/v1/me").json()["role"] == "spectator"


def test_who_logs_in_again_has_one_session_only(visitor: CupSite) -> None:
    csrf = log_in(visitor).json()["csrf"]
    stolen = dict(visitor.client.cookies)
    person = {"login": "raw-captain", "password": PHRASE}
    again = visitor.client.request("POST", "/api/v1/session", json=person, headers={"X-CSRF-Token": csrf})
    assert again.status_code == 200
    visitor.client.cookies.clear()
    visitor.client.cookies.update(stolen)
    assert visitor.client.request("GET", "/api/v1/me").json()["role"] == "spectator"


def test_over_tls_cookies_are_of_this_host_only_and_never_go_without(visitor: CupSite) -> None:
    site = visitor.site
    app = create_app(replace(site.settings, secure=True), visitor.clock)
    browser = ApiClient(app)
    person = {"login": "raw-captain", "password": PHRASE}
    session = browser.request("POST", "/api/v1/session", json=person).headers["set-cookie"]
    language = browser.request("GET", "/?language=ja").headers["set-cookie"]
    for cookie in (session, language):
        assert cookie.startswith("__Host-sekisho_")
        assert "; Secure" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
    given = {"Cookie": session.partition(";")[0]}
    assert browser.request("GET", "/api/v1/me", headers=given).json()["team"] == "raw"
    answer = browser.request("GET", "/health")
    assert answer.headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
    app.state.site.database.close()


def change(cup: CupSite, csrf: str, current: str, password: str) -> Response:
    body = {"current": current, "password": password}
    return cup.client.request("POST", "/api/v1/password", json=body, headers={"X-CSRF-Token": csrf})


def test_a_changed_password_ends_every_other_session(visitor: CupSite) -> None:
    elsewhere = log_in(visitor).cookies
    visitor.client.cookies.clear()
    csrf = log_in(visitor).json()["csrf"]
    answer = change(visitor, csrf, PHRASE, NEW)
    assert answer.status_code == 200
    me = visitor.client.request("GET", "/api/v1/me").json()
    assert (me["team"], me["csrf"]) == ("raw", answer.json()["csrf"])
    visitor.client.cookies.clear()
    visitor.client.cookies.update(elsewhere)
    assert visitor.client.request("GET", "/api/v1/me").json()["role"] == "spectator"
    visitor.client.cookies.clear()
    assert log_in(visitor).status_code == 401
    assert log_in(visitor, password=NEW).status_code == 200
    note = visitor.call("referee", "GET", "/api/v1/audit").json()
    assert "change-password" in str(note)


def test_a_password_is_changed_by_whoever_knows_it_and_tried_slowly(visitor: CupSite) -> None:
    csrf = log_in(visitor).json()["csrf"]
    wrong = change(visitor, csrf, WRONG, NEW)
    assert (wrong.status_code, wrong.json()["errors"][0]["column"]) == (422, "current")
    assert change(visitor, csrf, PHRASE, "short").status_code == 422
    assert [change(visitor, csrf, WRONG, NEW).status_code for _ in range(10)][-1] == 429
    visitor.client.cookies.clear()
    visitor.clock.turn(901)
    assert log_in(visitor).status_code == 200


def test_a_password_is_changed_on_its_page(visitor: CupSite) -> None:
    csrf = log_in(visitor).json()["csrf"]
    form = {"csrf": csrf, "current": WRONG, "password": NEW}
    assert "The current password is wrong." in visitor.client.request("POST", "/password", data=form).text
    assert visitor.client.request("POST", "/password", data=form | {"csrf": ""}).status_code == 403
    done = visitor.client.request("POST", "/password", data=form | {"current": PHRASE})
    assert (done.status_code, done.headers["location"]) == (303, "/team")


def test_a_session_ends(visitor: CupSite) -> None:
    log_in(visitor)
    visitor.clock.turn(13 * 3600)
    assert visitor.client.request("GET", "/api/v1/me").json()["role"] == "spectator"


def test_secrets_are_kept_as_digests(visitor: CupSite) -> None:
    log_in(visitor)
    secrets = [*visitor.tokens.values(), *dict(visitor.client.cookies).values(), PHRASE]
    with visitor.site.database.read() as session:
        kept = [row.digest for row in session.scalars(select(TokenRow))]
        kept += [row.digest for row in session.scalars(select(SessionRow))]
        kept += [row.password for row in session.scalars(select(AccountRow))]
    assert not [text for text in kept if any(secret in text for secret in secrets)]
    assert all(row.startswith("$argon2id$") for row in kept if row.startswith("$"))


def test_a_wrong_password_and_a_wrong_name_are_told_alike(cup: CupSite) -> None:
    wrong, unknown = log_in(cup, password=WRONG), log_in(cup, login="nobody")
    assert (wrong.status_code, wrong.json()) == (401, unknown.json())


def test_who_tries_too_often_waits_and_others_do_not(cup: CupSite) -> None:
    statuses = [log_in(cup, password=WRONG).status_code for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    assert log_in(cup).status_code == 429  # even with the right one
    assert log_in(cup, login="pairs-captain").status_code == 200
    cup.clock.turn(901)
    assert log_in(cup).status_code == 200


def test_the_right_password_forgives_wrong_ones(cup: CupSite) -> None:
    for _ in range(3):
        assert [log_in(cup, password=WRONG).status_code for _ in range(5)] == [401] * 5
        assert log_in(cup).status_code == 200


def test_throttles_keep_no_names_and_no_addresses(cup: CupSite) -> None:
    log_in(cup, password=WRONG)
    with cup.site.database.read() as session:
        keys = [row.key for row in session.scalars(select(ThrottleRow))]
    assert len(keys) == 2
    assert not [key for key in keys if "raw" in key or "127.0.0.1" in key]


def test_a_token_acts_for_its_team_until_it_is_revoked(cup: CupSite) -> None:
    made = cup.call("raw-captain", "POST", "/api/v1/teams/raw/tokens", json={"label": "laptop"}).json()
    cup.tokens["laptop"] = made["token"]
    assert cup.call("laptop", "GET", "/api/v1/me").json()["team"] == "raw"
    team = cup.call("raw", "GET", "/api/v1/teams/raw")
    assert made["token"] not in team.text
    assert cup.call("raw-captain", "DELETE", f"/api/v1/teams/raw/tokens/{made['id']}").status_code == 204
    refused = cup.call("laptop", "GET", "/api/v1/me")
    assert (refused.status_code, refused.json()["rule"]) == (401, "token")


@pytest.mark.parametrize("header", ["Bearer ", "Bearer nonsense", "Basic cmF3OnJhdw==", "Bearer \x7f", "bearer"])
def test_a_worthless_authorization_is_refused(cup: CupSite, header: str) -> None:
    assert cup.client.request("GET", "/api/v1/me", headers={"Authorization": header}).status_code == 401


def test_a_captain_adds_members_who_are_no_captains(cup: CupSite) -> None:
    body = {"login": "late", "password": "a long password"}
    assert cup.call("raw-captain", "POST", "/api/v1/teams/raw/members", json=body).status_code == 201
    assert cup.call("raw-captain", "POST", "/api/v1/teams/raw/members", json=body).status_code == 422  # taken
    assert log_in(cup, "late", "a long password").json()["role"] == "member"


def test_teams_register_themselves_while_that_is_open(cup: CupSite) -> None:
    body = {"team": "新チーム", "login": "new@example.org", "password": "a long password"}
    assert cup.call("", "POST", "/api/v1/teams", json=body).status_code == 201
    assert log_in(cup, "new@example.org", "a long password").json()["team"] == "新チーム"
    taken = cup.call("", "POST", "/api/v1/teams", json=body | {"team": "other"})
    assert taken.status_code == 422
    assert "other" not in cup.site.book.read().state.teams  # the account's name is taken: no team either
    cup.open("anonymise", "final")
    assert cup.call("", "POST", "/api/v1/teams", json=body | {"team": "late"}).status_code == 409


@pytest.mark.parametrize(
    "body",
    [
        {"team": "a", "login": "a", "password": "meagre"},
        {"team": "a", "login": "a", "password": "x" * 201},
        {"team": "a/b", "login": "a", "password": "a long password"},
        {"team": "a\u0000", "login": "a", "password": "a long password"},
        {"team": "a", "login": "a\nb", "password": "a long password"},
        {"team": "a", "login": "a", "password": "a long password", "role": "referee"},
        {"team": 7, "login": "a", "password": "a long password"},
        {"team": "a", "login": "a"},
    ],
)
def test_a_registration_that_is_not_as_it_must_be_is_refused_without_repeating_it(
    cup: CupSite, body: dict[str, object]
) -> None:
    answer = cup.call("", "POST", "/api/v1/teams", json=body)
    assert answer.status_code == 422
    assert str(body.get("password", "nothing")) not in answer.text


def test_requests_are_counted_by_team_first(open_cup: OpenCup) -> None:
    limits = RequestLimits(team_requests=5, address_requests=3)
    with open_cup(limits) as cup:
        # captain and member of one team share; another team from the same address does not
        statuses = [cup.call(who, "GET", "/api/v1/me").status_code for who in ("raw", "raw-captain") * 3]
        assert statuses == [200] * 5 + [429]
        assert cup.call("pairs", "GET", "/api/v1/me").status_code == 200
        assert [cup.call("", "GET", "/api/v1/me").status_code for _ in range(4)] == [200] * 3 + [429]
        assert cup.call("", "GET", "/health").status_code == 200


def test_a_bucket_fills_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("sekisho.server.contest.auth.throttle.monotonic", lambda: now[0])
    limiter = RateLimiter()
    assert [limiter.take("a", most=2) for _ in range(3)] == [0.0, 0.0, 30.0]  # two a minute: one each 30 seconds
    now[0] = 30.0
    assert limiter.take("a", most=2) == 0.0
    assert limiter.take("a", most=2) > 0


def test_a_longer_password_is_not_shortened_until_it_fits() -> None:
    passwords = Passwords(CHEAP)
    kept = passwords.hash("x" * 200)
    assert passwords.matches(kept, "x" * 200)
    assert not passwords.matches(kept, "x" * 201)


def test_a_password_costs_what_it_is_told_to_and_no_short_one_is_kept() -> None:
    assert "m=65536,t=3,p=4" in Passwords(PasswordCost()).hash("a long password")
    passwords = Passwords(CHEAP)
    with pytest.raises(ParameterError, match="password must have 12 to 200 characters"):
        passwords.hash("short")
    assert not passwords.matches("no hash", "a long password")
    assert not passwords.matches(None, "a long password")


def test_only_a_few_passwords_are_tried_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords, lock, now, most = Passwords(replace(CHEAP, at_once=2)), Lock(), [0], [0]
    kept = passwords.hash("a long password")
    verify = PasswordHasher.verify

    def count(hasher: PasswordHasher, kept: str, password: str) -> bool:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        sleep(0.002)
        try:
            return bool(verify(hasher, kept, password))
        finally:
            with lock:
                now[0] -= 1

    monkeypatch.setattr(PasswordHasher, "verify", count)
    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(passwords.matches, [kept] * 50, ["a long password"] * 50))
        assert not any(pool.map(passwords.matches, [None] * 10, ["a long password"] * 10))
    assert most[0] == 2


def test_whoever_waits_too_long_to_log_in_is_told_to_try_again(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sekisho.server.contest.auth.passwords.MOST_SECONDS", 0.01)
    turns = BoundedSemaphore(1)
    turns.acquire()
    monkeypatch.setattr(cup.site.passwords, "_turns", turns)
    answer = cup.call("", "POST", "/api/v1/session", json={"login": "raw", "password": "a long password"})
    assert (answer.status_code, answer.json()["rule"], answer.headers["Retry-After"]) == (503, "busy", "5")
