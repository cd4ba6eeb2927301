"""Does it tell an attacker more that cells are whole numbers, as counts are, and was that considered?

In one dimension, and in two of which at most one has a tree, it tells nothing more: every interval of the real-number
attacker ends in whole numbers (docs/proofs/whole-numbers.md). In three dimensions and in linked tables it can: there
patterns are looked at with whole tables too, or it is said that they were not.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from sekisho.tables.model.table import Table
from sekisho.words import Said


class WholeNumbers(StrEnum):
    """What is known of attackers who know that the cells of a table are whole numbers."""

    SAME_AS_REAL = "same as real"
    """By a theorem they know no more than those who compute with real numbers."""
    PROVEN = "proven"
    """Whole tables show that they cannot estimate an unsafe cell more closely than its levels."""
    NOT_CONSIDERED = "not considered"
    """They may know more, and nobody has shown that they do not."""
    NO_WHOLE_NUMBERS = "no whole numbers"
    """There are none: some value has a fraction."""

    @property
    def is_covered(self) -> bool:
        """Whether such attackers need no further look."""
        return self is not WholeNumbers.NOT_CONSIDERED

    @property
    def words(self) -> Said:
        """Return against whom something holds, in words."""
        words = {
            WholeNumbers.SAME_AS_REAL: Said(
                "attackers who compute with real numbers, and who know that cells are whole: in this table both know "
                "the same (theorem)"
            ),
            WholeNumbers.PROVEN: Said("attackers who compute with real numbers, and who know that cells are whole"),
            WholeNumbers.NOT_CONSIDERED: Said(
                "attackers who compute with real numbers; those who know that cells are whole were not considered"
            ),
            WholeNumbers.NO_WHOLE_NUMBERS: Said("attackers who compute with real numbers; the cells are not whole"),
        }
        return words[self]


def holds_whole_numbers(table: Table) -> bool:
    """Return whether the value of every cell that is published, or could be, is a whole number."""
    values = table.value[~table.unpublished]
    return bool(np.all(values == np.rint(values)))


def judge_whole_numbers(table: Table) -> WholeNumbers:
    """Return what is known of whole numbers before any pattern is looked at: not more than "not considered"."""
    if not holds_whole_numbers(table):
        return WholeNumbers.NO_WHOLE_NUMBERS
    return WholeNumbers.SAME_AS_REAL if is_same_as_real(table) else WholeNumbers.NOT_CONSIDERED


def is_same_as_real(table: Table) -> bool:
    """Tell whether every interval in the table is the same over whole tables as over all, whatever is hidden.

    That is so if values and bounds are whole, and the table is one by itself with all its cells and equations, in one
    dimension, or in two of which at most one has a tree. The answer "no" only means that the theorem does not say so.
    """
    if table.linked[1:] or table.unpublished.any() or len(table.dims) not in (1, 2):
        return False
    bounds = np.concatenate([table.value, table.lower, table.upper])
    finite = bounds[np.isfinite(bounds)]
    if not np.all(finite == np.rint(finite)):
        return False
    sums = _find_sums(table)
    if sums is None or not all(_is_forest(parts) for parts in sums):
        return False
    return sum(len(parts) > 1 for parts in sums) <= 1


Parts = dict[str, frozenset[str]]
"""The codes of a dimension that are sums, each with its parts."""


def _find_sums(table: Table) -> list[Parts] | None:
    """Return of each dimension which codes are sums of which, if the equations say that of every cell and no more."""
    codes = [dict.fromkeys(key[axis] for key in table.keys) for axis in range(len(table.dims))]
    if len(table) != np.prod([len(some) for some in codes]):
        return None
    sums: list[Parts] = [{} for _ in codes]
    seen: set[tuple[int, str, tuple[str, ...]]] = set()
    matrix = table.matrix
    for row in range(matrix.shape[0]):
        part = slice(int(matrix.indptr[row]), int(matrix.indptr[row + 1]))
        said = _read_equation([table.keys[cell] for cell in matrix.indices[part]], matrix.data[part].tolist())
        if said is None:
            return None
        axis, total, parts, others = said
        if (axis, total, others) in seen or sums[axis].setdefault(total, parts) != parts:
            return None
        seen.add((axis, total, others))
    due = sum(len(sums[axis]) * len(table) // len(codes[axis]) for axis in range(len(codes)))
    return sums if len(seen) == due else None


def _read_equation(
    keys: list[tuple[str, ...]], signs: list[float]
) -> tuple[int, str, frozenset[str], tuple[str, ...]] | None:
    """Return the one dimension in which an equation sums up, the sum, its parts, and its codes in the others."""
    totals = [key for key, sign in zip(keys, signs, strict=True) if sign == -1]
    parts = [key for key, sign in zip(keys, signs, strict=True) if sign == 1]
    if len(totals) != 1 or not parts or len(totals) + len(parts) != len(keys):
        return None
    (total,) = totals
    axes = {axis for key in parts for axis in range(len(total)) if key[axis] != total[axis]}
    if len(axes) != 1:
        return None
    (axis,) = axes
    codes = [key[axis] for key in parts]
    if len(set(codes)) != len(codes) or total[axis] in codes:
        return None
    return axis, total[axis], frozenset(codes), (*total[:axis], *total[axis + 1 :])


def _is_forest(parts: Mapping[str, frozenset[str]]) -> bool:
    """Tell whether no code is a part of two sums, nor of itself: then what codes hold is nested or disjoint."""
    members = [code for some in parts.values() for code in some]
    if len(set(members)) != len(members):
        return False
    above = {code: total for total, some in parts.items() for code in some}
    for code in parts:
        seen, higher = {code}, code
        while higher in above:
            higher = above[higher]
            if higher in seen:
                return False
            seen.add(higher)
    return True
