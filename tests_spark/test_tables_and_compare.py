"""Tables of microdata, and releases beside their original: the cells and distances of memory and DuckDB."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests_spark.reading import approximate, ask

ROWS = 300
PARTS = 3
DUCKDB = ("--memory", "1GB")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write made-up payments and people, each as one file and as a folder of files, and a release of the people."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(4)
    write(
        pl.DataFrame(
            {
                "town": rng.choice(["a1", "a2", "b1", " a1"], ROWS),
                "kind": rng.choice(["x", "y", "z"], ROWS, p=[0.9, 0.08, 0.02]),
                "pay": rng.choice([1.0, 2.5, -3.0, 0.25, 10.0], ROWS),
                "written": rng.choice(["1", "2.5", "7"], ROWS),
                "w": rng.choice([1.0, 2.0, 0.5, 1.5], ROWS),
                "ask": rng.choice([0, 1], ROWS, p=[0.9, 0.1]),
            }
        ),
        folder / "payments",
    )
    people = pl.DataFrame(
        {
            "age": rng.integers(18, 60, ROWS),
            "town": rng.choice(["a", "b", "c"], ROWS),
            "ill": rng.choice(["flu", "cold", "NA"], ROWS),
        }
    )
    write(people, folder / "people")
    low = pl.col("age") // 10 * 10
    ranges = pl.format("[{};{}]", low, low + 9).alias("age")
    towns = pl.when(pl.col("age") < 30).then(pl.lit("{a;b}")).otherwise(pl.col("town")).alias("town")
    write(people.select(ranges, towns, "ill").head(ROWS - 5), folder / "release")
    return folder


def write(table: pl.DataFrame, path: Path) -> None:
    """Write a table as one file and as a folder of files."""
    table.write_parquet(path.with_suffix(".parquet"))
    path.mkdir()
    for place, part in enumerate(table.iter_slices(-(-table.height // PARTS))):
        part.write_parquet(path / f"{place}.parquet")


TABLES: list[tuple[str, ...]] = [
    ("tabulate", "--value", "pay", "--weight", "w", "--places", "2"),
    ("tabulate", "--value", "written"),
    ("suppress", "--microdata", "--min-count", "3", "--request", "ask"),
]


@pytest.mark.parametrize("words", TABLES, ids=" ".join)
def test_cells(
    master: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    cells, answers = list[list[dict[str, object]]](), list[object]()
    for engine in ((), DUCKDB, ("--master", master)):
        source, out = folder / ("payments" if engine else "payments.parquet"), tmp_path / "cells.csv"
        given = ["--dims", "town,kind", *words[1:], "--out", out, *engine]
        status, answer = ask(capsys, "table", words[0], source, *given)
        assert status == 0, answer
        cells.append(pl.read_csv(out).to_dicts())
        answers.append({key: answer[key] for key in answer.keys() - {"engine", "seconds", "solver"}})
    assert cells[1:] == approximate([cells[0]] * 2)
    assert answers[1:] == approximate([answers[0]] * 2)


def test_distances(master: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--keys", "age,town", "--sensitive", "ill", "--missing", "category"]
    found = list[list[dict[str, dict[str, float]]]]()
    for engine in (("--seed", "1"), DUCKDB, ("--master", master)):
        ending = "" if engine[0] != "--seed" else ".parquet"
        status, answer = ask(
            capsys, "compare", folder / f"people{ending}", folder / f"release{ending}", *words, *engine
        )
        assert status == 0, answer
        assert answer["records"] == ROWS
        found.append([answer["original"], *answer["releases"]])
    for large in found[1:]:
        for one, small in zip(large, found[0], strict=True):
            for key in ("rows", "k", "uniques", "classes", "l", "t"):
                assert one[key] == approximate(small[key])
            for measure in ("marginals", "earth-mover"):
                assert one["measures"][measure] == approximate(small["measures"][measure])
                assert one["detail"][measure] == approximate(small["detail"][measure])
    assert found[2][1]["measures"]["marginals"] > 0
