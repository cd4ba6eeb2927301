"""The page of the risk: its sentence, keys, steps that are tried, who stands out; and histories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import polars as pl
import pytest
from tests.server.desk.people_desk import PATIENCE, PEOPLE, PeopleDesk, count_alone_slowly, make_people, write_rows

from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.uniques.special_uniques import find_special_uniques
from sekisho.server.desk.counter import CountAnswer, CountQuestion
from sekisho.server.desk.edits import DeskEdit, set_role

KEYS = ("birth_date", "sex", "postcode", "occupation")


@pytest.fixture(scope="module")
def open_case_of_people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeopleDesk]:
    folder = tmp_path_factory.mktemp("risk")
    desk = PeopleDesk(folder, write_rows(folder / "people.csv", make_people()))
    yield desk
    desk.close()


@pytest.fixture
def desk(open_case_of_people: PeopleDesk) -> PeopleDesk:
    """The case as it was at first."""
    open_case_of_people.case.versions.restore(1)
    return open_case_of_people


def test_the_sentence_says_how_many_are_alone_and_each_key_how_many_without_it(desk: PeopleDesk) -> None:
    page, rows = desk.show("/risk?v=1"), make_people()
    assert f"{count_alone_slowly(rows, KEYS)} of {PEOPLE} people are alone" in page
    for key in KEYS:
        left = count_alone_slowly(rows, [one for one in KEYS if one != key])
        assert f"{left} alone, " in page
    assert "and reads illness" in page
    assert 'value="illness" data-key="keys">' in page  # offered, and not ticked
    assert "--keys birth_date,sex,postcode,occupation" in page


def test_the_risk_is_counted_while_the_page_of_the_file_is_read(desk: PeopleDesk) -> None:
    desk.show("/file")
    counter = desk.client.app.state.desk.counters.open(desk.case.folder)
    end = monotonic() + PATIENCE
    while counter.is_asked and monotonic() < end:
        sleep(0.1)
    keys = [{"name": key, "tree": "", "step": 0} for key in KEYS]
    head = desk.case.versions.head
    question = CountQuestion(name="steps", version=head, arguments={"about": "weigh", "keys": keys, "focus": ""})
    answer = counter.ask(question, seconds=0.0)  # what nobody has asked before is answered later
    assert isinstance(answer, CountAnswer)
    assert answer.result["counts"]["alone"] == count_alone_slowly(make_people(), KEYS)


def test_ticking_other_keys_is_one_edit_and_the_figures_follow(desk: PeopleDesk) -> None:
    before = desk.case.versions.head
    answer = desk.post("/risk/keys", {"known": ["sex", "occupation"], "key": "k1"})
    assert (answer.status_code, desk.case.versions.head) == (303, before + 1)
    assert 'keys = ["sex", "occupation"]' in desk.recipe
    assert "Nobody of 240 people is alone" in desk.show("/risk")
    assert desk.post("/risk/keys", {"known": ["sex", "occupation"], "key": "k1"}).status_code == 303
    assert desk.case.versions.head == before + 1  # the same form again
    desk.post("/risk/keys", {"known": list(KEYS), "key": "k2"})
    assert "\nkeys = " not in desk.recipe  # as the schema says


def test_with_script_the_page_is_asked_for_anew(desk: PeopleDesk) -> None:
    head = str(desk.case.versions.head)
    token = {"token": desk.client.entrance.token, "v": head, "known": ["sex"], "key": "k3"}
    answer = desk.client.send("POST", f"{desk.at}/risk/keys", headers={"hx-request": "true"}, data=token)
    assert answer.status_code == 204
    assert f'{desk.at}/risk", "target": "body"' in answer.headers["hx-location"]


def test_no_keys_are_not_taken_and_nothing_is_written(desk: PeopleDesk) -> None:
    before = desk.case.versions.head
    answer = desk.post("/risk/keys", {"key": "none"})
    assert (answer.status_code, desk.case.versions.head) == (422, before)
    assert "Choose at least one column that others may know" in answer.text


def test_another_tab_that_changed_the_keys_is_asked_about(desk: PeopleDesk) -> None:
    old = desk.case.versions.head
    desk.post("/risk/keys", {"known": ["sex"], "key": "a"})
    answer = desk.post("/risk/keys", {"known": ["occupation"], "key": "b"}, version=old)
    assert (answer.status_code, desk.case.versions.head) == (409, old + 1)
    assert "Changed in another tab" in answer.text
    assert '<input type="hidden" name="known" value="occupation">' in answer.text
    assert f'name="v" value="{old + 1}"' in answer.text


def test_a_coarser_key_is_counted_and_written_only_when_asked_for(desk: PeopleDesk) -> None:
    before, rows = desk.case.versions.head, make_people()
    page = desk.show("/risk?step=3:birth_date&step=1:postcode&column=birth_date")
    coarse = [{**row, "birth_date": row["birth_date"][:4], "postcode": row["postcode"][:3]} for row in rows]
    assert f"{count_alone_slowly(coarse, KEYS)} of {PEOPLE} people would still be alone" in page
    assert desk.case.versions.head == before
    query = "step=3%3Abirth_date&step=1%3Apostcode"
    answer = desk.post("/risk/coarser", {"column": ["birth_date", "postcode"], "query": query, "key": "c"})
    assert answer.headers["location"].endswith(f"/trees?{query}")
    assert 'birth_date = "trees/birth_date.csv"' in desk.recipe
    assert desk.read_file("trees/postcode.csv").startswith("150-0001;150;15;*\n")


def test_who_stands_out_comes_after_the_rest_and_without_script_by_a_link(desk: PeopleDesk) -> None:
    assert "/risk/who?" in desk.client.send("GET", f"{desk.at}/risk").text
    part = desk.show("/risk/who")
    assert part.startswith("<section")
    assert "Who stands out most" in part
    assert "What could somebody do who knows only three things?" in part
    singles = count_alone_slowly(make_people(), ["birth_date"])
    assert f'<td class="number">{singles}</td>' in part
    codes = {key: ColumnCodes.of(pl.Series([row[key] for row in make_people()])) for key in KEYS}
    shares = find_special_uniques(list(codes.values()), largest=3).compute_contributions()
    told = re.findall(r'<th scope="row"><bdi>(\w+)</bdi></th>.*?<td class="number">([\d.]+%)</td>', part)
    assert dict(told) == {key: f"{share:.1%}" for key, share in zip(KEYS, shares.tolist(), strict=True)}
    assert told[0][0] == "birth_date"  # the worst first
    assert "<section" in desk.show("/risk?who=1")


def test_a_key_that_is_gone_is_named_with_its_last_version(desk: PeopleDesk) -> None:
    head = desk.case.versions.head
    desk.post("/risk/keys", {"known": ["sex", "occupation"], "key": "g"})
    files = desk.case.versions.read().files
    drop = [edit for edit in set_role(files, desk.case.columns, "occupation", None) if edit.file == "schema"]
    desk.case.versions.write(drop, based_on=head + 1)
    page = desk.show("/risk")
    assert f"The key occupation is no longer read; version {head + 1} was the last that had it." in page


def test_without_any_key_the_page_asks_for_one(desk: PeopleDesk) -> None:
    head = desk.case.versions.head
    edits = [DeskEdit(file="schema", place=("columns", key, "role"), value="other") for key in KEYS]
    desk.case.versions.write(edits, based_on=head)
    page = desk.show("/risk")
    assert "Choose at least one column that others may know" in page
    assert "Choose at least one column that others may know" in desk.show("/trees")


def test_it_is_said_in_japanese(desk: PeopleDesk) -> None:
    desk.show("/risk?v=1")
    page = desk.client.send("GET", f"{desk.at}/risk?v=1", headers={"accept-language": "ja"})
    assert "人が1人だけに絞られます" in page.text


def test_of_a_history_it_says_who_is_found_by_known_rows(tmp_path: Path) -> None:
    rows = [
        {"customer": f"C{number // 4:02}", "date": f"2024-01-{1 + number * 7 % 28:02}", "item": f"I{number % 9}"}
        for number in range(160)
    ]
    desk = PeopleDesk(tmp_path, write_rows(tmp_path / "log.csv", rows))
    try:
        page = desk.show("/risk")
        assert "people are found by 3 known rows" in page
        assert "Of 40 people drawn from 40" in page
        fewer = desk.show("/risk?known=item")
        boxes = re.findall(r'name="known" id="[^"]*" value="(~\d+)"( checked)?> <bdi>(\w+)</bdi>', fewer)
        assert [(name, bool(checked)) for _, checked, name in boxes] == [("date", False), ("item", True)]
        assert desk.show(f"/risk?known={boxes[1][0]}").count(" checked>") == fewer.count(
            " checked>"
        )  # the same by number
        assert "A history needs no trees" in desk.show("/trees")
    finally:
        desk.close()


def find_alone(desk: PeopleDesk, old: int, new: int) -> list[str]:
    """Return what the comparison of two versions says of people alone."""
    page = desk.show(f"/versions?old={old}&new={new}")
    rows = re.findall(r'<tr><th scope="row">people alone in the original, by the keys</th>(.*?)</tr>', page)
    return [re.sub(r"<[^>]*>", "", cell) for row in rows for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]


def test_two_versions_are_compared_by_what_was_counted_for_each_and_for_no_other(desk: PeopleDesk) -> None:
    rows, began = make_people(), desk.case.versions.head
    desk.show("/risk")
    desk.post("/risk/keys", {"known": ["birth_date", "sex"], "key": "c1"})
    desk.post("/risk/keys", {"known": ["sex", "postcode", "occupation"], "key": "c2"})
    few, fewer = began + 1, began + 2
    everything = f"{count_alone_slowly(rows, KEYS)} of {PEOPLE}"
    assert find_alone(desk, began, few) == [everything, f"not counted Count it ({few})"]
    desk.show(f"/risk?v={few}&step=1:birth_date")  # tried more coarsely: that is no count of the version
    assert find_alone(desk, few, began) == [f"not counted Count it ({few})", everything]
    desk.show(f"/risk?v={few}")
    counted = f"{count_alone_slowly(rows, ('birth_date', 'sex'))} of {PEOPLE}"
    assert find_alone(desk, few, fewer) == [counted, f"not counted Count it ({fewer})"]
    desk.show("/trees?column=occupation")  # whose first step is the same question
    assert find_alone(desk, few, fewer)[1] == f"{count_alone_slowly(rows, KEYS[1:])} of {PEOPLE}"
    desk.post("/trees/move", {"column": "occupation", "code": ["driver"], "title": "hands"})
    assert find_alone(desk, few, desk.case.versions.head)[1].startswith("not counted")
