"""The campaign that kills the server's processes: a short one here, and that it sees what it looks for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, update
from tests.server.contest.conftest import POSTGRES

from crash.clients import Acknowledged, Notebook
from crash.counting import count_all
from crash.place import CONTEST, Materials, Place, make_materials, make_place
from crash.processes import Tally
from sekisho.contest.event import Scored, Submitted
from sekisho.contest.scoring import SCORER
from sekisho.seeds import Seed
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.jobs import JobKind, add_job
from sekisho.server.contest.database.rows import JobRow, SubmissionRow
from sekisho.server.contest.site import read_clock
from sekisho.server.contest.store import Store
from server_kills import run_part

TEAM = "team000"


@pytest.fixture(scope="module")
def files() -> Materials:
    return make_materials(Seed(2), 24)


@pytest.fixture
def place(tmp_path: Path, files: Materials) -> Iterator[Place]:
    with make_place(tmp_path / "kills", POSTGRES, files, 4) as made:
        yield made


def hand_in(place: Place, key: str = "one") -> Acknowledged:
    """Hand a file in as the web process does, and hold the receipt."""
    digest = Store(place.store).keep_bytes(key.encode())
    database = Database(place.url)
    with ContestBook(database, CONTEST).write() as pen:
        event = Submitted(at=read_clock(), team=TEAM, round="practice", files={"released": digest}, key=key)
        entry = pen.send(event).entry
        add_job(pen.session, pen.contest, JobKind.SCORE, at=event.at, entry=entry)
    database.close()
    return Acknowledged(team=TEAM, key=key, entry=entry, files={"released": digest})


def count(place: Place, *receipts: Acknowledged) -> dict[str, int]:
    figures = count_all(place, Notebook(receipts=list(receipts)), Tally(most=0)).as_dict()
    return {name: value for name, value in figures.items() if value}


def test_nothing_is_lost_doubled_or_stuck_when_processes_are_killed(place: Place, files: Materials) -> None:
    figures = run_part(place, files, 3, Seed(3), time.monotonic() + 60)
    assert figures.kills_web + figures.kills_worker == 3
    assert figures.acknowledged > 0
    assert (figures.lost, figures.doubled, figures.stuck, figures.died) == (0, 0, 0, 0)


def test_what_is_not_scored_is_stuck(place: Place) -> None:
    assert count(place, hand_in(place)) == {"acknowledged": 1, "stuck": 1}


def test_a_receipt_without_its_bytes_is_lost(place: Place) -> None:
    receipt = hand_in(place)
    Store(place.store).find(receipt.files["released"]).write_bytes(b"half")
    assert count(place, receipt) == {"acknowledged": 1, "stuck": 1, "lost": 1}


def test_a_receipt_without_its_entry_is_lost(place: Place) -> None:
    receipt = hand_in(place)
    database = Database(place.url)
    with database.write() as session:
        session.execute(delete(SubmissionRow))
    database.close()
    assert count(place, receipt) == {"acknowledged": 1, "stuck": 1, "lost": 1}


def test_two_entries_of_one_key_are_doubled(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    first = hand_in(place)

    def forget(*arguments: object) -> None:
        del arguments

    monkeypatch.setattr("sekisho.contest.rulings.entries._find_repeated", forget)
    hand_in(place)
    assert count(place, first) == {"acknowledged": 1, "stuck": 2, "doubled": 1}


def test_an_attempt_beyond_the_one_that_ended_was_interrupted(place: Place) -> None:
    receipt = hand_in(place)
    database = Database(place.url)
    with ContestBook(database, CONTEST).write() as pen:
        pen.send(Scored(at=read_clock(), entry=receipt.entry, scorer=SCORER, truth="truth", faults=1))
        pen.session.execute(update(JobRow).values(state="done", attempt=3))
    database.close()
    assert count(place, receipt) == {"acknowledged": 1, "interrupted": 2}
