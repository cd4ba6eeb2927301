"""Two small files whose tables close their account, every way to publish a table, and the doors to ask for one."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from sekisho.cli import status_of
from sekisho.tables.methods import TABLE_METHODS
from sekisho.tables.perturb.noise_file import write_noise
from sekisho.tables.perturb.rows import NoisePlan, VarianceCare

Row = Mapping[str, object]
METHOD_NAMES = ("suppress", *TABLE_METHODS.builtin)
PARAMETERS: Mapping[str, Mapping[str, object]] = {
    "adjust": {},
    "intervals": {},
    "perturb": {"noise": "noise.csv", "keys": "people.keys.json"},
    "round": {"base": 5},
    "suppress": {},
}
"""What each way to publish a table is asked for; whoever adds one adds a line."""
USUAL: Mapping[str, int] = {"adjust": 3}
"""Ways whose release is a person's decision whatever is asked; of all others the usual status is 0."""
NAMES_OF_KEYS = {"noise": "noise_file", "keys": "key_file"}
"""What an option of a command is called in a recipe, where it is called otherwise."""
PEOPLE = {("Ried", "f"): 3, ("Ried", "m"): 14, ("Horn", "f"): 17, ("Horn", "m"): 21, ("Au", "f"): 15, ("Au", "m"): 12}
FIRMS = {("N", "a"): 5, ("N", "b"): 6, ("S", "a"): 4, ("S", "b"): 7, ("W", "a"): 6, ("W", "b"): 5}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuestion:
    """What is asked of a door: records, how they are tabulated, what must hold, how to publish.

    Attributes:
        rows: the records.
        method: how the table is published.
        parameters: of the method.
        dims: the dimensions.
        value: the column that is summed; records are counted if empty.
        rules: primary rules as words.
        asked: by name what else is asked: ``min_count``, ``width``, ``insiders``, ``contributor``.
    """

    rows: Sequence[Row]
    method: str
    parameters: Mapping[str, object]
    dims: tuple[str, ...] = ("town", "sex")
    value: str = ""
    rules: tuple[str, ...] = ()
    asked: Mapping[str, object]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the file."""
        return tuple(self.rows[0])

    def with_column(self, name: str, values: Sequence[object]) -> TableQuestion:
        """Return the same question of a file with one more column, of which nobody says anything."""
        return replace(self, rows=[{**row, name: value} for row, value in zip(self.rows, values, strict=True)])

    def ask_for(self, **asked: object) -> TableQuestion:
        """Return the same question with something else asked; None takes a demand out."""
        both = {**self.asked, **asked}
        return replace(self, asked={name: value for name, value in both.items() if value is not None})


def make_people(method: str = "suppress") -> TableQuestion:
    """Return a table of counts of people, of whom three stand in one cell; each has one row."""
    homes = [home for home, count in PEOPLE.items() for _ in range(count)]
    rows = [{"person_id": f"P{9871 - 7 * at}", "town": town, "sex": sex} for at, (town, sex) in enumerate(homes)]
    return TableQuestion(rows=rows, method=method, parameters=PARAMETERS[method], asked={"min_count": 5})


def make_firms(method: str = "suppress") -> TableQuestion:
    """Return a table of sums of firms with two rows each, one of which makes up most of its cell."""
    homes = [home for home, count in FIRMS.items() for _ in range(count)]
    rows: list[Row] = []
    for at, (region, ind) in enumerate(homes):
        gave = 4_000 if not at else 60 + 13 * (at * 5 % 11)
        rows += [{"firm": f"F{100 + at}", "region": region, "ind": ind, "turnover": gave + half} for half in (0, 5)]
    return TableQuestion(
        rows=rows,
        method=method,
        parameters=PARAMETERS[method],
        dims=("region", "ind"),
        value="turnover",
        rules=("p%:15", "min:3"),
        asked={},
    )


def write_table(question: TableQuestion, folder: Path) -> None:
    """Write the records of a question, and the noise that one method asks for."""
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, question.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(question.rows)
    if question.method == "perturb" and not (folder / "noise.csv").exists():
        noise = NoisePlan(most=4, variance=Fraction(4), care=VarianceCare.AT_MOST).make_table()
        (folder / "noise.csv").write_bytes(write_noise(noise, folder / "noise.csv"))


def ask_command(question: TableQuestion, folder: Path) -> int:
    """Return the status of ``sekisho table``; what may be published lies in ``public.csv``."""
    write_table(question, folder)
    options: dict[str, object] = {"dims": ",".join(question.dims), "value": question.value, **question.asked}
    options |= {name: folder / str(value) if name in NAMES_OF_KEYS else value for name, value in _list_own(question)}
    options |= {"out": folder / "out.csv", "public": folder / "public.csv"}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value != ""]
    words += [f"--rule={rule}" for rule in question.rules]
    return status_of(["table", question.method, str(folder / "table.csv"), "--microdata", *words, "--json"])


def ask_gate(question: TableQuestion, folder: Path) -> int:
    """Return the status of ``sekisho gate``; what may be published lies in ``out/public``."""
    write_table(question, folder)
    values: dict[str, object] = {"shape": "table", "original": "table.csv", "microdata": True, "dims": question.dims}
    values |= {"value": question.value, "rules": question.rules, **question.asked}
    lines = [f"{name} = {_write_value(value)}" for name, value in values.items() if value != ""]
    lines += ["[[methods]]", f'name = "{question.method}"']
    lines += [f"{NAMES_OF_KEYS.get(name, name)} = {_write_value(value)}" for name, value in _list_own(question)]
    text = "\n".join((*lines, ""))
    assert tomllib.loads(text)
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    return status_of(["gate", str(folder / "recipe.toml"), "--out", str(folder / "out"), "--advice", "0", "--json"])


def _list_own(question: TableQuestion) -> Iterator[tuple[str, object]]:
    yield from question.parameters.items()


def _write_value(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def read_public(folder: Path, door: str) -> str:
    """Return the file that may be published, as the last answer wrote it."""
    path = folder / ("public.csv" if door == "command" else "out/public/release.csv")
    return path.read_text("utf-8-sig")


TableDoor = Callable[[TableQuestion, Path], int]
TABLE_DOORS: Mapping[str, TableDoor] = {"command": ask_command, "gate": ask_gate}
