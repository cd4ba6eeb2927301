"""How the refusals are answered that only a contest's server has: the referee's, the database's, the passwords'."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse
from sqlalchemy.exc import OperationalError

from sekisho.contest.rulings.refusal import RefusedEventError
from sekisho.server.contest.auth.passwords import BusyError
from sekisho.server.web.answers import ANSWERS, refuse
from sekisho.words import Language, Said


def answer_refused_event(request: Request, error: Exception) -> JSONResponse:
    """Answer that the referee refuses an event."""
    del request
    if not isinstance(error, RefusedEventError):
        raise error
    reason = error.refusal.reason
    return refuse(409, reason, rule=error.refusal.rule, ja=reason.say(Language.JA))


def answer_unavailable(request: Request, error: Exception) -> JSONResponse:
    """Answer that the database does not answer."""
    del request, error
    return refuse(503, headers={"Retry-After": "5"})


def answer_busy(request: Request, error: Exception) -> JSONResponse:
    """Answer that too many passwords are being tried."""
    del request, error
    return refuse(503, Said("too many people are logging in: try again"), rule="busy", headers={"Retry-After": "5"})


CONTEST_ANSWERS = {
    **ANSWERS,
    BusyError: answer_busy,
    RefusedEventError: answer_refused_event,
    OperationalError: answer_unavailable,
}
