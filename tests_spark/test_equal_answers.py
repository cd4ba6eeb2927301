"""A question has the same answer in memory, on polars, DuckDB and Spark, and a seed gives the same release."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests_spark.cluster import Cluster
from tests_spark.reading import approximate, ask, read_release

ROWS = 400
PARTS = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write made-up people as one file and as a folder of files, and the population that they are drawn from."""
    folder = tmp_path_factory.mktemp("people")
    rng = np.random.default_rng(7)
    people = pl.DataFrame(
        {
            "id": rng.permutation(ROWS),
            "town": rng.choice(["north", "south", "東", "NA", ""], ROWS),
            "age": pl.Series(rng.integers(1, 6, ROWS)).cast(pl.Int16),
            "sex": rng.choice(["f", "m"], ROWS),
            "ill": rng.choice(["flu", "cold", "NA"], ROWS, p=[0.3, 0.6, 0.1]),
            "pay": pl.Series(rng.integers(1, 9, ROWS)),
            "w": rng.choice([1.0, 2.5, 10.0], ROWS),
        }
    ).with_columns(pl.when(pl.col("age") < 5).then(pl.col("age")))
    people.write_parquet(folder / "people.parquet")
    (folder / "parts.parquet").mkdir()
    for part in range(PARTS):
        piece = people.slice(part * ROWS // PARTS, (part + 1) * ROWS // PARTS - part * ROWS // PARTS)
        piece.write_parquet(folder / "parts.parquet" / f"{part}.parquet")
    pl.concat([people, people.head(99)]).write_parquet(folder / "everybody.parquet")
    (folder / "tree.csv").write_text("flu,inner,Total\ncold,inner,Total\nNA,other,Total\n")
    return folder


RISKS: list[tuple[str, ...]] = [
    ("--sensitive", "ill,pay"),
    ("--sensitive", "pay", "--distance", "equal", "--l", "2", "--t", "0.3"),
    ("--sensitive", "ill", "--tree", "ill={folder}/tree.csv"),
    ("--population", "0.5", "--limit", "0.4"),
    ("--population", "{folder}/everybody.parquet", "--k", "2"),
    ("--weights", "w"),
    ("--suda", "--sets", "2", "--population", "0.1"),
    ("--missing", "drop", "--sensitive", "ill"),
    ("--missing", "refuse"),
]


@pytest.mark.parametrize("words", RISKS, ids=" ".join)
def test_risk(cluster: Cluster, folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    options = ["--keys", "town,age,sex", *(word.format(folder=folder) for word in words)]
    status, answer = ask(capsys, "risk", folder / "people.parquet", *options)
    for engine in (["--engine", "polars"], ["--memory", "1GB"], ["--master", cluster.connect_url]):
        status_beyond, beyond = ask(capsys, "risk", folder / "parts.parquet", *options, *engine)
        told = {"error", "errors"} & beyond.keys()
        assert status_beyond == status, beyond
        assert bool(told) is (status == 2)
        name = beyond.pop("engine", None)
        assert name == (None if told else {"--memory": "duckdb", "--master": "spark"}.get(engine[0], engine[1]))
        expected = json.loads(json.dumps(answer).replace("people.parquet", "parts.parquet"))
        assert beyond == approximate(expected)


RELEASES: list[tuple[str, ...]] = [
    ("pram", "--retention", "0.8", "--columns", "town,sex,ill,age"),
    ("pram", "--k", "2", "--columns", "sex,ill,id", "--id", "id", "--sample", "150"),
    ("sample", "--size", "120", "--known", "40"),
    ("sample", "--size", "120", "--id", "id", "--strata", "sex"),
]


@pytest.mark.parametrize("words", RELEASES, ids=" ".join)
def test_releases(
    cluster: Cluster, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    made = dict[str, pl.DataFrame]()
    answers = dict[str, dict[str, Any]]()
    engines = {"memory": [], "polars": ["--engine", "polars"], "spark": ["--master", cluster.connect_url]}
    for name, engine in engines.items():
        source, out = folder / ("people.parquet" if name == "memory" else "parts.parquet"), tmp_path / f"{name}.parquet"
        given = ["--seed", "5", "--out", out, *engine]
        status, answer = ask(capsys, "protect", words[0], source, *words[1:], *given)
        assert status in {0, 3}, answer
        assert answer.pop("engine", "memory") == name
        made[name] = read_release(out)
        answers[name] = {key: answer[key] for key in answer.keys() - {"seconds", "out", "mechanism"}}
    assert made["polars"].equals(made["memory"])
    assert made["spark"].equals(made["memory"])
    assert answers["spark"] == approximate(answers["polars"])
    answers["memory"].pop("missing", None)  # how many cells are missing before and after is told in memory only
    assert answers["spark"] == approximate(answers["memory"])


def test_a_release_from_one_address_to_another(
    cluster: Cluster,
    driver: str,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    mounted = cluster.folder / "mounted"
    shutil.copy(folder / "people.parquet", mounted / "everyone.parquet")
    words = ["--retention", "0.8", "--columns", "sex,ill", "--seed", "5", "--out"]
    status, _ = ask(capsys, "protect", "pram", folder / "people.parquet", *words, tmp_path / "memory.parquet")
    there = ["viewfs://proof/data/everyone.parquet", *words, "viewfs://proof/data/changed.parquet", "--master", driver]
    status_there, answer_there = ask(capsys, "protect", "pram", *there)
    assert status == status_there, answer_there
    assert read_release(mounted / "changed.parquet").equals(read_release(tmp_path / "memory.parquet"))
    assert answer_there["mechanism"] == "changed.parquet.mechanism.json"
    assert (tmp_path / "changed.parquet.mechanism.json").exists()
    again, refusal = ask(capsys, "protect", "pram", *there)
    assert again == 2
    assert "there is something of that name already" in refusal["error"]


def test_the_command_as_its_own_driver_says_nothing_of_java(cluster: Cluster, folder: Path) -> None:
    words = ["risk", str(folder / "parts.parquet"), "--keys", "town,sex", "--master", cluster.master_url, "--json"]
    run = subprocess.run(
        [sys.executable, "-m", "sekisho", *words],
        env=cluster.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(run.stdout)["engine"] == "spark"
    lines = [line for line in run.stderr.splitlines() if not line.startswith("counting: ")]
    assert len(lines) == 1, run.stderr
    assert lines[0].endswith("400 records")
