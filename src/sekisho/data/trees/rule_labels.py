"""A rule applied to a column: what each value is called at every step, and the tree that comes of it.

Labels: ``20-29``, ``<20``, ``80+`` of numbers (``-10..-1`` where one is below 0), ``1962-04``, ``1962-Q2``, ``1962``,
``1960-1964``, ``1960s`` of dates, the prefix of codes, the group's name of categories.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Kind
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_column import PLAIN, TreeColumn
from sekisho.data.trees.tree_files import parse_wide
from sekisho.data.trees.tree_rule import CategorySteps, CodeSteps, DateSteps, DateUnit, NumberSteps, TreeKind, TreeRule
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.words import Said

Labels: TypeAlias = list[str]
"""What each value is called at one step."""
MOST_INTERVALS = 10_000


def apply_rule(rule: TreeRule, column: TreeColumn) -> Tree:
    """Return the tree that a rule makes of a column's values; a missing cell is none of them.

    Groups by hand may name values that the column does not have: the tree has them, too.

    Raises:
        ParameterError: the rule is for another kind of values, or has too many intervals.
        FaultsError: a value would have two parents or be a group, too, or there is none; all of them at once.
    """
    column = column.drop_gaps()
    _refuse_kind(rule, column)
    if not column.texts:
        message = Said("{name} has no values to make a tree of", name=column.name)
        raise FaultsError(Said("source|tree"), [_fault(0, column.name, "values", "", message)])
    leaves, steps = list(column.texts), list[Labels]()
    if rule.number is not None:
        steps = label_numbers(rule.number, column)
    elif rule.date is not None:
        steps = label_dates(rule.date, column.numbers)
    elif rule.code is not None:
        steps = label_codes(rule.code, column.texts)
    elif rule.category is not None:
        leaves = _list_leaves(rule.category, column)
        steps = _label_groups(rule.category, leaves)
    return _build_tree(column.name, leaves, steps, rule.root)


def _refuse_kind(rule: TreeRule, column: TreeColumn) -> None:
    fitting = {TreeKind.NUMBER: (Kind.INTEGER, Kind.DECIMAL), TreeKind.DATE: (Kind.DATE,)}
    if column.kind not in fitting.get(rule.kind, (Kind.CATEGORY,)):
        rule_of = Said("suit column {name}, which is of kind {kind}", name=column.name, kind=column.kind.words)
        raise ParameterError("rule", rule_of, str(rule.kind))


def _build_tree(name: str, leaves: Sequence[str], steps: Sequence[Labels], root: str) -> Tree:
    useful = [labels for labels in steps if len(set(labels)) > 1]
    inner = {root, *(label for labels in useful for leaf, label in zip(leaves, labels, strict=True) if label != leaf)}
    faults = [
        _fault(row, name, "leaf", leaf, Said("{leaf!r} is a value and a group, too", leaf=leaf))
        for row, leaf in enumerate(leaves, start=1)
        if leaf in inner
    ]
    try:
        tree = parse_wide([[leaf, *line, root] for leaf, *line in zip(leaves, *useful, strict=True)], root=root)
    except FaultsError as error:
        faults += error.faults
    else:
        if not faults:
            return tree
    raise FaultsError(Said("source|tree"), sorted(faults, key=lambda fault: fault.row))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Intervals:
    """Numbered intervals: number k begins at ``find_start(k)``.

    Attributes:
        numbers: the interval of each value.
        find_start: where an interval begins, on the grid.
        lowest: the interval that has no lower end, if any.
        highest: the one without an upper end.
    """

    numbers: NDArray[np.int64]
    find_start: Callable[[int], int]
    lowest: int | None
    highest: int | None


def label_numbers(steps: NumberSteps, column: TreeColumn) -> list[Labels]:
    """Return the intervals of numbers, and of their neighbours joined."""
    intervals = _cut_numbers(steps, column)
    sizes = [prod(steps.joins[:count]) for count in range(len(steps.joins) + 1)]
    return [_label_joined(intervals, size, column) for size in sizes]


def _cut_numbers(steps: NumberSteps, column: TreeColumn) -> _Intervals:
    unit = 10**column.decimals
    if steps.width is None:
        edges = _find_quantiles(steps.quantiles or 0, column) if steps.quantiles else _scale(steps.edges, unit)
        places = np.searchsorted(np.array(edges, dtype=np.int64), column.numbers, side="right")
        return _Intervals(
            numbers=places.astype(np.int64), find_start=lambda k: edges[k - 1], lowest=0, highest=len(edges)
        )
    width, anchor = steps.width * unit, (steps.low or Fraction(0)) * unit
    first, last = (int((int(end) - anchor) // width) for end in (column.numbers[0], column.numbers[-1]))
    highest = None if steps.high is None else int((steps.high * unit - anchor) / width)
    lowest = None if steps.low is None else -1
    first = first if lowest is None else max(first, lowest)
    last = last if highest is None else min(last, highest)
    if last - first > MOST_INTERVALS:
        raise ParameterError("width", Said("make {most:,} intervals at most", most=MOST_INTERVALS), str(steps.width))
    starts = np.array([ceil(anchor + k * width) for k in range(first + 1, last + 1)], dtype=np.int64)
    places = np.searchsorted(starts, column.numbers, side="right") + first
    return _Intervals(
        numbers=places.astype(np.int64),
        find_start=lambda k: ceil(anchor + k * width),
        lowest=lowest,
        highest=highest,
    )


def _scale(edges: Sequence[Fraction], unit: int) -> list[int]:
    """Return edges on the grid; two between the same numbers are one."""
    return list(dict.fromkeys(ceil(edge * unit) for edge in edges))


def _find_quantiles(count: int, column: TreeColumn) -> list[int]:
    """Return edges between so many intervals of about as many people; fewer where many people have one value."""
    reached, numbers = np.cumsum(column.count_people()), column.numbers
    wanted = [reached[-1] * part / count for part in range(1, count)]
    places = np.searchsorted(reached, wanted, side="left") + 1
    return [int(numbers[place]) for place in dict.fromkeys(places.tolist()) if place < len(numbers)]


def _label_joined(intervals: _Intervals, size: int, column: TreeColumn) -> Labels:
    chosen, place = np.unique(intervals.numbers // size, return_inverse=True)
    names = [_name_interval(intervals, int(group) * size, size, column) for group in chosen]
    return [names[at] for at in place.reshape(-1).tolist()]


def _name_interval(intervals: _Intervals, first: int, size: int, column: TreeColumn) -> str:
    last = first + size - 1
    is_low = intervals.lowest is not None and first <= intervals.lowest
    is_high = intervals.highest is not None and last >= intervals.highest
    low = 0 if is_low else intervals.find_start(first)
    above = 0 if is_high else intervals.find_start(last + 1)
    texts = PLAIN.write(np.array([low, above, above - 1], dtype=np.int64), column.kind, column.decimals).to_list()
    if is_low and is_high:
        return ""
    if is_low:
        return f"<{texts[1]}"
    if is_high:
        return f"{texts[0]}+"
    if low == above - 1:
        return str(texts[0])
    return f"{texts[0]}..{texts[2]}" if low < 0 else f"{texts[0]}-{texts[2]}"


def label_dates(steps: DateSteps, days: NDArray[np.int64]) -> list[Labels]:
    """Return the periods of days since 1970; a day itself is no step above it."""
    dates = pl.Series(days).cast(pl.Int32).cast(pl.Date)
    return [_label_period(dates, unit, steps.first_year or 0) for unit in steps.units if unit is not DateUnit.DAY]


def _label_period(dates: pl.Series, unit: DateUnit, first_year: int) -> Labels:
    years = dates.dt.year().cast(pl.Int64)
    if unit is DateUnit.MONTH:
        return dates.dt.strftime("%Y-%m").to_list()
    if unit is DateUnit.QUARTER:
        return (years.cast(pl.String) + "-Q" + dates.dt.quarter().cast(pl.String)).to_list()
    if unit is DateUnit.YEAR:
        return years.cast(pl.String).to_list()
    span = 5 if unit is DateUnit.FIVE_YEARS else 10
    starts = ((years - first_year) // span * span + first_year).to_list()
    return [f"{start}s" if span == 10 and start % 10 == 0 else f"{start}-{start + span - 1}" for start in starts]


def label_codes(steps: CodeSteps, codes: Sequence[str]) -> list[Labels]:
    """Return the prefixes of codes; a shorter code stands for itself."""
    return [[code[:length] for code in codes] for length in steps.lengths]


def _list_leaves(steps: CategorySteps, column: TreeColumn) -> list[str]:
    """Return the column's values, and those that only a group of the first step holds."""
    held = [value for step in steps.steps[:1] for values in step.groups.values() for value in values]
    return list(dict.fromkeys([*column.texts, *held]))


def _label_groups(steps: CategorySteps, leaves: Sequence[str]) -> list[Labels]:
    faults, labels, below = list[Fault](), list[Labels](), list(leaves)
    for number, step in enumerate(steps.steps, start=1):
        group_of, place = dict[str, str](), f"step {number}"
        for name, value in ((name, value) for name, held in step.groups.items() for value in held):
            first = group_of.setdefault(value, name)
            if first != name:
                twice = Said("{node!r} has two parents, {first!r} and {second!r}", node=value, first=first, second=name)
                faults.append(_fault(0, place, "one parent", value, twice))
        for value in sorted(group_of.keys() - set(below)):
            astray = Said("{value!r} is no group of the step before", value=value)
            faults.append(_fault(0, place, "code", value, astray))
        below = [group_of.get(label, label) for label in below]
        labels.append(below)
    if faults:
        raise FaultsError(Said("source|tree"), faults)
    return labels


def _fault(row: int, column: str, rule: str, value: str, message: Said) -> Fault:
    return Fault(row=row, column=column, rule=rule, value=value, message=message)
