"""Wide digits, letters and marks as narrow ones, and all kinds of dashes that stand for a minus as one.

Compatible forms of East Asian texts differ in nothing that a number or a date says: ``１，２００`` is ``1,200``.
"""

from __future__ import annotations

import polars as pl

WIDE = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
MINUS = "-"
DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u207b\ufe63", MINUS)
NARROW = {
    **WIDE,
    **DASHES,
    "\u3000": " ",
    "\uffe5": "\u00a5",
    "\uffe6": "\u20a9",
    "\uffe1": "\u00a3",
    "\uffe0": "\u00a2",
}


def narrow(text: pl.Series) -> pl.Series:
    """Return texts whose wide signs are narrow and whose dashes are one."""
    wide = text.str.contains(f"[{''.join(NARROW)}]")
    if not bool(wide.any()):
        return text
    return text.str.replace_many(list(NARROW), list(NARROW.values()))


def has_wide_digits(text: pl.Series) -> bool:
    """Tell whether a digit of some texts is wide."""
    return bool(text.str.contains("[\uff10-\uff19]").any())
