"""Who knows that groups were joined because one was not diverse may know more than the class says, and never less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.red_team_cases import read_cases

from sekisho.attack.records.downcode.diversity import JoinedClass, count_assignments, find_chances


def test_both_of_two_have_the_value_that_two_have() -> None:
    # Groups of 2 and 3, values h h f x y, l = 2: the three cannot all have one value, so the two do, and it is h.
    (chances,) = find_chances([JoinedClass(groups=(2, 3), values=(2, 1, 1, 1))], 2) or [{}]
    assert chances[0, 0] == 1
    assert chances[1, 1] == Fraction(1, 3)


def test_a_class_that_cannot_break_tells_nothing() -> None:
    assert find_chances([JoinedClass(groups=(2, 2), values=(1, 1, 1, 1))], 2) is None


def test_every_golden_case(shared: Callable[[str], Path]) -> None:
    for case in read_cases(shared, "minimality-diversity", "all"):
        names = list(dict.fromkeys(case["values"]))
        joined = JoinedClass(groups=tuple(case["groups"]), values=tuple(case["values"].count(name) for name in names))
        counted = count_assignments(joined, case["l"])
        assert counted.total == case["assignments"]["rule"], case["id"]
        assert counted.total - counted.good == case["assignments"]["least"], case["id"]
        (chances,) = find_chances([joined], case["l"]) or [{}]
        for group, wanted in enumerate(case["least"]):
            for name, chance in wanted.items():
                assert chances[group, names.index(name)] == Fraction(chance), case["id"]


@given(st.data())
def test_chances_are_those_of_listing_every_assignment(data: st.DataObject) -> None:
    classes = [
        (
            tuple(data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))),
            data.draw(st.integers(1, 3)),
        )
        for _ in range(data.draw(st.integers(1, 2)))
    ]
    dealt = [[data.draw(st.integers(0, kinds - 1)) for _ in range(sum(groups))] for groups, kinds in classes]
    joined = [
        JoinedClass(groups=groups, values=tuple(values.count(kind) for kind in range(kinds)))
        for (groups, kinds), values in zip(classes, dealt, strict=True)
    ]
    listed = [sorted(set(permutations(values))) for values in dealt]
    weights: list[Counter[tuple[int, int]]] = [Counter() for _ in classes]
    total = 0
    for first in listed[0]:
        for second in listed[1] if len(listed) > 1 else [()]:
            worlds = [first, second][: len(classes)]
            if any(is_broken(groups, world) for (groups, _), world in zip(classes, worlds, strict=True)):
                total += 1
                for place, ((groups, _), world) in enumerate(zip(classes, worlds, strict=True)):
                    begin = 0
                    for group, size in enumerate(groups):
                        weights[place][group, world[begin]] += 1
                        begin += size
    chances = find_chances(joined, 2)
    if not total:
        assert chances is None
        return
    assert chances is not None
    for place, counts in enumerate(weights):
        for pair, chance in chances[place].items():
            assert chance == Fraction(counts[pair], total)


def is_broken(groups: tuple[int, ...], world: tuple[int, ...]) -> bool:
    begin = 0
    for size in groups:
        if len(set(world[begin : begin + size])) < 2:
            return True
        begin += size
    return False
