"""What a row costs on Spark: CPU seconds of executors and driver, bytes read and shuffled, on the cluster of the tests.

These rates stand in the cost model of docs/methods/spark.md. Two workers on loopback tell what a row costs, not how fast
a real cluster is. Needs the environment of ``make test-spark``::

    PYTHONPATH=src:. .venv-spark/bin/python bench/spark_rates.py --rows 1,4 --jobs risk,pram

``--rows`` are millions. Figures go to ``bench/spark_rates.json``: those of the jobs that were run replace older ones.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl
from tests_spark.cluster import Cluster, start_cluster

from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.seeds import Seed

RESULTS = Path(__file__).with_suffix(".json")
DOMAINS = {"age": 100, "sex": 2, "area": 1900, "education": 8, "job": 300, "marital": 5, "children": 6, "income": 50}
KEYS = ",".join(DOMAINS)
TICKS = os.sysconf("SC_CLK_TCK")
PARTS = 8
ROWS_A_CUSTOMER = 84
"""Of the synthetic shop, about."""
JOBS: dict[str, tuple[str, ...]] = {
    "risk": ("risk", "{path}", "--keys", KEYS),
    "sensitive": ("risk", "{path}", "--keys", "age,sex,education,marital", "--sensitive", "income"),
    "pram": ("protect", "pram", "{path}", "--retention", "0.9", "--seed", "1", "--out", "{out}"),
    "groups": (
        *("protect", "groups", "{path}", "--id", "customer", "--columns", "date,item:category,price,quantity"),
        *("--k", "3", "--block", "300", "--effort", "100", "--seed", "1", "--out", "{out}"),
    ),
    "partition": ("protect", "partition", "{path}", "--keys", KEYS, "--k", "10", "--seed", "1", "--out", "{out}"),
    "sample": ("protect", "sample", "{path}", "--size", "{third}", "--seed", "1", "--out", "{out}"),
}


def make_records(folder: Path, rows: int) -> None:
    """Write so many records with the eight keys of bench/records_scale.py, in parts."""
    folder.mkdir()
    rng = Seed(16).child("records").rng()
    for part in range(PARTS):
        count = rows // PARTS
        columns = {name: rng.integers(0, values, count).astype(np.int16) for name, values in DOMAINS.items()}
        pl.DataFrame(columns).write_parquet(folder / f"{part}.parquet")


def make_history(folder: Path, rows: int) -> None:
    """Write about so many rows of a synthetic shop, in parts."""
    folder.mkdir()
    shop = SyntheticHistory(customers=rows // ROWS_A_CUSTOMER).draw(rng=Seed(16).child("history").rng())
    size = -(-len(shop) // PARTS)
    for part in range(PARTS):
        shop.frame.slice(part * size, size).write_parquet(folder / f"{part}.parquet")


class CpuWatch(threading.Thread):
    """Looks every half second at what all processes below some have used; one that ends keeps its last figure."""

    def __init__(self, roots: list[int]) -> None:
        super().__init__(daemon=True)
        self.roots, self.used, self.ended = set(roots), dict[int, float](), threading.Event()

    def run(self) -> None:
        """Look until it is ended."""
        while not self.ended.wait(0.3):
            self.look()

    def look(self) -> None:
        """Note what each process has used so far."""
        rows: dict[int, tuple[int, float]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(") ")[2].split()
                except OSError:
                    continue
                rows[int(entry.name)] = int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS
        family = self.roots & rows.keys() | (self.used.keys() & rows.keys())
        while more := {pid for pid, (parent, _) in rows.items() if parent in family} - family:
            family |= more
        self.used |= {pid: rows[pid][1] for pid in family}

    def finish(self) -> float:
        """Return the CPU seconds of all of them."""
        self.ended.set()
        self.join()
        return sum(self.used.values())


def read_events(folder: Path) -> dict[str, float]:
    """Return what Spark's own log of a run says of its tasks, in sum."""
    sums: dict[str, float] = dict.fromkeys(
        ("tasks", "jvm_cpu_seconds", "input_bytes", "shuffle_bytes", "spilled_bytes"), 0.0
    )
    for file in sorted(folder.rglob("*")):
        if file.is_dir() or file.name.startswith("."):
            continue
        for line in file.read_text().splitlines():
            event = json.loads(line)
            metrics = event.get("Task Metrics") if event["Event"] == "SparkListenerTaskEnd" else None
            if metrics:
                sums["tasks"] += 1
                sums["jvm_cpu_seconds"] += metrics["Executor CPU Time"] / 1e9
                sums["input_bytes"] += metrics["Input Metrics"]["Bytes Read"]
                sums["shuffle_bytes"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                sums["spilled_bytes"] += metrics["Disk Bytes Spilled"]
    return sums


def measure(cluster: Cluster, job: str, rows: int) -> dict[str, float]:
    """Run a job as its own driver and return what it cost."""
    path, out, events = (cluster.folder / f"{job}-{rows}-{word}" for word in ("in.parquet", "out.parquet", "events"))
    (make_history if job == "groups" else make_records)(path, rows)
    events.mkdir()
    settings = cluster.folder / "conf" / "spark-defaults.conf"
    kept = settings.read_text()
    settings.write_text(
        f"{kept}spark.eventLog.enabled true\nspark.eventLog.compress false\nspark.eventLog.dir file://{events}\n"
    )
    filled = [word.format(path=path, out=out, third=rows // 3) for word in JOBS[job]]
    watch = CpuWatch([worker.process.pid for worker in cluster.workers])
    watch.start()
    start = time.monotonic()
    words = [sys.executable, "-m", "sekisho", *filled, "--master", cluster.master_url, "--json"]
    run = subprocess.Popen(words, env=cluster.environment(), stdout=subprocess.DEVNULL)
    watch.roots.add(run.pid)
    status = run.wait()
    figures = {"status": status, "seconds": time.monotonic() - start, "cpu_seconds": watch.finish()}
    settings.write_text(kept)
    return {name: round(value, 1) for name, value in (figures | read_events(events)).items()}


def main() -> None:
    """Measure the jobs that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="1,4", help="millions of rows")
    parser.add_argument("--jobs", default=",".join(JOBS), help="names of jobs")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with start_cluster(connect=False) as cluster:
        for job in options.jobs.split(","):
            for millions in options.rows.split(","):
                rows = round(float(millions) * 1_000_000)
                results.setdefault(job, {})[str(rows)] = figures = measure(cluster, job, rows)
                print(job, rows, figures, flush=True)
                RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
