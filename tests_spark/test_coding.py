"""Coding on a cluster gives the release of memory, row by row, and refuses what memory refuses, by the same rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests_spark.cluster import Cluster
from tests_spark.reading import ask, read_release

ROWS = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write made-up people as one file and as a folder of files; some cells are missing."""
    folder = tmp_path_factory.mktemp("coding")
    rng = np.random.default_rng(11)
    people = pl.DataFrame(
        {
            "id": [f"p{row}" for row in rng.permutation(ROWS)],
            "age": pl.Series(rng.integers(0, 90, ROWS)).cast(pl.Int16),
            "pay": rng.integers(0, 4000, ROWS) / 4,
            "job": rng.choice(["cook", "clerk", "東京", "none.", ""], ROWS, p=[0.5, 0.3, 0.1, 0.05, 0.05]),
            "born": pl.Series(rng.integers(0, 9000, ROWS)).cast(pl.Int32).cast(pl.Date),
            "sick": rng.choice([True, False], ROWS),
        }
    )
    people.write_parquet(folder / "people.parquet")
    (folder / "parts.parquet").mkdir()
    for part, piece in enumerate(people.iter_slices(ROWS // 3)):
        piece.write_parquet(folder / "parts.parquet" / f"{part}.parquet", row_group_size=40)
    return folder


CODES: list[tuple[str, ...]] = [
    ("--missing", "drop", "--top", "age=10%", "--round", "pay=100", "--rare", "job=20:Other"),
    ("--missing", "category", "--intervals", "age=18,65,born=1980-01-01", "--rare", "job=40", "--deleted", "X.csv"),
]


@pytest.mark.parametrize("words", CODES, ids=" ".join)
def test_a_seed_gives_the_release_of_memory(
    master: str,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["--id", "id", "--seed", "5", *words, "--out"]
    status, answer = ask(capsys, "protect", "code", folder / "people.parquet", *given, "memory.parquet")
    there = ["spark.parquet", "--master", master]
    status_there, answer_there = ask(capsys, "protect", "code", folder / "parts.parquet", *given, *there)
    assert status_there == status, answer_there
    assert read_release(tmp_path / "spark.parquet").equals(read_release(tmp_path / "memory.parquet"))
    assert answer_there.pop("engine") == "spark"
    told = {"seconds", "out", "ending"}
    assert {key: answer_there[key] for key in answer_there.keys() - told} == {
        key: answer[key] for key in answer.keys() - told
    }
    assert answer_there["ending"]["why"] == answer["ending"]["why"]
    assert {path.name for path in tmp_path.iterdir()} - {"X.csv"} == {"memory.parquet", "spark.parquet"}


def test_what_breaks_a_rule_is_refused_by_its_row(
    master: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "R.parquet"
    words = ["--top", "age=50", "--missing", "refuse", "--out", out]
    status, answer = ask(capsys, "protect", "code", folder / "people.parquet", *words)
    status_there, there = ask(capsys, "protect", "code", folder / "parts.parquet", *words, "--master", master)
    assert (status, status_there) == (2, 2)
    assert there["errors"] == answer["errors"]
    assert len(there["errors"]) > 3
    assert not out.exists()


def test_from_one_address_to_another(
    cluster: Cluster, driver: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mounted = cluster.folder / "mounted"
    (mounted / "coded people").mkdir()
    for file in (folder / "parts.parquet").iterdir():
        (mounted / "coded people" / file.name).write_bytes(file.read_bytes())
    words = ["--missing", "drop", "--bottom", "pay=5%", "--seed", "2", "--out"]
    here = tmp_path / "R.parquet"
    assert ask(capsys, "protect", "code", folder / "people.parquet", *words, here)[0] == 3  # nobody said what leaves
    there = ["viewfs://proof/data/coded people", *words, "viewfs://proof/data/R.parquet", "--master", driver]
    status, answer = ask(capsys, "protect", "code", *there)
    assert (status, answer["out"]) == (3, "viewfs:/proof/data/R.parquet"), json.dumps(answer)
    assert read_release(mounted / "R.parquet").equals(read_release(here))
