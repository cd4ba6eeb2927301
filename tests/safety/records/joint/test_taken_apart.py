"""Two files taken apart: whoever left, came or changed stands among the rows that the files do not share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.safety.records.joint.differences import ReleaseDifference
from sekisho.safety.records.joint.known import FittingClasses
from sekisho.safety.records.joint.taken_apart import FittingPeople, PublishedTexts, take_apart

Row = tuple[str, str]
"""A class and an illness, as a file has them."""


@dataclass(frozen=True, kw_only=True)
class SmallRelease:
    """People by number with their town, and the rows that were written of them."""

    towns: Mapping[int, str]
    rows: Mapping[int, Row]

    @classmethod
    def of(cls, people: Mapping[int, tuple[str, str, str]]) -> SmallRelease:
        """Return a release of people, each with a town, a class and an illness."""
        return cls(
            towns={number: town for number, (town, _, _) in people.items()},
            rows={number: (label, ill) for number, (_, label, ill) in people.items()},
        )

    def publish(self, *, known: bool = True) -> PublishedTexts:
        """Return it as the program takes it."""
        rows = list(self.rows.values())
        labels = list(dict.fromkeys(label for label, _ in rows))
        classes = np.array([labels.index(label) for label, _ in rows], dtype=np.int64)
        fits = [[at for at, label in enumerate(labels) if admits(label, town)] for town in self.towns.values()]
        people = FittingPeople(
            names=np.array(list(self.towns), dtype=np.int64),
            fits=FittingClasses(
                first=np.concatenate([[0], np.cumsum([len(classes) for classes in fits])]).astype(np.int64),
                classes=np.array([number for classes in fits for number in classes], dtype=np.int64),
                present=np.ones(len(fits), dtype=np.bool_),
            ),
        )
        texts = pl.DataFrame({"town": [row[0] for row in rows], "ill": [row[1] for row in rows]}, schema=TEXTS)
        return PublishedTexts(texts=texts, keys=("town",), classes=classes, people=people if known else None)


TEXTS = {"town": pl.String, "ill": pl.String}


def admits(label: str, town: str) -> bool:
    """Tell whether a cell of a class admits a town."""
    return label == "*" or town in label.strip("{}").split(";")


def list_known(rows: Sequence[Row]) -> set[str]:
    """Return the illnesses that rows show."""
    return {ill for _, ill in rows if ill}


def find_pinned(first: SmallRelease, second: SmallRelease, wanted: int) -> tuple[set[int], set[int]]:
    """Return who has few fitting rows on a side that must hold theirs, and who has rows of one value: one by one."""
    few: set[int] = set()
    settled: set[int] = set()
    for inside, outside in ((first, second), (second, first)):
        here, there = Counter(inside.rows.values()), Counter(outside.rows.values())
        only = list((here - there).elements())
        for number, town in inside.towns.items():
            if number in outside.towns:
                mine = {label for label, _ in inside.rows.values() if admits(label, town)}
                then = {label for label, _ in outside.rows.values() if admits(label, outside.towns[number])}
                if mine & then:
                    continue
            fitting = [row for row in only if admits(row[0], town)]
            if 0 < len(fitting) < wanted:
                few.add(number)
            elif fitting and len(list_known(fitting)) == 1:
                settled.add(number)
    return few, settled - few


def compare(first: SmallRelease, second: SmallRelease, *, wanted: int = 3) -> ReleaseDifference:
    return take_apart(first.publish(), second.publish(), sensitive=("ill",), wanted=wanted)


def draw_people(numbers: st.SearchStrategy[int]) -> st.SearchStrategy[SmallRelease]:
    towns = {"a": ("a", "*", "{a;b}"), "b": ("b", "*", "{a;b}")}
    person = st.sampled_from(["a", "b"]).flatmap(
        lambda town: st.tuples(st.just(town), st.sampled_from(towns[town]), st.sampled_from(["x", "y", ""]))
    )
    return st.dictionaries(numbers, person, min_size=1, max_size=9).map(SmallRelease.of)


ANYBODY = draw_people(st.integers(0, 11))


@given(ANYBODY, ANYBODY, st.integers(2, 4))
@example(
    SmallRelease.of({number: ("a", "a", "xy"[number % 2]) for number in range(6)}),
    SmallRelease.of({number: ("a", "a", "xy"[number % 2]) for number in range(5)}),
    3,
)  # the last one left: one row, which is his
def test_who_is_pinned_down_is_who_is_found_one_by_one(first: SmallRelease, second: SmallRelease, wanted: int) -> None:
    difference = compare(first, second, wanted=wanted)
    safe = True
    for side, inside, outside in ((difference.gone, first, second), (difference.come, second, first)):
        rows = list((Counter(inside.rows.values()) - Counter(outside.rows.values())).elements())
        assert side.rows == len(rows)
        assert bool(side.settled) == (len(list_known(rows)) == 1)
        ills = Counter(ill for _, ill in inside.rows.values()) - Counter(ill for _, ill in outside.rows.values())
        gone = len(set(inside.towns) - set(outside.towns))
        told = 0 < gone < wanted and any(ills.keys()) and ills.total() <= gone
        assert bool(side.told_by_values) == told
        safe = safe and not (0 < len(rows) < wanted or len(list_known(rows)) == 1 or told)
    assert difference.is_safe == safe
    few, settled = find_pinned(first, second, wanted)
    assert (difference.few, difference.settled) == (len(few), len(settled))
    assert difference.gone.people == len(set(first.towns) - set(second.towns))
    assert difference.come.people == len(set(second.towns) - set(first.towns))


@given(ANYBODY, st.integers(0, 99))
def test_a_file_in_another_order_gives_nothing_away(release: SmallRelease, seed: int) -> None:
    numbers = np.random.default_rng(seed).permutation(list(release.towns)).tolist()
    again = SmallRelease(
        towns={number: release.towns[number] for number in numbers},
        rows={number: release.rows[number] for number in numbers},
    )
    difference = compare(release, again)
    assert (difference.gone.rows, difference.come.rows) == (0, 0)
    assert difference.is_safe
    assert not difference.pins_people


def everybody(count: int, *, towns: str = "a") -> dict[int, tuple[str, str, str]]:
    """Return people of towns in turn, each of their own class, with two illnesses in turn."""
    listed = {number: towns[number % len(towns)] for number in range(count)}
    return {number: (town, town, "xy"[number // len(towns) % 2]) for number, town in listed.items()}


def test_the_row_of_one_who_left_is_the_difference() -> None:
    people = everybody(20)
    fewer = {number: person for number, person in people.items() if number != 7}
    for pair in ((people, fewer), (fewer, people)):
        difference = compare(SmallRelease.of(pair[0]), SmallRelease.of(pair[1]))
        assert {difference.gone.rows, difference.come.rows} == {0, 1}
        assert not difference.is_safe
        assert difference.few == 1


def test_as_many_as_are_wanted_in_one_class_with_two_values_are_no_difference_to_speak_of() -> None:
    people = everybody(20)
    fewer = {number: person for number, person in people.items() if number >= 3}  # x, y, x left
    difference = compare(SmallRelease.of(people), SmallRelease.of(fewer))
    assert difference.gone.rows == 3
    assert difference.is_safe
    assert not difference.pins_people


def test_enough_people_who_left_with_one_value_have_it() -> None:
    people = everybody(20)
    fewer = {number: person for number, person in people.items() if number not in {0, 2, 4}}  # x, x, x left
    difference = compare(SmallRelease.of(people), SmallRelease.of(fewer))
    assert difference.gone.settled == ("ill",)
    assert not difference.is_safe
    assert difference.settled == 3


def test_enough_people_who_left_one_from_each_class_are_pinned_down_by_their_keys() -> None:
    people = everybody(24, towns="abcd")
    fewer = {number: person for number, person in people.items() if number >= 4}
    more = {**people, 30: ("a", "a", "y")}
    difference = compare(SmallRelease.of(more), SmallRelease.of(fewer))
    assert difference.gone.rows == 5
    assert difference.is_safe  # five rows of two values
    assert (difference.few, difference.least) == (5, 1)  # one in each of three classes, two in the fourth


def test_new_classes_hide_nobody_where_one_person_left_and_the_values_stay() -> None:
    people = everybody(20)
    anew = {number: (town, "*", ill) for number, (town, _, ill) in people.items() if number != 7}
    difference = compare(SmallRelease.of(people), SmallRelease.of(anew))
    assert (difference.gone.rows, difference.come.rows) == (20, 19)
    assert difference.gone.told_by_values == ("ill",)
    assert not difference.is_safe
    enough = {number: person for number, person in anew.items() if number not in {0, 3}}
    assert compare(SmallRelease.of(people), SmallRelease.of(enough)).is_safe


def test_a_missing_value_is_no_second_one() -> None:
    people = {number: ("a", "a", "x" if number < 10 else "") for number in range(20)}
    fewer = {number: person for number, person in people.items() if number not in {1, 2, 11, 12}}
    assert compare(SmallRelease.of(people), SmallRelease.of(fewer)).gone.settled == ("ill",)


def test_a_single_row_is_too_few_whatever_it_shows() -> None:
    people = {**everybody(20), 20: ("a", "a", "")}
    assert not compare(SmallRelease.of(people), SmallRelease.of(everybody(20))).is_safe


def test_without_people_the_classes_of_the_difference_are_counted() -> None:
    people = everybody(24, towns="abcd")
    fewer = {number: person for number, person in people.items() if number >= 4}
    first, second = (SmallRelease.of(listed).publish(known=False) for listed in (people, fewer))
    difference = take_apart(first, second, sensitive=("ill",), wanted=3)
    assert (difference.few, difference.least, difference.by_people) == (4, 1, False)
    assert difference.gone.people is None


def test_cells_that_say_the_same_are_the_same() -> None:
    first = PublishedTexts(
        texts=pl.DataFrame({"age": ["[5;5]", " 7", None]}), keys=("age",), classes=np.arange(3, dtype=np.int64)
    )
    second = PublishedTexts(
        texts=pl.DataFrame({"age": ["7", "", "5"], "more": ["u", "v", "w"]}),
        keys=("age",),
        classes=np.arange(3, dtype=np.int64),
    )
    difference = take_apart(first, second, sensitive=(), wanted=3)
    assert (difference.gone.rows, difference.come.rows) == (0, 0)
