"""Work on records beyond memory as they grow: rows per CPU second and peak memory, each engine alone beside ours.

Every job is a process of its own, watched from outside: CPU seconds of all its threads, and the largest memory that
the system saw it hold. The records are made here, from a seed: eight keys that are almost unique together, as Parquet
and, for the jobs that ask for it, as CSV. ::

    PYTHONPATH=. python bench/records_scale.py --rows 1,10,50 --folder DIR [--jobs classes-duckdb,...] [--draw DIR]

``--rows`` are millions. Figures go to ``bench/records_scale.json``: those of the jobs that were run replace older ones.
``--draw`` makes the pictures for the documentation of what the file holds. Add a job to ``JOBS`` to have its line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from sekisho.report.figures.gallery import Axis, LineChart, Series, draw_standalone
from sekisho.seeds import Seed
from sekisho.words import bilingual

RESULTS = Path(__file__).with_suffix(".json")
DOMAINS = {"age": 100, "sex": 2, "area": 1900, "education": 8, "job": 300, "marital": 5, "children": 6, "income": 50}
KEYS = ",".join(DOMAINS)
PART = 1_000_000
DUCKDB_ALONE = f"""
import duckdb
connection = duckdb.connect()
connection.execute("SET memory_limit = '1600MB'")
connection.execute("SET temp_directory = '{{folder}}'")
classes = connection.read_parquet("{{path}}").aggregate("count(*) AS n", "{KEYS}")
print(classes.aggregate("n, count(*)", "n").fetchall())
"""
POLARS_ALONE = f"""
import polars as pl
classes = pl.scan_parquet("{{path}}").group_by({KEYS.split(",")!r}).len("n")
print(classes.group_by("n").len().collect(engine="streaming"))
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One line of the figure.

    Attributes:
        work: what is asked.
        words: the command of ours, or a program; ``{path}`` is the records' file, ``{csv}`` the same as CSV, ``{folder}``
            a folder for other files.
        recipe: what ``recipe.toml`` in that folder says, if it is asked for.
    """

    work: str
    words: tuple[str, ...]
    recipe: str = ""

    def call(self, path: Path, folder: Path) -> list[str]:
        """Return the process to start."""
        places = {"{path}": path, "{csv}": path.with_suffix(".csv"), "{folder}": folder}
        filled = [*self.words, self.recipe]
        for mark, place in places.items():
            filled = [word.replace(mark, str(place)) for word in filled]
        (folder / "recipe.toml").write_text(filled.pop())
        return [sys.executable, *filled]

    @property
    def reads_csv(self) -> bool:
        """Whether the records are needed as CSV."""
        return "{csv}" in (*self.words, *self.recipe.split('"'))


TABLE_ALONE = """
import duckdb
connection = duckdb.connect()
connection.execute("SET memory_limit = '1600MB'")
print(len(connection.read_parquet("{path}").aggregate("area, education, sex, count(*)").fetchall()))
"""
OURS = ("-m", "sekisho")
SUMMED = ("--dims", "area,education,sex", "--out", "{folder}/cells.csv", "--memory", "2GB", "--json")
LEARNED = ("--keys", "age,sex,area,education", "--sensitive", "job", "--memory", "2GB", "--json")
PROTECT, RELEASE = ("protect",), ("--out", "{folder}/release.parquet", "--seed", "1", "--json")
SIZE, LIMIT, SPECIAL = ("--size", "500000"), ("--memory", "2GB"), ("--suda", "--sets", "3")
RELEASED_CSV = ("--out", "{folder}/release.csv", "--seed", "1", "--json")
CODES = ("--top", "income=1%", "--intervals", "age=18,40,65", "--round", "area=50")
GATE = (*OURS, "gate", "{folder}/recipe.toml", "--out", "{folder}/out", "--json")
TABLED = 'shape = "table"\nmicrodata = true\ndims = ["education", "marital"]\nvalue = "income"\nrules = ["p%:10"]\n'
LIMITED = 'memory = "1GB"\n'
JOBS = {
    "classes-duckdb": Job("classes", (*OURS, "risk", "{path}", "--keys", KEYS, "--memory", "2GB", "--json")),
    "classes-duckdb-alone": Job("classes", ("-c", DUCKDB_ALONE)),
    "classes-polars": Job("classes", (*OURS, "risk", "{path}", "--keys", KEYS, "--engine", "polars", "--json")),
    "classes-polars-alone": Job("classes", ("-c", POLARS_ALONE)),
    "classes-csv": Job("classes-csv", (*OURS, "risk", "{csv}", "--keys", KEYS, "--memory", "2GB", "--json")),
    "suda-duckdb": Job("SUDA", (*OURS, "risk", "{path}", "--keys", KEYS, *SPECIAL, "--memory", "2GB", "--json")),
    "table-duckdb": Job("table", (*OURS, "table", "tabulate", "{path}", *SUMMED)),
    "table-duckdb-alone": Job("table", ("-c", TABLE_ALONE)),
    "gate-table": Job("gate", GATE, TABLED + 'original = "{path}"\n'),
    "gate-table-duckdb": Job("gate", GATE, TABLED + LIMITED + 'original = "{path}"\n'),
    "gate-table-csv": Job("gate-csv", GATE, TABLED + 'original = "{csv}"\n'),
    "gate-table-csv-duckdb": Job("gate-csv", GATE, TABLED + LIMITED + 'original = "{csv}"\n'),
    "sensitive-duckdb": Job("sensitive", (*OURS, "risk", "{path}", *LEARNED)),
    "pram-duckdb": Job("PRAM", (*OURS, *PROTECT, "pram", "{path}", "--retention", "1/2", "--memory", "2GB", *RELEASE)),
    "pram-csv": Job("PRAM-csv", (*OURS, *PROTECT, "pram", "{csv}", "--retention", "1/2", *LIMIT, *RELEASED_CSV)),
    "pram-polars": Job(
        "PRAM", (*OURS, *PROTECT, "pram", "{path}", "--retention", "1/2", "--engine", "polars", *RELEASE)
    ),
    "sample-duckdb": Job("sample", (*OURS, *PROTECT, "sample", "{path}", *SIZE, "--memory", "2GB", *RELEASE)),
    "sample-polars": Job("sample", (*OURS, *PROTECT, "sample", "{path}", *SIZE, "--engine", "polars", *RELEASE)),
    "code-duckdb": Job("code", (*OURS, *PROTECT, "code", "{path}", *CODES, "--memory", "2GB", *RELEASE)),
    "code-polars": Job("code", (*OURS, *PROTECT, "code", "{path}", *CODES, "--engine", "polars", *RELEASE)),
}
"""By name; those of one ``work`` are drawn together."""


def main() -> None:
    """Run the jobs that are asked for, and draw what is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="", help="millions of rows, such as 1,10,50")
    parser.add_argument("--jobs", default=",".join(JOBS), help="names of jobs")
    parser.add_argument("--folder", type=Path, default=None, help="where the records are made and removed")
    parser.add_argument("--draw", type=Path, default=None, help="a folder for pictures")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with TemporaryDirectory(dir=options.folder, prefix="records-") as name:
        folder = Path(name)
        for millions in filter(None, options.rows.split(",")):
            path, rows = folder / "records.parquet", round(float(millions) * 1_000_000)
            make_records(path, rows)
            if any(JOBS[job].reads_csv for job in options.jobs.split(",")):
                pl.scan_parquet(path).sink_csv(path.with_suffix(".csv"))
            for job in options.jobs.split(","):
                figures = watch(JOBS[job].call(path, folder), folder)
                results.setdefault(job, {})[str(rows)] = figures
                per_second = rows / figures["cpu_seconds"]
                print(
                    f"{job:<28} {rows:>12,} rows  {figures['cpu_seconds']:>8.1f} CPU s  {per_second:>12,.0f} rows/s  "
                    f"{figures['peak_mb']:>8,.0f} MB",
                    flush=True,
                )
                RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")
    if options.draw:
        for work in dict.fromkeys(job.work for job in JOBS.values()):
            draw(work, results, options.draw)


def make_records(path: Path, rows: int) -> None:
    """Write so many records with the eight keys, a part at a time."""
    rng = Seed(16).child("records").rng()
    writer = None
    for start in range(0, rows, PART):
        count = min(PART, rows - start)
        part = pl.DataFrame(
            {name: rng.integers(0, values, count).astype(np.int16) for name, values in DOMAINS.items()}
        ).to_arrow()
        writer = writer or pq.ParquetWriter(path, part.schema, compression="zstd")
        writer.write_table(part)
    if writer is not None:
        writer.close()


def watch(words: list[str], folder: Path) -> dict[str, float]:
    """Run a process; return its CPU seconds and the most memory it held, in MB, as the system counted them."""
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        assert process.returncode == 0, said.read().decode()[-2000:]
    return {"cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2), "peak_mb": round(usage.ru_maxrss / 1000, 1)}


def draw(work: str, results: dict[str, dict[str, dict[str, float]]], folder: Path) -> None:
    """Draw CPU seconds and memory of the jobs of one work as they grow with the rows."""
    names = [name for name, job in JOBS.items() if job.work == work and name in results]
    for figure, title, axis in (
        ("cpu_seconds", bilingual("CPU seconds", "CPU 秒"), bilingual("CPU seconds", "CPU 秒")),
        ("peak_mb", bilingual("Peak memory", "最大メモリ"), bilingual("MB", "MB")),
    ):
        lines = []
        for name in names[:4]:
            points = sorted((int(rows) / 1e6, figures[figure]) for rows, figures in results[name].items())
            lines.append(Series(name=name, x=tuple(x for x, _ in points), y=tuple(y for _, y in points), dots=True))
        if lines:
            picture = LineChart(
                title=title,
                desc=bilingual(f"Of {work}, by millions of rows.", f"{work}、百万行単位。"),
                x=Axis(label=bilingual("million rows", "百万行")),
                y=Axis(label=axis),
                series=tuple(lines),
            )
            (folder / f"records-{work}-{figure.replace('_', '-')}.svg").write_text(draw_standalone(picture))


if __name__ == "__main__":
    main()
