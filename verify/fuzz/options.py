"""How the words of a call are spoilt: values out of range or of another type, options repeated, left out, contradicting."""

from __future__ import annotations

from random import Random

from .spoiling import NUMBERS, SMALL, TEXTS

FILES = (
    "@T.csv",
    "@cells.csv",
    "@B.csv",
    "@mechanism.json",
    "@rules18.toml",
    "@t.tab",
    "@t.jj",
    "@certificate.json",
    "@folder",
    "@none",
)
WORDS = (
    "a=@tree.csv", "a=@groups.csv", "b=@groups.csv", "a=", "=b", "a=@none", "a=a=a", "a,b", "a,a", ",", "a,,b", "n", "v", "f,x1",
    "p%:15", "p%:", "nk:2,85", "nk:0,0", "nk:1e999,85", "pq:10,50", "min:3", "min:0", "min:-1", "zeros", "zeros:1e-9", "request:70,3",
    "request:0", "p%:nan", "p%:15@holdings", "highs", "scip", "exact", "union", "value", "frequency", "cp932", "utf-16", "utf-8",
    "no-such", "idna", "base64", "rot13", "final", "preliminary", "age=1,bmi=2", "age=nan", "north=5,south=5", "north=-1", "age", "sex,age",
    "o.csv", "o.tab", "o.parquet", "no/such/folder/o.csv", "x" * 300, "o\0.csv", "\udcff.csv", ".", "..", "pwscup2018", "pwscup2021",
)  # fmt: skip
WORK = frozenset({"--effort", "--seconds", "--time", "--samples", "--seeds", "--processes", "--pairs", "--attackers"})
"""Options that ask for work: who asks for a million samples waits for them. Spoilt only by values that mean no such thing."""
IDLE = ("0", "-1", "1", "nan", "-inf", "x", "", "1/0", "0.5", "１", "1e-320", "1" * 5000)


def spoil_options(words: list[str], options: dict[str, bool], chance: Random) -> list[str]:
    """Return the words of a call with one option or argument spoilt."""
    way = chance.choice((_revalued, _revalued, _revalued, _added, _added, _added, _dropped, _doubled, _mixed))
    return way(list(words), options, chance)


def _value(option: str, chance: Random) -> str:
    if option in WORK:
        return chance.choice(IDLE)
    word = chance.choice(chance.choice((SMALL, SMALL, SMALL, NUMBERS, NUMBERS, WORDS, WORDS, FILES, TEXTS)))
    return word if not word.startswith("/") else ""  # nothing may be written outside the folder of the call


def _revalued(words: list[str], options: dict[str, bool], chance: Random) -> list[str]:
    places = [at for at, word in enumerate(words) if word not in options]
    if not places:
        return _added(words, options, chance)
    at = chance.choice(places)
    words[at] = _value(words[at - 1] if at and words[at - 1] in options else "", chance)
    return words


def _added(words: list[str], options: dict[str, bool], chance: Random) -> list[str]:
    option = chance.choice(list(options))
    return [*words, option, *([_value(option, chance)] if options[option] else [])]


def _dropped(words: list[str], options: dict[str, bool], chance: Random) -> list[str]:
    del options
    if words:
        del words[chance.randrange(len(words))]
    return words


def _doubled(words: list[str], options: dict[str, bool], chance: Random) -> list[str]:
    at = chance.randrange(len(words)) if words else 0
    again = words[at : at + 2] if words and words[at] in options and options[words[at]] else words[at : at + 1]
    return [*words, *again]


def _mixed(words: list[str], options: dict[str, bool], chance: Random) -> list[str]:
    for _ in range(chance.randint(2, 4)):
        words = _added(words, options, chance)
    return words
