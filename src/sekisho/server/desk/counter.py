"""Asks the counting process of a case: one process a case, started when it is needed, ended when nobody asks.

The process is a fresh interpreter (:mod:`sekisho.server.desk.counting.process`); questions and answers are lines of
JSON. A page waits for an answer as long as it wants to show it at once; a :class:`Later` says to ask the same again.
"""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Condition, Lock, Thread
from time import monotonic
from typing import IO, Any

from sekisho.server.desk.plain_data import Plain

PROGRAM = "sekisho.server.desk.counting.process"
IDLE_SECONDS = 600.0
KEPT_ANSWERS = 64
GRACE_SECONDS = 2.0
MOST_LOSSES = 2
"""A question at which the process ended so often is not asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountQuestion:
    """What is asked of a case's data.

    Attributes:
        name: ``look``, ``rows``, ``columns``, ``propose``, ``alone``, ``worst``, ``stand_outs``, ``found_by_rows``, …
        version: which it is about.
        arguments: plain data, such as ``{"keys": ["age", "sex"]}``.
    """

    name: str
    version: int
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def key(self) -> str:
        """Tells two questions apart."""
        return json.dumps([self.name, self.version, self.arguments], sort_keys=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountAnswer:
    """What a question came to.

    Attributes:
        version: that it was asked about.
        result: plain data; empty where something was wrong.
        failure: what was: ``key`` is ``input`` (with ``words`` and ``faults``), ``memory`` or ``fault``.
    """

    version: int
    result: Plain = field(default_factory=dict[str, Any])
    failure: Plain | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """There is no answer yet: the same question, asked again, waits for it."""

    version: int


@dataclass(slots=True, kw_only=True)
class Counter:
    """The counting process of one case.

    Attributes:
        folder: of the case.
        idle: after so many seconds without a question the process ends.
        memory: bytes that it may take; 0 for a share of what is free.
        command: how it is started; the folder, the seconds and the memory follow.
    """

    folder: Path
    idle: float = IDLE_SECONDS
    memory: int = 0
    command: tuple[str, ...] = (sys.executable, "-m", PROGRAM)
    _process: Popen[str] | None = None
    _asked: dict[int, CountQuestion] = field(default_factory=dict[int, CountQuestion])
    _answers: OrderedDict[str, CountAnswer] = field(default_factory=OrderedDict[str, CountAnswer])
    _change: Condition = field(default_factory=Condition)
    _losses: dict[str, int] = field(default_factory=dict[str, int])
    _number: int = 0

    def ask(self, question: CountQuestion, *, seconds: float) -> CountAnswer | Later:
        """Return the answer if there is one within some seconds.

        A question that waits in vain goes on being worked at. Once one of a newer version is asked, those of older
        versions that wait are dropped; whoever still wants such an answer asks again.
        """
        end, key = monotonic() + seconds, question.key
        with self._change:
            if key not in self._answers and all(one.key != key for one in self._asked.values()):
                self._send(question)
            while key not in self._answers:
                asked = any(one.key == key for one in self._asked.values())
                left = end - monotonic()
                if not asked or left <= 0:
                    return Later(version=question.version)
                self._change.wait(left)
            self._answers.move_to_end(key)
            return self._answers[key]

    @property
    def pid(self) -> int | None:
        """The number of its process; None where there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    @property
    def is_asked(self) -> bool:
        """Whether a question is being worked at."""
        return bool(self._asked)

    def close(self, *, at_once: bool = False) -> None:
        """End the process, at once or when it has had time to end; it is started again when somebody asks."""
        with self._change:
            process, self._process = self._process, None
            self._answers.clear()
            self._forget()
        if process is None:
            return
        if at_once:
            process.kill()
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        try:
            process.wait(GRACE_SECONDS)
        except TimeoutExpired:
            process.kill()
            process.wait()

    def _send(self, question: CountQuestion) -> None:
        for _ in range(2):  # a process that has just ended is started again once
            process = self._start()
            self._number += 1
            told = {"id": self._number, "name": question.name, "version": question.version}
            line = json.dumps({**told, "folder": str(self.folder), "arguments": question.arguments}) + "\n"
            self._asked[self._number] = question
            with suppress(OSError, ValueError):
                stdin: IO[str] | None = process.stdin
                if stdin is not None:
                    stdin.write(line)
                    stdin.flush()
                    return
            self._process = None
            self._forget()

    def _start(self) -> Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._forget()
        process = Popen(
            [*self.command, str(self.folder), str(self.idle), str(self.memory)],
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        Thread(target=self._listen, args=(process,), daemon=True, name="desk-counter").start()
        self._process = process
        return process

    def _listen(self, process: Popen[str]) -> None:
        """Take the answers of a process until it ends."""
        for line in process.stdout or ():
            with suppress(ValueError):  # a line that was cut short is no answer
                self._take(json.loads(line))
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        with self._change:
            if self._process is process:
                self._process = None
                self._note_losses()
                self._forget()

    def _note_losses(self) -> None:
        """Give up questions at which the process ended again: it lacked memory, or met a fault of a library."""
        for question in self._asked.values():
            losses = self._losses.pop(question.key, 0) + 1
            if losses < MOST_LOSSES:
                self._losses[question.key] = losses
            else:
                self._answers[question.key] = CountAnswer(version=question.version, failure={"key": "memory"})

    def _take(self, told: Mapping[str, Any]) -> None:
        with self._change:
            question = self._asked.pop(told["id"], None)
            if question is not None and not told.get("dropped"):
                self._answers[question.key] = CountAnswer(
                    version=question.version, result=told.get("result", {}), failure=told.get("failure")
                )
                while len(self._answers) > KEPT_ANSWERS:
                    self._answers.popitem(last=False)
            self._change.notify_all()

    def _forget(self) -> None:
        """Give up what a process that is gone was asked."""
        self._asked.clear()
        self._change.notify_all()


@dataclass(slots=True)
class Counters:
    """The counting processes of all open cases.

    Attributes:
        memory: bytes that each may take; 0 for a share of what is free.
    """

    memory: int = 0
    _counters: dict[Path, Counter] = field(default_factory=dict[Path, Counter])
    _lock: Lock = field(default_factory=Lock)

    def open(self, folder: Path) -> Counter:
        """Return the counter of a case; its process is started by the first question."""
        with self._lock:
            return self._counters.setdefault(folder, Counter(folder=folder, memory=self.memory))

    def move(self, folder: Path, case: Path) -> None:
        """Let the process that looked at a file that came answer about the case that it has become."""
        with self._lock:
            counter = self._counters.pop(folder, None)
            if counter is not None and case not in self._counters:
                counter.folder = case
                self._counters[case] = counter
                return
        if counter is not None:
            counter.close(at_once=True)

    def end(self, folder: Path) -> None:
        """End the process of a case, or of a file that comes, at once; it is started again when somebody asks."""
        with self._lock:
            counter = self._counters.pop(folder, None)
        if counter is not None:
            counter.close(at_once=True)

    def is_asked(self, folder: Path) -> bool:
        """Tell whether a question about a case is being worked at."""
        with self._lock:
            counter = self._counters.get(folder)
        return counter is not None and counter.is_asked

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            counters, self._counters = list(self._counters.values()), {}
        for counter in counters:
            counter.close()
