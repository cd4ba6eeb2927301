"""What a command says, in the chosen language: sentences are values, and here, at the door, they are put into words.

The language of a command: what ``--language`` says, else the locale. English or Japanese.

The door settles it before the words of the command line are parsed, so that a wrong option is refused in the right
language too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from itertools import pairwise

from sekisho.errors import Fault, SekishoError
from sekisho.words import Language, WriteSetting, translate, write_settings

OPTION = "--language"
LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Where the locale is told, the first that is set counts."""

_language: ContextVar[Language | None] = ContextVar("_language", default=None)
_write: ContextVar[WriteSetting | None] = ContextVar("_write", default=None)


def settle_language(words: Sequence[str], environment: Mapping[str, str] = os.environ) -> None:
    """Fix the language of the command that these words call."""
    _language.set(find_language(words, environment))


def settle_settings(write: WriteSetting | None) -> None:
    """Fix how the running command writes the settings that sentences name; None where no command runs."""
    _write.set(write)


def chosen_language() -> Language:
    """Return the language of the running command; outside of a command, the locale's."""
    return _language.get() or find_language([], os.environ)


def find_language(words: Sequence[str], environment: Mapping[str, str]) -> Language:
    """Return the language that the words of a command ask for, the last time they do; else the locale's."""
    end = words.index("--") if "--" in words else len(words)
    asked = [
        after if word == OPTION else word.removeprefix(f"{OPTION}=")
        for word, after in pairwise([*words[:end], ""])
        if word == OPTION or word.startswith(f"{OPTION}=")
    ]
    if asked and asked[-1] in list(Language):
        return Language(asked[-1])
    told = next((environment[name] for name in LOCALE if environment.get(name)), "")
    return Language.JA if re.split(r"[_.@-]", told.lower())[0] in ("ja", "japanese") else Language.EN


def tell_words(words: str) -> str:
    """Return words in the chosen language, settings as the command says them; what is data stays as it is."""
    write = _write.get()
    return translate(words if write is None else write_settings(words, write), chosen_language())


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
