"""After the killing: which acknowledged uploads are gone, which were counted twice, which never ended."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass, fields
from hashlib import sha256

from sqlalchemy import func, select

from crash.clients import Notebook
from crash.place import CONTEST, Place
from crash.processes import Tally, count_logged
from sekisho.contest.state import ContestState, EntryStatus
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.jobs import JobState
from sekisho.server.contest.database.rows import JobRow, ResultRow, SubmissionRow
from sekisho.server.contest.store import Store

LOOK_SECONDS = 0.3


@dataclass(kw_only=True)
class Count:
    """The figures of a campaign.

    Attributes:
        acknowledged: uploads with a receipt.
        lost: of them, those without their entry or without their bytes.
        doubled: results, scorings or entries that should be one and are two.
        stuck: entries without a final state when, after the last kill, none was settled within all leases and time-out.
        faulted: entries that were given up after five attempts; they cost their teams nothing.
        interrupted: attempts whose worker was killed in them, so that their lease was taken over.
        lease_lost: attempts whose worker lived but was overtaken.
        job_failed: attempts that ended with an error.
        cut: requests without an answer: a kill cut them short, or nobody listened until the process was started again.
        unavailable: answers 503: the database did not answer, and the client was asked to try again.
        answers_5xx: other answers that admit a fault of the server.
        died: processes that ended by themselves.
    """

    kills_web: int = 0
    kills_worker: int = 0
    kills_postgres: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    stuck: int = 0
    faulted: int = 0
    interrupted: int = 0
    lease_lost: int = 0
    job_failed: int = 0
    cut: int = 0
    unavailable: int = 0
    answers_5xx: int = 0
    died: int = 0

    @property
    def kills(self) -> int:
        """All of them."""
        return self.kills_web + self.kills_worker + self.kills_postgres

    def add(self, other: Count) -> None:
        """Add the figures of another part."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    def as_dict(self) -> dict[str, int]:
        """Return plain data."""
        return asdict(self)


def await_quiet(place: Place, seconds: float) -> None:
    """Wait until no entry is pending, or none was settled for so many seconds: a long queue is not stuck."""
    database, until = Database(place.url), time.monotonic() + seconds
    book = ContestBook(database, CONTEST)
    fewest = len(book.read().state.pending)
    while fewest and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
        if (pending := len(book.read().state.pending)) < fewest:
            fewest, until = pending, time.monotonic() + seconds
    database.close()


def count_all(place: Place, notebook: Notebook, tally: Tally) -> Count:
    """Count what became of everything; the ledger is read anew, and each of its lines must continue the chain."""
    database = Database(place.url)
    try:
        book = ContestBook(database, CONTEST)
        state = book.read().state
        with database.read() as session:
            jobs = list(session.scalars(select(JobRow)))
            rows = {row.number: row for row in session.scalars(select(SubmissionRow))}
            groups = select(func.count(ResultRow.id)).group_by(ResultRow.submission, ResultRow.scorer, ResultRow.truth)
            doubled = sum(int(count) - 1 for count in session.scalars(groups))
        doubled += _count_repeated(state, book.export_lines())
    finally:
        database.close()
    refused = Counter[str]()
    for answer, times in notebook.refused.items():
        refused[answer.partition(" ")[0]] += times
    logs = sorted(place.folder.glob("worker-*.log"))
    failed, overtaken = count_logged(logs, "job-failed"), count_logged(logs, "lease-lost")
    done = sum(job.state == JobState.DONE for job in jobs)
    return Count(
        kills_web=tally.kills["web"],
        kills_worker=tally.kills["worker"],
        kills_postgres=tally.kills["postgres"],
        acknowledged=len({(each.team, each.key) for each in notebook.receipts}),
        lost=_count_lost(place, notebook, rows),
        doubled=doubled,
        stuck=len(state.pending),
        faulted=sum(entry.status is EntryStatus.FAULTED for entry in state.entries),
        interrupted=sum(job.attempt for job in jobs) - done - failed - overtaken,
        lease_lost=overtaken,
        job_failed=failed,
        cut=notebook.cut,
        unavailable=refused["503"],
        answers_5xx=sum(count for status, count in refused.items() if status.startswith("5") and status != "503"),
        died=len(tally.died),
    )


def _count_lost(place: Place, notebook: Notebook, rows: dict[int, SubmissionRow]) -> int:
    store, digests = Store(place.store), dict[str, bool]()
    lost: set[tuple[str, str]] = set()
    numbers: dict[str, list[int]] = {}
    for number in sorted(rows):
        numbers.setdefault(rows[number].team, []).append(number)
    for each in notebook.receipts:
        own = numbers.get(each.team, [])  # a team's receipt has its own count, not the ledger's number
        row = rows[own[each.entry - 1]] if each.entry <= len(own) else None
        for digest in each.files.values():
            path = store.find(digest)
            if digest not in digests:
                digests[digest] = path.is_file() and sha256(path.read_bytes()).hexdigest() == digest
        kept = all(digests[digest] for digest in each.files.values())
        same = row is not None and (row.team, row.key, json.loads(row.files)) == (each.team, each.key, each.files)
        if not (kept and same):
            lost.add((each.team, each.key))
    return len(lost)


def _count_repeated(state: ContestState, ledger: bytes) -> int:
    """Count entries beyond the first of a key, and scorings beyond the first of an entry.

    A file that the platform failed on may be handed in again under its key.
    """
    keys = Counter((entry.team, entry.key) for entry in state.entries if entry.status is not EntryStatus.FAULTED)
    events = [json.loads(line)["event"] for line in ledger.splitlines()]
    scorings = Counter(int(event["entry"]) for event in events if event["kind"] == "scored")
    return sum(count - 1 for count in [*keys.values(), *scorings.values()])
