"""Japanese readings in Latin letters, as passports and mail addresses write them: with long vowels and without."""

from __future__ import annotations

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
