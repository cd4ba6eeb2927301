"""Forms that change a case: versions, two windows at once, double clicks; what is listed, restored and taken away."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from fastapi import Request
from starlette.responses import Response
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.test_shown import PEOPLE

from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.changes import Sent, describe_value, write_edits
from sekisho.server.desk.edits import set_key
from sekisho.server.desk.exports import SEALED, open_sealed_case


@pytest.fixture
def case(tmp_path: Path) -> Case:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return DeskFolder(tmp_path / "desk").create(tmp_path / "people.csv")


@pytest.fixture
def client(tmp_path: Path) -> DeskClient:
    client = open_desk(tmp_path / "desk")

    def change(request: Request, name: str, form: Sent) -> Response:
        edits = [edit for key, value in form.fields for edit in set_key(key, value)]
        return write_edits(request, name, edits, form, back=f"/cases/{name}/risk")

    client.app.add_api_route("/cases/{name}/change", change, methods=["POST"], response_model=None)
    return client


def test_a_form_makes_a_version_and_a_second_click_gets_the_first_answer(client: DeskClient, case: Case) -> None:
    for _ in range(2):
        answer = client.post(f"/cases/{case.name}/change", {"v": "1", "key": "k1", "title": "Other"})
        assert (answer.status_code, answer.headers["location"][-5:]) == (303, "/risk")
    assert case.versions.head == 2
    assert b'title = "Other"' in case.versions.read().files["recipe.toml"]
    assert client.post(f"/cases/{case.name}/change", {"v": "x", "title": "a"}).status_code == 422


def test_the_same_changed_in_two_windows_asks_which_and_another_place_does_not(client: DeskClient, case: Case) -> None:
    address = f"/cases/{case.name}/change"
    assert client.post(address, {"v": "1", "key": "k1", "title": "Theirs <b>"}).status_code == 303
    assert client.post(address, {"v": "1", "key": "k2", "preset": "public"}).status_code == 303
    asked = client.post(address, {"v": "1", "key": "k3", "title": "Mine"})
    assert asked.status_code == 409
    assert case.versions.head == 3
    assert "<bdi>Mine</bdi>" in asked.text
    assert "<bdi>Theirs &lt;b&gt;</bdi>" in asked.text
    form = asked.text.partition(f'action="{client.entrance.prefix}{address}"')[2].partition("</form>")[0]
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form))
    assert (fields["v"], fields["title"]) == ("3", "Mine")
    assert client.post(address, fields).status_code == 303
    assert b'title = "Mine"' in case.versions.read().files["recipe.toml"]
    ours = {"token": client.entrance.token, "v": "1", "key": "k5", "title": "Again"}
    htmx = client.send("POST", address, data=ours, headers={"hx-request": "true"})
    assert (htmx.status_code, htmx.headers["hx-retarget"]) == (200, "body")


def test_undo_redo_and_restore_lead_back_to_the_page(client: DeskClient, case: Case) -> None:
    client.post(f"/cases/{case.name}/change", {"v": "1", "key": "k1", "title": "Other"})
    for way, head in (("undo", 1), ("redo", 2), ("undo", 1)):
        answer = client.post(f"/cases/{case.name}/{way}", {"step": "risk", "key": f"{way}{case.versions.head}{head}"})
        assert answer.headers["location"].endswith(f"/cases/{case.name}/risk")
        if way == "redo":
            assert case.versions.head == head
    place = {"step": "trees", "place": "column=a%26b&hand=1&v=9&next=//evil.example"}
    assert client.post(f"/cases/{case.name}/redo", place).headers["location"].endswith("/trees?column=a%26b&hand=1")
    assert client.post(f"/cases/{case.name}/undo", {"step": "//evil.example"}).headers["location"].endswith("/versions")
    assert client.post(f"/cases/{case.name}/restore", {"number": "2", "key": "r"}).status_code == 303
    assert (case.versions.head, case.versions.read().restored) == (3, 2)
    assert client.post(f"/cases/{case.name}/restore", {"number": "9"}).status_code == 404
    assert client.post("/cases/none/undo").status_code == 404


def test_versions_are_listed_and_compared_in_both_languages(client: DeskClient, case: Case) -> None:
    client.post(f"/cases/{case.name}/change", {"v": "1", "key": "k1", "title": "Other"})
    page = client.send("GET", f"/cases/{case.name}/versions").text
    assert "as it was proposed for the file" in page
    assert re.search(
        r"<code>title</code> <s><bdi>–</bdi></s> → <bdi>Other</bdi>", page
    )  # none was proposed: it is asked for
    compared = client.send("GET", f"/cases/{case.name}/versions?old=1&new=2&language=ja").text
    assert re.search(r'<li class="new">title = &#34;Other&#34;', compared)
    assert "第1版と第2版" in compared
    assert "同じ内容です" in client.send("GET", f"/cases/{case.name}/versions?old=2&new=2&language=ja").text
    assert client.send("GET", f"/cases/{case.name}/versions?old=1&new=x").status_code == 404


def test_a_version_is_taken_away_under_fixed_names(client: DeskClient, case: Case) -> None:
    names = {"recipe": "recipe.zip", "sh": "release.sh", "ipynb": "release.ipynb"}
    for what, name in names.items():
        answer = client.send("GET", f"/cases/{case.name}/take/{what}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    recipe = ZipFile(BytesIO(client.send("GET", f"/cases/{case.name}/take/recipe").content))
    assert recipe.read("recipe.toml") == case.versions.read().files["recipe.toml"]
    assert client.send("GET", f"/cases/{case.name}/take/other").status_code == 404
    assert client.send("GET", f"/cases/{case.name}/take/sh?v=9").status_code == 404


def test_the_whole_case_is_taken_away_only_sealed(client: DeskClient, case: Case) -> None:
    assert 'type="password"' in client.send("GET", f"/cases/{case.name}/take/case").text
    assert client.post(f"/cases/{case.name}/take/case", {"passphrase": "short"}).status_code == 422
    answer = client.post(f"/cases/{case.name}/take/case", {"passphrase": "long enough"})
    sealed = ZipFile(BytesIO(answer.content)).read(SEALED)
    opened = ZipFile(BytesIO(open_sealed_case(sealed, "long enough", "case.zip")))
    assert "case.json" in opened.namelist()
    assert not any(name.startswith("incoming") for name in opened.namelist())


def test_a_change_is_told_as_the_recipe_writes_it() -> None:
    edit = set_key("find", {"method": "partition", "k": [5, 20]})[0]
    assert describe_value(edit, edit.value) == '{ method = "partition", k = [5, 20] }'
    assert describe_value(edit, [{"name": "groups", "k": 7}]) == '[{ name = "groups", k = 7 }]'
    assert (describe_value(edit, None), describe_value(edit, 7), describe_value(edit, "x")) == ("–", "7", "x")
