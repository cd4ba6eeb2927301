"""Everything that the pages say, in both languages, read from ``words.toml``; and names of ours in words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import SimpleNamespace

from sekisho.report.kit.words import bilingual
from sekisho.words import Language, Said, translate

PHRASES = "phrases"


@cache
def read_words() -> Mapping[str, Mapping[str, Said]]:
    """Return the words by group: ``phrases`` are those of the templates, other groups say what names of ours mean."""
    text = (files("sekisho.server.pages.kit") / "words.toml").read_text(encoding="utf-8")
    tables: dict[str, dict[str, list[str]]] = tomllib.loads(text)
    return {group: {name: bilingual(*pair) for name, pair in table.items()} for group, table in tables.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """The words in one language.

    Attributes:
        phrases: of the templates, as attributes.
    """

    language: Language
    phrases: SimpleNamespace

    def say(self, group: str, name: object) -> str:
        """Return what a name of ours means; the name itself where it is somebody else's."""
        text = read_words()[group].get(str(name))
        return str(name) if text is None else translate(text, self.language)

    def knows(self, group: str, name: object) -> bool:
        """Tell whether a name is one of ours."""
        return str(name) in read_words()[group]


@cache
def speak(language: Language) -> Speech:
    """Return the words in a language."""
    phrases = {name: translate(text, language) for name, text in read_words()[PHRASES].items()}
    return Speech(language=language, phrases=SimpleNamespace(**phrases))
