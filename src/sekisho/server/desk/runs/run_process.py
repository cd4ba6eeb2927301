"""The process of a run: takes the recipe through the gate, and tells in files how far it is and what came of it.

It is started with the folder of its order, works in a process group of its own, and outlives whoever started it. What
goes wrong is told by a key: ``memory``, ``input`` (with every fault), ``stopped`` where another process has the folder,
or ``fault`` for a mistake of ours, told by its place in the program and never by a value.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sekisho.data.files.settings import read_toml
from sekisho.errors import BugError, SekishoError
from sekisho.gate.certificate.document import FileEntry
from sekisho.gate.ending import tell_reasons
from sekisho.gate.outcome import Candidate, JourneyStep, Outcome, Verdict
from sekisho.gate.output_files import CONFIDENTIAL, PROPOSED, PUBLIC
from sekisho.gate.recipes.keys import ON_ENGINES
from sekisho.journey.advice import USUAL_SECONDS, advise_steps, choose_seed
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.result import GateResult
from sekisho.journey.run import RunOptions, run_entry
from sekisho.server.desk.plain_data import (
    Plain,
    as_plain,
    describe_error,
    describe_fault,
    read_plain,
    say_both,
    write_plain,
)
from sekisho.server.desk.runs.details import DetailWriter, describe_account, describe_reasons, list_asked
from sekisho.server.desk.runs.memory import limit_memory
from sekisho.server.desk.runs.orders import CANDIDATES, FAILURE, ORDER, OUTCOME, RunOrder, RunTask, note_process
from sekisho.server.desk.runs.progress import PROGRESS, CandidateStep, ProgressLog
from sekisho.server.desk.words import name_control

Take = Callable[[RunOrder], None]


@dataclass(slots=True, kw_only=True)
class RunWatch:
    """Goes through the steps of a run, and tells each finished candidate.

    Attributes:
        log: of the run's progress.
        writer: of what came of a candidate.
        labels: of all candidates, in their order.
    """

    log: ProgressLog
    writer: DetailWriter
    labels: tuple[str, ...]
    _told: set[str] = field(default_factory=set[str])

    def __call__(self, steps: Iterator[JourneyStep[Any]]) -> JourneyStep[Any]:
        """Return the last step."""
        last: JourneyStep[Any] | None = None
        for last in steps:
            self._tell(last)
        if last is None:
            raise BugError("a run without a step")
        return last

    def _tell(self, step: JourneyStep[Any]) -> None:
        outcome, spent = step.outcome, step.spent
        for label in outcome.impossible:
            if label not in self._told:
                self._told.add(label)
                self.log.tell(CandidateStep(number=self.labels.index(label), label=label, seconds=spent[label]))
        for candidate in outcome.candidates:
            if candidate.label not in self._told:
                self._told.add(candidate.label)
                self._finish(candidate, outcome, spent[candidate.label])

    def _finish(self, candidate: Candidate[Any], outcome: Outcome[Any], seconds: float) -> None:
        number = self.labels.index(candidate.label)
        self.writer.write(number, candidate, outcome)
        figures: Any = as_plain({"loss": candidate.score.value, "risk": candidate.risk})
        self.log.tell(
            CandidateStep(
                number=number,
                label=candidate.label,
                seconds=seconds,
                verdict=candidate.verdict.value,
                rules=tuple(dict.fromkeys(one.rule for one in candidate.reasons)),
                **figures,
            )
        )


def take_through(order: RunOrder) -> None:
    """Run the recipe of an order, and write what came of it."""
    entry = ReadRecipe.read(order.recipe).open()
    labels = tuple(entry.stage.protections())
    log = ProgressLog(order.folder / PROGRESS)
    log.begin(labels)
    (order.folder / CANDIDATES).mkdir(exist_ok=True, mode=0o700)
    watch = RunWatch(log=log, writer=DetailWriter(entry=entry, folder=order.folder), labels=labels)
    options = RunOptions(
        enters=False,
        out=order.folder,
        language=order.language,
        watch=watch,
        jobs=order.jobs,
        cache=order.steps,
        keep=True,
    )
    result = run_entry(entry, options)
    write_plain({order.folder / OUTCOME: describe_result(result, labels)})


def try_changes(order: RunOrder) -> None:
    """Try changes of the recipe of an order, and write after each what was tried and what it brings."""
    for advice in advise_steps(order.recipe, seed=choose_seed(order.recipe, None), seconds=USUAL_SECONDS):
        write_plain({order.folder / OUTCOME: as_plain(advice.as_dict())})


TASKS: Mapping[RunTask, Take] = {RunTask.RUN: take_through, RunTask.ADVISE: try_changes}


def describe_result(result: GateResult, labels: tuple[str, ...]) -> Plain:
    """Return what a run came to: the verdict in words, statements, reasons, files with their digests."""
    ending, best = result.ending, result.best
    if best is not None and best.verdict is not Verdict.RELEASE:  # the page has written settings as a recipe's keys
        ending = replace(ending, why=tell_reasons(best.reasons)).write_settings(name_control)
    return {
        "verdict": result.verdict.value,
        "headline": say_both(ending.headline),
        "why": say_both(ending.why),
        "explanation": say_both(ending.explanation),
        "cautions": as_plain(ending.cautions),
        "remarks": as_plain(ending.remarks),
        "clear": ending.is_clear,
        "best": None if best is None else labels.index(best.label),
        "reasons": describe_reasons(result.reasons),
        "account": None if best is None else describe_account(best.account, asked=list_asked(result.entry)),
        "statements": [] if best is None else [as_plain(one.as_dict()) for one in best.statements],
        "notices": as_plain((*result.entry.notices, *result.notices)),
        "impossible": {} if result.outcome is None else as_plain(result.outcome.impossible),
        "seed": result.seed,
        "files": {
            name: _list_files(result.files.list_entries(folder))
            for name, folder in (("public", PUBLIC), ("proposed", PROPOSED), ("confidential", CONFIDENTIAL))
        },
    }


def _list_files(files: Mapping[str, FileEntry]) -> list[Plain]:
    return [{"name": name, "bytes": one.bytes, "sha256": one.sha256} for name, one in files.items()]


def run_order(order: RunOrder, *, take: Take | None = None) -> int:
    """Run an order to its end; return the status of the process: 0 if there is an outcome, of whatever verdict."""
    for name in (OUTCOME, FAILURE):
        (order.folder / name).unlink(missing_ok=True)
    failure: Plain | None = None
    try:
        allowed = order.memory // order.jobs if order.memory else 0
        with limit_memory(allowed, held=_stays_on_disk(order.recipe)):
            (take or TASKS[order.task])(order)
    except MemoryError:
        failure = {"key": "memory"}
    except SekishoError as error:
        failure = {"key": "input", **describe_error(error)}
    except Exception as error:
        failure = {"key": "fault", "places": describe_fault(error)}
    if failure is None:
        return 0
    write_plain({order.folder / FAILURE: failure})
    return 1


def _stays_on_disk(recipe: Path) -> bool:
    """Tell whether rows stay with an engine, which keeps a limit; what is wrong with a recipe is told by its run."""
    with suppress(SekishoError):
        return any(key in read_toml(recipe) for key in ON_ENGINES)
    return False


def main() -> int:
    """Run the order in the folder that the command names."""
    folder = Path(sys.argv[1])
    order = RunOrder.unpack(folder, read_plain(folder / ORDER) or {})
    note_process(folder, os.getpid())
    with suppress(OSError):
        os.nice(5)  # pages stay quick
    return run_order(order)


if __name__ == "__main__":
    raise SystemExit(main())
