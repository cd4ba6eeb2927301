"""Among which patterns one is the cheapest: "optimal" says nothing without it."""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.words import Said, join_words


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternChoice:
    """What every pattern that was compared has in common.

    Attributes:
        kept: how many totals of totals they all show, because these were to be kept.
        shown: how many other cells they all show, because these must be published.
        frozen: how many cells they all hide, because an earlier publication did.
    """

    kept: int = 0
    shown: int = 0
    frozen: int = 0

    def describe(self) -> Said:
        """Return it in words."""
        parts = (
            (self.kept, Said("show the kept totals of totals ({cells})", cells=self.kept)),
            (self.shown, Said("show the cells that must be published ({cells})", cells=self.shown)),
            (self.frozen, Said("hide the cells that were hidden before ({cells})", cells=self.frozen)),
        )
        demands = [words for count, words in parts if count]
        if not demands:
            return Said("all safe patterns")
        return Said("the safe patterns that {demands}", demands=join_words(demands, " and ", "、"))
