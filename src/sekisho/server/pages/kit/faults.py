"""Errors of files and of fields in the reader's language, and what the validator answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import HTMLResponse

from sekisho.server.pages.kit.language import choose_language
from sekisho.server.pages.kit.render import render
from sekisho.server.pages.kit.words import knows_name, say_name
from sekisho.server.routes.models import CheckAnswer
from sekisho.words import Language, translate

Shown = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedUpload:
    """The validator's answer in the reader's language."""

    valid: bool
    errors: list[Shown]
    count: int


def translate_faults(faults: Iterable[Mapping[str, object]], language: Language) -> list[Shown]:
    """Return errors with their messages in a language; rules, places and values stay as they are."""
    return [{**fault, "message": _translate(fault, language)} for fault in faults]


def _translate(fault: Mapping[str, object], language: Language) -> str:
    message, rule = str(fault["message"]), str(fault["rule"])
    if language is Language.EN:
        return message
    translated = str(fault.get("message_ja", message))
    if translated == message and knows_name("fault", rule):
        return translate(say_name("fault", rule), language)
    return translated


def render_check(request: Request, answer: CheckAnswer) -> HTMLResponse:
    """Return the validator's answer as a part of a page."""
    return render(request, "team/checked_part.html", checked=show_check(request, answer))


def show_check(request: Request, answer: CheckAnswer) -> CheckedUpload:
    """Return the validator's answer as a page shows it."""
    errors = translate_faults(answer.errors, choose_language(request))
    return CheckedUpload(valid=answer.valid, errors=errors, count=answer.count)
