"""English sentences with holes and their Japanese.

A template such as ``{} is no code of {}`` matches a sentence if its literal parts stand there in this order; what
stands between them fills the holes. Each part is looked for once, from the left, so a sentence is matched in one pass
however long it is. Of several templates that match, the one with most literal characters is taken.

In the Japanese ``{1}`` is the second hole. What some holes hold is translated for itself: ``{1:words}`` a sentence or a
part of one, ``{1:rule}`` a rule, ``{1:list}`` words between commas, ``{1:choice}`` words between ``or``.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

HOLE = "{}"
GAP = "  "
"""Two spaces stand between columns of figures, not in sentences."""
_PLACE = re.compile(r"\{(\d+)(?::(words|rule|list|choice))?\}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence in both languages.

    Attributes:
        parts: the literal parts of the English, one more than there are holes.
        japanese: the Japanese with numbered holes.
    """

    parts: tuple[str, ...]
    japanese: str

    @property
    def weight(self) -> tuple[int, int]:
        """How much of a sentence is literal; of two alike, the one with fewer holes counts more."""
        return sum(map(len, self.parts)), -len(self.parts)

    def match(self, text: str) -> list[str] | None:
        """Return what fills the holes; None if this is another sentence, or figures in their columns."""
        first, last = self.parts[0], self.parts[-1]
        if len(self.parts) == 1:
            return [] if text == first else None
        end = len(text) - len(last)
        if not text.startswith(first) or not text.endswith(last) or end < len(first):
            return None
        values, at = list[str](), len(first)
        for part in self.parts[1:-1]:
            place = text.find(part, at, end)
            if place < 0:
                return None
            values.append(text[at:place])
            at = place + len(part)
        values.append(text[at:end])
        return None if any(value.startswith(GAP) or value.endswith(GAP) for value in values) else values


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Sentences, found by one of their words.

    Attributes:
        by_word: each sentence under the longest word that every text of it holds.
        wordless: those that have no such word.
    """

    by_word: Mapping[str, tuple[Sentence, ...]]
    wordless: tuple[Sentence, ...]

    @classmethod
    def of(cls, entries: Mapping[str, str]) -> Catalogue:
        """Return the catalogue of English templates and their Japanese."""
        by_word, wordless = defaultdict[str, list[Sentence]](list), list[Sentence]()
        for english, japanese in entries.items():
            sentence = Sentence(parts=tuple(english.split(HOLE)), japanese=japanese)
            words = max(_whole_words(sentence.parts), key=len, default="")
            (by_word[words] if words else wordless).append(sentence)
        return cls(by_word={word: tuple(each) for word, each in by_word.items()}, wordless=tuple(wordless))

    def find(self, text: str) -> tuple[Sentence, list[str]] | None:
        """Return the sentence that a text is, and what fills its holes."""
        candidates = [*self.wordless]
        for word in set(text.split(" ")):
            candidates += self.by_word.get(word, ())
        matches = [(each, values) for each in candidates if (values := each.match(text)) is not None]
        return max(matches, key=lambda one: one[0].weight, default=None)


def _whole_words(parts: Iterable[str]) -> Iterator[str]:
    """Yield the words that stand between two spaces, or a space and an end, in every text of a template."""
    *before, last = parts
    for at, part in enumerate([*before, last]):
        words = part.split(" ")
        yield from words[(1 if at else 0) : (None if at == len(before) else -1)]


def fill_holes(japanese: str, values: list[str], translate: Mapping[str, Mapping[str, str]]) -> str:
    """Return a Japanese sentence with its holes filled; ``translate`` has, by kind, the Japanese of such values."""

    def fill(place: re.Match[str]) -> str:
        value = values[int(place[1])]
        return translate[place[2]].get(value, value) if place[2] else value

    return _PLACE.sub(fill, japanese)


def list_holes(japanese: str) -> list[tuple[int, str]]:
    """Return the holes of a Japanese sentence, each with its kind, empty if it is a name or a value."""
    return [(int(place[1]), place[2] or "") for place in _PLACE.finditer(japanese)]


def read_entries(kind: str) -> dict[str, str]:
    """Return the templates of a kind (names, rules, subjects, usage or words) in English, each with its Japanese."""
    text = (files("sekisho.cli.kit.language.japanese") / f"{kind}.json").read_text(encoding="utf-8")
    entries: dict[str, str] = json.loads(text)
    return entries


@cache
def read_catalogue(*kinds: str) -> Catalogue:
    """Return the catalogue of some kinds together."""
    return Catalogue.of({english: text for kind in kinds for english, text in read_entries(kind).items()})
