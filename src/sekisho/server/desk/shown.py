"""A case as a page shows it: at one version, with the marks of its steps.

Every page of a case begins with ``shown = open_case(request, name)``: the version is the one that the address names
(``?v=9``), else the current one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from fastapi import HTTPException, Request

from sekisho.data.files.whole_files import read_regular_file
from sekisho.data.frame.dataset import Role
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError, UnknownNameError
from sekisho.gate.outcome import Verdict
from sekisho.gate.output_files import CERTIFICATE
from sekisho.journey.folders import OutputFolders
from sekisho.journey.review import ReviewStanding, read_review
from sekisho.server.desk.cases import Case
from sekisho.server.desk.counting.looked_part import PART
from sekisho.server.desk.edits import Files, find_shape, read_keys, tell_command
from sekisho.server.desk.frame import StepMark, find_desk
from sekisho.server.desk.originals import OriginalState
from sekisho.server.desk.plain_data import Plain, read_plain
from sekisho.server.desk.runs.jobs import Run, RunState
from sekisho.server.desk.runs.orders import name_run
from sekisho.server.desk.versions import Version

VERSION = "v"
ANSWERS, CONFIRMED = "answers.json", "confirmed"
"""What a person said of columns, and whether all that was asked is answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCase:
    """A case at one version, as the frame and every page show it.

    Attributes:
        case: the case on disk.
        shown: the version that the page is of.
        newest: the number of the current version.
        can_undo: whether there is something to undo.
        can_redo: whether something was undone that can come back.
        original: whether the file is as it was read, by size and time.
        run: the run of this version; None if it was never run.
    """

    case: Case
    shown: Version
    newest: int
    can_undo: bool
    can_redo: bool
    original: OriginalState
    run: Run | None

    @property
    def name(self) -> str:
        """How its addresses call it."""
        return self.case.name

    @property
    def file_name(self) -> str:
        """The original's."""
        return self.case.title

    @property
    def version(self) -> int:
        """The number of the version that the page is of."""
        return self.shown.number

    @property
    def files(self) -> Files:
        """The files of this version."""
        return self.shown.files

    @property
    def shape(self) -> Shape:
        """What a row is, at this version."""
        return find_shape(self.shown.files)

    @property
    def part(self) -> Plain | None:
        """What part of the file was looked at and counted: its first ``rows`` of ``whole``; None where it was all."""
        return read_plain(self.case.counts / PART)

    @property
    def saved(self) -> str:
        """When this version was saved, by the clock of this machine."""
        return tell_time(self.shown.time)

    @property
    def command(self) -> str:
        """What makes the release of this version."""
        return tell_command(self.shown.files)

    @property
    def is_released(self) -> bool:
        """Whether something may leave."""
        return is_released(self.case)

    @property
    def settled(self) -> str:
        """What became of this version in the end: ``released``, or ``refused`` by a person; empty while it is open.

        One that was made anew of such a version is open: its files are the same, and are to be changed.
        """
        if self.run is None or self.run.state is not RunState.FINISHED or self.shown.restored is not None:
            return ""
        ours, there = (folder / CERTIFICATE for folder in (OutputFolders(self.run.folder).public, self.case.public))
        if there.is_file() and ours.is_file() and read_regular_file(there) == read_regular_file(ours):
            return "released"
        if read_verdict(self.run) is not Verdict.REVIEW:
            return ""
        return "refused" if read_review(self.run.folder).standing is ReviewStanding.REFUSED else ""

    @property
    def marks(self) -> Mapping[str, StepMark]:
        """What is done, and what needs a look."""
        run = StepMark.OPEN if self.run is None else RUN_MARKS.get(self.run.state, StepMark.OPEN)
        return {
            "file": self._mark_file(),
            "risk": self._mark_risk(),
            "trees": StepMark.DONE if run is StepMark.DONE else StepMark.OPEN,
            "run": run,
            "table": run,
            "decide": self._mark_decision(),
        }

    def _mark_file(self) -> StepMark:
        if self.original not in {OriginalState.SAME, OriginalState.ELSEWHERE}:
            return StepMark.LOOK
        is_done = self.version > 1 or self.run is not None or is_file_confirmed(self.case)
        return StepMark.DONE if is_done else StepMark.OPEN

    def _mark_risk(self) -> StepMark:
        if self.shape is Shape.RECORDS and not self._has_keys():
            return StepMark.LOOK
        return StepMark.OPEN if self.run is None else StepMark.DONE

    def _has_keys(self) -> bool:
        """Tell whether others may know a column: the recipe names them, or the schema says it of each."""
        columns = read_keys(self.files, "schema").get("columns", [])
        said = any(column.get("role") == Role.QUASI for column in columns)
        return said or bool(read_keys(self.files, "recipe").get("keys"))

    def _mark_decision(self) -> StepMark:
        if self.is_released:
            return StepMark.DONE
        return StepMark.LOOK if read_verdict(self.run) is Verdict.REVIEW else StepMark.OPEN


RUN_MARKS: Mapping[RunState, StepMark] = {
    RunState.FINISHED: StepMark.DONE,
    RunState.FAILED: StepMark.LOOK,
    RunState.INTERRUPTED: StepMark.LOOK,
    RunState.CANCELLED: StepMark.LOOK,
}


def open_case(request: Request, name: str, version: int | None = None) -> OpenCase:
    """Return a case at a version: the one that is named, else the one of the address, else the current one.

    Raises:
        HTTPException: there is no such case or version; the page says that there is nothing here.
    """
    number = _read_number(request) if version is None else version
    try:
        case = find_desk(request).cases.find(name)
        return show_case(request, case, number)
    except (UnknownNameError, ParameterError) as error:
        raise HTTPException(404) from error


def show_case(request: Request, case: Case, number: int | None = None) -> OpenCase:
    """Return a case at a version, or at its current one.

    Raises:
        ParameterError: there is no version of this number.
    """
    versions = case.versions
    shown = versions.read(number)
    return OpenCase(
        case=case,
        shown=shown,
        newest=versions.head,
        can_undo=versions.can_undo,
        can_redo=versions.can_redo,
        original=case.check_original(),
        run=find_desk(request).runs.find(find_run_folder(case, shown)),
    )


def find_run_folder(case: Case, version: Version) -> Path:
    """Return where the run of a version lies, whether it was ever begun or not."""
    return case.runs / name_run(version.recipe, original=case.original.sha256)


def read_verdict(run: Run | None) -> Verdict | None:
    """Return what the gate said at the end of a run; None where it has said nothing yet."""
    outcome = None if run is None else run.outcome
    return None if outcome is None else Verdict(outcome["verdict"])


def is_released(case: Case) -> bool:
    """Tell whether something of a case may leave."""
    return case.public.is_dir() and any(case.public.iterdir())


def is_file_confirmed(case: Case) -> bool:
    """Tell whether a person went on from the page of the file, all questions of which are answered then."""
    return bool((read_plain(case.folder / ANSWERS) or {}).get(CONFIRMED))


def tell_time(time: str) -> str:
    """Return a time of a version by the clock of this machine: of today without the day."""
    local = datetime.fromisoformat(time).astimezone()
    today = datetime.now().astimezone().date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%Y-%m-%d %H:%M}"


def _read_number(request: Request) -> int | None:
    text = request.query_params.get(VERSION, "")
    if text and not (text.isascii() and text.isdecimal() and len(text) < 7):
        raise HTTPException(404)
    return int(text) if text else None
