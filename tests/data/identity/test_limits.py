"""Where values begin to name people: every limit is tried on both sides, so that none moves unseen."""

from __future__ import annotations

import polars as pl
import pytest

from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.content_judgement import is_prose, judge_column
from sekisho.data.identity.forms import IdentityForm, find_form
from sekisho.data.identity.header_words import ColumnEvidence
from sekisho.data.identity.person_names import Likeness, rate_name

CODES = IdentityForm.CODES.value
NAMES = IdentityForm.NAMES.value
PEOPLE = ("Anna Weber", "Boris Klein", "Clara Roth", "David Stone", "Erik Lund", "Fatima Khan")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PLAIN_WORDS = tuple(f"q{one}{two}" for one in LETTERS for two in LETTERS)
"""Words that are no names, no codes, and not written as names are."""


def gather(
    header: str, values: list[str], *, rows: int | None = 200, kind: Kind = Kind.CATEGORY, crosses: bool | None = None
) -> ColumnEvidence:
    texts = pl.Series(values, dtype=pl.String)
    return ColumnEvidence(header=header, kind=kind, values=texts, rows=rows, crosses=crosses)


def say_why(evidence: ColumnEvidence) -> str:
    """Return the form that a column was judged by, or else the ground; empty if it names nobody."""
    judgement = judge_column(evidence)
    if judgement is None:
        return ""
    return judgement.sign if judgement.ground.value == "content" else judgement.ground.value


def list_codes(count: int, first: str = "k", start: int = 100) -> list[str]:
    return [f"{first}{start + number}" for number in range(count)]


@pytest.mark.parametrize(
    ("distinct", "rows", "covered"), [(50, 200, False), (51, 200, True), (50, 199, True), (50, None, False)]
)
def test_as_many_values_as_a_share_of_rows_cover_no_more_than_that(
    distinct: int, rows: int | None, *, covered: bool
) -> None:
    assert gather("x", list_codes(distinct), rows=rows).covers(0.25) is covered


@pytest.mark.parametrize(
    ("header", "crosses", "why"),
    [
        ("", True, ""),
        ("", False, CODES),
        ("", None, CODES),
        ("card", True, CODES),
        ("card", False, CODES),
    ],
)
def test_codes_that_cross_people_are_of_wares_unless_the_header_speaks_of_what_belongs_to_one(
    header: str, why: str, *, crosses: bool | None
) -> None:
    assert say_why(gather(header, list_codes(100, "", 1_000_000), rows=900, crosses=crosses)) == why


@pytest.mark.parametrize(
    ("values", "rows", "why"),
    [
        (list_codes(50), 200, ""),
        (list_codes(51), 200, CODES),
        (list_codes(51), 1019, CODES),  # 51 > 0.05 * 1019 = 50.95
        (list_codes(51), 1020, ""),
        (list_codes(10, start=10_000), 100, ""),  # long ones: more than ten
        (list_codes(11, start=10_000), 100, CODES),
        (list_codes(9, start=10_000), 39, ""),  # of few rows: more than a quarter
        (list_codes(10, start=10_000), 39, CODES),
        (["k12" + sign for sign in LETTERS] + list_codes(25), 200, ""),  # 25 of 51 are codes
        (["qqqq" + sign for sign in LETTERS[:6]] + list_codes(54), 200, CODES),  # 54 of 60: nine in ten
        (["qqqq" + sign for sign in LETTERS[:7]] + list_codes(53), 200, ""),
    ],
)
def test_so_many_codes_stand_for_few_rows_each(values: list[str], rows: int, why: str) -> None:
    assert say_why(gather("x", values, rows=rows)) == why


def number_people(count: int) -> list[str]:
    """Return numbers of twelve digits with the check digit of My Number."""
    weights = (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)
    texts = [f"{12_345_678_900 + number:011d}" for number in range(count)]
    rests = [sum(int(sign) * weight for sign, weight in zip(text, weights, strict=True)) % 11 for text in texts]
    return [text + str(0 if rest <= 1 else 11 - rest) for text, rest in zip(texts, rests, strict=True)]


def spoil(number: str) -> str:
    return number[:-1] + str((int(number[-1]) + 1) % 10)


@pytest.mark.parametrize(
    ("right", "wrong", "share"), [(6, 0, 0.6), (5, 1, None), (6, 4, 0.6), (5, 5, None), (10, 0, 1)]
)
def test_numbers_without_their_check_digit_are_none_however_few_look_like_them(
    right: int, wrong: int, share: float | None
) -> None:
    """Of ten texts; six must be such numbers, and five with one that only looks like one are not six."""
    numbers = number_people(right + wrong)
    texts = [*numbers[:right], *map(spoil, numbers[right:]), *PLAIN_WORDS[: 10 - right - wrong]]
    assert find_form(pl.Series(texts)) == (None if share is None else (IdentityForm.MY_NUMBER, share))


@pytest.mark.parametrize(
    ("text", "likeness"),
    [
        ("Anna Maria Luise Eva Weber", Likeness.WHOLE),  # five words
        ("Anna Maria Luise Eva Ida Weber", Likeness.NONE),
        ("Dr. Anna Maria Luise Eva Weber", Likeness.WHOLE),  # a title is no word of the name
        ("Anna Weber 2", Likeness.NONE),
        ("A. Weber", Likeness.WHOLE),
        ("A. Weber2", Likeness.NONE),
        ("山田太郎", Likeness.WHOLE),
        ("山田太郎1", Likeness.NONE),
        ("山田太郎１", Likeness.NONE),
        ("Dr.", Likeness.NONE),
        ("様", Likeness.NONE),
        ("", Likeness.NONE),
    ],
)
def test_a_name_has_at_most_five_words_and_no_digit(text: str, likeness: Likeness) -> None:
    assert rate_name(text) is likeness


@pytest.mark.parametrize(
    ("header", "people", "others", "why"),
    [
        ("stuff", 3, 7, NAMES),  # three in ten
        ("stuff", 3, 8, IdentityForm.SENTENCES.value),
        ("stuff", 2, 1, IdentityForm.SENTENCES.value),  # fewer than three
        ("town", 6, 4, NAMES),  # six in ten, whatever the header says
        ("town", 5, 4, IdentityForm.SENTENCES.value),
    ],
)
def test_so_many_whole_names_make_a_column_of_names(header: str, people: int, others: int, why: str) -> None:
    assert say_why(gather(header, [*PEOPLE[:people], *PLAIN_WORDS[:others]])) == why


@pytest.mark.parametrize(("names", "others", "why"), [(3, 3, NAMES), (3, 4, ""), (2, 1, "")])
def test_single_names_must_be_half_of_all_and_three(names: int, others: int, why: str) -> None:
    assert say_why(gather("stuff", ["Weber", "Klein", "Anna"][:names] + list(PLAIN_WORDS[:others]))) == why


@pytest.mark.parametrize(
    ("names", "others", "why"),
    [
        (2, 13, IdentityForm.WORDS.value),
        (2, 12, ""),  # fifteen words
        (2, 18, IdentityForm.WORDS.value),
        (2, 19, ""),  # one in ten
    ],
)
def test_single_words_of_which_one_in_ten_is_a_name_may_be_names(names: int, others: int, why: str) -> None:
    words = [word.capitalize() for word in PLAIN_WORDS[:others]]
    assert say_why(gather("x", [*["Weber", "Anna"][:names], *words])) == why


@pytest.mark.parametrize(("capitals", "others", "why"), [(14, 4, IdentityForm.WORDS.value), (13, 4, "")])
def test_four_in_five_single_words_are_written_as_names_are(capitals: int, others: int, why: str) -> None:
    words = [word.capitalize() for word in PLAIN_WORDS[:capitals]]
    assert say_why(gather("x", ["Weber", "Anna", *words, *PLAIN_WORDS[-others:]])) == why


@pytest.mark.parametrize(
    ("header", "length", "distinct", "rows", "written"),
    [
        ("x", 25, 11, 43, True),
        ("x", 24, 11, 43, False),
        ("x", 25, 11, 44, False),  # 11 = 0.25 * 44
        ("x", 25, 10, 20, False),
        ("town", 30, 11, 43, True),
        ("town", 29, 11, 43, False),
    ],
)
def test_prose_is_long_and_hardly_ever_the_same(
    header: str, length: int, distinct: int, rows: int, *, written: bool
) -> None:
    texts = [word.ljust(length, "z") for word in PLAIN_WORDS[:distinct]]
    assert is_prose(gather(header, texts, rows=rows)) is written


@pytest.mark.parametrize(
    ("distinct", "rows", "kind", "why"),
    [
        (18, 20, Kind.CATEGORY, "distinct"),  # nine in ten
        (17, 20, Kind.CATEGORY, ""),
        (19, 19, Kind.CATEGORY, ""),  # too few records
        (97, 100, Kind.INTEGER, "distinct"),
        (96, 100, Kind.INTEGER, ""),
        (100, 100, Kind.DECIMAL, ""),
    ],
)
def test_a_value_of_ones_own_names_people(distinct: int, rows: int, kind: Kind, why: str) -> None:
    values = list(PLAIN_WORDS) if kind is Kind.CATEGORY else list_codes(distinct, "")
    assert say_why(gather("x", values[:distinct], rows=rows, kind=kind)) == why


@pytest.mark.parametrize(
    ("header", "values", "fewest"),
    [
        ("住所", PLAIN_WORDS, 21),  # more than there are regions: a fifth of 100 rows
        ("website", PLAIN_WORDS, 11),
        ("comment", PLAIN_WORDS, 31),
        ("comment", tuple(f"{word} and so on" for word in PLAIN_WORDS), 11),
        ("basket", PLAIN_WORDS, 11),
        ("customer", PLAIN_WORDS, 21),
        ("code", PLAIN_WORDS, 51),  # half of 100 rows
    ],
)
def test_a_header_is_believed_from_so_many_values_on(header: str, values: tuple[str, ...], fewest: int) -> None:
    assert say_why(gather(header, list(values[:fewest]), rows=100)) == "header"
    assert say_why(gather(header, list(values[: fewest - 1]), rows=100)) == ""
