"""The worker: it claims jobs, does them with the truth of the vault, and writes what they came to, once.

Scoring, publishing and scoring again are jobs. Each result is written in the transaction that finishes its job, and
only while the lease is still ours: whatever kills a worker, the next one does the job anew, and nothing is written
twice. What the store or the vault does not give is a fault of the platform: the job is tried again, each time after a
longer pause, then the file is faulted; it never becomes a verdict.

Publication: the truth into the vault, what everybody may see into the store, and who may download what.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event as Signal
from threading import Thread

from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from sekisho.contest.event import Faulted, Published, RejudgeScored, Scored
from sekisho.contest.folder.desk import EntryResult, make_publication, prepare_practice
from sekisho.contest.folder.live import RULES_FILE, write_files
from sekisho.contest.rules import PRACTICE_ROUND, PhaseKind, add_seconds
from sekisho.contest.rulings.phases import find_publication_obstacle
from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.contest.scoring import SCORER, AttackScore, ReleaseScore, Scorer
from sekisho.contest.state import ContestEntry, EntryStatus
from sekisho.errors import InfeasibleError, InputError
from sekisho.seeds import draw_token
from sekisho.server.contest.database.audit import AuditNote, add_note
from sekisho.server.contest.database.book import ContestBook, Pen
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.jobs import (
    JobKind,
    JobState,
    Lease,
    add_job,
    claim_job,
    fail_job,
    finish_job,
    list_exhausted,
    postpone_job,
    renew_lease,
    take_exhausted,
)
from sekisho.server.contest.database.rows import COMMITMENT, ContestRow, HandoutRow, JobRow
from sekisho.server.contest.site import read_clock
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.vault_contest import VaultContest, find_truth, open_vault
from sekisho.server.web.logs import LOG, describe_error
from sekisho.words import Said


def publish_round(contest: VaultContest, round_name: str, *, at: str) -> tuple[Published, list[HandoutRow]]:
    """Write the files of a publication, and return its event and what is handed out.

    Orders and test sets follow from the referee's secret: a second attempt writes the same bytes.
    """
    event, files = make_publication(contest, round_name, at=at)
    contest.ask(event)
    write_files(contest.folder, files)
    place = contest.find_round_folder(round_name)
    _remove_withdrawn(contest, round_name, files)
    handouts: list[HandoutRow] = []
    for path, data in files.items():
        if path.parent == place / "published":
            handouts.append(_hand_out(contest, "published", round_name, path.stem, "", data))
        elif path.parent == place / "tests":
            attacker, _, target = path.stem.partition("-on-")
            handouts.append(_hand_out(contest, "test", round_name, target, attacker, data))
    committed = HandoutRow(kind=COMMITMENT, round=round_name, about="published", team="", digest=event.commitment)
    return event, [*handouts, committed]


def _remove_withdrawn(contest: VaultContest, round_name: str, files: Mapping[Path, bytes]) -> None:
    """Remove what an earlier publication of the round, that was taken back, left and this one does not have."""
    place, truth = contest.find_round_folder(round_name), contest.folder / "truth" / round_name
    for folder in (place / "published", place / "releases", place / "tests", truth / "maps", truth / "answers"):
        for path in folder.iterdir() if folder.is_dir() else ():
            if path not in files:
                path.unlink(missing_ok=True)


def publish_practice(contest: VaultContest, entry: ContestEntry) -> list[HandoutRow]:
    """Publish a valid practice release at once, for others to practise attacks on, each with a test set of his own.

    A team that registers later gets its test set with the next practice release.
    """
    draws = contest.open_scorer(PRACTICE_ROUND, entry.team).draws_tests
    handouts: list[HandoutRow] = []
    for attacker in sorted(contest.state.teams if draws else [entry.team]):
        try:
            practice = prepare_practice(contest, attacker, entry.number)
        except InfeasibleError:  # too few records are kept or deleted for a test set: there is nothing to attack
            return []
        if attacker == entry.team:
            handouts.append(_hand_out(contest, "published", PRACTICE_ROUND, entry.team, "", practice.public))
        else:
            handouts.append(_hand_out(contest, "test", PRACTICE_ROUND, entry.team, attacker, practice.shown))
    return handouts


def _hand_out(contest: VaultContest, kind: str, round_name: str, about: str, team: str, data: bytes) -> HandoutRow:
    digest = contest.store.keep_bytes(data)
    return HandoutRow(kind=kind, round=round_name, about=about, team=team, digest=digest)


LEASE_SECONDS = 60.0
POLL_SECONDS = 0.5
RETRY_SECONDS = 2.0
GROWTH = 4
"""The pause before a job is tried again grows so many times with each failure: 2, 8, 32, 128 seconds."""


class LostLeaseError(Exception):
    """Somebody else has the job now; what was written in this transaction is undone."""


@dataclass(kw_only=True)
class Worker:
    """Does the jobs of every contest of a database.

    Attributes:
        vault: the folder of the truth.
        lease_seconds: how long a job is ours without a sign of life.
        clock: what tells the moment.
    """

    database: Database
    store: Store
    vault: Path
    lease_seconds: float = LEASE_SECONDS
    retry_seconds: float = RETRY_SECONDS
    clock: Callable[[], str] = read_clock
    name: str = field(default_factory=lambda: f"worker {draw_token()[:8]}")
    books: dict[int, ContestBook] = field(default_factory=dict[int, ContestBook])
    opened: dict[tuple[str, str, str], Scorer] = field(default_factory=dict[tuple[str, str, str], Scorer])

    def run(self, stop: Signal, poll_seconds: float = POLL_SECONDS) -> None:
        """Work until told to stop; a database that does not answer is asked again."""
        while not stop.is_set():
            try:
                busy = self.work_once()
            except OperationalError as error:
                LOG.error("database-away", **describe_error(error))
                busy = False
            if not busy:
                stop.wait(poll_seconds)

    def drain(self) -> int:
        """Work until nothing is left to do now; return how many jobs were taken."""
        count = 0
        while self.work_once():
            count += 1
        return count

    def work_once(self) -> bool:
        """Take one job; False if there is none."""
        self.give_up_exhausted()
        self.plan_publications()
        lease = claim_job(self.database, owner=self.name, now=self.clock(), seconds=self.lease_seconds)
        if lease is None:
            return False
        LOG.info("job", job=lease.job, kind=str(lease.kind), entry=lease.entry, attempt=lease.attempt)
        try:
            with self._keep_lease(lease), TemporaryDirectory(prefix="sekisho-job-") as place:
                DOING[lease.kind](self, lease, Path(place))
        except LostLeaseError:
            LOG.warning("lease-lost", job=lease.job)
        except RefusedEventError as error:
            self._fail(lease, f"refused: {error.refusal.rule}")
        except Exception as error:  # whatever nobody expected: the job is tried again, then given up
            LOG.error("job-failed", job=lease.job, **describe_error(error))
            self._put_back(lease, type(error).__name__)
        return True

    def check_places(self) -> None:
        """See that the truth and the files of every contest are at hand, before files are faulted for the lack of them.

        Raises:
            InputError: they are not.
        """
        with self.database.read() as session:
            names = session.scalars(select(ContestRow.name)).all()
        self.store.require_there()
        for name in names:
            find_truth(self.vault, name)
            if not (self.store.find_contest(name) / RULES_FILE).is_file():
                raise InputError(self.store.folder, Said("is not the store of the contest {name!r}", name=name))

    def find_book(self, contest: int) -> ContestBook:
        """Return the book of a contest."""
        if contest not in self.books:
            with self.database.read() as session:
                name = session.scalars(select(ContestRow.name).where(ContestRow.id == contest)).one()
            self.books[contest] = ContestBook(self.database, name)
        return self.books[contest]

    def open_contest(self, contest: int, place: Path) -> VaultContest:
        """Return a contest with its truth, as it stands now; files are copied to an empty place to be read."""
        book = self.find_book(contest)
        return open_vault(self.vault, book.name, self.store, book.read(), self.opened, place)

    def score(self, lease: Lease, place: Path) -> None:
        """Score a file that was handed in."""
        contest = self.open_contest(lease.contest, place)
        entry = contest.state.entries[lease.entry - 1]
        result = contest.score(entry) if entry.status is EntryStatus.PENDING else None
        truth = contest.digest_truth(entry)
        handouts = []
        if result is not None and result.worth is not None and entry.round == PRACTICE_ROUND and not entry.is_attack:
            handouts = publish_practice(contest, entry)
        with self.find_book(lease.contest).write() as pen:
            self._finish(pen, lease)
            if result is not None and pen.state.entries[lease.entry - 1].status is EntryStatus.PENDING:
                pen.send(_make_scored(entry, result, truth, self.clock()), result.faults)
                for row in handouts:
                    row.contest = pen.contest
                    pen.session.merge(row)

    def rejudge(self, lease: Lease, place: Path) -> None:
        """Score a file again for a rejudging."""
        contest = self.open_contest(lease.contest, place)
        entry = contest.state.entries[lease.entry - 1]
        rejudging = contest.state.rejudgings[lease.name]
        wanted = rejudging.applied is None and lease.entry not in rejudging.entries
        result = contest.score(entry) if wanted else None
        truth = contest.digest_truth(entry)
        with self.find_book(lease.contest).write() as pen:
            self._finish(pen, lease)
            rejudging = pen.state.rejudgings[lease.name]
            if result is not None and rejudging.applied is None and lease.entry not in rejudging.entries:
                scored = _make_scored(entry, result, truth, self.clock())
                again = RejudgeScored(
                    at=scored.at,
                    name=lease.name,
                    entry=scored.entry,
                    scorer=scored.scorer,
                    truth=scored.truth,
                    faults=scored.faults,
                    release=scored.release,
                    attack=scored.attack,
                )
                pen.send(again, result.faults)

    def publish(self, lease: Lease, place: Path) -> None:
        """Publish a round, when everything that was handed in for it is scored, and nothing is faulted."""
        contest = self.open_contest(lease.contest, place)
        obstacle = find_publication_obstacle(contest.state, lease.name, self.clock())
        if obstacle is not None:
            with self.database.write() as session:
                until = add_seconds(self.clock(), self.retry_seconds)
                postpone_job(session, lease, until=until, note=f"waits: {obstacle.rule}", counts=False)
            return
        if lease.name in contest.state.published:
            with self.find_book(lease.contest).write() as pen:
                self._finish(pen, lease)
            return
        at = max(self.clock(), contest.state.moved)  # the clock of another machine may be a little behind
        event, handouts = publish_round(contest, lease.name, at=at)
        with self.find_book(lease.contest).write() as pen:
            self._finish(pen, lease)
            pen.send(event)
            for row in handouts:
                row.contest = pen.contest
                pen.session.merge(row)
            detail = {"round": lease.name, "releases": len(event.files)}
            add_note(pen.session, pen.contest, AuditNote(at=event.at, actor="worker", action="publish", detail=detail))

    def plan_publications(self) -> None:
        """Queue the publication of rounds whose planned phase has come."""
        with self.database.read() as session:
            contests = session.scalars(select(ContestRow.id)).all()
        for contest in contests:
            state, now = self.find_book(contest).read().state, self.clock()
            for name in state.contest.round_names:
                if name in state.published or not state.is_open(PhaseKind.PUBLISH, name, now):
                    continue
                with self.database.read() as session:
                    planned = select(JobRow.id).where(
                        JobRow.contest == contest, JobRow.kind == JobKind.PUBLISH, JobRow.name == name
                    )
                    known = session.scalar(planned) is not None
                if not known:
                    with self.find_book(contest).write() as pen:
                        add_job(pen.session, contest, JobKind.PUBLISH, at=now, name=name)

    def give_up_exhausted(self) -> None:
        """Give up what was tried too often: the file costs its team nothing."""
        with self.database.read() as session:
            contests = {row.contest for row in list_exhausted(session, now=self.clock())}
        for contest in sorted(contests):
            with self.find_book(contest).write() as pen:
                for row in take_exhausted(pen.session, now=self.clock()):
                    if row.contest == contest:
                        self._give_up(pen, row)

    def _give_up(self, pen: Pen, row: JobRow) -> None:
        now = self.clock()
        row.state, row.finished, row.lease = str(JobState.FAILED), now, ""
        pending = row.kind == JobKind.SCORE and pen.state.entries[row.entry - 1].status is EntryStatus.PENDING
        if pending:
            pen.send(Faulted(at=now, entry=row.entry, reason=f"given up after {row.attempt} attempts"))
        LOG.error("job-given-up", job=row.id, kind=row.kind, entry=row.entry)

    def _finish(self, pen: Pen, lease: Lease) -> None:
        if not finish_job(pen.session, lease, now=self.clock()):
            raise LostLeaseError

    def _fail(self, lease: Lease, note: str) -> None:
        with self.database.write() as session:
            fail_job(session, lease, now=self.clock(), note=note)

    def _put_back(self, lease: Lease, note: str) -> None:
        with self.database.write() as session:
            until = add_seconds(self.clock(), self.retry_seconds * GROWTH ** (lease.attempt - 1))
            postpone_job(session, lease, until=until, note=note, counts=True)

    @contextmanager
    def _keep_lease(self, lease: Lease) -> Generator[None]:
        """Say from time to time that we are still at it."""
        stop = Signal()

        def renew() -> None:
            while not stop.wait(self.lease_seconds / 3):
                try:
                    renew_lease(self.database, lease, now=self.clock(), seconds=self.lease_seconds)
                except OperationalError as error:  # the next time may come before the lease runs out
                    LOG.warning("lease-not-renewed", job=lease.job, **describe_error(error))

        thread = Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def _make_scored(entry: ContestEntry, result: EntryResult, truth: str, at: str) -> Scored:
    worth = result.worth
    return Scored(
        at=at,
        entry=entry.number,
        scorer=SCORER,
        truth=truth,
        faults=result.count,
        release=worth if isinstance(worth, ReleaseScore) else None,
        attack=worth if isinstance(worth, AttackScore) else None,
    )


DOING: dict[JobKind, Callable[[Worker, Lease, Path], None]] = {
    JobKind.SCORE: Worker.score,
    JobKind.PUBLISH: Worker.publish,
    JobKind.REJUDGE: Worker.rejudge,
}
