"""Browsers keep addresses and titles: every page of the desk is walked, and nothing of the data stands in either."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, unquote_plus, urlencode, urljoin, urlsplit

import pytest
from tests.server.desk.people_desk import PeopleDesk, make_people, write_rows
from tests.server.desk.test_run_page import wait
from tests.server.desk.test_table_page import Firms

ADDRESSES = ("href", "action", "src", "hx-get", "hx-post", "hx-delete", "formaction", "data-drop", "xlink:href")
WRITTEN = ("text", "search", "email", "url", "tel", "number", "")
CANARIES = {
    "birth_date": "誕生日",
    "sex": "kanari_sex",
    "postcode": "kanari_post",
    "occupation": "職業の列",
    "illness": "診断名",
    "driver": "運転手",
    "nurse": "kanari_nurse",
    "asthma": "喘息",
}
"""Names of columns and values that would be known again anywhere."""


@dataclass
class Page(HTMLParser):
    """The addresses that a page leads to, what its forms would put into one, and its title."""

    text: str
    addresses: list[str] = field(default_factory=list[str])
    typed: list[str] = field(default_factory=list[str])
    title: str = ""
    _form: str | None = None
    _inside: str = ""
    _head: bool = True

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self._inside, self._head = tag, self._head and tag != "body"  # pictures have titles, too, that nobody keeps
        self.addresses += [told[name] for name in ADDRESSES if told.get(name)]
        self._form = told.get("action", "") if tag == "form" and told.get("method", "get") == "get" else self._form
        if self._form is None or not told.get("name", "" if tag != "option" else "value"):
            return
        if tag in {"input", "button", "option"}:
            self.addresses.append(f"{self._form}?{urlencode({told.get('name', 'option'): told.get('value', '')})}")
        if tag == "textarea" or (tag == "input" and told.get("type", "") in WRITTEN):
            self.typed.append(told["name"])

    def handle_endtag(self, tag: str) -> None:
        self._form = None if tag == "form" else self._form
        self._inside = ""

    def handle_data(self, data: str) -> None:
        self.title += data if self._head and self._inside == "title" else ""


def find_faults(page: Page, words: tuple[str, ...]) -> list[str]:
    """Return the addresses and the title with something of the data, and fields that somebody would type into one."""
    named = [one for one in (*page.addresses, page.title) if any(word in unquote_plus(one) for word in words)]
    return [*named, *(f"typed: {name}" for name in page.typed)]


def reduce(address: str) -> str:
    """Return what pages are alike by: a route and the keys of its query, not which of many numbers."""
    parts = urlsplit(address)
    return parts.path + "?" + ",".join(sorted({key for key, _ in parse_qsl(parts.query)} - {"language"}))


def walk_pages(desk: PeopleDesk | Firms, begin: str, words: tuple[str, ...]) -> tuple[set[str], list[str]]:
    """Follow every link from a page, one of each kind; return the kinds, and what stands where it must not."""
    client, prefix = desk.client, desk.client.entrance.prefix
    waiting, kinds, faults = [prefix + begin], set[str](), list[str]()
    while waiting:
        address = waiting.pop()
        if reduce(address) in kinds or not address.startswith(prefix):
            continue
        kinds.add(reduce(address))
        answer = client.send("GET", address.removeprefix(prefix).partition("#")[0])
        waiting.append(answer.headers.get("location", ""))
        if not answer.headers.get("content-type", "").startswith("text/html") or answer.status_code >= 400:
            continue
        if "/report" in address or "/sheet" in address:
            continue  # read where they stand; they lead nowhere
        page = Page(answer.text)
        faults += [f"{address}: {one}" for one in find_faults(page, words)]
        waiting += [urljoin(address, one) for one in page.addresses]
    return kinds, faults


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeopleDesk]:
    folder = tmp_path_factory.mktemp("addresses")
    rows = [
        {CANARIES.get(name, name): CANARIES.get(value, value) for name, value in row.items()} for row in make_people()
    ]
    desk = PeopleDesk(folder, write_rows(folder / "people.csv", rows))
    yield desk
    desk.close()


def test_what_is_looked_for_among_values_stands_in_no_address(people: PeopleDesk) -> None:
    column = CANARIES["occupation"]
    answer = people.post("/trees/find", {"column": column, "hand": "1", "group": "", "find": "運転"})
    assert answer.status_code == 303
    place = answer.headers["location"].partition("/trees")[2]
    assert not any(word in unquote_plus(place) for word in ("運転", column))
    page = people.show(f"/trees{place}")
    groups = page[page.index('<div class="groups">') :]
    assert "<bdi>運転手</bdi>" in groups
    assert "<bdi>kanari_nurse</bdi>" not in groups
    assert 'name="find" value="運転"' in page


def test_no_page_of_people_leads_to_an_address_with_something_of_the_data(
    people: PeopleDesk, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*CANARIES.values(), "運転")
    people.show("/risk")
    people.show("/risk/who")
    for name in ("birth_date", "postcode", "occupation"):
        people.show(f"/trees?column={CANARIES[name]}")
        answer = people.post("/trees/take", {"column": CANARIES[name], "key": name})
        assert not any(word in unquote_plus(answer.headers["location"]) for word in words)
    move = {"column": CANARIES["occupation"], "code": ["運転手", "kanari_nurse"], "title": "組の診断名", "hand": "1"}
    answer = people.post("/trees/move", move)
    assert not any(word in unquote_plus(answer.headers["location"]) for word in words)
    refused = Page(people.post("/trees/move", {**move, "title": "運転手"}).text)
    assert find_faults(refused, words) == []
    assert people.client.post(f"{people.at}/run/start", {"v": str(people.case.versions.head)}).status_code == 303
    wait(people.client, people.case)
    people.show(f"/trees?column={CANARIES['birth_date']}")
    kinds, faults = walk_pages(people, "/", words)
    assert faults == []
    reached = {re.sub(r".*/cases/[^/]+", "", kind).partition("?")[0] for kind in kinds}
    assert reached >= {"/file", "/risk", "/trees", "/run", "/decide", "/versions", "/delete", "/take/case", "/report"}
    assert any("candidate" in kind for kind in kinds)
    assert any("group" in kind for kind in kinds)
    log = capsys.readouterr().out
    assert "/trees/move" in log
    assert not any(word in log for word in words)


def test_no_page_of_a_table_leads_to_an_address_with_something_of_the_data(tmp_path: Path) -> None:
    firms = Firms(tmp_path, sizes=True)
    firms.run()
    words = ("industry", "region", "turnover", "Retail", "Chemicals", "Islands", "small")
    kinds, faults = walk_pages(firms, f"/cases/{firms.case.name}/table", words)
    assert faults == []
    assert any("cell" in kind for kind in kinds)
