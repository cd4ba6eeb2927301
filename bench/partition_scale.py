"""`sekisho protect partition` beyond memory as a whole process: CPU seconds, peak memory and loss beside the in-memory path.

Three kinds of made-up people: ``near`` has eight keys that tell almost everybody apart (every record is distinct),
``numbers`` has eight 16-bit numbers that do, the records of ``bench/records_scale.py``, and ``adult`` is a population
scaled from adult, whose records are mostly copies. Every output is regrouped by its keys here, by polars and not by the
engine that was measured: the smallest class must be k or more, and no row missing. Temporary files are watched from
outside: the most that they took at a time.

``PYTHONPATH=. python bench/partition_scale.py --kind near --rows 1000000 10000000 --memory 4GB --in-memory 10000000``
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from bench.records_scale import DOMAINS, make_records

from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.shape import Shape
from sekisho.data.synthetic.health import scale_population
from sekisho.seeds import Seed

DATA = Path(os.environ.get("SEKISHO_DATA", "") or Path(__file__).parents[2] / "shared" / "data") / "adult"
KEYS = {
    "near": ("age", "sex", "town", "job", "income", "day", "education", "household"),
    "numbers": tuple(DOMAINS),
    "adult": ("age", "education", "marital-status", "occupation", "race", "sex", "native-country", "workclass"),
}
BLOCK = 1_000_000


def make_near(rows: int, rng: np.random.Generator) -> pl.DataFrame:
    """Return people whose eight keys tell almost everybody apart."""
    age = rng.integers(0, 100, rows)
    income = np.minimum(20_000, np.exp(rng.normal(7 + age / 100, 0.7))).astype(np.int64)
    codes = {"town": rng.zipf(1.3, rows) % 200, "job": rng.zipf(1.2, rows) % 60, "education": rng.integers(0, 16, rows)}
    texts = {name: name[0] + pl.Series(code).cast(pl.String) for name, code in codes.items()}
    return pl.DataFrame(
        {
            "age": age,
            "sex": pl.Series(rng.integers(0, 2, rows)).replace_strict([0, 1], ["f", "m"]),
            "town": texts["town"],
            "job": texts["job"],
            "income": income,
            "day": pl.Series(rng.integers(0, 3650, rows)).cast(pl.Int32).cast(pl.Date),
            "education": texts["education"],
            "household": rng.integers(1, 9, rows),
            "illness": "i" + pl.Series(rng.integers(0, 12, rows)).cast(pl.String),
        }
    )


def make_people(kind: str, rows: int) -> Iterator[pl.DataFrame]:
    """Give people, block by block; the same for the same number of rows."""
    adult = None
    if kind == "adult":
        adult = read_own(DATA / "adult.csv", SchemaFile(shape=Shape.RECORDS)).data
    for start in range(0, rows, BLOCK):
        count, rng = min(BLOCK, rows - start), Seed(1).child(f"block {start}").rng()
        if adult is None:
            yield make_near(count, rng)
        else:
            yield scale_population(adult, count, rng=rng, moved={"age": 3}).frame


def write_people(kind: str, rows: int, place: Path) -> None:
    """Write people to a Parquet file."""
    if kind == "numbers":
        make_records(place, rows)
        return
    writer = None
    for frame in make_people(kind, rows):
        table = frame.to_arrow()
        writer = writer or pq.ParquetWriter(place, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def watch_files(process: subprocess.Popen[bytes], out: Path) -> int:
    """Wait for a process; return the most bytes that its temporary files beside an output took at a time."""
    most = 0
    while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
        most = max(most, sum(map(_measure_file, out.parent.glob(f".{out.name}.tmp-*/**/*"))))
        time.sleep(0.5)
    return most


def _measure_file(path: Path) -> int:
    try:
        return path.stat().st_blocks * 512
    except OSError:  # removed meanwhile
        return 0


def measure(source: Path, out: Path, kind: str, k: int, options: list[str]) -> dict[str, object]:
    """Run the command once and regroup what it wrote."""
    line = [sys.executable, "-m", "sekisho", "protect", "partition", str(source), "--keys", ",".join(KEYS[kind])]
    line += ["--k", str(k), "--out", str(out), "--seed", "1", "--json", *options]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        disk = watch_files(process, out)
        said = process.stdout.read() if process.stdout else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"status {process.returncode}: {said.decode()}")
    told = json.loads(said)
    classes = pl.scan_parquet(out).group_by(KEYS[kind]).len()
    smallest, rows = (
        classes.select(pl.col("len").min(), pl.col("len").sum().alias("rows")).collect(engine="streaming").row(0)
    )
    if smallest < k or rows + told["suppressed"] != told["records"]:
        sys.exit(f"smallest class {smallest}, {rows:,} rows of {told['records']:,}; k = {k}")
    out.unlink()
    return {
        "cpu": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1000,
        "disk": disk / 1e6,
        "ncp": told["ncp"],
        "smallest": smallest,
        "classes": told["classes"],
        "parts": told.get("parts", 0),
    }


def main() -> None:
    """Run and print one line for each work."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=tuple(KEYS), default="near")
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--memory", nargs="*", default=["4GB"])
    parser.add_argument("--polars", action="store_true", help="Measure the engine polars as well.")
    parser.add_argument("--in-memory", type=int, default=0, help="Up to so many rows the in-memory path runs beside.")
    parser.add_argument("--folder", type=Path, default=None, help="For the files; a temporary one if not given.")
    asked = parser.parse_args()
    print(
        f"{'rows':>12} {'work':<16}{'CPU s':>9}{'MB':>7}{'disk':>8}{'NCP':>10}{'smallest':>10}{'classes':>11}{'parts':>7}"
    )
    with TemporaryDirectory(dir=asked.folder) as name:
        for rows in asked.rows:
            source = Path(name) / "people.parquet"
            write_people(asked.kind, rows, source)
            works = {f"--memory {memory}": ["--memory", memory] for memory in asked.memory}
            works |= {"--engine polars": ["--engine", "polars"]} if asked.polars else {}
            works |= {"in memory": []} if rows <= asked.in_memory else {}
            for work, options in works.items():
                one = measure(source, Path(name) / "out.parquet", asked.kind, asked.k, options)
                figures = f"{one['cpu']:>9.1f}{one['megabytes']:>7.0f}{one['disk']:>8.0f}{one['ncp']:>10.6f}{one['smallest']:>10}"
                print(f"{rows:>12,} {work:<16}{figures}{one['classes']:>11,}{one['parts']:>7}", flush=True)


if __name__ == "__main__":
    main()
