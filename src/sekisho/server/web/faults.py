"""Errors of files and of fields in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sekisho.server.web.words import FAULTS
from sekisho.words import Language, translate

Shown = dict[str, object]


def translate_faults(faults: Iterable[Mapping[str, object]], language: Language) -> list[Shown]:
    """Return errors with their messages in a language; rules, places and values stay as they are."""
    return [{**fault, "message": _translate(fault, language)} for fault in faults]


def _translate(fault: Mapping[str, object], language: Language) -> str:
    message, rule = str(fault["message"]), str(fault["rule"])
    if language is Language.EN:
        return message
    translated = str(fault.get("message_ja", message))
    if translated == message and rule in FAULTS:
        return translate(FAULTS[rule], language)
    return translated
