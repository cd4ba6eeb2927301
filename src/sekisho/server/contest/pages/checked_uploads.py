"""What the validator answers, as a page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request
from starlette.responses import HTMLResponse

from sekisho.server.contest.pages.render import render
from sekisho.server.contest.routes.models import CheckAnswer
from sekisho.server.web.faults import Shown, translate_faults
from sekisho.server.web.language import choose_language


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedUpload:
    """The validator's answer in the reader's language."""

    valid: bool
    errors: list[Shown]
    count: int


def render_check(request: Request, answer: CheckAnswer) -> HTMLResponse:
    """Return the validator's answer as a part of a page."""
    return render(request, "team/checked_part.html", checked=show_check(request, answer))


def show_check(request: Request, answer: CheckAnswer) -> CheckedUpload:
    """Return the validator's answer as a page shows it."""
    errors = translate_faults(answer.errors, choose_language(request))
    return CheckedUpload(valid=answer.valid, errors=errors, count=answer.count)
