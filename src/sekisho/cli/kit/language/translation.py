"""What a command says, in the chosen language: sentences are values, and here, at the door, they are put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sekisho.cli.kit.language.choice import chosen_language
from sekisho.errors import Fault, SekishoError
from sekisho.words import translate


def tell_words(words: str) -> str:
    """Return words in the chosen language; what is data stays as it is."""
    return translate(words, chosen_language())


def tell_error(error: SekishoError) -> str:
    """Return an error's sentence in the chosen language."""
    return tell_words(str(error))


def tell_fault(fault: Fault) -> Fault:
    """Return a fault with its message in the chosen language; its rule and its place stay."""
    return replace(fault, message=tell_words(fault.message))


def tell_keys(keys: Mapping[str, object]) -> Mapping[str, object]:
    """Return an answer for JSON: the messages of its ``errors`` follow the language, keys and rules stay."""
    errors = keys.get("errors")
    if not isinstance(errors, list):
        return keys
    listed: list[object] = errors
    return {**keys, "errors": [_tell_message(each) for each in listed]}


def _tell_message(error: object) -> object:
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        fault: dict[str, object] = error
        return {**fault, "message": tell_words(str(fault["message"]))}
    return error
