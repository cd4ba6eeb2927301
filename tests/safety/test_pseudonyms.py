"""Pseudonyms that tell names must not pass for random ones, and random ones must not be suspected lightly."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import comb, factorial, perm

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.errors import ParameterError
from sekisho.safety.pseudonyms import FEWEST, LEVEL, SIGNS, PseudonymSign, find_pattern
from sekisho.seeds import Seed

TEXT_MAPS: Mapping[str, Callable[[str], str]] = {
    "itself": lambda name: name,
    "padded": lambda name: name.zfill(12),
    "upper": str.upper,
    "wide": lambda name: name.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}),
    "blank": lambda name: f" {name}",
    "backwards": lambda name: name[::-1],
    "md5": lambda name: hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(),
    "echo md5": lambda name: hashlib.md5(f"{name}\n".encode(), usedforsecurity=False).hexdigest(),
    "sha1 cut": lambda name: hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()[:8],
    "sha256 capitals": lambda name: hashlib.sha256(name.encode()).hexdigest().upper(),
    "sha512 base 64": lambda name: b64encode(hashlib.sha512(name.encode()).digest()).decode()[:20],
    "crc32": lambda name: f"{zlib.crc32(name.encode()):08x}",
}
NUMBER_MAPS: Mapping[str, Callable[[str], int]] = {
    "itself": int,
    "shifted": lambda name: int(name) + 1000,
    "scaled": lambda name: 3 * int(name) + 17,
    "falling": lambda name: 10**9 - int(name),
    "by exclusive or": lambda name: int(name) ^ 0b1010101010101010101,
    "backwards": lambda name: int(name[::-1]),
    "padded": lambda name: int(f"1{name.zfill(8)}"),
    "sha256 hexadecimal digits": lambda name: int(hashlib.sha256(name.encode()).hexdigest()[:7], 16),
    "sha1 remainder": lambda name: int(hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest(), 16) % 10**9,
    "md5 within nine digits": lambda name: (
        int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(), 16) % (9 * 10**8) + 10**8
    ),
    "crc32": lambda name: zlib.crc32(name.encode()),
    "first word of sha256": lambda name: int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little"),
}

numbers = st.lists(st.integers(1, 10**7).map(str), min_size=16, max_size=60, unique=True)


@pytest.mark.parametrize("kind", TEXT_MAPS)
@given(names=st.lists(st.from_regex(r"[a-z]{3}[1-9]{4}", fullmatch=True), min_size=16, max_size=30, unique=True))
@try_examples(15)
def test_labels_that_are_made_of_the_names_are_seen(kind: str, names: list[str]) -> None:
    pattern = find_pattern(names, list(map(TEXT_MAPS[kind], names)))
    assert pattern is not None
    assert pattern.chance <= LEVEL


@pytest.mark.parametrize("kind", NUMBER_MAPS)
@given(names=numbers)
@try_examples(15)
def test_numbers_that_are_made_of_the_names_are_seen(kind: str, names: list[str]) -> None:
    labels = [str(NUMBER_MAPS[kind](name)) for name in names]
    pattern = find_pattern(names, labels)
    assert pattern is not None
    assert pattern.chance <= LEVEL


@given(count=st.integers(FEWEST, 40), drawn=st.data())
@try_examples(60)
def test_labels_in_the_order_of_first_rows_are_seen(count: int, drawn: st.DataObject) -> None:
    names = drawn.draw(st.permutations([f"n{place}" for place in range(count)]))
    rows = list(range(count))
    for labels in (rows, rows[::-1]):
        assert find_pattern(names, [str(100 + label) for label in labels], first_rows=rows) is not None


@given(names=numbers, drawn=st.data())
@try_examples(30)
def test_a_few_that_were_changed_do_not_hide_the_others(names: list[str], drawn: st.DataObject) -> None:
    changed = drawn.draw(st.sets(st.sampled_from(range(len(names))), max_size=len(names) - 12))
    labels = [str(10**8 + place) if place in changed else name for place, name in enumerate(names)]
    pattern = find_pattern(names, labels)
    assert pattern is not None
    assert pattern.sign is PseudonymSign.EQUAL


@pytest.mark.parametrize("count", range(1, FEWEST))
def test_below_eight_people_names_themselves_count(count: int) -> None:
    names = [str(13 * place + 5) for place in range(count)]
    pattern = find_pattern(names, names)
    assert pattern is not None
    assert pattern.sign is PseudonymSign.EQUAL
    assert pattern.chance == Fraction(1, factorial(count))
    assert find_pattern(names, [str(1000 + place) for place in range(count)]) is None, "an order of seven is no sign"


def test_more_than_half_of_a_few_count_where_no_other_name_is_among_the_labels() -> None:
    assert find_pattern(["5", "6", "7"], ["5", "6", "99"]) is not None
    assert find_pattern(["5", "6", "7"], ["5", "98", "99"]) is None
    assert find_pattern(["5", "6", "7"], ["5", "7", "6"]) is None, "their own names, dealt: that one is right is chance"


def test_orders_are_seen_from_eight_on_and_with_gaps() -> None:
    names = [f"c{place:02}" for place in range(30)]
    rising = [str(place + 50) for place in range(30)]
    pattern = find_pattern(names[:FEWEST], rising[:FEWEST])
    assert pattern is not None
    assert (pattern.in_order, pattern.chance) == (True, Fraction(1, factorial(8)))
    rising[3], rising[20] = rising[20], rising[3]
    assert find_pattern(names, rising) is not None, "28 of 30 in order"


def test_nobody_tells_nothing_and_lengths_must_fit() -> None:
    assert find_pattern([], []) is None
    with pytest.raises(ParameterError, match="labels"):
        find_pattern(["1"], [])


def test_random_labels_are_suspected_as_seldom_as_promised() -> None:
    """1,500 dealings: 19/8! of them are 0.7; more than 6 would have a chance below 1 in 100,000."""
    rng, wrong = Seed(11).rng(), 0
    for number in range(1500):
        count = int(rng.integers(FEWEST, 24))
        names = [str(value) for value in rng.choice(900, count, replace=False) + 100]
        labels = names if number % 2 else [str(place + 1) for place in range(count)]
        dealt = [labels[place] for place in rng.permutation(count)]
        wrong += find_pattern(names, dealt, first_rows=rng.permutation(count).tolist()) is not None
    assert wrong <= 6
    assert Fraction(1, 2100) > SIGNS * LEVEL


@pytest.mark.parametrize("people", range(1, 7))
def test_the_bounds_hold_over_all_dealings(people: int) -> None:
    """Every dealing counted by hand: as many agree, differ alike, or rise, as the bounds allow, or fewer."""
    names = list(range(10, 10 + people))
    for labels in (names, [*names[1:], 99], [3 * name for name in names], [name + 1 for name in names]):
        able = len(set(names) & set(labels))
        dealings = list(permutations(labels))
        for least in range(1, people + 1):
            assert share(dealings, lambda dealt: agree(names, dealt), least) <= Fraction(
                comb(able, least), perm(people, least)
            )
            assert share(dealings, lambda dealt: differ(names, dealt), least) <= Fraction(people, factorial(least))
            assert share(dealings, rise, least) <= Fraction(comb(people, least), factorial(least))


def share(dealings: Sequence[tuple[int, ...]], count: Callable[[tuple[int, ...]], int], least: int) -> Fraction:
    """Return in which share of the dealings a count is so large."""
    return Fraction(sum(count(dealt) >= least for dealt in dealings), len(dealings))


def agree(names: Sequence[int], dealt: Sequence[int]) -> int:
    return sum(name == label for name, label in zip(names, dealt, strict=True))


def differ(names: Sequence[int], dealt: Sequence[int]) -> int:
    differences = [label - name for name, label in zip(names, dealt, strict=True)]
    return max(map(differences.count, differences))


def rise(dealt: Sequence[int]) -> int:
    longest: list[int] = []
    for place, label in enumerate(dealt):
        longest.append(1 + max((longest[before] for before in range(place) if dealt[before] < label), default=0))
    return max(longest)
