"""Primary rules as words of the command line: ``p%:15``, ``nk:2,85``, ``pq:10,50``, ``min:5``, ``request:70,3``, ``zeros:1``.

==================  ====================================================================
word                rule
==================  ====================================================================
``p%:P[,C]``        p% rule, coalition of C insiders (1; 0 is an outsider)
``nk:N,K``          (n,k) dominance
``pq:P,Q[,C]``      prior-posterior rule
``min:N[,MARGIN]``  at least N contributors; margin in per cent of the value
``request:K[,N]``   request rule: share K, or fewer than N contributors
``zeros[:WIDTH]``   zeros are unsafe
==================  ====================================================================

``@holdings`` at the end applies a rule to holdings instead of single contributors: ``p%:15@holdings``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from sekisho.data.files.exact import parse_exact
from sekisho.errors import ParameterError, UnknownNameError
from sekisho.tables import CellRule
from sekisho.tables.rules.concentration import Dominance, PercentRule, PriorPosterior
from sekisho.tables.rules.primary import MinimumFrequency, RequestRule, UnsafeZeros

HOLDINGS = "@holdings"
MOST = 10**12


@dataclass(frozen=True, slots=True)
class RuleWord:
    """What a word says beside the rule's name."""

    numbers: tuple[Fraction, ...]
    holdings: bool

    def whole(self, place: int, otherwise: int) -> int:
        """Return the whole number at a place, or what counts if it is not said."""
        if place >= len(self.numbers):
            return otherwise
        if self.numbers[place].denominator != 1:
            raise ParameterError("rule", "count in whole numbers", str(self.numbers[place]))
        return int(self.numbers[place])


def _percent(word: RuleWord) -> CellRule:
    return PercentRule(p=word.numbers[0], coalition=word.whole(1, 1), holdings=word.holdings)


def _dominance(word: RuleWord) -> CellRule:
    return Dominance(n=word.whole(0, 1), k=word.numbers[1], holdings=word.holdings)


def _prior_posterior(word: RuleWord) -> CellRule:
    return PriorPosterior(p=word.numbers[0], q=word.numbers[1], coalition=word.whole(2, 1), holdings=word.holdings)


def _minimum(word: RuleWord) -> CellRule:
    margin = word.numbers[1] if len(word.numbers) > 1 else None
    return MinimumFrequency(count=word.whole(0, 1), margin=margin, holdings=word.holdings)


def _request(word: RuleWord) -> CellRule:
    return RequestRule(share=word.numbers[0], count=word.whole(1, 0), holdings=word.holdings)


def _zeros(word: RuleWord) -> CellRule:
    if word.holdings:
        raise ParameterError("rule zeros", "stand without @holdings", "zeros@holdings")
    return UnsafeZeros(width=float(word.numbers[0]) if word.numbers else None)


WORDS: Mapping[str, tuple[int, int, Callable[[RuleWord], CellRule]]] = {
    "p%": (1, 2, _percent),
    "nk": (2, 2, _dominance),
    "pq": (2, 3, _prior_posterior),
    "min": (1, 2, _minimum),
    "request": (1, 2, _request),
    "zeros": (0, 1, _zeros),
}


def rule(word: str) -> CellRule:
    """Return the rule that a word names.

    Raises:
        UnknownNameError: there is no such rule.
        ParameterError: too few or too many numbers, or one against the rule's own conditions.
    """
    plain = word.removesuffix(HOLDINGS)
    name, _, rest = plain.partition(":")
    if name.lower() not in WORDS:
        raise UnknownNameError("primary rule", name, WORDS)
    fewest, most, make = WORDS[name.lower()]
    parts = [part for part in rest.split(",") if part.strip()]
    if not fewest <= len(parts) <= most:
        raise ParameterError(f"rule {name}", f"have {fewest} to {most} numbers", word)
    return make(RuleWord(tuple(_number(part, word) for part in parts), plain != word))


def _number(text: str, word: str) -> Fraction:
    try:
        number = float(text) if "/" not in text else 0.0  # an exponent without end costs nothing as a float
        exact = parse_exact(text.strip()) if abs(number) <= MOST else Fraction(0)
    except ValueError as error:
        raise ParameterError("rule", "hold numbers", word) from error
    if not abs(number) <= MOST or abs(exact) > MOST:
        raise ParameterError("rule", f"hold numbers up to {MOST:,}", word)
    return exact
