"""What an exit status means, the same for every command.

An interruption is never lost and never shown as a traceback.

It may arrive while compiled code calls back into Python, in a finaliser or in a callback of a foreign library; there
Python can only print it and go on. Such an interruption is delivered again, to the main thread, where the work is ended
or its best so far kept.
"""

from __future__ import annotations

import _thread
import sys
from contextvars import ContextVar
from enum import IntEnum
from typing import Any


class KeepingInterrupt(KeyboardInterrupt):
    """An interruption that left no answer, but something: what, is its only argument, in words."""


def deliver_interruptions() -> None:
    """Let an interruption end the work wherever it arrives."""
    sys.unraisablehook = _deliver_again


def _deliver_again(unraisable: Any) -> None:
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _thread.interrupt_main()
    else:
        sys.__unraisablehook__(unraisable)


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
