"""How every refusal is answered: one sentence, and all errors as the command line lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from errno import EDQUOT, EFBIG, ENOSPC
from typing import Any

import structlog
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sekisho.errors import BugError, Fault, FaultsError, InputError, ParameterError, SekishoError
from sekisho.words import quote_words

NO_ROOM = (ENOSPC, EDQUOT, EFBIG)
LOG = structlog.stdlib.get_logger("sekisho")
PHRASES = {
    400: "the request cannot be read",
    401: "log in, or send a token",
    403: "this is not yours",
    404: "there is nothing here",
    405: "this address takes no such request",
    408: "the request did not arrive in time",
    413: "the request is too large",
    415: "the request is of a kind that is not taken here",
    429: "too many requests: wait a little",
    500: "a fault of ours; it is written down",
    503: "the database does not answer: try again",
    507: "there is no room left for files: the organisers are to make some; nothing was taken in",
}


SHAPES = {
    "until": "write a day and a time such as 2026-08-01 17:00",
    "team": "a name has letters, digits, _ . and - only",
    "login": "a login has letters, digits and _ . @ + - only",
}
"""What a field must look like, in words."""


def refuse(
    status: int,
    sentence: str = "",
    *,
    rule: str = "",
    ja: str = "",
    errors: Iterable[Mapping[str, object]] = (),
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """Return a refusal."""
    said = sentence or PHRASES.get(status, "the request is refused")
    content: dict[str, object] = {"error": said, "rule": rule or str(status), "errors": list(errors)}
    content |= {"error_ja": ja} if ja else {}
    return JSONResponse(content, status_code=status, headers=headers)


def answer_error(request: Request, error: Exception) -> JSONResponse:
    """Answer an error that we raised on purpose."""
    del request
    if isinstance(error, FaultsError):
        faults = [fault.as_both() for fault in error.faults]
        return refuse(422, str(error), rule="faults", errors=faults)
    if isinstance(error, ParameterError):
        fault = Fault(row=0, column=error.name, rule=error.rule, value="", message=quote_words(str(error)))
        return refuse(422, str(error), rule="parameter", errors=[fault.as_dict()])
    if isinstance(error, InputError):
        return refuse(422, error.reason, rule="input")
    if isinstance(error, SekishoError) and not isinstance(error, BugError):
        return refuse(422, str(error), rule="input")
    return refuse(500, rule="fault")


def answer_http(request: Request, error: Exception) -> JSONResponse:
    """Answer an error of the protocol."""
    del request
    if not isinstance(error, HTTPException):
        raise error
    detail = str(error.detail) if error.detail and error.status_code not in PHRASES else ""
    return refuse(error.status_code, detail, headers=dict(error.headers or {}))


def answer_invalid(request: Request, error: Exception) -> JSONResponse:
    """Answer a request that is not of its model; what was sent is not repeated, for it may be a password."""
    del request
    if not isinstance(error, RequestValidationError):
        raise error
    errors = [
        Fault(
            row=0,
            column=".".join(map(str, each["loc"][1:])),
            rule=str(each["type"]),
            value="",
            message=quote_words(_tell_invalid(each)),
        ).as_dict()
        for each in error.errors()
    ]
    first = "; ".join(f"{each['column']}: {each['message']}" for each in errors[:3])
    return refuse(422, f"the request is not as it must be: {first}", rule="model", errors=errors)


def _tell_invalid(error: Mapping[str, Any]) -> str:
    """Return what is wrong with a field in words: nobody who fills a form in reads patterns."""
    if error["type"] != "string_pattern_mismatch":
        return str(error["msg"])
    return SHAPES.get(str(error["loc"][-1]), "it holds characters that are not allowed here")


def answer_no_room(request: Request, error: Exception) -> JSONResponse:
    """Answer that the disk is full; what else the system refuses is a fault of ours."""
    del request
    if not isinstance(error, OSError) or error.errno not in NO_ROOM:
        raise error
    LOG.error("disk full")
    return refuse(507, rule="room", headers={"Retry-After": "60"})


ANSWERS: Mapping[type[Exception], Callable[[Request, Exception], JSONResponse]] = {
    OSError: answer_no_room,
    RequestValidationError: answer_invalid,
    SekishoError: answer_error,
    HTTPException: answer_http,
}
