"""The process that makes the calls; what it has to tell goes to the parent as lines of JSON."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from random import Random
from time import process_time
from typing import TextIO

from .calling import limit_memory
from .cases import SECONDS, Bench, Case, Outcome
from .recipes import UNANSWERED

PATIENCE = 600.0
"""The valid calls warm up what is compiled on first use."""


def serve(folder: Path, request: dict[str, object]) -> None:
    """Do what the parent asks; nothing but the answers goes to the standard output, whatever a library prints there."""
    bench = Bench(materials=folder / "materials", folder=folder, seconds=_mapping(request["seconds"]))
    only = str(request["only"])
    with os.fdopen(os.dup(1), "w") as tell:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        warm_up(bench, only, tell)
        numbers = range(int(str(request["first"])), int(str(request["last"])))
        if numbers:
            limit_memory()
            work(bench, int(str(request["seed"])), numbers, only, tell)


def warm_up(bench: Bench, only: str, tell: TextIO) -> None:
    """Make every valid call once, unless that was done.

    Tell how long each command took, and which calls are not valid.
    """
    for name, calls in bench.recipes.items():
        if not name.startswith(only) or name in bench.seconds:
            continue
        longest = 0.0
        for call in calls:
            case = Case(command=name, words=(*name.split(), "--json", *shlex.split(call)), spoil=0, chance=Random(0))
            _say(tell, {"begun": "warm-up", "command": name, "words": list(case.words)})
            start = process_time()
            outcome = bench.run(case, PATIENCE)
            if process_time() - start > 1:  # what is compiled on first use is no part of a call's own time
                start = process_time()
                outcome = bench.run(case, PATIENCE)
            longest = max(longest, process_time() - start)
            refused = outcome.answer.status not in (0, 1, 3) and not outcome.found and name not in UNANSWERED
            _say(tell, {**_told(outcome), "invalid": outcome.answer.err if refused else ""})
        _say(tell, {"command": name, "warmed": longest})


def work(bench: Bench, seed: int, numbers: range, only: str, tell: TextIO) -> None:
    """Make the calls of some numbers, telling each before and after."""
    for number in numbers:
        case = bench.case(seed, number, only)
        _say(tell, {"begun": number, "command": case.command, "words": list(case.words)})
        start = process_time()
        outcome = bench.run(case, SECONDS + 5 * bench.seconds.get(case.command, 0.0))
        answer = {"done": number, "command": case.command, "seconds": process_time() - start}
        _say(tell, {**answer, **_told(outcome), "status": outcome.answer.status})


def _told(outcome: Outcome) -> dict[str, object]:
    found = [each.as_dict() for each in outcome.found]
    return {"words": outcome.words, "spoilt": outcome.spoilt, "found": found}


def _say(tell: TextIO, line: dict[str, object]) -> None:
    tell.write(json.dumps(line) + "\n")
    tell.flush()


def _mapping(given: object) -> dict[str, float]:
    assert isinstance(given, dict)
    return {str(name): float(str(value)) for name, value in given.items()}
