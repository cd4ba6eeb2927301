"""What the store does not give is a fault of the platform: tried again, then faulted, never a verdict on a file."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from tests.server.contest.cup_site import TEAMS, CupSite
from tests.server.contest.vault.bad_disk import BadDisk, spoil_readings

from sekisho.cli import status_of
from sekisho.contest.event import Scored
from sekisho.contest.scoring import SCORER
from sekisho.contest.state import EntryStatus
from sekisho.errors import InputError, UnreadableError
from sekisho.seeds import Seed
from sekisho.server.contest.database.jobs import MOST_ATTEMPTS
from sekisho.server.contest.store import Store


def hand_in(cup: CupSite, *teams: str) -> None:
    assert cup.open("anonymise", "final").status_code == 200
    for team in teams or ("raw",):
        assert cup.submit(team, cup.materials[team]).status_code == 201


def read_statuses(cup: CupSite) -> list[EntryStatus]:
    return [entry.status for entry in cup.site.book.read().state.entries]


def drop_file(cup: CupSite, number: int = 1) -> Path:
    """Take the file of an entry out of the store; return where it lay."""
    entry = cup.site.book.read().state.entries[number - 1]
    return cup.site.store.find(next(iter(entry.files.values())))


def test_a_store_that_is_away_for_a_moment_costs_nobody_a_verdict(cup: CupSite) -> None:
    hand_in(cup)
    away = cup.site.store.folder / "files"
    away.rename(away.with_name("files-away"))
    assert cup.worker.work_once()
    assert read_statuses(cup) == [EntryStatus.PENDING]
    away.with_name("files-away").rename(away)
    cup.worker.drain()
    assert read_statuses(cup) == [EntryStatus.VALID]


def test_pauses_between_attempts_grow(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(cup)
    drop_file(cup).unlink()
    monkeypatch.setattr(cup.worker, "retry_seconds", 2.0)
    pauses: list[int] = []
    while read_statuses(cup) == [EntryStatus.PENDING]:
        for seconds in range(1000):
            if cup.worker.work_once():
                pauses.append(seconds)
                break
            cup.clock.turn(1)
            if read_statuses(cup) != [EntryStatus.PENDING]:
                break
    assert pauses[0] == 0
    assert all(1.9 * before < after for before, after in pairwise(pauses[1:]))
    assert len(pauses) == MOST_ATTEMPTS
    assert read_statuses(cup) == [EntryStatus.FAULTED]


def test_a_file_that_is_gone_is_faulted_and_blocks_the_publication_until_the_referee_speaks(cup: CupSite) -> None:
    hand_in(cup, "raw", "pairs")
    place = drop_file(cup)
    kept = place.read_bytes()
    place.unlink()
    cup.worker.drain()
    assert read_statuses(cup) == [EntryStatus.FAULTED, EntryStatus.VALID]
    assert cup.open("publish", "final").status_code == 200
    for _ in range(4):
        cup.worker.work_once()
    assert cup.site.book.read().state.published == {}
    jobs = cup.call("referee", "GET", "/api/v1/jobs").json()
    assert [(job["kind"], job["state"], job["note"]) for job in jobs if job["kind"] == "publish"] == [
        ("publish", "queued", "waits: faulted")
    ]
    assert cup.open("evaluate", "final").json()["rule"] == "faulted"
    place.write_bytes(kept)
    for who, status in (("raw", 403), ("raw-captain", 403), ("", 401), ("referee", 200)):
        assert cup.call(who, "POST", "/api/v1/submissions/1/requeue").status_code == status
    cup.worker.drain()
    assert read_statuses(cup) == [EntryStatus.VALID, EntryStatus.VALID]
    assert set(cup.site.book.read().state.published["final"]) == {"raw", "pairs"}


def test_a_faulted_file_can_be_set_aside_with_a_reason(cup: CupSite) -> None:
    hand_in(cup, "raw", "pairs")
    drop_file(cup).unlink()
    cup.worker.drain()
    assert cup.call("referee", "POST", "/api/v1/submissions/1/set-aside", json={"reason": " "}).status_code == 409
    answer = cup.call("referee", "POST", "/api/v1/submissions/1/set-aside", json={"reason": "handed in again"})
    assert answer.status_code == 200
    assert cup.open("publish", "final").status_code == 200
    cup.worker.drain()
    assert set(cup.site.book.read().state.published["final"]) == {"pairs"}


def test_bytes_that_are_not_those_that_were_kept_are_no_verdict(cup: CupSite, tmp_path: Path) -> None:
    hand_in(cup)
    place = drop_file(cup)
    kept = place.read_bytes()
    place.write_bytes(kept[: len(kept) // 2])
    cup.worker.drain()
    assert read_statuses(cup) == [EntryStatus.FAULTED]
    with pytest.raises(UnreadableError, match="its digest differs"):
        cup.worker.store.fetch(place.name, tmp_path)
    place.write_bytes(kept)
    job = next(job for job in cup.call("referee", "GET", "/api/v1/jobs?state=failed").json() if job["entry"] == 1)
    assert cup.call("referee", "POST", f"/api/v1/jobs/{job['id']}/requeue").status_code == 200
    assert cup.call("referee", "POST", f"/api/v1/jobs/{job['id']}/requeue").status_code == 404
    cup.worker.drain()
    assert read_statuses(cup) == [EntryStatus.VALID]


def test_the_attacked_release_or_the_truth_that_is_away_is_no_verdict_on_the_attack(cup: CupSite) -> None:
    hand_in(cup, "raw", "pairs")
    cup.worker.drain()
    cup.open("publish", "final")
    cup.worker.drain()
    cup.open("attack", "final")
    assert cup.attack("pairs", "raw", cup.materials["attack on raw"]).status_code == 201
    place = drop_file(cup)
    kept = place.read_bytes()
    place.unlink()
    original = cup.vault / "cup" / "rounds" / "final" / "original.csv"
    cup.worker.drain()
    assert read_statuses(cup)[2] is EntryStatus.FAULTED
    place.write_bytes(kept)
    original.rename(original.with_name("away"))
    cup.call("referee", "POST", "/api/v1/submissions/3/requeue")
    cup.worker.drain()
    assert read_statuses(cup)[2] is EntryStatus.FAULTED
    original.with_name("away").rename(original)
    cup.call("referee", "POST", "/api/v1/submissions/3/requeue")
    cup.worker.drain()
    assert read_statuses(cup)[2] is EntryStatus.VALID


def test_a_rejudging_overrules_a_verdict_of_a_bad_day(cup: CupSite, tmp_path: Path) -> None:
    hand_in(cup)
    with cup.site.book.write() as pen:  # as a worker of an earlier version judged what it could not read
        contest = cup.worker.open_contest(pen.contest, tmp_path)
        truth = contest.digest_truth(pen.state.entries[0])
        pen.send(Scored(at=cup.clock(), entry=1, scorer=SCORER, truth=truth, faults=1))
    assert read_statuses(cup) == [EntryStatus.INVALID]
    cup.worker.drain()
    assert cup.call("referee", "POST", "/api/v1/rejudgings", json={"name": "again"}).status_code == 201
    cup.worker.drain()
    answer = cup.call("referee", "GET", "/api/v1/rejudgings/again").json()
    assert (answer["scored"], answer["failed"]) == (1, [])
    assert [each["then"]["status"] for each in answer["differences"]] == ["valid"]
    assert cup.call("referee", "POST", "/api/v1/rejudgings/again/apply").status_code == 200
    assert read_statuses(cup) == [EntryStatus.VALID]
    entry = cup.call("raw", "GET", "/api/v1/submissions/1").json()
    assert (entry["valid"], entry["errors"]) == (True, [])


@pytest.mark.parametrize("seed", range(3))
def test_readings_that_fail_at_random_never_make_a_file_invalid(cup: CupSite, seed: int) -> None:
    """The right verdict comes in the end, whatever failed before: the campaign in verify does the same for hours."""
    cup.open("practice")
    bad = b"1,2010/1/1,A,1,1\n"
    for team in TEAMS:
        cup.submit(team, cup.materials[team], round_name="practice")
    cup.submit("raw", bad, round_name="practice")
    disk = BadDisk(store=cup.site.store.folder, vault=cup.vault, rng=Seed(seed).rng(), rate=0.1)
    with spoil_readings(disk):
        cup.worker.drain()
    for round_number in range(8):
        assert EntryStatus.INVALID not in read_statuses(cup)[:4]
        assert read_statuses(cup)[4] is not EntryStatus.VALID
        left = [number for number, status in enumerate(read_statuses(cup), 1) if status is EntryStatus.FAULTED]
        if not left:
            break
        for number in left:
            assert cup.call("referee", "POST", f"/api/v1/submissions/{number}/requeue").status_code == 200
        disk.rate = 0.1 if round_number < 6 else 0.0  # in the end the disk is mended
        with spoil_readings(disk):
            cup.worker.drain()
    assert read_statuses(cup) == [EntryStatus.VALID] * 4 + [EntryStatus.INVALID]
    assert disk.counts


@pytest.mark.parametrize("folder", ["mistyped", "other"])
def test_a_worker_makes_no_store_and_takes_none_of_another_contest(
    cup: CupSite, tmp_path: Path, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(cup)
    if folder == "other":
        Store(tmp_path / "other")
    url = cup.site.settings.database
    words = ["worker", "--once", "--database", url, "--store", str(tmp_path / folder), "--vault", str(cup.vault)]
    assert status_of([*words, "--json"]) == 2
    assert "store" in json.loads(capsys.readouterr().out)["error"]
    assert (tmp_path / folder).is_dir() == (folder == "other")
    assert read_statuses(cup) == [EntryStatus.PENDING]
    with pytest.raises(InputError, match="is no store of files"):
        Store(tmp_path / "mistyped", new=False)


def test_a_store_that_goes_away_under_a_worker_faults_nothing_at_its_start(cup: CupSite) -> None:
    hand_in(cup)
    shutil.move(cup.site.store.folder, cup.site.store.folder.with_name("away"))
    with pytest.raises(InputError, match="is no store of files"):
        cup.worker.check_places()
    shutil.move(cup.site.store.folder.with_name("away"), cup.site.store.folder)
    cup.worker.check_places()
