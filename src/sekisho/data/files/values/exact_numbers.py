"""Exact numbers as people write them, ``1/3``, ``0.0005`` or ``2e-3``, and short enough to be counted with.

``1e999999999`` is written in eleven characters and would fill the memory; such numbers are refused before they are
made.
"""

from __future__ import annotations

import re
from fractions import Fraction

LONGEST = 200
"""So many characters a number may have."""
STEEPEST = 99
"""So large its exponent may be; below that every number also has a float."""
EXPONENT = re.compile(r"[eE][-+]?0*([0-9_]+)\s*$")


def parse_exact(text: str) -> Fraction:
    """Return a written number.

    Raises:
        ValueError: it is none, divides by 0, or is too long.
    """
    steep = EXPONENT.search(text)
    if len(text) > LONGEST or (steep and (len(steep[1]) > 2 or int(steep[1]) > STEEPEST)):
        raise ValueError(f"a number of more than {LONGEST} characters, or with an exponent above {STEEPEST}")
    try:
        return Fraction(text)
    except ZeroDivisionError as error:
        raise ValueError("a number divided by 0") from error
