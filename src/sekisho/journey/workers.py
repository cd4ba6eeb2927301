"""Candidates made in processes of their own, which only fill the store of steps.

Each process protects and attacks one candidate and keeps its steps; the parent then goes the same way, finds the steps
there, and computes what they are worth itself. So nothing that a process says is believed, and one that fails or is
killed costs time only: the parent makes what is missing, and meets the error itself if there is one. Processes are
started afresh (``spawn``), stop when the parent stops, and end by themselves when it is killed.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import Thread
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from sekisho.seeds import Seed

R = TypeVar("R")
START_SECONDS = 2.0
"""About what it takes to start a process, of its processor: work that saves less is not worth one."""
GRACE_SECONDS = 5.0
FEWEST = 2


class Candidates(Protocol[R]):
    """A stage, as far as its processes must know it."""

    @property
    def keeps_attacks(self) -> bool:
        """Whether attacks are worth a process of their own."""
        ...

    def protections(self) -> Mapping[str, Callable[[Seed], R]]:
        """Return the ways to protect, by label."""
        ...

    def try_release(self, label: str, release: R, *, seed: Seed) -> object:
        """Let everyone attack a release; judge and measure it."""
        ...


@dataclass(slots=True, kw_only=True)
class Workers:
    """Processes at work on the candidates of a stage.

    Attributes:
        stage: theirs; its store of steps is on disk.
        seed: of the run.
        jobs: how many work at once.
    """

    stage: Candidates[Any]
    seed: Seed
    jobs: int
    _spent: float = 0.0
    _made: int = 0
    _waiting: list[str] = field(default_factory=list[str])
    _running: dict[str, tuple[BaseProcess, Connection]] = field(
        default_factory=dict[str, "tuple[BaseProcess, Connection]"]
    )

    @property
    def _keeps_attacks(self) -> bool:
        return self.stage.keeps_attacks

    def note(self, *, protecting: float, attacking: float) -> None:
        """Take into account what making one candidate here took of the processor, in seconds."""
        self._spent += protecting + (attacking if self._keeps_attacks else 0.0)
        self._made += 1

    def pay_off(self, rest: int) -> bool:
        """Tell whether processes for so many candidates save more than they take to start, by those made so far."""
        if not self.idle or min(self.jobs, rest) < FEWEST:
            return False
        each = self._spent / max(1, self._made)
        return each * rest * (1 - 1 / min(self.jobs, rest)) > START_SECONDS

    @property
    def idle(self) -> bool:
        """Whether none was asked for yet, or all have ended."""
        return not self._running and not self._waiting

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def begin(self, labels: Iterable[str]) -> None:
        """Set the processes to work on candidates, the first first."""
        self._waiting.extend(labels)
        self._fill()

    def wait_for(self, label: str) -> None:
        """Return once a candidate's process has ended, however it did."""
        while label in self._running or label in self._waiting:
            wait([process.sentinel for process, _ in self._running.values()])
            self._fill()

    def stop(self) -> None:
        """End all processes."""
        self._waiting.clear()
        for process, _ in self._running.values():
            process.terminate()
        for process, line in self._running.values():
            process.join(GRACE_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()
            line.close()
        self._running.clear()

    def _fill(self) -> None:
        for label, (process, line) in list(self._running.items()):
            if not process.is_alive():
                process.join()
                line.close()
                del self._running[label]
        while self._waiting and len(self._running) < self.jobs:
            label = self._waiting.pop(0)
            self._running[label] = self._start(label)

    def _start(self, label: str) -> tuple[BaseProcess, Connection]:
        context = get_context("spawn")
        ours: Any
        theirs: Any
        ours, theirs = context.Pipe()
        process = context.Process(target=make_candidate, args=(self.stage, label, self.seed, theirs), daemon=True)
        process.start()
        theirs.close()
        return process, ours


def make_candidate(stage: Candidates[R], label: str, seed: Seed, line: Connection) -> None:
    """Protect and attack one candidate in this process; its steps are kept, the rest is forgotten.

    Where a stage keeps no attacks (``keeps_attacks``), the parent has to make them anyhow: here is nobody attacked.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    Thread(target=_end_with_parent, args=(line,), daemon=True).start()
    release = stage.protections()[label](seed)
    if stage.keeps_attacks:
        stage.try_release(label, release, seed=seed.child(label))


def _end_with_parent(line: Connection) -> None:
    try:
        line.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
