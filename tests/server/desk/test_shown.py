"""A case as its pages show it: the version that the address names, the marks of its steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastapi import Request
from starlette.responses import PlainTextResponse, Response
from tests.server.desk.desk_client import DeskClient, open_desk

from sekisho.server.desk.cases import Case, DeskFolder
from sekisho.server.desk.edits import DeskEdit
from sekisho.server.desk.frame import StepMark
from sekisho.server.desk.runs.orders import ORDER, OUTCOME, RunOrder
from sekisho.server.desk.shown import find_run_folder, open_case, tell_time

PEOPLE = "name,sex,age,city,ill\n" + "".join(
    f"person{row},{'fm'[row % 2]},{20 + row % 50},{'abcd'[row % 4]},{'yn'[row % 3 == 0]}\n" for row in range(300)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def make_case(folder: Path) -> Case:
    return DeskFolder(folder / "desk").create(folder / "people.csv")


def make_client(folder: Path) -> DeskClient:
    client = open_desk(folder / "desk")

    def show(request: Request, name: str) -> Response:
        shown = open_case(request, name)
        marks = {step: mark.value for step, mark in shown.marks.items()}
        told = {"version": shown.version, "newest": shown.newest, "undo": shown.can_undo, "redo": shown.can_redo}
        return PlainTextResponse(json.dumps({**told, "file": shown.file_name, "marks": marks}))

    client.app.add_api_route("/cases/{name}/shown", show, response_model=None)
    return client


def test_a_page_shows_the_current_version_or_the_one_of_its_address(folder: Path) -> None:
    case = make_case(folder)
    case.versions.write((DeskEdit(file="recipe", place=("risk",), value=0.3),), based_on=1)
    client = make_client(folder)
    current = client.send("GET", f"/cases/{case.name}/shown").json()
    assert current["version"] == current["newest"] == 2
    assert current["undo"]
    assert not current["redo"]
    assert current["file"] == "people.csv"
    older = client.send("GET", f"/cases/{case.name}/shown?v=1").json()
    assert (older["version"], older["newest"]) == (1, 2)


def test_what_is_not_there_is_not_found(folder: Path) -> None:
    case, client = make_case(folder), make_client(folder)
    for address in ("other/shown", f"{case.name}/shown?v=9", f"{case.name}/shown?v=-1", f"{case.name}/shown?v=1e3"):
        assert client.send("GET", f"/cases/{address}").status_code == 404


def test_marks_tell_what_is_done_and_what_needs_a_look(folder: Path) -> None:
    case, client = make_case(folder), make_client(folder)
    marks = client.send("GET", f"/cases/{case.name}/shown").json()["marks"]
    assert set(marks.values()) == {""}
    run = find_run_folder(case, case.versions.read())
    run.mkdir(parents=True)
    order = RunOrder(case=case.name, recipe=case.versions.read().recipe, folder=run, steps=case.steps)
    (run / ORDER).write_text(json.dumps(order.pack()))
    assert client.send("GET", f"/cases/{case.name}/shown").json()["marks"]["run"] == StepMark.LOOK
    (run / OUTCOME).write_text(json.dumps({"verdict": "review"}))
    marks = client.send("GET", f"/cases/{case.name}/shown").json()["marks"]
    assert (marks["file"], marks["run"], marks["decide"]) == ("done", "done", "look")
    (case.public / "release.csv").write_text("sex\nf\n")
    assert client.send("GET", f"/cases/{case.name}/shown").json()["marks"]["decide"] == "done"
    (folder / "people.csv").write_text(PEOPLE + "other,f,30,a,y\n")
    assert client.send("GET", f"/cases/{case.name}/shown").json()["marks"]["file"] == "look"


def test_a_version_of_another_day_says_which() -> None:
    assert len(tell_time("2020-02-03T12:00:00Z")) == len("2020-02-03 12:00")
