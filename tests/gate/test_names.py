"""Labels are keys of programs; people read them in words, in their language, and nothing that they say is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.gate.names import translate_name
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
