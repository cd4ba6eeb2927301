"""Words in the names of columns that tell what a column is about: who, a name, a number, a place, an amount.

Latin words (English, German, French, Spanish, some Italian, Dutch and Portuguese) must be whole words of the name, or
up to three that stand beside each other (``last_name`` and ``LastName`` are lastname). Japanese, Chinese and Korean are
written without spaces, so a word of theirs may stand anywhere. Longer words are taken first, and what one word has
taken no other has: 主病名コード is 病名 and コード, and no 名. A long German or Dutch word that is not listed is what
it ends with (Bruttogehalt is Gehalt), and what stands before that, if it is listed (Mandantennummer).

What is known of a column by which it is judged whether it names people, and the finding.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property
from importlib.resources import files

import polars as pl

from sekisho.data.frame.dataset import Kind, Meaning

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


PROBED = 3000
INNOCENT = (
    *(Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.ITEM, Topic.PRICE, Topic.QUANTITY, Topic.COUNT),
)
"""What a name may speak of without naming people."""
MEANINGLESS = re.compile(
    r"(?i)^(?:unnamed|col(?:umn)?|field|var(?:iable)?|feature|attr(?:ibute)?|data|value|text|code|key|misc|other|info"
    r"|entry|[a-z]|列|項目|フィールド|その他|変数|데이터|字段)?[\s_:.-]*(?:[a-z]?[0-9]*)$"
)


class Ground(StrEnum):
    """Why a column is taken to name people."""

    HEADER = "header"
    CONTENT = "content"
    DISTINCT = "distinct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifying:
    """A column that names people.

    Attributes:
        column: its name.
        ground: why.
        sign: the word of the header, or the form of the values; never a value itself.
        share: of the distinct values, how many have the form; None where that was not counted.
    """

    column: str
    ground: Ground
    sign: str = ""
    share: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnEvidence:
    """What is known of a column.

    Attributes:
        header: its name; empty where the file gives none.
        kind: of its values.
        values: the distinct ones, as texts.
        rows: how many rows have one; None where rows are no records, as in a table of cells.
        meaning: of a history, what it says of an event, where that is declared.
        crosses: of a history, whether one person has several values and one value several people, as wares do; None if
            that is not known.
        is_exact: whether each cell holds one of the values, not a range of numbers that ends at two of them.
    """

    header: str
    kind: Kind
    values: pl.Series
    rows: int | None
    meaning: Meaning | None = None
    crosses: bool | None = None
    is_exact: bool = True

    @cached_property
    def topics(self) -> dict[Topic, str]:
        """What its name speaks of."""
        return find_topics(self.header)

    @cached_property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.values)

    @cached_property
    def probe(self) -> pl.Series:
        """Some of the values, spread over all of them."""
        step = max(1, self.distinct // PROBED)
        return self.values.gather_every(step).head(PROBED)

    def has(self, *topics: Topic) -> bool:
        """Tell whether the name speaks of one of these."""
        return any(topic in self.topics for topic in topics)

    @property
    def is_innocent(self) -> bool:
        """Whether the name, or what was declared, speaks of something that names nobody."""
        return self.has(*INNOCENT) or self.meaning is not None

    @property
    def is_meaningless(self) -> bool:
        """Whether the name says nothing at all."""
        return not self.topics.keys() - {Topic.NUMBERED, Topic.COUNT} and bool(MEANINGLESS.match(self.header.strip()))

    def covers(self, share: float) -> bool:
        """Tell whether there are that many distinct values per row."""
        return self.rows is not None and self.distinct > share * self.rows

    def share(self, pattern: str) -> float:
        """Return the share of the values that a pattern is found in."""
        return float(self.probe.str.contains(pattern).sum()) / max(1, len(self.probe))
