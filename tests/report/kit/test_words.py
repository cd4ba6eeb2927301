"""Words stand where they should, also when a character takes two columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.report.both_languages import read_both

from sekisho.report.kit.words import (
    CLOSING,
    display_width,
    format_count,
    format_decimal,
    format_out_of,
    format_percent,
    pad_text,
    wrap_text,
)
from sekisho.words import Language, bilingual, join_words, translate

letters = st.text(alphabet="ab c関所の、。（）日x1", max_size=60)


def test_full_width_characters_take_two_columns_and_combining_marks_none() -> None:
    # 関 and 所 are wide (2 + 2), a is narrow (1), the combining acute accent adds nothing.
    assert display_width("関所a") == 5
    assert display_width("a\u0301") == 1
    assert display_width("ｶ") == 1  # half-width kana
    assert display_width("Ａ") == 2  # full-width Latin


@given(text=letters, width=st.integers(0, 80), right=st.booleans())
def test_padding_reaches_the_width_exactly(*, text: str, width: int, right: bool) -> None:
    assert display_width(pad_text(text, width, right=right)) == max(width, display_width(text))


@given(letters, st.integers(8, 40))
def test_wrapping_loses_no_character_and_opens_no_line_with_closing_punctuation(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(line[0] not in CLOSING for line in lines[1:] if line)


def test_japanese_wraps_between_characters() -> None:
    assert wrap_text("関所を越える、旅人。", 10) == ["関所を越え", "る、旅人。"]


def test_a_share_that_is_not_none_or_all_never_reads_so() -> None:
    assert [format_percent(x) for x in (0, 0.0001, 0.041, 0.41, 0.9999, 1)] == [
        "0%",
        "<0.1%",
        "4.1%",
        "41%",
        ">99%",
        "100%",
    ]


def test_counts_come_before_percentages() -> None:
    assert read_both(format_out_of(412, 1000)) == ("412 of 1,000 (41%)", "1,000 のうち 412 (41%)")
    assert format_out_of(0, 0) == "0 of 0"
    assert format_count(81776) == "81,776"
    assert format_decimal(-0.0001) == "0.000"


def test_joining_keeps_the_languages_apart() -> None:
    assert join_words(("a", "b")) == "ab"
    both = join_words(("U ", bilingual("utility", "有用性")))
    assert [translate(both, language) for language in Language] == ["U utility", "U 有用性"]
