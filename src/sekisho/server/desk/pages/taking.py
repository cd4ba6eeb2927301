"""Take a version away: its recipe, a shell script, a notebook; or the whole case, sealed, for a second person."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from sekisho.data.files.whole_files import read_regular_file
from sekisho.gate.output_files import CERTIFICATE
from sekisho.server.desk.cases import Case
from sekisho.server.desk.changes import Sent
from sekisho.server.desk.exports import (
    SHORTEST_PASSPHRASE,
    export_case,
    export_notebook,
    export_recipe,
    export_script,
)
from sekisho.server.desk.frame import write_desk_page
from sekisho.server.desk.runs.jobs import Run
from sekisho.server.desk.shown import open_case
from sekisho.server.desk.versions import Version
from sekisho.server.web.language import choose_language
from sekisho.words import Language

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class _TakenFile:
    """What is taken away under a fixed name."""

    name: str
    kind: str
    write: Callable[[Case, Version, str, Language], bytes]


TAKEN: Mapping[str, _TakenFile] = {
    "recipe": _TakenFile(
        name="recipe.zip",
        kind="application/zip",
        write=lambda case, version, made, language: export_recipe(case, version, made=made, language=language),
    ),
    "sh": _TakenFile(
        name="release.sh",
        kind="text/x-shellscript; charset=utf-8",
        write=lambda case, version, made, language: export_script(case, version, made=made, language=language),
    ),
    "ipynb": _TakenFile(
        name="release.ipynb",
        kind="application/x-ipynb+json",
        write=lambda case, version, made, language: export_notebook(case, version, made=made, language=language),
    ),
}


@router.get("/cases/{name}/take/case", response_class=HTMLResponse)
def ask_passphrase(request: Request, name: str) -> HTMLResponse:
    """Ask for the passphrase of a case that is taken away."""
    return write_desk_page(request, "desk/take.html", open_case(request, name), least=SHORTEST_PASSPHRASE)


@router.post("/cases/{name}/take/case", response_class=HTMLResponse)
def take_case(request: Request, name: str, form: Sent) -> Response:
    """Send a case, sealed with a passphrase."""
    shown = open_case(request, name)
    run = None if shown.run is None or shown.run.outcome is None else shown.run.folder
    sealed = export_case(shown.case, run=run, passphrase=form.get("passphrase"))
    return _attach(sealed, "case.zip", "application/zip")


@router.get("/cases/{name}/take/{what}", response_class=HTMLResponse)
def take(request: Request, name: str, what: str) -> Response:
    """Send a version in the form that is asked for."""
    if what not in TAKEN:
        raise HTTPException(404)
    shown, taken = open_case(request, name), TAKEN[what]
    language = choose_language(request) if shown.run is None else shown.run.order.language
    return _attach(taken.write(shown.case, shown.shown, find_made(shown.run), language), taken.name, taken.kind)


def find_made(run: Run | None) -> str:
    """Return when the run of a version was made, as its certificate says; nothing where there is none."""
    if run is None or run.outcome is None:
        return ""
    for place in sorted(run.folder.glob(f"*/{CERTIFICATE}")):
        return str(json.loads(read_regular_file(place)).get("made", ""))
    return ""


def _attach(data: bytes, name: str, kind: str) -> Response:
    return Response(data, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
