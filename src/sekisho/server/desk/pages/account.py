"""Answers to what the account leaves open: one click writes a line of the schema or the recipe, and leads back."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from sekisho.errors import Fault, ParameterError, say_rule
from sekisho.gate.account.answers import AccountAnswer
from sekisho.gate.account.reasons import list_reason_faults
from sekisho.server.desk.answers import REASONED, list_answer_edits
from sekisho.server.desk.changes import Sent, write_edits
from sekisho.server.desk.pages.run import write_run_page
from sekisho.server.desk.shown import open_case

router = APIRouter()


@router.post("/cases/{name}/account", response_class=HTMLResponse)
def answer_column(request: Request, name: str, form: Sent) -> Response:
    """Say what an open column is, or that it does not leave, or ask for what covers it."""
    case = open_case(request, name, form.seen)
    column, reason = form.get("column"), form.get("reason").strip()
    try:
        answer = AccountAnswer(form.get("answer"))
    except ValueError as error:
        raise HTTPException(422) from error
    reasons = {column: reason} if answer in REASONED else {}
    faults = [_make_fault(column, error) for error in list_reason_faults(answer.value, reasons)]
    if faults:
        return write_run_page(request, case, faults=faults, status=422)
    try:
        edits = list_answer_edits(case.files, column, answer, reason)
    except ParameterError as error:
        return write_run_page(request, case, faults=[_make_fault(column, error)], status=422)
    return write_edits(request, name, edits, form, back=f"/cases/{name}/run#account")


def _make_fault(column: str, error: ParameterError) -> Fault:
    message = say_rule(column, error.rule, error.value)
    return Fault(row=0, column=column, rule=error.rule, value=str(error.value), message=message)
