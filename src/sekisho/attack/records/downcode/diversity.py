"""Minimality: what the sensitive values of a class are, for one who knows that finer groups were not diverse enough.

Who attacks: one who knows everybody's keys (a roster), hence which fine group each person of a published class is in,
and that a finer vector of levels was not taken because some group of it had fewer than l distinct sensitive values. The
originals left are the assignments of each class's values to its people under which some group breaks l.

Let a class have T assignments of its values to its people, G of them without a broken group, and T(g, v), G(g, v) those
in which a person of group g has value v. Over all classes the assignments left are prod T - prod G, and those in which
the person has v are T(g, v) prod' T - G(g, v) prod' G, prod' over the other classes. All are counted exactly.

Source: Wong, Fu, Wang, Pei, "Minimality attack in privacy preserving data publishing", VLDB 2007.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, prod

MOST_STATES = 20_000
"""A class with more ways to share out its values is not looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedClass:
    """A published class made of finer groups.

    Attributes:
        groups: how many people each has.
        values: how often each sensitive value occurs in the class.
    """

    groups: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def countable(self) -> bool:
        """Whether its assignments can be counted."""
        return prod(count + 1 for count in self.values) <= MOST_STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedClass:
    """The assignments of a class: all, those without a broken group, and the same by group and value of a person."""

    total: int
    good: int
    total_of: Mapping[tuple[int, int], int]
    good_of: Mapping[tuple[int, int], int]


def count_assignments(joined: JoinedClass, distinct: int) -> CountedClass:
    """Count how the values of a class can be dealt to its people, and how often every group keeps l distinct ones."""
    sizes, values = joined.groups, joined.values
    pairs = [(group, value) for group in range(len(sizes)) for value in range(len(values)) if values[value]]
    return CountedClass(
        total=_count(sizes, values, 0, None),
        good=_count(sizes, values, distinct, None),
        total_of={pair: _count(sizes, values, 0, pair) for pair in pairs},
        good_of={pair: _count(sizes, values, distinct, pair) for pair in pairs},
    )


@cache
def _count(sizes: tuple[int, ...], values: tuple[int, ...], distinct: int, person: tuple[int, int] | None) -> int:
    """Count the assignments in which every group has so many distinct values, a person's value being given."""
    held = None if person is None else person[1]
    if person is not None:
        group, value = person
        if values[value] < 1:
            return 0
        sizes = (sizes[group] - 1, *sizes[:group], *sizes[group + 1 :])  # his group is dealt first
        values = (*values[:value], values[value] - 1, *values[value + 1 :])

    @cache
    def deal(group: int, left: tuple[int, ...]) -> int:
        if group == len(sizes):
            return 1
        first = group == 0 and held is not None
        return sum(
            ways * deal(group + 1, rest)
            for ways, rest, kinds in _share_out(sizes[group], left, frozenset({held}) if first else frozenset[int]())
            if kinds >= distinct
        )

    return deal(0, values)


def _share_out(size: int, left: tuple[int, ...], held: frozenset[int | None]) -> list[tuple[int, tuple[int, ...], int]]:
    """Return each way to deal values to a group: in how many orders, what is left, and how many kinds it has."""
    parts: list[tuple[int, tuple[int, ...], int, int]] = [(1, (), len(held), size)]
    for value, count in enumerate(left):
        parts = [
            (ways * comb(room, taken), (*rest, count - taken), kinds + (taken > 0 and value not in held), room - taken)
            for ways, rest, kinds, room in parts
            for taken in range(min(count, room) + 1)
        ]
    return [(ways, rest, kinds) for ways, rest, kinds, room in parts if room == 0]


def find_chances(classes: Sequence[JoinedClass], distinct: int) -> list[dict[tuple[int, int], Fraction]] | None:
    """Return by class the chance of each value for a person of each group; None if no group can have broken l.

    Args:
        classes: all published ones.
        distinct: l.
    """
    counted = [count_assignments(one, distinct) for one in classes]
    whole, kept = prod(one.total for one in counted), prod(one.good for one in counted)
    if whole == kept:
        return None
    chances: list[dict[tuple[int, int], Fraction]] = []
    for one in counted:
        others = whole // one.total
        kept_others = kept // one.good if one.good else prod(each.good for each in counted if each is not one)
        chances.append(
            {
                pair: Fraction(one.total_of[pair] * others - one.good_of[pair] * kept_others, whole - kept)
                for pair in one.total_of
            }
        )
    return chances
