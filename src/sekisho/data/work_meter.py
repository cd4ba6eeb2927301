"""How far long work has come: parts that are begun, units of each that are done, and how long those took.

A part that is counted in units (row-to-slot costs of blocks, legs of a search) says how long its end is away, by what
its own units took so far and by nothing else; a part that is not says only its name. Whoever shows the work offers a
meter to whatever is called inside (:func:`meter_work`); without one nothing is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic

from sekisho.words import Said

LEAST = 0.1
"""Before this share of a part is done nothing is said of its end: the first units are no measure of the others."""


def estimate_remaining(*, done: float, total: float, seconds: float) -> float | None:
    """Return how long the rest of some work takes if it goes on as it went; None before any of it is done."""
    if not 0 < done <= total:
        return None
    return seconds * (total - done) / done


@dataclass(slots=True)
class WorkMeter:
    """The part that is being worked on.

    Attributes:
        clock: tells seconds.
    """

    clock: Callable[[], float] = monotonic
    _part: str = ""
    _total: float = 0.0
    _done: float = 0.0
    _start: float = field(default=0.0)

    def begin(self, part: str, units: float = 0.0) -> None:
        """Begin a part of so many units; 0 where they cannot be counted."""
        self._part, self._total, self._done, self._start = part, units, 0.0, self.clock()

    def advance(self, units: float) -> None:
        """Note that some units of the part are done."""
        self._done = min(self._total, self._done + units)

    def describe(self) -> str:
        """Return the part, how much of it is done, and how long its end is away."""
        part, done, total = self._part, self._done, self._total
        seconds = estimate_remaining(done=done, total=total, seconds=self.clock() - self._start)
        if seconds is None or done < LEAST * total:
            return part
        return Said(
            "{part}: {share:.0%} done, about {seconds:.0f} s to its end", part=part, share=done / total, seconds=seconds
        )


_METER: ContextVar[WorkMeter | None] = ContextVar("work meter", default=None)


def begin_part(part: str, units: float = 0.0) -> None:
    """Begin a part of the work, if somebody watches it."""
    meter = _METER.get()
    if meter is not None:
        meter.begin(part, units)


def advance_part(units: float) -> None:
    """Note that some units of the part are done, if somebody watches it."""
    meter = _METER.get()
    if meter is not None:
        meter.advance(units)


@contextmanager
def meter_work(meter: WorkMeter) -> Generator[None]:
    """Let work be metered as long as this is open."""
    token = _METER.set(meter)
    try:
        yield
    finally:
        _METER.reset(token)
