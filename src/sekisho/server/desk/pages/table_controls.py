"""What the page of a table asks: rows, columns, layers, measure, rules; and what is wished of single cells."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from sekisho.gate.recipes.keys import ON_ENGINES
from sekisho.gate.tables.recipe import SUPPRESS
from sekisho.server.desk.changes import SentForm
from sekisho.server.desk.edits import DeskEdit, Files
from sekisho.server.desk.pages.table_edits import (
    change_table,
    find_cells_file,
    list_tables,
    read_table_keys,
)
from sekisho.tables.files.apriori import LETTERS, NUMBERS
from sekisho.tables.rules.table_rules import MIN_COUNT
from sekisho.words import Said

TABLE_KEYS = (
    "name",
    "shape",
    "microdata",
    "dims",
    "count",
    "value",
    "contributor",
    "contributors",
    "rules",
    "min_count",
    "insiders",
    "margins",
    "cost",
    "apriori",
    "base",
    *ON_ENGINES,
)
"""The keys of a recipe that the page shows."""
RECORDS, COUNT, VALUE = "records", "count", "value"
FEWEST, CLOSEST = "min:", "p%:"
ROUND, INTERVALS, ADJUST, PERTURB = "round", "intervals", "adjust", "perturb"
USUAL_BASE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TableControls:
    """What the recipe says now, and what may be chosen.

    Attributes:
        columns: of the file.
        dims: the chosen ones: rows first, columns last, layers between them.
        measure: what a cell tells: ``records``, or ``count`` or ``value`` and a column.
        microdata: whether the file has a row a record.
        contributor: the column that says whose a record is.
        fewest: how many must stand behind a cell at least.
        closest: how close an estimate may come, in per cent; empty where no rule says it.
        insiders: how many contributors together are protected against.
        knows_contributors: whether it is known what each gave.
        trees: by dimension the file of its tree.
        table: which of several tables it is; empty where there is one.
        tables: the names of several.
        ways: how the table is published, each way tried.
        base: of whose multiples a rounded table is.
    """

    columns: tuple[str, ...]
    dims: tuple[str, ...]
    measure: str
    microdata: bool
    contributor: str
    fewest: str
    closest: str
    insiders: int
    knows_contributors: bool
    trees: Mapping[str, str]
    table: str = ""
    tables: tuple[str, ...] = ()
    ways: tuple[str, ...] = (SUPPRESS,)
    base: int = USUAL_BASE

    @classmethod
    def read(cls, files: Files, columns: Sequence[str], table: str = "") -> TableControls:
        """Read what a recipe says of its table, or of one of several."""
        recipe = read_table_keys(files, table)
        dims, micro = tuple(map(str, recipe.get("dims", ()))), bool(recipe.get("microdata"))
        named = [*dims, *(str(recipe[key]) for key in (VALUE, COUNT, "contributor") if recipe.get(key))]
        rules = [str(one) for one in recipe.get("rules", ())]
        measure = next((f"{key}:{recipe[key]}" for key in (VALUE, COUNT) if recipe.get(key)), RECORDS)
        fewest = find_number(rules, FEWEST)
        if not measure.startswith(VALUE):
            fewest = str(recipe.get("min_count", fewest or MIN_COUNT))
        return cls(
            columns=tuple(dict.fromkeys([*columns, *named])),
            dims=dims,
            measure=measure,
            microdata=micro,
            contributor=str(recipe.get("contributor", "")),
            fewest=fewest,
            closest=find_number(rules, CLOSEST),
            insiders=int(recipe.get("insiders", 0)),
            knows_contributors=micro or len(recipe.get("contributors", ())) > 1,
            trees={str(dim): str(file) for dim, file in recipe.get("trees", {}).items()},
            table=table,
            tables=tuple(list_tables(files)),
            ways=tuple(dict.fromkeys(str(one.get("name", "")) for one in _list_methods(recipe))) or (SUPPRESS,),
            base=next((one["base"] for one in _list_methods(recipe) if isinstance(one.get("base"), int)), USUAL_BASE),
        )

    @property
    def offered_ways(self) -> list[tuple[str, Said]]:
        """The ways that may be chosen; noise by keys only where the recipe names its files already."""
        counts = not self.measure.startswith(VALUE)
        words: Mapping[str, Said] = {
            SUPPRESS: Said("hide cells"),
            **({ROUND: Said("round counts")} if counts else {}),
            INTERVALS: Said("show intervals"),
            ADJUST: Said("adjust values"),
            **({PERTURB: Said("noise by keys")} if PERTURB in self.ways else {}),
        }
        return list(words.items())

    @property
    def rows(self) -> str:
        """The dimension of the rows."""
        return self.dims[0] if self.dims else ""

    @property
    def across(self) -> str:
        """The dimension of the columns; empty for none."""
        return self.dims[-1] if len(self.dims) > 1 else ""

    @property
    def layers(self) -> tuple[str, ...]:
        """The dimensions between them."""
        return self.dims[1:-1]

    @property
    def offered(self) -> list[str]:
        """The columns that may be layers."""
        taken = {self.rows, self.across, self.contributor, self.measure.partition(":")[2]}
        return [one for one in self.columns if one not in taken]

    @property
    def further(self) -> str:
        """The column that is proposed for the columns of a further table: one that this table does not have."""
        return next(iter(self.offered), "")

    @property
    def measures(self) -> list[tuple[str, Said]]:
        """What a cell may tell."""
        free = [one for one in self.columns if one not in self.dims and one != self.contributor]
        records = [(RECORDS, Said("how many records"))] if self.microdata else []
        counts = [] if self.microdata else [(f"{COUNT}:{one}", Said("count of {column}", column=one)) for one in free]
        return [*records, *counts, *((f"{VALUE}:{one}", Said("sum of {column}", column=one)) for one in free)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTab:
    """One of several tables, and the address that shows it."""

    controls: TableControls
    address: str


def find_number(rules: Sequence[str], kind: str) -> str:
    """Return the first number of the first rule of a kind; empty without one."""
    said = next((one.removeprefix(kind) for one in rules if one.startswith(kind)), "")
    return said.partition("@")[0].partition(",")[0]


def change_rule(rules: Sequence[str], kind: str, number: str) -> list[str]:
    """Return rules with another first number in the one of a kind; without it where the number is empty."""
    changed = list(rules)
    at = next((place for place, one in enumerate(changed) if one.startswith(kind)), None)
    if at is None:
        return [*changed, f"{kind}{number}"] if number else changed
    rest = changed[at].removeprefix(kind + find_number(changed, kind))
    changed[at : at + 1] = [f"{kind}{number}{rest}"] if number else []
    return changed


def read_choices(files: Files, form: SentForm, table: str) -> tuple[str, tuple[DeskEdit, ...]]:
    """Return what the table is called then, and the edits of what was chosen; what stays as it is is none."""
    recipe = read_table_keys(files, table)
    wanted = {**_read_dims(form), **_read_measure(form), **_read_rules(recipe, form), **_read_ways(recipe, form)}
    if any(not read_table_keys(files, one).get(VALUE) for one in list_tables(files) if one != table):
        wanted["min_count"] = wanted.get("min_count") or recipe.get("min_count")  # another table counts
    return change_table(files, table, wanted)


def read_further(files: Files, form: SentForm) -> dict[str, object]:
    """Return the keys of a further table: its dimensions, and what a cell tells.

    To a count everybody gives 1, so that no rule about shares of an amount is asked of it.
    """
    chosen = {**_read_dims(form), **_read_measure(form)}
    said = [str(one) for one in read_table_keys(files, "").get("rules", ())]
    plain = [one for one in said if one.startswith(FEWEST)]
    own = None if chosen[VALUE] or plain == said else plain
    return {**{key: chosen[key] for key in ("dims", COUNT, VALUE)}, "rules": own}


def _read_dims(form: SentForm) -> dict[str, object]:
    rows, across = form.get("rows"), form.get("columns")
    layers = [one for one in form.list("layers") if one not in (rows, across)]
    return {"dims": [one for one in dict.fromkeys([rows, *layers, across]) if one]}


def _read_measure(form: SentForm) -> dict[str, object]:
    kind, _, column = form.get("measure").partition(":")
    wanted: dict[str, object] = {COUNT: None, VALUE: None}
    if kind in wanted and column:
        wanted[kind] = column
    if form.get("micro"):
        wanted["contributor"] = form.get("contributor") or None
    return wanted


def _read_rules(recipe: Mapping[str, object], form: SentForm) -> dict[str, object]:
    said = recipe.get("rules")
    rules = [str(one) for one in said] if isinstance(said, list) else []
    fewest, closest = (
        read_number(form.get(name)) for name in ("fewest", "percent")
    )  # a form whose field is called closest has no such method any more
    wanted: dict[str, object] = {}
    if form.get("measure").startswith(VALUE):
        rules = change_rule(change_rule(rules, FEWEST, fewest), CLOSEST, closest)
        wanted["min_count"] = None
    elif fewest:
        wanted["min_count"] = int(float(fewest)) if "min_count" in recipe or fewest != str(MIN_COUNT) else None
    wanted["rules"] = rules or None
    before = recipe.get("insiders", 0)
    insiders = before if isinstance(before, int) else 0
    if form.get("micro"):
        wanted["insiders"] = max(1, insiders) if form.get("insiders") else (0 if insiders else recipe.get("insiders"))
    return wanted


def _list_methods(recipe: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(recipe.get("methods", ()))


def _read_ways(recipe: Mapping[str, object], form: SentForm) -> dict[str, object]:
    """Return the methods that are to be tried; what is said of one stays. Hiding cells alone needs no word."""
    if not form.get("ways_asked"):
        return {}
    before = {str(one.get("name", "")): dict(one) for one in _list_methods(recipe)}
    offered = (SUPPRESS, ROUND, INTERVALS, ADJUST, *((PERTURB,) if PERTURB in before else ()))
    chosen = [name for name in offered if name in form.list("ways")] or [SUPPRESS]
    methods = [before.get(name, {"name": name}) for name in chosen]
    base = read_number(form.get("base"))
    for one in methods:
        if one["name"] == ROUND and base and float(base) >= 2:
            one["base"] = int(float(base))
    if methods == [{"name": SUPPRESS}]:
        return {"methods": None}
    insiders = {"insiders": 0 if recipe.get("insiders") else recipe.get("insiders")}  # of other ways nobody asks them
    return {"methods": methods, **(insiders if chosen != [SUPPRESS] else {})}


def read_number(text: str) -> str:
    """Return a number as it is written; empty for what is none."""
    try:
        number = float(text)
    except ValueError:
        return ""
    return f"{number:g}" if 0 <= number < 1e6 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the a-priori file says of one cell, of several tables of that of the given name."""

    codes: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    table: str = ""

    @property
    def name(self) -> str:
        """How people call the cell."""
        return ", ".join(self.codes)

    @property
    def words(self) -> list[Said]:
        """What is wished, in words."""
        return [_word_wish(letter, numbers) for letter, numbers in self.lines]


def _word_wish(letter: str, numbers: str) -> Said:
    words: Mapping[str, Said] = {
        "P": Said("must be shown"),
        "M": Said("must be hidden"),
        "S": Said("is safe, whatever the rules say"),
        "U": Said("is unsafe, whatever the rules say"),
        "C": Said("costs {cost} to hide", cost=numbers),
    }
    return words.get(letter, Said("must be known no closer than {level}", level=numbers))


def find_wishes(files: Files, table: str = "") -> dict[tuple[str, ...], Wish]:
    """Return by codes what the a-priori file of a table says of cells, in its order."""
    width = len(read_table_keys(files, table).get("dims", ()))
    path = DeskEdit(file=find_cells_file(files, table)).path
    said: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for row in csv.reader(StringIO(files.get(path, b"").decode()), delimiter=";"):
        if len(row) > width and (row[width] in LETTERS or row[width] in NUMBERS):
            said.setdefault(tuple(row[:width]), []).append((row[width], ", ".join(row[width + 1 :])))
    return {codes: Wish(codes=codes, lines=tuple(lines), table=table) for codes, lines in said.items()}


def list_wishes(files: Files) -> list[Wish]:
    """Return the wishes of all tables in the order of their files."""
    return [wish for table in list_tables(files) or [""] for wish in find_wishes(files, table).values()]
