"""Primary rules as words of the command line.

For example ``p%:15``, ``nk:2,85``, ``pq:10,50``, ``min:5``, ``request:70,3``, ``zeros:1``. ==================
==================================================================== word                rule ==================
==================================================================== ``p%:P[,C]``        p% rule, coalition of C
insiders (1; 0 is an outsider) ``nk:N,K``          (n,k) dominance ``pq:P,Q[,C]``      prior-posterior rule
``min:N[,MARGIN]``  at least N contributors; margin in per cent of the value ``request:K[,N]``   request rule: share K,
or fewer than N contributors ``zeros[:WIDTH]``   zeros are unsafe ==================
====================================================================

``@holdings`` at the end applies a rule to holdings instead of single contributors: ``p%:15@holdings``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from fractions import Fraction

from sekisho.data.files.values.exact_numbers import parse_exact
from sekisho.errors import ParameterError
from sekisho.tables import CellRule
from sekisho.tables.rules import CELL_RULES
from sekisho.tables.rules.rule_word import RuleWord
from sekisho.words import Said

HOLDINGS = "@holdings"
MOST = 10**12
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "min": ("count", "margin"),
    "nk": ("n", "k"),
    "p%": ("p", "coalition"),
    "pq": ("p", "q", "coalition"),
    "request": ("share", "count"),
    "zeros": ("width",),
}
"""Which fields of a rule its word tells, in their order."""


def rule(word: str) -> CellRule:
    """Return the rule that a word names.

    Raises:
        UnknownNameError: there is no such rule.
        ParameterError: too few or too many numbers, or one against the rule's own conditions.
    """
    plain = word.removesuffix(HOLDINGS)
    name, _, rest = plain.partition(":")
    kind = CELL_RULES[name.lower()]
    fewest, most = kind.numbers
    parts = [part for part in rest.split(",") if part.strip()]
    if not fewest <= len(parts) <= most:
        raise ParameterError(
            Said("rule {name}", name=name), Said("have {fewest} to {most} numbers", fewest=fewest, most=most), word
        )
    return kind.from_word(RuleWord(tuple(_number(part, word) for part in parts), plain != word))


def write_rule(asked: CellRule) -> str:
    """Return a rule as its word, such as ``p%:15@holdings``, and in brackets what no word tells: ``min:5 (width=10)``.

    A stranger's rule is written as it calls itself.
    """
    name = next((name for name in NUMBERS if type(asked) is CELL_RULES[name]), None)
    if name is None:
        return repr(asked)
    parts = fields(asked) if is_dataclass(asked) else ()
    given = {part.name: getattr(asked, part.name) for part in parts if _is_said(asked, part)}
    shown = [field for field in NUMBERS[name] if field in given]
    last = NUMBERS[name].index(shown[-1]) + 1 if shown else 0
    numbers = ",".join(f"{_plain(getattr(asked, field))}" for field in NUMBERS[name][:last])
    more = ", ".join(f"{key}={_plain(value)}" for key, value in given.items() if key not in (*shown, "holdings"))
    word = f"{name}:{numbers}" if numbers else name
    return word + (HOLDINGS if given.get("holdings") else "") + (f" ({more})" if more else "")


def _is_said(asked: CellRule, part: Field[object]) -> bool:
    return part.default is MISSING or getattr(asked, part.name) != part.default or part.name == "count"


def _plain(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value


def _number(text: str, word: str) -> Fraction:
    try:
        number = float(text) if "/" not in text else 0.0  # an exponent without end costs nothing as a float
        exact = parse_exact(text.strip()) if abs(number) <= MOST else Fraction(0)
    except ValueError as error:
        raise ParameterError("rule", Said("hold numbers"), word) from error
    if not abs(number) <= MOST or abs(exact) > MOST:
        raise ParameterError("rule", Said("hold numbers up to {most:,}", most=MOST), word)
    return exact
