"""Long work watched from the terminal: after two seconds it says how far it is; an interruption keeps what there is.

There is one loop for all of it. On a terminal a line is rewritten; elsewhere a line is printed after 2 seconds, again
each time the work has taken twice as long, and as soon as the work has found something better.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from contextvars import copy_context
from importlib import import_module
from threading import Event, Thread
from time import monotonic
from typing import Protocol, TypeVar

from sekisho.cli.kit.answer import say, say_interrupted
from sekisho.cli.kit.language import tell_words
from sekisho.compiling import estimate_seconds
from sekisho.words import Said, join_words

PATIENCE_SECONDS = 2.0
REFRESH_SECONDS = 0.5

S = TypeVar("S")


class CountedSteps(Protocol):
    """Work in parts."""

    @property
    def done(self) -> int:
        """How many parts are done."""
        ...

    @property
    def total(self) -> int:
        """How many parts there are."""
        ...


N = TypeVar("N", bound=CountedSteps)


class Teller:
    """Says what is being done, in a thread of its own, so that silent work shows too."""

    def __init__(self, doing: str, describe: Callable[[], str]) -> None:
        self._words, self._doing, self._describe = "", doing, describe
        self._ended, self._woken = Event(), Event()

    def tell(self, words: str, *, better: bool = False) -> None:
        """Set how far the work is; what is better than before is said soon."""
        self._words = words
        if better:
            self._woken.set()

    def _line(self, start: float) -> str:
        doing, seconds = self._doing, monotonic() - start
        words = join_words([one for one in (self._words, self._describe(), describe_compiling()) if one], "; ")
        if not words:
            return tell_words(Said("{doing}: {seconds:.0f} s", doing=doing, seconds=seconds))
        return tell_words(Said("{doing}: {seconds:.0f} s, {words}", doing=doing, seconds=seconds, words=words))

    def run(self) -> None:
        """Say it until the work has ended."""
        start = monotonic()
        if self._ended.wait(PATIENCE_SECONDS):
            return
        if sys.stderr.isatty():
            console = import_module("rich.console").Console(stderr=True)  # most commands end before it is needed
            with console.status(self._line(start)) as status:
                while not self._ended.wait(REFRESH_SECONDS):
                    status.update(self._line(start))
            return
        pause, due = PATIENCE_SECONDS, monotonic()
        while not self._ended.is_set():
            self._woken.clear()
            say(self._line(start))
            if monotonic() >= due:
                due, pause = monotonic() + pause, 2 * pause
            self._ended.wait(min(REFRESH_SECONDS, PATIENCE_SECONDS))  # what comes close together is said together
            self._woken.wait(max(0.0, due - monotonic()))

    def end(self) -> None:
        """Fall silent."""
        self._ended.set()
        self._woken.set()


def describe_compiling() -> str:
    """Return that functions are being compiled, once for this machine; empty where none is."""
    seconds = estimate_seconds()
    return Said("compiling once, about {seconds:.0f} s", seconds=max(1.0, seconds)) if seconds else ""


@contextmanager
def show_progress(doing: str, *, describe: Callable[[], str] = str) -> Generator[Teller]:
    """Tell what is being done while it is.

    Args:
        doing: it.
        describe: how far it is within its present step; empty: not known.
    """
    teller = Teller(doing, describe)
    thread = Thread(target=copy_context().run, args=(teller.run,), daemon=True)  # it speaks our language
    thread.start()
    try:
        yield teller
    finally:
        teller.end()
        thread.join()


def watch(
    steps: Iterable[S],
    *,
    doing: str,
    tell: Callable[[S], str],
    keep: Callable[[S], str | None],
    describe: Callable[[], str] = str,
    value: Callable[[S], object] | None = None,
) -> S:
    """Return the last of the steps; when interrupted, the last one made, if it is worth keeping.

    Args:
        steps: the work.
        doing: what it is.
        tell: how far a step has come, in words.
        keep: what an interruption after a step keeps, in words; None if nothing.
        describe: how far the present step is, in words; empty: not known.
        value: of a step; where it changes, what the step says is said soon.

    Raises:
        KeyboardInterrupt: interrupted before a step that is worth keeping.
    """
    last: S | None = None
    reached: object = None
    try:
        with show_progress(doing, describe=describe) as teller:
            for last in steps:
                before, reached = reached, None if value is None else value(last)
                teller.tell(tell(last), better=reached != before)
    except KeyboardInterrupt:
        kept = None if last is None else keep(last)
        if kept is None:
            raise
        say_interrupted(kept)
    if last is None:
        raise KeyboardInterrupt
    return last


def watch_counted(steps: Iterable[N], *, doing: str) -> N:
    """Return the last of the steps of work in parts; when interrupted, the last one made."""
    return watch(
        steps,
        doing=doing,
        tell=lambda step: f"{step.done}/{step.total}",
        keep=lambda step: Said("the answer rests on {done} of {total}", done=step.done, total=step.total),
    )
