"""Which modules a command runs through, and how often its way changes rooms.

Every call of a function of the package is counted, as the interpreter tells of it; what runs while modules are loaded
(imports, class bodies, decorators) is left out. Fewer modules and fewer changes of room are a shorter way to read.

    python verify/walk.py protect partition people.csv --keys age,sex,town --k 5 --out R.csv --report R.html
    python verify/walk.py --modules table suppress t.csv --dims region,job --count n --out p.csv

Without a command the four ways that docs/decisions speaks of are walked on data made up here.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType

import polars as pl

from sekisho import read_history_rules
from sekisho.cli import status_of
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.seeds import Seed

PACKAGE = "sekisho"
RECIPE = """
shape = "records"
original = "people.csv"
keys = ["age", "sex", "town"]
sensitive = ["illness"]
[[methods]]
name = "partition"
k = 5
[guarantees]
k = 5
"""


class Walk:
    """The way of a command through the package, as calls of functions."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.functions: set[tuple[str, str]] = set()
        self.changes = 0
        self._loading = 0
        self._room = ""

    def follow(self, frame: FrameType, event: str, arg: object) -> None:
        """Note a call; the interpreter's profile hook."""
        del arg
        if event not in {"call", "return"}:
            return
        module = str(frame.f_globals.get("__name__", ""))
        if not module.startswith(PACKAGE):
            return
        if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # the body of a module or a class
            self._loading += 1 if event == "call" else -1
        elif event == "call" and not self._loading:
            self._note(module, frame.f_code.co_qualname)

    def _note(self, module: str, function: str) -> None:
        room = module.split(".")[1] if "." in module else ""
        self.changes += room != self._room
        self._room = room
        self.calls[module] += 1
        self.functions.add((module, function))

    def describe(self) -> str:
        """Return the figures in one line."""
        loaded = sum(name == PACKAGE or name.startswith(f"{PACKAGE}.") for name in sys.modules)
        return (
            f"{len(self.calls)} modules run ({loaded} loaded), {len(self.functions)} functions, "
            f"{self.changes} changes of room, contest: {sum('.contest' in name for name in self.calls)} modules"
        )


def walk(words: Sequence[str]) -> tuple[int, Walk]:
    """Run a command and return its status and its way."""
    way = Walk()
    threading.setprofile(way.follow)
    sys.setprofile(way.follow)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            status = status_of(list(words))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return status, way


def prepare(folder: Path) -> Sequence[Sequence[str]]:
    """Make up data in a folder; return the commands that are walked on them."""
    rng = Seed(1).rng()
    rows = 400
    people = pl.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "sex": rng.choice(["f", "m"], rows),
            "town": rng.choice(["a", "b", "c", "d"], rows),
            "illness": rng.choice(["x", "y", "z"], rows),
        }
    )
    people.write_csv(folder / "people.csv")
    people.group_by("town", "illness").len("n").sort("town", "illness").write_csv(folder / "t.csv")
    (folder / "people.toml").write_text(RECIPE, "utf-8")
    steps = (
        "protect partition people.csv --keys age,sex,town --k 5 --out R.csv --report R.html --seed 1",
        "gate people.toml --out gate --seed 1",
        "table suppress t.csv --dims town,illness --count n --out p.csv --report p.html",
        "contest evaluate mails --rules pwscup2018",
    )
    _collect_mails(folder / "mails")
    return [step.split() for step in steps]


def _collect_mails(folder: Path) -> None:
    """Make up a contest of two teams whose files came by e-mail."""
    rules, seed = read_history_rules("pwscup2018"), Seed(1)
    history = SyntheticHistory(customers=40, median_rows=5).draw(rng=seed.child("history").rng())
    for name in ("releases", "guesses"):
        (folder / name).mkdir(parents=True)
    (folder / "original.csv").write_bytes(write_original(history, rules))
    for team, k in (("t1", 2), ("t2", 3)):
        names = f"{folder}/original.csv --out {folder}/releases/{team}.csv"
        asked = f"protect groups {names} --rules pwscup2018 --k {k} --seed 1"
        assert status_of(asked.split()) == 0


def main(arguments: Sequence[str]) -> None:
    """Walk a command, or the usual ones, each in a process of its own."""
    listing = arguments[:1] == ["--modules"]
    if arguments:
        status, way = walk(arguments[listing:])
        print(f"status {status}: {way.describe()}")
        if listing:
            print("\n".join(f"{count:8,} {name}" for name, count in sorted(way.calls.items())))
        return
    with tempfile.TemporaryDirectory() as folder:
        for words in prepare(Path(folder)):
            command = [sys.executable, str(Path(__file__).resolve()), *words]
            answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
            print(f"{' '.join(words[:2])}: {answer.stdout.strip()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
