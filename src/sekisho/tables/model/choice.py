"""Among which patterns one is the cheapest: "optimal" says nothing without it."""

from __future__ import annotations

from dataclasses import dataclass


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

    def describe(self) -> str:
        """Return it in words."""
        parts = (
            (self.kept, f"show the kept totals of totals ({self.kept})"),
            (self.shown, f"show the cells that must be published ({self.shown})"),
            (self.frozen, f"hide the cells that were hidden before ({self.frozen})"),
        )
        words = " and ".join(text for count, text in parts if count)
        return f"the safe patterns that {words}" if words else "all safe patterns"
