"""A case is deleted with everything of it, after a question that says what is lost; the original elsewhere stays."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.server.desk.desk_client import open_desk
from tests.server.desk.test_shown import PEOPLE

from sekisho.errors import UnknownNameError
from sekisho.server.desk.cases import DeskFolder
from sekisho.server.desk.runs.jobs import Runs
from sekisho.server.desk.runs.orders import RunOrder
from sekisho.words import Language


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "people.csv"
    place.write_text(PEOPLE)
    return place


def test_a_question_first_then_nothing_is_left_but_the_file(file: Path, tmp_path: Path) -> None:
    cases, client = DeskFolder(tmp_path / "desk"), open_desk(tmp_path / "desk")
    kept, case = cases.create(file), cases.create(file)
    page = client.send("GET", f"/cases/{case.name}/delete")
    assert "The file itself stays where it stands." in page.text
    assert "What was released here" not in page.text
    assert case.folder.exists()
    assert client.post(f"/cases/{case.name}/delete", {}).status_code == 303
    assert [one.name for one in cases.list_cases()] == [kept.name]
    assert sorted(path.name for path in (tmp_path / "desk" / "cases").iterdir()) == [kept.name]
    assert file.read_text() == PEOPLE
    assert client.send("GET", f"/cases/{case.name}/delete").status_code == 404
    assert client.post(f"/cases/{case.name}/delete", {}).status_code == 404  # a double click
    with pytest.raises(UnknownNameError):
        cases.remove(case)


def test_what_was_released_may_be_deleted_and_is_named(file: Path, tmp_path: Path) -> None:
    case = DeskFolder(tmp_path / "desk").create(file)
    (case.public / "release.csv").write_text("a\n")
    client = open_desk(tmp_path / "desk")
    assert "what was released here: release.csv." in client.send("GET", f"/cases/{case.name}/delete").text
    client.post(f"/cases/{case.name}/delete", {})
    assert not case.folder.exists()


def test_a_run_that_is_under_way_is_ended_first(file: Path, tmp_path: Path) -> None:
    case = DeskFolder(tmp_path / "desk").create(file)
    client = open_desk(tmp_path / "desk")
    client.app.state.desk.runs.command = (sys.executable, "-c", "import time; time.sleep(600)")
    runs: Runs = client.app.state.desk.runs
    order = RunOrder.of(
        case=case.name,
        recipe=case.versions.read().recipe,
        runs=case.runs,
        steps=case.steps,
        original=case.original.sha256,
        language=Language.EN,
    )
    runs.start(order)
    end = monotonic() + 20
    while not runs.list_under_way() and monotonic() < end:
        sleep(0.05)
    client.post(f"/cases/{case.name}/delete", {})
    assert runs.list_under_way() == []
    assert not case.folder.exists()


def test_what_a_killed_deletion_left_goes_at_the_next_start(file: Path, tmp_path: Path) -> None:
    cases = DeskFolder(tmp_path / "desk")
    case = cases.create(file)
    case.folder.rename(case.folder.with_name(f".gone-{case.name}-0"))
    with cases.hold():
        assert list((tmp_path / "desk" / "cases").iterdir()) == []


def test_another_language_keeps_what_the_address_asks(file: Path, tmp_path: Path) -> None:
    case = DeskFolder(tmp_path / "desk").create(file)
    client = open_desk(tmp_path / "desk")
    page = client.send("GET", f"/cases/{case.name}/risk?v=1&step=1:age&step=2:city&shown=1&other=x").text
    assert f"/cases/{case.name}/risk?v=1&amp;step=1%3Aage&amp;step=2%3Acity&amp;language=ja" in page
