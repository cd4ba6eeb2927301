"""What a benchmark case is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import process_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """What a case measured, in CPU seconds."""

    work: str
    size: str
    ours_seconds: float
    reference: str
    reference_seconds: float | None
    ratio: float | None

    def as_dict(self) -> dict[str, object]:
        """Return the timing as plain data."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Some work of ours beside the same work done by a peer or the plain reference.

    Attributes:
        work: what is done.
        size: of the input.
        ours: does it our way.
        reference: what does it the other way.
        other: does it the other way; None where there is no peer.
        repeat: how often each is run; the best counts. Ours is run once before, to compile.
        part: the other way is run on one row in so many, and its seconds are multiplied; the reference says so.
    """

    work: str
    size: str
    ours: Callable[[], object]
    reference: str = ""
    other: Callable[[], object] | None = None
    repeat: int = 3
    part: int = 1

    def timed(self) -> Timing:
        """Run both and return their best times."""
        self.ours()
        ours = min(_seconds(self.ours) for _ in range(self.repeat))
        other = None if self.other is None else _seconds(self.other) * self.part
        return Timing(
            work=self.work,
            size=self.size,
            ours_seconds=ours,
            reference=self.reference,
            reference_seconds=other,
            ratio=None if other is None else other / ours,
        )


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start
