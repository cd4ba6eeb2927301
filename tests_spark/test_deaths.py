"""A worker that dies changes no answer; a driver that dies leaves no output, and the work can be done again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import narwhals as nw
import polars as pl
import pyarrow as pa
import pytest
from tests.gate.records.large.made_up_people import CASES, run, write_people
from tests_spark.cluster import Cluster
from tests_spark.kernels import WaitingKernel

from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.session import Session

ROWS = 4_000
PARTS = 12
SCHEMA = pa.schema({"x": pa.int64()})
PATIENCE = 180.0


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write the rows."""
    path = tmp_path / "people.parquet"
    pl.DataFrame({"x": range(ROWS)}).write_parquet(path)
    return path


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Make a folder where kernels leave marks, one for each block that they begin."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until something is so."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(0.05)


def count_blocks(marks: Path) -> Counter[str]:
    """Return how many blocks each executor has begun."""
    return Counter(mark.name.split("-")[0] for mark in marks.glob("*-*"))


def test_a_worker_killed_in_the_middle_changes_no_answer(
    cluster: Cluster, guest: Session, people: Path, marks: Path
) -> None:
    split = nw.from_native(nw.to_native(guest.scan_parquet([people])).repartition(PARTS))
    made = guest.map_blocks(split, WaitingKernel(marks, quick=1), SCHEMA)
    assert made is not None
    rest = (nw.col("x") % 10).alias("rest")
    question = made.select("x", rest).group_by("rest").agg(nw.len().alias("n"), nw.col("x").sum().alias("s"))
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(guest.collect, question)
        # On both workers the first block is done, its rows wait there for the grouping, and the second one has begun.
        wait_until(lambda: sorted(count_blocks(marks).values()) >= [2, 2])
        cluster.kill_worker()
        (marks / "go").touch()
        try:
            got = answer.result().sort("rest")
        finally:
            cluster.add_worker()
    doubled = pl.DataFrame({"x": range(0, 2 * ROWS, 2)}).group_by(pl.col("x") % 10).agg(pl.len(), s=pl.col("x").sum())
    assert got.rows() == doubled.sort("x").rows()
    assert sum(count_blocks(marks).values()) > PARTS  # what was lost was done again


RUN = """
import sys
from pathlib import Path
import narwhals as nw
import pyarrow as pa
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.shape import Shape
from sekisho.data.large.blocks import map_blocks
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.large.scan import open_scan
from sekisho.data.large.sink import write_scan
from tests_spark.kernels import WaitingKernel
master, people, marks, out = sys.argv[1:]
choice, schema = EngineChoice(engine=Engine.SPARK, master=master), SchemaFile(shape=Shape.RECORDS)
with open_scan(Path(people), schema, choice, beside=Path(out)) as scan:
    split = scan.ask(nw.from_native(nw.to_native(scan.frame).repartition(4)))
    made = map_blocks(split, WaitingKernel(Path(marks), quick=1), pa.schema({"x": pa.int64()}))
    write_scan(made, Path(out))
"""


def test_a_worker_that_dies_between_two_steps_of_partition(cluster: Cluster, tmp_path: Path) -> None:
    method, asked = CASES["left out, of a tree, gaps dropped"]
    people = write_people(tmp_path, gaps=True)
    _, wanted = run(method, people, EngineChoice(engine=Engine.POLARS), asked)
    steps = list[str]()

    def tell(step: str) -> None:
        steps.append(step)
        if step == "writing":  # the rows that were read lie on both workers, the classes are found
            cluster.kill_worker()

    try:
        _, release = run(method, people, EngineChoice(engine=Engine.SPARK, master=cluster.connect_url), asked, tell)
    finally:
        cluster.add_worker()
    assert "writing" in steps
    assert release.equals(wanted)


@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_a_driver_killed_in_the_middle_leaves_no_output(
    cluster: Cluster, people: Path, marks: Path, tmp_path: Path, kind: str
) -> None:
    master = cluster.master_url if kind == "classic" else cluster.connect_url
    out = tmp_path / "release" / "release.parquet"
    out.parent.mkdir()
    words = [sys.executable, "-c", RUN, master, str(people), str(marks), str(out)]
    run = subprocess.Popen(words, env=cluster.environment(), start_new_session=True)
    wait_until(lambda: sum(count_blocks(marks).values()) > 2 or run.poll() is not None)
    assert run.poll() is None
    run.kill()
    run.wait()
    (marks / "go").touch()
    assert not out.exists()
    assert all(each.name.startswith(".release.parquet.tmp-") for each in out.parent.iterdir())
    subprocess.run(words, env=cluster.environment(), check=True, timeout=PATIENCE)
    parts = [pl.read_parquet(file) for file in sorted(out.glob("*.parquet"))]
    assert sorted(pl.concat(parts)["x"].to_list()) == list(range(0, 2 * ROWS, 2))


def test_an_interrupted_run_takes_its_temporary_files_with_it(
    cluster: Cluster, people: Path, marks: Path, tmp_path: Path
) -> None:
    out = tmp_path / "release" / "release.parquet"
    out.parent.mkdir()
    words = [sys.executable, "-c", RUN, cluster.connect_url, str(people), str(marks), str(out)]
    run = subprocess.Popen(words, env=cluster.environment(), start_new_session=True, stderr=subprocess.DEVNULL)
    wait_until(lambda: sum(count_blocks(marks).values()) > 2 or run.poll() is not None)
    os.kill(run.pid, signal.SIGINT)
    run.wait(timeout=PATIENCE)
    (marks / "go").touch()
    time.sleep(5)  # tasks that were not told to stop would write again now
    assert not list(out.parent.iterdir())
