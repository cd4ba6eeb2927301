"""One call, made within this process as the command line would make it, and what is wrong with how it went."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType, TracebackType

from sekisho import cli
from sekisho.cli import door as door_of_cli
from sekisho.cli.kit.answer import ExitStatus

from .materials import is_json

ALLOWED = (0, 1, 2, 3)
"""The exit statuses of a call that nobody interrupts; 70 is a fault of ours."""
SPARE_BYTES = 3 << 30
"""So much address space a call may take beside what the loaded libraries take."""
PACKAGE = "sekisho"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a call: a kind, the place by which it is told from others, and the details."""

    kind: str
    place: str
    detail: str

    def as_dict(self) -> dict[str, str]:
        """Return it as plain data."""
        return asdict(self)


class TimeIsUpError(BaseException):
    """A call took too long; no handler of ``Exception`` may take it for its own."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a call ended: its status, None if it did not return one, and what it said."""

    status: int | None
    out: str
    err: str
    error: BaseException | None
    warned: tuple[str, ...]


def limit_memory() -> None:
    """Let this process take only so much more memory than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def make_call(words: list[str], seconds: float) -> Answer:
    """Make one call in the current folder."""
    out, err = io.BytesIO(), io.BytesIO()
    status, error = None, None
    with _captured(out, err), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            with _time_limit(seconds), _admitted() as faults:
                status = cli.status_of(words)
            error = faults[0] if faults else None
        except (Exception, TimeIsUpError, SystemExit, KeyboardInterrupt) as raised:
            error = raised
    places = tuple(
        f"{Path(each.filename).name}:{each.lineno} {each.category.__name__}: {each.message}"
        for each in warned
        if not issubclass(each.category, ResourceWarning)
    )
    return Answer(status, _text(out), _text(err), error, places)


def judge_call(words: list[str], answer: Answer, files: frozenset[str]) -> list[Finding]:
    """Return what is wrong with an answer; ``given`` names the files that lay in the folder before."""
    findings = [*_raised(answer), *_spoken(words, answer), *_left(answer, files)]
    return findings + [Finding("warning", each.split(":", 2)[0], each) for each in answer.warned[:1]]


def _raised(answer: Answer) -> Iterator[Finding]:
    error = answer.error
    if isinstance(error, TimeIsUpError):
        yield Finding("time", _place(error.__traceback__), "took too long")
    elif error is not None:
        yield Finding("exception", f"{_place(error.__traceback__)}: {type(error).__name__}", _told(error))
    elif answer.status not in ALLOWED:
        yield Finding("status", f"status {answer.status}", answer.err)
    elif "Traceback (most recent call last)" in answer.err:
        yield Finding("traceback", answer.err.strip().rsplit("\n", 1)[-1], answer.err)


@contextmanager
def _admitted() -> Generator[list[BaseException]]:
    """Overhear what the door admits as a fault of ours, to know it by its place."""
    faults: list[BaseException] = []
    door = door_of_cli.admit_fault

    def overhear(error: Exception, arguments: Sequence[str], *, as_json: bool) -> ExitStatus:
        faults.append(error)
        return door(error, arguments, as_json=as_json)

    door_of_cli.admit_fault = overhear
    try:
        yield faults
    finally:
        door_of_cli.admit_fault = door


def _spoken(words: list[str], answer: Answer) -> Iterator[Finding]:
    wants_json = "--json" in words[1:3]  # elsewhere it may be the value of an option
    if answer.error is not None or not wants_json or "--help" in words:
        return
    try:
        answered = json.loads(answer.out, parse_constant=_no_constant)
    except ValueError as error:
        yield Finding("json", " ".join(words[:2]), f"{error}: {answer.out[:300]}")
        return
    if not isinstance(answered, dict):
        yield Finding("json", " ".join(words[:2]), f"is no object: {answer.out[:300]}")


def _left(answer: Answer, files: frozenset[str]) -> Iterator[Finding]:
    new = [path for path in Path().rglob("*") if str(path) not in files and path.is_file()]
    for path in new:
        kept = path.suffix == ".key"  # the secret of finished steps stays beside them
        if path.name.startswith(".") and not kept and answer.error is None:
            yield Finding("leftover", "beside", f"{path} was left behind")
        elif answer.status == 2:
            yield Finding("refused, yet wrote", str(path), f"{path}; {answer.err[-300:]}")
        elif path.suffix == ".json" and not is_json(path):
            yield Finding("json file", path.name, f"{path} holds no JSON")


def _place(trace: TracebackType | None) -> str:
    """Return the innermost place of ours in a traceback."""
    ours = [each for each in traceback.extract_tb(trace) if f"{os.sep}{PACKAGE}{os.sep}" in each.filename]
    if not ours:
        return "outside"
    last = ours[-1]
    return f"{last.filename.rpartition(os.sep + PACKAGE + os.sep)[2]}:{last.name}"


def _told(error: BaseException) -> str:
    lines = traceback.format_exception(error)
    return "".join(lines[-6:])[-2000:]


@contextmanager
def _captured(out: io.BytesIO, err: io.BytesIO) -> Generator[None]:
    before = sys.stdout, sys.stderr
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", write_through=True)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach()
        sys.stdout, sys.stderr = before


@contextmanager
def _time_limit(seconds: float) -> Generator[None]:
    """Count the processor's seconds, so that a busy machine makes no finding."""

    def stop(signum: int, frame: FrameType | None) -> None:
        del signum, frame
        raise TimeIsUpError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _text(stream: io.BytesIO) -> str:
    return stream.getvalue().decode("utf-8", "replace")


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")
