"""What is said: sentences with their figures, and one catalogue of their English and Japanese side by side.

A sentence is a value. Its key is the English template itself, ``"{customers:,} customers cannot form a group of
{size}"``, its figures are what fills the holes. Who raises, answers or lists it says it once; the reader's language is
asked for where it is shown. A sentence that the catalogue does not have, or that has other figures, cannot be built.

The catalogue is ``words/catalogue``, a file a room. Holes are plain: ``{name}``, ``{name!r}``, ``{name:,}``; two forms
are ours:

* ``{rows:row|rows}`` chooses between one and many;
* ``{name:~}`` in Japanese stands apart from its neighbours where Latin letters or digits meet Japanese.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import Final, Literal, LiteralString, Self, TypeAlias, TypeVar

CATALOGUE: Final = Path(__file__).with_name("catalogue")
T = TypeVar("T")
APART: Final = "~"
CONVERSIONS: Final = (None, "r")
_CONTEXT = re.compile(r"[a-z_]+\|")


class Language(StrEnum):
    """The languages that Sekisho speaks."""

    EN = "en"
    JA = "ja"


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words, then a hole with how it is filled; no name if the sentence ends without one."""

    literal: str
    name: str
    conversion: str | None
    form: str


class Said(str):
    """A sentence of ours: its English as text, and beside it the key and the figures that it was made of.

    Attributes:
        key: the English template; where the same English has two meanings, a context and a bar stand before it.
        figures: what fills the holes; a sentence is put into the reader's language with them, any other text is data.
    """

    __slots__ = ("figures", "key")
    key: LiteralString
    figures: Mapping[str, object]

    def __new__(cls, key: LiteralString, /, **figures: object) -> Self:
        """Build the sentence; an unknown key or other figures than its holes are a mistake of ours."""
        pieces, _, holes = read_entry(key)
        if holes != figures.keys():
            raise TypeError(f"{key!r} has the holes {sorted(holes)}, not {sorted(figures)}")
        settled = {piece.name: _settle(figures[piece.name], piece) for piece in pieces if piece.name}
        said = super().__new__(cls, _fill(pieces, settled))
        said.key, said.figures = key, MappingProxyType(settled)
        return said

    def say(self, language: Language) -> str:
        """Return the sentence in a language."""
        if language is Language.EN:
            return self
        figures = {name: translate(each, language) if isinstance(each, str) else each for name, each in self._items()}
        return _fill(read_entry(self.key)[1], figures)

    def fill(self, **figures: object) -> Said:
        """Return the same sentence with other figures in some of its holes."""
        return Said(self.key, **{**self.figures, **figures})

    def write_settings(self, write: WriteSetting) -> str:
        """Return the sentence with each setting that it names written as a door writes it."""
        if not self.key:
            return self
        return Said(self.key, **{name: write_settings(figure, write) for name, figure in self._items()})

    def _items(self) -> Iterable[tuple[str, object]]:
        return self.figures.items()

    def __str__(self) -> str:
        return self  # so that an error's text is the sentence it was made of

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.key, dict(self.figures))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


Separator: TypeAlias = Literal["", " ", ", ", "; ", " and ", " or ", "\n"]
SEPARATORS: Final[Mapping[Separator, str]] = MappingProxyType(
    {"": "", " ": "", ", ": "、", "; ": "。", " and ": "と", " or ": "か", "\n": "\n"}
)


class _Joined(Said):
    """Words one after the other."""

    __slots__ = ()

    def say(self, language: Language) -> str:
        if language is Language.EN:
            return self
        return str(self.figures["between"]).join(translate(part, language) for part in self._parts())

    def write_settings(self, write: WriteSetting) -> str:
        parts = (write_settings(part, write) for part in self._parts())
        return _join_parts(tuple(parts), self.key, str(self.figures["between"]))

    def _parts(self) -> tuple[str, ...]:
        parts = self.figures["parts"]
        return parts if isinstance(parts, tuple) else ()

    def __reduce__(self) -> tuple[object, ...]:
        return join_words, (self._parts(), self.key, self.figures["between"])


def join_words(parts: Iterable[str], separator: Separator = "", japanese: str | None = None) -> Said:
    """Return words one after the other, in each language with what stands between words there."""
    return _join_parts(tuple(parts), separator, SEPARATORS[separator] if japanese is None else japanese)


def _join_parts(parts: tuple[str, ...], separator: LiteralString, between: str) -> Said:
    joined = str.__new__(_Joined, separator.join(parts))
    joined.key, joined.figures = separator, MappingProxyType({"parts": parts, "between": between})
    return joined


def quote_words(text: str) -> Said:
    """Return a text that somebody else says as a sentence, the same in every language; one of ours stays what it is."""
    return text if isinstance(text, Said) else join_words((text,))


def split_words(words: str) -> tuple[str, ...]:
    """Return the words that were joined, one by one."""
    parts = words.figures.get("parts") if isinstance(words, _Joined) else None
    return parts if isinstance(parts, tuple) else (words,)


class _Cut(Said):
    """Words of which so much is shown."""

    __slots__ = ()

    def say(self, language: Language) -> str:
        words, most = self.figures["words"], self.figures["most"]
        return _cut(translate(str(words), language), most if isinstance(most, int) else 0)

    def write_settings(self, write: WriteSetting) -> str:
        words, most = self.figures["words"], self.figures["most"]
        return cut_words(write_settings(str(words), write), most if isinstance(most, int) else 0)

    def __reduce__(self) -> tuple[object, ...]:
        return cut_words, (self.figures["words"], self.figures["most"])


def cut_words(words: str, most: int) -> str:
    """Return words or any text, cut after so many characters where it is longer."""
    if not isinstance(words, Said) or len(words) <= most:
        return words if len(words) <= most else _cut(words, most)
    cut = str.__new__(_Cut, _cut(words, most))
    cut.key, cut.figures = "{words}", MappingProxyType({"words": words, "most": most})
    return cut


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"


class _Bilingual(Said):
    """Words that somebody else wrote in both languages."""

    __slots__ = ()

    def say(self, language: Language) -> str:
        return str(self.figures[language])

    def __reduce__(self) -> tuple[object, ...]:
        return bilingual, (self.figures[Language.EN], self.figures[Language.JA])


def bilingual(english: str, japanese: str) -> Said:
    """Return words that a recipe, a rulebook or a standard has in both languages; ours are in the catalogue."""
    words = str.__new__(_Bilingual, english)
    words.key, words.figures = "", MappingProxyType({Language.EN: english, Language.JA: japanese})
    return words


class Setting(Said):
    """Something that a person may say otherwise: the library names it, and each door writes it as it is said there.

    On the command line ``--category region=T``, in a recipe ``categories.region = ["T"]``.
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.figures["name"])

    @property
    def of(self) -> str:
        """The column that it is said of; empty if it is said of none."""
        return str(self.figures["of"])

    @property
    def value(self) -> str:
        """What may be said; empty if that is anybody's choice."""
        return str(self.figures["value"])

    def say(self, language: Language) -> str:
        """Return it as it is: a name is the same in every language."""
        del language
        return self

    def write_settings(self, write: WriteSetting) -> str:
        """Return it as a door writes it."""
        return write(self)

    def __reduce__(self) -> tuple[object, ...]:
        return name_setting, (self.name, self.value, self.of)


WriteSetting: TypeAlias = Callable[[Setting], str]


def name_setting(name: str, value: str = "", of: str = "") -> Setting:
    """Return a setting as a figure of a sentence; where no door writes it, it is named plainly."""
    setting = str.__new__(Setting, " ".join(filter(None, (name, f"{of}={value}" if of else value))))
    setting.key, setting.figures = "", MappingProxyType({"name": name, "of": of, "value": value})
    return setting


def write_settings(words: T, write: WriteSetting) -> T | str:
    """Return a sentence of ours with its settings written as a door writes them; anything else as it is."""
    return words.write_settings(write) if isinstance(words, Said) else words


def translate(words: str, language: Language) -> str:
    """Return a sentence of ours in a language; any other text (a name, a number, data) as it is."""
    return words.say(language) if isinstance(words, Said) else words


@cache
def read_catalogue() -> Mapping[str, str]:
    """Return the Japanese of every sentence, by its key."""
    entries = dict[str, str]()
    for path in sorted(CATALOGUE.glob("*.json")):
        entries |= json.loads(path.read_bytes())
    return entries


def list_holes(template: str) -> frozenset[str]:
    """Return the names of a template's holes; attributes, indices and places of a hole are refused."""
    return frozenset(piece.name for piece in _parse(template) if piece.name)


@cache
def read_entry(key: str) -> tuple[tuple[_Piece, ...], tuple[_Piece, ...], frozenset[str]]:
    """Return the English, the Japanese and the holes of a sentence, each parsed."""
    japanese = read_catalogue().get(key)
    if japanese is None:
        raise LookupError(f"the catalogue has no sentence {key!r}")
    english = _CONTEXT.sub("", key, count=1) if _CONTEXT.match(key) else key
    if list_holes(english) != list_holes(japanese):
        raise TypeError(f"{key!r} has other holes in Japanese: {japanese!r}")
    return _parse(english), _parse(japanese), list_holes(english)


def _parse(template: str) -> tuple[_Piece, ...]:
    pieces = [
        _Piece(literal, name or "", conversion, form or "")
        for literal, name, form, conversion in Formatter().parse(template)
        if _is_plain(name, conversion, form) or _refuse(template)
    ]
    return tuple(pieces)


def _is_plain(name: str | None, conversion: str | None, form: str | None) -> bool:
    return name is None or (name.isidentifier() and conversion in CONVERSIONS and "{" not in (form or ""))


def _refuse(template: str) -> bool:
    raise TypeError(f"{template!r} has a hole that is no name")


def _fill(pieces: Iterable[_Piece], figures: Mapping[str, object]) -> str:
    text, apart = "", False
    for piece in pieces:
        text = _join(text, piece.literal, apart=apart)
        if piece.name:
            apart = piece.form == APART
            text = _join(text, _format(figures[piece.name], piece), apart=apart)
    return text


def _settle(figure: object, piece: _Piece) -> object:
    """Return what is kept of a figure: of what is shown as it is (an error, a path) its words."""
    as_it_is = not (piece.form or piece.conversion) and not isinstance(figure, str | int | float)
    return str(figure) if as_it_is else figure


def _format(figure: object, piece: _Piece) -> str:
    shown = repr(figure) if piece.conversion else figure
    if "|" in piece.form:
        return piece.form.split("|")[0 if figure == 1 else 1]
    return format(shown, "" if piece.form == APART else piece.form)


def _join(before: str, after: str, *, apart: bool) -> str:
    """Return two texts in a row, with a space between Latin letters or digits and Japanese if they stand apart."""
    last, first = before[-1:], after[:1]
    meets = (_is_latin(last) and _is_japanese(first)) or (_is_japanese(last) and _is_latin(first))
    return f"{before} {after}" if apart and meets else before + after


def _is_latin(character: str) -> bool:
    return character.isascii() and character.isprintable() and not character.isspace() and character != ""


def _is_japanese(character: str) -> bool:
    return character.isalpha() and not character.isascii()


def _rebuild(key: LiteralString, figures: Mapping[str, object]) -> Said:
    return Said(key, **figures)
