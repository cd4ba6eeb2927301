"""The encoding of a file is found out rightly, for a text read in another says something else about people."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.files.separated_rows import find_encoding, name_written
from sekisho.data.files.whole_files import decode_text, detect_and_decode
from sekisho.errors import EncodingError

JAPANESE = "会員番号,氏名,フリガナ,住所\n0001,山田 花子,ヤマダ ハナコ,みどり市中央1-2\n0002,佐藤 健,サトウ ケン,東町3\n"
GERMAN = "Kundennr;Straße;Ort\n001;Hauptstraße 5;Köln\n002;Am Mühlbach 7;Düren\n"
FRENCH = "N° client;Prénom;Montant\nC1;Hélène;3,17 €\nC2;François;12,50 €\n"
POLISH = "Imię;Miasto;Ulica\nŁucja;Łódź;Żółkiewskiego\nŚwiętosława;Gdańsk;Świętokrzyska\n" * 4
RUSSIAN = "Фамилия;Имя;Город\nИванов;Пётр;Москва\nСидорова;Анна;Казань\n" * 4
CHINESE = "姓名,电话,地址\n张伟,1380000,北京市朝阳区\n王芳,1390000,上海市浦东\n" * 4
KOREAN = "이름,전화,주소\n김철수,02-000,서울시 강남구\n박영희,051-000,부산시\n" * 4


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (JAPANESE, "cp932", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (JAPANESE, "iso2022_jp", "iso2022_jp"),
        (JAPANESE, "utf-8", "utf-8"),
        (JAPANESE, "utf-8-sig", "utf-8"),
        (JAPANESE, "utf-16", "utf-16"),
        (JAPANESE, "utf-16-le", "utf-16-le"),
        (JAPANESE, "utf-16-be", "utf-16-be"),
        (JAPANESE, "utf-32", "utf-32"),
        ("ｶﾅ,ｼﾒｲ\nﾔﾏﾀﾞ,ﾊﾅｺ\nｻﾄｳ,ｹﾝ\n", "cp932", "cp932"),
        (GERMAN, "cp1252", "cp1252"),
        (FRENCH, "cp1252", "cp1252"),
        (GERMAN, "utf-16", "utf-16"),
        (POLISH, "cp1250", "cp1250"),
        (RUSSIAN, "cp1251", "cp1251"),
        (CHINESE, "gb18030", "gb18030"),
        (KOREAN, "cp949", "cp949"),
        ("a,b\n1,2\n", "ascii", "utf-8"),
    ],
)
def test_each_text_is_read_in_the_encoding_it_was_written_in(text: str, encoding: str, name: str) -> None:
    data = text.encode(encoding)
    assert find_encoding(data) == name
    assert detect_and_decode(data, "f.csv") == (text, name)


kana = st.text("あいうえおかきくけこさしすせそたちつてとアイウエオカキクケコサシスセソ", min_size=2, max_size=6)
kanji = st.text("山田佐藤東京都市区町村大小中上下本店会員番号年月日", min_size=1, max_size=4)


@try_examples(60)
@given(
    rows=st.lists(st.tuples(kana, kanji, st.integers(0, 99999)), min_size=4, max_size=12),
    encoding=st.sampled_from(["cp932", "euc_jp", "utf-8", "utf-16", "utf-16-le"]),
)
def test_japanese_of_any_words_is_read_back(rows: list[tuple[str, str, int]], encoding: str) -> None:
    text = "".join(f"{reading},{name},{number}\n" for reading, name, number in rows)
    assert detect_and_decode(text.encode(encoding), "f.csv")[0] == text


def test_bytes_that_no_encoding_makes_plausible_are_refused_as_no_utf_8() -> None:
    with pytest.raises(EncodingError, match="not utf-8"):
        detect_and_decode(b"a\x81 ,b\n1,2\n", Path("f.csv"))


def test_a_nul_is_refused_in_every_encoding() -> None:
    for encoding in ("utf-8", "utf-16"):
        with pytest.raises(EncodingError, match="NUL byte in line 2"):
            decode_text("a,b\n1,\x002\n".encode(encoding), "f.csv", encoding=encoding)


def test_what_is_read_in_a_wide_encoding_is_written_in_utf_8() -> None:
    assert [name_written(name) for name in (None, "utf-16", "UTF_16_LE", "iso2022_jp", "cp932")] == [
        *("utf-8", "utf-8", "utf-8", "utf-8", "cp932")
    ]
