"""Words in the names of columns that tell what a column is about: who, a name, a number, a place, an amount.

Latin words (English, German, French, Spanish, some Italian, Dutch and Portuguese) must be whole words of the name, or
up to three that stand beside each other (``last_name`` and ``LastName`` are lastname). Japanese, Chinese and Korean are
written without spaces, so a word of theirs may stand anywhere. Longer words are taken first, and what one word has
taken no other has: 主病名コード is 病名 and コード, and no 名. A long German or Dutch word that is not listed is what
it ends with (Bruttogehalt is Gehalt), and what stands before that, if it is listed (Mandantennummer).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from enum import StrEnum
from functools import cache
from importlib.resources import files

LONGEST_RUN = 3
"""So many words beside each other may be one."""


class Topic(StrEnum):
    """What a column's name says it is about."""

    NAME = "name"
    CALLED = "called"
    CONTACT = "contact"
    ADDRESS = "address"
    NUMBER = "number"
    LINK = "link"
    COORDINATE = "coordinate"
    REMARKS = "remarks"
    STAFF = "staff"
    PERSON = "person"
    BELONGING = "belonging"
    TRANSACTION = "transaction"
    NUMBERED = "numbered"
    PROPERTY = "property"
    QUASI = "quasi"
    PLACE = "place"
    SENSITIVE = "sensitive"
    TIME = "time"
    ITEM = "item"
    PRICE = "price"
    QUANTITY = "quantity"
    COUNT = "count"
    VENUE = "venue"
    WHOLE = "whole"
    PART = "part"
    SUBJECT = "subject"
    SUMMED = "summed"


@cache
def _read_lists() -> dict[str, list[str]]:
    tables = tomllib.loads((files("sekisho.data.identity") / "lists/headers.toml").read_text(encoding="utf-8"))
    return {name: text.split() for name, text in tables.items()}


@cache
def list_flags() -> frozenset[str]:
    """Return what stands in columns that only say yes or no, or the like."""
    return frozenset(_read_lists()["flags"])


@cache
def list_words() -> dict[Topic, frozenset[str]]:
    """Return the words of each topic, Latin ones without accents and in lower case."""
    lists = _read_lists()
    return {topic: frozenset(form for word in lists[topic] for form in _spell_umlauts(fold(word))) for topic in Topic}


def _spell_umlauts(word: str) -> tuple[str, str]:
    """Return a word as it is and as accents are dropped: ``laenge`` is also what ``Länge`` becomes."""
    return word, word.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def fold(text: str) -> str:
    """Return a text in lower case and one width, Latin letters without accents."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain
    return "".join(_strip_accent(sign) for sign in plain)


def _strip_accent(sign: str) -> str:
    first = unicodedata.normalize("NFD", sign)[0]
    return first if first.isascii() else sign


_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LATIN = re.compile(r"[a-z]+")
_EASTERN = re.compile(r"[぀-ヿ㐀-鿿가-힣々ー]+")


def find_topics(name: str) -> dict[Topic, str]:
    """Return the topics that a name speaks of, each with the word that says so; longer words are found first."""
    folded = fold(_HUMPS.sub(" ", unicodedata.normalize("NFKC", name)))
    topics: dict[Topic, str] = {}
    _take_latin(_LATIN.findall(folded.replace("n°", " no ").replace("nº", " no ")), topics)
    for part in _EASTERN.findall(folded):
        _take_eastern(part, topics)
    return topics


def _take_latin(words: list[str], topics: dict[Topic, str]) -> None:
    taken: set[int] = set()
    for length in range(min(LONGEST_RUN, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            places = range(start, start + length)
            word = "".join(words[start : start + length])
            if taken.isdisjoint(places) and _add_word(word, topics):
                taken.update(places)
    for place, word in enumerate(words):
        if place not in taken:
            _take_compound(word, topics)


HEADS = ("nr", "tag")
"""Short words that German ones end with."""
SHORTEST_HEAD, SHORTEST_REST = 5, 3


def _take_compound(word: str, topics: dict[Topic, str]) -> None:
    """Take a word of German or Dutch that is put together by its last part, and by what stands before it."""
    for cut in range(SHORTEST_REST, len(word) - 1):
        rest, head = word[:cut], word[cut:]
        if (len(head) >= SHORTEST_HEAD or head in HEADS) and _add_word(head, topics):
            next((True for link in ("", "s", "n", "en", "es") if _add_word(rest.removesuffix(link), topics)), False)
            return


ENDINGS = (
    dict.fromkeys("日月", Topic.TIME)
    | dict.fromkeys("額料費额액비费", Topic.PRICE)
    | dict.fromkeys("病症", Topic.SENSITIVE)
    | dict.fromkeys("科課組班", Topic.QUASI)
    | dict.fromkeys("県市区町村", Topic.PLACE)
)
"""What a Japanese, Chinese or Korean name ends with says what it is of."""


def _take_eastern(part: str, topics: dict[Topic, str]) -> None:
    free = part
    for word in _list_eastern():
        if word in free and _add_word(word, topics):
            free = free.replace(word, " ")
    ending = ENDINGS.get(free[-1:])
    if ending is not None:
        topics.setdefault(ending, free[-1])


@cache
def _list_eastern() -> tuple[str, ...]:
    words = {word for listed in list_words().values() for word in listed if not word.isascii()}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def _add_word(word: str, topics: dict[Topic, str]) -> bool:
    spoken = [topic for topic, listed in list_words().items() if word in listed]
    for topic in spoken:
        topics.setdefault(topic, word)
    return bool(spoken)
