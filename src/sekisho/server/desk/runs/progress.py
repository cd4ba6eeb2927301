"""How far a run has come, line by line in a file: written by the run's process, read by whoever shows it.

A line is whole or it does not count: a process that is killed while it writes leaves a cut one, which readers skip. A
run that goes on begins anew in the same file; what stood there before its last beginning is the story of another
attempt. No line holds a value of the data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import time
from typing import Any, cast

from sekisho.journey.candidates import estimate_left

PROGRESS = "progress.jsonl"
BEGIN, STEP = "begin", "step"
OWNER_FILE = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateStep:
    """A candidate that is finished, or that gave nothing.

    Attributes:
        number: its place among all, from 0.
        label: of its method with its parameters.
        seconds: how long it took.
        verdict: on it; empty where the method gave nothing.
        loss: its utility, smaller is better.
        risk: the largest share that an attack finds.
        rules: the names of the rules that speak against it.
    """

    number: int
    label: str
    seconds: float
    verdict: str = ""
    loss: float | None = None
    risk: float | None = None
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a run has come.

    Attributes:
        labels: of all candidates, in their order; empty before the recipe is read.
        steps: the finished ones.
        began: when the attempt began, in seconds since 1970; 0 if it did not.
        moved: when its last line was written.
    """

    labels: tuple[str, ...] = ()
    steps: tuple[CandidateStep, ...] = ()
    began: float = 0.0
    moved: float = 0.0

    @property
    def done(self) -> int:
        """How many candidates are behind it: the last finished one and all before it."""
        return max((step.number for step in self.steps), default=-1) + 1

    @property
    def total(self) -> int:
        """How many candidates there are; 0 before that is known."""
        return len(self.labels)

    @property
    def label(self) -> str:
        """The candidate that is being made; empty where none is."""
        return self.labels[self.done] if self.done < self.total else ""

    def estimate_left(self, now: float) -> float | None:
        """Return about how many seconds are left; None before the first candidate is finished."""
        spent = {step.label: step.seconds for step in self.steps}
        return estimate_left(spent, self.labels[self.done :], since=max(0.0, now - self.moved))

    @property
    def is_slower(self) -> bool:
        """Whether the last step moved the end further away than the step before it had promised."""
        if len(self.steps) < 2:
            return False
        *_, last = self.steps
        before = RunProgress(labels=self.labels, steps=self.steps[:-1], moved=self.moved - last.seconds)
        promised, left = before.estimate_left(self.moved), self.estimate_left(self.moved)
        return promised is not None and left is not None and left > promised + 1.0


@dataclass(slots=True)
class ProgressLog:
    """The file of a run's progress, written by its process.

    Attributes:
        path: of the file.
    """

    path: Path

    def begin(self, labels: Sequence[str]) -> None:
        """Begin an attempt with the candidates that it is going to make."""
        self._append({"event": BEGIN, "labels": list(labels), "time": time()})

    def tell(self, step: CandidateStep) -> None:
        """Note a candidate that is finished."""
        self._append({"event": STEP, **asdict(step), "time": time()})

    def _append(self, line: Mapping[str, object]) -> None:
        text = json.dumps(line, ensure_ascii=False, allow_nan=False)
        # a line of its own even where the last one was cut short
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, OWNER_FILE)
        try:
            os.write(handle, f"\n{text}\n".encode())
        finally:
            os.close(handle)


def read_progress(path: Path) -> RunProgress:
    """Return how far the last attempt of a run came; nothing where there is no file yet."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return RunProgress()
    progress = RunProgress()
    for line in _read_lines(text.split("\n")):
        with suppress(KeyError, TypeError, ValueError):
            progress = _add_line(progress, line)
    return progress


def _read_lines(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    for line in lines:
        with suppress(ValueError):
            content = json.loads(line) if line else None
            if isinstance(content, dict):
                yield cast("dict[str, Any]", content)


def _add_line(progress: RunProgress, line: dict[str, Any]) -> RunProgress:
    event, moment = line.pop("event"), float(line.pop("time"))
    if event == BEGIN:
        return RunProgress(labels=tuple(map(str, line["labels"])), began=moment, moved=moment)
    line["rules"] = tuple(line["rules"])
    step = CandidateStep(**line)
    return RunProgress(
        labels=progress.labels, steps=(*progress.steps, step), began=progress.began, moved=max(progress.moved, moment)
    )
