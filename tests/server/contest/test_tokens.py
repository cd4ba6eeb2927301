"""Tokens can be listed, revoked and expire; who tries wrong ones is slowed down, who shares his address is not."""

from __future__ import annotations

import pytest
from tests.server.contest.conftest import OpenCup
from tests.server.contest.cup_site import CupSite

from sekisho.server.contest.settings import RequestLimits

DAY = 86_400


def ask_as(cup: CupSite, token: str, path: str = "/api/v1/me") -> int:
    return cup.client.request("GET", path, headers={"Authorization": f"Bearer {token}"}).status_code


def test_a_referees_token_expires_and_can_be_listed_and_revoked(cup: CupSite) -> None:
    made = cup.call("referee", "POST", "/api/v1/referee/tokens", json={"label": "script", "days": 2}).json()
    usual = cup.call("referee", "POST", "/api/v1/referee/tokens", json={}).json()
    listed = {each["id"]: each for each in cup.call("referee", "GET", "/api/v1/referee/tokens").json()}
    assert listed[made["id"]]["label"] == "script"
    assert listed[made["id"]]["usable"]
    assert listed[usual["id"]]["expires"] > listed[made["id"]]["expires"] > ""  # it always expires
    assert made["token"] not in str(listed)
    assert ask_as(cup, made["token"], "/api/v1/audit") == 200
    cup.clock.turn(2 * DAY + 1)
    assert ask_as(cup, made["token"], "/api/v1/audit") == 401
    assert ask_as(cup, usual["token"], "/api/v1/audit") == 200
    assert cup.call("referee", "DELETE", f"/api/v1/referee/tokens/{usual['id']}").status_code == 204
    assert ask_as(cup, usual["token"], "/api/v1/audit") == 401
    assert cup.call("referee", "DELETE", f"/api/v1/referee/tokens/{usual['id']}").status_code == 404
    after = {each["id"]: each for each in cup.call("referee", "GET", "/api/v1/referee/tokens").json()}
    assert (after[made["id"]]["usable"], after[usual["id"]]["usable"]) == (False, False)
    page = cup.call("referee", "GET", "/referee", headers={"Accept-Language": "en"}).text
    assert "expired" in page
    assert "revoked" in page


@pytest.mark.parametrize("days", [0, -1, 367, "3", 1.5, True])
def test_days_are_days(cup: CupSite, days: object) -> None:
    assert cup.call("referee", "POST", "/api/v1/referee/tokens", json={"days": days}).status_code == 422


@pytest.mark.parametrize(("days", "status"), [("7", 201), ("", 201), ("many", 422), ("0", 422)])
def test_the_page_makes_and_revokes_tokens(cup: CupSite, days: str, status: int) -> None:
    answer = cup.call("referee", "POST", "/referee/tokens", data={"label": "x", "days": days})
    assert answer.status_code == status
    if status == 201:
        number = cup.call("referee", "GET", "/api/v1/referee/tokens").json()[-1]["id"]
        assert cup.call("referee", "POST", f"/referee/tokens/{number}/revoke").status_code == 303
        assert cup.call("referee", "GET", "/api/v1/referee/tokens").json()[-1]["revoked"]


def test_a_teams_token_may_expire_and_a_captain_does_not_revoke_the_referees(cup: CupSite) -> None:
    made = cup.call("raw-captain", "POST", "/api/v1/teams/raw/tokens", json={"days": 1}).json()
    assert ask_as(cup, made["token"]) == 200
    cup.clock.turn(DAY + 1)
    assert ask_as(cup, made["token"]) == 401
    referees = [each["id"] for each in cup.call("referee", "GET", "/api/v1/referee/tokens").json()]
    for number in referees:
        assert cup.call("raw-captain", "DELETE", f"/api/v1/teams/raw/tokens/{number}").status_code in (403, 404)
        assert cup.call("raw", "DELETE", f"/api/v1/referee/tokens/{number}").status_code == 403
    assert cup.call("referee", "GET", "/api/v1/audit").status_code == 200


def test_wrong_tokens_are_slowed_down_and_right_ones_are_not(open_cup: OpenCup) -> None:
    with open_cup(RequestLimits(token_failures=5)) as cup:
        assert ask_as(cup, cup.tokens["raw"]) == 200
        statuses = [ask_as(cup, f"wrong {number}") for number in range(30)]
        assert statuses[:5] == [401] * 5
        assert statuses.count(429) >= 20
        # whoever was known before goes on working from the same address; a stranger without a token, too
        assert ask_as(cup, cup.tokens["raw"]) == 200
        assert cup.call("", "GET", "/api/v1/rules").status_code == 200
        # a token that is right and was never seen waits as a guess would
        assert ask_as(cup, cup.tokens["pairs"]) == 429


def test_a_revoked_token_is_not_trusted_because_it_was_right_once(cup: CupSite) -> None:
    made = cup.call("referee", "POST", "/api/v1/referee/tokens", json={}).json()
    assert ask_as(cup, made["token"], "/api/v1/audit") == 200
    cup.call("referee", "DELETE", f"/api/v1/referee/tokens/{made['id']}")
    assert ask_as(cup, made["token"], "/api/v1/audit") == 401
