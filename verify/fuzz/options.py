"""How the words of a call are spoilt: values out of range or of another type, options repeated, dropped, mixed."""

from __future__ import annotations

from random import Random

from .spoiling import NUMBERS, SMALL, TEXTS

FILES = (
    "@history.toml",
    "@shop.csv",
    "@clients.csv",
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
    "a=@tree.csv",
    "a=@groups.csv",
    "b=@groups.csv",
    "a=",
    "=b",
    "a=@none",
    "a=a=a",
    "a,b",
    "a,a",
    ",",
    "a,,b",
    "n",
    "v",
    "f,x1",
    "p%:15",
    "p%:",
    "nk:2,85",
    "nk:0,0",
    "nk:1e999,85",
    "pq:10,50",
    "min:3",
    "min:0",
    "min:-1",
    "zeros",
    "zeros:1e-9",
    "request:70,3",
    "request:0",
    "p%:nan",
    "p%:15@holdings",
    "highs",
    "scip",
    "exact",
    "union",
    "value",
    "frequency",
    "cp932",
    "utf-16",
    "utf-8",
    "no-such",
    "idna",
    "base64",
    "rot13",
    "final",
    "preliminary",
    "age=1,bmi=2",
    "age=nan",
    "north=5,south=5",
    "north=-1",
    "age",
    "sex,age",
    "o.csv",
    "o.tab",
    "o.parquet",
    "no/such/folder/o.csv",
    "x" * 300,
    "o\0.csv",
    "\udcff.csv",
    ".",
    "..",
    "pwscup2018",
    "pwscup2021",
)
TREES = ("a=@tree.csv", "a=@tree.hrc", "a=@wide.csv", "b=@tree.csv", "a=@groups.csv", "c=@tree.csv", "a=@cells.csv")
GROUPINGS = ("b=@groups.csv", "a=@groups.csv", "a=@tree.csv", "b=@wide.csv", "c=@groups.csv", "b=@matrix.csv")
COLUMNS = (
    "a",
    "b",
    "n",
    "v",
    "f",
    "x1",
    "firm",
    "group",
    "w",
    "ask",
    "free",
    "id",
    "sex",
    "age",
    "town",
    "status",
    "bmi",
    "dia",
    "gen",
)
LISTS = (
    "a,b",
    "b,a",
    "a",
    "a,b,c",
    "a,c",
    "a,b,n",
    "sex,age",
    "age,bmi",
    "sex,age,town,id",
    "bmi",
    "gen,race",
    "f,x1,x2",
    "f",
    "n,n",
)
RULES = (
    "p%:15",
    "p%:0",
    "p%:100",
    "p%:15,0",
    "p%:15,3",
    "p%:1e-9",
    "nk:1,50",
    "nk:2,85",
    "nk:3,99.9",
    "nk:100,1",
    "pq:10,50",
    "pq:1,99",
    "pq:10,50,2",
    "min:1",
    "min:3",
    "min:3,50",
    "min:1000000",
    "request:70",
    "request:0.1,3",
    "zeros",
    "zeros:5",
    "p%:15@holdings",
    "min:2@holdings",
    "nk:2,85@holdings",
    "request:70,3@holdings",
    "zeros@holdings",
)
PATTERNS = (
    "@pattern.csv",
    "@pattern2.csv",
    "@pattern3.csv",
    "@pattern4.csv",
    "@patternu.csv",
    "@t.jj",
    "@t.tab",
    "@cells.csv",
    "@t.hst",
)
SPACES = ("age", "bmi", "age,bmi", "gen", "gen,race", "dia", "age,bmi,gen", "dep,pir", "", "gh", "mets,gh")
OWN = {
    "--tree": TREES,
    "--grouping": GROUPINGS,
    "--dims": LISTS,
    "--columns": LISTS,
    "--keys": SPACES,
    "--measured": SPACES,
    "--compared": SPACES,
    "--attributes": SPACES,
    "--table": LISTS,
    "--contributors": LISTS,
    "--rule": RULES,
    "--pattern": PATTERNS,
    "--frozen": PATTERNS,
    "--apriori": ("@t.hst", "@pattern.csv", "@strata.csv"),
    "--mechanism": ("@mechanism.json", "@plain.json", "@S.csv.mechanism.json", "@certificate.json"),
    "--matrices": ("sex=@matrix.csv", "age=@matrix.csv", "sex=@matrix.csv,age=@matrix.csv", "town=@strata.csv"),
    "--strata": ("town", "sex", "id", "@strata.csv", "@people.csv"),
    "--allocation": ("north=5,south=5", "north=0,south=10", "north=40,south=40", "f=1,m=1"),
    "--rules": ("pwscup2018", "pwscup2021", "@rules18.toml", "@rules21.toml", "@recipe.toml"),
    "--encoding": ("utf-8", "cp932", "latin-1", "ascii", "utf-8-sig", "euc-jp"),
    "--separator": (",", ";", "\t", "|", " "),
    "--decimal": (".", ","),
    "--top": ("age=75", "age=20,bmi=20", "gen=1", "age=1e9"),
    "--bottom": ("age=22", "age=85,bmi=75", "gen=1", "age=-1e9"),
    "--low": ("1", "0", "age=13,bmi=13"),
    "--high": ("100", "age=85,bmi=75"),
    "--schema": ("@history.toml", "@records.toml", "@rules21.toml"),
    "--missing": ("", "NA", "tea", "north", "0", "NA,tea"),
    "--date-format": ("%d.%m.%Y", "%Y-%m-%d", "%Y/%m/%d", "%Y", "%", "%Q", "%s"),
    "--total": ("a=Total", "b=Total", "a=U", "a=x", "Total"),
    "--category": ("a=x", "b=p", "a=Total", "a=x,y"),
    "--cost": ("1", "value", "frequency"),
    "--bound": ("union", "exact"),
    "--safe": ("union", "exact"),
    "--solver": ("auto", "highs", "scip"),
    "--scheme": ("fixed", "bernoulli"),
    "--round": ("final", "preliminary"),
    "--ranks": ("share", "width"),
    "--choice": ("far", "near", "random"),
} | dict.fromkeys(
    ("--count", "--value", "--id", "--contributor", "--holding", "--weight", "--request", "--waiver"), COLUMNS
)
"""Values that an option may well have, alone or in other company."""
WORK = frozenset({"--effort", "--seconds", "--time", "--samples", "--seeds", "--processes", "--pairs", "--attackers"})
"""Options that ask for work: who asks for a million samples waits for them.

Spoilt only by values that mean no such thing.
"""
IDLE = ("0", "-1", "1", "nan", "-inf", "x", "", "1/0", "0.5", "１", "1e-320", "1" * 5000)


def spoil_options(words: list[str], options: dict[str, bool], chance: Random) -> list[str]:
    """Return the words of a call with one option or argument spoilt."""
    way = chance.choice((_revalued, _revalued, _revalued, _added, _added, _added, _dropped, _doubled, _mixed))
    return way(list(words), options, chance)


def _value(option: str, chance: Random) -> str:
    if option in WORK:
        return chance.choice(IDLE)
    if option in OWN and chance.randrange(2):
        return chance.choice(OWN[option])
    word = chance.choice(chance.choice((SMALL, SMALL, SMALL, NUMBERS, NUMBERS, WORDS, WORDS, FILES, TEXTS)))
    return word if not word.startswith("/") else ""  # nothing may be written outside the folder of the call


def _revalued(words: list[str], options: dict[str, bool], chance: Random) -> list[str]:
    places = [at for at, word in enumerate(words) if word not in options]
    plain = [at for at in places if "@" not in words[at] and not words[at].startswith("o.")]
    places = plain if plain and chance.randrange(4) else places
    if not places:
        return _added(words, options, chance)
    at = chance.choice(places)
    if "@" in words[at] and chance.randrange(4):
        words[at] = chance.choice(FILES)
        return words
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
