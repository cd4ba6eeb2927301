"""Forms of values that stand for one person, home, account or device: each a pattern, some with check digits.

A column has a form if a large part of its distinct values has it. Sentences may hold one: then a single one is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray


class IdentityForm(StrEnum):
    """What values stand for somebody by their form or content."""

    EMAIL = "e-mail addresses"
    LINK = "links"
    NET = "addresses of the net"
    DEVICE = "numbers of devices"
    PHONE = "telephone numbers"
    ADDRESS = "street addresses"
    ACCOUNT = "numbers of accounts or cards"
    MY_NUMBER = "numbers with the check digit of My Number"
    OFFICIAL = "numbers that an office gives to one person or firm"
    COORDINATES = "exact coordinates"
    NAMES = "names of people"
    PARTS = "parts of another column that names people"
    WORDS = "words that may be names"
    SENTENCES = "texts that speak of people"
    PROSE = "free text"
    CODES = "codes of which each stands for few rows"
    LISTED = "identifiers of the original"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """How a form is written.

    Attributes:
        whole: what a whole value looks like.
        within: what of it may stand within a sentence; empty if nothing could be told there.
        checked: which of the values that look so keep their check digits; all if None.
        share: of the distinct values, so many must have the form.
    """

    whole: str
    within: str = ""
    checked: Callable[[list[str]], NDArray[np.bool_]] | None = None
    share: float = 0.5


def _digits(texts: list[str]) -> NDArray[np.int64]:
    """Return the digits of texts of one length, a row each."""
    return np.array([[int(sign) for sign in text] for text in texts], dtype=np.int64)


def check_my_number(texts: list[str]) -> NDArray[np.bool_]:
    """Tell which numbers of twelve digits keep the check digit of My Number (Ordinance 85 of 2014, article 5)."""
    digits = _digits(texts)
    rest = digits[:, :11] @ np.array([6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
    return np.where(rest <= 1, 0, 11 - rest) == digits[:, 11]


def check_corporate_number(texts: list[str]) -> NDArray[np.bool_]:
    """Tell which numbers of thirteen digits keep the check digit of a Japanese corporate number: the first one."""
    digits = _digits(texts)
    return 9 - digits[:, 1:] @ np.array([2, 1] * 6) % 9 == digits[:, 0]


def check_luhn(texts: list[str]) -> NDArray[np.bool_]:
    """Tell which numbers keep the check digit of cards and devices (Luhn; ISO/IEC 7812-1)."""
    plain = ["".join(sign for sign in text if sign.isdecimal()) for text in texts]
    kept = [_keeps_luhn(text) for text in plain]
    return np.array(kept, dtype=np.bool_)


def _keeps_luhn(text: str) -> bool:
    doubled = [2 * int(sign) if place % 2 else int(sign) for place, sign in enumerate(reversed(text))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def check_iban(texts: list[str]) -> NDArray[np.bool_]:
    """Tell which account numbers keep their check digits (ISO 13616: the rest by 97 is 1)."""
    return np.array([_rest_by_97(text.replace(" ", "")) == 1 for text in texts], dtype=np.bool_)


def _rest_by_97(text: str) -> int:
    turned = text[4:] + text[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97


def check_chinese(texts: list[str]) -> NDArray[np.bool_]:
    """Tell which numbers of eighteen signs keep the check sign of a Chinese identity card (GB 11643)."""
    weights = [pow(2, 17 - place, 11) for place in range(17)]
    sums = [sum(int(sign) * weight for sign, weight in zip(text[:17], weights, strict=True)) for text in texts]
    return np.array(["10X98765432"[one % 11] == text[17].upper() for one, text in zip(sums, texts, strict=True)])


def check_spanish(texts: list[str]) -> NDArray[np.bool_]:
    """Tell which numbers of eight digits keep the letter of a Spanish identity card."""
    return np.array(["TRWAGMYFPDXBNJZSQVHLCKE"[int(text[:8]) % 23] == text[8].upper() for text in texts])


def check_french(texts: list[str]) -> NDArray[np.bool_]:
    """Tell which numbers of fifteen digits keep the key of the French NIR: 97 less the rest of the others by 97."""
    return np.array([97 - int(text[:13]) % 97 == int(text[13:]) for text in texts])


OCTET = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
IP = rf"(?:{OCTET}\.){{3}}{OCTET}"
STREETS = "street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|way|court|ct|close|crescent|terrace|square|row"
WEGE = (
    r"stra(?:ß|ss)e|str|weg|gasse|allee|\bring|[bcdfghjklmnqstvwxz]ring|damm|ufer|platz|steig|pfad|chaussee|markt|hof"
    "|berg|graben"
)
RUES = "rue|avenue|av|boulevard|bd|place|chemin|impasse|quai|route|all[ée]e|calle|c/|avda|avenida|plaza|paseo|via|viale"
PHONES = (
    r"\+[0-9]{1,3}[ .-]?(?:\(?[0-9]{1,5}\)?[ .-]?){1,4}[0-9]{3,4}",
    r"0[0-9]{1,4}[ .-][0-9]{1,4}[ .-][0-9]{3,4}",
    r"\(0[0-9]{1,4}\) ?[0-9]{1,4}-[0-9]{4}",
    r"\(?[2-9][0-9]{2}\)?[ .-][2-9][0-9]{2}[ .-][0-9]{4}",
    r"0[0-9]{2,4}[ /][0-9]{6,8}",
    r"(?:0[1-9])(?:[ .][0-9]{2}){4}",
)
ALONE = (r"0[5789]0[0-9]{8}", r"0[1-9][0-9]{8}", r"1[3-9][0-9]{9}", r"[5-9][0-9]{2} [0-9]{3} [0-9]{3}")
"""Telephone numbers that are told only where they stand alone."""

PATTERNS: Mapping[IdentityForm, tuple[Pattern, ...]] = {
    IdentityForm.EMAIL: (
        Pattern(whole=r"^\s*[^@\s,;]+@[^@\s]+\.[^@\s]+\s*$", within=r"[\w.+-]+@[\w-]+\.[A-Za-z]", share=0.1),
    ),
    IdentityForm.LINK: (
        Pattern(
            whole=r"(?i)^\s*(?:https?|ftp)://\S+$|^\s*www\.\S+\.\S+$|^@[A-Za-z0-9_]{3,}$",
            within=r"(?i)\b(?:https?://|www\.)\S",
            share=0.3,
        ),
    ),
    IdentityForm.NET: (
        Pattern(whole=rf"^\s*{IP}(?::[0-9]+|/[0-9]+)?\s*$", within=rf"(?:^|[^0-9.]){IP}(?:$|[^0-9.])", share=0.3),
        Pattern(whole=r"(?i)^(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}$|^(?:[0-9a-f]{1,4}:){2,6}:[0-9a-f:]*$", share=0.3),
    ),
    IdentityForm.DEVICE: (
        Pattern(whole=r"(?i)^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}$", share=0.3),
        Pattern(whole=r"(?i)^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$", share=0.3),
        Pattern(whole=r"^[0-9]{15}$", checked=check_luhn, share=0.6),
    ),
    IdentityForm.PHONE: (
        Pattern(
            whole=r"^\s*(?:(?:Tel|TEL|☎)[.:]? ?)?(?:" + "|".join((*PHONES, *ALONE)) + r")\s*$",
            within=r"(?:^|[^0-9.-])(?:" + "|".join(PHONES) + r")(?:$|[^0-9.-])",
            share=0.3,
        ),
    ),
    IdentityForm.ACCOUNT: (
        Pattern(
            whole=r"^[A-Z]{2}[0-9]{2} ?(?:[A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}$",
            within=r"\b[A-Z]{2}[0-9]{2}(?: ?[0-9]{4}){3,5}",
            checked=check_iban,
        ),
        Pattern(whole=r"^[A-Z]{2}[0-9]{2} ?(?:[0-9]{4} ?){3,5}[0-9]{1,4}$"),
        Pattern(whole=r"^[3-6][0-9]{3}[ -]?(?:[0-9]{4}[ -]?){2}[0-9]{3,4}$", checked=check_luhn, share=0.6),
        Pattern(
            whole=r"(?:普通|当座|貯蓄|総合).*[0-9]{6,8}|(?:銀行|信金|信用金庫|農協|支店).*[0-9]{6,8}",
            within=r"(?:普通|当座|貯蓄|口座)[^0-9]{0,6}[0-9]{6,8}",
            share=0.3,
        ),
    ),
    IdentityForm.MY_NUMBER: (Pattern(whole=r"^[0-9]{12}$", checked=check_my_number, share=0.6),),
    IdentityForm.OFFICIAL: (
        Pattern(whole=r"^[0-9]{13}$", checked=check_corporate_number, share=0.6),
        Pattern(whole=r"^[0-9]{3}-[0-9]{2}-[0-9]{4}$", within=r"(?:^|[^0-9-])[0-9]{3}-[0-9]{2}-[0-9]{4}(?:$|[^0-9-])"),
        Pattern(whole=r"^[0-9]{2}[01][0-9][0-3][0-9]-[1-8][0-9]{6}$", within=r"\b[0-9]{6}-[1-8][0-9]{6}\b", share=0.6),
        Pattern(whole=r"^[0-9]{17}[0-9Xx]$", checked=check_chinese, share=0.6),
        Pattern(whole=r"^[0-9]{8}[A-Za-z]$", checked=check_spanish, share=0.6),
        Pattern(whole=r"^[12][0-9]{14}$", checked=check_french, share=0.6),
        Pattern(whole=r"^[A-CEGHJ-PR-TW-Z]{2} ?(?:[0-9]{2} ?){3}[A-D]$"),
    ),
    IdentityForm.COORDINATES: (
        Pattern(whole=r"^\(?\s*-?[0-9]{1,3}\.[0-9]{3,}\s*[,; ]\s*-?[0-9]{1,3}\.[0-9]{3,}\s*\)?$"),
    ),
    IdentityForm.ADDRESS: (
        Pattern(
            whole=r"(?:都|道|府|県|市|区|町|村|郡).*[0-9０-９一二三四五六七八九十]+(?:-|－|‐|の|丁目|番地?|号)[0-9０-９]*"
            r"|[0-9０-９]+(?:-|－)[0-9０-９]+.*号室?$"
            r"|(?:路|街|巷|大道|大街)[0-9]+号|(?:길|로) ?[0-9]+",
            within=r"(?:市|区|町|村)[^0-9\s]{0,8}[0-9]+(?:-|丁目|番地)[0-9]+",
            share=0.2,
        ),
        Pattern(whole=rf"(?i)^[0-9]{{1,5}}[a-z]?,? (?:[\w.'-]+ ){{1,4}}(?:{STREETS})\b\.?", share=0.2),
        Pattern(
            whole=rf"(?i)^[\wäöüéß. -]*(?:{WEGE})\.? ?(?:[0-9]{{1,3}}|[13-9][0-9]{{3}}) ?[a-z]?(?:$|[ ,])", share=0.2
        ),
        Pattern(
            whole=rf"(?i)^[0-9]{{1,4}}(?: ?(?:bis|ter))?,? (?:{RUES})\.? "
            rf"|^(?:{RUES})\.? [^0-9]+,? ?(?:n[º°] ?)?[0-9]{{1,4}}",
            share=0.2,
        ),
    ),
}


def find_form(texts: pl.Series) -> tuple[IdentityForm, float] | None:
    """Return the form of a large part of some distinct texts, with the share that has it; None if there is none."""
    if not len(texts):
        return None
    for form, patterns in PATTERNS.items():
        for pattern in patterns:
            share = float(_match(texts, pattern).sum()) / len(texts)
            if share >= pattern.share:
                return form, share
    return None


def find_form_within(texts: pl.Series) -> tuple[IdentityForm, float] | None:
    """Return a form that stands within some text, with the share of texts that hold it; None if there is none."""
    for form, patterns in PATTERNS.items():
        for pattern in patterns:
            hits = int(texts.str.contains(pattern.within).sum()) if pattern.within else 0
            if hits:
                return form, hits / len(texts)
    return None


def _match(texts: pl.Series, pattern: Pattern) -> NDArray[np.bool_]:
    looks = texts.str.contains(pattern.whole).fill_null(value=False).to_numpy().copy()
    if pattern.checked is not None and looks.any() and looks.mean() >= pattern.share:
        looks[looks] = pattern.checked(texts.filter(pl.Series(looks)).to_list())
    return looks
