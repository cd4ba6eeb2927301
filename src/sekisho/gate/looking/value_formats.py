"""Formats of values that name a person or his home: e-mail, telephone, postal code, the twelve digits of My Number.

Looked at are at most ten thousand distinct values of a column, since a format holds of all or of hardly any.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.gate.looking.hints import Sign

PROBED = 10_000
NEARLY_ALL = 0.9
PATTERNS = {
    Sign.EMAIL: r"^\s*[^@\s]+@[^@\s]+\.[^@\s]+\s*$",
    Sign.PHONE: r"^0[789]0[0-9]{8}$|"
    r"^\s*(?:\+[0-9]{1,3}[ -]?|0)(?:[0-9]{1,4}|\([0-9]{1,4}\))[ -]?[0-9]{2,4}[ -][0-9]{3,5}\s*$",
    Sign.POSTAL: r"^\s*〒?\s*[0-9]{3}-[0-9]{4}\s*$",
}
TWELVE = r"^[0-9]{12}$"
WEIGHTS = np.array([6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2])
"""Of the first eleven digits of a My Number, from the left (Ordinance 85 of 2014, article 5)."""


def find_format(texts: pl.Series) -> tuple[Sign, float] | None:
    """Return the format of nearly all of a column's distinct texts, and the share that has it, if there is one."""
    probe = texts.head(PROBED)
    if not len(probe):
        return None
    for sign, pattern in PATTERNS.items():
        share = float(probe.str.contains(pattern).sum()) / len(probe)
        if share >= NEARLY_ALL:
            return sign, share
    twelve = probe.filter(probe.str.contains(TWELVE))
    if len(twelve) < NEARLY_ALL * len(probe):
        return None
    share = float(np.mean(_has_check_digit(twelve)))
    return (Sign.MY_NUMBER, share) if share >= NEARLY_ALL else None


def _has_check_digit(texts: pl.Series) -> NDArray[np.bool_]:
    digits = np.array([list(text) for text in texts.to_list()], dtype=np.int64)
    rest = digits[:, :11] @ WEIGHTS % 11
    return np.where(rest <= 1, 0, 11 - rest) == digits[:, 11]
