"""How long a person waits: a purchase log of 60,000 rows of 2,500 customers, from `init` to the verdict of `gate`.

Each command runs in a process of its own; CPU seconds are user and system time of all processes, taken from outside.
All columns of the log are released: what `init` leaves out joins the schema as a category that others may know. The
first run compiles nothing; with ``--compile`` one that compiles all kernels, as after an installation, comes before
it. The second run has one line more in its recipe. Results go to ``bench/measured_purchase_log.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from purchase_log import draw_log

RESULTS = Path(__file__).parent / "measured_purchase_log.json"
EARLIER = 330.0
"""CPU seconds after which there was no verdict when all 2,500 customers were searched at once."""
LINE = 'claim = "reported"\n'


def run_command(folder: Path, *arguments: str, kernels: Path | None = None) -> tuple[float, float, str]:
    """Return CPU and wall seconds of a command, and the last line that it said."""
    environment: Mapping[str, str] = {**os.environ, **({} if kernels is None else {"NUMBA_CACHE_DIR": str(kernels)})}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "sekisho", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), monotonic() - start
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, (done.stdout.splitlines() or [""])[-1].split(";")[0]


def add_columns(schema: Path, columns: list[str]) -> None:
    """Let every column of the log be released."""
    text = schema.read_text(encoding="utf-8")
    left = [name for name in columns if f'name = "{name}"' not in text]
    more = "".join(f'\n[[columns]]\nname = "{name}"\nkind = "category"\nrole = "quasi"\n' for name in left)
    schema.write_text(text + more, encoding="utf-8")


def measure(folder: Path, *, compiling: bool) -> list[list[str]]:
    """Return the lines of the table."""
    log = draw_log()
    log.write_csv(folder / "log.csv")
    first = run_command(folder, "init", "log.csv", "--out", "recipe.toml")
    add_columns(folder / "log.schema.toml", log.columns)
    gate = ("gate", "recipe.toml", "--seed", "1", "--out")
    lines = list[list[str]]()
    if compiling:
        cold = run_command(folder, *gate, "compiled", kernels=folder / "kernels")
        lines.append(_make_line("`init` and `gate`, all kernels compiled on the way", first, cold))
    else:
        run_command(folder, *gate, "warm")
    lines.append(_make_line("`init` and `gate`", first, run_command(folder, *gate, "gate")))
    recipe = folder / "recipe.toml"
    recipe.write_text(LINE + recipe.read_text(encoding="utf-8"), encoding="utf-8")
    lines.append(_make_line(f"`gate` again, one line more: `{LINE.strip()}`", run_command(folder, *gate, "gate")))
    return lines


def _make_line(what: str, *commands: tuple[float, float, str]) -> list[str]:
    cpu, wall = (sum(float(command[place]) for command in commands) for place in (0, 1))
    print(what, f"{cpu:.1f} CPU s", f"{wall:.0f} s", commands[-1][2], file=sys.stderr, flush=True)
    return [what, f"{cpu:.1f}", f"{wall:.0f}", f"below {cpu / EARLIER:.2f}", commands[-1][2]]


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compile", action="store_true", help="Also after an installation.")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        lines = measure(Path(folder), compiling=arguments.compile)
    table = {
        "page": "history-blocks",
        "title": "A purchase log: from a file to a verdict",
        "command": "python bench/purchase_log_wait.py --compile",
        "machine": "two cores shared with seven others, so wall times are rough",
        "note": (
            "made up: 60,000 rows of 2,500 customers, 5 to 80 rows each; date, store, postal code, JAN, product, amount "
            "and quantity are all released; the recipe is what `init` writes (`groups`, k = 7, four adversaries). CPU "
            "seconds of all processes. Earlier, all customers searched at once: no verdict after 330 CPU s"
        ),
        "columns": ["what", "CPU s", "wall s", "of the earlier time", "verdict"],
        "rows": lines,
    }
    RESULTS.write_text(json.dumps([table], ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
