"""The checker of reconstructions: plain whole numbers, not a line of the search.

A solution is right if every published cell's sum over it lies inside its statement; two are as far apart as is said if
one has so many records that the other lacks. That there are no others is not checked here: it is the search's word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sekisho.words import Said


def people_errors(
    rows: Sequence[Sequence[int]], low: Sequence[int], high: Sequence[int], solution: Sequence[int]
) -> Iterator[str]:
    """Tell why a histogram does not agree with published cells.

    Args:
        rows: of each published cell the joint cells that it counts.
        low: the least number of people in each.
        high: the greatest.
        solution: how many people are in each joint cell.
    """
    if any(count < 0 for count in solution):
        yield Said("a number of people is below 0")
    for number, cells in enumerate(rows):
        count = sum(solution[cell] for cell in cells)
        if not low[number] <= count <= high[number]:
            yield Said("published cell {number} would have {count} people", number=number, count=count)


def count_lacking(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many records of one histogram the other lacks."""
    return sum(max(0, mine - theirs) for mine, theirs in zip(one, other, strict=True))
