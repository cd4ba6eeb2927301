"""`partition` stays on the cluster, blocks of `groups` are searched there: the same releases, regrouped here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.gate.records.engine.made_up_people import CASES, read_release, run, write_people
from tests_spark.cluster import Cluster
from tests_spark.kernels import count_letters

from sekisho.cli import status_of
from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.errors import InfeasibleError

K = 4
KEYS = ("age", "town")


def test_tasks_are_answered_in_their_order(session: object) -> None:
    words = ["a" * length for length in (5, 0, 3)]
    assert list(session.run_tasks(count_letters, iter(words))) == [5, 0, 3]
    with pytest.raises(InfeasibleError, match="no letters"):
        list(session.run_tasks(count_letters, ["no"]))


@pytest.mark.parametrize(
    ("case", "guest"),
    [
        ("one part", True),
        ("left out, of a tree, gaps dropped", True),
        ("left out, of a tree, gaps dropped", False),
        ("t of numbers", False),
    ],
)
def test_partition_is_that_of_one_machine(
    cluster: Cluster, request: pytest.FixtureRequest, tmp_path: Path, case: str, *, guest: bool
) -> None:
    master = cluster.connect_url if guest else request.getfixturevalue("driver")
    method, asked = CASES[case]
    people = write_people(tmp_path, gaps="gaps" in case)
    choices = EngineChoice(engine=Engine.POLARS), EngineChoice(engine=Engine.SPARK, master=master)
    (told_here, here), (told, there) = (run(method, people, choice, asked) for choice in choices)
    assert there.equals(here)
    assert vars(told) == vars(told_here)
    classes = there.group_by(method.keys).len()
    assert classes["len"].min() >= method.k
    assert classes["len"].sum() + told.detail["suppressed"] == told.detail["records"]
    assert {path.name for path in tmp_path.iterdir()} == {"people.parquet", "polars.parquet", "spark.parquet"}


def test_the_command_partition_from_one_address_to_another(
    cluster: Cluster,
    driver: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(write_people(tmp_path), cluster.folder / "mounted" / "folk.parquet")
    address = "viewfs://proof/data/folk-release.parquet"
    words = ["--id", "id", "--keys", ",".join(KEYS), "--k", str(K), "--seed", "1", "--json"]
    there = ["viewfs://proof/data/folk.parquet", "--out", address, "--master", driver, *words]
    here = ["people.parquet", "--out", "here.parquet", "--engine", "polars", *words]
    answers = list[dict[str, object]]()
    for given in (there, here):
        status = status_of(["protect", "partition", *given])
        answers.append(json.loads(capsys.readouterr().out))
        assert status in {0, 3}, answers[-1]
    assert answers[0]["engine"] == "spark"
    assert answers[0]["proven"] == answers[1]["proven"]
    release = read_release(cluster.folder / "mounted" / "folk-release.parquet")
    assert release.equals(read_release(tmp_path / "here.parquet"))
    assert release.group_by(*KEYS).len()["len"].min() >= K
    assert status_of(["protect", "partition", *there]) == 2
    assert "there is something of that name already" in json.loads(capsys.readouterr().out)["error"]
    assert not list((cluster.folder / "mounted").glob(".folk*"))


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
            "unit.price": rng.integers(1, 400, rows) / 100,
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
