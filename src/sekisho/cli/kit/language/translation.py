"""What a command says, in the chosen language. The library's errors are English values; here, at the door, they change.

The Japanese is loaded only where it is spoken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekisho.cli.kit.language.choice import chosen_language
from sekisho.errors import Fault, SekishoError
from sekisho.words import Language


def tell_words(words: str) -> str:
    """Return words in the chosen language, line by line; what has no translation stays English."""
    return words if _speaks_english() else _japanese().translate_lines(words)


def tell_subject(subject: str) -> str:
    """Return what was checked of a certificate in the chosen language; the name of a file stays."""
    return subject if _speaks_english() else _japanese().translate_subject(subject)


def tell_error(error: SekishoError) -> str:
    """Return an error's sentence in the chosen language."""
    return str(error) if _speaks_english() else _japanese().translate_error(error)


def tell_fault(fault: Fault) -> Fault:
    """Return a fault with its message in the chosen language."""
    return fault if _speaks_english() else _japanese().translate_fault(fault)


def tell_keys(keys: Mapping[str, object]) -> Mapping[str, object]:
    """Return an answer for JSON: the messages of its ``errors`` follow the language, keys and rules stay."""
    errors = keys.get("errors")
    if _speaks_english() or not isinstance(errors, list):
        return keys
    listed: list[object] = errors
    return {**keys, "errors": [_tell_message(each) for each in listed]}


def _tell_message(error: object) -> object:
    if isinstance(error, dict) and "message" in error:
        fault: dict[str, object] = error
        return {**fault, "message": _japanese().translate_phrase(str(fault["message"]))}
    return error


def _speaks_english() -> bool:
    return chosen_language() is Language.EN


def _japanese() -> Any:
    from sekisho.cli.kit.language.japanese import translate

    return translate
