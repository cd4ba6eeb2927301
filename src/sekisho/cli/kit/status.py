"""What an exit status means, the same for every command."""

from __future__ import annotations

from contextvars import ContextVar
from enum import IntEnum


class ExitStatus(IntEnum):
    """What a command's exit status means.

    Attributes:
        GOOD: done, and the answer is good.
        NO: done, and the answer to the question that the command was asked is no.
        NO_ANSWER: wrong usage, an option that does not suit the data, an unreadable or malformed input.
        REVIEW: an answer that a person must look at.
        FAULT: a fault of ours.
        INTERRUPTED: interrupted; what was promised to be kept is written, and said.
    """

    GOOD = 0
    NO = 1
    NO_ANSWER = 2
    REVIEW = 3
    FAULT = 70
    INTERRUPTED = 130


cut_short: ContextVar[bool] = ContextVar("cut_short", default=False)
"""Whether the work of this command was interrupted and its answer is what was kept."""


def start_uninterrupted() -> None:
    """Forget the interruptions of an earlier command of this process."""
    cut_short.set(False)
