"""Names that people take for one another: two teams must not have such names, for one could pass for the other.

A name's skeleton is what is left of it to the eye: compatibility forms (full width, ligatures), case, accents, letters
of other alphabets and digits that look like Latin letters, katakana and kanji that look alike are made the same. Names
whose skeletons are equal look alike. Voicing marks of kana are letters to those who read them, and stay.

Source: the idea and most pairs are those of Unicode Technical Standard 39, section 4 (confusable detection); letters of
alphabets that are not listed here are told apart.
"""

from __future__ import annotations

from unicodedata import category, normalize

VOICING = "\u3099\u309a"
PAIRS = (
    ("0οоօ", "o"),
    ("1іıιӏ|Ӏι", "l"),
    ("i", "l"),
    ("аα", "a"),
    ("вβ", "b"),
    ("сϲ", "c"),
    ("ԁ", "d"),
    ("еєε", "e"),
    ("һнη", "h"),
    ("јϳ", "j"),
    ("кκ", "k"),
    ("мμ", "m"),
    ("пν", "n"),
    ("рρ", "p"),
    ("ԛ", "q"),
    ("гѓ", "r"),
    ("ѕ", "s"),
    ("тτ", "t"),
    ("υս", "u"),
    ("ѵ", "v"),
    ("ѡω", "w"),
    ("хχ", "x"),
    ("уγ", "y"),
    ("ζ", "z"),
    ("ー一―‐‑–—−ｰ", "-"),
    ("力", "カ"),
    ("二", "ニ"),
    ("口", "ロ"),
    ("夕", "タ"),
    ("工", "エ"),
    ("卜", "ト"),
    ("八", "ハ"),
    ("へ", "ヘ"),
    ("り", "リ"),
    ("干", "チ"),
)
"""Characters in lower case, and the one that stands for them."""
TABLE = str.maketrans({alike: plain for alikes, plain in PAIRS for alike in alikes})
JOINED = (("rn", "m"), ("vv", "w"))
"""Letters that together look like one."""


def find_skeleton(name: str) -> str:
    """Return what is left of a name to the eye."""
    folded = normalize("NFKD", normalize("NFKC", name).casefold())
    bare = "".join(sign for sign in folded if category(sign) not in {"Mn", "Cf"} or sign in VOICING)
    skeleton = normalize("NFC", bare).translate(TABLE)
    for several, one in JOINED:
        skeleton = skeleton.replace(several, one)
    return skeleton
