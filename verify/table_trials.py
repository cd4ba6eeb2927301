"""Small tables by chance, what is asked of them, and the doors that are asked: the trials of ``account_tables.py``."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np

from sekisho.cli import status_of

Key = tuple[str, ...]
TOTAL = "Total"
REASON = "row=each row is another establishment of the firm"
LOOKALIKES = ("sdcStatus", "LPL", "flag")
"""Names of columns that look like marks and that no program of ours reads."""
OWNER_HEADERS = ("firm", "patient_id", "企業番号")
SHAPES = ((2, 2), (2, 3), (3, 3), (2, 2, 2), (3, 2, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What is asked of a table.

    Attributes:
        rules: primary rules as words.
        min_count: the minimum frequency; None if nobody says one.
        width: of the interval of an unsafe cell; None likewise.
        insiders: how many contributors are considered together; None likewise.
        method: how the table is published.
        base: of rounding.
        gate: whether a recipe asks, not a command.
    """

    rules: tuple[str, ...]
    min_count: int | None
    width: float | None
    insiders: int | None
    method: str
    base: int
    gate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTrial:
    """A table, its file, and what is asked of it.

    Attributes:
        dims: the dimensions.
        groups: of the first dimension the codes by group; empty where it has no tree.
        codes: the leaves of each dimension.
        gave: by leaf cell what each contributor gave; of cells the contributors are numbered through.
        counts: whether rows or people are counted, not summed up.
        records: whether the file has a row for each record.
        header: the file's columns.
        lines: its rows.
        owner: the column that says whose a row is; empty if none does.
        contributor: what is said of it.
        places: whether columns say how many contribute, and what the largest of them gave.
        mark: a column of marks; empty if there is none.
        marked: by cell what it says.
        demand: what is asked.
    """

    dims: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    codes: tuple[tuple[str, ...], ...]
    gave: Mapping[Key, Mapping[str, float]]
    counts: bool
    records: bool
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    owner: str = ""
    contributor: str = ""
    places: bool = False
    mark: str = ""
    marked: Mapping[Key, str] = field(default_factory=dict[Key, str])
    demand: Demand

    @property
    def leaves(self) -> list[Key]:
        """The inner cells."""
        return list(product(*self.codes))

    @property
    def known(self) -> bool:
        """Whether it is known who contributes."""
        return self.records or self.places

    def list_leaves(self, cell: Key) -> list[Key]:
        """Return the inner cells that a cell sums up."""
        parts = [
            codes if code == TOTAL else self.groups.get(code, (code,))
            for code, codes in zip(cell, self.codes, strict=True)
        ]
        return list(product(*parts))

    def list_cells(self) -> list[Key]:
        """Return all cells, margins included."""
        firsts = (TOTAL, *self.groups, *self.codes[0])
        return list(product(firsts, *((TOTAL, *codes) for codes in self.codes[1:])))

    def list_gifts(self, cell: Key) -> Counter[str]:
        """Return what each contributor of a cell gave."""
        gifts = Counter[str]()
        for leaf in self.list_leaves(cell):
            gifts.update(self.gave.get(leaf, {}))
        return gifts


def draw_table(rng: np.random.Generator) -> TableTrial:
    """Return a table and a question by chance."""
    tree = rng.random() < 0.25
    sizes = (4, int(rng.integers(2, 4))) if tree else SHAPES[int(rng.integers(len(SHAPES)))]
    codes = tuple(tuple(f"{letter}{code}" for code in range(size)) for letter, size in zip("rjs", sizes, strict=False))
    groups = {"west": codes[0][:2], "east": codes[0][2:]} if tree else {}
    dims = ("region", "job", "size")[: len(sizes)]
    draw = _draw_records if rng.random() < 0.45 else _draw_file_of_cells
    return draw(dims, codes, groups, rng)


def _draw_file_of_cells(
    dims: tuple[str, ...],
    codes: tuple[tuple[str, ...], ...],
    groups: Mapping[str, tuple[str, ...]],
    rng: np.random.Generator,
) -> TableTrial:
    counts, whole = bool(rng.random() < 0.55), bool(rng.random() < 0.7)
    gave = {
        leaf: {
            f"{'.'.join(leaf)}#{number}": gift
            for number, gift in enumerate(_draw_gifts(rng, counts=counts, whole=whole))
        }
        for leaf in product(*codes)
    }
    places = not counts and bool(rng.random() < 0.8)
    marks = ("status", "status", "cost", "sliding_level", *LOOKALIKES)
    unrated = not counts and not places
    mark = "status" if unrated else marks[int(rng.integers(len(marks)))] if rng.random() < 0.25 else ""
    demand = _draw_demand(rng, counts=counts, known=places, rated=unrated)
    bare = TableTrial(
        dims=dims, groups=groups, codes=codes, gave=gave, counts=counts, records=False, header=(), lines=(),
        demand=demand,
    )  # fmt: skip
    cells = bare.list_cells() if rng.random() < 0.5 else bare.leaves
    marked = {cell: _draw_mark(mark, rng) for cell in cells} if mark else {}
    named = ("frequency", "x1", "x2", "x3") if rng.random() < 0.5 else ("firms", "first", "second", "third")
    header = (*dims, "n" if counts else "turnover", *(named if places else ()), *([mark] if mark else ()))
    lines: list[tuple[str, ...]] = []
    for cell in cells:
        gifts = sorted(bare.list_gifts(cell).values(), reverse=True)
        value = len(gifts) if counts else sum(gifts)
        told = (len(gifts), *[*gifts, 0, 0, 0][:3]) if places else ()
        lines.append((*cell, *map(_write, (value, *told)), *([marked[cell]] if mark else ())))
    return TableTrial(
        dims=dims, groups=groups, codes=codes, gave=gave, counts=counts, records=False, header=header,
        lines=tuple(lines), places=places, mark=mark, marked=marked, demand=demand,
    )  # fmt: skip


def _draw_gifts(rng: np.random.Generator, *, counts: bool, whole: bool) -> list[float]:
    """Return what the contributors of a cell gave; of counts each gave one."""
    many = int(rng.choice([0, 1, 2, 3, 4, 6, 9, 14, 22])) if counts else int(rng.choice([0, 1, 2, 3, 3, 4, 5, 7]))
    if counts:
        return [1.0] * many
    gifts = np.round(np.exp(rng.normal(3, 0.8, many)), 0 if whole else 1) * (rng.random(many) > 0.05)
    return gifts.tolist()


def _draw_mark(mark: str, rng: np.random.Generator) -> str:
    if mark == "status":
        return "primary" if rng.random() < 0.15 else "safe"
    if mark in {"cost", "sliding_level"}:
        return str(int(rng.choice([1, 2, 5, 12])))
    return str(rng.choice(["s", "p"]))


def _draw_demand(rng: np.random.Generator, *, counts: bool, known: bool, rated: bool = False) -> Demand:
    gate = bool(rng.random() < 0.35)
    method = str(rng.choice(["suppress"] * 6 + ["round"] * (4 if counts else 0) + ["intervals"] * 2 + ["adjust"]))
    insiders = (None, None, 1, 0)[int(rng.integers(4))] if known and method == "suppress" else None
    width = (None, None, 1.0, 3.0, 6.0, 10.0)[int(rng.integers(6))]
    least: int | None = None
    rules: tuple[str, ...] = ()
    if counts:
        least = (None, None, 0, 1, 2, 3, 3, 4)[int(rng.integers(8))]
        rules = ((), (), ("min:1",), ("min:3",), ("zeros",))[int(rng.integers(5))]
    elif not rated:
        words = ("p%:15", "p%:15", "nk:2,85", "nk:1,60", "pq:10,50", "min:1", "min:3", "min:3", "zeros")
        rules = tuple(dict.fromkeys(str(word) for word in rng.choice(words, int(rng.choice([0, 1, 2, 2, 3, 3])))))
    base = int(rng.choice([2, 3, 3, 4, 5, 5, 10]))
    if method == "round" and width is not None:  # no cell is less certain than this
        width = min(width, 2.0 * (base - 1))
    return Demand(
        rules=rules, min_count=least, width=width, insiders=insiders, method=method, base=base, gate=gate
    )  # fmt: skip


def _draw_records(
    dims: tuple[str, ...],
    codes: tuple[tuple[str, ...], ...],
    groups: Mapping[str, tuple[str, ...]],
    rng: np.random.Generator,
) -> TableTrial:
    counts = bool(rng.random() < 0.5)
    owner = str(rng.choice(["", *OWNER_HEADERS]))
    leaves = list(product(*codes))
    count = int(rng.integers(2, 7)) * len(leaves)
    repeats, settled = rng.random() < 0.6, rng.random() < 0.7
    owners = (rng.integers(0, max(3, count // 2), count) if repeats else rng.permutation(count)).tolist()
    homes = {number: leaves[int(rng.integers(len(leaves)))] for number in range(count)}
    rows: list[tuple[Key, str, float]] = []
    for number in owners:
        leaf = homes[number] if settled else leaves[int(rng.integers(len(leaves)))]
        rows.append((leaf, f"F{100 + number}", float(np.round(np.exp(rng.normal(3, 0.8))))))
    contributor = "" if not owner else str(rng.choice(["", "", owner, REASON]))
    if owner and rng.random() < 0.08:
        dims, groups = (owner, *dims[1:]), {}
        names = tuple(sorted({name for _, name, _ in rows}))
        rows = [((name, *leaf[1:]), name, gift) for leaf, name, gift in rows]
        codes = (names, *codes[1:])
    if not groups:  # of a code that no record has, nothing is published
        codes = tuple(tuple(sorted({leaf[axis] for leaf, _, _ in rows})) for axis in range(len(dims)))
    gave: dict[Key, dict[str, float]] = {}
    for number, (leaf, name, gift) in enumerate(rows):
        who = name if owner and contributor != REASON else f"row {number}"
        home = gave.setdefault(leaf, {})
        home[who] = home.get(who, 0.0) + (1.0 if counts else gift)
    apart = owner not in dims
    header = (*([owner] if owner and apart else []), *dims, *(() if counts else ("turnover",)))
    lines = tuple(
        (*([name] if owner and apart else []), *leaf, *(() if counts else (_write(gift),))) for leaf, name, gift in rows
    )
    return TableTrial(
        dims=dims, groups=groups, codes=codes, gave=gave, counts=counts, records=True, header=header, lines=lines,
        owner=owner, contributor=contributor, demand=_draw_demand(rng, counts=counts, known=True),
    )  # fmt: skip


def _write(number: float) -> str:
    return f"{number:g}"


def ask_table(trial: TableTrial, folder: Path) -> tuple[int, Path]:
    """Return the status of a door, and the file that would leave."""
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([trial.header, *trial.lines])
    if trial.groups:
        nodes = [(TOTAL, ""), *((name, TOTAL) for name in trial.groups)]
        nodes += [(code, name) for name, codes in trial.groups.items() for code in codes]
        with (folder / "tree.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("node", "parent"), *nodes])
    if trial.demand.gate:
        (folder / "recipe.toml").write_text(_write_recipe(trial), encoding="utf-8")
        words, public = ["gate", "recipe.toml", "--out", "out", "--advice", "0"], folder / "out/public/release.csv"
    else:
        words, public = _write_command(trial), folder / "public.csv"
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        status = status_of([*words, "--json"])
    return status, public


def _list_columns(trial: TableTrial) -> dict[str, str]:
    columns = {} if trial.records and trial.counts else {"count" if trial.counts else "value": "turnover"}
    if trial.counts and not trial.records:
        columns["count"] = "n"
    if trial.contributor:
        columns["contributor"] = trial.contributor
    if trial.places and "x1" not in trial.header:
        columns["contributors"] = "firms,first,second,third"
    return columns


def _write_command(trial: TableTrial) -> list[str]:
    demand = trial.demand
    words = ["table", demand.method, "table.csv", "--dims", ",".join(trial.dims), "--out", "out.csv"]
    words += ["--public", "public.csv", "--time", "20"]
    words += [part for name, value in _list_columns(trial).items() for part in (f"--{name}", value)]
    words += ["--microdata"] if trial.records else []
    words += [f"--tree={trial.dims[0]}=tree.csv"] if trial.groups else []
    words += [f"--rule={rule}" for rule in demand.rules]
    asked = {"min-count": demand.min_count, "width": demand.width, "insiders": demand.insiders}
    words += [f"--{name}={value:g}" for name, value in asked.items() if value is not None]
    return words + ([f"--base={demand.base}"] if demand.method == "round" else [])


def _write_recipe(trial: TableTrial) -> str:
    demand = trial.demand
    values: dict[str, object] = {"shape": "table", "original": "table.csv", "dims": list(trial.dims), "time": 20}
    columns = dict[str, object](_list_columns(trial))
    if "contributors" in columns:
        columns["contributors"] = str(columns["contributors"]).split(",")
    values |= columns | {"microdata": trial.records, "rules": list(demand.rules)}
    asked = {"min_count": demand.min_count, "width": demand.width, "insiders": demand.insiders}
    values |= {name: value for name, value in asked.items() if value is not None}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    if trial.groups:
        lines += ["[trees]", f'"{trial.dims[0]}" = "tree.csv"']
    lines += ["[[methods]]", f'name = "{demand.method}"']
    lines += [f"base = {demand.base}"] if demand.method == "round" else []
    return "\n".join((*lines, ""))
