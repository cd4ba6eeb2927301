"""The command beyond memory: the bytes of the in-memory path, and what has no such way is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sekisho.cli import status_of
from sekisho.seeds import Seed

LARGE = (("--engine", "polars"), ("--engine", "duckdb"), ("--memory", "1GB"))


@pytest.fixture
def people(tmp_path: Path) -> Path:
    rng = Seed(5).rng()
    rows = [
        f"p{row},{20 + int(rng.integers(0, 30))},{rng.choice(list('abcd'))},{int(rng.integers(5))}.5"
        for row in range(300)
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["id,age,town,score", *rows, ""]), encoding="utf-8")
    return path


def answer(capsys: pytest.CaptureFixture[str], *line: object, status: int = 0) -> dict[str, Any]:
    assert status_of([*map(str, line), "--json"]) == status
    return json.loads(capsys.readouterr().out)


def protect(capsys: pytest.CaptureFixture[str], people: Path, *more: object, status: int = 0) -> dict[str, Any]:
    line = ("protect", "partition", people, "--id", "id", "--keys", "age,town", "--k", 6, "--seed", 1, *more)
    return answer(capsys, *line, status=status)


# which engine recodes a release changes nothing about it, as tests/protect/records/streamed holds: each is asked in turn
@pytest.mark.parametrize(
    ("status", "more", "options"),
    [
        (3, (), LARGE[0]),  # nobody said what the score is
        (3, ("--deleted", "X.csv", "--suppress", "0.1"), LARGE[1]),
        (0, ("--sensitive", "score", "--l", 2), LARGE[2]),
    ],
)
def test_the_same_bytes_and_answers_as_in_memory(
    capsys: pytest.CaptureFixture[str],
    people: Path,
    status: int,
    more: tuple[object, ...],
    options: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(people.parent)
    told = protect(capsys, people, "--out", "R.csv", *more, status=status)
    release, deleted = Path("R.csv").read_bytes(), [path.read_bytes() for path in Path().glob("X.csv")]
    large = protect(capsys, people, "--out", "L.csv", *more, *options, status=status)
    assert Path("L.csv").read_bytes() == release
    assert [path.read_bytes() for path in Path().glob("X.csv")] == deleted
    assert large["engine"] == ("polars" if "polars" in options else "duckdb")
    changing = {"seconds", "out", "engine", "parts", "ending"}
    assert {key: large[key] for key in large.keys() - changing} == {key: told[key] for key in told.keys() - changing}
    assert large["ending"] == told["ending"] | ({"file": "L.csv"} if status == 0 else {})


def test_what_has_no_way_beyond_memory_is_refused(capsys: pytest.CaptureFixture[str], people: Path) -> None:
    out = people.with_name("R.csv")
    refused = [
        (protect(capsys, people, "--out", out, "--memory", "1GB", "--safe", "union", status=2), "--safe does not"),
        (protect(capsys, people, "--out", out, "--memory", "1MB", status=2), "memory must be at least 512 MB"),
        (
            answer(capsys, "protect", "lattice", people, "--keys", "age", "--out", out, "--engine", "polars", status=2),
            "engine must be given for a method that works beyond memory",
        ),
        (
            answer(capsys, "protect", "groups", people, "--out", out, "--engine", "polars", status=2),
            "engine must be given for a file of one's own",
        ),
    ]
    for told, words in refused:
        assert words in told["error"]
    assert not out.exists()


def test_an_infeasible_k_is_an_answer(capsys: pytest.CaptureFixture[str], people: Path) -> None:
    told = answer(
        capsys,
        *("protect", "partition", people, "--keys", "age", "--k", 301, "--out", people.with_name("R.csv")),
        *("--engine", "duckdb"),
        status=1,
    )
    assert "300 records cannot form a class of 301" in told["error"]
    assert [path.name for path in people.parent.iterdir()] == ["people.csv"]


@pytest.mark.parametrize(
    ("more", "options"),
    [((), LARGE[1]), (("--deleted", "X.csv"), LARGE[2]), (("--out", "R.parquet"), LARGE[0])],
)
def test_coding_gives_the_bytes_and_answers_of_memory(
    capsys: pytest.CaptureFixture[str],
    people: Path,
    more: tuple[object, ...],
    options: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(people.parent)
    line = ("protect", "code", people, "--id", "id", "--top", "age=5%", "--rare", "town=80:x", "--seed", 1)
    told = answer(capsys, *line, "--out", "R.csv", *more, status=3)  # nobody said what the columns are
    release, deleted = Path(told["out"]).read_bytes(), [path.read_bytes() for path in Path().glob("X.csv")]
    large = answer(capsys, *line, "--out", "R.csv", *more, *options, status=3)
    assert [path.read_bytes() for path in Path().glob("X.csv")] == deleted
    assert told["out"].endswith(".parquet") or Path("R.csv").read_bytes() == release
    assert large.pop("engine") == ("polars" if "polars" in options else "duckdb")
    assert {key: large[key] for key in large.keys() - {"seconds"}} == {
        key: told[key] for key in told.keys() - {"seconds"}
    }
    refused = answer(capsys, *line, "--out", "R.csv", "--master", "local[2]", status=2)
    assert "out must end in .parquet: Spark writes a folder of Parquet files" in refused["error"]


@pytest.mark.parametrize("options", LARGE[:2])
def test_where_rows_were_dropped_those_that_are_left_are_a_person_each(
    capsys: pytest.CaptureFixture[str], people: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, str]
) -> None:
    monkeypatch.chdir(people.parent)
    people.write_text(people.read_text() + "q1,,a,1.5\nq2,30,,2.5\n")
    line = ("protect", "code", people, "--id", "id", "--missing", "drop", "--top", "age=40", "--out", "R.csv")
    told = answer(capsys, *line, status=3)
    assert told["unit"] == {"who": "id", "by": "known", "people": 300, "rows": 300}
    large = answer(capsys, *line, *options, status=3)
    for part in ("unit", "account", "account_words"):
        assert large[part] == told[part]
