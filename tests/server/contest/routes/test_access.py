"""Every route x role x owner: who may ask what is listed here, and a route that is not listed fails."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from fastapi.routing import APIRoute
from httpx import Response
from starlette.routing import BaseRoute
from tests.server.contest.cup_site import TEAMS, CupSite

NOBODY, SPECTATOR, MEMBER, CAPTAIN, REFEREE = "", "spectator", "raw", "raw-captain", "referee"
OTHER, OTHER_CAPTAIN = "pairs", "pairs-captain"
EVERYBODY = {NOBODY, SPECTATOR, MEMBER, CAPTAIN, OTHER, OTHER_CAPTAIN, REFEREE}
TEAMS_ONLY = {MEMBER, CAPTAIN, OTHER, OTHER_CAPTAIN}
TAKING_PART = TEAMS_ONLY | {REFEREE}
OWN = {MEMBER, CAPTAIN, REFEREE}


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request to a route about team raw, and who may make it."""

    may: set[str]
    path: str = ""
    body: dict[str, object] | None = None
    form: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, bytes] | None = None


MATRIX: dict[tuple[str, str], Call] = {
    ("GET", "/health"): Call(may=EVERYBODY),
    ("GET", "/ready"): Call(may=EVERYBODY),
    ("GET", "/metrics"): Call(may={REFEREE}),
    ("GET", "/api/v1/openapi.json"): Call(may=EVERYBODY),
    ("GET", "/api/v1/rules"): Call(may=EVERYBODY),
    ("GET", "/api/v1/schedule"): Call(may=EVERYBODY),
    ("GET", "/api/v1/teams"): Call(may=EVERYBODY),
    ("GET", "/api/v1/announcements"): Call(may=EVERYBODY),
    ("GET", "/api/v1/commitments"): Call(may=EVERYBODY),
    ("GET", "/api/v1/samples"): Call(may=EVERYBODY),
    ("GET", "/api/v1/samples/{name}"): Call(may=EVERYBODY, path="/api/v1/samples/none"),
    ("GET", "/api/v1/standings"): Call(may=EVERYBODY),
    ("GET", "/api/v1/matrix"): Call(may=EVERYBODY),
    ("GET", "/api/v1/me"): Call(may=EVERYBODY),
    ("POST", "/api/v1/session"): Call(
        may=EVERYBODY, body={"login": "raw-captain", "password": "correct horse battery"}
    ),
    ("DELETE", "/api/v1/session"): Call(may=EVERYBODY),
    ("POST", "/api/v1/password"): Call(  # a token is no account: only who is logged in has a password to change
        may=set(), body={"current": "correct horse battery", "password": "another phrase of mine"}
    ),
    ("POST", "/api/v1/teams"): Call(may=EVERYBODY, body={"team": "new", "login": "new", "password": "a new password"}),
    ("GET", "/api/v1/teams/{team}"): Call(may=OWN, path="/api/v1/teams/raw"),
    ("POST", "/api/v1/teams/{team}/members"): Call(
        may={CAPTAIN, REFEREE}, path="/api/v1/teams/raw/members", body={"login": "x", "password": "a new password"}
    ),
    ("POST", "/api/v1/teams/{team}/tokens"): Call(may={CAPTAIN, REFEREE}, path="/api/v1/teams/raw/tokens", body={}),
    ("DELETE", "/api/v1/teams/{team}/tokens/{number}"): Call(
        may={CAPTAIN, REFEREE}, path="/api/v1/teams/raw/tokens/9999"
    ),
    ("POST", "/api/v1/submissions"): Call(may=TEAMS_ONLY, form={"round": "final"}, files={"released": b"1,2\n"}),
    ("GET", "/api/v1/submissions"): Call(may=OWN, path="/api/v1/submissions?team=raw"),
    ("GET", "/api/v1/submissions/{number}"): Call(may=OWN, path="/api/v1/submissions/1"),
    ("POST", "/api/v1/submissions/{number}/choose"): Call(may={MEMBER, CAPTAIN}, path="/api/v1/submissions/1/choose"),
    ("GET", "/api/v1/submissions/{number}/receipt"): Call(may=OWN, path="/api/v1/submissions/1/receipt"),
    ("GET", "/api/v1/submissions/{number}/files/{kind}"): Call(may=OWN, path="/api/v1/submissions/1/files/released"),
    ("POST", "/api/v1/attacks"): Call(may=TEAMS_ONLY, form={"target": "more"}, files={"guess": b"1,2\n"}),
    ("POST", "/api/v1/attacks/all"): Call(may=TEAMS_ONLY, form={"round": "final"}, files={"guess": b"1,2\n"}),
    ("GET", "/api/v1/attacks/all"): Call(may=TEAMS_ONLY),
    ("GET", "/api/v1/attacks"): Call(may=OWN, path="/api/v1/attacks?team=raw"),
    ("GET", "/api/v1/left"): Call(may=TEAMS_ONLY),
    ("GET", "/api/v1/targets"): Call(may=TAKING_PART),
    ("GET", "/api/v1/targets/{round}/{team}/published"): Call(
        may=TAKING_PART, path="/api/v1/targets/final/raw/published"
    ),
    ("GET", "/api/v1/targets/{round}/{team}/test"): Call(may=TEAMS_ONLY, path="/api/v1/targets/final/raw/test"),
    ("GET", "/api/v1/rounds/{round}/original"): Call(may=TEAMS_ONLY, path="/api/v1/rounds/final/original"),
    ("POST", "/api/v1/phases/open"): Call(may={REFEREE}, body={"phase": "practice", "confirm": "practice"}),
    ("POST", "/api/v1/phases/close"): Call(may={REFEREE}, body={"phase": "practice"}),
    ("POST", "/api/v1/phases/withdraw"): Call(may={REFEREE}, body={"phase": "reveal", "confirm": "cup", "en": "no"}),
    ("POST", "/api/v1/submissions/{number}/requeue"): Call(may={REFEREE}, path="/api/v1/submissions/1/requeue"),
    ("POST", "/api/v1/submissions/{number}/set-aside"): Call(
        may={REFEREE}, path="/api/v1/submissions/1/set-aside", body={"reason": "why"}
    ),
    ("POST", "/api/v1/jobs/{number}/requeue"): Call(may={REFEREE}, path="/api/v1/jobs/9999/requeue"),
    ("GET", "/api/v1/referee/tokens"): Call(may={REFEREE}),
    ("DELETE", "/api/v1/referee/tokens/{number}"): Call(may={REFEREE}, path="/api/v1/referee/tokens/9999"),
    ("POST", "/api/v1/announcements"): Call(may={REFEREE}, body={"en": "Hear, hear."}),
    ("POST", "/api/v1/referee/tokens"): Call(may={REFEREE}, body={}),
    ("GET", "/api/v1/jobs"): Call(may={REFEREE}),
    ("POST", "/api/v1/rejudgings"): Call(may={REFEREE}, body={"name": "again"}),
    ("GET", "/api/v1/rejudgings"): Call(may={REFEREE}),
    ("GET", "/api/v1/rejudgings/{name}"): Call(may={REFEREE}, path="/api/v1/rejudgings/first"),
    ("POST", "/api/v1/rejudgings/{name}/apply"): Call(may={REFEREE}, path="/api/v1/rejudgings/first/apply"),
    ("POST", "/api/v1/rejudgings/{name}/drop"): Call(may={REFEREE}, path="/api/v1/rejudgings/first/drop"),
    ("GET", "/api/v1/audit"): Call(may={REFEREE}),
    ("GET", "/api/v1/audit/check"): Call(may={REFEREE}),
    ("GET", "/api/v1/exports/standings.json"): Call(may={REFEREE}),
    ("GET", "/api/v1/exports/standings.csv"): Call(may={REFEREE}),
    ("GET", "/api/v1/exports/matrix.csv"): Call(may={REFEREE}),
    ("GET", "/api/v1/exports/ledger.jsonl"): Call(may={REFEREE}),
    ("GET", "/api/v1/exports/contest.zip"): Call(may={REFEREE}),
    ("POST", "/api/v1/check/release"): Call(may=TEAMS_ONLY, form={"round": "final"}, files={"released": b"1,2\n"}),
    ("POST", "/api/v1/check/attack"): Call(may=TEAMS_ONLY, form={"target": "more"}, files={"guess": b"1,2\n"}),
    ("POST", "/api/v1/check/attacks"): Call(may=TEAMS_ONLY, form={"round": "final"}, files={"guess": b"1,2\n"}),
    ("GET", "/"): Call(may=EVERYBODY),
    ("GET", "/rules"): Call(may=EVERYBODY),
    ("GET", "/login"): Call(may=EVERYBODY),
    ("POST", "/login"): Call(may=EVERYBODY, form={"login": "raw-captain", "password": "correct horse battery"}),
    ("POST", "/logout"): Call(may=EVERYBODY),
    ("GET", "/password"): Call(may=TAKING_PART),
    ("POST", "/password"): Call(
        may=set(), form={"current": "correct horse battery", "password": "another phrase of mine"}
    ),
    ("GET", "/register"): Call(may=EVERYBODY),
    ("POST", "/register"): Call(may=EVERYBODY, form={"team": "newer", "login": "newer", "password": "a new password"}),
    ("GET", "/standings"): Call(may=EVERYBODY),
    ("GET", "/matrix"): Call(may=EVERYBODY),
    ("GET", "/static/{name}"): Call(may=EVERYBODY, path="/static/site.css"),
    ("GET", "/team"): Call(may=TEAMS_ONLY),
    ("GET", "/teams/{team}"): Call(may=OWN, path="/teams/raw"),
    ("POST", "/teams/{team}/members"): Call(
        may={CAPTAIN, REFEREE}, path="/teams/raw/members", form={"login": "y", "password": "a new password"}
    ),
    ("POST", "/teams/{team}/tokens"): Call(may={CAPTAIN, REFEREE}, path="/teams/raw/tokens", form={"label": "x"}),
    ("POST", "/teams/{team}/tokens/{number}/revoke"): Call(
        may={CAPTAIN, REFEREE}, path="/teams/raw/tokens/9999/revoke"
    ),
    ("GET", "/release"): Call(may=TEAMS_ONLY),
    ("POST", "/release"): Call(may=TEAMS_ONLY, form={"round": "final"}, files={"released": b"1,2\n"}),
    ("POST", "/release/check"): Call(may=TEAMS_ONLY, form={"round": "final"}, files={"released": b"1,2\n"}),
    ("GET", "/entries"): Call(may=OWN, path="/entries?team=raw"),
    ("GET", "/entries/{number}"): Call(may=OWN, path="/entries/1"),
    ("POST", "/entries/{number}/choose"): Call(may={MEMBER, CAPTAIN}, path="/entries/1/choose"),
    ("GET", "/entries/{number}/status"): Call(may=OWN, path="/entries/1/status"),
    ("POST", "/attacks"): Call(may=TEAMS_ONLY, form={"round": "final"}, files={"guess": b"1,2\n"}),
    ("POST", "/attacks/check"): Call(may=TEAMS_ONLY, form={"round": "final"}, files={"guess": b"1,2\n"}),
    ("GET", "/targets"): Call(may=TAKING_PART),
    ("GET", "/targets/{round}/{team}"): Call(may=TEAMS_ONLY, path="/targets/practice/raw"),
    ("POST", "/targets/{round}/{team}"): Call(
        may=TEAMS_ONLY, path="/targets/final/more", files={"guess": b"1,2\n"}, form={"key": ""}
    ),
    ("POST", "/targets/{round}/{team}/check"): Call(
        may=TEAMS_ONLY, path="/targets/final/more/check", files={"guess": b"1,2\n"}
    ),
    ("GET", "/referee"): Call(may={REFEREE}),
    ("POST", "/referee/phases"): Call(may={REFEREE}, form={"verb": "open", "phase": "practice", "confirm": "practice"}),
    ("POST", "/referee/withdrawals"): Call(may={REFEREE}, form={"phase": "reveal", "confirm": "cup", "en": "no"}),
    ("POST", "/referee/entries/{number}/requeue"): Call(may={REFEREE}, path="/referee/entries/1/requeue"),
    ("POST", "/referee/entries/{number}/set-aside"): Call(
        may={REFEREE}, path="/referee/entries/1/set-aside", form={"reason": "why"}
    ),
    ("POST", "/referee/jobs/{number}/requeue"): Call(may={REFEREE}, path="/referee/jobs/9999/requeue"),
    ("POST", "/referee/tokens/{number}/revoke"): Call(may={REFEREE}, path="/referee/tokens/9999/revoke"),
    ("POST", "/referee/announcements"): Call(may={REFEREE}, form={"en": "Hear, hear."}),
    ("POST", "/referee/tokens"): Call(may={REFEREE}, form={"label": ""}),
    ("GET", "/referee/teams"): Call(may={REFEREE}),
    ("GET", "/referee/audit"): Call(may={REFEREE}),
    ("GET", "/referee/rejudgings"): Call(may={REFEREE}),
    ("POST", "/referee/rejudgings"): Call(may={REFEREE}, form={"name": "once-more"}),
    ("POST", "/referee/rejudgings/{name}/apply"): Call(may={REFEREE}, path="/referee/rejudgings/first/apply"),
    ("POST", "/referee/rejudgings/{name}/drop"): Call(may={REFEREE}, path="/referee/rejudgings/first/drop"),
}
AFTER_THE_REVEAL = ("/api/v1/exports/standings.json", "/api/v1/exports/standings.csv", "/api/v1/exports/matrix.csv")
REFUSED = (401, 403)


def send(cup: CupSite, who: str, method: str, path: str, call: Call) -> Response:
    return cup.call(who, method, call.path or path, json=call.body, data=call.form or None, files=call.files)


def find_paths(cup: CupSite) -> set[tuple[str, str]]:
    """Return every route, as the application lists them and as its description does."""
    described = {
        (method.upper(), path) for path, methods in cup.client.app.openapi()["paths"].items() for method in methods
    }
    return described | {("GET", "/api/v1/openapi.json")}


def test_every_route_is_in_the_matrix(shared_cup: CupSite) -> None:
    assert find_paths(shared_cup) == set(MATRIX)


def test_every_route_of_a_router_is_described(shared_cup: CupSite) -> None:
    # a route that hides from the description would hide from the matrix
    hidden = [
        route
        for route in walk(shared_cup.client.app.routes)
        if isinstance(route, APIRoute) and not route.include_in_schema
    ]
    assert not hidden
    assert list(walk(shared_cup.client.app.routes))


def walk(routes: list[BaseRoute]) -> list[BaseRoute]:
    """Return all routes, those of included routers too."""
    found: list[BaseRoute] = []
    for route in routes:
        inner = getattr(route, "routes", None)
        found += walk(list(inner)) if inner else [route]
    return found


@pytest.mark.parametrize(("method", "path"), sorted(MATRIX))
def test_a_route_lets_in_whom_it_should_and_nobody_else(shared_cup: CupSite, method: str, path: str) -> None:
    cup = shared_cup
    if not cup.site.book.read().state.entries:
        cup.open("practice")
        cup.submit("raw", cup.materials["raw"], round_name="practice")  # entry 1 is team raw's
    call = MATRIX[method, path]
    for who in sorted(EVERYBODY):
        status = send(cup, who, method, path, call).status_code
        assert status < 500, (who, status)
        assert (status not in REFUSED) == (who in call.may), (who, status)


@pytest.mark.parametrize(("method", "path"), sorted(key for key, call in MATRIX.items() if call.may == {REFEREE}))
def test_a_referees_route_changes_nothing_for_others(shared_cup: CupSite, method: str, path: str) -> None:
    cup = shared_cup
    before = cup.site.book.read().head
    for who in EVERYBODY - {REFEREE}:
        send(cup, who, method, path, MATRIX[method, path])
    assert cup.site.book.read().head == before


def test_results_are_everybodys_after_the_reveal(cup: CupSite) -> None:
    cup.play()
    for path in AFTER_THE_REVEAL:
        for who in EVERYBODY:
            assert cup.call(who, "GET", path).status_code == 200


def test_lists_without_a_team_hold_ones_own_entries_only(cup: CupSite) -> None:
    cup.play()
    for path, per_team in (("/api/v1/submissions", 1), ("/api/v1/attacks", 3)):
        for team in TEAMS:
            entries = cup.call(team, "GET", path).json()
            assert {entry["team"] for entry in entries} == {team}
            assert len(entries) == per_team
        assert len(cup.call("referee", "GET", path).json()) == per_team * len(TEAMS)


def test_an_entry_that_is_not_there_is_told_like_another_teams(cup: CupSite) -> None:
    cup.open("practice")
    cup.submit("raw", cup.materials["raw"], round_name="practice")
    theirs = cup.call("pairs", "GET", "/api/v1/submissions/1")
    nobodys = cup.call("pairs", "GET", "/api/v1/submissions/2")
    assert (theirs.status_code, theirs.json()) == (nobodys.status_code, nobodys.json())


def test_every_answer_has_its_headers(shared_cup: CupSite) -> None:
    for path in ("/health", "/api/v1/rules", "/api/v1/none", "/api/v1/audit"):
        headers = shared_cup.call("", "GET", path).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_the_description_of_the_api_names_its_refusals(shared_cup: CupSite) -> None:
    text = json.dumps(shared_cup.client.app.openapi())
    assert "ErrorAnswer" in text
    assert "HTTPValidationError" not in text
