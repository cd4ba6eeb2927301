"""`sekisho protect partition` as a whole process, beside what other programs were measured to need for the same work.

Adult (30,162 records, eight keys) and populations scaled from it. Every output is read again and regrouped by its keys:
the smallest class must be k or more, and no row missing. CPU seconds are of the whole process, start-up included.

``python bench/partition_adult.py [--rows 1000000] [--effort 2] [--parquet] [--peers .venv-peers/bin/python]`` with the
data in ``$SEKISHO_DATA``, or in ``../shared/data``. ``make peers`` builds the environment of anonypy, anjana and pycanon
and runs them beside; without it the figures in PEERS stand, measured on the same kind of machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.shape import Shape
from sekisho.data.synthetic.health import scale_population
from sekisho.seeds import Seed

DATA = Path(os.environ.get("SEKISHO_DATA", "") or Path(__file__).parents[2] / "shared" / "data") / "adult"
KEYS = ("age", "education", "marital-status", "occupation", "race", "sex", "native-country", "workclass")
PEERS = {
    ("sets", 5): ("anonypy", 63.0, 0.032),
    ("sets", 10): ("anonypy", 32.0, 0.060),
    ("sets", 50): ("anonypy", 9.0, 0.161),
    ("labels", 5): ("ARX local", 9.9, 0.061),
    ("labels", 10): ("ARX local", 13.4, 0.084),
    ("labels", 50): ("ARX local", 16.9, 0.158),
}


def measure(source: Path, out: Path, k: int, *, trees: bool, effort: float) -> dict[str, float]:
    """Run the command once and regroup what it wrote."""
    line = [sys.executable, "-m", "sekisho", "protect", "partition", str(source), "--keys", ",".join(KEYS)]
    line += ["--k", str(k), "--out", str(out), "--seed", "1", "--effort", str(effort), "--json"]
    if trees:
        line += ["--tree", ",".join(f"{name}={DATA / f'adult_hierarchy_{name}.csv'}" for name in KEYS)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        told = json.loads(process.stdout.read() if process.stdout else b"{}")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    parquet = out.suffix == ".parquet"
    frame = pl.read_parquet(out) if parquet else pl.read_csv(out, separator=";", infer_schema=False)
    smallest = frame.group_by(KEYS).len()["len"].to_numpy().min()
    if smallest < k or frame.height + told["suppressed"] != told["records"]:
        sys.exit(f"{out.name}: smallest class {smallest}, {frame.height:,} rows of {told['records']:,}; k = {k}")
    return {
        "cpu": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1000,
        "ncp": told["ncp"],
        "smallest": float(smallest),
    }


def run_peer(python: Path, peer: str, source: Path, k: int, out: Path, ours: float) -> str:
    """Return what a peer came to in its own environment, its output regrouped here, beside our CPU seconds."""
    program = Path(__file__).with_name("peer_programs.py")
    line = [str(python), str(program), peer, str(source), ",".join(KEYS), str(k), str(out), str(DATA)]
    done = subprocess.run(line, check=False, capture_output=True, text=True)
    if done.returncode:
        return f"{peer}: {(done.stderr.strip().splitlines() or ['no answer'])[-1][:100]}"
    said = json.loads(done.stdout.splitlines()[-1])
    if peer == "pycanon":
        return f"pycanon: k = {said['k']} of the original in {said['whole']:.1f} s"
    frame = pl.read_csv(out, separator=";", infer_schema=False)
    smallest = frame.group_by(KEYS).len()["len"].to_numpy().min(initial=frame.height)
    times = f"{said['whole']:.1f} s in this run, {said['whole'] / ours:.1f} times as long"
    return f"{peer}: {times}, {frame.height:,} rows, smallest class {smallest}"


def scale(rows: int, place: Path) -> None:
    """Write a population of so many rows."""
    data = read_own(DATA / "adult.csv", SchemaFile(shape=Shape.RECORDS)).data
    made = scale_population(data, rows, rng=Seed(1).rng(), moved={"age": 3}).frame
    if place.suffix == ".parquet":
        made.write_parquet(place)
    else:
        made.write_csv(place, separator=";")


def main() -> None:
    """Run and print one line for each work."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--k", type=int, nargs="*", default=[5, 10, 50])
    parser.add_argument("--effort", type=float, default=2.0)
    parser.add_argument("--parquet", action="store_true")
    parser.add_argument("--peers", type=Path, default=None)
    asked = parser.parse_args()
    if not (DATA / "adult.csv").exists():
        sys.exit("adult.csv is neither in $SEKISHO_DATA/adult nor in ../shared/data/adult")
    with TemporaryDirectory() as name:
        folder, suffix = Path(name), ".parquet" if asked.parquet else ".csv"
        source = DATA / "adult.csv"
        if asked.rows:
            source = folder / f"population{suffix}"
            scale(asked.rows, source)
        print(f"{'work':<16}{'CPU s':>8}{'MB':>7}{'NCP':>9}{'smallest':>10}  peer")
        for trees in (False, True):
            for k in asked.k:
                ours = measure(source, folder / f"out{suffix}", k, trees=trees, effort=asked.effort)
                work = "labels" if trees else "sets"
                peer = "" if asked.rows else describe_peer(work, k, ours)
                figures = f"{ours['cpu']:>8.2f}{ours['megabytes']:>7.0f}{ours['ncp']:>9.5f}{ours['smallest']:>10.0f}"
                print(f"{work + f', k = {k}':<16}{figures}  {peer}", flush=True)
                if asked.peers is not None and not asked.parquet:
                    for rival in ("anjana",) if trees else ("anonypy", "pycanon"):
                        found = run_peer(asked.peers, rival, source, k, folder / "peer.csv", ours["cpu"])
                        print(f"    {found}", flush=True)


def describe_peer(work: str, k: int, ours: dict[str, float]) -> str:
    """Return a peer's figures and the ratios to ours."""
    name, seconds, ncp = PEERS.get((work, k), ("", 0.0, 0.0))
    if not name:
        return ""
    return f"{name} {ncp:.3f} in {seconds:.1f} s: {seconds / ours['cpu']:.1f} times as long, {ncp / ours['ncp']:.2f} times the loss"


if __name__ == "__main__":
    main()
