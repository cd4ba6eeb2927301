"""An interruption is never lost and never shown as a traceback.

It may arrive while compiled code calls back into Python, in a finaliser or in a callback of a foreign library; there
Python can only print it and go on. Such an interruption is delivered again, to the main thread, where the work is ended
or its best so far kept.
"""

from __future__ import annotations

import _thread
import sys
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
