"""A contest's ledger in the database: the state is the fold of the referee's step over its lines, and nothing else.

Whoever writes holds the contest's row until the transaction ends, so events are ruled on one after another, whichever
process they come from: of fifty files for one remaining slot exactly one is accepted.

What follows from an event, as rows beside the ledger: teams, submissions, results, announcements.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from sekisho.contest.event import (
    Adopted,
    Announced,
    Attacked,
    ClockSet,
    Event,
    Registered,
    RejudgeScored,
    Scored,
    Submitted,
)
from sekisho.contest.ledger import Head, chain_event, read_event, write_canonical, write_event
from sekisho.contest.referee import step
from sekisho.contest.rules import add_seconds
from sekisho.contest.rulings.deadline import EDITION
from sekisho.contest.rulings.refusal import RefusedEventError, Ruling
from sekisho.contest.state import ContestState
from sekisho.errors import BugError, Fault, InputError
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.rows import (
    AnnouncementRow,
    ContestRow,
    LedgerRow,
    ResultRow,
    SubmissionRow,
    TeamRow,
)
from sekisho.words import Said


def project_event(
    session: Session, contest: int, head: Head, event: Event, ruling: Ruling, faults: Iterable[Fault]
) -> None:
    """Write what follows from an event that was accepted, and with which the ledger ends now."""
    n = head.count
    if isinstance(event, Registered):
        session.add(TeamRow(contest=contest, name=event.team, registered=event.at))
    elif isinstance(event, Submitted | Attacked):
        session.add(
            SubmissionRow(
                contest=contest,
                number=ruling.entry,
                at=event.at,
                team=event.team,
                round=event.round,
                target=event.target if isinstance(event, Attacked) else "",
                key=event.key,
                files=write_canonical(dict(event.files)),
                line=n,
                head=head.digest,
            )
        )
    elif isinstance(event, Scored):
        _project_result(session, contest, event, faults)
    elif isinstance(event, Announced):
        session.add(AnnouncementRow(contest=contest, n=n, at=event.at, en=event.en, ja=event.ja))
    session.flush()


def _project_result(session: Session, contest: int, event: Scored, faults: Iterable[Fault]) -> None:
    """Write a result; in one judging the same scorer and the same truth say the same of a file every time.

    A rejudging may say something else than what stands: what was judged on a bad day can be set right.
    """
    plain = write_event(event)
    worth = write_canonical({name: plain[name] for name in ("release", "attack") if name in plain})
    rejudging = event.name if isinstance(event, RejudgeScored) else ""
    earlier = session.scalar(
        select(ResultRow).where(
            ResultRow.contest == contest,
            ResultRow.submission == event.entry,
            ResultRow.scorer == event.scorer,
            ResultRow.truth == event.truth,
            ResultRow.rejudging == rejudging,
        )
    )
    if earlier is not None:
        if (earlier.worth, earlier.count) != (worth, event.faults):
            raise BugError(f"entry {event.entry} was worth something else to the same scorer before the same truth")
        return
    session.add(
        ResultRow(
            contest=contest,
            submission=event.entry,
            scorer=event.scorer,
            truth=event.truth,
            rejudging=rejudging,
            at=event.at,
            worth=worth,
            faults=write_canonical([fault.as_both() for fault in faults]),
            count=event.faults,
        )
    )


CLOCK_SECONDS = 300
"""Clocks of several machines differ by less; a clock that is further behind was set back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Where a contest stands, and where its ledger ends."""

    state: ContestState
    head: Head


@dataclass(slots=True, kw_only=True)
class Pen:
    """What writes to a contest within one transaction.

    Attributes:
        session: of the transaction; other rows may be written in it.
        contest: the contest's row.
        state: as it stands, with what this pen has written.
        head: where the ledger ends then.
        adopts: whether a contest that began under an earlier edition of the rulings goes on under today's; not where
            a ledger is only copied.
    """

    session: Session
    contest: int
    state: ContestState
    head: Head
    adopts: bool = True

    def settle_moment(self, now: str) -> str:
        """Return the moment of what the referee does now.

        A clock that is a little behind his last event counts as standing still. One that is far behind was set back:
        that is written down, and what he did under the clock that was ahead counts as done now.
        """
        if now >= self.state.moved:
            return now
        if add_seconds(now, CLOCK_SECONDS) >= self.state.moved:
            return self.state.moved
        self.send(ClockSet(at=now))
        return now

    def send(self, event: Event, faults: Iterable[Fault] = ()) -> Ruling:
        """Have the referee rule on an event, and write it down.

        Args:
            event: what happened.
            faults: of the result of a file, everything that is wrong with it.

        Raises:
            RefusedEventError: he refuses it; nothing is written.
        """
        if self.adopts and self.state.edition < EDITION and self.state.created is not None:
            self._write(Adopted(at=self.state.moved, edition=EDITION), ())
        return self._write(event, faults)

    def _write(self, event: Event, faults: Iterable[Fault]) -> Ruling:
        ruling = step(self.state, event)
        if ruling.refusal is not None:
            raise RefusedEventError(ruling.refusal)
        if ruling.repeated:
            return ruling
        line, self.head = chain_event(self.head, event)
        self.state = ruling.state
        self.session.add(LedgerRow(contest=self.contest, n=self.head.count, line=line))
        project_event(self.session, self.contest, self.head, event, ruling, faults)
        return ruling


class ContestBook:
    """The ledger of one contest."""

    def __init__(self, database: Database, name: str) -> None:
        self.database, self.name = database, name
        self._lock = Lock()
        self._cached = Snapshot(state=ContestState(), head=Head())
        self.contest = self._find()

    def _find(self) -> int:
        with self.database.read() as session:
            contest = session.scalar(select(ContestRow.id).where(ContestRow.name == self.name))
        if contest is None:
            raise InputError("the database", Said("there is no contest {name!r}", name=self.name))
        return contest

    def read(self) -> Snapshot:
        """Return where the contest stands."""
        with self.database.read() as session:
            return self.catch_up(session)

    def catch_up(self, session: Session) -> Snapshot:
        """Return where the contest stands as a session sees it; only lines that are new here are read."""
        cached = self._cached
        lines = session.scalars(
            select(LedgerRow.line)
            .where(LedgerRow.contest == self.contest, LedgerRow.n > cached.head.count)
            .order_by(LedgerRow.n)
        ).all()
        fresh = continue_ledger(cached, lines, f"the ledger of {self.name}") if lines else cached
        self._remember(fresh)
        return fresh

    def _remember(self, fresh: Snapshot) -> None:
        with self._lock:
            if fresh.head.count > self._cached.head.count:
                self._cached = fresh

    @contextmanager
    def write(self) -> Generator[Pen]:
        """Open the ledger to write to it; other writers wait until the transaction ends."""
        with self.database.write() as session:
            session.execute(select(ContestRow.id).where(ContestRow.id == self.contest).with_for_update())
            now = self.catch_up(session)
            pen = Pen(session=session, contest=self.contest, state=now.state, head=now.head)
            yield pen
        self._remember(Snapshot(state=pen.state, head=pen.head))

    def export_lines(self) -> bytes:
        """Return the whole ledger as the folder of a contest has it."""
        with self.database.read() as session:
            lines = session.scalars(
                select(LedgerRow.line).where(LedgerRow.contest == self.contest).order_by(LedgerRow.n)
            )
            return b"".join(lines)


def continue_ledger(snapshot: Snapshot, lines: Iterable[bytes], source: str) -> Snapshot:
    """Return where a contest stands after some more lines, each of which must continue the chain.

    Raises:
        InputError: a line is not what the referee wrote.
    """
    head, state = snapshot.head, snapshot.state
    for line in lines:
        place = f"{source}, line {head.count + 1}"
        table = cast("Mapping[str, Mapping[str, object]]", json.loads(line))
        event = read_event(table["event"], place)
        expected, head = chain_event(head, event)
        ruling = step(state, event)
        if expected != bytes(line) or ruling.refusal is not None or ruling.repeated:
            raise InputError(place, Said("does not continue the ledger: it was changed outside the server"))
        state = ruling.state
    return replace(snapshot, state=state, head=head)
