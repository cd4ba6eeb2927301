"""What people do on pages goes the API's way: with a session, its token, and pages that say what became of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape

import pytest
from httpx import Response
from tests.server.contest.api_client import ApiClient
from tests.server.contest.cup_site import PHRASE, CupSite
from tests.server.contest.pages.visits import practise


class Browser:
    """Somebody who logs in, follows redirections and sends forms with what they bear."""

    def __init__(self, cup: CupSite, login: str = "") -> None:
        self.client = ApiClient(cup.client.app)
        self.client.keeps = True
        if login:
            answer = self.send("/login", {"login": login, "password": PHRASE}, page="/login")
            assert answer.status_code == 303, answer.text

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> str:
        answer = self.client.request("GET", path, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.text

    def send(
        self,
        path: str,
        fields: Mapping[str, str],
        *,
        page: str,
        files: Mapping[str, bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Fill a form of a page in, and send it."""
        token = re.search(r'name="csrf" value="([^"]*)"', self.get(page))
        assert token is not None
        return self.client.request("POST", path, data={"csrf": token[1], **fields}, files=files, headers=headers)


def test_a_team_gets_from_registration_to_a_scored_release_and_attack(cup: CupSite) -> None:
    practise(cup)
    browser = Browser(cup)
    fields = {"team": "newcomers", "login": "kim", "password": "a long password"}
    answer = browser.send("/register", fields, page="/register")
    assert (answer.status_code, answer.headers["location"]) == (303, "/team")
    assert "newcomers" in browser.get("/team")
    released = {"released": cup.materials["triples"]}
    sent = browser.send("/release", {"round": "practice"}, page="/release", files=released)
    assert sent.status_code == 303
    place = sent.headers["location"]
    assert 'hx-trigger="every 2s"' in browser.get(place)
    cup.worker.drain()
    page = browser.get(place)
    assert "every 2s" not in page
    assert "The file is valid." in page
    assert f"your entry now is #{place.rpartition('/')[2]}" in page
    guess = {"guess": cup.materials["attack on pairs"]}
    sent = browser.send("/targets/practice/pairs", {}, page="/targets/practice/pairs", files=guess)
    cup.worker.drain()
    page = browser.get(sent.headers["location"])
    assert "threshold r(n)" in page
    listed = cup.call("referee", "GET", "/api/v1/attacks?team=newcomers").json()[0]["score"]
    assert f">{listed['hits']}/{listed['claimed']} (r = {listed['threshold']})" in browser.get(
        "/targets?round=practice"
    )


def test_the_validator_says_what_the_worker_will_say_and_costs_nothing(cup: CupSite) -> None:
    practise(cup)
    lines = cup.materials["triples"].split(b"\n")
    lines[1], lines[2] = lines[1].rpartition(b",")[0] + b",0", b"x" + lines[2]
    spoiled = b"\n".join(lines)
    before = cup.site.book.read().head
    checked = cup.call(
        "triples", "POST", "/api/v1/check/release", data={"round": "practice"}, files={"released": spoiled}
    ).json()
    assert not checked["valid"]
    assert checked["count"] == len(checked["errors"]) > 1
    assert cup.site.book.read().head == before
    number = cup.submit("triples", spoiled, round_name="practice").json()["entry"]
    cup.worker.drain()
    assert cup.call("triples", "GET", f"/api/v1/submissions/{number}").json()["errors"] == checked["errors"]


def test_the_validator_of_attacks_does_not_tell_what_they_hit(cup: CupSite) -> None:
    practise(cup)
    form = {"round": "practice", "target": "pairs"}
    guess = cup.materials["attack on pairs"]
    right = cup.call("raw", "POST", "/api/v1/check/attack", data=form, files={"guess": guess}).json()
    assert right == {"valid": True, "errors": [], "count": 0}
    wrong = cup.call("raw", "POST", "/api/v1/check/attack", data=form, files={"guess": guess + b"999999,nobody\n"})
    assert {each["rule"] for each in wrong.json()["errors"]} == {"unknown"}
    missing = {"round": "practice", "target": "more"}
    assert cup.call("raw", "POST", "/api/v1/check/attack", data=missing, files={"guess": guess}).status_code == 404


def test_errors_are_listed_at_once_in_both_languages(cup: CupSite) -> None:
    practise(cup)
    browser = Browser(cup, "raw-captain")
    files = {"released": b"1,2010/1/1,A,1,0\n"}
    page = browser.send("/release/check?language=ja", {"round": "practice"}, page="/release", files=files).text
    assert "提出はされておらず" in page
    assert '<th scope="col">規則</th>' in page
    cells = re.findall(r'<th scope="row" class="sentence">(.*?)</th>', page)
    assert cells
    assert all(set(re.findall(r"[A-Za-z]{3,}", unescape(cell))) <= {"item", "quantity"} for cell in cells), cells


def test_a_part_of_a_page_is_sent_to_a_script(cup: CupSite) -> None:
    practise(cup)
    answer = cup.call(
        "raw",
        "POST",
        "/release/check",
        data={"round": "practice"},
        files={"released": b"1\n"},
        headers={"HX-Request": "true"},
    )
    assert answer.status_code == 200
    assert "<html" not in answer.text
    assert "verdict bad" in answer.text


SCRIPT = {"HX-Request": "true"}
REFUSED = [
    pytest.param("/release", {"round": "practice"}, None, 422, id="no file"),
    pytest.param("/release", {"round": "practice"}, {"archive": b"no zip"}, 422, id="no archive"),
    pytest.param("/release", {"round": "final"}, {"released": b"1\n"}, 409, id="not open"),
    pytest.param("/release/check", {"round": "none"}, {"released": b"1\n"}, 404, id="no such round"),
    pytest.param("/targets/practice/pairs", {}, None, 422, id="no guess"),
    pytest.param("/targets/final/pairs", {}, {"guess": b"1\n"}, 409, id="not attacked yet"),
]


@pytest.mark.parametrize(("path", "fields", "files", "status"), REFUSED)
@pytest.mark.parametrize(("language", "words"), [("en", "Back to the form"), ("ja", "フォームに戻る")])
def test_a_refused_form_keeps_its_page_with_a_script_and_leads_back_without(
    shared_cup: CupSite,
    path: str,
    fields: dict[str, str],
    files: dict[str, bytes] | None,
    status: int,
    language: str,
    words: str,
) -> None:
    if not shared_cup.site.book.read().state.entries:
        practise(shared_cup)
    browser, before = Browser(shared_cup, "raw-captain"), shared_cup.site.book.read().head
    address = f"{path}?language={language}"
    scripted = browser.send(address, fields, page="/team", files=files, headers=SCRIPT)
    plain = browser.send(address, fields, page="/team", files=files)
    assert (scripted.status_code, plain.status_code) == (status, status)
    assert "<html" not in scripted.text
    assert 'role="alert"' in scripted.text
    assert "hx-reswap" not in scripted.headers
    said = [re.sub(r"\d\S+Z", "", part) for part in re.findall(r'role="alert"><p>.+</p>', scripted.text + plain.text)]
    assert said == said[:1] * 2
    form = re.search(rf'<a class="button" href="([^"]+)">{words}</a>', plain.text)
    assert form is not None
    place = "/release?round=" + fields["round"] if fields else path
    assert unescape(form[1]) == place
    if "final" not in path:
        assert f'name="round" value="{fields["round"]}"' in browser.get(place) if fields else browser.get(place)
    assert shared_cup.site.book.read().head == before


def test_a_form_that_a_script_sends_goes_on_to_its_entry(cup: CupSite) -> None:
    practise(cup)
    browser = Browser(cup, "raw-captain")
    for path, fields, files, place in (
        ("/release", {"round": "practice"}, {"released": cup.materials["raw"]}, "/entries/4"),
        ("/targets/practice/pairs", {}, {"guess": cup.materials["attack on pairs"]}, "/entries/5"),
    ):
        answer = browser.send(path, fields, page="/team", files=files, headers=SCRIPT)
        assert (answer.status_code, answer.text) == (204, "")
        assert answer.headers["hx-redirect"] == place
        assert "location" not in answer.headers
        assert "Receipt" in browser.get(place)


def test_forms_with_files_are_sent_by_the_script_into_a_box_above_them(cup: CupSite) -> None:
    practise(cup)
    browser = Browser(cup, "raw-captain")
    for path in ("/release?round=practice", "/targets/practice/pairs"):
        page = browser.get(path)
        form = re.search(r'<form [^>]*action="([^"]+)" enctype="multipart/form-data"[^>]*>', page)
        assert form is not None
        for attribute in (f'hx-post="{form[1]}"', 'hx-target="#checked"', 'hx-encoding="multipart/form-data"'):
            assert attribute in form[0]
        assert f'<div hx-post="{form[1]}/check" hx-trigger="change"' in page
        assert page.index('id="checked"') < form.start()
        config = re.search(r'name="htmx-config" content="([^"]+)"', page)
        assert config is not None
        handling = json.loads(unescape(config[1]))["responseHandling"]
        assert next(each["swap"] for each in handling if re.fullmatch(each["code"], "422"))


def test_what_refreshes_itself_stays_when_it_is_refused(cup: CupSite) -> None:
    answer = cup.call("", "GET", "/entries/1/status", headers=SCRIPT)
    assert (answer.status_code, answer.headers["hx-reswap"]) == (401, "none")


def test_two_presses_of_the_button_hand_one_file_in(cup: CupSite) -> None:
    practise(cup)
    browser = Browser(cup, "raw-captain")
    key = re.search(r'name="key" value="([^"]+)"', browser.get("/release?round=practice"))
    assert key is not None
    fields, files = {"round": "practice", "key": key[1]}, {"released": cup.materials["triples"]}
    places = {browser.send("/release", fields, page="/release", files=files).headers["location"] for _ in range(2)}
    assert places == {"/entries/4"}


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_form_without_the_token_of_its_session_is_refused_everywhere(cup: CupSite, token: str) -> None:
    practise(cup)
    browser = Browser(cup, "referee")
    before = cup.site.book.read().head
    paths = [
        path
        for path, methods in cup.client.app.openapi()["paths"].items()
        if "post" in methods and not path.startswith("/api/")
    ]
    assert len(paths) > 14
    for path in paths:
        place = re.sub(r"\{number\}", "1", path)
        place = re.sub(r"\{\w+\}", "raw", place)
        fields = {"csrf": token, "en": "x", "verb": "close", "phase": "practice", "name": "again", "label": ""}
        assert browser.client.request("POST", place, data=fields).status_code == 403, path
    assert cup.site.book.read().head == before


def test_a_form_that_another_site_sends_is_refused(cup: CupSite) -> None:
    fields = {"login": "raw-captain", "password": PHRASE}
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 303), ("none", 303)):
        answer = cup.client.request("POST", "/login", data=fields, headers={"Sec-Fetch-Site": site})
        assert answer.status_code == status


def test_a_wrong_password_is_told_and_a_session_ends(cup: CupSite) -> None:
    browser = Browser(cup)
    answer = browser.send("/login", {"login": "raw-captain", "password": "wrong"}, page="/login")
    assert answer.status_code == 401
    assert "Name or password is wrong." in answer.text
    browser = Browser(cup, "raw-captain")
    assert browser.send("/logout", {}, page="/team").status_code == 303
    assert browser.client.request("GET", "/team").status_code == 401


def test_the_referee_runs_a_contest_from_the_pages(cup: CupSite) -> None:
    browser = Browser(cup, "referee")
    fields = {"verb": "open", "phase": "anonymise", "round": "final", "until": "2018-12-24 18:00"}
    assert browser.send("/referee/phases", fields, page="/referee").status_code == 303
    assert "2018-12-24 18:00:00 JST" in browser.get("/referee")
    text = {"en": "<b>One</b> day more.", "ja": "一日延長します。"}
    assert browser.send("/referee/announcements", text, page="/referee").status_code == 303
    assert "&lt;b&gt;One&lt;/b&gt; day more." in browser.get("/")
    assert "一日延長します。" in browser.get("/?language=ja")
    assert cup.submit("raw", cup.materials["raw"]).status_code == 201
    assert browser.send("/referee/phases", fields | {"verb": "close"}, page="/referee?language=en").status_code == 303
    assert cup.submit("raw", cup.materials["raw"]).status_code == 409
    token = browser.send("/referee/tokens", {"label": "script"}, page="/referee")
    secret = re.search(r'class="secret">([^<]+)<', token.text)
    assert secret is not None
    headers = {"Authorization": f"Bearer {secret[1]}"}
    assert cup.client.request("GET", "/api/v1/me", headers=headers).json()["role"] == "referee"


def test_a_rejudging_shows_its_differences_before_it_is_applied(cup: CupSite) -> None:
    cup.play()
    original = cup.vault / "cup" / "rounds" / "final" / "original.csv"
    lines = original.read_text().splitlines()
    head, _, quantity = lines[1].rpartition(",")
    original.write_text("\n".join([lines[0], f"{head},{int(quantity) + 1}", *lines[2:]]) + "\n")
    browser = Browser(cup, "referee")
    assert browser.send("/referee/rejudgings", {"name": "erratum"}, page="/referee/rejudgings").status_code == 303
    assert "disabled" in browser.get("/referee/rejudgings")
    cup.worker.drain()
    page = browser.get("/referee/rejudgings")
    assert "16 of 16 files scored" in page
    assert "invalid" in page
    assert "disabled" not in page
    assert browser.send("/referee/rejudgings/erratum/apply", {}, page="/referee/rejudgings").status_code == 303
    assert "applied" in browser.get("/referee/rejudgings")


def test_a_captain_adds_members_and_tokens(cup: CupSite) -> None:
    browser = Browser(cup, "raw-captain")
    fields = {"login": "new-member", "password": "a long password"}
    assert browser.send("/teams/raw/members", fields, page="/teams/raw").status_code == 303
    page = browser.send("/teams/raw/tokens", {"label": "laptop"}, page="/teams/raw").text
    assert 'class="secret"' in page
    assert "new-member" in page
    number = max(map(int, re.findall(r"/teams/raw/tokens/(\d+)/revoke", page)))
    assert browser.send(f"/teams/raw/tokens/{number}/revoke", {}, page="/teams/raw").status_code == 303
    assert "revoked" in browser.get("/teams/raw")
    taken = browser.send("/teams/raw/members?language=ja", fields, page="/teams/raw")
    assert taken.status_code == 422
    assert "すでに使われています" in taken.text
