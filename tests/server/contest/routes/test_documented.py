"""The OpenAPI document says what is answered: the status and the kind of every answer stand in it."""

from __future__ import annotations

import re

import pytest
from tests.server.contest.cup_site import CupSite
from tests.server.contest.pages.visits import practise

FILES = (
    ("raw", "/api/v1/rounds/practice/original", "text/csv"),
    ("raw", "/api/v1/targets/practice/pairs/published", "text/csv"),
    ("raw", "/api/v1/submissions/1/files/released", "text/csv"),
    ("referee", "/api/v1/exports/standings.csv", "text/csv"),
    ("referee", "/api/v1/exports/standings.json", "application/json"),
    ("referee", "/api/v1/exports/matrix.csv", "text/csv"),
    ("referee", "/api/v1/exports/ledger.jsonl", "application/jsonl"),
    ("referee", "/api/v1/exports/contest.zip", "application/zip"),
    ("referee", "/metrics", "text/plain"),
    ("", "/static/site.css", "text/css"),
    ("", "/static/htmx.min.js", "text/javascript"),
    ("", "/ready", "application/json"),
    ("", "/", "text/html"),
)
REFUSALS = (
    ("", "GET", "/static/none.css", 404, "application/json"),
    ("", "GET", "/metrics", 401, "application/json"),
    ("", "GET", "/api/v1/exports/standings.csv", 403, "application/json"),
    ("raw", "GET", "/api/v1/rounds/none/original", 404, "application/json"),
    ("", "GET", "/team", 401, "text/html"),
    ("raw", "GET", "/matrix?round=none", 404, "text/html"),
)
UNREADABLE = (("referee", "/api/v1/announcements", "application/json"), ("raw", "/release", "text/html"))


def find_documented(cup: CupSite, method: str, path: str, status: int) -> set[str]:
    """Return the kinds of answer that the document names for a status of an address."""
    documented = cup.client.app.openapi()["paths"]
    fitting = [each for each in documented if re.fullmatch(re.sub(r"{\w+}", "[^/]+", each), path.partition("?")[0])]
    address = min(fitting, key=lambda each: each.count("{"))
    answers = documented[address][method.lower()]["responses"]
    return {kind.partition(";")[0] for kind in answers[str(status)].get("content", {})}


@pytest.fixture(scope="module")
def played(shared_cup: CupSite) -> CupSite:
    practise(shared_cup)
    return shared_cup


@pytest.mark.parametrize(("who", "path", "kind"), FILES)
def test_files_are_of_the_kind_that_the_document_names(played: CupSite, who: str, path: str, kind: str) -> None:
    answer = played.call(who, "GET", path)
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, kind)
    assert kind in find_documented(played, "GET", path, 200)


@pytest.mark.parametrize(("who", "method", "path", "status", "kind"), REFUSALS)
def test_refusals_are_of_the_kind_that_the_document_names(
    played: CupSite, who: str, method: str, path: str, status: int, kind: str
) -> None:
    answer = played.call(who, method, path)
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (status, kind)
    assert find_documented(played, method, path, status) == {kind}


@pytest.mark.parametrize(("who", "path", "kind"), UNREADABLE)
def test_a_body_that_cannot_be_read_is_answered_as_the_document_says(
    played: CupSite, who: str, path: str, kind: str
) -> None:
    unreadable = {
        "application/json": ("application/json", b"\xff{"),  # not UTF-8
        "text/html": ("multipart/form-data; boundary=b", b"--b\r\n[]--b--\r\n"),  # a part without a header
    }
    sent, body = unreadable[kind]
    headers = {"Authorization": f"Bearer {played.tokens[who]}", "Content-Type": sent}
    answer = played.client.request("POST", path, headers=headers, content=body)
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (400, kind)
    assert find_documented(played, "POST", path, 400) == {kind}
