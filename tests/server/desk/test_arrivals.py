"""The first look at a file that comes: in a process of its own, cancelled, killed and done anew, within limits."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest
from tests.server.desk.desk_client import DeskClient, open_desk
from tests.server.desk.test_shown import PEOPLE

from sekisho.errors import InputError
from sekisho.gate.profiling.file_form import read_file_text
from sekisho.server.desk import cases as cases_module
from sekisho.server.desk import originals
from sekisho.server.desk.arrivals import bring_file, settle_arrival
from sekisho.server.desk.cases import Case, DeskFolder, DroppedFile
from sekisho.server.desk.counter import CountAnswer, CountQuestion
from sekisho.server.desk.counting import arriving
from sekisho.server.desk.counting.arriving import Reading, check_extent, tell_arrival
from sekisho.server.desk.originals import OriginalState
from sekisho.server.desk.pages import start
from sekisho.server.desk.settings import Desk


@pytest.fixture
def client(tmp_path: Path) -> Iterator[DeskClient]:
    client = open_desk(tmp_path / "desk")
    yield client
    find_desk(client).counters.close()


def find_desk(client: DeskClient) -> Desk:
    desk: Desk = client.app.state.desk
    return desk


def drop_people(desk: Desk) -> DroppedFile:
    dropped = desk.cases.begin_upload("people.csv")
    dropped.receive([PEOPLE.encode()], start=0)
    return dropped


def open_until_case(client: DeskClient, arrival: DroppedFile) -> httpx.Response:
    """Open the page of a file until it leads to its case."""
    end = monotonic() + 60
    while True:
        answer = client.send("GET", f"/uploads/{arrival.id}")
        if answer.status_code == 303 or monotonic() > end:
            return answer
        sleep(0.1)


def test_the_web_process_looks_at_nothing_and_the_look_is_done_once(
    client: DeskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the web process touched the data")

    for module, name in ((originals, "look_at_file"), (originals, "digest_file"), (cases_module, "propose_files")):
        monkeypatch.setattr(module, name, refuse)
    desk = find_desk(client)
    settled = settle_arrival(desk, drop_people(desk))
    assert isinstance(settled, Case)
    assert settled.name.endswith(settled.folder.name)
    (kept,) = settled.counts.glob("look-*.look")
    before = kept.stat().st_mtime_ns
    answer = desk.counters.open(settled.folder).ask(CountQuestion(name="look", version=1), seconds=60)
    assert isinstance(answer, CountAnswer)
    assert answer.failure is None
    assert {one["name"] for one in answer.result["columns"]} == set(PEOPLE.partition("\n")[0].split(","))
    assert [place.stat().st_mtime_ns for place in settled.counts.glob("look-*.look")] == [before]


def test_a_look_that_was_killed_is_done_anew_on_opening(
    client: DeskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "LOOK_SECONDS", 0.0)
    desk = find_desk(client)
    arrival = drop_people(desk)
    page = client.send("GET", f"/uploads/{arrival.id}")
    assert (page.status_code, "run|" in page.text, "reading the file" in page.text) == (200, False, True)
    pid = desk.counters.open(arrival.folder).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)  # the counting process, then the whole desk
    other = open_desk(tmp_path / "desk")
    assert "people.csv" in other.send("GET", "/").text
    answer = open_until_case(other, arrival)
    (case,) = desk.cases.list_cases()
    assert answer.headers["location"].endswith(f"/cases/{case.name}/file")
    assert case.name == arrival.id
    assert case.file.read_text() == PEOPLE
    again = other.send("GET", f"/uploads/{arrival.id}")  # an old tab
    assert again.headers["location"].endswith(f"/cases/{case.name}/file")
    find_desk(other).counters.close()


def test_a_look_that_is_cancelled_stays_so_until_somebody_asks(
    client: DeskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "LOOK_SECONDS", 0.0)
    desk = find_desk(client)
    arrival = drop_people(desk)
    client.send("GET", f"/uploads/{arrival.id}")
    pid = desk.counters.open(arrival.folder).pid
    assert client.post(f"/uploads/{arrival.id}/cancel").status_code == 303
    assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert "cancelled by you" in client.send("GET", f"/uploads/{arrival.id}").text
    assert not desk.cases.list_cases()
    assert client.post(f"/uploads/{arrival.id}/read").status_code == 303
    assert [case.name for case in desk.cases.list_cases()] == [arrival.id]


def test_a_look_beyond_its_memory_says_so_and_keeps_the_file(tmp_path: Path) -> None:
    client = open_desk(tmp_path / "desk", memory=1 << 20)
    desk = find_desk(client)
    arrival = drop_people(desk)
    settled = settle_arrival(desk, arrival)
    for _ in range(2):  # after a library that ended the process it is asked a second time
        settled = settled if isinstance(settled, CountAnswer) else settle_arrival(desk, arrival)
    assert isinstance(settled, CountAnswer)
    assert settled.failure == {"key": "memory"}
    page = client.send("GET", f"/uploads/{arrival.id}")
    assert page.status_code == 422
    assert "needs more memory" in page.text
    assert arrival.part.read_text() == PEOPLE
    desk.counters.close()


def test_a_named_file_stays_where_it_stands(client: DeskClient, tmp_path: Path) -> None:
    place = tmp_path / "people.csv"
    place.write_text(PEOPLE)
    desk = find_desk(client)
    arrival = bring_file(desk.cases, place)
    assert isinstance(arrival, DroppedFile)
    assert bring_file(desk.cases, place) == arrival
    arrival.discard()
    assert place.read_text() == PEOPLE
    arrival = bring_file(desk.cases, place)
    assert isinstance(arrival, DroppedFile)
    case = settle_arrival(desk, arrival)
    assert isinstance(case, Case)
    assert (case.original.path, case.original.dropped) == (str(place), False)
    assert case.file.is_symlink()
    assert bring_file(desk.cases, place) == case


def test_a_named_file_that_cannot_be_read_leads_to_a_page_that_says_why(client: DeskClient, tmp_path: Path) -> None:
    place = tmp_path / "people.csv"
    place.write_text("sex,age\n")
    desk = find_desk(client)
    arrival = bring_file(desk.cases, place)
    assert isinstance(arrival, DroppedFile)
    page = open_until_failure(client, arrival)
    assert "has no rows" in page.text
    place.write_text(PEOPLE)  # put right: opening the page looks again
    assert open_until_case(client, arrival).status_code == 303
    (case,) = desk.cases.list_cases()
    assert case.check_original(digest=True) is OriginalState.SAME


def open_until_failure(client: DeskClient, arrival: DroppedFile) -> httpx.Response:
    end = monotonic() + 60
    while True:
        answer = client.send("GET", f"/uploads/{arrival.id}")
        if answer.status_code == 422 or monotonic() > end:
            return answer
        sleep(0.1)


def test_a_desk_killed_after_making_a_case_does_not_make_it_twice(tmp_path: Path) -> None:
    cases = DeskFolder(tmp_path / "desk")
    arrival = cases.begin_upload("people.csv")
    arrival.receive([PEOPLE.encode()], start=0)
    case = cases.create(arrival)
    arrival.folder.mkdir()  # as a kill leaves it: the case is there, and what came has not gone yet
    arrival.save()
    arrival.part.write_text(PEOPLE)
    assert cases.create(arrival) == case
    arrival.folder.mkdir()
    arrival.save()
    with cases.hold():
        assert not cases.list_uploads()
    assert [one.name for one in cases.list_cases()] == [case.name]


def test_more_than_the_desk_takes_is_refused_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "people.csv"
    place.write_text("sex,note\nf,short\nm," + "x" * 60 + "\n")
    file = read_file_text(place)
    check_extent(place, file)
    monkeypatch.setattr(arriving, "LONGEST_CELL", 59)
    with pytest.raises(InputError, match="60 bytes in row 2, column note; the limit is 59"):
        check_extent(place, file)
    monkeypatch.setattr(arriving, "MOST_COLUMNS", 1)
    with pytest.raises(InputError, match="2 columns; the limit is 1"):
        check_extent(place, file)


def test_how_far_a_look_is_stands_in_bytes_and_then_in_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "TELL_SECONDS", 0.0)
    arrival = DeskFolder(tmp_path / "desk").begin_upload("people.csv")
    arrival.receive([PEOPLE.encode()], start=0)
    assert Reading.find(arrival.folder) == Reading()
    told: list[Reading] = []
    write = arriving.write_plain

    def note(files: dict[Path, object]) -> None:
        write(files)
        told.append(Reading.find(arrival.folder))

    monkeypatch.setattr(arriving, "write_plain", note)
    tell_arrival(arrival.folder, {})
    size = len(PEOPLE.encode())
    assert told == [Reading(read=size, size=size), Reading(read=size, size=size, rows=PEOPLE.count("\n") - 1)]
