"""A history whose rows stay on a cluster, at the door: what suits it, and that its answer is that of memory.

The cluster is polars here, in the place of Spark; the real one is in tests_spark.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sekisho.cli import status_of
from sekisho.data.engines.engine import Engine
from sekisho.data.engines.session import SESSIONS

MASTER = ("--master", "local[1]")
WORDS = ("--id", "customer", "--k", 3, "--block", 12, "--effort", 0.5, "--seed", 4)


@pytest.fixture(name="sales")
def fixture_sales(tmp_path: Path) -> Path:
    rng, rows = np.random.default_rng(3), 300
    columns = {
        "customer": rng.integers(1, 41, rows),
        "item": rng.choice(list("abcdef"), rows),
        "price": rng.integers(1, 90, rows) / 10,
    }
    pl.DataFrame(columns).write_parquet(tmp_path / "sales.parquet")
    return tmp_path / "sales.parquet"


def ask(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    """Return the status of a command and its answer."""
    capsys.readouterr()
    status = status_of([*map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_the_answer_is_that_of_memory(
    sales: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SESSIONS, Engine.SPARK, SESSIONS[Engine.POLARS])
    here, there = tmp_path / "here.csv", tmp_path / "there.parquet"
    status, memory = ask(capsys, "protect", "groups", sales, *WORDS, "--out", here)
    status_there, answer = ask(capsys, "protect", "groups", sales, *WORDS, "--out", there, *MASTER)
    assert (status, status_there) == (3, 3), answer  # what is learnt of item and price is nobody's word
    wanted = pl.read_csv(here, infer_schema=False).filter(pl.col("customer") != "*")
    wanted = wanted.with_columns(pl.col("customer").cast(pl.Int64)).sort(wanted.columns)
    assert pl.read_parquet(there).equals(wanted)
    assert (answer.pop("rows"), answer.pop("people"), answer.pop("engine")) == (wanted.height, 40, "spark")
    assert answer.pop("out") == str(there)
    assert answer.pop("ending") == memory.pop("ending")
    assert answer.pop("utility") == pytest.approx(memory.pop("utility"), rel=1e-12)  # added in another order
    assert answer.keys() == memory.keys()
    assert answer | {"seconds": 0} == memory | {"seconds": 0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sales.parquet", "--out", "R.parquet", "--safe", "exact"), "--safe does not suit work beyond memory"),
        (("hdfs://h.example:9/s.parquet", "--out", "R.csv"), "end in .parquet: Spark writes a folder"),
    ],
)
def test_what_does_not_suit_a_cluster_is_refused(
    sales: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(sales.parent)
    status, answer = ask(capsys, "protect", "groups", *words, "--id", "customer", *MASTER)
    assert status == 2
    assert message in answer["error"]


def test_another_measure_is_refused(sales: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = sales.parent / "sales.toml"
    schema.write_text(
        'shape = "history"\nall_columns = true\n[[columns]]\nname = "customer"\nrole = "identifier"\n'
        '[utility]\nmeasure = "item-sets"\n'
    )
    words = ("protect", "groups", sales, "--schema", schema, "--out", sales.parent / "R.parquet", *MASTER)
    status, answer = ask(capsys, *words)
    assert status == 2
    assert "measure must be cell-error where rows stay on a cluster" in answer["error"]


def test_no_csv_is_written_under_the_name_of_parquet(sales: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, answer = ask(capsys, "protect", "groups", sales, *WORDS, "--out", sales.parent / "R.parquet")
    assert status == 2
    assert "out must not end in .parquet" in answer["error"]
    assert not (sales.parent / "R.parquet").exists()
