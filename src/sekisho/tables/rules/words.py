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

from fractions import Fraction

from sekisho.data.files.exact_numbers import parse_exact
from sekisho.errors import ParameterError
from sekisho.tables import CellRule
from sekisho.tables.rules import CELL_RULES
from sekisho.tables.rules.rule_word import RuleWord

HOLDINGS = "@holdings"
MOST = 10**12


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
        raise ParameterError(f"rule {name}", f"have {fewest} to {most} numbers", word)
    return kind.from_word(RuleWord(tuple(_number(part, word) for part in parts), plain != word))


def _number(text: str, word: str) -> Fraction:
    try:
        number = float(text) if "/" not in text else 0.0  # an exponent without end costs nothing as a float
        exact = parse_exact(text.strip()) if abs(number) <= MOST else Fraction(0)
    except ValueError as error:
        raise ParameterError("rule", "hold numbers", word) from error
    if not abs(number) <= MOST or abs(exact) > MOST:
        raise ParameterError("rule", f"hold numbers up to {MOST:,}", word)
    return exact
