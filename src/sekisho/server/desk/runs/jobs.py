"""Runs: which wait, which are under way, what came of them; one a case and two in all.

Everything about a run is in its folder, so that a program that was killed finds it again: the process that works on it
(or is gone: interrupted), how far it came, whether a person cancelled it, what came of it. Going on costs only the
steps that are not kept yet.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from subprocess import DEVNULL, Popen
from threading import Lock, Thread
from time import monotonic, sleep, time

from sekisho.server.desk.plain_data import Plain, read_plain, write_plain
from sekisho.server.desk.runs.details import find_candidate, read_card
from sekisho.server.desk.runs.orders import (
    CANCELLED,
    FAILURE,
    NATIVE,
    ORDER,
    OUTCOME,
    PID,
    RunOrder,
    find_process,
    find_start,
    lacked_memory,
    note_process,
)
from sekisho.server.desk.runs.progress import PROGRESS, RunProgress, read_progress

AT_ONCE = 2
"""So many runs are under way at once."""
GRACE_SECONDS = 5.0
"""So long a process may take to end once it was asked to."""
LOOK_SECONDS = 0.1
PROGRAM = "sekisho.server.desk.runs.run_process"


class RunState(StrEnum):
    """How a run stands."""

    WAITING = "waiting"
    RUNNING = "running"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes unless somebody asks for it."""
        return self not in {RunState.WAITING, RunState.RUNNING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as it stands.

    Attributes:
        order: what is run.
        state: how it stands.
        progress: how far the last attempt came.
        before: how many runs are to begin before it, where it waits.
        now: when this was looked at, in seconds since 1970.
    """

    order: RunOrder
    state: RunState
    progress: RunProgress
    before: int = 0
    now: float = field(default_factory=time)

    @property
    def folder(self) -> Path:
        """Where everything of it is."""
        return self.order.folder

    @property
    def digest(self) -> str:
        """Its name."""
        return self.order.folder.name

    @property
    def done(self) -> int:
        """How many candidates are behind it."""
        return self.progress.done

    @property
    def total(self) -> int:
        """How many candidates there are; 0 before that is known."""
        return self.progress.total

    @property
    def label(self) -> str:
        """The candidate that is being made; empty where none is."""
        return self.progress.label if self.state is RunState.RUNNING else ""

    @property
    def seconds_left(self) -> float | None:
        """About how long it takes still; None where that is not known, or it is not under way."""
        return self.progress.estimate_left(self.now) if self.state is RunState.RUNNING else None

    @property
    def candidates(self) -> list[Plain]:
        """The finished candidates with their figures, reasons and attacks; those of an earlier attempt, too."""
        numbers = range(self.total or _count_candidates(self.folder))
        cards = (read_card(self.folder, number) for number in numbers)
        return [card for card in cards if card is not None]

    @property
    def outcome(self) -> Plain | None:
        """What came of it: verdict, words, statements, files with digests; None unless it is finished."""
        return read_plain(self.folder / OUTCOME) if self.state is RunState.FINISHED else None

    @property
    def failure(self) -> Plain | None:
        """What went wrong: a key (``memory``, ``input``, ``fault``), of inputs with words and faults."""
        if self.state is not RunState.FAILED:
            return None
        return read_plain(self.folder / FAILURE) or {"key": "memory"}

    @property
    def report(self) -> Path:
        """The confidential page, as the report draws it."""
        return self.folder / "confidential" / "report.html"

    def as_dict(self) -> Plain:
        """Return it as plain data."""
        return {
            "digest": self.digest,
            "state": self.state.value,
            "before": self.before,
            "done": self.done,
            "total": self.total,
            "label": self.label,
            "seconds_left": self.seconds_left,
            "slower": self.progress.is_slower,
            "candidates": self.candidates,
            "outcome": self.outcome,
            "failure": self.failure,
        }


def _count_candidates(folder: Path) -> int:
    return len(list(find_candidate(folder, 0).parent.glob("[0-9]*")))


def read_run(folder: Path) -> Run | None:
    """Return the run in a folder as its files tell it; None if there is none."""
    plain = read_plain(folder / ORDER)
    if plain is None:
        return None
    return Run(
        order=RunOrder.unpack(folder, plain), state=find_state(folder), progress=read_progress(folder / PROGRESS)
    )


def find_state(folder: Path) -> RunState:
    """Return how the run in a folder stands; whether it waits, only :class:`Runs` knows."""
    if find_process(folder) is not None:
        return RunState.RUNNING
    if (folder / OUTCOME).exists():
        return RunState.FINISHED
    if (folder / CANCELLED).exists():
        return RunState.CANCELLED
    if (folder / FAILURE).exists() or lacked_memory(folder):
        return RunState.FAILED
    return RunState.INTERRUPTED


@dataclass(slots=True, kw_only=True)
class Runs:
    """All runs of a desk.

    Attributes:
        at_once: how many are under way at once.
        command: how a run's process is started; its folder follows.
    """

    at_once: int = AT_ONCE
    command: tuple[str, ...] = (sys.executable, "-m", PROGRAM)
    _waiting: list[RunOrder] = field(default_factory=list[RunOrder])
    _running: dict[Path, RunOrder] = field(default_factory=dict[Path, RunOrder])
    _processes: dict[Path, Popen[bytes]] = field(default_factory=dict[Path, "Popen[bytes]"])
    _ends: dict[Path, float] = field(default_factory=dict[Path, float])
    _lock: Lock = field(default_factory=Lock)
    _attendant: Thread | None = None

    def adopt(self, runs: Path) -> None:
        """Take over the runs of a case that an earlier program started and that are still under way."""
        for folder in sorted(runs.glob("*")) if runs.is_dir() else ():
            run = read_run(folder)
            if run is not None and run.state is RunState.RUNNING:
                with self._lock:
                    self._running[folder] = run.order
                    self._attend()

    def start(self, order: RunOrder) -> Run:
        """Run an order, or wait with it; one that is under way or finished is not begun again."""
        run = self.find(order.folder)
        if run is not None and (not run.state.is_over or run.state is RunState.FINISHED):
            return run
        return self.go_on(order)

    def go_on(self, order: RunOrder) -> Run:
        """Run an order whose last attempt is over, from the steps that are kept."""
        with self._lock:
            if order.folder not in self._running and order not in self._waiting:
                order.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                for name in (CANCELLED, FAILURE, OUTCOME, PID, NATIVE):
                    (order.folder / name).unlink(missing_ok=True)
                write_plain({order.folder / ORDER: order.pack()})
                self._waiting.append(order)
                self._fill()
                self._attend()
        return self._look(order.folder)

    def find(self, folder: Path) -> Run | None:
        """Return the run in a folder as it stands; None if there never was one."""
        return self._look(folder) if (folder / ORDER).exists() else None

    def _look(self, folder: Path) -> Run:
        run = read_run(folder)
        if run is None:
            raise FileNotFoundError(folder / ORDER)
        with self._lock:
            waiting = [each.folder for each in self._waiting]
            running = folder in self._running
        if folder in waiting:
            return Run(order=run.order, state=RunState.WAITING, progress=RunProgress(), before=waiting.index(folder))
        if running and run.state is RunState.INTERRUPTED:  # its process has not said yet that it is there
            return Run(order=run.order, state=RunState.RUNNING, progress=run.progress)
        return run

    def list_under_way(self) -> list[Run]:
        """Return the runs that are under way, then those that wait, in their order."""
        with self._lock:
            folders = [*self._running, *(each.folder for each in self._waiting)]
        return [self._look(folder) for folder in folders]

    def cancel(self, folder: Path, *, wait: bool = False) -> None:
        """End a run as a person asked for: what is finished is kept.

        Args:
            folder: of the run.
            wait: whether to return only once its processes are gone.
        """
        with self._lock:
            waited = [each for each in self._waiting if each.folder == folder]
            if not waited and folder not in self._running:
                return
            write_plain({folder / CANCELLED: {"time": time()}})
            self._waiting = [each for each in self._waiting if each.folder != folder]
            if folder in self._running:
                self._end(folder)
        while wait and folder in self._running:
            sleep(LOOK_SECONDS / 4)

    def close(self) -> None:
        """End all runs that are under way; they are interrupted, and can go on later."""
        with self._lock:
            self._waiting.clear()
            for folder in self._running:
                self._end(folder)
        end = monotonic() + 2 * GRACE_SECONDS
        while self._running and monotonic() < end:
            sleep(LOOK_SECONDS / 4)

    def remove(self, folder: Path) -> None:
        """Remove a run that is over."""
        with self._lock:
            if folder not in self._running and all(each.folder != folder for each in self._waiting):
                shutil.rmtree(folder, ignore_errors=True)

    def _end(self, folder: Path) -> None:
        """Ask the processes of a run to end; the attendant ends those that do not."""
        self._ends.setdefault(folder, monotonic() + GRACE_SECONDS)
        self._signal(folder, signal.SIGTERM)

    def _signal(self, folder: Path, number: signal.Signals) -> None:
        process = self._processes.get(folder)
        pid = process.pid if process is not None else find_process(folder)
        if pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)

    def _fill(self) -> None:
        """Begin the runs that need not wait any more, the first first."""
        for order in list(self._waiting):
            busy = {each.case for each in self._running.values()}
            if len(self._running) < self.at_once and order.case not in busy:
                self._waiting.remove(order)
                self._begin(order)

    def _begin(self, order: RunOrder) -> None:
        handle = os.open(order.folder / NATIVE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            process = Popen(
                [*self.command, str(order.folder)], stdin=DEVNULL, stdout=DEVNULL, stderr=handle, start_new_session=True
            )
        finally:
            os.close(handle)
        note_process(order.folder, process.pid)
        self._running[order.folder] = order
        self._processes[order.folder] = process

    def _attend(self) -> None:
        """See to it that somebody looks after the runs as long as there are any."""
        if self._attendant is None or not self._attendant.is_alive():
            self._attendant = Thread(target=self._look_after, daemon=True, name="desk-runs")
            self._attendant.start()

    def _look_after(self) -> None:
        while True:
            with self._lock:
                for folder in list(self._running):
                    self._settle(folder)
                self._fill()
                if not self._running and not self._waiting:
                    self._attendant = None
                    return
            sleep(LOOK_SECONDS)

    def _settle(self, folder: Path) -> None:
        """Let go of a run whose process has ended; kill the processes that had to end and did not."""
        process = self._processes.get(folder)
        ended = find_process(folder) is None if process is None else process.poll() is not None
        if ended:
            self._signal_rest(folder)
            self._running.pop(folder)
            self._processes.pop(folder, None)
            self._ends.pop(folder, None)
        elif monotonic() > self._ends.get(folder, float("inf")):
            self._signal(folder, signal.SIGKILL)

    def _signal_rest(self, folder: Path) -> None:
        """Kill what a run's process left behind in its group; a number that is another process's now is no group."""
        noted = read_plain(folder / PID)
        if noted is not None and isinstance(noted.get("pid"), int) and not find_start(noted["pid"]):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(noted["pid"], signal.SIGKILL)
