"""A rule offered for a column, by what its values are and how many people have each.

- numbers: the least round width (1, 2 or 5 times a power of ten) at which intervals hold 20 people or more, thin ends
  joined as ``<20`` and ``80+``, then neighbours joined; quantiles where no width does;
- dates: every period that leaves a tenth fewer people alone than the one before, and the usual ones above it;
- codes: prefixes where codes agree in length or in where digits stand; of postal codes of seven digits 3 and 2;
- categories: rare values as one group, which the rule lists by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Kind
from sekisho.data.trees.rule_labels import label_dates
from sekisho.data.trees.tree_column import TreeColumn
from sekisho.data.trees.tree_rule import (
    CategorySteps,
    CodeSteps,
    DateSteps,
    DateUnit,
    GroupStep,
    NumberSteps,
    TreeKind,
    TreeRule,
)
from sekisho.errors import ParameterError
from sekisho.words import Said

PEOPLE = 20
"""So many people an interval holds, and a value that is not rare."""
FINEST = 50
"""So many intervals are offered at most."""
THIN_ENDS = 0.2
"""So large a share of the people may stand in the open intervals at the ends."""
FEWER = 0.9
"""A period is offered if it leaves so large a share of those alone, or less."""
RARE_SHARE = 0.2
"""So large a share of the people may have rare values."""
FEW_STEPS = (DateUnit.MONTH, DateUnit.YEAR, DateUnit.TEN_YEARS)
POSTAL = re.compile(r"[0-9]{3}-?[0-9]{4}")
CODE = re.compile(r"[0-9A-Za-z][0-9A-Za-z.\-/]+")
OTHER = "other"


def propose_rule(column: TreeColumn, *, kind: TreeKind | None = None, other: str = OTHER) -> TreeRule:
    """Return the rule that is offered for a column.

    Args:
        column: its values, and who has which.
        kind: of the tree; if not said, found out.
        other: what rare categories are called together.

    Raises:
        ParameterError: the kind does not suit the column.
    """
    column = column.drop_gaps()
    found = find_tree_kind(column)
    chosen = found if kind is None else kind
    if chosen is not found and {chosen, found} != {TreeKind.CODE, TreeKind.CATEGORY}:
        rule = Said("suit column {name}, which is of kind {kind}", name=column.name, kind=column.kind.words)
        raise ParameterError("kind", rule, str(chosen))
    name = column.name
    if chosen is TreeKind.NUMBER:
        return TreeRule(column=name, number=propose_intervals(column))
    if chosen is TreeKind.DATE:
        return TreeRule(column=name, date=propose_periods(column))
    lengths = propose_lengths(column.texts) if chosen is TreeKind.CODE else ()
    if lengths:
        return TreeRule(column=name, code=CodeSteps(lengths=lengths))
    rare = join_rare(column, other=other)
    return TreeRule(column=name, category=CategorySteps(steps=() if rare is None else (rare,)))


def find_tree_kind(column: TreeColumn) -> TreeKind:
    """Return what kind of values a column has: texts are codes if they agree in where digits and letters stand."""
    if column.kind is Kind.DATE:
        return TreeKind.DATE
    if column.kind.numeric:
        return TreeKind.NUMBER
    return TreeKind.CODE if _look_like_codes(column.drop_gaps().texts) else TreeKind.CATEGORY


def propose_intervals(column: TreeColumn) -> NumberSteps:
    """Return intervals of numbers with enough people each, and joins of neighbours."""
    numbers, people = column.numbers, column.count_people()
    span, unit = (int(numbers[-1] - numbers[0]) if len(numbers) else 0), 10**column.decimals
    for width in _list_widths(max(1, span // FINEST), max(1, span)):
        ends = _find_ends(numbers, people, width)
        if ends is not None:
            low, high, intervals = ends
            return NumberSteps(
                width=Fraction(width, unit),
                low=None if low is None else Fraction(low, unit),
                high=None if high is None else Fraction(high, unit),
                joins=_choose_joins(width, intervals),
            )
    enough = int(people.sum()) // PEOPLE
    if enough > 1:
        return NumberSteps(quantiles=min(10, enough), joins=(2,) if enough > 3 else ())
    widest = max(_list_widths(1, max(1, span // 2)), default=1)
    return NumberSteps(width=Fraction(widest, unit))


def _list_widths(least: int, most: int) -> Iterator[int]:
    """Yield round widths in their order."""
    power = 1
    while power <= most:
        yield from (digit * power for digit in (1, 2, 5) if least <= digit * power <= most)
        power *= 10


def _find_ends(
    numbers: NDArray[np.int64], people: NDArray[np.int64], width: int
) -> tuple[int | None, int | None, int] | None:
    """Return from where to where intervals of a width hold people enough, and how many these are; None if too few do.

    None as an end means that intervals go on to the last value.
    """
    first = int(numbers[0]) // width
    counts = np.bincount((numbers // width - first).astype(np.int64), weights=people).astype(np.int64)
    enough = counts >= PEOPLE
    middle = int(counts.argmax())
    if not enough[middle]:
        return None
    thin = np.flatnonzero(~enough)
    low = int(thin[thin < middle].max(initial=-1)) + 1
    high = int(thin[thin > middle].min(initial=len(counts)))
    while 0 < int(counts[:low].sum()) < PEOPLE:
        low += 1
    while 0 < int(counts[high:].sum()) < PEOPLE:
        high -= 1
    outside = int(counts[:low].sum() + counts[high:].sum())
    if high - low < 2 or outside > THIN_ENDS * int(counts.sum()):
        return None
    below = (first + low) * width if low else None
    return below, (first + high) * width if high < len(counts) else None, high - low


def _choose_joins(width: int, intervals: int) -> tuple[int, ...]:
    """Return joins that keep widths round as long as there are many intervals."""
    joins = list[int]()
    while intervals > 3:
        digit = int(str(width)[0])
        joins.append(5 if intervals > 12 and digit != 5 else 2)
        width, intervals = width * joins[-1], -(-intervals // joins[-1])
    return tuple(joins)


def propose_periods(column: TreeColumn) -> DateSteps:
    """Return the periods that leave a tenth fewer people alone than the one before, and the usual ones above them.

    Beside other keys people stay alone much longer than by the date itself.
    """
    people, units = column.count_people(), list[DateUnit]()
    alone = int((people == 1).sum())
    if not alone:
        return DateSteps(units=FEW_STEPS)
    for unit in list(DateUnit)[1:]:
        labels = label_dates(DateSteps(units=(unit,)), column.numbers)[0]
        together = Counter[str]()
        for label, count in zip(labels, people.tolist(), strict=True):
            together[label] += count
        left = sum(count == 1 for count in together.values())
        if left <= FEWER * alone and alone:
            units.append(unit)
            alone = left
    order = list(DateUnit)
    coarser = [unit for unit in FEW_STEPS if not units or order.index(unit) > order.index(units[-1])]
    return DateSteps(units=(*units, *coarser))


def propose_lengths(codes: Sequence[str]) -> tuple[int, ...]:
    """Return lengths of prefixes at which codes fall together; none where they do not agree or a code is a prefix."""
    if codes and all(POSTAL.fullmatch(code) for code in codes):
        return (3, 2)
    shapes = [_read_shape(code) for code in codes]
    agreed = min((len(shape) for shape in shapes), default=0)
    if len({shape[:agreed] for shape in shapes}) != 1:
        return ()
    whole, lengths, distinct = set(codes), list[int](), len(codes)
    for length in range(max(map(len, codes)) - 1, 0, -1):
        prefixes = {code[:length] for code in codes}
        collides = any(code[:length] in whole and len(code) > length for code in codes)
        if length <= agreed and not collides and 1 < len(prefixes) <= distinct / 2:
            lengths.append(length)
            distinct = len(prefixes)
    return tuple(lengths)


def _look_like_codes(texts: Sequence[str]) -> bool:
    """Tell whether texts are codes: digits among them, and characters of one sort in each of their first places."""
    if len(texts) < 2 or not all(CODE.fullmatch(text) for text in texts):
        return False
    shapes = [_read_shape(text) for text in texts]
    agreed = min(map(len, shapes))
    return agreed > 1 and len({shape[:agreed] for shape in shapes}) == 1 and any("9" in shape for shape in shapes)


def _read_shape(code: str) -> str:
    """Return a code with 9 for each digit and A for each letter."""
    return re.sub("[A-Za-z]", "A", re.sub("[0-9]", "9", code))


def join_rare(column: TreeColumn, *, people: int | None = None, other: str = OTHER) -> GroupStep | None:
    """Return the group of rare values, each by name; None where fewer than two are rare, or all are.

    Args:
        column: its values, and who has which.
        people: values of fewer people are rare; if not said, 20, or less where too many people would be hidden.
        other: what they are called together; another name where a value has this one.
    """
    column = column.drop_gaps()
    counts = column.count_people()
    limits = (PEOPLE, PEOPLE // 2, PEOPLE // 4, 2) if people is None else (people,)
    most = 1.0 if people is not None else RARE_SHARE
    for limit in limits:
        rare = [text for text, count in zip(column.texts, counts.tolist(), strict=True) if count < limit]
        if 1 < len(rare) < len(column.texts) and counts[counts < limit].sum() <= most * counts.sum():
            name = other
            while name in column.texts:
                name = f"{name} ({OTHER})"
            return GroupStep(groups={name: tuple(rare)})
    return None
