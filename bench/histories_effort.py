"""What a search for groups that follows the rows loses in U, and saves: beside the whole search, file by file.

Each file is searched twice in one process, by `groups` as it is and with ``--effort 4000``, the whole search, which is
what `groups` did at 8f115c01 (the same bytes). Told are U, the lower bound and CPU seconds of both, the release made,
kernels compiled before. Files are made up from seeds, purchase logs and a synthetic shop, or those of the contest where
they are at hand. Results go to ``bench/histories_effort.json``, which keeps the files that were not run this time. ::

    python bench/histories_effort.py [--files log-5000-1-7 shop-60-1-3] [--gate]

With ``--gate`` the gate itself is timed on a purchase log of 5,000 and of 60,000 rows, each command in a process of its
own, once with the recipe that `init` writes and once with the whole search.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from purchase_log import draw_log
from purchase_log_wait import run_command
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.whole_files import write_whole
from sekisho.data.frame.dataset import Dataset
from sekisho.data.history.files import read_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.profiling.look import look_at_file
from sekisho.journey.entry import ReadRecipe
from sekisho.protect.history.groups import Groups
from sekisho.report.pages.own_file.recipe_text import write_recipe
from sekisho.report.pages.own_file.schema_text import write_schema
from sekisho.seeds import Seed
from sekisho.utility.cell_error import CellError
from sekisho.words import Language

RESULTS = Path(__file__).with_suffix(".json")
CONTEST = Path(__file__).parents[2] / "shared" / "data" / "pwscup2018"
WHOLE = 4000.0
CUSTOMERS = {5_000: 250, 50_000: 2_500, 60_000: 2_500}
FILES = (
    *(f"log-5000-{seed}-7" for seed in (1, 2, 3)),
    *(f"log-5000-{seed}-3" for seed in (1, 2)),
    *(f"shop-60-{seed}-3" for seed in (1, 2, 3)),
    "log-50000-1-7",
    "log-60000-1-7",
    "T_round1-3",
    "T_round2-3",
)
"""A purchase log by rows, seed and k; a shop by customers, seed and k; a round of the contest and k."""
EARLIER_GATE = {"5000": 20.3, "60000": 32.2}
"""CPU seconds of the gate at 8f115c01 on a file of so many rows, by the same command within the same hour."""


def read_file(name: str) -> tuple[Dataset, int]:
    """Return the rows of a file and the k that it is protected with."""
    kind, *numbers, k = name.split("-")
    if kind == "shop":
        return SyntheticHistory(customers=int(numbers[0])).draw(rng=Seed(int(numbers[1])).rng()), int(k)
    if kind == "log":
        with TemporaryDirectory() as folder:
            return read_log(Path(folder), int(numbers[0]), int(numbers[1])), int(k)
    return read_original(CONTEST / f"{kind}.csv", read_history_rules("pwscup2018")), int(k)


def read_log(folder: Path, rows: int, seed: int) -> Dataset:
    """Return a purchase log as the recipe that `init` writes reads it."""
    log, recipe = folder / "log.csv", folder / "recipe.toml"
    draw_log(seed=seed, customers=CUSTOMERS[rows], rows=rows).write_csv(log)
    look = look_at_file(log)
    write_whole(
        {
            recipe: write_recipe(look, Language.EN, original=log.name, schema="schema.toml", recipe=recipe.name),
            folder / "schema.toml": write_schema(look, Language.EN),
        }
    )
    stage = ReadRecipe.read(recipe).open().stage
    assert isinstance(stage, HistoryStage)
    return stage.original


def search_groups(data: Dataset, k: int, effort: float | None) -> dict[str, float]:
    """Return what a search finds and takes, its release made."""
    start = process_time()
    *_, last = Groups(k=k, effort=effort).improve(data, rng=Seed(1).rng())
    release = last.release()
    return {
        "cpu_seconds": round(process_time() - start, 2),
        "utility": round(CellError().compare(data, release).value, 5),
        "lower_bound": round(last.bound, 4),
    }


def measure_file(name: str) -> dict[str, object]:
    """Return both searches of a file, and what the shorter one loses and saves."""
    data, k = read_file(name)
    usual, whole = search_groups(data, k, None), search_groups(data, k, WHOLE)
    return {
        "file": name,
        "rows": len(data),
        "k": k,
        "usual": usual,
        "whole": whole,
        "loss": round(usual["utility"] / whole["utility"] - 1, 5),
        "share_of_time": round(usual["cpu_seconds"] / whole["cpu_seconds"], 4),
    }


def measure_gate(rows: int) -> Iterator[tuple[str, float]]:
    """Give CPU seconds of the gate on a log of so many rows: as it is, and with the whole search."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        draw_log(customers=CUSTOMERS[rows], rows=rows).write_csv(folder / "log.csv")
        run_command(folder, "init", "log.csv", "--out", "recipe.toml")
        recipe = folder / "recipe.toml"
        text = recipe.read_text(encoding="utf-8")
        for way, effort in (("usual", ""), ("whole", f"effort = {WHOLE}\n")):
            recipe.write_text(text.replace('name = "groups"\n', f'name = "groups"\n{effort}', 1), encoding="utf-8")
            seconds, _, verdict = run_command(
                folder, "gate", "recipe.toml", "--seed", "1", "--advice", "0", "--out", way
            )
            print(f"gate, {rows:,} rows, {way}: {seconds:.1f} CPU s; {verdict}", file=sys.stderr, flush=True)
            yield way, round(seconds, 1)


def main() -> None:
    """Measure what is asked for and keep the rest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", nargs="*", choices=FILES, default=FILES)
    parser.add_argument("--gate", type=int, nargs="*", choices=sorted(CUSTOMERS), default=())
    options = parser.parse_args()
    held = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"files": {}, "gate": {}}
    read_file("shop-60-1-3")
    for k in (3, 7):
        for block in (0, 30):
            search_warm = Groups(k=k, block=block, effort=1.0)
            list(search_warm.improve(SyntheticHistory(customers=60).draw(rng=Seed(1).rng()), rng=Seed(1).rng()))
    for name in options.files:
        held["files"][name] = measure_file(name)
        print(json.dumps(held["files"][name]), flush=True)
        RESULTS.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
    for rows in options.gate:
        held["gate"][str(rows)] = {**dict(measure_gate(rows)), "at_8f115c01": EARLIER_GATE.get(str(rows))}
        RESULTS.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
