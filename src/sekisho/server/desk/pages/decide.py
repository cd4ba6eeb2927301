"""Decide: may it leave; the gate's verdict in the report's words, two persons where it leaves it to persons, the files.

Everything that keeps data here stands below: what may be handed over, who may approve (:mod:`sekisho.journey.review`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Form, HTTPException, Request, UploadFile
from starlette.responses import HTMLResponse, Response

from sekisho.data.files.whole_files import read_regular_file
from sekisho.errors import Fault, FaultsError, InputError, say_rule
from sekisho.gate.certificate.reviews import ReviewDecision
from sekisho.gate.certificate.signing import MAX_BYTES, PrivateKey
from sekisho.gate.outcome import Verdict
from sekisho.gate.output_files import CERTIFICATE, SHEET
from sekisho.journey.review import ask_review, decide_review, hand_over, read_review
from sekisho.server.desk.account_view import show_account
from sekisho.server.desk.cases import Case
from sekisho.server.desk.exports import SHORTEST_PASSPHRASE, write_zip
from sekisho.server.desk.frame import RecipeLine, find_desk, go_on, write_desk_page
from sekisho.server.desk.pages.decision import (
    ShownDecision,
    is_out,
    list_refusals_elsewhere,
    read_advice,
    read_decision,
)
from sekisho.server.desk.pages.run import STEP, make_order, write_report
from sekisho.server.desk.runs.jobs import Run, RunState
from sekisho.server.desk.shown import OpenCase, open_case
from sekisho.server.web.forms import take_file
from sekisho.words import Said, join_words

router = APIRouter()
KEY_FILE = "my-key.pem"
Shown = Annotated[int, Form(ge=1, le=999_999)]
Text = Annotated[str, Form(max_length=10_000)]


@router.get("/cases/{name}/decide", response_class=HTMLResponse)
def show_decision(request: Request, name: str) -> Response:
    """Show whether it may leave."""
    return write_decision(request, open_case(request, name))


def write_decision(
    request: Request,
    case: OpenCase,
    *,
    faults: Sequence[Fault] = (),
    filled: Mapping[str, str] | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Return the page of a version; after a form that was refused with what is wrong, and what was filled in."""
    decision = read_decision(case)
    return write_desk_page(
        request,
        "desk/decide.html",
        case,
        step="decide",
        lines=_list_lines(decision),
        command=_tell_commands(case, decision),
        status=status,
        decision=decision,
        account=None if decision is None else show_account(decision.outcome.get("account"), case.files),
        advice=read_advice(find_desk(request).runs, case),
        run=case.run,
        state="" if case.run is None else case.run.state.value,
        run_step=STEP[case.shape],
        faults=[fault.as_dict() for fault in faults],
        filled=filled or {},
        refusals=list_refusals_elsewhere(case),
        other_release=case.is_released and (decision is None or not decision.is_out),
        address=f"/cases/{case.name}/decide",
        shortest=SHORTEST_PASSPHRASE,
    )


def _list_lines(decision: ShownDecision | None) -> list[RecipeLine]:
    """Return what this page writes: no line of the recipe, but names into the certificate."""
    if decision is None or decision.review.certificate.verdict is not Verdict.REVIEW:
        return []
    review = decision.asked
    asked = None if review is None else review.asked.name
    decided = None if review is None or review.decided is None else f"{review.decided.decision}: {review.decided.name}"
    return [
        RecipeLine(text="certificate.json, reviews", kind="table"),
        RecipeLine(text=f"asked   = {asked or '–'}", kind="new" if asked else ""),
        RecipeLine(text=f"decided = {decided or '–'}", kind="new" if decided else ""),
    ]


def _tell_commands(case: OpenCase, decision: ShownDecision | None) -> str:
    lines = [case.command]
    if decision is not None and decision.review.certificate.verdict is Verdict.REVIEW:
        lines += [
            "sekisho review release --ask --name … --purpose … --key …",
            "sekisho review release --approve --name … --reason … --key …",
        ]
    return "\n".join([*lines, "sekisho verify release/public/certificate.json"])


def _find_run(case: OpenCase) -> Run:
    """Return the finished run that a form is about."""
    if case.run is None or case.run.state is not RunState.FINISHED:
        raise HTTPException(409)
    return case.run


@router.post("/cases/{name}/decide/release", response_class=HTMLResponse)
def release(request: Request, name: str, v: Shown) -> Response:
    """Put what may leave into the case's ``public``; once it is there, a second click changes nothing."""
    case = open_case(request, name, v)
    run = _find_run(case)
    if case.version != case.newest:  # an old tab: the page says so, and offers nothing
        return write_decision(request, case, status=409)
    try:
        if not is_out(case.case, read_review(run.folder)):
            hand_over(run.folder, case.case.folder)
    except FaultsError as error:
        return write_decision(request, case, faults=error.faults, status=422)
    return go_on(request, f"/cases/{name}/decide")


@router.post("/cases/{name}/decide/advise", response_class=HTMLResponse)
def advise(request: Request, name: str, v: Shown) -> Response:
    """Try out what would settle it; what was tried already is not tried again."""
    case = open_case(request, name, v)
    _find_run(case)
    find_desk(request).runs.start(make_order(request, case).ask_advice())
    return go_on(request, _find_page(case) + "#advice")


@router.post("/cases/{name}/decide/ask", response_class=HTMLResponse)
def ask(
    request: Request,
    name: str,
    v: Shown,
    person: Text = "",
    purpose: Text = "",
    passphrase: Text = "",
    pem: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """Ask for a decision: the first person."""
    case = open_case(request, name, v)
    run = _find_run(case)
    try:
        ask_review(run.folder, name=person, purpose=purpose, key=_read_key(pem, passphrase))
    except (FaultsError, InputError) as error:
        return _refuse(request, case, error, {"person": person, "purpose": purpose})
    return go_on(request, _find_page(case))


@router.post("/cases/{name}/decide/answer", response_class=HTMLResponse)
def answer(
    request: Request,
    name: str,
    v: Shown,
    decision: Annotated[ReviewDecision, Form()],
    seen: Text = "",
    person: Text = "",
    reason: Text = "",
    passphrase: Text = "",
    pem: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """Approve or refuse: the second person; what is approved lies in the case's ``public`` afterwards."""
    case = open_case(request, name, v)
    run = _find_run(case)
    before = read_review(run.folder).review
    try:
        if before is None or before.decided is None or before.decided.name != person.strip():
            key = _read_key(pem, passphrase)
            decide_review(run.folder, decision, name=person, reason=reason, key=key, seen=seen)
        state = read_review(run.folder)
        if state.public and not is_out(case.case, state):
            hand_over(run.folder, case.case.folder)
    except (FaultsError, InputError) as error:
        return _refuse(request, case, error, {"decider": person, "reason": reason})
    return go_on(request, _find_page(case))


def _find_page(case: OpenCase) -> str:
    return f"/cases/{case.name}/decide" + ("" if case.version == case.newest else f"?v={case.version}")


def _read_key(pem: UploadFile | None, passphrase: str) -> PrivateKey | None:
    """Return a person's key; it is used once and kept nowhere.

    Raises:
        InputError: the file holds none, or the passphrase is not its own.
    """
    chosen = take_file(pem)
    if chosen is None:
        return None
    data = chosen.file.read(MAX_BYTES + 1)
    return PrivateKey.parse(data[:MAX_BYTES], Path(chosen.filename or "key").name, passphrase=passphrase)


def _refuse(
    request: Request, case: OpenCase, error: FaultsError | InputError, filled: Mapping[str, str]
) -> HTMLResponse:
    if isinstance(error, FaultsError):
        return write_decision(request, case, faults=error.faults, filled=filled, status=422)
    rule = Said("be one's own private key, with its passphrase")
    words = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    fault = Fault(row=0, column="key", rule=rule, value="", message=join_words((words,)))
    return write_decision(request, case, faults=[fault], filled=filled, status=422)


@router.post("/cases/{name}/decide/key", response_class=HTMLResponse)
def make_key(request: Request, name: str, v: Shown, passphrase: Text = "") -> Response:
    """Make a key for whoever has none: it is downloaded, locked, and kept nowhere here."""
    case = open_case(request, name, v)
    if len(passphrase) < SHORTEST_PASSPHRASE:
        rule = Said("have at least {least} characters", least=SHORTEST_PASSPHRASE)
        message = say_rule("passphrase", rule, len(passphrase))
        fault = Fault(row=0, column="passphrase", rule=rule, value="", message=message)
        return write_decision(request, case, faults=[fault], status=422)
    return _download(PrivateKey.make().write_pem(passphrase), KEY_FILE, "application/x-pem-file")


@router.get("/cases/{name}/public.zip", response_class=HTMLResponse)
def take_public(request: Request, name: str) -> Response:
    """Download all that may leave."""
    case = open_case(request, name).case
    files = {path.name: read_regular_file(path) for path in _list_public(case)}
    if CERTIFICATE not in files:
        raise HTTPException(404)
    return _download(write_zip(files), "public.zip", "application/zip")


@router.get("/cases/{name}/public/{file}", response_class=HTMLResponse)
def take_one(request: Request, name: str, file: str) -> Response:
    """Download one file that may leave; its name is looked up and never made a path."""
    for path in _list_public(open_case(request, name).case):
        if path.name == file:
            return _download(read_regular_file(path), path.name, "application/octet-stream")
    raise HTTPException(404)


def _list_public(case: Case) -> list[Path]:
    return sorted(path for path in case.public.iterdir() if path.is_file() and not path.is_symlink())


def _download(data: bytes, name: str, kind: str) -> Response:
    return Response(data, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/cases/{name}/sheet", response_class=HTMLResponse)
def show_sheet(request: Request, name: str) -> Response:
    """Show the sheet of A4 to sign, as the run wrote it."""
    case = open_case(request, name)
    return write_report(request, read_regular_file(_find_run(case).folder / "confidential" / SHEET))
