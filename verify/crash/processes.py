"""Web and worker as processes of their own, each killed with SIGKILL at random moments and started again.

They run the commands `sekisho serve` and `sekisho worker`, forked from a process that has the program loaded: a start
then takes a fraction of a second, and more kills meet work.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from socket import socket
from threading import Event as Signal
from threading import Lock

import numpy as np
from tests.server.run_postgres import PostgresServer

from crash.place import Place
from sekisho.cli import status_of

LOADED = (
    "sekisho.cli",
    "sekisho.cli.server.opening",
    "sekisho.server.contest.app",
    "sekisho.server.contest.backup",
    "sekisho.server.contest.vault.demo",
    "sekisho.server.contest.vault.worker",
    "uvicorn",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "crash.place",
)
FORKING = get_context("forkserver")
FORKING.set_forkserver_preload(list(LOADED))
LOOK_SECONDS = 0.05
START_SECONDS = 120.0


def find_port() -> int:
    """Return a port of loopback that nobody uses."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(kw_only=True)
class Tally:
    """What was killed, over all processes.

    Attributes:
        most: how many kills there shall be.
        died: processes that ended although nobody had killed them.
    """

    most: int
    kills: dict[str, int] = field(default_factory=lambda: {"web": 0, "worker": 0, "postgres": 0})
    died: list[str] = field(default_factory=list[str])
    lock: Lock = field(default_factory=Lock)

    def take(self, kind: str) -> bool:
        """Count a kill that is about to happen; False if there were enough."""
        with self.lock:
            if sum(self.kills.values()) >= self.most:
                return False
            self.kills[kind] += 1
            return True


@dataclass(kw_only=True)
class Victim:
    """A process that is started again whenever it ends.

    Attributes:
        words: of the command.
        log: the file that its stderr goes to, all starts one after another.
        is_ready: tells from what it wrote since its start whether it is at work.
    """

    kind: str
    words: list[str]
    log: Path
    is_ready: Callable[[bytes], bool]
    process: ForkServerProcess | None = None
    begun: int = 0

    def start(self) -> None:
        """Start the process."""
        self.begun = self.log.stat().st_size if self.log.exists() else 0
        self.log.touch()
        self.process = FORKING.Process(target=run_command, args=(self.words, str(self.log)), daemon=True)
        self.process.start()

    def stop(self) -> None:
        """Kill the process, if it runs."""
        if self.process is not None:
            self.process.kill()
            self.process.join()

    def has_died(self) -> bool:
        """Tell whether the process has ended without us."""
        return self.process is not None and not self.process.is_alive()

    def read_new(self) -> bytes:
        """Return what it wrote since its start."""
        with self.log.open("rb") as stream:
            stream.seek(self.begun)
            return stream.read()

    def hunt(self, tally: Tally, stop: Signal, rng: np.random.Generator, longest: float) -> None:
        """Kill the process some random time after it began to work, start it, and so on; leave it running."""
        while not stop.is_set():
            until = time.monotonic() + START_SECONDS
            while not self.is_ready(self.read_new()) and time.monotonic() < until and not stop.is_set():
                self._look_after(tally)
                stop.wait(LOOK_SECONDS)
            stop.wait(float(rng.uniform(0, longest)))
            self._look_after(tally)
            if stop.is_set() or not tally.take(self.kind):
                return
            self.stop()
            self.start()

    def _look_after(self, tally: Tally) -> None:
        if self.has_died():
            tally.died.append(f"{self.kind}: {self.read_new().decode(errors='replace')[-2000:]}")
            self.start()


@dataclass(frozen=True, kw_only=True)
class DatabaseVictim:
    """A PostgreSQL that is killed and started again, while web and workers go on.

    Attributes:
        others: who must be at work before the first kill.
    """

    server: PostgresServer
    others: Sequence[Victim]
    kind: str = "postgres"

    def hunt(self, tally: Tally, stop: Signal, rng: np.random.Generator, longest: float) -> None:
        """Kill the server some random time after it began to answer, start it, and so on; leave it running."""
        until = time.monotonic() + START_SECONDS
        while not all(each.is_ready(each.read_new()) for each in self.others) and time.monotonic() < until:
            stop.wait(LOOK_SECONDS)
        while not stop.wait(float(rng.uniform(0, longest))) and tally.take(self.kind):
            self.server.kill()
            self.server.start()


def run_command(words: list[str], log: str) -> None:
    """Run a command in this process; what it says goes to a file."""
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    raise SystemExit(status_of(words))


def make_web(place: Place, port: int) -> Victim:
    """Return the web process; it works as soon as it answers."""
    words = ["serve", "--database", place.url, "--store", str(place.store), "--port", str(port)]
    return Victim(kind="web", words=words, log=place.folder / "web.log", is_ready=lambda _: answers(port))


def make_worker(place: Place, number: int, lease: float) -> Victim:
    """Return a worker; it works as soon as it says that it has taken a job."""
    words = ["worker", "--database", place.url, "--store", str(place.store), "--vault", str(place.vault)]
    log = place.folder / f"worker-{number}.log"
    return Victim(kind="worker", words=[*words, "--lease", str(lease)], log=log, is_ready=lambda said: b'"job"' in said)


def answers(port: int) -> bool:
    """Tell whether a web process answers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def count_logged(logs: list[Path], event: str) -> int:
    """Count the lines of some logs that tell of one kind of event; a line that a kill cut short tells nothing."""
    count = 0
    for log in logs:
        for line in log.read_bytes().splitlines() if log.exists() else []:
            try:
                count += json.loads(line).get("event") == event
            except (ValueError, AttributeError):
                continue
    return count
