"""The gate month after month: a made-up register of 50,000 people over a year, in several ways of making classes.

``python verify/register_year.py [--people 50000] [--months 12] [--ways fresh-5,fresh-20,fresh-20-less]`` writes a
file a month (``made_up/patients.py``: 2 in 100 leave and as many come, some move or change their work, all age), starts
a register for each way, and runs ``sekisho gate`` for every month with ``[register]`` in its recipe, k = 5 guaranteed.
Nobody outside is taken to know who left and who came (``"left or came" = "release"``; how many people that concerns is
told all the same), and of the illness nothing is asked but what the releases tell together.

After every month: the verdict is the command's status; what was released, and nothing else, was entered;
``sekisho register verify`` finds nothing changed. At the end the least number of candidates of every entry is counted
again from the published files and the originals, in plain arrays and without any of the program (for one who knows the
keys of a person, and for one who knows his class as well), and must be what the register says. The page of the register
is written in both languages. What came out stands in ``register_year.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from made_up.patients import KEYS, SENSITIVE, Month, draw_months, list_paths
from sekisho.seeds import Seed

HERE = Path(__file__).parent
WANTED = 5
STATUS = {"release": 0, "refuse": 1, "review": 3}
MOST = np.iinfo(np.int64).max
TREE_TEXT = ", ".join(f'{name} = "{name}.csv"' for name in KEYS)
METHODS = {
    "partition": 'name = "partition"\nk = {k}\n',
    "lattice": f'name = "lattice"\nk = {{k}}\nsuppress = 0.02\ntree = {{{{ {TREE_TEXT} }}}}\n',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How the months of an arm are made."""

    method: str
    k: int
    like_last: bool = False
    leave_out: float = 0.0


WAYS = {
    "fresh-5": Way(method="partition", k=5),
    "like-last-5": Way(method="partition", k=5, like_last=True),
    "fresh-20": Way(method="partition", k=20),
    "fresh-20-less": Way(method="partition", k=20, leave_out=0.001),
    "like-last-20": Way(method="partition", k=20, like_last=True),
    "like-last-20-less": Way(method="partition", k=20, like_last=True, leave_out=0.001),
    "lattice-20": Way(method="lattice", k=20),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthLine:
    """What came out in a month."""

    way: str
    month: int
    verdict: str
    method: str
    people: int
    left_out: int
    least_alone: int | None
    least_joint: int | None
    loss: float | None
    reasons: tuple[str, ...]
    cpu: float
    megabytes: float


def call(folder: Path, *words: str) -> tuple[dict[str, Any], int, float, float]:
    """Run the program; return what it says, its status, its CPU seconds and its memory."""
    line = [sys.executable, "-m", "sekisho", *words, "--json"]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        said = process.stdout.read() if process.stdout else b"{}"
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return json.loads(said), process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def write_inputs(folder: Path, months: Sequence[Month]) -> None:
    """Write the files of all months, their schema and the trees."""
    roles = {"id": "identifier"} | dict.fromkeys(KEYS, "quasi") | {SENSITIVE: "sensitive"}
    columns = "".join(f'[[columns]]\nname = "{name}"\nrole = "{role}"\n' for name, role in roles.items())
    (folder / "schema.toml").write_text(f'shape = "records"\n{columns}')
    for name, paths in list_paths().items():
        (folder / f"{name}.csv").write_text("".join(";".join((value, *above)) + "\n" for value, above in paths.items()))
    for number, month in enumerate(months, 1):
        month.frame.write_csv(folder / f"m{number}.csv")


def write_recipe(folder: Path, name: str, way: Way, month: int) -> str:
    """Write the recipe of a month; return its name."""
    text = (
        f'schema = "schema.toml"\noriginal = "m{month}.csv"\nseed = {month}\n[guarantees]\nk = {WANTED}\n'
        f'[learnable]\n{SENSITIVE} = "asked together with earlier releases only, not of each"\n'
        f'[policy]\n"left or came" = "release"\n'
        f"[[methods]]\n{METHODS[way.method].format(k=way.k)}"
        f'[register]\nfolder = "{name}"\nkey = "{name}.key"\npopulation = "patients"\nstable = ["{SENSITIVE}"]\n'
        f"like_last = {str(way.like_last).lower()}\n" + (f"leave_out = {way.leave_out}\n" if way.leave_out else "")
    )
    recipe = f"{name}-{month}.toml"
    (folder / recipe).write_text(text)
    return recipe


def run_way(folder: Path, name: str, way: Way, months: Sequence[Month]) -> list[MonthLine]:
    """Run the gate for every month, and look at the register after each."""
    call(folder, "register", "start", name, "--key", f"{name}.key")
    lines: list[MonthLine] = []
    entries = 0
    for number in range(1, len(months) + 1):
        recipe, out = write_recipe(folder, name, way, number), f"{name}-{number}"
        said, status, cpu, memory = call(folder, "gate", recipe, "--out", out, "--advice", "0", "--jobs", "1")
        assert status == STATUS[said["verdict"]], said
        entries += said["verdict"] == "release"
        verified, valid, *_ = call(folder, "register", "verify", name)
        assert (valid, verified["valid"], verified["entries"]) == (0, True, entries), verified
        least = verified["least_over_time"][-1] if said["verdict"] == "release" else {}
        shown = call(folder, "register", "show", name)[0]["entry"] if least else {}
        lines.append(
            MonthLine(
                way=name,
                month=number,
                verdict=said["verdict"],
                method=shown.get("method", ""),
                people=(people := shown.get("people", {}).get("count", 0)),
                left_out=len(months[number - 1].frame) - people,
                least_alone=least.get("least_alone"),
                least_joint=least.get("least_joint"),
                loss=said["utility"],
                reasons=tuple(str(reason.get("detail", reason)) for reason in said["reasons"]),
                cpu=round(cpu, 1),
                megabytes=round(memory),
            )
        )
        print(json.dumps(asdict(lines[-1])), flush=True)
    return lines


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counted:
    """Of a release, by everybody's number, the fitting rows of each illness; -1 of one who is not in it."""

    fitting: NDArray[np.int64]
    own: NDArray[np.int64]


def admit_values(cells: pl.Series, values: Sequence[str], paths: dict[str, tuple[str, ...]]) -> NDArray[np.bool_]:
    """Return for each distinct cell, ascending, which values it admits."""
    admitted = np.zeros((cells.n_unique(), len(values)), dtype=np.bool_)
    for place, cell in enumerate(cells.unique().sort().to_list()):
        if cell.startswith("["):
            low, high = cell[1:-1].split(";")
            admitted[place] = [int(low) <= int(value) <= int(high) for value in values]
        else:
            named = set(cell[1:-1].split(";")) if cell.startswith("{") else {cell}
            admitted[place] = [value in named or bool(named & set(paths.get(value, ()))) for value in values]
    return admitted


def count_release(published: pl.DataFrame, origin: NDArray[np.int64], month: Month, total: int) -> Counted:
    """Count the rows that fit everybody in a release, and those of his class, by illness."""
    classes = published.select(pl.struct(KEYS).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    first = np.unique(classes, return_index=True)[1]
    known = month.frame[origin.tolist()]
    fits = np.ones((len(known), len(first)), dtype=np.bool_)
    for name in KEYS:
        values = known[name].cast(pl.String).unique().sort()
        admitted = admit_values(published[name], values.to_list(), list_paths()[name])
        cell = published[name].rank("dense").to_numpy().astype(np.int64)[first] - 1
        fits &= admitted[cell].T[known[name].cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1]
    ills = published[SENSITIVE].str.slice(3).cast(pl.Int64).to_numpy()
    counts = np.zeros((len(first), int(ills.max()) + 1), dtype=np.float32)
    np.add.at(counts, (classes, ills), 1)
    fitting = np.full((total, counts.shape[1]), -1, dtype=np.int64)
    own = fitting.copy()
    fitting[month.number[origin]] = np.rint(fits.astype(np.float32) @ counts)
    own[month.number[origin]] = counts[classes]
    return Counted(fitting=fitting, own=own)


def count_least(rows: Sequence[NDArray[np.int64]]) -> int:
    """Return the least number of candidates in any release, of those who are in the last one, linked by illness."""
    here = rows[-1][:, 0] >= 0
    common = np.ones(rows[-1].shape, dtype=np.bool_)
    for each in rows:
        common &= (each != 0) | (each[:, :1] < 0)
    least = [np.where(each[:, 0] < 0, MOST, np.where(common, each, 0).sum(axis=1)) for each in rows]
    return int(np.minimum.reduce(least)[here].min())


def check_way(folder: Path, name: str, lines: Sequence[MonthLine], months: Sequence[Month]) -> None:
    """Count every entry again, and compare; write the page."""
    total = 1 + max(int(month.number.max()) for month in months)
    counted: list[Counted] = []
    for line in lines:
        if line.verdict != "release":
            continue
        out = folder / f"{name}-{line.month}"
        published = pl.read_csv(out / "public" / "release.csv", infer_schema=False)
        origin = np.array((out / "confidential" / "truth.csv").read_text().split(), dtype=np.int64)
        counted.append(count_release(published, origin, months[line.month - 1], total))
        least = min(count_least([each.fitting for each in counted]), count_least([each.own for each in counted]))
        assert (least, least >= WANTED) == (line.least_joint, True), (name, line, least)
    for language in ("en", "ja"):
        page = f"{name}-{language}.html"
        assert call(folder, "register", "list", name, "--report", page, "--language", language)[1] == 0
        assert ("<svg" in (folder / page).read_text()) == (len(counted) > 1)
    print(f"{name}: {len(counted)} of {len(lines)} months left; every entry counted again", flush=True)


def main() -> None:
    """Run the year in every way that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50_000)
    parser.add_argument("--months", type=int, default=12)
    parser.add_argument("--ways", default="fresh-5,fresh-20,like-last-20")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "out" / "register_year")
    asked = parser.parse_args()
    rmtree(asked.out, ignore_errors=True)
    asked.out.mkdir(parents=True)
    months = draw_months(asked.people, asked.months, Seed(asked.seed))
    write_inputs(asked.out, months)
    lines: list[MonthLine] = []
    for name in asked.ways.split(","):
        lines += run_way(asked.out, name, WAYS[name], months)
        check_way(asked.out, name, lines[-len(months) :], months)
        (asked.out / "register_year.json").write_text(json.dumps([asdict(line) for line in lines], indent=1))


if __name__ == "__main__":
    main()
