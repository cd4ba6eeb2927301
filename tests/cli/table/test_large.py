"""A table of microdata beyond memory is the table of memory, cell by cell, on every engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.cli import status_of

ENGINES = (("--engine", "polars"), ("--memory", "1GB"))
CELLS = {
    "town": st.sampled_from(["a1", "a2", "b1", " a1"]),
    "kind": st.sampled_from(["x", "y", "z"]),
    "firm": st.sampled_from(["1", "2", "3", ""]),
    "pay": st.sampled_from(["1", "2.5", "-3", "0.25", "10", "10"]),
    "w": st.sampled_from(["1", "2", "0.5", "1.5"]),
}
rows = st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=14)
OPTIONS: list[tuple[str, ...]] = [
    (),
    ("--value", "pay"),
    ("--value", "pay", "--weight", "w", "--places", "2"),
    ("--weight", "w"),
    ("--value", "pay", "--tree", "town"),
    ("--value", "pay", "--contributor", "firm", "--tree", "town"),
    ("--contributor", "firm", "--weight", "w"),
]
quick = try_examples(10, share_fixtures=True)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of(["table", *words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def write(table: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        table.write_csv(path)
        return
    table.with_columns(pl.col("pay", "w").cast(pl.Float64)).write_parquet(path)


@quick
@given(drawn=rows, words=st.sampled_from(OPTIONS), ending=st.sampled_from(["csv", "parquet"]))
@example(
    drawn=[{"town": "a1", "kind": "x", "firm": "1", "pay": "1", "w": "1"}] * 3, words=("--weight", "w"), ending="csv"
)
@example(  # a column without any value, of which DuckDB counts no values
    drawn=[{"town": "a1", "kind": "x", "firm": "", "pay": "1", "w": "1"}], words=(), ending="csv"
)
def test_every_table_is_that_of_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: list[dict[str, str]], words: tuple[str, ...], ending: str
) -> None:
    path, out, tree = tmp_path / f"some.{ending}", tmp_path / "cells.csv", tmp_path / "tree.csv"
    write(pl.DataFrame(drawn), path)
    tree.write_text("a1,a\na2,a\nb1,b\na,Total\nb,Total\n")
    filled = [f"town={tree}" if word == "town" else word for word in words]
    question = ["tabulate", str(path), "--dims", "town,kind", *filled, "--out", str(out)]
    status, answer = run(capsys, *question)
    cells = pl.read_csv(out)
    for engine in ENGINES:
        out.unlink()
        status_beyond, beyond = run(capsys, *question, *engine)
        assert (status_beyond, beyond.pop("engine")) == (status, engine[1].replace("1GB", "duckdb"))
        # of whose rows they are headers alone are asked there, and the header says it here
        assert beyond.pop("unit", {}).get("who") == answer.get("unit", {}).get("who")
        assert beyond == pytest.approx({key: value for key, value in answer.items() if key != "unit"})
        large = pl.read_csv(out)
        assert large.columns == cells.columns
        for name in cells.columns:
            expected = cells[name].to_list()
            assert large[name].to_list() == (expected if cells[name].dtype == pl.String else pytest.approx(expected))


def test_a_pattern_is_that_of_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "some.csv", tmp_path / "pattern.csv"
    lines = [
        f"{town},{kind},{mark}" for town in "abc" for kind in "xyz" for mark in range(2 + (town + kind == "ax") * 9)
    ]
    path.write_text("town,kind,ask\n" + "\n".join(lines) + "\nb,y,1\n")
    question = ["suppress", str(path), "--microdata", "--dims", "town,kind", "--min-count", "3", "--request", "ask"]
    _, answer = run(capsys, *question, "--out", str(out))
    pattern = out.read_text()
    for engine in ENGINES:
        _, beyond = run(capsys, *question, "--out", str(out), *engine)
        assert out.read_text() == pattern
        assert {**beyond, "seconds": 0} == {**answer, "seconds": 0}


def test_a_folder_of_files_is_suppressed_like_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "parts", tmp_path / "pattern.csv"
    folder.mkdir()
    for place, town in enumerate("ab"):
        pl.DataFrame({"town": [town] * 9, "kind": ["x"] * (2 + place) + ["y"] * (7 - place)}).write_parquet(
            folder / f"{place}.parquet"
        )
    words = ["--microdata", "--dims", "town,kind", "--min-count", "3", "--out", str(out), "--engine", "polars"]
    status, answer = run(capsys, "suppress", str(folder), *words)
    assert (status, answer["primary"]) == (0, 1), answer
    certificate = json.loads((tmp_path / "pattern.csv.certificate.json").read_text())
    assert set(certificate["provenance"]["inputs"]) == {"0.parquet", "1.parquet"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--value", "pay"], "'many' is no number"),
        (["--dims", "none"], "has no column none"),
        (["--contributor", "none"], "has no column none"),
        (["--tree", "tree"], "is no code of town"),
    ],
)
def test_what_is_refused_is_refused_as_in_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: tuple[str, str], words: list[str], reason: str
) -> None:
    path, out, tree = tmp_path / "some.csv", tmp_path / "cells.csv", tmp_path / "tree.csv"
    path.write_text("town,kind,pay\na,x,1\nb,y,many\nb,y,many\n,y,2\n")
    tree.write_text("a,Total\n")
    filled = [f"town={tree}" if word == "tree" else word for word in words]
    dims = [] if "--dims" in words else ["--dims", "kind" if "--value" in words else "town"]
    question = ["tabulate", str(path), *dims, *filled, "--out", str(out)]
    status, answer = run(capsys, *question, *engine)
    assert (status, reason in json.dumps(answer), out.exists()) == (2, True, False)
    assert answer == run(capsys, *question)[1]


def test_engines_are_for_records_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cells.csv"
    path.write_text("town,n\na,1\nb,2\nTotal,3\n")
    words = [
        "suppress",
        str(path),
        "--dims",
        "town",
        "--count",
        "n",
        "--out",
        str(tmp_path / "out.csv"),
        "--memory",
        "2GB",
    ]
    status, answer = run(capsys, *words)
    assert (status, "memory must be given with --microdata" in str(answer["error"])) == (2, True)
