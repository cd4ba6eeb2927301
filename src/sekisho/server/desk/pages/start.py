"""The first page: bring a file, go on with a case or delete it, try the desk with a made-up file, or close the desk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, HTTPException, Query, Request, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse, Response

from sekisho.data.shape import Shape
from sekisho.errors import InputError, UnknownNameError
from sekisho.gate.outcome import Verdict
from sekisho.server.desk.arrivals import MADE_UP, find_arrival, open_arrival, receive_piece, settle_arrival
from sekisho.server.desk.cases import Case, DroppedFile
from sekisho.server.desk.changes import Sent
from sekisho.server.desk.counter import CountAnswer, Later
from sekisho.server.desk.counting.arriving import SEALED, Reading
from sekisho.server.desk.frame import find_desk, go_on, write_desk_page
from sekisho.server.desk.originals import OriginalState
from sekisho.server.desk.pages.asking import FAILURES, FAULT, tell_failure
from sekisho.server.desk.pages.versions import VERDICT_WORDS
from sekisho.server.desk.plain_data import Plain, describe_error
from sekisho.server.desk.runs.jobs import RunState
from sekisho.server.desk.settings import Desk
from sekisho.server.desk.shown import OpenCase, open_case, read_verdict, show_case
from sekisho.server.web.language import choose_language
from sekisho.words import Said

router = APIRouter()
LONGEST_PIECE = 32 << 20
PIECE = 4 << 20
SHOWN_FAULTS = 12
LONGEST_NAME = 255
LOOK_SECONDS = 0.8
"""So long the page of a file that comes waits for its look before it tells how far that is."""
SAID = ("shape", "separator", "encoding")
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
        waits = Said("waits for a second person"), "warn"
        return (Said("case|refused by a person"), "bad") if shown.settled == "refused" else waits
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
        language = choose_language(request)
        dropped = find_desk(request).cases.begin_upload(name, size, changed=changed, language=language)
    if start + len(data) > size:
        raise HTTPException(422)
    received = receive_piece(dropped, data, start=start)
    address = "" if received < size else _make_case(request, dropped)
    return {"received": received, "next": find_desk(request).entrance.prefix + address if address else ""}


def _make_case(request: Request, dropped: DroppedFile) -> str:
    """Return where a file leads that has come: to the page of its case, or to how far its look is."""
    settled = settle_arrival(find_desk(request), dropped)
    return f"/cases/{settled.name}/file" if isinstance(settled, Case) else f"/uploads/{dropped.id}"


@router.post("/upload/form", response_class=HTMLResponse)
def receive_form(request: Request, file: UploadFile) -> Response:
    """Take a whole file in by a form, for those who have no script."""
    if not file.filename:
        return go_on(request, "/")
    language = choose_language(request)
    dropped = find_desk(request).cases.begin_upload(file.filename[:LONGEST_NAME], language=language)
    received = 0
    while data := file.file.read(PIECE):
        received = receive_piece(dropped, data, start=received)
    return go_on(request, _make_case(request, dropped))


def _open_upload(request: Request, name: str) -> DroppedFile | Case:
    """Return a file that comes, or the case that it has become."""
    try:
        return find_arrival(find_desk(request).cases, name)
    except UnknownNameError as error:
        raise HTTPException(404) from error


@router.get("/uploads/{name}", response_class=HTMLResponse)
def show_upload(request: Request, name: str) -> Response:
    """Show how far the first look at a file is, or what is wrong with it and how it may be read otherwise."""
    dropped = _open_upload(request, name)
    if isinstance(dropped, DroppedFile):
        return _show_arrival(request, dropped, seconds=LOOK_SECONDS)
    return go_on(request, f"/cases/{dropped.name}/file")


@router.post("/uploads/{name}/read", response_class=HTMLResponse)
def read_upload(request: Request, name: str, form: Sent) -> Response:
    """Read a file in the form that somebody says; one whose look was cancelled as it was said before."""
    dropped = _open_upload(request, name)
    if isinstance(dropped, DroppedFile):
        fields = dict(form.fields)
        said = {key: fields[key] for key in SAID if fields.get(key)}
        if said.get("shape", Shape.RECORDS) not in tuple(Shape):
            raise HTTPException(422)
        if any(key in fields for key in SAID):
            dropped = replace(dropped, said=said, cancelled=False)
        else:
            dropped = replace(dropped, cancelled=False)
        dropped.save()
        return _show_arrival(request, dropped)
    return go_on(request, f"/cases/{dropped.name}/file")


@router.post("/uploads/{name}/open", response_class=HTMLResponse)
def open_sealed(request: Request, name: str, form: Sent) -> Response:
    """Open a sealed case with its passphrase, which is kept nowhere, and go to what is to be decided."""
    dropped = _open_upload(request, name)
    if not isinstance(dropped, DroppedFile):
        return go_on(request, f"/cases/{dropped.name}/decide")
    try:
        opened = open_arrival(find_desk(request), dropped, form.get("passphrase"))
    except InputError as error:
        opened = CountAnswer(version=0, failure={"key": "input", **describe_error(error)})
    if isinstance(opened, Case):
        return go_on(request, f"/cases/{opened.name}/decide")
    if isinstance(opened, Later):
        raise HTTPException(503)
    return _write_arrival(request, dropped, opened, sealed=True)


@router.post("/uploads/{name}/cancel", response_class=HTMLResponse)
def cancel_look(request: Request, name: str) -> Response:
    """End the first look at a file; the file is kept."""
    dropped = _open_upload(request, name)
    if isinstance(dropped, DroppedFile):
        replace(dropped, cancelled=True).save()
        find_desk(request).counters.end(dropped.folder)
    return go_on(request, f"/uploads/{name}")


@router.post("/uploads/{name}/discard", response_class=HTMLResponse)
def discard_upload(request: Request, name: str) -> Response:
    """Remove a file that was dropped; a named one stays where it stands."""
    dropped = _open_upload(request, name)
    if isinstance(dropped, DroppedFile):
        find_desk(request).counters.end(dropped.folder)
        dropped.discard()
    return go_on(request, "/")


def _show_arrival(request: Request, dropped: DroppedFile, *, seconds: float | None = None) -> Response:
    """Show how a file stands that is no case yet; once its look is done, its case."""
    settled: Case | CountAnswer | Later | None = None
    if dropped.is_whole and not dropped.cancelled:
        settled = settle_arrival(find_desk(request), dropped, seconds=seconds)
    if isinstance(settled, Case):
        return go_on(request, f"/cases/{settled.name}/file")
    sealed = isinstance(settled, CountAnswer) and SEALED in settled.result
    return _write_arrival(request, dropped, settled, sealed=sealed)


def _write_arrival(
    request: Request, dropped: DroppedFile, settled: CountAnswer | Later | None, *, sealed: bool
) -> HTMLResponse:
    """Return the page of a file that is no case yet."""
    failure = settled.failure if isinstance(settled, CountAnswer) else None
    sentence, errors = _tell_fault(request, failure, sealed=sealed)
    return write_desk_page(
        request,
        "desk/upload.html",
        status=422 if failure is not None else 200,
        dropped=dropped,
        reading=Reading.find(dropped.folder) if isinstance(settled, Later) else None,
        sealed=sealed,
        sentence=sentence,
        errors=errors[:SHOWN_FAULTS],
        count=0 if failure is None else failure.get("count", 0),
        said_form=dropped.said,
        encodings=ENCODINGS,
        separators=SEPARATORS,
        shapes=SHAPE_WORDS,
    )


def _tell_fault(request: Request, failure: Plain | None, *, sealed: bool) -> tuple[str, list[Plain]]:
    """Return why a file cannot be read: a sentence, and its lines."""
    if failure is None:
        return "", []
    language = choose_language(request)
    faults = tell_failure(failure, language)
    if faults:
        return Said("This archive is not taken.") if sealed else Said("Its lines do not fit together."), faults
    words = failure.get("reason", {}).get(str(language))
    return words or FAILURES.get(failure["key"], FAULT), []


@router.post("/try/{what}", response_class=HTMLResponse)
def try_made_up(request: Request, what: str) -> Response:
    """Make a case of a made-up file."""
    if what not in MADE_UP:
        raise HTTPException(404)
    dropped = MADE_UP[what].bring(find_desk(request).cases, language=choose_language(request))
    return go_on(request, _make_case(request, dropped))


@router.post("/close", response_class=HTMLResponse)
def close_desk(request: Request, afterwards: BackgroundTasks) -> HTMLResponse:
    """Say that the desk is closed, and close it."""
    answer = write_desk_page(request, "desk/closed.html")
    afterwards.add_task(find_desk(request).settings.close)
    answer.background = afterwards
    return answer


@router.get("/cases/{name}/delete", response_class=HTMLResponse)
def ask_deletion(request: Request, name: str) -> HTMLResponse:
    """Say what would be lost with a case, and ask."""
    shown = open_case(request, name)
    case = shown.case
    return write_desk_page(
        request,
        "desk/delete.html",
        shown,
        dropped=case.original.dropped,
        versions=len(case.versions.list()),
        runs=sum(folder.is_dir() for folder in case.runs.iterdir()),
        released=sorted(path.name for path in case.public.iterdir()),
        under_way=shown.run is not None and not shown.run.state.is_over,
    )


@router.post("/cases/{name}/delete", response_class=HTMLResponse)
def delete_case(request: Request, name: str) -> Response:
    """Delete a case; a file that was named by command stays where it stands."""
    remove_case(find_desk(request), open_case(request, name).case)
    return go_on(request, "/")


def remove_case(desk: Desk, case: Case) -> None:
    """End what works for a case, then remove it."""
    desk.runs.adopt(case.runs)
    for run in desk.runs.list_under_way():
        if run.order.case == case.name:
            desk.runs.cancel(run.folder, wait=True)
    desk.counters.end(case.folder)
    desk.cases.remove(case)
