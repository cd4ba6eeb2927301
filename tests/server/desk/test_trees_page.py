"""The page of trees: steps counted from the file, an editor for each kind, groups by hand, files brought and taken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.data.trees.test_tree_rule import make_column
from tests.server.desk.people_desk import (
    PEOPLE,
    PeopleDesk,
    count_alone_slowly,
    list_figures,
    make_people,
    write_rows,
)

from sekisho.data.frame.dataset import Kind
from sekisho.data.trees.rule_proposal import propose_rule
from sekisho.data.trees.tree_files import read_tree
from sekisho.server.desk.pages.tree_groups import show_groups

KEYS = ("birth_date", "sex", "postcode", "occupation", "age")


def make_aged_people() -> list[dict[str, str]]:
    return [{**row, "age": str(2015 - int(row["birth_date"][:4]))} for row in make_people()]


@pytest.fixture(scope="module")
def open_case_of_people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeopleDesk]:
    folder = tmp_path_factory.mktemp("trees")
    desk = PeopleDesk(folder, write_rows(folder / "people.csv", make_aged_people()))
    yield desk
    desk.close()


@pytest.fixture
def desk(open_case_of_people: PeopleDesk) -> PeopleDesk:
    """The case as it was at first."""
    open_case_of_people.case.versions.restore(1)
    return open_case_of_people


def test_a_tree_is_offered_and_written_when_it_is_taken(desk: PeopleDesk) -> None:
    page, rows = desk.show("/trees?column=birth_date"), make_aged_people()
    assert "This tree is offered, and written nowhere yet." in page
    years = [{**row, "birth_date": row["birth_date"][:4]} for row in rows]
    alone = [step[2] for step in list_figures(page)]
    assert (alone[0], alone[3]) == (count_alone_slowly(rows, KEYS), count_alone_slowly(years, KEYS))
    born = [date.fromisoformat(row["birth_date"]) for row in rows]
    offered = propose_rule(make_column(born, Kind.DATE)).date  # what the command offers
    assert offered is not None
    assert len(alone) == len(offered.units) + 2
    answer = desk.post("/trees/take", {"column": "birth_date", "key": "t"})
    place = answer.headers["location"].partition("/trees")[2]
    assert "birth_date" not in place  # browsers keep addresses
    assert 'checked><label for="column-1"><bdi>birth_date</bdi>' in desk.show(f"/trees{place}")
    assert 'birth_date = "trees/birth_date.csv"' in desk.recipe
    assert "This tree is offered" not in desk.show("/trees?column=birth_date")
    assert list_figures(desk.show("/trees?column=birth_date")) == list_figures(page)


def test_dates_numbers_and_codes_are_made_anew_by_their_rules(desk: PeopleDesk) -> None:
    desk.post(
        "/trees/rule", {"column": "birth_date", "kind": "date", "unit": ["year", "5 years"], "first_year": "1948"}
    )
    assert ";1948-1952;*" in desk.read_file("trees/birth_date.csv")
    assert "first_year = 1948" in desk.read_file("trees/birth_date.rule.toml")
    assert 'name="first_year" inputmode="numeric" value="1948"' in desk.show("/trees?column=birth_date")
    number = {"column": "age", "kind": "number", "way": "edges", "edges": "50, 60", "joins": "2", "width": "7"}
    desk.post("/trees/rule", number)
    assert ";50-59;" in desk.read_file("trees/age.csv")
    desk.post("/trees/rule", {"column": "postcode", "kind": "code", "length": ["3"]})
    assert desk.read_file("trees/postcode.csv").startswith("150-0001;150;*\n")
    page = desk.show("/trees?column=postcode&step=1:birth_date&step=1:age")
    ages = [("<50", "50-59", "60+")[(int(row["age"]) >= 50) + (int(row["age"]) >= 60)] for row in make_aged_people()]
    coarse = [
        {**row, "birth_date": row["birth_date"][:4], "age": age, "postcode": row["postcode"][:3]}
        for row, age in zip(make_aged_people(), ages, strict=True)
    ]
    assert list_figures(page)[1] == [
        6,
        len({tuple(row[key] for key in KEYS) for row in coarse}),
        count_alone_slowly(coarse, KEYS),
    ]


def test_a_rule_that_is_none_is_told_with_all_reasons_and_nothing_is_written(desk: PeopleDesk) -> None:
    head = desk.case.versions.head
    answer = desk.post("/trees/rule", {"column": "age", "kind": "number", "way": "width", "width": "0", "joins": "x"})
    assert (answer.status_code, desk.case.versions.head) == (422, head)
    assert "Nothing was changed." in answer.text
    assert "joins" in answer.text
    answer = desk.post("/trees/rule", {"column": "birth_date", "kind": "date"})
    assert (answer.status_code, desk.case.versions.head) == (422, head)


def test_groups_are_made_by_hand_renamed_and_dissolved(desk: PeopleDesk) -> None:
    column = {"column": "occupation"}
    answer = desk.post("/trees/move", {**column, "code": ["driver", "cook"], "to": "", "title": "hands"})
    assert answer.status_code == 303, answer.text
    assert "cook;hands;*" in desk.read_file("trees/occupation.csv")
    assert "trees/occupation.rule.toml" not in desk.case.versions.read().files
    desk.post("/trees/move", {**column, "code": ["nurse"], "to": "hands"})
    page = desk.show("/trees?column=occupation")
    people = sum(row["occupation"] in ("driver", "cook", "nurse") for row in make_aged_people())
    assert f"{people} people" in page
    desk.post("/trees/group", {**column, "named": "hands", "title": "手", "act": "rename"})
    assert "nurse;手;*" in desk.read_file("trees/occupation.csv")
    desk.post("/trees/move", {**column, "code": ["nurse"], "to": "*"})
    assert "nurse;nurse;*" in desk.read_file("trees/occupation.csv")
    answer = desk.post("/trees/move", {**column, "code": ["nurse"], "to": "", "title": "cook"})
    assert answer.status_code == 422
    assert "<p>Nothing was changed. &#39;cook&#39; is in the tree already</p>" in answer.text
    languages = re.findall(r'<a href="([^"]*)" hreflang', answer.text)
    assert [desk.client.send("GET", one, prefix="").status_code for one in languages] == [200, 200]
    desk.post("/trees/group", {**column, "named": "手", "act": "dissolve"})
    assert "手" not in desk.read_file("trees/occupation.csv")
    desk.post("/trees/remove", column)
    assert "occupation =" not in desk.recipe


def test_a_tree_of_ones_own_is_brought_and_what_it_lacks_is_put_into_a_group(desk: PeopleDesk) -> None:
    outline = b"inside\n@office\n@sales\noutside\n@driver\n"
    answer = desk.post("/trees/import", {"column": "occupation"}, {"file": ("work.hrc", outline)})
    assert answer.status_code == 303, answer.text
    page = desk.show("/trees?column=occupation")
    assert "2 values of the data are no leaf of this tree" in page
    desk.post("/trees/add", {"column": "occupation", "value": ["cook", "nurse"], "to": "inside"})
    assert "nurse;inside;Total" in desk.read_file("trees/occupation.csv")
    assert "Values that the tree lacks" not in desk.show("/trees?column=occupation")
    twice = b"office;inside;*\noffice;outside;*\n"
    answer = desk.post("/trees/import", {"column": "occupation"}, {"file": ("twice.csv", twice)})
    assert answer.status_code == 422
    assert "has two parents" in answer.text


def test_the_file_is_taken_away_as_the_command_reads_it(desk: PeopleDesk, tmp_path: Path) -> None:
    assert desk.client.send("GET", f"{desk.at}/trees/file?column=postcode").status_code == 404
    desk.post("/trees/take", {"column": "postcode"})
    answer = desk.client.send("GET", f"{desk.at}/trees/file?column=postcode")
    assert answer.headers["content-disposition"] == 'attachment; filename="tree.csv"'
    (tmp_path / "tree.csv").write_bytes(answer.content)
    assert read_tree(tmp_path / "tree.csv").children["*"] == ("15", "16")


def test_a_tree_that_was_made_by_a_rule_can_be_changed_by_hand(desk: PeopleDesk) -> None:
    desk.post("/trees/take", {"column": "postcode"})
    assert 'name="length" value="3" checked' in desk.show("/trees?column=postcode")
    page = desk.show("/trees?column=postcode&hand=1&group=15")
    assert 'data-group="150"' in page
    desk.post(
        "/trees/move", {"column": "postcode", "code": ["150", "151"], "title": "north", "hand": "1", "group": "15"}
    )
    assert "150-0001;150;north;15;*" in desk.read_file("trees/postcode.csv")
    assert "postcode: groups by hand" in desk.show("/trees?column=postcode")
    assert desk.post("/trees/take", {"column": "nothing"}).status_code == 404
    assert str(PEOPLE) in page


def test_long_lists_are_cut_and_can_be_looked_through(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("".join(f"v{number:03};v{number:03};*\n" for number in range(500)))
    tree = read_tree(tmp_path / "t.csv")
    whole = show_groups(tree, {"v007": 3})
    assert (len(whole["loose"]["members"]), whole["loose"]["more"], whole["loose"]["people"]) == (200, 300, 3)
    assert [one["code"] for one in show_groups(tree, {}, wanted="V49")["loose"]["members"]] == [
        f"v49{digit}" for digit in range(10)
    ]
