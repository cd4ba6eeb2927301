"""Primary rules that weigh contributions against each other: (n,k) dominance, p%, pq.

Notation: a cell of total X has contributions x1 >= x2 >= … . An insider is a contributor who knows his own x; a
coalition is several of them; an outsider knows none. Each concentration rule is a sensitivity S: the cell is unsafe if
and only if S > 0, and S is also the upper protection level, since an attacker who thinks X + S possible cannot estimate
too closely. The lower level is the same by symmetry.

====================  ============================================  =====================
rule                  unsafe if                                     S
====================  ============================================  =====================
(n,k) dominance       x1 + … + xn > k/100 X                         100/k (x1+…+xn) - X
p%, coalition of c    X - x1 - … - x(c+1) < p/100 x1                p/100 x1 - (X - x1 - … - x(c+1))
pq, coalition of c    X - x1 - … - x(c+1) < p/q x1                  p/q x1 - (X - x1 - … - x(c+1))
====================  ============================================  =====================

Source: Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer, de Wolf, Statistical Disclosure
Control, Wiley 2012, section 4.2 (rules, and the table of upper protection levels); Loeve, Notes on sensitivity measures
and protection levels, Statistics Netherlands 2001 (symmetry); Cox, "Linear sensitivity measures in statistical
disclosure control", J. Stat. Planning and Inference 5 (1981).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.tables import Levels
from sekisho.tables.model.contributors import Contributors, contributors_of
from sekisho.tables.model.table import Floats, Mask, Table
from sekisho.tables.rules import RuleWord
from sekisho.tables.rules.primary import at_least, positive, two_sided
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentrationRule(ABC):
    """A rule by its sensitivity S.

    Attributes:
        holdings: whether contributors count by holding.
    """

    holdings: bool = False

    @abstractmethod
    def sensitivity(self, known: Contributors) -> Floats:
        """Return S, above 0 where a cell is unsafe."""

    def flag(self, table: Table) -> Mask:
        """Return the cells in which a contribution can be told too closely."""
        known = contributors_of(table, holdings=self.holdings)
        return positive(self.sensitivity(known), known)

    def levels(self, table: Table) -> Levels:
        """Return S on either side."""
        return two_sided(table, self.sensitivity(contributors_of(table, holdings=self.holdings)))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Dominance(ConcentrationRule):
    """The (n,k) rule: the n largest contributors together must not make up more than k per cent of the cell.

    The adversary is the coalition of n-1 of them, or any outsider who knows that they dominate.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    numbers: ClassVar[tuple[int, int]] = (2, 2)

    n: int
    k: Fraction

    def __post_init__(self) -> None:
        at_least("n", self.n, 1)
        if not 0 < self.k < 100:
            raise ParameterError("k", Said("lie strictly between 0 and 100"), self.k)

    def sensitivity(self, known: Contributors) -> Floats:
        """Return S = 100/k (x1 + … + xn) - X."""
        return known.sum_of(self.n) * float(100 / self.k) - known.total

    @classmethod
    def from_word(cls, word: RuleWord) -> Dominance:
        """Return the rule that a word tells."""
        return cls(n=word.whole(0, 1), k=word.numbers[1], holdings=word.holdings)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class PercentRule(ConcentrationRule):
    """The p% rule: nobody may estimate a contribution to within p per cent of it.

    The adversary is a coalition of c contributors, at worst the largest others, who subtract what they know from the
    total; c = 0 is an outsider. With waivers the target is the largest contributor who has not waived, x_t, and the
    coalition the c largest others: S = p/100 x_t - (X - x1 - … - xc - min(x_t, x(c+1))), which is the rule as printed
    when t = 1.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    numbers: ClassVar[tuple[int, int]] = (1, 2)

    p: Fraction
    coalition: int = 1

    def __post_init__(self) -> None:
        at_least("coalition", self.coalition, 0)
        if not self.p > 0:
            raise ParameterError("p", Said("be above 0"), self.p)

    def sensitivity(self, known: Contributors) -> Floats:
        """Return S."""
        return _shortfall(known, self.p / 100, self.coalition)

    @classmethod
    def from_word(cls, word: RuleWord) -> PercentRule:
        """Return the rule that a word tells."""
        return cls(p=word.numbers[0], coalition=word.whole(1, 1), holdings=word.holdings)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class PriorPosterior(ConcentrationRule):
    """The pq rule: nobody may tell a contribution to within p per cent.

    An attacker could tell contributions to within q per cent before. Only p/q counts; with q = 100 it is the p% rule.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.TABLE})
    numbers: ClassVar[tuple[int, int]] = (2, 3)

    p: Fraction
    q: Fraction
    coalition: int = 1

    def __post_init__(self) -> None:
        at_least("coalition", self.coalition, 0)
        if not 0 < self.p < self.q:
            raise ParameterError("p", Said("lie strictly between 0 and q = {q}", q=self.q), self.p)

    def sensitivity(self, known: Contributors) -> Floats:
        """Return S."""
        return _shortfall(known, self.p / self.q, self.coalition)

    @classmethod
    def from_word(cls, word: RuleWord) -> PriorPosterior:
        """Return the rule that a word tells."""
        return cls(p=word.numbers[0], q=word.numbers[1], coalition=word.whole(2, 1), holdings=word.holdings)


def _shortfall(known: Contributors, share: Fraction, coalition: int) -> Floats:
    """Return share·x_t less what the coalition cannot account for."""
    known.sum_of(coalition + 1)  # refuses a table that does not tell so many
    others = known.sum_of(coalition) + np.minimum(known.target, known.place(coalition + 1))
    return known.target * float(share) - (known.total - others)
