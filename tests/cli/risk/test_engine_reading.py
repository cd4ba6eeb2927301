"""Beyond memory every question about risk has the answer that it has in memory, on every engine."""

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
    "town": st.sampled_from(["a", "b", "c", "NA", ""]),
    "age": st.integers(1, 3).map(str) | st.just("NA"),
    "sex": st.sampled_from(["f", "m"]),
    "ill": st.sampled_from(["flu", "cold", "NA"]),
    "pay": st.integers(1, 6).map(str),
    "w": st.sampled_from(["1", "2.5", "10"]),
}
rows = st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=14)
OPTIONS: list[tuple[str, ...]] = [
    (),
    ("--sensitive", "ill,pay"),
    ("--sensitive", "pay", "--distance", "equal", "--l", "2", "--t", "0.3"),
    ("--sensitive", "ill", "--tree"),
    ("--population", "100"),
    ("--population", "0.5", "--limit", "0.4"),
    ("--population", "people", "--k", "2"),
    ("--weights", "w"),
    ("--suda",),
    ("--suda", "--sets", "2", "--population", "0.1"),
    ("--missing", "drop", "--sensitive", "ill"),
    ("--missing", "refuse"),
    ("--missing", "1,a", "--sensitive", "pay"),
]
# the farthest class has the largest pay only: everything below it counts; c is unique by the town alone
APART = [
    {"town": town, "age": "1", "sex": "f", "ill": ill, "pay": pay, "w": "1"}
    for town, ill, pay in (
        ("a", "flu", "1"),
        ("a", "cold", "2"),
        ("b", "flu", "3"),
        ("b", "cold", "1"),
        ("c", "NA", "6"),
    )
]
quick = try_examples(8, share_fixtures=True)


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of(["risk", *words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def fill_in(words: tuple[str, ...], folder: Path, table: pl.DataFrame, ending: str) -> list[str]:
    """Write the files that options name, and return the options."""
    (folder / "tree.csv").write_text("flu,inner,Total\ncold,inner,Total\nNA,other,Total\n")
    people = pl.concat([table, table.head(3), table.with_columns(pl.lit("f").alias("sex"))])
    write(people, folder / f"people.{ending}")
    filled = [str(folder / f"people.{ending}") if word == "people" else word for word in words]
    return [*filled, f"ill={folder / 'tree.csv'}"] if words[-1:] == ("--tree",) else filled


def write(table: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        table.write_csv(path)
        return
    # numbers as numbers, their missing cells null
    number = pl.col("age").replace("NA", None).cast(pl.Int16)
    table.with_columns(number, pl.col("pay").cast(pl.Int64), pl.col("w").cast(pl.Float64)).write_parquet(path)


def approximate(answer: object) -> object:
    if isinstance(answer, float):
        return pytest.approx(answer, rel=1e-9, abs=1e-12)
    if isinstance(answer, dict):
        return {key: approximate(value) for key, value in answer.items() if key != "engine"}
    return [approximate(value) for value in answer] if isinstance(answer, list) else answer


@quick
@given(drawn=rows, words=st.sampled_from(OPTIONS), ending=st.sampled_from(["csv", "parquet"]))
@example(drawn=[{"town": "a", "age": "NA", "sex": "f", "ill": "NA", "pay": "1", "w": "1"}], words=(), ending="csv")
@example(drawn=APART, words=("--sensitive", "ill,pay"), ending="parquet")
@example(drawn=APART, words=("--sensitive", "ill", "--tree"), ending="csv")
@example(drawn=APART, words=("--suda",), ending="csv")
def test_every_answer_is_that_of_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], drawn: list[dict[str, str]], words: tuple[str, ...], ending: str
) -> None:
    table = pl.DataFrame(drawn)
    path = tmp_path / f"some.{ending}"
    write(table, path)
    question = [str(path), "--keys", "town,age,sex", *fill_in(words, tmp_path, table, ending)]
    status, answer = ask(capsys, *question)
    for engine in ENGINES:
        status_beyond, beyond = ask(capsys, *question, *engine)
        assert status_beyond == status
        assert beyond.pop("engine", "none") == ("none" if status == 2 else engine[1].replace("1GB", "duckdb"))
        assert beyond == approximate(answer)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--missing-matches"], "--missing-matches must not be asked for beyond memory"),
        (["--keys", "none"], "there is no column 'none'"),
        (["--weights", "town"], "the weight 'a' is no positive number"),
        (["--weights", "w"], "the weight 'inf' is no positive number; row 2, w: the weight ''"),
        (["--population", "small"], "more records share this one's keys than"),
        (["--population", "small", "--missing", "drop"], "row 2: more records share this one's keys than"),
    ],
)
def test_what_is_refused_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: tuple[str, str], words: list[str], reason: str
) -> None:
    path, small = tmp_path / "some.csv", tmp_path / "small.csv"
    path.write_text("town,sex,w\n" + ",f,1\n" * ("drop" in words) + "a,f,inf\na,f,nan\nb,m,1\n")
    small.write_text("town,sex\na,f\nb,m\n")
    named = [str(small) if word == "small" else word for word in words]
    question = [str(path), *([] if "--keys" in words else ["--keys", "sex" if "town" in words else "town"]), *named]
    status, answer = ask(capsys, *question, *engine)
    assert (status, reason in json.dumps(answer)) == (2, True)
    if words != ["--missing-matches"]:
        assert answer == ask(capsys, *question)[1]


@pytest.mark.parametrize(
    "words", [["--engine", "polars", "--memory", "2GB"], ["--engine", "duckdb", "--master", "local"]]
)
def test_options_that_contradict_each_other_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    path = tmp_path / "some.csv"
    path.write_text("town\na\n")
    status, answer = ask(capsys, str(path), "--keys", "town", *words)
    assert (status, "must be given with" in str(answer["error"])) == (2, True)


def test_the_page_is_that_of_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = tmp_path / "some.csv", tmp_path / "page.html"
    path.write_text("town,sex,ill\n" + "a,f,flu\nb,m,cold\nb,m,flu\nc,f,cold\n" * 3 + "d,f,flu\n")
    question = [str(path), "--keys", "town,sex", "--sensitive", "ill", "--population", "100", "--report", str(page)]
    ask(capsys, *question)
    in_memory = page.read_text()
    for engine in ENGINES:
        ask(capsys, *question, *engine)
        assert page.read_text() == in_memory
