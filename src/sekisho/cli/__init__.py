"""The command line: one file per verb.

This module answers at once what needs no verb: the version, a page of the built manual, a completion. All else goes
through the door (``sekisho.cli.door``), which loads the one verb that is asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from sekisho.cli.kit.completion import COMPLETE, list_completions
from sekisho.cli.kit.language import find_language, settle_language, tell_words
from sekisho.cli.kit.manual import find_page
from sekisho.words import Said

INTERRUPTED = 130
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""Matrices here are small: threads that wait for the next one cost more than they save."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit status."""
    for name, value in ONE_THREAD.items():  # before numpy is loaded, which asks once; workers inherit it
        os.environ.setdefault(name, value)
    try:
        status = status_of(arguments)
    except KeyboardInterrupt:  # while the door was being loaded
        settle_language(sys.argv[1:] if arguments is None else arguments)
        sys.stderr.write(f"sekisho: {tell_words(Said('interrupted: there is no answer, and nothing was written'))}\n")
        status = INTERRUPTED
    sys.exit(status)


def status_of(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status, having said on stderr in one sentence what was wrong."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    quick = _quick_answer(words)
    if quick is not None:
        sys.stdout.write(quick)
        return 0
    from sekisho.cli.door import open_door

    return open_door(words)


def _quick_answer(words: Sequence[str]) -> str | None:
    if words[:1] == ["--version"]:
        return f"sekisho {version('sekisho')}\n"
    if words[:1] == [COMPLETE]:
        return list_completions(words[1:])
    return find_page(words, find_language(words, os.environ))
