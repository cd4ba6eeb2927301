"""The best cut of a class: the order of its pieces by a column, and what both halves lose, by pieces or by values."""
