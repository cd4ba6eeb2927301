"""Green answers on small files of records and small tables, against brute force that shares nothing with the house.

Files of 1 to 12 rows and 2 to 5 columns of few values, with missing cells; roles, methods, guarantees and reasons by
chance; asked in Python and of the stage of the gate. Whenever the answer is green, the file that would leave is read
as texts and counted by plain loops:

- no class of rows that are equal in all keys is smaller than the k that was asked for, and none is of one person;
- in no such class a sensitive column has fewer known values than the l that was asked for, unless it may be learnt;
- no column leaves of which nobody said anything (at the gate, all are keys where none is named);
- no column says whose rows they are where somebody has several.

Where chance is what protects (noise, sampling, Pk) the promise speaks of draws, which one file does not refute; such
green answers are counted apart. Tables are asked for in ``account_tables.py``. ``python verify/account.py --count 2000
--tables 1000 --seed 1`` prints what came of both, and ends with status 1 if brute force refutes a green answer.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np

import sekisho
from account_tables import print_figures, run_tables
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_file import Missing
from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.shape import Shape
from sekisho.errors import SekishoError
from sekisho.gate.account.account import Account
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.journey.frames import make_method
from sekisho.safety.cover import Coverage
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_records

REASON = "looked at by hand, and nobody is found by it"
BY_CHANCE = {Coverage.NOISED, Coverage.SAMPLED}
HIDDEN = {"", "*"}
METHODS = (
    *("borrow", "delete", "delete-random", "delete-small", "lattice", "microaggregate", "noise", "partition", "pram"),
    *("randomise", "rankswap", "sample", "suppress", "swap"),
)
OWN_PROMISE = {"delete-small", "lattice", "microaggregate", "partition", "suppress"}
"""Methods whose own parameter k is what they promise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A file, what is said of its columns, and what is asked.

    Attributes:
        names: the columns; the first says whose a row is, where ``identified``.
        rows: the cells as they are written.
        identified: whether a column says whose a row is.
        keys: what may be known of a person.
        sensitive: what must stay hidden.
        harmless: of what nothing need be promised.
        learnable: sensitive columns that may be learnt.
        method: its name.
        parameters: of the method.
        guarantees: what must hold besides.
        gate: whether the stage of the gate is asked, not the call in Python.
        seed: of all chance.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    identified: bool
    keys: tuple[str, ...]
    sensitive: tuple[str, ...]
    harmless: tuple[str, ...]
    learnable: tuple[str, ...]
    method: str
    parameters: Mapping[str, object]
    guarantees: Mapping[str, int]
    gate: bool
    seed: int

    @property
    def k(self) -> int:
        """The least size of a class of equal keys that was asked for; two people at least."""
        of_all = self.method in OWN_PROMISE and set(cast("tuple[str, ...]", self.parameters["keys"])) == set(self.keys)
        own = cast("int", self.parameters["k"]) if of_all else 0
        return max(2, own, self._find_asked("k"))

    @property
    def least_known(self) -> int:
        """The least number of known sensitive values that was asked for; two at least."""
        return max(2, cast("int", self.parameters.get("l", 0)), self._find_asked("l"))

    def _find_asked(self, name: str) -> int:
        """Return what is asked for beside the method: in Python a name that is the method's own says only that."""
        return self.guarantees.get(name, 0) if self.gate or name not in self.parameters else 0

    @property
    def people_repeat(self) -> bool:
        """Whether somebody has several rows."""
        return self.identified and len({row[0] for row in self.rows}) < len(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a door answered.

    Attributes:
        verdict: what should happen with the release.
        account: what covers its columns.
        names: the columns of the file that would leave.
        rows: its rows as texts.
    """

    verdict: Verdict
    account: Account
    names: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def draw_trial(number: int, rng: np.random.Generator) -> Trial:
    """Return a file and a question by chance."""
    count, width = int(rng.choice([1, 2, 3, 4, 6, 8, 9, 10, 11, 12])), int(rng.integers(2, 6))
    identified = bool(rng.random() < 0.3)
    names = tuple("abcde"[place] if place else ("person" if identified else "a") for place in range(width))
    numbers = {name for name in names[1:] if rng.random() < 0.4}
    columns = [_draw_cells(name, count, rng, number=name in numbers) for name in names]
    columns = [_draw_people(count, rng), *columns[1:]] if identified else columns
    free = list(names[1:] if identified else names)
    roles = {name: str(rng.choice(["key"] * 6 + ["sensitive"] * 3 + ["harmless"] * 2 + ["unnamed"])) for name in free}
    by_role = {role: tuple(name for name in free if roles[name] == role) for role in ("key", "sensitive", "harmless")}
    method = METHODS[int(rng.integers(len(METHODS)))]
    k, values = int(rng.choice([2, 2, 3, 4])), int(rng.choice([2, 2, 3]))
    ordered = tuple(name for name in free if name in numbers)
    parameters = dict(_draw_parameters(method, by_role["key"], by_role["sensitive"], ordered, (k, values), rng))
    asked: dict[str, int] = {}
    asked |= {"k": int(rng.choice([2, 2, 3]))} if rng.random() < 0.7 else {}
    asked |= {"l": 2} if rng.random() < 0.7 and by_role["sensitive"] else {}
    return Trial(
        names=names,
        rows=tuple(zip(*columns, strict=True)),
        identified=identified,
        keys=by_role["key"],
        sensitive=by_role["sensitive"],
        harmless=by_role["harmless"],
        learnable=tuple(name for name in by_role["sensitive"] if rng.random() < 0.15),
        method=method,
        parameters=parameters,
        guarantees=asked,
        gate=bool(rng.random() < 0.5),
        seed=number,
    )


def _draw_people(count: int, rng: np.random.Generator) -> list[str]:
    people = rng.permutation(count) if rng.random() < 0.7 else rng.integers(0, count, count)
    return [f"P{code:02d}" for code in people.tolist()]


def _draw_cells(name: str, count: int, rng: np.random.Generator, *, number: bool) -> list[str]:
    most = int(rng.choice([1, 2, 2, 2, 3]))
    cells = [str(20 + code) if number else f"{name}{code}" for code in rng.integers(0, most, count).tolist()]
    missing = rng.random(count) < (0.2 if rng.random() < 0.3 else 0)
    return ["" if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]


def _draw_parameters(
    method: str,
    keys: tuple[str, ...],
    sensitive: tuple[str, ...],
    numbers: tuple[str, ...],
    asked: tuple[int, int],
    rng: np.random.Generator,
) -> Iterator[tuple[str, object]]:
    """Give the parameters of a method, some of which change nothing."""
    k, values = asked
    idle = rng.random() < 0.3
    if method in OWN_PROMISE:
        own = keys if rng.random() < 0.8 else keys[: max(1, len(keys) - 1)]
        yield from (("k", k), ("keys", own))
    if method in {"lattice", "partition"} and sensitive and rng.random() < 0.7:
        yield from (("sensitive", sensitive[0]), ("l", values))
    if method in {"borrow", "swap", "delete"}:
        yield "limit", 0 if idle else 1
    if method == "delete-random":
        yield "share", 0 if idle else 0.3
    if method == "randomise":
        yield "keep", 1 if idle else 0.5
    if method == "pram":
        yield "retention", "1" if idle else "0.2"
    if method == "sample":
        yield "size", "100%" if idle else "50%"
    if method == "rankswap":
        yield from (("keys", numbers[:1]), ("p", 0 if idle else 50))
    if method == "noise" and numbers:
        yield from (("epsilon", {numbers[0]: 1000 if idle else 0.05}), ("low", {numbers[0]: 0}))
        yield "high", {numbers[0]: 40}


def ask_python(trial: Trial, path: Path) -> Answer:
    """Return what the call in Python answers."""
    parameters: dict[str, Any] = dict(trial.parameters)
    for name, value in (("keys", trial.keys), ("sensitive", trial.sensitive[:1]), *trial.guarantees.items()):
        if value and name not in parameters:
            parameters[name] = value
    made = sekisho.protect(
        path,
        method=trial.method,
        harmless=dict.fromkeys(trial.harmless, REASON),
        learnable=dict.fromkeys(trial.learnable, REASON),
        id=trial.names[0] if trial.identified else "",
        seed=trial.seed,
        **parameters,
    )
    if made.verdict is not Verdict.RELEASE:
        return Answer(verdict=made.verdict, account=made.account)
    table = made.table
    rows = tuple(tuple("" if cell is None else str(cell) for cell in row) for row in table.iter_rows())
    return Answer(verdict=made.verdict, account=made.account, names=tuple(table.columns), rows=rows)


def ask_gate(trial: Trial, path: Path) -> Answer:
    """Return what the stage of the gate answers; whom attacks find is no part of the account."""
    identifier = trial.names[0] if trial.identified else ""
    schema = schema_from_options(Shape.RECORDS, identifier=identifier, missing=Missing.CARRY)
    original, terms = open_original(path, own_records(schema, path.stem))
    names = {"k": "k-anonymity", "l": "l-diversity"}
    recipe = RecordsRecipe(
        rules=terms,
        methods={trial.method: make_method(trial.method, trial.parameters)},
        keys=trial.keys,
        sensitive=trial.sensitive,
        harmless=dict.fromkeys(trial.harmless, REASON),
        learnable=dict.fromkeys(trial.learnable, REASON),
        guarantees=RecordGuarantees(wanted={names[key]: {key: value} for key, value in trial.guarantees.items()}),
        risk=1.0,
    )
    stage, seed = RecordsStage.open(recipe, original.data), Seed(trial.seed)
    release = stage.protections()[trial.method](seed)
    candidate = stage.try_release(trial.method, release, seed=seed)
    if candidate.verdict is not Verdict.RELEASE:
        return Answer(verdict=candidate.verdict, account=candidate.account)
    (content,) = stage.files(candidate, seed=seed).offered.values()
    head, *rows = csv.reader(StringIO(content.decode("utf-8-sig")))
    return Answer(verdict=candidate.verdict, account=candidate.account, names=tuple(head), rows=tuple(map(tuple, rows)))


def list_refutations(trial: Trial, answer: Answer) -> Iterator[str]:
    """Give what brute force finds in a file that may leave."""
    names, rows = answer.names, answer.rows
    shown = [name for name in names if any(row[names.index(name)] not in HIDDEN for row in rows)]
    drawn = [entry.subject for entry in answer.account.entries if entry.cover in BY_CHANCE]
    spoken = {*trial.sensitive, *trial.harmless}
    named = trial.keys or (tuple(name for name in names if name not in spoken) if trial.gate else ())
    if trial.people_repeat:
        yield "somebody has several rows"
    for name in shown:
        if name not in {*named, *trial.sensitive, *trial.harmless, *drawn}:
            yield f"nobody said anything of {name}"
    if not drawn:
        yield from _refute_classes(trial, answer, [name for name in shown if name in named], shown)


def _refute_classes(trial: Trial, answer: Answer, keys: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    """Give classes of too few rows, and those in which too few values of a sensitive column are known."""
    classes: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in answer.rows:
        cells = dict(zip(answer.names, row, strict=True))
        classes.setdefault(tuple(cells[name] for name in keys), []).append(cells)
    spared = {*trial.learnable, *trial.harmless}
    secret = [name for name in trial.sensitive if name in shown and name not in spared]
    for group, members in classes.items():
        if keys and len(members) < trial.k:
            yield f"{len(members)} rows have {group}, {trial.k} are asked for"
        for name in secret:
            known = {cells[name] for cells in members} - HIDDEN
            if len(known) < trial.least_known:
                yield f"{len(known)} known values of {name} among {group}, {trial.least_known} are asked for"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What came of the trials."""

    verdicts: Counter[str] = field(default_factory=Counter[str])
    green: Counter[str] = field(default_factory=Counter[str])
    refuted: list[str] = field(default_factory=list[str])

    def add(self, trial: Trial, answer: Answer | None) -> None:
        """Count one trial."""
        if answer is None:
            self.verdicts["no answer"] += 1
            return
        self.verdicts[answer.verdict.value] += 1
        if answer.verdict is Verdict.RELEASE:
            covers = {entry.cover.value for entry in answer.account.entries} - {"gone", "harmless"}
            self.green[" and ".join(sorted(covers)) or "nothing left to cover"] += 1
            self.refuted.extend(f"{reason}: {trial}" for reason in list_refutations(trial, answer))


def run_trials(count: int, seed: int) -> Figures:
    """Ask of so many files, and count what came."""
    figures, rng = Figures(), Seed(seed).rng()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        for number in range(count):
            trial = draw_trial(number, rng)
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([trial.names, *trial.rows])
            try:
                figures.add(trial, (ask_gate if trial.gate else ask_python)(trial, path))
            except SekishoError:
                figures.add(trial, None)
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what came of the trials; return 1 if a green answer is refuted."""
    parser = argparse.ArgumentParser(description="Green answers on small files and tables, against brute force.")
    parser.add_argument("--count", type=int, default=2000, help="how many files of records")
    parser.add_argument("--tables", type=int, default=1000, help="how many tables")
    parser.add_argument("--seed", type=int, default=1, help="of all chance")
    asked = parser.parse_args(arguments)
    figures = run_trials(asked.count, asked.seed)
    print(f"{asked.count:,} files: " + ", ".join(f"{count:,} {name}" for name, count in figures.verdicts.most_common()))
    for covers, count in figures.green.most_common():
        print(f"  green, {covers}: {count:,}")
    print(f"green answers that brute force refutes: {len(figures.refuted)}")
    for reason in figures.refuted[:10]:
        print(f"  {reason}")
    tables = run_tables(asked.tables, asked.seed)
    print_figures(tables, count=asked.tables)
    return 1 if figures.refuted or tables.refuted else 0


if __name__ == "__main__":
    sys.exit(main())
