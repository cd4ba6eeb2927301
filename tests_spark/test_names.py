"""Columns are called what they are called: with points, grave accents, blanks, and apart by case only."""

from __future__ import annotations

from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from tests_spark.reading import approximate, ask, read_release

from sekisho.data.large.names import enter_frame, leave_frame, make_plain
from sekisho.data.large.session import Session

ROWS = 120
NAMES = ("a.b", "the `town`", "x", "X", "` .")
"""What Spark would read: the way into a nested column, quotation marks."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write made-up people whose columns have such names, as one file and as a folder of files."""
    folder = tmp_path_factory.mktemp("names")
    rng = np.random.default_rng(2)
    choices = (["p", "q", "r"], ["n", "s"], [1, 2, 3], ["1", "2"], ["u", "v", "w"])
    people = pl.DataFrame({name: rng.choice(values, ROWS) for name, values in zip(NAMES, choices, strict=True)})
    people.write_parquet(folder / "people.parquet")
    (folder / "parts").mkdir()
    for place, part in enumerate(people.iter_slices(ROWS // 2)):
        part.write_parquet(folder / "parts" / f"{place}.parquet")
    return folder


def test_expressions_are_answered_as_by_polars(session: Session, folder: Path) -> None:
    people = pl.read_parquet(folder / "people.parquet").with_row_index("place").cast({"place": pl.Int64})
    frame = session.scan_parquet(sorted((folder / "parts").iterdir()), row="place")
    assert session.collect(frame.sort("place")).select(people.columns).equals(people)
    lazy = enter_frame(nw.from_native(people.lazy()))
    town, count, last = map(make_plain, ("a.b", "n.`", "` ."))
    for asked in (frame, lazy):
        few = asked.group_by(town, "X").agg(nw.len().alias(count), nw.col("x").sum().alias("x"))
        sizes = nw.col(count).sum().over(town)
        first = nw.col("x").cum_sum().over(town, order_by=["X"])
        ranked = few.with_columns(sizes.alias("all of it"), first.alias(last)).sort(town, "X", descending=[True, False])
        joined = asked.select(town, "X", nw.col("x").alias("old x")).join(ranked, on=[town, "X"], how="inner")
        named = joined.join(ranked.drop("x"), on=["X", town], how="left").rename({f"{count}_right": "m"})
        total = named.filter(nw.col("old x") > 1).group_by(town).agg(nw.col(count, "m", "all of it", last).sum())
        computed = asked.group_by((nw.col("x") % 2).alias("odd x"), nw.col("X").alias("y")).agg(nw.len().alias("n"))
        odd = computed.filter(nw.col("odd x") == 1).group_by("odd x").agg(nw.col("n").sum().alias("odd n"))
        both = nw.concat([total.join(odd.select("odd n"), how="cross")] * 2).sort(town)
        if asked is frame:
            answer = session.collect(both)
            assert answer.columns[:2] == ["a.b", "n.`"]
            continue
        rows = leave_frame(both).to_native().collect()
        assert answer.cast(dict.fromkeys(answer.columns[1:], pl.Int64)).equals(
            rows.cast(dict.fromkeys(rows.columns[1:], pl.Int64))
        )


COMMANDS: list[tuple[str, ...]] = [
    ("risk", "--keys", "a.b,the `town`,X,x", "--sensitive", "` ."),
    ("risk", "--keys", "a.b,the `town`,X,x", "--suda", "--sets", "2"),
    ("protect", "pram", "--retention", "0.7", "--columns", "a.b,the `town`,x,X", "--out", "R.parquet"),
    ("protect", "sample", "--size", "50", "--strata", "the `town`", "--out", "R.parquet"),
    ("protect", "code", "--rare", "a.b=45:other", "--round", "x=2", "--out", "R.parquet"),
    ("table", "tabulate", "--dims", "a.b,the `town`", "--value", "x", "--out", "R.parquet"),
    ("table", "tabulate", "--dims", "a.b,X", "--out", "R.parquet"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands(
    master: str,
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
) -> None:
    seed = ["--seed", "3"] if words[0] == "protect" else []
    command, options = (words[:1], words[1:]) if words[0] == "risk" else (words[:2], words[2:])
    answers, releases = list[dict[str, object]](), list[pl.DataFrame]()
    for name, source, engine in (("memory", "people.parquet", []), ("spark", "parts", ["--master", master])):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        status, answer = ask(capsys, *command, folder / source, *options, *seed, *engine)
        assert status in {0, 3}, answer
        answers.append({key: answer[key] for key in answer.keys() - {"seconds", "engine"}})
        releases += [read_release(path) for path in [Path("R.parquet")] if path.exists()]
    assert answers[1] == approximate(answers[0])
    if releases:
        assert releases[1].equals(releases[0])
