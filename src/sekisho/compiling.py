"""Whether functions are being compiled at this moment: who tells what takes so long can say that it is done once."""

from __future__ import annotations

SECONDS_PER_FUNCTION = 0.2
"""What a function takes to compile, on the slow side: a tree of 96 took 17 s on one of two shared cores."""

_waiting: dict[str, float] = {}


def begin_compiling(name: str, functions: int) -> None:
    """Note that a function is being compiled, with so many that it calls."""
    _waiting[name] = functions * SECONDS_PER_FUNCTION


def end_compiling(name: str) -> None:
    """Note that a function is compiled."""
    _waiting.pop(name, None)


def estimate_seconds() -> float:
    """Return about how long what is being compiled takes in all; 0 where nothing is."""
    return sum(tuple(_waiting.values()))
