"""Parts of `partition` and blocks of `groups` are searched on executors: the same release, counted again by itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests_spark.cluster import Cluster
from tests_spark.kernels import count_letters

from sekisho.cli import status_of
from sekisho.contest.own_rules import own_rules
from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.own.schema_options import schema_from_options
from sekisho.data.large.engine import Engine, EngineChoice
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError
from sekisho.gate.records.large.recode_file import LargeTask, recode_file
from sekisho.protect.records.partition import Partition
from sekisho.seeds import Seed

K = 4
KEYS = ("age", "town")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Write made-up people, in a folder of three files."""
    rng, folder = Seed(5).rng(), tmp_path / "people.parquet"
    folder.mkdir()
    for part in range(3):
        columns = {
            "id": [f"p{part}-{row}" for row in range(200)],
            "age": rng.integers(20, 60, 200),
            "town": rng.choice(["a", "b", "c", "d"], 200),
            "pay": rng.integers(0, 9, 200),
        }
        pl.DataFrame(columns).write_parquet(folder / f"{part}.parquet")
    return folder


def make_task(source: Path, out: Path, choice: EngineChoice) -> LargeTask:
    """Return a task whose parts hold hardly anybody."""
    book = own_rules(schema_from_options(Shape.RECORDS, identifier="id"), "people")
    assert isinstance(book, RecordRules)
    return LargeTask(source=source, rules=book, out=out, ordered=True, choice=choice, size=40)


def test_tasks_are_answered_in_their_order(session: object) -> None:
    words = ["a" * length for length in (5, 0, 3)]
    assert list(session.run_tasks(count_letters, iter(words))) == [5, 0, 3]
    with pytest.raises(InfeasibleError, match="no letters"):
        list(session.run_tasks(count_letters, ["no"]))


def test_parts_of_partition(cluster: Cluster, people: Path, tmp_path: Path) -> None:
    releases = dict[Engine, pl.DataFrame]()
    for choice in (EngineChoice(engine=Engine.POLARS), EngineChoice(engine=Engine.SPARK, master=cluster.connect_url)):
        task = make_task(people, tmp_path / f"{choice.engine}.parquet", choice)
        with recode_file(Partition(keys=KEYS, k=K), task, seed=Seed(9)) as outcome:
            assert outcome.detail["parts"] > 3
            releases[choice.engine] = pl.read_parquet(outcome.place)
    assert releases[Engine.SPARK].equals(releases[Engine.POLARS])
    classes = releases[Engine.SPARK].group_by(*KEYS).len()
    assert classes["len"].min() >= K
    assert classes["len"].sum() == 600


def test_the_command_partition(
    cluster: Cluster, people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release.parquet"
    words = ["--id", "id", "--keys", ",".join(KEYS), "--k", "4", "--seed", "1", "--out", str(out)]
    status = status_of(["protect", "partition", str(people), *words, "--master", cluster.connect_url, "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert status in {0, 3}, answer
    assert answer["engine"] == "spark"
    assert pl.read_parquet(out).group_by(*KEYS).len()["len"].min() >= K


def test_blocks_of_groups(cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng, history = np.random.default_rng(3), tmp_path / "history.csv"
    rows = 600
    pl.DataFrame(
        {
            "customer": rng.integers(1, 61, rows),
            "day": [f"2026/1/{day}" for day in rng.integers(1, 29, rows)],
            "item": [f"i{item}" for item in rng.integers(0, 12, rows)],
            "price": rng.integers(1, 9, rows),
        }
    ).sort("customer", "day").write_csv(history)
    words = ["--id", "customer", "--k", "3", "--block", "12", "--effort", "1", "--seed", "4"]
    answers = list[dict[str, object]]()
    for name, engine in (("here", []), ("there", ["--master", cluster.connect_url])):
        out = tmp_path / f"{name}.csv"
        status = status_of(["protect", "groups", str(history), *words, "--out", str(out), *engine, "--json"])
        answers.append(json.loads(capsys.readouterr().out))
        assert status in {0, 3}, answers[-1]
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert answers[1].pop("engine") == "spark"
    assert answers[1]["blocks"] == answers[0]["blocks"] > 1
    published = pl.read_csv(tmp_path / "there.csv", infer_schema=False).filter(
        pl.col("customer") != "*"
    )  # deleted rows
    alike = (
        published.group_by("customer").agg(pl.struct(pl.exclude("customer")).sort()).group_by(pl.exclude("customer"))
    )
    assert alike.len()["len"].min() >= 3


def test_the_rows_of_a_history_stay_on_the_cluster(
    cluster: Cluster, master: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_address = not master.startswith("sc://")  # a guest does not reach it
    folder = cluster.folder / "mounted" if by_address else tmp_path
    place = "viewfs://proof/data" if by_address else str(folder)
    rng, rows, parts = np.random.default_rng(3), 600, folder / "history.parquet"
    history = pl.DataFrame(
        {
            "customer": [f"c{number}" for number in rng.integers(1, 61, rows)],
            "day": pl.Series(rng.integers(20_000, 20_028, rows)).cast(pl.Int32).cast(pl.Date),
            "item": [None if item == 0 else f"i{item}" for item in rng.integers(0, 12, rows)],
            "price": rng.integers(1, 400, rows) / 100,
        }
    )
    history.write_parquet(tmp_path / "one.parquet")
    parts.mkdir()
    for part in range(3):
        history.slice(200 * part, 200).write_parquet(parts / f"{part}.parquet")
    words = ["--id", "customer", "--missing", "category", "--k", "3", "--block", "12", "--effort", "1", "--seed", "4"]
    here, there = tmp_path / "here.csv", folder / "there.parquet"
    answers = list[dict[str, object]]()
    for source, out, engine in (
        (str(tmp_path / "one.parquet"), str(here), []),
        (f"{place}/{parts.name}", f"{place}/{there.name}", ["--master", master]),
    ):
        status = status_of(["protect", "groups", source, *words, "--out", out, *engine, "--json"])
        answers.append(json.loads(capsys.readouterr().out))
        assert status == 0, answers[-1]
    wanted = pl.read_csv(here, infer_schema=False).filter(pl.col("customer") != "*")
    wanted = wanted.with_columns(pl.col("customer").cast(pl.Int64)).sort(wanted.columns)
    published = pl.concat([pl.read_parquet(file) for file in sorted(there.glob("*.parquet"))])
    assert published.equals(wanted)
    assert answers[1]["engine"] == "spark"
    assert answers[1]["rows"] == wanted.height
    assert answers[1]["blocks"] == answers[0]["blocks"] > 1
    assert answers[1]["utility"] == pytest.approx(answers[0]["utility"], rel=1e-12)  # added in another order
    assert answers[1]["lower_bound"] == answers[0]["lower_bound"]


def test_chunks_of_the_attack(master: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng, history = np.random.default_rng(5), tmp_path / "history.csv"
    pl.DataFrame(
        {
            "customer": rng.integers(1, 61, 600),
            "day": [f"2026/1/{day}" for day in rng.integers(1, 29, 600)],
            "item": [f"i{item}" for item in rng.integers(0, 12, 600)],
            "price": rng.integers(1, 9, 600),
        }
    ).sort("customer", "day").write_csv(history)
    released, published = tmp_path / "A.csv", tmp_path / "A1.csv"
    own = ["--id", "customer"]
    words = ["protect", "similar-length", str(history), *own, "--k", "3", "--seed", "4", "--out", str(released)]
    assert status_of([*words, "--json"]) in {0, 3}
    capsys.readouterr()
    rows = pl.read_csv(released, infer_schema=False).filter(pl.col("customer") != "*")
    rows.sort(rows.columns).write_csv(published)
    answers = list[dict[str, object]]()
    for name, engine in (("here", []), ("there", ["--master", master])):
        files = ["--original", str(history), "--published", str(published), "--out", str(tmp_path / f"{name}.csv")]
        words = ["attack", "maximum-knowledge", *own, *files, "--everyone", "--seed", "1", *engine, "--json"]
        assert status_of(words) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert answers[1].pop("engine") == "spark"
    assert answers[1]["claimed"] == answers[0]["claimed"] == 60
