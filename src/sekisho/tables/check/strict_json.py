"""Plain data of a certificate, read strictly: numbers are numbers, places exist, nothing is guessed.

A hostile text costs little: it is of limited length, numbers are short (those of points less so, which may be corners
of large systems), and nothing is computed here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any, NoReturn, TypeVar

DIGITS = 60
"""How many characters a number may have; and how large an exponent."""
LONG = 1000
"""How many characters the whole numbers of a point may have: they are only compared and added up."""
LENGTH = 1 << 29
"""How many characters a certificate may have."""
Number = int | Fraction
TOLERANCE = Fraction(1, 10**9)
"""Of sums of decimals in binary fractions, relative to their size."""
T = TypeVar("T")


def allow_slack(size: Number, *, exact: bool) -> Number:
    """Return by how much a figure may miss: not at all where whole numbers are added, else by the tolerance."""
    return 0 if exact else TOLERANCE * max(1, size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Whole numbers at some places, over a denominator: a deviation of cells, or multipliers of equations."""

    places: list[int]
    numbers: list[int]
    denominator: int


def read_text(text: str) -> dict[str, Any]:
    """Return the plain data of a text.

    Raises:
        ValueError: it is too long, or no object of plain data; also TypeError and RecursionError.
    """
    if len(text) > LENGTH:
        raise ValueError(f"the text has more than {LENGTH} characters")
    return read_dict(json.loads(text, parse_float=_decimal, parse_int=_digits, parse_constant=_refuse))


def digest_text(text: str) -> str:
    """Return the SHA-256 of all but the digest itself: it guards against slips; what is proven does not rest on it."""
    plain = read_dict(json.loads(text))
    rest = {name: part for name, part in plain.items() if name != "digest"}
    return sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_ratio(held: object, names: tuple[str, str], most: int, read: Callable[[object], int]) -> Ratio:
    """Return whole numbers at places over a denominator."""
    part = read_dict(held)
    places, numbers = read_list(part[names[0]], lambda place: read_place(place, most)), read_list(part[names[1]], read)
    denominator = read(part["denominator"])
    if denominator <= 0 or len(places) != len(numbers) or len(set(places)) != len(places):
        raise ValueError("a denominator is not above 0, or places and numbers do not match")
    return Ratio(places=places, numbers=numbers, denominator=denominator)


def read_list(thing: object, each: Callable[[Any], T]) -> list[T]:
    """Return a list, each part read."""
    if not isinstance(thing, list):
        raise TypeError(f"{shorten(thing)} stands where a list is due")
    some: list[Any] = thing
    return [each(one) for one in some]


def read_dict(thing: object) -> dict[str, Any]:
    """Return an object."""
    if not isinstance(thing, dict):
        raise TypeError(f"{shorten(thing)} stands where an object is due")
    return thing


def read_or_none(thing: object, read: Callable[[Any], T]) -> T | None:
    """Return what is read, or None where none is told."""
    return None if thing is None else read(thing)


def read_word(thing: object) -> str:
    """Return a text."""
    if not isinstance(thing, str):
        raise TypeError(f"{shorten(thing)} stands where a word is due")
    return thing


def read_number(thing: object) -> Number:
    """Return a number."""
    if isinstance(thing, bool) or not isinstance(thing, int | Fraction):
        raise TypeError(f"{shorten(thing)} stands where a number is due")
    return _brief(thing) if isinstance(thing, int) else thing


def read_whole(thing: object) -> int:
    """Return a whole number of limited length."""
    return _brief(read_long(thing))


def read_long(thing: object) -> int:
    """Return a whole number."""
    if isinstance(thing, bool) or not isinstance(thing, int):
        raise TypeError(f"{shorten(thing)} stands where a whole number is due")
    return thing


def _brief(number: int) -> int:
    if abs(number) >= 10**DIGITS:
        raise ValueError(f"a number has more than {DIGITS} digits")
    return number


def read_place(thing: object, most: int) -> int:
    """Return a place below a number of places."""
    place = read_whole(thing)
    if not 0 <= place < most:
        raise ValueError(f"{place} is none of {most}")
    return place


def _digits(text: str) -> int:
    if len(text) > LONG:
        raise ValueError(f"a number has more than {LONG} digits")
    return int(text)


def _decimal(text: str) -> Fraction:
    """Return a decimal number exactly; the exponent is looked at before it costs anything."""
    number = Decimal(text) if len(text) <= DIGITS else Decimal("1e99999")
    if number and abs(number.adjusted()) > DIGITS:
        raise ValueError(f"a number has more than {DIGITS} digits")
    return Fraction(number)


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def shorten(thing: object) -> str:
    """Return a thing as a short text."""
    words = repr(thing)
    return words if len(words) <= 40 else words[:40] + "…"
