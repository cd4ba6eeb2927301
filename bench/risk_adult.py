"""`sekisho risk` as a whole process, beside what other programs need for the same work.

Adult (30,162 records, eight keys): k, l, t and all that goes with them. A population scaled from it: special uniques of
eight keys. CPU seconds are of the whole process, start-up included.

``python bench/risk_adult.py [--rows 1000000] [--pycanon]`` with the data in ``$SEKISHO_DATA``, or in
``../shared/data``. ``--pycanon`` builds an environment of its own in a temporary folder and needs a package index;
without it the figures in PEERS stand, measured on the same kind of machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from partition_adult import DATA, KEYS, scale

PEERS = {"klt": ("pycanon 1.3.6: k, l, t", 12.1), "suda": ("sdcMicro 5.7: suda2", 8.2)}
PYCANON = """
import sys, time
import pandas as pd
from pycanon import anonymity as a
frame = pd.read_csv(sys.argv[1], sep=";")
keys, sensitive = sys.argv[2].split(","), ["salary-class"]
print(a.k_anonymity(frame, keys), a.l_diversity(frame, keys, sensitive), a.t_closeness(frame, keys, sensitive))
"""


def measure(line: list[str]) -> float:
    """Run a process; return its CPU seconds."""
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"status {process.returncode}: {' '.join(line)}")
    return usage.ru_utime + usage.ru_stime


def measure_ours(source: Path, *words: str) -> float:
    """Return the CPU seconds of the command, the better of two; the first compiles where nothing is compiled yet."""
    line = [sys.executable, "-m", "sekisho", "risk", str(source), "--keys", ",".join(KEYS), *words, "--json"]
    return min(measure(line) for _ in range(2))


def measure_pycanon(source: Path, folder: Path) -> float | None:
    """Return the CPU seconds of pycanon; None, having said why, where it cannot be had."""
    python = folder / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    done = subprocess.run([str(python), "-m", "pip", "install", "-q", "pycanon"], check=False, capture_output=True)
    if done.returncode:
        print("skipped: pycanon cannot be installed (no package index?)")
        return None
    return measure([str(python), "-c", PYCANON, str(source), ",".join(KEYS)])


def show(work: str, ours: float, peer: str, theirs: float) -> None:
    """Print one line."""
    print(f"{work:<44}{ours:>7.2f}  {peer:<30}{theirs:>8.1f}{theirs / ours:>7.1f}x", flush=True)


def main() -> None:
    """Run and print one line for each work."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pycanon", action="store_true")
    asked = parser.parse_args()
    source = DATA / "adult.csv"
    if not source.exists():
        sys.exit("adult.csv is neither in $SEKISHO_DATA/adult nor in ../shared/data/adult")
    with TemporaryDirectory() as name:
        folder = Path(name)
        peer, theirs = PEERS["klt"]
        measured = measure_pycanon(source, folder) if asked.pycanon else None
        show(
            "k, l, t and the rest, 30,162 records",
            measure_ours(source, "--sensitive", "salary-class"),
            peer if measured is None else f"{peer}, here",
            theirs if measured is None else measured,
        )
        scale(asked.rows, folder / "population.csv")
        ours = measure_ours(folder / "population.csv", "--suda")
        show(f"special uniques, {asked.rows:,} records", ours, *PEERS["suda"])


if __name__ == "__main__":
    main()
