"""Long work watched from the terminal: a bar after two seconds, and an interruption keeps what there is."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from time import monotonic
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from sekisho.cli.kit.answer import say_interrupted

PATIENCE_SECONDS = 2.0


class Step(Protocol):
    """How far some work has come."""

    @property
    def done(self) -> int:
        """How many parts are done."""
        ...

    @property
    def total(self) -> int:
        """How many parts there are."""
        ...


S = TypeVar("S", bound=Step)


def watched(steps: Iterable[S], *, doing: str) -> S:
    """Return the last of the steps; when interrupted, the last one made, said on stderr.

    Raises:
        KeyboardInterrupt: interrupted before the first step was made.
    """
    start, last = monotonic(), None
    console = Console(stderr=True)
    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
        console=console,
    )
    task = bar.add_task(doing, total=None)
    with ExitStack() as stack:
        try:
            for last in steps:
                if console.is_terminal and not bar.live.is_started and monotonic() - start > PATIENCE_SECONDS:
                    stack.enter_context(bar)
                bar.update(task, completed=last.done, total=last.total)
        except KeyboardInterrupt:
            if last is None:
                raise
            say_interrupted(f"the answer rests on {last.done} of {last.total}")
    if last is None:
        raise KeyboardInterrupt
    return last
