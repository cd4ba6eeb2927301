"""Whatever can be said has its Japanese, no hole is lost on the way, and matching is what its definition says."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.collected_words import RULE, WORDS, blank_fields

from sekisho.cli.kit.language.japanese.catalogue import HOLE, Catalogue, Sentence, list_holes, read_entries
from sekisho.cli.kit.language.japanese.translate import find_translation, translate_lines, translate_rule

KINDS = ("names", "rules", "subjects", "usage", "words")
VALUES = ("'甲'", "'乙'", "'丙'", "'丁'", "'戊'", "'己'", "'庚'", "'辛'", "'壬'", "'癸'", "'子'")


@pytest.mark.parametrize("kind", KINDS)
def test_the_japanese_has_every_hole_of_the_english_once(kind: str) -> None:
    for english, japanese in read_entries(kind).items():
        assert sorted(at for at, _ in list_holes(japanese)) == list(range(english.count(HOLE))), english
        assert blank_fields(japanese).count(HOLE) == english.count(HOLE), english


@pytest.mark.parametrize("kind", KINDS)
def test_the_catalogue_is_sorted_and_in_one_style(kind: str) -> None:
    entries = read_entries(kind)
    assert list(entries) == sorted(entries)
    assert (
        not [japanese for japanese in entries.values() if re.search(r"(である|だ)$|[,，．]　|。$", japanese)]
        or kind == WORDS
    )


@pytest.mark.parametrize("kind", [RULE, WORDS])
def test_a_filled_sentence_is_translated_with_all_its_values(kind: str) -> None:
    translate = translate_rule if kind == RULE else find_translation
    for english in read_entries(kind):
        values = VALUES[: english.count(HOLE)]
        japanese = translate(blank_fields(english).replace(HOLE, "{}").format(*values))
        assert japanese is not None, english
        assert all(value in japanese for value in values), (english, japanese)


@given(st.text())
@example("x must be at least 2, not 1")
@example("a: b: c: d: e: f")
@example(" must , not ; : .")
@example("is is is is")
@example("{0} is no {1:words}")
@example("\ud800 is no number")
def test_translating_never_raises_and_keeps_what_it_does_not_know(text: str) -> None:
    japanese = translate_lines(text)
    if find_translation(text.strip()) is None and "\n" not in text:
        assert japanese == text


@given(st.sampled_from(sorted(read_entries(WORDS))), st.data())
def test_no_value_is_lost(english: str, data: st.DataObject) -> None:
    # values without a letter, as numbers and quoted Japanese have: no literal part can be among them
    value = st.text(alphabet="0123456789甲乙丙_@#", min_size=1, max_size=8)
    values = [data.draw(value) for _ in range(english.count(HOLE))]
    japanese = find_translation(english.replace(HOLE, "{}").format(*values)) or ""
    assert all(each in japanese for each in values)


PARTS = st.lists(st.text(alphabet="ab ", max_size=3), min_size=1, max_size=4)


@given(PARTS, st.text(alphabet="ab ", max_size=12))
@example(["a", "a"], "a")  # the two ends may not share a letter
@example(["", ""], "")
def test_a_sentence_is_matched_as_a_lazy_pattern_would(parts: list[str], text: str) -> None:
    slow = re.fullmatch("(.*?)".join(map(re.escape, parts)), text)
    expected = None if slow is None else list(slow.groups())
    if expected is not None and any(value.startswith("  ") or value.endswith("  ") for value in expected):
        expected = None
    assert Sentence(parts=tuple(parts), japanese="").match(text) == expected


@given(st.lists(st.text(alphabet="ab {}", max_size=8), max_size=6), st.text(alphabet="ab ", max_size=12))
def test_the_index_finds_what_a_search_of_all_sentences_finds(templates: list[str], text: str) -> None:
    sentences = [Sentence(parts=tuple(each.split(HOLE)), japanese="") for each in dict.fromkeys(templates)]
    matching = [each for each in sentences if each.match(text) is not None]
    found = Catalogue.of(dict.fromkeys(templates, "")).find(text)
    assert (found is None) == (not matching)
    assert found is None or found[0].weight == max(each.weight for each in matching)


def test_a_long_text_is_matched_at_once() -> None:
    """A pattern with holes that backtracks would take hours here: one pass it is, and longer texts are data."""
    sentence = Sentence(parts=("", " is ", " is ", " is ", " is no "), japanese="")
    assert sentence.match(" is x" * 200_000) is None
    assert find_translation("is " * 1_300) is None
