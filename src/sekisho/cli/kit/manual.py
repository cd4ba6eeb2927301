"""The manual: the help page of every command, built beforehand, so that asking for help loads nothing.

``manual.json`` holds, by the command's words, its page, its sub-commands with a line each, and its options,
``manual.ja.json`` its page in Japanese; `make manual` builds both anew and a test sees that they are what the commands
say. A command that is not in it, such as a
plug-in's method, shows its own page, and the page of its group lists it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TypedDict

from sekisho.registry import list_plugins
from sekisho.words import Language, Said, translate

HELP = ("--help", "-h")
PLUGIN_GROUPS = {"protect": "sekisho.methods", "attack": "sekisho.adversaries"}
"""By command the group in which other packages announce what it offers."""


class ManualPage(TypedDict):
    """One command.

    Attributes:
        text: its help page.
        commands: its sub-commands, each with a line.
        options: its options, each with a line; those that take no value end in nothing, the others in ``=``.
    """

    text: str
    commands: dict[str, str]
    options: dict[str, str]


@cache
def read_manual() -> Mapping[str, ManualPage]:
    """Return the manual, page by page."""
    text = (files("sekisho.cli.kit") / "manual.json").read_text(encoding="utf-8")
    pages: dict[str, ManualPage] = json.loads(text)
    return pages


@cache
def read_japanese_pages() -> Mapping[str, str]:
    """Return the pages in Japanese."""
    text = (files("sekisho.cli.kit") / "manual.ja.json").read_text(encoding="utf-8")
    pages: dict[str, str] = json.loads(text)
    return pages


def find_page(arguments: Sequence[str], language: Language = Language.EN) -> str | None:
    """Return the page that is asked for, in a language; None if none is, or the manual does not have it."""
    words = _find_words(arguments)
    if words is None:
        return None
    page = read_japanese_pages()[words] if language is Language.JA else read_manual()[words]["text"]
    return page + _tell_plugins(words, language)


def _tell_plugins(words: str, language: Language) -> str:
    """Return what other packages add to a command, each with whose it is; nothing is loaded of them."""
    added = list_added(words)
    width = max(map(len, added), default=0) + 2
    title = translate(Said("Plug-ins (each has its own --help)"), language)
    lines = [f"   {name.ljust(width)}{distribution}\n" for name, distribution in added.items()]
    return "".join(["\n", f" {title}\n", *lines]) if added else ""


def list_added(words: str) -> dict[str, str]:
    """Return what other packages add to a command, by name whose each is."""
    if words not in PLUGIN_GROUPS:
        return {}
    own = read_manual()[words]["commands"]
    return {each.name: each.distribution for each in list_plugins(PLUGIN_GROUPS[words]) if each.name not in own}


def _find_words(arguments: Sequence[str]) -> str | None:
    end = next((at for at, word in enumerate(arguments) if word in HELP), None)
    if end is None or "--" in arguments[:end]:
        return None
    manual, words = read_manual(), ""
    for word in arguments[:end]:
        if word not in manual[words]["commands"]:
            # what follows the last sub-command are its arguments; an unknown sub-command is no page of ours
            return None if manual[words]["commands"] else words
        words = f"{words} {word}".strip()
    return words if words in manual else None
