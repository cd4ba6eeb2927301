"""Labels are keys of programs; people read them in words, in their language, and nothing that they say is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.gate.names import name_candidate, name_measure, tell_candidates_apart, translate_name
from sekisho.words import Language, translate


@pytest.mark.parametrize(
    ("label", "english", "japanese"),
    [
        ("partition", "partition", "局所的な一般化"),
        ("partition k=7", "partition (k = 7)", "局所的な一般化（k = 7）"),
        (
            "partition sensitive=診断名 l=2",
            "partition (2 or more kinds of 診断名)",
            "局所的な一般化（診断名は 2 種類以上）",
        ),
        (
            "lattice k=10 sensitive=main illness t=0.3 suppress=1/20",
            "lattice (k = 10, t = 0.3 of main illness, up to 5 % of the rows left out)",
            "大域的な一般化（k = 10、main illness の t = 0.3、除く行は 5 % まで）",
        ),
        (
            "partition sensitive=ill l=2.5 diversity=entropy strict=True",
            "partition (l = 2.5 of ill, by entropy, strict)",
            "局所的な一般化（ill の l = 2.5（エントロピー）、strict）",
        ),
        ("microaggregate keys=age,sex", "microaggregate (by age, sex)", "ミクロアグリゲーション（age, sex による）"),
        ("partition k=3 (2)", "partition (k = 3) (2)", "局所的な一般化（k = 3） (2)"),
        ("suppress 2", "suppress 2", "秘匿 2"),
        ("release of May.csv", "release of May.csv", "release of May.csv"),
        ("stranger power=3", "stranger (power = 3)", "stranger（power = 3）"),
        ("lattice suppress=some", "lattice (suppress = some)", "大域的な一般化（suppress = some）"),
    ],
)
def test_a_label_in_words(label: str, english: str, japanese: str) -> None:
    words = translate_name(label)
    assert (translate(words, Language.EN), translate(words, Language.JA)) == (english, japanese)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.text(min_size=1, max_size=8), max_size=4))
def test_whatever_a_label_says_can_be_said(told: dict[str, str]) -> None:
    label = " ".join(["partition", *(f"{name}={value}" for name, value in told.items())])
    for language in Language:
        words = translate(translate_name(label), language)
        assert words
        assert not told or words != label


@pytest.mark.parametrize(
    ("label", "english"),
    [
        ("partition", "partition (k = 5)"),  # the k that a label leaves out
        ("partition sensitive=ill l=2", "partition (k = 5, 2 or more kinds of ill)"),
        ("lattice k=7", "lattice (k = 7)"),
        ("pram retention=0.9", "pram (retention = 0.9)"),  # which has no k as usual
        ("release.csv", "release.csv"),
    ],
)
def test_a_candidate_is_told_with_its_k(label: str, english: str) -> None:
    assert name_candidate(label) == english


def test_candidates_of_one_method_are_told_by_what_differs() -> None:
    labels = ["partition sensitive=ill l=2", "partition k=6 sensitive=ill l=2", "partition k=7 sensitive=ill l=2"]
    assert tell_candidates_apart(labels) == ["k = 5", "k = 6", "k = 7"]
    assert tell_candidates_apart([*labels, "lattice"])[1:] == [
        "partition (k = 6)",
        "partition (k = 7)",
        "lattice (k = 5)",
    ]
    assert tell_candidates_apart(labels[:1]) == ["partition (k = 5, 2 or more kinds of ill)"]
    assert tell_candidates_apart(["lattice k=3", "lattice k=3 (2)"]) == ["lattice (k = 3)", "lattice (k = 3) (2)"]
    assert tell_candidates_apart([]) == []


def test_a_measure_is_its_key_in_english_and_words_in_japanese() -> None:
    words = name_measure("pair-tables")
    assert (translate(words, Language.EN), translate(words, Language.JA)) == ("pair-tables", "2 列の分割表")
    assert translate(name_measure("our own"), Language.JA) == "our own"
