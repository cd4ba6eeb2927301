"""Two teams must not have names that people take for one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.contest.rulings.phases import find_skeleton


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("T00", "t00"),
        ("T00", "TOO"),
        ("team", "ｔｅａｍ"),  # full width
        ("paypal", "раураl"),  # Cyrillic а, р, у
        ("admin", "adm\u0131n"),  # a dotless i
        ("Team1", "Teaml"),
        ("modern", "modem"),
        ("café", "cafe"),
        ("straße", "STRASSE"),
        ("カエル", "力工ル"),  # kanji for katakana
        ("a-b", "a\u2011b"),
        ("ab", "a\u200bb"),  # nothing that can be seen
        ("ﾁｰﾑ", "チーム"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(first: str, second: str) -> None:
    assert find_skeleton(first) == find_skeleton(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [("team-1", "team-2"), ("か", "が"), ("はと", "ぱと"), ("raw", "row"), ("東", "西"), ("a.b", "a_b")],
)
def test_names_that_differ_to_the_eye_differ(first: str, second: str) -> None:
    assert find_skeleton(first) != find_skeleton(second)


@given(st.text(max_size=20))
def test_case_and_a_second_look_change_nothing(name: str) -> None:
    skeleton = find_skeleton(name)
    assert find_skeleton(skeleton) == skeleton
    assert find_skeleton(name.casefold()) == skeleton


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12))
def test_full_width_and_capitals_of_any_word_look_like_it(word: str) -> None:
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in word)
    assert find_skeleton(wide) == find_skeleton(word.upper()) == find_skeleton(word)
