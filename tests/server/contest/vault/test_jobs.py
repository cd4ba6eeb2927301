"""A job is done once: whoever lost its lease cannot finish it, whoever is killed is replaced, nothing is stuck."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event as Signal

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError, OperationalError
from tests.server.contest.cup_site import CupSite

from sekisho.contest.event import Scored
from sekisho.contest.ledger import Head, read_event
from sekisho.contest.rulings.refusal import Ruling
from sekisho.contest.state import EntryStatus
from sekisho.errors import BugError
from sekisho.server.contest.database.book import project_event
from sekisho.server.contest.database.jobs import (
    MOST_ATTEMPTS,
    JobState,
    Lease,
    claim_job,
    finish_job,
    list_exhausted,
    postpone_job,
    renew_lease,
)
from sekisho.server.contest.database.rows import JobRow, ResultRow
from sekisho.server.contest.vault.worker import publish_round


def claim(cup: CupSite, seconds: float = 60) -> Lease | None:
    return claim_job(cup.worker.database, owner="test", now=cup.clock(), seconds=seconds)


def hand_in(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    assert cup.submit("raw", cup.materials["raw"]).status_code == 201


def test_a_claimed_job_is_nobody_elses_until_its_lease_runs_out(cup: CupSite) -> None:
    hand_in(cup)
    first = claim(cup)
    assert first is not None
    assert claim(cup) is None
    cup.clock.turn(50)
    assert renew_lease(cup.worker.database, first, now=cup.clock(), seconds=60)
    cup.clock.turn(50)
    assert claim(cup) is None
    cup.clock.turn(11)
    second = claim(cup)
    assert second is not None
    assert (second.job, second.attempt) == (first.job, 2)
    assert not renew_lease(cup.worker.database, first, now=cup.clock(), seconds=60)
    with cup.worker.database.write() as session:
        assert not finish_job(session, first, now=cup.clock())
        assert not postpone_job(session, first, until="", note="", counts=True)
        assert finish_job(session, second, now=cup.clock())


def test_a_result_that_comes_after_the_lease_is_not_written(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(cup)
    begun = cup.worker.open_contest

    def be_slow(contest: int, place: Path) -> object:
        opened = begun(contest, place)
        monkeypatch.setattr(cup.worker, "open_contest", begun)
        cup.clock.turn(100)
        assert claim(cup) is not None  # somebody else takes it while we score
        return opened

    monkeypatch.setattr(cup.worker, "open_contest", be_slow)
    assert cup.worker.work_once()
    assert cup.site.book.read().state.entries[0].status is EntryStatus.PENDING
    assert "lease-lost" in cup.logs.getvalue()
    cup.clock.turn(100)
    cup.worker.drain()
    assert cup.site.book.read().state.entries[0].status is EntryStatus.VALID


def test_a_job_that_is_given_up_faults_its_entry(cup: CupSite) -> None:
    hand_in(cup)
    for _ in range(MOST_ATTEMPTS):  # as many workers die
        assert claim(cup) is not None
        cup.clock.turn(61)
    assert claim(cup) is None
    assert not cup.worker.work_once()
    assert cup.site.book.read().state.entries[0].status is EntryStatus.FAULTED
    with cup.site.database.read() as session:
        assert session.scalars(select(JobRow)).one().state == JobState.FAILED


def test_looking_for_jobs_to_give_up_minds_nobody_who_gives_them_up_meanwhile(cup: CupSite) -> None:
    hand_in(cup)
    for _ in range(MOST_ATTEMPTS):
        assert claim(cup) is not None
        cup.clock.turn(61)
    with cup.site.database.read() as session:
        assert session.scalar(select(JobRow.state)) == JobState.LEASED  # what this session sees from now on
        cup.worker.give_up_exhausted()
        assert [row.state for row in list_exhausted(session, now=cup.clock())] == [JobState.LEASED]
    assert cup.site.book.read().state.entries[0].status is EntryStatus.FAULTED


def test_workers_at_once_do_every_job_once(cup: CupSite) -> None:
    cup.open("practice")
    for number in range(12):
        cup.submit("raw", f"{number}\n".encode(), round_name="practice")
    with ThreadPoolExecutor(4) as pool:
        claims = [pool.submit(claim, cup) for _ in range(16)]
    leases = [each.result() for each in claims]
    jobs = [lease.job for lease in leases if lease is not None]
    assert sorted(jobs) == sorted(set(jobs))
    assert len(jobs) == 12


def test_a_submission_has_one_result_for_a_scorer_and_a_truth(cup: CupSite) -> None:
    hand_in(cup)
    cup.worker.drain()
    with cup.site.database.read() as session:
        row = session.scalars(select(ResultRow)).one()
    copy = {
        name: getattr(row, name)
        for name in ("contest", "submission", "scorer", "truth", "at", "worth", "faults", "count")
    }
    with pytest.raises(IntegrityError), cup.site.database.write() as session:
        session.add(ResultRow(**copy))


def test_a_scorer_that_changes_its_mind_within_one_judging_is_a_bug(cup: CupSite) -> None:
    hand_in(cup)
    cup.worker.drain()
    line = json.loads(cup.site.book.export_lines().splitlines()[-1])
    scored = read_event(line["event"], "ledger")
    assert isinstance(scored, Scored)
    with cup.site.database.write() as session:
        session.scalars(select(ResultRow)).one().worth = "{}"
    head, ruling = Head(), Ruling(state=cup.site.book.read().state)
    with pytest.raises(BugError, match="entry 1 was worth something else"), cup.site.database.write() as session:
        project_event(session, cup.site.book.contest, head, scored, ruling, ())


def test_publishing_waits_for_what_is_not_scored(cup: CupSite) -> None:
    hand_in(cup)
    scoring = claim(cup)
    assert scoring is not None
    cup.open("publish", "final")
    assert cup.worker.work_once()
    assert "final" not in cup.site.book.read().state.published
    job = cup.call("referee", "GET", "/api/v1/jobs").json()[0]
    assert (job["kind"], job["state"], job["attempt"]) == ("publish", "queued", 0)
    cup.clock.turn(61)
    cup.worker.drain()
    assert set(cup.site.book.read().state.published["final"]) == {"raw"}


def test_a_publication_that_was_cut_short_is_made_again_with_the_same_bytes(cup: CupSite, tmp_path: Path) -> None:
    hand_in(cup)
    cup.worker.drain()
    cup.open("publish", "final")
    lease = claim(cup)
    assert lease is not None
    (tmp_path / "job").mkdir()
    contest = cup.worker.open_contest(lease.contest, tmp_path / "job")
    first, _ = publish_round(contest, "final", at=cup.clock())  # the worker dies before it writes the event
    cup.clock.turn(61)
    cup.worker.drain()
    assert contest.folder.joinpath("truth", "final", "maps", "raw.csv").is_file()
    line = cup.site.book.export_lines().decode().splitlines()[-1]
    assert first.commitment in line


def test_a_worker_runs_until_it_is_told_to_stop(cup: CupSite) -> None:
    hand_in(cup)
    stop = Signal()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(cup.worker.run, stop, 0.01)
        for _ in range(500):
            if cup.site.book.read().state.entries[0].status is not EntryStatus.PENDING:
                break
            stop.wait(0.02)
        stop.set()
        running.result(10)
    assert cup.site.book.read().state.entries[0].status is EntryStatus.VALID


def test_a_worker_outlives_a_database_that_is_away(cup: CupSite, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in(cup)
    stop, work_once, calls = Signal(), cup.worker.work_once, list[bool]()

    def be_away_once() -> bool:
        calls.append(True)
        if len(calls) == 1:
            raise OperationalError("SELECT", {}, Exception("the server closed the connection"))
        busy = work_once()
        if not busy:
            stop.set()
        return busy

    monkeypatch.setattr(cup.worker, "work_once", be_away_once)
    cup.worker.run(stop, 0.01)
    assert cup.site.book.read().state.entries[0].status is EntryStatus.VALID
    assert "database-away" in cup.logs.getvalue()
    assert "closed the connection" not in cup.logs.getvalue()


def test_a_lease_that_could_not_be_renewed_is_renewed_the_next_time(
    cup: CupSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(cup)
    begun, renewals, renewed = cup.worker.open_contest, list[bool](), Signal()

    def fail_once(*arguments: object, **options: object) -> bool:
        del arguments, options
        renewals.append(True)
        if len(renewals) == 1:
            raise OperationalError("UPDATE", {}, Exception("the server closed the connection"))
        renewed.set()
        return True

    def be_slow(contest: int, place: Path) -> object:
        assert renewed.wait(10)
        return begun(contest, place)

    monkeypatch.setattr("sekisho.server.contest.vault.worker.renew_lease", fail_once)
    monkeypatch.setattr(cup.worker, "open_contest", be_slow)
    monkeypatch.setattr(cup.worker, "lease_seconds", 0.05)
    assert cup.worker.work_once()
    assert cup.site.book.read().state.entries[0].status is EntryStatus.VALID
    assert "lease-not-renewed" in cup.logs.getvalue()


def test_a_planned_publication_comes_by_itself(cup: CupSite) -> None:
    hand_in(cup)
    cup.worker.drain()
    cup.open("publish", "final")
    with cup.site.database.write() as session:  # as if the schedule had opened it, and nobody had asked
        for row in session.scalars(select(JobRow).where(JobRow.kind == "publish")):
            session.delete(row)
    cup.worker.drain()
    assert "final" in cup.site.book.read().state.published
