"""Versions of a case: undo and redo, the list, two compared, an earlier one restored."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.gate.outcome import Verdict
from sekisho.safety.cover import Coverage
from sekisho.server.desk.changes import Sent, describe_place, describe_value, read_version
from sekisho.server.desk.counting.alone_counts import AloneCount
from sekisho.server.desk.edits import SCHEMA, DeskEdit, FileLines
from sekisho.server.desk.frame import (
    PLACE_FIELD,
    STEP_WORDS,
    RecipeLine,
    find_desk,
    go_on,
    keep_place,
    write_desk_page,
)
from sekisho.server.desk.pages.asking import ChosenKeys
from sekisho.server.desk.runs.details import read_cells
from sekisho.server.desk.runs.jobs import Run
from sekisho.server.desk.shown import OpenCase, find_run_folder, open_case, read_verdict, tell_time
from sekisho.server.desk.versions import Version
from sekisho.words import Said

router = APIRouter()
MOST_EDITS = 6
"""So many changes of one version are listed; the comparison shows all."""
LINE_KINDS = {"+": "new", "-": "old"}
VERDICT_WORDS = {
    Verdict.RELEASE: (Said("verdict|may leave"), "good"),
    Verdict.REVIEW: (Said("verdict|a person must decide"), "warn"),
    Verdict.REFUSE: (Said("verdict|must not leave"), "bad"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEdit:
    """A change as the list shows it."""

    place: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownVersion:
    """A version as the list shows it."""

    number: int
    parent: int | None
    restored: int | None
    time: str
    edits: list[ShownEdit]
    more: int
    verdict: tuple[Said, str] | None
    current: bool
    figures: VersionFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFigures:
    """What came of a version's run: of what the gate would choose.

    Attributes:
        loss: what it loses; None where nothing was measured.
        risk: the largest share of people that an attack found.
        hidden: of a table, how many cells are not shown as they are.
        unaccounted: how many columns leave, or attackers are there, that nobody accounts for; None where nothing is
            told of it.
    """

    loss: float | None = None
    risk: float | None = None
    hidden: int | None = None
    unaccounted: int | None = None

    @classmethod
    def read(cls, run: Run | None) -> VersionFigures:
        """Return the figures of a run that is over; none of one that is not."""
        best = None if run is None or run.outcome is None else run.outcome["best"]
        card = None if run is None else next((one for one in run.candidates if one["number"] == best), None)
        if run is None or best is None or card is None:
            return cls()
        cells = read_cells(run.folder, best)
        hidden = (
            None if cells is None else sum(bool(one["letter"]) for each in cells["tables"] for one in each["cells"])
        )
        told = card.get("account")
        unaccounted = None if told is None else sum(Coverage(entry["cover"]).is_open for entry in told["entries"])
        return cls(loss=card["loss"], risk=card["risk"], hidden=hidden, unaccounted=unaccounted)


def _show_edit(edit: DeskEdit) -> ShownEdit:
    old = "" if edit.is_whole else describe_value(edit, edit.old)
    return ShownEdit(place=describe_place(edit), old=old, new=describe_value(edit, edit.value))


def _show_version(request: Request, shown: OpenCase, version: Version) -> ShownVersion:
    run = find_desk(request).runs.find(find_run_folder(shown.case, version))
    verdict = read_verdict(run)
    return ShownVersion(
        number=version.number,
        parent=version.parent,
        restored=version.restored,
        time=tell_time(version.time),
        edits=[_show_edit(edit) for edit in version.edits[:MOST_EDITS]],
        more=max(0, len(version.edits) - MOST_EDITS),
        verdict=None if verdict is None else VERDICT_WORDS[verdict],
        current=version.number == shown.newest,
        figures=VersionFigures.read(run),
    )


@router.get("/cases/{name}/versions", response_class=HTMLResponse)
def show_versions(request: Request, name: str, old: str = "", new: str = "") -> HTMLResponse:
    """Show all versions, the newest first; of two that are chosen in which lines they differ, and what came of each."""
    shown = open_case(request, name)
    versions = [_show_version(request, shown, version) for version in reversed(shown.case.versions.list())]
    compared: tuple[FileLines, ...] | None = None
    chosen = (max(1, shown.newest - 1), shown.newest)
    if old and new:
        chosen = (read_version(request, name, old), read_version(request, name, new))
        compared = shown.case.versions.compare(*chosen)
    files = None if compared is None else {one.file: _list_lines(one) for one in compared}
    return write_desk_page(
        request,
        "desk/versions.html",
        shown,
        command=shown.command,
        versions=versions,
        chosen=chosen,
        files=files,
        sides=[one for number in chosen for one in versions if one.number == number],
        alone=None if compared is None else [_find_alone(open_case(request, name, number)) for number in chosen],
    )


def _find_alone(side: OpenCase) -> AloneCount | None:
    """Return who is alone in the original by the keys of a version; None where nobody has had it counted."""
    keys, schema = ChosenKeys.of(side), side.files.get(SCHEMA)
    if side.shape is not Shape.RECORDS or not keys.keys or schema is None:
        return None
    return AloneCount.read(side.case.counts, side.case.original.sha256, schema, keys.describe())


def _list_lines(lines: FileLines) -> list[RecipeLine]:
    return [RecipeLine(text=line[2:], kind=LINE_KINDS.get(line[:1], "table")) for line in lines.lines]


@router.post("/cases/{name}/undo", response_class=HTMLResponse)
def undo(request: Request, name: str, form: Sent) -> Response:
    """Go back to the version before."""
    open_case(request, name).case.versions.undo(key=form.key, tab=form.tab)
    return _go_back(request, name, form.tab, form.get(PLACE_FIELD))


@router.post("/cases/{name}/redo", response_class=HTMLResponse)
def redo(request: Request, name: str, form: Sent) -> Response:
    """Go on to the version that was undone."""
    open_case(request, name).case.versions.redo(key=form.key, tab=form.tab)
    return _go_back(request, name, form.tab, form.get(PLACE_FIELD))


@router.post("/cases/{name}/new", response_class=HTMLResponse)
def begin_anew(request: Request, name: str, form: Sent) -> Response:
    """Make a new version of one that is only to be read; its files are the same, and can be changed."""
    shown = open_case(request, name, form.seen)
    shown.case.versions.restore(shown.version, key=form.key, tab=form.tab)
    return _go_back(request, name, form.tab)


@router.post("/cases/{name}/restore", response_class=HTMLResponse)
def restore(request: Request, name: str, form: Sent) -> Response:
    """Make a new version with the files of an earlier one."""
    try:
        number = int(form.get("number", "0"))
        open_case(request, name).case.versions.restore(number, key=form.key, tab=form.tab)
    except (ValueError, ParameterError) as error:
        raise HTTPException(404) from error
    return _go_back(request, name, "versions")


def _go_back(request: Request, name: str, step: str, place: str = "") -> Response:
    """Show the page on which somebody was, as it is now, at the place where she was."""
    query = keep_place(parse_qsl(place)) if step in STEP_WORDS else ""
    return go_on(request, f"/cases/{name}/{step if step in STEP_WORDS else 'versions'}{'?' + query if query else ''}")
