"""Whether a text is a person's name, or holds one: by lists of common names and by how names are written.

The lists hold common names only. Of a column of names many are on them, of a column of towns, wares or illnesses hardly
any; so it is the share of a column's values that tells.

Japanese readings in Latin letters, as passports and mail addresses write them: with long vowels and without.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib.resources import files

from sekisho.data.identity.header_words import fold

SYLLABLES = """
ア a イ i ウ u エ e オ o カ ka キ ki ク ku ケ ke コ ko サ sa
シ shi ス su セ se ソ so タ ta チ chi ツ tsu テ te ト to ナ na ニ ni
ヌ nu ネ ne ノ no ハ ha ヒ hi フ fu ヘ he ホ ho マ ma ミ mi ム mu
メ me モ mo ヤ ya ユ yu ヨ yo ラ ra リ ri ル ru レ re ロ ro ワ wa
ン n ガ ga ギ gi グ gu ゲ ge ゴ go ザ za ジ ji ズ zu ゼ ze ゾ zo
ダ da ヂ ji ヅ zu デ de ド do バ ba ビ bi ブ bu ベ be ボ bo パ pa
ピ pi プ pu ペ pe ポ po キャ kya キュ kyu キョ kyo シャ sha シュ shu ショ sho チャ cha
チュ chu チョ cho ニャ nya ニュ nyu ニョ nyo ヒャ hya ヒュ hyu ヒョ hyo ミャ mya ミュ myu ミョ myo
リャ rya リュ ryu リョ ryo ギャ gya ギュ gyu ギョ gyo ジャ ja ジュ ju ジョ jo ビャ bya ビュ byu
ビョ byo
"""
_WORDS = SYLLABLES.split()
_SPELLED: dict[str, str] = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
LONG = {"ou": "o", "oo": "o", "uu": "u"}


def spell_reading(reading: str) -> frozenset[str]:
    """Return how a reading in katakana is spelled: ``サトウ`` is satou, sato and satoh."""
    letters, place, doubled = "", 0, False
    while place < len(reading):
        two = _SPELLED.get(reading[place : place + 2])
        spelled = two if two is not None else _SPELLED.get(reading[place], "")
        if reading[place] == "ッ":
            doubled, place = True, place + 1
            continue
        letters += spelled[:1] + spelled if doubled else spelled
        place += 2 if two is not None else 1
        doubled = False
    short = letters
    for long, vowel in LONG.items():
        short = short.replace(long, vowel)
    ended = {short[:-1] + "oh"} if letters.endswith(("ou", "oo")) else set[str]()
    return frozenset({letters, short} | ended)


MOST_WORDS, LONGEST_GIVEN = 5, 3
FAR_EAST = re.compile(r"^[぀-ヿ㐀-鿿가-힣々ー]+$")
PLACE_OR_FIRM = re.compile(
    r"(都|道|府|県|市|区|町|村|郡|島|駅|丁目|線|店|屋|社|院|園|校|館|寺|港|川|課|部|科|室|組合|銀行|工業|食品|商事|商会|株式会社)$"
)
SENTENCE_JAPANESE_TITLE = re.compile(r"([㐀-鿿々]{1,5})[ 　]?(?:さん|様|さま|氏|先生|医師|殿|君|くん)")
SENTENCE_WESTERN_TITLE = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herrn?|Frau|Mme|Mlle|Monsieur|Madame|Señora?|Sra?)\.? [A-ZÀ-Þ]"
    r"|\b(?i:in (?:loving )?memory of|in honou?r of|on behalf of|c/o|attn\.?:?|in memoria di|en mémoire de"
    r"|en memoria de|zum gedenken an|à l['’]attention de|a la atención de|z\. ?hd\.(?: von)?) [A-ZÀ-Þ]"
)
SENTENCE_PAIR = re.compile(r"(?<![\w-])(?=([A-ZÀ-Þ][\w-]+) ([A-ZÀ-Þ][\w-]+))")
SENTENCE_WORD = re.compile(r"(?<=[a-zß-ÿ,;] )([A-ZÀ-Þ][a-zß-ÿ]{3,})(?=['’]?s?\b)")
NO_NAMES = frozenset({"april", "june", "will", "mark", "grace", "rose", "summer", "winter", "sommer", "long", "park"})
"""Names that are words as well."""
JAPANESE_RUN = re.compile(r"[㐀-鿿々]{2,5}(?:[ 　][㐀-鿿々ぁ-ゖ]{1,4})?")
INITIALS = re.compile(
    r"^\s*(?:[A-ZÀ-Þ]\.[ -]?){1,3}(?:[a-z]{2,3} ){0,2}[A-ZÀ-Þ][\w'’-]{2,}\s*$"
    r"|^\s*[A-ZÀ-Þ][\w'’-]{2,}, ?(?:[A-ZÀ-Þ]\.[ -]?){1,3}$"
)
"""Initials beside a family name."""
FILLED = re.compile(r"[^\W\d_]")
DROPPED = re.compile(r"[.,;:/()（）\[\]\"“”・･=]+")
KATAKANA_RUN = re.compile(r"^[ァ-ヺー]+$")
SMALL = str.maketrans("ァィゥェォャュョッヮ", "アイウエオヤユヨツワ")


class Likeness(IntEnum):
    """How much a text is like a person's name."""

    NONE = 0
    PART = 1
    WHOLE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NameLists:
    """The names."""

    family: frozenset[str]
    given: frozenset[str]
    kanji_family: frozenset[str]
    kanji_given: frozenset[str]
    kana_family: frozenset[str]
    kana_given: frozenset[str]
    signs: frozenset[str]
    korean: frozenset[str]
    chinese: frozenset[str]
    titles: frozenset[str]
    eastern_titles: tuple[str, ...]


@cache
def read_names() -> NameLists:
    """Return the lists of names."""
    lists = tomllib.loads((files("sekisho.data.identity") / "lists/names.toml").read_text(encoding="utf-8"))
    families = [pair.split(":") for pair in lists["japanese_family"].split()]
    given = [pair.split(":") for pair in lists["japanese_given"].split()]
    return NameLists(
        family=frozenset(map(fold, lists["western_family"].split())) | _spell_all(reading for _, reading in families),
        given=frozenset(map(fold, lists["western_given"].split())) | _spell_all(reading for _, reading in given),
        kanji_family=frozenset(word for word, _ in families),
        kanji_given=frozenset(word for word, _ in given),
        kana_family=frozenset(reading.translate(SMALL) for _, reading in families),
        kana_given=frozenset(reading.translate(SMALL) for _, reading in given),
        signs=frozenset("".join(lists["japanese_given_signs"].split())),
        korean=frozenset(lists["korean_family"].split()),
        chinese=frozenset(lists["chinese_family"].split()),
        titles=frozenset(lists["titles"].split()),
        eastern_titles=tuple(lists["eastern_titles"].split()),
    )


def rate_name(text: str) -> Likeness:
    """Return whether a whole text is a name: of given and family name or with a title, one of both, or neither."""
    words = DROPPED.sub(" ", text.replace("　", " ")).split()
    names = read_names()
    titled = False
    while words and fold(words[0]) in names.titles:
        words, titled = words[1:], True
    while words and fold(words[-1]) in names.titles | frozenset(names.eastern_titles):
        words, titled = words[:-1], True
    if not words or len(words) > MOST_WORDS or any(sign.isdigit() for sign in text):
        return Likeness.NONE
    if INITIALS.match(text):
        return Likeness.WHOLE
    if all(FAR_EAST.match(word) for word in words):
        return _rate_eastern(words, titled=titled)
    if any(FAR_EAST.match(word) for word in words):
        return Likeness.NONE
    return _rate_western(words, titled=titled)


def _rate_western(words: list[str], *, titled: bool) -> Likeness:
    names = read_names()
    if not all(FILLED.match(word) for word in words) or not any(word[0].isupper() for word in words):
        return Likeness.NONE
    parts = [part for word in words for part in re.split(r"[-'’]", fold(word)) if part]
    folded = [fold(word).replace("'", "").replace("’", "") for word in words]
    known = [part in names.given or part in names.family for part in (*folded, *parts)]
    if not any(known):
        return Likeness.PART if titled else Likeness.NONE
    ends = {folded[0], folded[-1]}
    if titled or (len(words) > 1 and (ends & names.given or ends & names.family)):
        return Likeness.WHOLE
    return Likeness.PART if len(words) == 1 else Likeness.NONE


def _rate_eastern(words: list[str], *, titled: bool) -> Likeness:
    text = "".join(words)
    for title in read_names().eastern_titles:
        if text.endswith(title) and len(text) > len(title) + 1:
            text, titled = text[: -len(title)], True
            words = [text] if len(words) == 1 else words
            break
    katakana = _to_katakana(text)
    if KATAKANA_RUN.match(katakana):
        return _rate_kana([_to_katakana(word) for word in words])
    if titled:
        return Likeness.WHOLE if _starts_with_family(text) else Likeness.PART
    return _rate_kanji(words, text)


def _rate_kana(words: list[str]) -> Likeness:
    names = read_names()
    large = [word.translate(SMALL) for word in words]
    if len(large) == 2:
        known = (large[0] in names.kana_family) + (large[1] in names.kana_given)
        return Likeness.WHOLE if known else Likeness.NONE
    if len(large) > 2:
        return Likeness.NONE
    for cut in range(2, min(7, len(large[0]) - 1)):
        if large[0][:cut] in names.kana_family and large[0][cut:] in names.kana_given:
            return Likeness.WHOLE
    return Likeness.PART if large[0] in names.kana_family | names.kana_given else Likeness.NONE


def _rate_kanji(words: list[str], text: str) -> Likeness:
    names = read_names()
    if len(words) == 2 and len(words[0]) <= 4 and len(words[1]) <= 4:
        if words[0] in names.kanji_family or words[1] in names.kanji_given or _is_korean(text):
            return Likeness.WHOLE
        return Likeness.PART if set(words[1]) <= names.signs and not PLACE_OR_FIRM.search(words[1]) else Likeness.NONE
    if len(words) != 1 or PLACE_OR_FIRM.search(text):
        return Likeness.NONE
    if text in names.kanji_family | names.kanji_given:
        return Likeness.PART if len(text) > 1 else Likeness.NONE
    family = _find_family(text)
    rest = text[len(family) :]
    given = rest in names.kanji_given or set(rest) <= names.signs
    if len(family) > 1 and 0 < len(rest) <= LONGEST_GIVEN and given:
        return Likeness.WHOLE
    return Likeness.PART if _is_korean(text) or _is_chinese(text) else Likeness.NONE


def _is_korean(text: str) -> bool:
    return 3 <= len(text) <= 4 and text[0] in read_names().korean and all("가" <= sign <= "힣" for sign in text)


def _is_chinese(text: str) -> bool:
    return 2 <= len(text) <= 3 and text[0] in read_names().chinese and all("㐀" <= sign <= "鿿" for sign in text)


def _find_family(text: str) -> str:
    names = read_names().kanji_family
    return next((text[:length] for length in (3, 2, 1) if text[:length] in names), "")


def _starts_with_family(text: str) -> bool:
    return bool(_find_family(text))


def holds_name(text: str) -> bool:
    """Tell whether a sentence speaks of somebody by name: beside a title, or by two names beside each other."""
    if SENTENCE_WESTERN_TITLE.search(text) or any(map(_is_titled, SENTENCE_JAPANESE_TITLE.findall(text))):
        return True
    if any(_is_pair(first, second) for first, second in SENTENCE_PAIR.findall(text)):
        return True
    given = read_names().given - NO_NAMES
    return any(fold(word) in given for word in SENTENCE_WORD.findall(text)) or any(
        map(_holds_kanji, JAPANESE_RUN.findall(text))
    )


def _is_titled(run: str) -> bool:
    """Tell whether signs before a Japanese title end with a name."""
    names = read_names()
    ends = [run[at:] for at in range(len(run))]
    return any(
        end in names.kanji_family or end in names.kanji_given or _rate_kanji([end], end) is Likeness.WHOLE
        for end in ends
    )


def _is_pair(first: str, second: str) -> bool:
    names, pair = read_names(), (fold(first), fold(second))
    if pair[0] in names.given and (pair[1] in names.family or not (first.isupper() or pair[0] in NO_NAMES)):
        return True
    return pair[0] in names.family and pair[1] in names.given


def _holds_kanji(run: str) -> bool:
    names = read_names()
    plain = run.replace("　", " ").replace(" ", "")
    for at in range(len(plain) - 2):
        family = _find_family(plain[at:])
        rest = plain[at + len(family) :]
        if len(family) > 1 and any(len(given) > 1 and rest.startswith(given) for given in _list_given(rest[:1])):
            return True
    words = run.replace("　", " ").split()
    return len(words) == 2 and words[0][-2:] in names.kanji_family and words[1] in names.kanji_given


@cache
def _list_given(sign: str) -> tuple[str, ...]:
    return tuple(given for given in read_names().kanji_given if sign and given.startswith(sign))


def _to_katakana(text: str) -> str:
    return "".join(chr(ord(sign) + 0x60) if "ぁ" <= sign <= "ゖ" else sign for sign in text)


def _spell_all(readings: Iterable[str]) -> frozenset[str]:
    return frozenset(spelled for reading in readings for spelled in spell_reading(reading))
