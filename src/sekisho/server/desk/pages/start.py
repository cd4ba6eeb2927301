"""The first page: bring a file, go on with a case, or try the desk with a made-up file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse, Response

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, InputError, ParameterError, SekishoError
from sekisho.gate.outcome import Verdict
from sekisho.server.desk.arrivals import MADE_UP, receive_piece
from sekisho.server.desk.cases import Case, DroppedFile
from sekisho.server.desk.changes import Sent
from sekisho.server.desk.frame import find_desk, go_on, write_desk_page
from sekisho.server.desk.originals import OriginalState, propose_files
from sekisho.server.desk.pages.versions import VERDICT_WORDS
from sekisho.server.desk.runs.jobs import RunState
from sekisho.server.desk.shown import OpenCase, read_verdict, show_case
from sekisho.server.web.faults import translate_faults
from sekisho.server.web.language import choose_language
from sekisho.words import Said

router = APIRouter()
LONGEST_PIECE = 32 << 20
PIECE = 4 << 20
SHOWN_FAULTS = 12
LONGEST_NAME = 255
SHAPE_WORDS: Mapping[Shape, Said] = {
    Shape.RECORDS: Said("Records: one row a person"),
    Shape.HISTORY: Said("History: many rows a person"),
    Shape.TABLE: Said("Table: cells with totals"),
}
ENCODINGS = ("utf-8", "cp932", "euc-jp", "utf-16", "latin-1")
SEPARATORS: Mapping[str, Said] = {
    ",": Said("separator|comma"),
    ";": Said("separator|semicolon"),
    "\t": Said("separator|tab"),
    "|": Said("separator|bar"),
}
RUN_WORDS: Mapping[RunState, tuple[Said, str]] = {
    RunState.WAITING: (Said("a run waits"), "plain"),
    RunState.RUNNING: (Said("a run is under way"), "plain"),
    RunState.CANCELLED: (Said("cancelled by you"), "warn"),
    RunState.INTERRUPTED: (Said("a run was interrupted"), "warn"),
    RunState.FAILED: (Said("a run failed"), "bad"),
}
Name = Annotated[str, Query(min_length=1, max_length=LONGEST_NAME)]
Size = Annotated[int, Query(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCard:
    """A case as the first page shows it."""

    case: OpenCase
    shape: Said
    badge: tuple[Said, str]
    step: str
    versions: int


def _show_card(request: Request, case: Case) -> CaseCard:
    shown = show_case(request, case)
    step = "file"
    if shown.run is not None:
        step = "decide" if shown.run.outcome is not None else "table" if shown.shape is Shape.TABLE else "run"
    return CaseCard(
        case=shown,
        shape=SHAPE_WORDS[shown.shape],
        badge=_find_badge(shown),
        step=step,
        versions=len(case.versions.list()),
    )


def _find_badge(shown: OpenCase) -> tuple[Said, str]:
    """Return how a case stands, in a word and a colour."""
    if shown.is_released:
        return Said("case|released"), "good"
    if shown.original is OriginalState.GONE:
        return Said("the file is gone"), "bad"
    if shown.original is OriginalState.CHANGED:
        return Said("the file has changed"), "warn"
    verdict = read_verdict(shown.run)
    if verdict is Verdict.REVIEW:
        return Said("waits for a second person"), "warn"
    if verdict is not None:
        return VERDICT_WORDS[verdict]
    return (Said("not run yet"), "plain") if shown.run is None else RUN_WORDS[shown.run.state]


@router.get("/", response_class=HTMLResponse)
def show_start(request: Request) -> HTMLResponse:
    """Show where a file is brought, what came only in part, and the cases."""
    desk = find_desk(request)
    cards = [_show_card(request, case) for case in desk.cases.list_cases()]
    return write_desk_page(
        request,
        "desk/start.html",
        command="sekisho desk people.csv",
        cards=cards,
        uploads=desk.cases.list_uploads(),
        made_up=MADE_UP,
    )


def _find_upload(request: Request, name: str, size: int, changed: str) -> DroppedFile | None:
    """Return what has come of a file; one of the same name, size and time is the same."""
    uploads = find_desk(request).cases.list_uploads()
    return next((one for one in uploads if (one.name, one.size, one.changed) == (name, size, changed)), None)


@router.get("/upload", response_class=JSONResponse)
def ask_upload(request: Request, name: Name, size: Size, changed: str = "") -> dict[str, object]:
    """Tell how much of a file has come, so that the rest can follow."""
    dropped = _find_upload(request, name, size, changed)
    return {"received": 0 if dropped is None else dropped.received, "next": ""}


@router.post("/upload", response_class=JSONResponse)
async def receive_upload(request: Request, name: Name, size: Size, changed: str = "") -> dict[str, object]:
    """Take a piece of a file in; once it is whole, make a case of it."""
    start = request.headers.get("x-desk-offset", "")
    if not (start.isascii() and start.isdecimal()):
        raise HTTPException(422)
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > LONGEST_PIECE:
            raise HTTPException(413)
    return await run_in_threadpool(_take_piece, request, (name, size, changed), bytes(data), int(start))


def _take_piece(request: Request, sent: tuple[str, int, str], data: bytes, start: int) -> dict[str, object]:
    name, size, changed = sent
    dropped = _find_upload(request, *sent)
    if dropped is None:
        dropped = find_desk(request).cases.begin_upload(name, size, changed=changed)
    if start + len(data) > size:
        raise HTTPException(422)
    received = receive_piece(dropped, data, start=start)
    address = "" if received < size else _make_case(request, dropped)
    return {"received": received, "next": find_desk(request).entrance.prefix + address if address else ""}


def _make_case(request: Request, dropped: DroppedFile) -> str:
    """Return where a dropped file leads: to the page of its case, or to what is wrong with it."""
    try:
        case = find_desk(request).cases.create(dropped, language=choose_language(request))
    except SekishoError:
        return f"/uploads/{dropped.id}"
    return f"/cases/{case.name}/file"


@router.post("/upload/form", response_class=HTMLResponse)
def receive_form(request: Request, file: UploadFile) -> Response:
    """Take a whole file in by a form, for those who have no script."""
    if not file.filename:
        return go_on(request, "/")
    dropped = find_desk(request).cases.begin_upload(file.filename[:LONGEST_NAME])
    received = 0
    while data := file.file.read(PIECE):
        received = receive_piece(dropped, data, start=received)
    return go_on(request, _make_case(request, dropped))


def _open_upload(request: Request, name: str) -> DroppedFile:
    """Return a file that was dropped and is no case yet; its name is looked up and never made a path."""
    for dropped in find_desk(request).cases.list_uploads():
        if dropped.id == name:
            return dropped
    raise HTTPException(404)


@router.get("/uploads/{name}", response_class=HTMLResponse)
def show_upload(request: Request, name: str) -> HTMLResponse:
    """Show what is wrong with a file that was dropped, and how it may be read otherwise."""
    return _show_fault(request, _open_upload(request, name), {})


@router.post("/uploads/{name}/read", response_class=HTMLResponse)
def read_upload(request: Request, name: str, form: Sent) -> Response:
    """Read a file in the form that somebody says."""
    dropped, said = _open_upload(request, name), dict(form.fields)
    try:
        proposal = propose_files(
            dropped.part,
            name=dropped.name,
            shape=Shape(said["shape"]) if said.get("shape") in tuple(Shape) else None,
            form=CsvForm(separator=said.get("separator") or None, encoding=said.get("encoding") or None),
            language=choose_language(request),
        )
        case = find_desk(request).cases.create(dropped, proposal=proposal, language=choose_language(request))
    except SekishoError:
        return _show_fault(request, dropped, said)
    return go_on(request, f"/cases/{case.name}/file")


@router.post("/uploads/{name}/discard", response_class=HTMLResponse)
def discard_upload(request: Request, name: str) -> Response:
    """Remove a file that was dropped."""
    _open_upload(request, name).discard()
    return go_on(request, "/")


def _show_fault(request: Request, dropped: DroppedFile, said: Mapping[str, str]) -> HTMLResponse:
    """Show why a file cannot be read; the file is kept."""
    sentence, errors, count = _find_fault(request, dropped, said)
    return write_desk_page(
        request,
        "desk/upload.html",
        status=422 if sentence else 200,
        dropped=dropped,
        sentence=sentence,
        errors=errors,
        count=count,
        said_form=said,
        encodings=ENCODINGS,
        separators=SEPARATORS,
        shapes=SHAPE_WORDS,
    )


def _find_fault(
    request: Request, dropped: DroppedFile, said: Mapping[str, str]
) -> tuple[str, list[dict[str, object]], int]:
    """Return what is wrong with a file: a sentence, and its lines; nothing if it is only not whole."""
    if dropped.size is not None and dropped.received < dropped.size:
        return "", [], 0
    try:
        form = CsvForm(separator=said.get("separator") or None, encoding=said.get("encoding") or None)
        shape = Shape(said["shape"]) if said.get("shape") in tuple(Shape) else None
        propose_files(dropped.part, name=dropped.name, shape=shape, form=form)
    except FaultsError as error:
        faults = [fault.as_both() for fault in error.faults[:SHOWN_FAULTS]]
        return Said("Its lines do not fit together."), translate_faults(faults, choose_language(request)), error.count
    except InputError as error:
        return error.reason, [], 0
    except ParameterError as error:
        return error.args[0], [], 0
    return "", [], 0


@router.post("/try/{what}", response_class=HTMLResponse)
def try_made_up(request: Request, what: str) -> Response:
    """Make a case of a made-up file."""
    if what not in MADE_UP:
        raise HTTPException(404)
    case = MADE_UP[what].bring(find_desk(request).cases, language=choose_language(request))
    return go_on(request, f"/cases/{case.name}/file")
