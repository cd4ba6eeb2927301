"""How columns are called that say who lives together, and how many people a row of a sample stands for."""

from __future__ import annotations

import re
import unicodedata

HOMES = (
    "household|hh|home|house|dwelling|family|families|haushalts?|familien?|menage|foyer|famille|hogar|familia|famiglia"
    "|nucleo|huishouden|gezin"
)
EASTERN_HOMES = "世帯|家族|家庭|住戸"
NUMBERS = "id|ident|no|nr|num|number|nummer|numero|code|codigo|key|ref"
NUMBERED = re.compile(
    rf"(?:{HOMES})[ _.-]*(?:{NUMBERS})"
    rf"|id[ _.-]*(?:{HOMES})"
    r"|(?:no|num|numero|code|codigo)[ _.-]*(?:(?:de|del|du)[ _.-]*)?(?:menage|foyer|famille|hogar|familia|famiglia)"
    rf"|(?:{EASTERN_HOMES})[ _.-]*(?:番号|コード|id|no\.?|キー|識別子|整理番号)"
)
"""How columns are called that number households."""
NAMED = re.compile(rf"{HOMES}|{EASTERN_HOMES}")
"""How columns are called that name them: a header that says nothing else."""

WEIGHT = re.compile(
    r"(?:(?:sampl\w*|survey|design|final|base|calibrated|person\w*|household|population|expansion)[ _.-]*)*"
    r"(?:weights?|wgt|wt|weighting|factor|gewicht\w*|hochrechnungs?faktor|poids|ponderation|peso|ponderacion|gewogen)"
    r"(?:[ _.-]*\w{1,10})?|重み|ウェイト|ウエイト|乗率|拡大乗数|集計用乗数|ウェイトバック値"
)
"""How columns are called that say how many people a row stands for."""


def fold_header(name: str) -> str:
    """Return a header in one width, in lower case, without accents."""
    plain = unicodedata.normalize("NFKC", name).strip().lower()
    return plain if not plain.isascii() and not _is_latin(plain) else _strip_accents(plain)


def _is_latin(text: str) -> bool:
    return all(ord(sign) < 0x250 for sign in text)


def _strip_accents(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))


def is_household_number(name: str) -> bool:
    """Tell whether a column's name says that it numbers households: 世帯番号, household_id, hh_id."""
    return NUMBERED.fullmatch(fold_header(name)) is not None


def is_household_header(name: str) -> bool:
    """Tell whether a column's name says household or family and nothing else, so that its values must tell which."""
    return NAMED.fullmatch(fold_header(name)) is not None


def is_weight_header(name: str) -> bool:
    """Tell whether a column's name says that it is a weight: sampling_weight, wgt, poids, 乗率."""
    return WEIGHT.fullmatch(fold_header(name)) is not None
